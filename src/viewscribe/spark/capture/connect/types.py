"""Connect's types as ours."""

from __future__ import annotations

from typing import Any

from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

from viewscribe.spark.types import from_spark
from viewscribe.types import LogicalType
from viewscribe.types.session_types import session_type


def logical_type(message: Any) -> LogicalType:
    """The type of a ``DataType`` message; nullable, as far as it says nothing of it.

    Raises:
        DataTypeError: a type of the user's own, or one that viewscribe does not know.
    """
    if message.WhichOneof("kind") == "unparsed":
        return session_type(message.unparsed.data_type_string)
    return from_spark(proto_schema_to_pyspark_data_type(message))
