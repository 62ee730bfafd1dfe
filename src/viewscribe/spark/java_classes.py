"""What a Java class says of itself: which of Spark's interfaces it has, and its types."""

from __future__ import annotations

import json
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import types as spark_types

from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.sources import FunctionSource
from viewscribe.spark.classic import Py4JError
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.types import from_spark, schema_to_spark
from viewscribe.types import Field, LogicalType, StructType, logical
from viewscribe.types.nested_types import contains

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
    logical.BooleanType: "BOOLEAN",
    logical.TinyIntType: "BYTE",
    logical.SmallIntType: "SHORT",
    logical.IntType: "INT",
    logical.BigIntType: "LONG",
    logical.FloatType: "FLOAT",
    logical.DoubleType: "DOUBLE",
    logical.DecimalType: "DECIMAL",
    logical.StringType: "STRING",
    logical.BinaryType: "BINARY",
    logical.DateType: "DATE",
    logical.TimestampType: "TIMESTAMP",
}
"""Spark's encoders of single values, all of which may be NULL."""
