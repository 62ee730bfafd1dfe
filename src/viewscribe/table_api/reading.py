"""SQL text over an environment: its tables, functions, settings and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.expressions.constructors import descriptor
from viewscribe.expressions.functions.user_defined import is_sparks
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal
from viewscribe.expressions.resolve import resolve_freely
from viewscribe.operations import build
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.process.arguments import texts_of
from viewscribe.parser.grammar import Reading
from viewscribe.parser.read import read_sql
from viewscribe.parser.relation import renamed
from viewscribe.parser.settings import reading_of, refuse_settings
from viewscribe.table_api.building import in_force
from viewscribe.types.identifiers import quote_name
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from viewscribe.catalog_store import ViewDocument
    from viewscribe.expressions.functions.user_defined import UserFunction
    from viewscribe.table_api.environment import TableEnvironment

Arguments = Mapping[str, Any] | Sequence[Any]
"""The values of parameters: by name, or in their order."""


class EnvironmentWorld:
    """Where a text finds its tables and functions: in an environment."""

    def __init__(self, env: TableEnvironment) -> None:
        self.env = env

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The table or view of a name."""
        return self.env.from_path(quote_name(parts)).operation

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """The function of a user that a name means."""
        return self.env.functions.find_in_text(parts)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """What a function of tables gives."""
        function = self.env.functions.lookup(parts).function
        given = {name: value for name, value in named.items() if name not in _DERIVED}
        if "on_time" in given:
            given["on_time"] = descriptor(*_times(given["on_time"]))
        with self.env.python_modules.in_force():
            # SQL has no COPARTITION: tables of one call belong together.
            made: QueryOperation = build.process(function, list(args), given, together=True)
        return made


_DERIVED = frozenset(("keys", "order_keys"))
"""Arguments that our own texts pass to Spark, and that follow from the tables."""


def _times(value: Any) -> Sequence[str]:
    """The columns that on_time names."""
    texts = texts_of(value)
    if texts is None:
        raise ValidationError(
            "on_time names columns", hint="write on_time => 'ts', or on_time => array('ts', 'at')"
        )
    return texts


def read_in(
    env: TableEnvironment, text: str, args: Arguments | None, start: int = 0
) -> QueryOperation:
    """The operation of a query in SQL over an environment.

    Args:
        env: the environment.
        text: the query.
        args: the values of its parameters.
        start: the offset in the text where the query begins.

    Raises:
        SqlSyntaxError, ValidationError: the text means nothing here; says the line and column.
        NotSerializableError: with the settings of the environment it would mean something else.
    """
    refuse_settings(env.settings, text)
    made: QueryOperation = in_force(
        env, read_sql, text, EnvironmentWorld(env), _reading(env.settings, args), start
    )
    return made


class _HomeWorld(EnvironmentWorld):
    """The same for the text of a stored view: names are meant in its own catalog and database."""

    def __init__(self, env: TableEnvironment, home: tuple[str, str]) -> None:
        super().__init__(env)
        self._home = home

    def table(self, parts: Sequence[str]) -> QueryOperation:
        return super().table((*self._home[: max(3 - len(parts), 0)], *parts))

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        if len(parts) == 1 and is_sparks(parts[0]):
            return None
        return super().function((*self._home[: max(3 - len(parts), 0)], *parts))


def read_view(env: TableEnvironment, view: ViewDocument, catalog: str) -> QueryOperation:
    """What the text of a stored view means, under its own settings.

    Where the view has no plan, as somebody else wrote it, its columns have the names that it gives
    them, as ``CREATE VIEW v (a, b) AS …`` does.

    Args:
        env: the environment of its catalog.
        view: the view.
        catalog: the name of its catalog.

    Raises:
        SqlSyntaxError, ValidationError: the text means nothing here; says the line and column.
        NotSerializableError: with its settings it means something that is not followed.
    """
    refuse_settings(view.settings, view.sql)
    world = _HomeWorld(env, (catalog, view.database))
    with env.functions.in_force(), coercion(coercion_of(view.settings)):
        tree = read_sql(view.sql, world, reading_of(view.settings))
    names = tuple(each.name for each in view.columns)
    if view.plan is not None or len(names) != len(tree.schema) or names == tree.schema.names:
        return tree
    return renamed(tree, names)


def _reading(settings: Mapping[str, str], args: Arguments | None) -> Reading:
    named: dict[str, Literal] = {}
    placed: list[Literal] = []
    if isinstance(args, Mapping):
        named = {name: _value(name, value) for name, value in args.items()}
    elif args is not None:
        placed = [_value(str(place), value) for place, value in enumerate(args, 1)]
    return reading_of(settings, named, tuple(placed))


def _value(name: str, value: Any) -> Literal:
    """The value of a parameter: a Python value, or an expression that is a literal."""
    try:
        found = resolve_freely(value) if hasattr(value, "alias") else literal(value)
    except ViewscribeError as error:
        raise ValidationError(f"the parameter {name} is no constant: {error.message}") from error
    if not isinstance(found, Literal):
        raise ValidationError(f"the parameter {name} is no constant: {value!r}")
    return found
