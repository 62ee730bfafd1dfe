"""Hashes, identifiers, the session, assertions."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.newer_forms import first
from viewscribe.expressions.functions.validators import any_where
from viewscribe.expressions.nodes import Literal
from viewscribe.types import MapType, VariantType, VoidType


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

HASH = scalar("""hash(_...) -> INT!
    A 32-bit hash (Murmur3) of the arguments.
    since 2.0.0, class Murmur3Hash, never fails, own collations""").where(args=(_HASHABLE,))
XXHASH64 = scalar("""xxhash64(_...) -> BIGINT!
    A 64-bit hash (xxHash) of the arguments.
    since 3.0.0, class XxHash64, never fails""").where(args=(_HASHABLE,))
UUID = scalar("""uuid(seed: literal(exactly(INT, BIGINT))?) -> STRING!
    A random UUID, other in every row, from a seed.
    since 2.3.0, random""").where(check=_literal_seed, spelled_arguments=first(0))
MONOTONICALLY_INCREASING_ID = scalar("""monotonically_increasing_id() -> BIGINT!
    A growing number, unique within the query.
    since 1.4.0, class MonotonicallyIncreasingID, random""")
SPARK_PARTITION_ID = scalar("""spark_partition_id() -> INT!
    The number of the partition that the row is in.
    since 1.4.0, class SparkPartitionID, shown SPARK_PARTITION_ID, random""")
INPUT_FILE_NAME = scalar("""input_file_name() -> STRING!
    The file that the row was read from, or an empty text.
    since 1.5.0, random""")
INPUT_FILE_BLOCK_START = scalar("""input_file_block_start() -> BIGINT!
    Where the block begins that the row was read from, or -1.
    since 2.2.0, random""")
INPUT_FILE_BLOCK_LENGTH = scalar("""input_file_block_length() -> BIGINT!
    The length of the block that the row was read from, or -1.
    since 2.2.0, random""")
TYPEOF = scalar("""typeof(col: ANY) -> STRING!
    The type of the value as DDL text.
    since 3.0.0, class TypeOf, never fails""")
CURRENT_USER = scalar("""current_user() -> STRING!
    The user who runs the query.
    since 3.2.0, alias user session_user, never fails""")
CURRENT_CATALOG = scalar("""current_catalog() -> STRING!
    The current catalog.
    since 3.1.0, never fails""")
CURRENT_DATABASE = scalar("""current_database() -> STRING!
    The current database.
    since 1.6.0, alias current_schema, never fails
    """).where(spelled={"current_database": "current_schema"})
CURRENT_PATH = scalar("""current_path() -> STRING!
    The schemas in which names are looked up.
    since 4.2.0, never fails""")
VERSION = scalar("""version() -> STRING!
    The version of Spark and its commit.
    since 3.0.0, class SparkVersion, never fails""")
ASSERT_TRUE = scalar("""assert_true(col: exactly(BOOLEAN), errMsg: text(STRING)?) -> VOID?
    NULL where the condition holds, else an error.
    since 2.0.0, random""").where(spelled_arguments=_with_message)
RAISE_ERROR = scalar("""raise_error(errMsg: text(STRING)) -> VOID?
    Stops the query with an error.
    since 3.1.0, random""").where(
    spelled_arguments=lambda texts: ["USER_RAISED_EXCEPTION", f"map(errorMessage, {texts[0]})"]
)
