"""Reading the text of an author: it stays beside the tree, as a witness of what was meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.functions.of_catalogs import IN_FORCE
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.functions.user_defined import UserFunction, is_sparks
from viewscribe.expressions.nodes import Literal, ResolvedExpression, alias
from viewscribe.expressions.resolve import Scope
from viewscribe.expressions.resolve.walk import HANDLERS
from viewscribe.operations.base import QueryOperation, with_witness
from viewscribe.operations.nodes import CatalogSource, SqlText
from viewscribe.operations.reach import is_path
from viewscribe.parser import syntax as s
from viewscribe.parser.auto_names import output_name
from viewscribe.parser.grammar import PipeGrammar, Reading
from viewscribe.parser.lookup import History, World
from viewscribe.parser.names import Edit, edit, with_other_names
from viewscribe.parser.queries import QueryReader
from viewscribe.parser.read import read_sql
from viewscribe.parser.scopes import Columns
from viewscribe.parser.settings import make_reading
from viewscribe.parser.tokens import QUOTED, WORD, Token, refuse_variables, tokenize
from viewscribe.parser.values import ExpressionReader
from viewscribe.types import Field
from viewscribe.types.lexemes import AuthorText, Witness

# SQL text as an expression: ``F.expr("a + 1")``, ``table.filter("a > 1")``.


class TextExpression(dsl.Expression, eq=False):
    """An expression that was written in SQL; names in it mean something where it is used.

    Args:
        text: the whole text.
        node: the expression, or the part of it without its alias.
        is_item: whether it is an item of a SELECT, which has the name that Spark gives it.
    """

    text: str
    node: Any
    is_item: bool = False


class _Functions:
    """What is known where an expression is used: the functions in force, and no tables."""

    def table(self, parts: Sequence[str]) -> QueryOperation:
        raise ValidationError(
            "a sub-query in the text of an expression knows no tables",
            hint="write the whole query: env.sql_query(…)",
        )

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        catalog = IN_FORCE.get()
        return None if catalog is None else catalog.find_in_text(parts)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        return self.table(parts)


def expression_of(text: str, *, is_item: bool = False) -> dsl.Expression:
    """The expression that a text is.

    Args:
        text: one expression, with an alias or without.
        is_item: whether it is an item of a SELECT, which may be a star.

    Raises:
        SqlSyntaxError: the text is no expression.
    """
    refuse_variables(text)
    node = PipeGrammar(text, Reading()).lone_expression()
    inner = node.child if type(node) is s.Aliased else node
    if type(inner) is s.StarOf and not inner.without and inner is node:
        return dsl.StarExpression(inner.qualifier)
    made = TextExpression(text, inner, is_item and inner is node)
    if type(node) is not s.Aliased:
        return made
    if len(node.names) == 1:
        return dsl.AliasExpression(made, node.names[0])
    return dsl.NamesExpression(made, node.names)


def _resolve(expression: TextExpression, scope: Scope) -> ResolvedExpression:
    queries = QueryReader(expression.text, Reading(), _Functions())
    reader = ExpressionReader(queries, Columns(scope.schema))
    reader.met = scope
    found = reader.read(expression.node)
    return alias(found, output_name(reader, expression.node)) if expression.is_item else found


HANDLERS[TextExpression] = _resolve


# Parameters of SQL text that stays text, ``:name`` and ``?``, replaced by their values.


def with_values(text: str, named: Mapping[str, Literal], placed: Sequence[Literal]) -> str:
    """The text with a literal for each parameter.

    Raises:
        ValidationError: a parameter without a value.
    """
    if not named and not placed:
        return text
    return edit(text, _edits(tokenize(text), named, placed))


def _edits(
    tokens: Sequence[Token], named: Mapping[str, Literal], placed: Sequence[Literal]
) -> Iterator[Edit]:
    values = iter(placed)
    for place, token in enumerate(tokens):
        if token.word == "?" and placed:
            value = next(values, None)
            if value is None:
                raise _missing_error("?")
            yield token.start, token.start + 1, value.as_serializable_string()
        elif token.word == ":" and named and not _follows_value(tokens, place):
            after = tokens[place + 1]
            if after.kind not in (WORD, QUOTED) or after.start != token.start + 1:
                continue
            name = after.text if after.kind == WORD else after.text[1:-1].replace("``", "`")
            if name not in named:
                raise _missing_error(f":{name}")
            end = after.start + len(after.text)
            yield token.start, end, named[name].as_serializable_string()


def _follows_value(tokens: Sequence[Token], place: int) -> bool:
    """Whether the colon follows something at once, as in ``doc:path``."""
    if place == 0:
        return False
    before = tokens[place - 1]
    touches = before.start + len(before.text) == tokens[place].start
    return touches and (before.kind != "symbol" or before.word in (")", "]"))


def _missing_error(name: str) -> ValidationError:
    return ValidationError(f"the parameter {name} of SQL text has no value", location="sql")


def read_author_text(
    text: str,
    world: World,
    reading: Reading | None = None,
    start: int = 0,
    *,
    namespace: Sequence[str] = (),
    origin: str | None = None,
) -> QueryOperation:
    """Parses and resolves a query as ``read_sql`` does; the tree has the text as its witness.

    Parameters in the text are replaced by their values.

    Args:
        text: one query, possibly with other text before it.
        world: looks up tables and functions.
        reading: query parameters, and the settings that affect parsing.
        start: the offset where the query begins.
        namespace: the catalog and database where names are meant; by default those of the tables.
        origin: where the text came from.
    """
    watch = _Past(world) if isinstance(world, History) else _Watch(world)
    watch.namespace = tuple(namespace)
    found = read_sql(text, watch, reading, start)
    query = text[start:].strip()
    if reading is not None:
        query = with_values(query, reading.named, reading.placed)
    author = AuthorText(text=query, namespace=watch.namespace, origin=origin)
    unasked = f"the session has no {', '.join(watch.unknown)}" if watch.unknown else ""
    return with_witness(found, Witness(author, unasked))


class _Watch:
    """A world that notes what no session knows under the name that a text has for it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.namespace: tuple[str, ...] = ()
        self.unknown: dict[str, None] = {}

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """The table or view of a name."""
        found = self._world.table(parts)
        if isinstance(found, CatalogSource):
            self.namespace = self.namespace or found.path[:-1]
        elif not isinstance(found, SqlText):
            self.unknown[".".join(parts)] = None
        return found

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """The function of a user that a name means."""
        return self._world.function(parts)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """What a function of tables gives; Spark is given further arguments."""
        self.unknown[".".join(parts)] = None
        return self._world.process(parts, args, named)


