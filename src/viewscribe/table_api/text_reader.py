"""Parsing SQL text with an environment's tables, functions, settings and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store import TableDocument, Temporary
from viewscribe.catalog_store.errors import ObjectNotFoundError
from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.expressions.constructors import descriptor
from viewscribe.expressions.functions.casts import cast_type, is_up_cast
from viewscribe.expressions.functions.process.inference import KEYS, ORDER_KEYS
from viewscribe.expressions.functions.user_defined import is_sparks
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import find
from viewscribe.expressions.nodes import Cast, Literal, alias
from viewscribe.expressions.resolve import resolve_freely
from viewscribe.operations.base import QueryOperation, as_stored
from viewscribe.operations.build.process import process
from viewscribe.operations.build.process.arguments import texts_of
from viewscribe.operations.nodes import Process, Project
from viewscribe.parser.author_texts import read_author_text, with_values
from viewscribe.parser.grammar import Reading
from viewscribe.parser.read import read_sql
from viewscribe.parser.scopes import rename
from viewscribe.parser.settings import make_reading, refuse_settings
from viewscribe.parser.tokens import refuse_variables
from viewscribe.table_api.policy_scope import in_force
from viewscribe.types.arguments import as_list
from viewscribe.types.ddl import quote_text
from viewscribe.types.ddl_reader import parse_type
from viewscribe.types.identifiers import quote_name
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from viewscribe.catalog_store import ViewDocument
    from viewscribe.expressions.functions.user_defined import UserFunction
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.types import Field

Arguments = Mapping[str, Any] | Sequence[Any]
"""Parameter values, by name or by position."""


class EnvironmentWorld:
    """Resolves the tables and functions of a SQL text in an environment."""

    def __init__(self, env: TableEnvironment) -> None:
        self.env = env

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """Returns the table or view that a name refers to."""
        return self.env.from_path(quote_name(parts)).operation

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """Returns the user function that a name refers to, if any."""
        return self.env.functions.find_in_text(parts)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """Returns the result of a call of a process table function."""
        function = self.env.functions.lookup(parts).function
        given = {name: value for name, value in named.items() if name not in _DERIVED}
        if "on_time" in given:
            given["on_time"] = descriptor(*_times(given["on_time"]))
        with self.env.python_modules.in_force():
            # Spark SQL has no COPARTITION clause, so the tables of one call are co-partitioned.
            made: QueryOperation = process(function, list(args), given, together=True)
        _check_derived(next(find(made, Process)), named)
        return made

    def columns_then(self, path: Sequence[str], as_of: str) -> tuple[Field, ...] | None:
        """Nobody knows the columns of a table as it was; of files there are none.

        Raises:
            ValidationError: what is read keeps no history.
        """
        try:
            found = self.env.catalogs.relation(path)
        except ObjectNotFoundError:  # of a folder of texts
            return None
        document = None if isinstance(found, Temporary) else found.document
        kind = document.format if isinstance(document, TableDocument) else "view"
        if kind is not None and kind.lower() in _WITHOUT_HISTORY:
            raise ValidationError(
                f"`{'.'.join(path)}` is read `{as_of}`, and is a {kind}, which keeps no history",
                hint="read it as it is; tables of delta and iceberg keep theirs",
            )
        return None


_WITHOUT_HISTORY = frozenset(["avro", "csv", "json", "orc", "parquet", "text", "view", "xml"])


def _check_derived(call: Process, named: Mapping[str, Any]) -> None:
    """Refuses a text that tells Spark's function other keys than those of its table."""
    for name, said in ((KEYS, call.said_keys), (ORDER_KEYS, call.said_order_keys)):
        told = texts_of(named[name]) or () if name in named else said
        if [each.lower() for each in told] != [each.lower() for each in said]:
            shown = ", ".join(map(quote_text, said))
            raise ValidationError(
                f"{name} are not what the table of {call.function.name} is divided or sorted by",
                hint=f"write {name} => array({shown})" if said else f"leave {name} out",
            )


_DERIVED = frozenset((KEYS, ORDER_KEYS))
"""Arguments that generated SQL passes to Spark; here they are derived from the tables."""


def _times(value: Any) -> Sequence[str]:
    """Returns the columns that ``on_time`` names."""
    texts = texts_of(value)
    if texts is None:
        raise ValidationError(
            "on_time names columns", hint="write on_time => 'ts', or on_time => array('ts', 'at')"
        )
    return texts


