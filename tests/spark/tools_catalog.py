"""A catalog of Spark's that has functions itself, made in the session's JVM: no javac is needed.

Its namespace ``fns`` holds one function for each way in which Spark calls them, aggregates among
them, and some with names that are odd, or Spark's own.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

_CLASS = """
package tools;
public class {name} implements org.apache.spark.sql.connector.catalog.functions.UnboundFunction,
    org.apache.spark.sql.connector.catalog.functions.{kind}, java.io.Serializable {{
  public org.apache.spark.sql.connector.catalog.functions.BoundFunction bind(
      org.apache.spark.sql.types.StructType given) {{
    if (given.length() != {count}) throw new UnsupportedOperationException("other arguments");
    return this;
  }}
  public String description() {{ return "of tests"; }}
  public String name() {{ return "{called}"; }}
  public boolean isDeterministic() {{ return {deterministic}; }}
  public org.apache.spark.sql.types.DataType[] inputTypes() {{
    return new org.apache.spark.sql.types.DataType[] {{ {takes} }};
  }}
  public org.apache.spark.sql.types.DataType resultType() {{ return {returns}; }}
  {body}
}}
"""
_TYPES = "org.apache.spark.sql.types.DataTypes"
_TEXT = "org.apache.spark.unsafe.types.UTF8String"
_ROW = "org.apache.spark.sql.catalyst.InternalRow"
_NOT_CALLED = f"public Object produceResult({_ROW} row) {{ throw new RuntimeException(); }}"


def _text(
    name: str,
    called: str,
    takes: str,
    returns: str,
    body: str,
    chance: bool = False,
    kind: str = "ScalarFunction",
) -> str:
    types = [f"{_TYPES}.{each}" for each in takes.split()]
    return _CLASS.format(
        name=name,
        kind=kind,
        called=called,
        count=len(types),
        deterministic="false" if chance else "true",
        takes=", ".join(types),
        returns=f"{_TYPES}.{returns}",
        body=body,
    )


_SUMS = """
  public String canonicalName() {{ return "tools.{called}"; }}
  public java.io.Serializable newAggregationState() {{ return new {state}[2]; }}
  public java.io.Serializable update(java.io.Serializable state, {row} row) {{
    {state}[] sums = ({state}[]) state;
    {update}
    return sums;
  }}
  public java.io.Serializable merge(java.io.Serializable state, java.io.Serializable other) {{
    {state}[] sums = ({state}[]) state;
    for (int i = 0; i < sums.length; i++) sums[i] += (({state}[]) other)[i];
    return sums;
  }}
  public Object produceResult(java.io.Serializable state) {{
    {state}[] sums = ({state}[]) state;
    return {result};
  }}
"""


def _sums(
    name: str,
    called: str,
    takes: str,
    returns: str,
    state: str,
    update: str,
    result: str,
    chance: bool = False,
) -> str:
    """An aggregate function whose state is an array of two sums."""
    body = _SUMS.format(called=called, row=_ROW, state=state, update=update, result=result)
    return _text(name, called, takes, returns, body, chance, kind="AggregateFunction")


_CLASSES = {
    "Total": _sums(
        "Total", "total", "LongType", "LongType", "long",
        "if (!row.isNullAt(0)) { sums[0] += row.getLong(0); sums[1] += 1; }",
        "sums[1] == 0 ? null : Long.valueOf(sums[0])",
    ),
    "Weighted": _sums(
        "Weighted", "weighted", "DoubleType LongType", "DoubleType", "double",
        "if (!row.isNullAt(0) && !row.isNullAt(1)) { "
        "sums[0] += row.getDouble(0) * row.getLong(1); sums[1] += row.getLong(1); }",
        "sums[1] == 0 ? null : Double.valueOf(sums[0] / sums[1])",
    ),
    "Odds": _sums(
        "Odds", "odds", "LongType", "LongType", "long",
        "sums[0] += 1;",
        "Long.valueOf(sums[0])", chance=True,
    ),
    "Named": _sums(
        "Named", "named", "LongType", "LongType", "long",
        "sums[0] += row.isNullAt(0) ? 1000 : row.getLong(0);",
        "Long.valueOf(sums[0])",
    ),
    "Rows": _sums("Rows", "rows", "", "LongType", "long", "sums[0] += 1;", "Long.valueOf(sums[0])"),
    "Twice": _text(
        "Twice", "twice", "LongType", "LongType",
        f"public static long invoke(long value) {{ return 2 * value; }} {_NOT_CALLED}",
    ),
    "Added": _text(
        "Added", "sum", "LongType", "LongType",
        f"public static long invoke(long value) {{ return value + 1; }} {_NOT_CALLED}",
    ),
    "Next": _text(
        "Next", "next", "IntegerType", "IntegerType",
        f"public int invoke(int value) {{ return value + 1; }} {_NOT_CALLED}",
    ),
    "Shout": _text(
        "Shout", "shout", "StringType", "StringType",
        f"public Object produceResult({_ROW} row) {{ return row.isNullAt(0) ? "
        f'{_TEXT}.fromString("nothing") : row.getUTF8String(0).toUpperCase(); }}',
    ),
    "Lucky": _text(
        "Lucky", "lucky", "IntegerType", "DoubleType",
        f"public Object produceResult({_ROW} row) {{ return Double.valueOf(Math.random()); }}",
        chance=True,
    ),
    "Either": """
