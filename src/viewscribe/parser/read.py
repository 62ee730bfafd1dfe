"""Parses a query in SQL text to an operation."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from viewscribe.errors import NotSerializableError, SqlSyntaxError, ValidationError
from viewscribe.expressions.functions.user_defined import Language, UserFunction
from viewscribe.expressions.node import IS_USERS, find, marks_in
from viewscribe.expressions.nodes import AggregateCall, Call, ResolvedExpression
from viewscribe.expressions.properties import functions_of
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Generate, SetOperation, Sort
from viewscribe.operations.required_settings import refuse_time
from viewscribe.operations.rewrites.time_windows import with_windows_as_steps
from viewscribe.parser.grammar import LENGTHS, Reading, read_query
from viewscribe.parser.lookup import World
from viewscribe.parser.queries import QueryReader
from viewscribe.types import CharType, DateType, LogicalType, StringType, VarcharType
from viewscribe.types.nested_types import parts_of

# Queries inside queries inside queries: functions of Python call each other as deep.

T = TypeVar("T")

_DEEPEST = 200_000


def deeply(make: Callable[[], T]) -> T:
    """What a function gives, however deep what it reads is nested.

    Raises:
        SqlSyntaxError: deeper than Python's own calls go.
    """
    try:
        return make()
    except RecursionError:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(before, _DEEPEST))
        try:
            return make()
        except RecursionError:
            raise SqlSyntaxError(
                "the text is nested too deep to be read",
                hint="write it with fewer parentheses in one another",
            ) from None
        finally:
            sys.setrecursionlimit(before)


def read_sql(
    text: str, world: World, reading: Reading | None = None, start: int = 0
) -> QueryOperation:
    """Parses and resolves a query in Spark SQL.

    Args:
        text: one query, possibly with other text before it.
        world: looks up tables and functions.
        reading: query parameters, and the settings that affect parsing.
        start: the offset where the query begins.

    Raises:
        SqlSyntaxError: the text is not a Spark query, or uses unsupported syntax.
        ValidationError: names or types do not fit. Both errors carry line and column.
    """
    chosen = reading or Reading()

    def read() -> QueryOperation:
        return QueryReader(text, chosen, world).read(read_query(text, chosen, start))

    found = deeply(read)
    if chosen.lengths:
        _refuse_lengths(found)
    _refuse_bodies(found)
    if not chosen.time:
        refuse_time(found)
    return with_windows_as_steps(found)


def _refuse_lengths(operation: QueryOperation) -> None:
    """Refuses results computed from CHAR(n) and VARCHAR(n) if Spark keeps the length in their type.

    ``upper`` of a VARCHAR(5) is then a VARCHAR(5). Calls that also take a DATE are refused, too,
    since their type can differ as well.
    """
    for node in find(operation, Call, AggregateCall, SetOperation):
        if isinstance(node, Call | AggregateCall) and any(
            _has_length(each.type) for each in node.args
        ):
            moved = any(isinstance(each.type, DateType) for each in node.args)
            refused = moved or any(isinstance(each, StringType) for each in parts_of(node.type))
            what = node.function.name
        elif isinstance(node, SetOperation):
            refused = any(_has_length(f.type) for each in node.inputs() for f in each.schema.fields)
            what = node.kind.value
        else:
            continue
        if refused:
            raise NotSerializableError(
                f"{what} of CHAR or VARCHAR is not read with {LENGTHS} = true: its type is another",
                hint="set it to false, or cast the column to STRING",
            )


def _has_length(type_: LogicalType) -> bool:
    return any(isinstance(each, CharType | VarcharType) for each in parts_of(type_))


def _refuse_bodies(operation: QueryOperation) -> None:
    """Refuses SQL functions where Spark has no place for their bodies."""
    for node in find(operation, Sort, Generate) if marks_in(operation) & IS_USERS else ():
        if isinstance(node, Sort):
            given: tuple[ResolvedExpression, ...] = node.keys
            where = "ORDER BY"
        else:
            assert isinstance(node, Generate)
            given, where = tuple(node.call.args), "the call of a generator"
        for each in (found for part in given for found in functions_of(part)):
            if isinstance(each, UserFunction) and each.source.language is Language.SQL:
                raise ValidationError(
                    f"the SQL function `{each!r}` cannot stand in {where}",
                    hint="compute it as a column of a query inside",
                )
