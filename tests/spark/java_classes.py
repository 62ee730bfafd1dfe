"""Java classes for the tests, made in the session's JVM: no javac is needed.

Janino, which Spark compiles its own code with, compiles them. It drops type arguments, so that the
interface ``UDF1<Integer, Integer>`` is put back with ASM, which is among Spark's jars too.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from py4j.java_gateway import set_field

_UDF = """
package demo;
import org.apache.spark.sql.api.java.UDF{count};
public class Sum{count} implements UDF{count} {{
  public Object call({parameters}) {{
    long sum = {count};
    {body}
    return Long.valueOf(sum);
  }}
}}
"""

_PLUS = """
package demo;
import org.apache.spark.sql.api.java.UDF1;
public class {name} implements UDF1 {{
  public Object call(Object x) {{
    return x == null ? null : Integer.valueOf(((Integer) x).intValue() + 1);
  }}
}}
"""

_WORDS = """
package demo;
import org.apache.spark.sql.api.java.UDF1;
public class Words implements UDF1 {
  public Object call(Object x) { return x == null ? null : ((String) x).split(" "); }
}
"""

_TOTAL = """
package demo;
import org.apache.spark.sql.*;
import org.apache.spark.sql.expressions.*;
import org.apache.spark.sql.types.*;
public class Total extends UserDefinedAggregateFunction {
  public StructType inputSchema() { return new StructType().add("x", DataTypes.LongType); }
  public StructType bufferSchema() { return new StructType().add("sum", DataTypes.LongType); }
  public DataType dataType() { return DataTypes.LongType; }
  public boolean deterministic() { return true; }
  public void initialize(MutableAggregationBuffer b) { b.update(0, Long.valueOf(0L)); }
  public void update(MutableAggregationBuffer b, Row r) {
    if (!r.isNullAt(0)) { b.update(0, Long.valueOf(b.getLong(0) + r.getLong(0))); }
  }
  public void merge(MutableAggregationBuffer b, Row r) {
    b.update(0, Long.valueOf(b.getLong(0) + r.getLong(0)));
  }
  public Object evaluate(Row r) { return Long.valueOf(r.getLong(0)); }
}
"""

_LONGEST = """
package demo;
import org.apache.spark.sql.*;
import org.apache.spark.sql.expressions.Aggregator;
public class Longest extends Aggregator {
  public Object zero() { return ""; }
  public Object reduce(Object b, Object x) {
    return x != null && ((String) x).length() > ((String) b).length() ? x : b;
  }
  public Object merge(Object one, Object other) { return reduce(one, other); }
  public Object finish(Object b) { return b; }
  public Encoder bufferEncoder() { return Encoders.STRING(); }
  public Encoder outputEncoder() { return Encoders.STRING(); }
}
"""

_WEIGHTED = """
package demo;
import org.apache.spark.sql.*;
import org.apache.spark.sql.expressions.Aggregator;
public class Weighted extends Aggregator {
  public Object zero() { return Long.valueOf(0L); }
  public Object reduce(Object b, Object x) {
    Row r = (Row) x;
    if (r.isNullAt(0) || r.isNullAt(1)) { return b; }
    return Long.valueOf(((Long) b).longValue() + r.getLong(0) * r.getLong(1));
  }
  public Object merge(Object one, Object other) {
    return Long.valueOf(((Long) one).longValue() + ((Long) other).longValue());
  }
  public Object finish(Object b) { return b; }
  public Encoder bufferEncoder() { return Encoders.LONG(); }
  public Encoder outputEncoder() { return Encoders.LONG(); }
}
"""

_OBJECT, _LONG = "Ljava/lang/Object;", "Ljava/lang/Long;"
_INTEGER, _STRING = "Ljava/lang/Integer;", "Ljava/lang/String;"


def _udf_of(*types: str) -> str:
    interface = f"org/apache/spark/sql/api/java/UDF{len(types) - 1}"
    return f"{_OBJECT}L{interface}<{''.join(types)}>;"


def _aggregator_of(*types: str) -> str:
    return f"Lorg/apache/spark/sql/expressions/Aggregator<{''.join(types)}>;"


def _sum_of(count: int) -> str:
    """The sum of ``count`` numbers, NULLs left out, and of their count."""
    names = [f"x{place}" for place in range(count)]
    return _UDF.format(
        count=count,
        parameters=", ".join(f"Object {name}" for name in names),
        body=" ".join(
            f"if ({name} != null) {{ sum += ((Long) {name}).longValue(); }}" for name in names
        ),
    )


CLASSES: dict[str, tuple[str, str | None]] = {
    **{f"Sum{n}": (_sum_of(n), _udf_of(*[_LONG] * (n + 1))) for n in range(23)},
    "Plus": (_PLUS.format(name="Plus"), _udf_of(_INTEGER, _INTEGER)),
    "Untyped": (_PLUS.format(name="Untyped"), None),
    "Vague": (_PLUS.format(name="Vague"), _udf_of(_OBJECT, _OBJECT)),
    "Words": (_WORDS, _udf_of(_STRING, f"[{_STRING}")),
    "Total": (_TOTAL, None),
    "Longest": (_LONGEST, _aggregator_of(_STRING, _STRING, _STRING)),
    "Weighted": (_WEIGHTED, _aggregator_of("Lorg/apache/spark/sql/Row;", _LONG, _LONG)),
}
"""Java text, and the class's generic signature, by the name of the class in package ``demo``."""


def write_jar(spark: Any, path: Path) -> Path:
    """A jar of all classes."""
    with zipfile.ZipFile(path, "w") as jar:
        for name, (text, signature) in CLASSES.items():
            jar.writestr(f"demo/{name}.class", _compiled(spark._jvm, name, text, signature))
    return path


def _compiled(jvm: Any, name: str, text: str, signature: str | None) -> bytes:
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jvm.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook(text)
    code = compiler.getBytecodes().get(f"demo.{name}")
    if signature is None:
        return bytes(code)
    node = jvm.org.apache.xbean.asm9.tree.ClassNode()
    jvm.org.apache.xbean.asm9.ClassReader(code).accept(node, 0)
    set_field(node, "signature", signature)
    writer = jvm.org.apache.xbean.asm9.ClassWriter(0)
    node.accept(writer)
    return bytes(writer.toByteArray())