class _Past(_Watch):
    """A world that knows the columns that a table had, too."""

    _world: Any

    def columns_then(self, path: Sequence[str], as_of: str) -> tuple[Field, ...] | None:
        """The columns of a table as it was."""
        found: tuple[Field, ...] | None = self._world.columns_then(path, as_of)
        return found


def with_names_in_full(
    author: AuthorText, functions: Sequence[UserFunction], settings: Mapping[str, str]
) -> str:
    """The author's text as it is meant in any session: names of tables and functions in full.

    Args:
        author: the text, and where its names are meant.
        functions: the functions of users that it calls.
        settings: those that decide how it is read.

    Raises:
        ValidationError: a name cannot be told exactly.
    """

    def rename(parts: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if len(parts) == 2 and is_path(*parts):
            return tuple(parts), tuple(parts)
        full = (*author.namespace[: max(3 - len(parts), 0)], *parts)
        return full, full

    def find(parts: Sequence[str]) -> UserFunction | None:
        return next((each for each in functions if _is_called(each, parts)), None)

    reading = make_reading(settings)
    return with_other_names(author.text, rename, find, reading).text


def _is_called(function: UserFunction, parts: Sequence[str]) -> bool:
    """Whether a name is that of a function; one of Spark's hides those of catalogs."""
    known = [part.casefold() for part in function.identifier.parts]
    wanted = [part.casefold() for part in parts]
    if len(wanted) == 1 < len(known) and find_built_in(wanted[0]) and is_sparks(wanted[0]):
        return False
    return known[-len(wanted) :] == wanted
