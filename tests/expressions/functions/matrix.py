"""The calls whose types are compared with Spark's: every function, with arguments of every type.

A call is known by its SQL. Its type is ours under the coercion in force when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, NamedTuple
from unittest.mock import patch

import viewscribe.serializer  # noqa: F401  (prints the expressions)
from tests.expressions.functions.calls import AGGREGATES, GENERATORS, SCALARS, WINDOWS, calls
from tests.expressions.functions.calls_formats import JOINED
from tests.expressions.functions.calls_times import TABLES
from tests.expressions.functions.palette import COLUMNS, SCHEMA, TRIED
from tests.expressions.functions.special_calls import LAMBDAS, NAMED
from viewscribe import call, col, lit, over
from viewscribe.errors import ValidationError
from viewscribe.expressions.dsl import Expression
from viewscribe.expressions.functions import definition
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.resolve import resolve
from viewscribe.operations.build import table_function
from viewscribe.types import VOID, ArrayType, LogicalType, MapType, StructType, struct

REFUSED = "refused"
"""What stands for the type of a call that is not valid."""

GROUPS = (
    "scalars",
    "aggregates",
    "windows",
    "generators",
    "joined",
    "lambdas",
    "tables",
    "named",
    "casts",
)


class Question(NamedTuple):
    """A call: the function, its SQL, how to find our type of it, and the call itself."""

    name: str
    text: str
    ours: Callable[[], LogicalType | None]
    made: Expression | None = None

    @property
    def answer(self) -> str:
        """Our type, as ``shown`` writes it."""
        return shown(self.ours())


@contextmanager
def without_hints() -> Iterator[None]:
    """To find the nearest valid call for each of thousands that are refused takes far longer."""
    with patch.object(definition, "_add_nearest", lambda error, function, args: None):
        yield


@cache
def questions(group: str) -> list[Question]:
    """The calls of a group, each once."""
    found = {question.text: question for question in _QUESTIONS[group]()}
    return list(found.values())


def shown(type_: LogicalType | None) -> str:
    """The type with NOT NULL everywhere it holds."""
    if type_ is None:
        return REFUSED
    text = type_.ddl
    if isinstance(type_, ArrayType):
        text = f"ARRAY<{shown(type_.element)}>"
    elif isinstance(type_, MapType):
        text = f"MAP<{shown(type_.key)}, {shown(type_.value)}>"
    elif isinstance(type_, StructType):
        text = f"STRUCT<{', '.join(f'{each.name}: {shown(each.type)}' for each in type_.fields)}>"
    return text if type_.nullable else f"{text} NOT NULL"


def type_of(made: Expression) -> LogicalType | None:
    """Our type of an expression over the palette; None where we refuse it."""
    try:
        return resolve(made, SCHEMA).type
    except ValidationError:
        return None


def text_of(made: Expression) -> str:
    """The SQL of an expression, also of one whose arguments do not fit."""
    with patch.object(FunctionDefinition, "infer", lambda function, args: VOID):
        return resolve(made, SCHEMA).as_serializable_string()


def _asked(cases: Iterable[tuple[str, Expression]]) -> Iterator[Question]:
    for name, made in cases:
        yield Question(name, text_of(made), partial(type_of, made), made)


def _varied(
    table: str,
    tried: Sequence[str] = TRIED,
    wrap: Callable[[Expression], Expression] = lambda made: made,
) -> Iterator[Question]:
    return _asked((name, wrap(made)) for name, made in varied(table, tried))


def varied(table: str, tried: Sequence[str] = TRIED) -> Iterator[tuple[str, Expression]]:
    """Each call of a table as it is, never NULL, and with each argument replaced in turn."""
    for name, args in calls(table):
        for variant in _variants(args, tried):
            yield name, call(name, *map(_argument, variant))


def _variants(args: tuple[Any, ...], tried: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    strict = tuple([f"{arg[0]}_n"] if isinstance(arg, list) else arg for arg in args)
    yield strict
    yield args
    for place, arg in enumerate(args):
        if isinstance(arg, list):
            for other in (arg, *([f"{name}_n"] for name in tried), None):
                yield (*strict[:place], other, *strict[place + 1 :])


def _argument(value: Any) -> Expression:
    return col(value[0]) if isinstance(value, list) else lit(value)


def _windows() -> Iterator[Question]:
    window = over(partition_by="b", order_by="i")
    return _varied(WINDOWS, wrap=lambda made: made.over(window))


def _listed(made: dict[str, list[Expression]]) -> Iterator[Question]:
    return _asked((name, each) for name, group in made.items() for each in group)


def _tables() -> Iterator[Question]:
    for name, args in TABLES:
        text = ", ".join(text_of(lit(arg)) for arg in args)
        yield Question(name, f"{name}({text})", lambda name=name, args=args: _columns(name, args))  # type: ignore[misc]


def _columns(name: str, args: tuple[Any, ...]) -> LogicalType | None:
    try:
        return struct(*table_function(built_in(name), args).schema.fields)
    except ValidationError:
        return None


def _casts() -> Iterator[Question]:
    targets = [type_.ddl for type_ in COLUMNS.values()]
    targets += ["DECIMAL(4, 2)", "DECIMAL(20, 0)", "ARRAY<STRING>", "MAP<STRING, STRING>"]
    for name in COLUMNS:
        column = col(f"{name}_n")
        for target in targets:
            for word, made in (
                ("cast", lambda c=column, t=target: type_of(c.cast(t))),
                ("try_cast", lambda c=column, t=target: type_of(c.try_cast(t))),
            ):
                yield Question(word, f"{word.upper()}({name}_n AS {target})", made)


_QUESTIONS: dict[str, Callable[[], Iterator[Question]]] = {
    "scalars": lambda: _varied(SCALARS),
    "aggregates": lambda: _varied(AGGREGATES),
    "windows": _windows,
    "generators": lambda: _varied(GENERATORS, ("i", "s", "e", "ai", "m", "ast")),
    "joined": lambda: _varied(JOINED),
    "lambdas": lambda: _listed(LAMBDAS),
    "tables": _tables,
    "named": lambda: _listed(NAMED),
    "casts": _casts,
}