package tools;
public class Either implements org.apache.spark.sql.connector.catalog.functions.UnboundFunction {
  public org.apache.spark.sql.connector.catalog.functions.BoundFunction bind(
      org.apache.spark.sql.types.StructType given) {
    String type = given.apply(0).dataType().typeName();
    return (org.apache.spark.sql.connector.catalog.functions.BoundFunction)
        (type.equals("string") ? (Object) new Shout() : (Object) new Named());
  }
  public String description() { return "of texts scalar, of numbers an aggregate"; }
  public String name() { return "either"; }
}
""",
}  # fmt: skip

NAMES = {
    "twice": "Twice",
    "next": "Next",
    "shout": "Shout",
    "lucky": "Lucky",
    "upper": "Shout",
    "an.odd `name`": "Next",
    "total": "Total",
    "weighted": "Weighted",
    "odds": "Odds",
    "an.odd `total`": "Named",
    "count": "Named",
    "grouping": "Named",
    "first": "Named",
    "sum": "Added",
    "rows": "Rows",
    "either": "Either",
}
"""The functions of the namespace ``fns``, with their classes."""

_BY_NAME = " ".join(
    f'if (name.equals("{name}")) return new tools.{class_}();' for name, class_ in NAMES.items()
)
_CATALOG = f"""
package tools;
import org.apache.spark.sql.connector.catalog.Identifier;
public class Tools implements org.apache.spark.sql.connector.catalog.FunctionCatalog,
    org.apache.spark.sql.connector.catalog.SupportsNamespaces {{
  private String called;
  public void initialize(
      String name, org.apache.spark.sql.util.CaseInsensitiveStringMap options) {{ called = name; }}
  public String name() {{ return called; }}
  public Identifier[] listFunctions(String[] namespace) {{
    if (namespace.length != 1 || !namespace[0].equals("fns")) return new Identifier[0];
    String[] names = new String[] {{ {", ".join(f'"{name}"' for name in NAMES)} }};
    Identifier[] found = new Identifier[names.length];
    try {{
      for (int i = 0; i < names.length; i++) {{
        found[i] = (Identifier) Identifier.class
            .getMethod("of", new Class[] {{String[].class, String.class}})
            .invoke(null, new Object[] {{namespace, names[i]}});
      }}
    }} catch (Exception error) {{ throw new RuntimeException(error); }}
    return found;
  }}
  public org.apache.spark.sql.connector.catalog.functions.UnboundFunction loadFunction(
      Identifier ident) throws org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException {{
    String name = ident.namespace().length == 1 && ident.namespace()[0].equals("fns")
        ? ident.name() : "";
    {_BY_NAME}
    throw new org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException(ident);
  }}
  public String[][] listNamespaces() {{ return new String[][] {{ new String[] {{"fns"}} }}; }}
  public String[][] listNamespaces(String[] namespace) {{ return new String[0][]; }}
  public boolean namespaceExists(String[] namespace) {{ return namespace.length == 1; }}
  public java.util.Map loadNamespaceMetadata(String[] namespace) {{
    return new java.util.HashMap();
  }}
  public void createNamespace(String[] namespace, java.util.Map metadata) {{ }}
  public void alterNamespace(
      String[] namespace, org.apache.spark.sql.connector.catalog.NamespaceChange[] changes) {{ }}
  public boolean dropNamespace(String[] namespace, boolean cascade) {{ return false; }}
}}
"""


def write_jar(spark: Any, path: Path) -> Path:
    """A jar of the catalog and of its functions."""
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    with zipfile.ZipFile(path, "w") as jar:
        for text in (*_CLASSES.values(), _CATALOG):
            compiler = spark._jvm.org.codehaus.janino.SimpleCompiler()
            compiler.setParentClassLoader(loader)
            compiler.cook(text)
            loader = compiler.getClassLoader()
            for made, code in compiler.getBytecodes().items():
                jar.writestr(f"{made.replace('.', '/')}.class", bytes(code))
    return path


def session_with_catalogs(spark: Any, jar: Path) -> Any:
    """A session with the catalogs ``tools`` and ``others``, which have the same functions."""
    made = spark.newSession()
    made.sql(f"ADD JAR '{jar}'")
    for name in ("tools", "others"):
        made.conf.set(f"spark.sql.catalog.{name}", "tools.Tools")
        made.sql(f"SELECT {name}.fns.twice(1L)").collect()  # a session knows what it has used
    return made
