"""Reading queries in other SQL dialects: translate, parse, then check the types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from viewscribe.errors import NotSerializableError, ViewscribeError
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import SortOrder
from viewscribe.operations.base import QueryOperation, with_witness
from viewscribe.parser.dialects import not_carried_over, to_spark
from viewscribe.parser.read import read_sql
from viewscribe.parser.settings import refuse_settings
from viewscribe.table_api.policy_scope import in_force
from viewscribe.types.lexemes import AuthorText, Witness
from viewscribe.types.policy import ANSI

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment


def read_foreign(env: TableEnvironment, text: str, dialect: str) -> QueryOperation:
    """Returns the operation tree of a query in another SQL dialect.

    Args:
        env: the environment.
        text: the query.
        dialect: the engine it is written for; not Spark.

    Raises:
        SqlSyntaxError: it does not parse in the dialect.
        NotSerializableError: a construct may mean something else in Spark; names it.
        ValidationError: a name or type is wrong.
    """
    from viewscribe.table_api.text_reader import EnvironmentWorld

    require_ansi(env, dialect)
    translated = to_spark(text, dialect)
    refuse_settings(env.settings, translated)
    try:  # no settings to pass: the Spark text was generated a moment ago, for the defaults
        operation = in_force(env, read_sql, translated, EnvironmentWorld(env))
    except ViewscribeError as error:
        for each in error.every:
            if each.location:
                each.location = f"the query in Spark's SQL, {each.location}"
        raise
    require_same_meaning(operation, dialect, text)
    return with_witness(operation, foreign_witness(text, dialect, env.catalogs.current))


def foreign_witness(
    text: str, dialect: str, namespace: tuple[str, ...], origin: str | None = None
) -> Witness:
    """The witness that a text for another engine is: it is kept, and Spark cannot be asked it."""
    author = AuthorText(language=dialect, text=text.strip(), namespace=namespace, origin=origin)
    return Witness(author, f"it is written for {dialect}")


def require_ansi(env: TableEnvironment, dialect: str) -> None:
    """Rejects environments without ANSI mode, where errors of other engines become NULL.

    Raises:
        NotSerializableError: names the setting.
    """
    if dialect != "hive" and env.coercion is not ANSI:
        raise NotSerializableError(
            f"text of {dialect} is read with spark.sql.ansi.enabled = true only: without, errors "
            "are NULL",
            hint="set it to true",
        )


def require_same_meaning(operation: QueryOperation, dialect: str, text: str) -> None:
    """Rejects constructs that mean something else in the engine a query was written for.

    Args:
        operation: the query as Spark understands it.
        dialect: the engine.
        text: the query as it was written for that engine.

    Raises:
        NotSerializableError: names the first such construct.
    """
    from viewscribe.serializer.dialects.portable import foreign_construct

    reason = foreign_construct(operation, dialect)
    if reason is not None:
        raise not_carried_over(dialect, reason)
    if dialect == "hive":
        # Rejects nullable sort keys without NULLS FIRST or LAST in a Hive query. Before Hive 4,
        # NULLs come first; since then `hive.default.nulls.last` decides.
        keys = [each for each in preorder(operation) if isinstance(each, SortOrder)]
        said = len(_PLACES.findall(_STRINGS.sub("", text)))
        unsure = next((each for each in keys if each.child.type.nullable), None)
        if unsure is not None and said < len(keys):
            raise not_carried_over(
                "hive",
                "ORDER BY without NULLS FIRST or NULLS LAST, whose default depends on the version,",
            )


_PLACES = re.compile(r"\bNULLS\s+(?:FIRST|LAST)\b", re.IGNORECASE)
_STRINGS = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