def read_in(
    env: TableEnvironment,
    text: str,
    args: Arguments | None,
    start: int = 0,
    *,
    origin: str | None = None,
) -> QueryOperation:
    """Parses a SQL query in an environment and returns its operation tree.

    Args:
        env: the environment.
        text: the query.
        args: the values of its parameters.
        start: the offset in the text where the query begins.
        origin: where the text came from.

    Raises:
        SqlSyntaxError, ValidationError: the text does not parse or resolve; gives line and column.
        NotSerializableError: the environment's settings would change the query's meaning.
    """
    refuse_settings(env.settings, text)
    refuse_variables(text)
    reading = _make_reading(env.settings, args)
    made: QueryOperation = in_force(
        *(env, read_author_text, text, EnvironmentWorld(env), reading, start),
        namespace=env.catalogs.current,
        origin=origin,
    )
    return made


def with_arguments(env: TableEnvironment, text: str, args: Arguments | None) -> str:
    """The text with its parameters replaced by their values, for what is not read."""
    reading = _make_reading(env.settings, args)
    return with_values(text, reading.named, reading.placed)


class HomeWorld(EnvironmentWorld):
    """Resolves unqualified names in the catalog and database of a stored view."""

    def __init__(self, env: TableEnvironment, home: tuple[str, str]) -> None:
        super().__init__(env)
        self._home = home

    def table(self, parts: Sequence[str]) -> QueryOperation:
        return super().table((*self._home[: max(3 - len(parts), 0)], *parts))

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        if len(parts) == 1 and is_sparks(parts[0]):
            return None
        return super().function((*self._home[: max(3 - len(parts), 0)], *parts))


def view_tree(env: TableEnvironment, view: ViewDocument, catalog: str) -> QueryOperation:
    """The tree of a stored view, from its plan or else from its text.

    Nobody is asked whether it may be run; ``TableEnvironment.view_table`` asks.

    Args:
        env: the environment of its catalog.
        view: the view.
        catalog: the name of that catalog.

    Raises:
        ViewscribeError: the plan is damaged, or there is none and the text is not read.
    """
    if view.plan is None:
        return as_stored(read_view(env, view, catalog))
    from viewscribe.serializer.plan_document import from_plan

    with coercion(coercion_of(view.settings)):  # the view's own, not the environment's
        return from_plan(view.plan)


def read_view(env: TableEnvironment, view: ViewDocument, catalog: str) -> QueryOperation:
    """Parses the text of a stored view under the view's own settings.

    If the view has no plan, because another tool wrote it, its column list names the columns, as
    in ``CREATE VIEW v (a, b) AS …``. Where neither Spark nor viewscribe wrote it, the list gives
    the types, too: to Hive, ``date + INTERVAL '1' DAY`` is a timestamp, and Spark casts to that.

    Args:
        env: the environment of its catalog.
        view: the view.
        catalog: the name of its catalog.

    Raises:
        SqlSyntaxError, ValidationError: the text does not parse or resolve; gives line and column.
        NotSerializableError: viewscribe does not support one of the view's settings.
    """
    refuse_settings(view.settings, view.sql)
    world = HomeWorld(env, (catalog, view.database))
    with env.functions.in_force(), coercion(coercion_of(view.settings)):
        tree = read_sql(view.sql, world, make_reading(view.settings))
        names = tuple(each.name for each in view.columns)
        if view.plan is not None or len(names) != len(tree.schema):
            return tree
        if view.spark_version is None:
            tree = _with_types(tree, view)
    return tree if names == tree.schema.names else rename(tree, names)


def _with_types(tree: QueryOperation, view: ViewDocument) -> QueryOperation:
    """Casts the columns to the view's own types where Spark does: where no value changes."""
    references = tree.schema.references
    wanted = [parse_type(each.type) for each in view.columns]
    casts = [
        alias(Cast(each, cast_type(each.type, type_)), each.name)
        if not each.type.same_type(type_) and is_up_cast(each.type, type_)
        else each
        for each, type_ in zip(references, wanted, strict=True)
    ]
    return tree if casts == list(references) else Project.of(tree, tuple(casts))


def _make_reading(settings: Mapping[str, str], args: Arguments | None) -> Reading:
    named: dict[str, Literal] = {}
    placed: list[Literal] = []
    if isinstance(args, Mapping):
        named = {name: _value(name, value) for name, value in args.items()}
    elif args is not None:
        placed = [_value(str(place), value) for place, value in enumerate(as_list(args, "args"), 1)]
    return make_reading(settings, named, tuple(placed))


def _value(name: str, value: Any) -> Literal:
    """Returns the value of a parameter: a Python value or a literal expression."""
    try:
        found = resolve_freely(value) if hasattr(value, "alias") else literal(value)
    except ViewscribeError as error:
        raise ValidationError(f"the parameter {name} is no constant: {error.message}") from error
    if not isinstance(found, Literal):
        raise ValidationError(f"the parameter {name} is no constant: {value!r}")
    return found
