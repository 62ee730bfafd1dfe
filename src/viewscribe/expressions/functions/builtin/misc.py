"""Hashes, identifiers, the session, assertions."""

from __future__ import annotations

from typing import Unpack

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import Names, scalar
from viewscribe.expressions.functions.families import ANY
from viewscribe.expressions.functions.made_up_names import first
from viewscribe.expressions.functions.outputs import always_nullable
from viewscribe.expressions.functions.validators import any_where, exactly, literal, text
from viewscribe.expressions.nodes import Literal
from viewscribe.types import (
    BIGINT,
    BOOLEAN,
    INT,
    STRING,
    VOID,
    LogicalType,
    MapType,
    VariantType,
    VoidType,
)


def _session(
    name: str, doc: str, *, returns: LogicalType = STRING, **names: Unpack[Names]
) -> FunctionDefinition:
    return scalar(name, returns=returns.not_null(), never_fails=True, doc=doc, **names)


def _with_message(texts: list[str]) -> list[str]:
    return [*texts, f"'{texts[0]}' is not true!"] if len(texts) == 1 else texts


def _literal_seed(context: CallContext) -> None:
    """Spark takes no other constant than a literal here, and no NULL under a CAST."""
    for seed in context.given:
        if type(seed) is not Literal or (
            seed.value is None and not isinstance(seed.type, VoidType)
        ):
            raise context.mismatch("the seed must be a literal")


_HASHABLE = any_where(
    "<any but MAP and VARIANT>", lambda type_: not isinstance(type_, MapType | VariantType)
)

HASH = scalar(
    "hash",
    never_fails=True,
    args=(_HASHABLE,),
    variadic=True,
    returns=INT.not_null(),
    catalyst="Murmur3Hash",
    since="2.0.0",
    doc="A 32-bit hash (Murmur3) of the arguments.",
)
XXHASH64 = scalar(
    "xxhash64",
    never_fails=True,
    args=(_HASHABLE,),
    variadic=True,
    returns=BIGINT.not_null(),
    catalyst="XxHash64",
    since="3.0.0",
    doc="A 64-bit hash (xxHash) of the arguments.",
)
UUID = scalar(
    "uuid",
    args=(literal(exactly(INT, BIGINT)),),
    optional=1,
    check=_literal_seed,
    parameter_names=("seed",),
    returns=STRING.not_null(),
    deterministic=False,
    spelled_arguments=first(0),
    since="2.3.0",
    doc="A random UUID, other in every row, from a seed.",
)
MONOTONICALLY_INCREASING_ID = scalar(
    "monotonically_increasing_id",
    returns=BIGINT.not_null(),
    deterministic=False,
    catalyst="MonotonicallyIncreasingID",
    since="1.4.0",
    doc="A growing number, unique within the query.",
)
SPARK_PARTITION_ID = scalar(
    "spark_partition_id",
    returns=INT.not_null(),
    deterministic=False,
    catalyst="SparkPartitionID",
    spelled="SPARK_PARTITION_ID",
    since="1.4.0",
    doc="The number of the partition that the row is in.",
)
INPUT_FILE_NAME = scalar(
    "input_file_name",
    returns=STRING.not_null(),
    deterministic=False,
    since="1.5.0",
    doc="The file that the row was read from, or an empty text.",
)
INPUT_FILE_BLOCK_START = scalar(
    "input_file_block_start",
    returns=BIGINT.not_null(),
    deterministic=False,
    since="2.2.0",
    doc="Where the block begins that the row was read from, or -1.",
)
INPUT_FILE_BLOCK_LENGTH = scalar(
    "input_file_block_length",
    returns=BIGINT.not_null(),
    deterministic=False,
    since="2.2.0",
    doc="The length of the block that the row was read from, or -1.",
)
TYPEOF = scalar(
    "typeof",
    never_fails=True,
    args=(ANY,),
    returns=STRING.not_null(),
    catalyst="TypeOf",
    since="3.0.0",
    doc="The type of the value as DDL text.",
)
CURRENT_USER = _session(
    "current_user", "The user who runs the query.", aliases=("user", "session_user"), since="3.2.0"
)
CURRENT_CATALOG = _session("current_catalog", "The current catalog.", since="3.1.0")
CURRENT_DATABASE = _session(
    "current_database",
    "The current database.",
    aliases=("current_schema",),
    spelled={"current_database": "current_schema"},
    since="1.6.0",
)
CURRENT_PATH = _session("current_path", "The schemas in which names are looked up.", since="4.2.0")
VERSION = _session(
    "version", "The version of Spark and its commit.", since="3.0.0", catalyst="SparkVersion"
)
ASSERT_TRUE = scalar(
    "assert_true",
    args=(exactly(BOOLEAN), text(STRING)),
    optional=1,
    parameter_names=("col", "errMsg"),
    returns=always_nullable(VOID),
    deterministic=False,
    spelled_arguments=_with_message,
    since="2.0.0",
    doc="NULL where the condition holds, else an error.",
)
RAISE_ERROR = scalar(
    "raise_error",
    args=(text(STRING),),
    parameter_names=("errMsg",),
    returns=always_nullable(VOID),
    deterministic=False,
    spelled_arguments=lambda texts: ["USER_RAISED_EXCEPTION", f"map(errorMessage, {texts[0]})"],
    since="3.1.0",
    doc="Stops the query with an error.",
)
