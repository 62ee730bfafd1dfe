"""What a Java class says of itself: which of Spark's interfaces it has, and its types."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import types as spark_types

from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import FunctionSource
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.types import from_spark, schema_to_spark
from viewscribe.types import Field, LogicalType, StructType, nested_types
from viewscribe.types.nested_types import contains

# What only a classic PySpark has: a thin client of Connect has neither Java nor its errors.

if TYPE_CHECKING:
    from py4j.protocol import Py4JError, Py4JJavaError
else:
    try:
        from py4j.protocol import Py4JError, Py4JJavaError
    except ModuleNotFoundError:

        class Py4JError(Exception):
            """Raised by nobody."""

        class Py4JJavaError(Py4JError):
            """Raised by nobody."""


def column_of(java: Any) -> Column:
    """Returns a column of Java's as one of Python's."""
    from pyspark.sql.classic.column import Column as ClassicColumn

    return ClassicColumn(java)


def frame_of(java: Any, spark: SparkSession) -> DataFrame:
    """Returns a DataFrame of Java's as one of Python's."""
    from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

    return ClassicDataFrame(java, spark)


__all__ = ["Py4JError", "Py4JJavaError", "column_of", "frame_of"]


# Small Java classes of ours, made in the driver.
#
# For the newest Spark they come compiled, beside their sources: ``compiled.json``, which a test
# compares byte by byte with what Janino makes of these. For every other Spark, and where a source
# was changed, Janino compiles them in the driver, as Spark does for nearly every query it runs.
# That takes half a second once for each JVM.
#
# It is worth it: a plan of 1,000 operators is read in about 50 ms, where Spark's own
# ``toJSON`` takes ten times as long and loses local data, maps and binary literals, and a walk over
# Py4J about a hundred times.

SOURCES: Final = {
    "PlanDump": "viewscribe.spark.capture.classic",
    "PlanTerms": "viewscribe.spark.proof",
    "QueryReach": "viewscribe.spark",
}
"""The packages of all classes of which there are objects."""

HELPERS: Final[Mapping[str, Sequence[str]]] = {
    "PlanDump": ("CatalogFunctions",),
    "PlanTerms": ("SessionSymbols",),
}
"""The classes of the same package that a class uses."""

_STORED = "compiled.json"
_compiled: dict[tuple[int, str], Any] = {}


class NotCompiledError(Exception):
    """The driver has no compiler, or does not let one use it."""


def java_object(jvm: Any, package: str, name: str) -> Any:
    """An object of the class in ``<package>/<name>.java``, the same one for each JVM.

    Args:
        jvm: Py4J's view of the driver.
        package: the Python package that the file is in.
        name: the simple name of the class; its Java package is ``viewscribe``.

    Raises:
        NotCompiledError: the driver does not let one compile, or has no Janino.
    """
    key = (id(jvm), name)
    if key not in _compiled:
        source, class_name = source_of(package, name), f"viewscribe.{name}"
        try:
            code = _stored_code(source, _spark_version(jvm))
            _compiled[key] = (
                _compile(jvm, source, class_name)
                if code is None
                else _define(jvm, code, class_name)
            )
        except Py4JError as error:
            raise NotCompiledError(str(error)) from error
    return _compiled[key]


def unpack(text: str) -> str:
    """The text that ``Packing.java`` has packed, if it was long."""
    return text if text.startswith("{") else zlib.decompress(b64decode(text)).decode()


def source_of(package: str, name: str) -> str:
    """The text that is compiled for a class."""
    own = [_source(package, each) for each in (name, *HELPERS.get(name, ()))]
    return "".join(own) + _source(__package__, "Packing")


def _source(package: str, name: str) -> str:
    return files(package).joinpath(f"{name}.java").read_text(encoding="utf-8")


def _spark_version(jvm: Any) -> str:
    return str(jvm.org.apache.spark.package.SPARK_VERSION())


def _compile(jvm: Any, source: str, class_name: str) -> Any:
    return _cook(jvm, source).getClassLoader().loadClass(class_name).newInstance()


def _cook(jvm: Any, source: str) -> Any:
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(_parent(jvm))
    compiler.cook(source)
    return compiler


def _define(jvm: Any, code: Mapping[str, bytes], class_name: str) -> Any:
    """An object of a class that was compiled before; ``code`` has all classes that it needs."""
    classes = jvm.java.util.HashMap()
    for name, each in code.items():
        classes.put(name, bytearray(each))
    loader = jvm.org.codehaus.commons.compiler.util.reflect.ByteArrayClassLoader
    return loader(classes, _parent(jvm)).loadClass(class_name).newInstance()


def _parent(jvm: Any) -> Any:
    return jvm.java.lang.Thread.currentThread().getContextClassLoader()


# -- what is compiled before -----------------------------------------------------------------------


def compiled_code(jvm: Any, source: str) -> dict[str, bytes]:
    """What Janino makes of a source, by the names of the classes."""
    code = _cook(jvm, source).getBytecodes()
    return {str(name): bytes(code[name]) for name in sorted(code)}


def dump_code(jvm: Any) -> str:
    """The text of ``compiled.json``: all classes as the Spark of this JVM needs them."""
    classes = {}
    for name, package in SOURCES.items():
        source = source_of(package, name)
        code = compiled_code(jvm, source)
        classes[_hash(source)] = {each: b64encode(code[each]).decode() for each in code}
    return json.dumps({"spark": _spark_version(jvm), "classes": classes}, indent=1) + "\n"


def _stored_code(source: str, version: str) -> dict[str, bytes] | None:
    """The compiled classes of a source; None for a Spark or a source that they are not made for.

    The methods that they call are found by their exact types, which another Spark may not have.
    """
    stored = json.loads(files(__package__).joinpath(_STORED).read_text(encoding="utf-8"))
    code = stored["classes"].get(_hash(source))
    if code is None or stored["spark"] != version:
        return None
    return {name: b64decode(each) for name, each in code.items()}


def _hash(source: str) -> str:
    return sha256(source.encode()).hexdigest()


_UDF = "org.apache.spark.sql.api.java.UDF"
UDAF = "org.apache.spark.sql.expressions.UserDefinedAggregateFunction"
AGGREGATOR = "org.apache.spark.sql.expressions.Aggregator"


def is_classic(spark: SparkSession) -> bool:
    """Whether the session has its JVM at hand, as one of Spark Connect has not."""
    return hasattr(spark, "_jsparkSession")


class JavaClass:
    """A class in the JVM of a session.

    Args:
        name: its full name.
        spark: a classic session that has its jar.

    Raises:
        FunctionRegistrationError: there is none of that name, or the session has no JVM at hand.
    """

    def __init__(self, name: str, spark: SparkSession) -> None:
        self.name = name
        self._spark: Any = spark
        if not is_classic(spark):
            raise FunctionRegistrationError(
                f"only a classic session can look at the class {name}",
                hint="say the types of its parameters and of its result",
            )
        self._loader = self._spark._jsparkSession.artifactManager().classloader()
        try:
            self._class = self._loader.loadClass(name)
        except (Py4JError, PySparkException) as error:
            raise FunctionRegistrationError(
                f"the session has no class {name}", hint="name its jar: USING JAR '…'"
            ) from error

    def is_a(self, interface: str) -> bool:
        """Whether it extends or implements a class."""
        return bool(self._loader.loadClass(interface).isAssignableFrom(self._class))

    @property
    def kind(self) -> FunctionKind:
        """Scalar or aggregate.

        Raises:
            FunctionRegistrationError: neither.
        """
        if self.is_a(UDAF) or self.is_a(AGGREGATOR):
            return FunctionKind.AGGREGATE
        if self._udf_types() is not None:
            return FunctionKind.SCALAR
        raise FunctionRegistrationError(
            f"the class {self.name} says of none of Spark's interfaces that it implements it",
            hint="it implements UDF1<String, Integer> for one, or extends Aggregator",
        )

    def instance(self) -> Any:
        """A new object of it."""
        gateway, jvm = self._spark.sparkContext._gateway, self._spark._jvm
        maker = self._class.getDeclaredConstructor(gateway.new_array(jvm.java.lang.Class, 0))
        return maker.newInstance(gateway.new_array(jvm.java.lang.Object, 0))

    def parameter_types(self) -> list[LogicalType]:
        """The types of its parameters.

        Raises:
            FunctionRegistrationError: it does not say them.
        """
        if self.is_a(UDAF):
            fields = json.loads(self.instance().inputSchema().json())["fields"]
            return [_from_json(field["type"]) for field in fields]
        if self.is_a(AGGREGATOR):
            return [self._infer(_arguments(self._class.getGenericSuperclass())[0])]
        return [self._infer(each) for each in self._udf_types() or []][:-1]

    def _udf_types(self) -> list[Any] | None:
        """``[A, B, R]`` of ``UDF2<A, B, R>``."""
        for interface in self._class.getGenericInterfaces():
            if str(interface.toString()).startswith(_UDF) and (found := _arguments(interface)):
                return found
        return None

    def _infer(self, java: Any) -> LogicalType:
        inference = getattr(
            self._spark._jvm, "org.apache.spark.sql.catalyst.JavaTypeInference"
        ).inferDataType
        try:
            found = _from_json(json.loads(inference(java)._1().json()))
        except (Py4JError, PySparkException) as error:
            raise self._unknown(java) from error
        if contains(found, StructType):  # of the properties of a bean, where Spark gives a Row
            raise self._unknown(java)
        return found

    def _unknown(self, java: Any) -> FunctionRegistrationError:
        return FunctionRegistrationError(
            f"the class {self.name} takes or gives {java.toString()}, which says no type of SQL",
            hint="say the types of its parameters and of its result",
        )


def _arguments(generic: Any) -> list[Any]:
    """The type arguments; none of a class that names the interface without."""
    kind = generic.getClass().getSimpleName()
    return list(generic.getActualTypeArguments()) if kind.startswith("Parameterized") else []


def _from_json(type_: Any) -> LogicalType:
    field = {"name": "x", "type": type_, "nullable": True, "metadata": {}}
    schema = spark_types.StructType.fromJson({"type": "struct", "fields": [field]})
    return from_spark(schema.fields[0].dataType)


def aggregator_as_function(source: FunctionSource, spark: SparkSession) -> Any:
    """An ``Aggregator`` as Spark registers one; None for another class.

    It takes one value of a simple type as it is, anything else as a Row of all arguments.
    """
    assert source.reference is not None
    if not is_classic(spark):
        return None
    found = JavaClass(source.reference, spark)
    if not found.is_a(AGGREGATOR):
        return None
    session: Any = spark
    encoders = getattr(session._jvm, "org.apache.spark.sql.Encoders")
    parameters = source.parameters or ()
    simple = _ENCODERS.get(type(parameters[0].type)) if len(parameters) == 1 else None
    if simple is not None:
        encoder = getattr(encoders, simple)()
    else:
        rows = schema_to_spark([Field(each.name, each.type) for each in parameters])
        encoder = encoders.row(session._jsparkSession.parseDataType(rows.json()))
    return getattr(session._jvm, "org.apache.spark.sql.functions").udaf(found.instance(), encoder)


_ENCODERS: dict[type[LogicalType], str] = {
    nested_types.BooleanType: "BOOLEAN",
    nested_types.TinyIntType: "BYTE",
    nested_types.SmallIntType: "SHORT",
    nested_types.IntType: "INT",
    nested_types.BigIntType: "LONG",
    nested_types.FloatType: "FLOAT",
    nested_types.DoubleType: "DOUBLE",
    nested_types.DecimalType: "DECIMAL",
    nested_types.StringType: "STRING",
    nested_types.BinaryType: "BINARY",
    nested_types.DateType: "DATE",
    nested_types.TimestampType: "TIMESTAMP",
}
"""Spark's encoders of single values, all of which may be NULL."""
