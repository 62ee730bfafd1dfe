"""The gate through which every text passes that an engine will be given.

There is no second way to look at a text: no lexer of its own, no regular expression. A text is read
whole by viewscribe's parser or by Spark's own, and what it may do is judged by the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from viewscribe.catalog_store.permissions import (
    ForbiddenSourceError,
    NotAQueryError,
    Permissions,
    name_view,
    permissions_in_force,
    raise_first,
)
from viewscribe.errors import SqlSyntaxError, ViewscribeError
from viewscribe.expressions.functions.of_catalogs import is_of_catalog
from viewscribe.expressions.functions.user_defined import FunctionSource, UserFunction
from viewscribe.expressions.node import Node, find
from viewscribe.expressions.nodes import AggregateCall, Call, Literal, ResolvedExpression
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource, SqlText, TableFunction
from viewscribe.operations.reach import (
    OF_FILES,
    Argument,
    CallReach,
    Options,
    Part,
    Parts,
    Reach,
    is_path,
    to_options,
)
from viewscribe.operations.spark_names import is_system_function
from viewscribe.operations.user_functions import user_functions
from viewscribe.parser.reach import read_reach, strip_ends
from viewscribe.parser.settings import make_reading, refuse_parser_settings


class SparksParser(Protocol):
    """Spark's own parser, where it can be asked: it reads a text and runs nothing."""

    def read_reach(self, text: str, part: Part) -> Reach:
        """What a text names.

        Raises:
            NotAQueryError: it is not what it should be, or holds a kind of node that is not known
                to be harmless.
        """


class Session(Protocol):
    """What the session that will be given a text has under the names in it."""

    def is_of_databases(self, function: Parts) -> bool:
        """Whether a function is surely of none of Spark's catalogs, whose functions run classes."""

    def has_table(self, name: Parts) -> bool:
        """Whether there is a table, or a view, of this name."""

    def has_temporary_function(self, name: Parts) -> bool:
        """Whether Spark calls a temporary function of the user's by this name."""

    def find_variables(self, columns: Iterable[Parts]) -> Iterable[Parts]:
        """Those among the names of columns that are names of variables as well."""

    def reads_own(self, query: str) -> bool:
        """Whether a query that runs nothing reads a variable or a temporary view of the user's."""

    def has_temporary_view(self, name: Parts) -> bool:
        """Whether the user has a temporary view of this name."""


def names_in_text(functions: Iterable[UserFunction]) -> Iterator[Parts]:
    """Yields the names by which texts may call functions."""
    for each in functions:
        yield from each.names_in_text


def _fold(name: Sequence[str]) -> Parts:
    return tuple(map(str.casefold, name))


def _is_short(name: Parts) -> bool:
    """Whether a name may be one of a database; of two parts, only a session knows the first."""
    return len(name) < 3


@dataclass(frozen=True, slots=True)
class Gate:
    """Lets texts through that are harmless, or allowed.

    Args:
        allowed: what texts may read and call; None for those that may name whatever catalogs have,
            and still must be queries: the user's own, and what was looked at where it came in.
        settings: those under which the text will be read; what is not named has Spark's default.
        parser: Spark's own parser in the session that will be given the text; None over Connect and
            where no Spark is at hand.
        session: what the session has; None where none is at hand.
        is_filled: whether the session has what texts read already; then names of two parts that are
            no tables of it may be files of a format that nobody here knows.
        written: for texts that the user wrote, or that were looked at where they came in: the
            settings they were read under then. They may name what viewscribe sees in them under
            these, and no more than that.
        called: names of functions that are looked at by themselves, folded.
        is_typed: whether the user gives the text himself; then it may name what he has in the
            session beside the catalogs.
    """

    allowed: Permissions | None
    settings: Mapping[str, str] = field(default_factory=dict)
    parser: SparksParser | None = None
    session: Session | None = None
    is_filled: bool = True
    written: Mapping[str, str] | None = None
    called: frozenset[Parts] = frozenset()
    is_typed: bool = False

    def admit(
        self, text: str, what: str, part: Part = Part.QUERY, *, view: Sequence[str] = ()
    ) -> str:
        """Returns a text that may be given to an engine.

        Whatever the text came from passes here: the text of a view, the SQL text in a plan, bodies
        and defaults of SQL functions, DEFAULT and CHECK of columns, what was read back from Hive,
        Iceberg or a session, what a user typed. It passes in one of three ways:

        1. In a classic session Spark's own parser reads it, under the settings in force; that runs
           nothing. The unresolved plan may hold no other classes than those of queries
           (``spark/gate.py``); relations, functions, paths and options are taken from it.
        2. Elsewhere, over Connect or without Spark, viewscribe's parser reads it whole, and they
           are taken from its tree.
        3. What cannot be read there is refused, unless the opener has named the view as opaque.

        Commands, scripts, writes and whatever else is no query are always refused. What a query
        names must be allowed: formats, locations, options, functions that reach out of it.

        Args:
            text: the text.
            what: whose text it is, for messages.
            part: what it is to be.
            view: the name of the view whose text it is, for those that are opaque.

        Returns:
            The text. An expression ends with its last token, so that it can stand within a
            statement, from which a comment behind it would take the rest.

        Raises:
            NotAQueryError: it is not what it should be, or nobody can be sure.
            ForbiddenSourceError: it names something that is not allowed.
        """
        raise_first(self.refused_in_text(what, text, part, view=view))
        return strip_ends(text) if part is Part.EXPRESSION else text

    def refused_in_text(
        self, what: str, text: str, part: Part = Part.QUERY, *, view: Sequence[str] = ()
    ) -> Iterator[ForbiddenSourceError]:
        """Yields everything for which ``admit`` would refuse a text."""
        yield from self._refused_later(what, text)
        tolerated: set[str] = set()
        if self.written is not None:  # as viewscribe's own parser read it then
            then = replace(self, settings=self.written, parser=None, written=None, is_typed=True)
            tolerated.update(each.message for each in then.refused(what, text, part))
        for each in self.refused(what, text, part, view):
            if each.message not in tolerated:
                yield each

    def refused(
        self, what: str, text: str, part: Part, view: Sequence[str] = ()
    ) -> Iterator[ForbiddenSourceError]:
        """Yields what is wrong with a text, whoever wrote it."""
        if part is Part.EXPRESSION and "${" in text:
            yield NotAQueryError(
                f"{what} holds ${{…}}, in the place of which Spark puts the value of a variable "
                f"whenever it reads it: {text}",
                hint="write it in two parts: '$' || '{…}'",
            )
        try:
            reach = self._read(text, what, part, view)
        except NotAQueryError as error:
            yield error
            return
        if self.allowed is not None:
            yield from self.allowed.refused_reach(what, reach, self._is_known)
            yield from self._refused_files(what, reach)
        if self.written is None and not self.is_typed:
            yield from self._refused_of_session(what, reach, text if part is Part.QUERY else "")

    def _refused_later(self, what: str, text: str) -> Iterator[ForbiddenSourceError]:
        if "${" in text and self._is_put_in_later:
            yield NotAQueryError(
                f"{what} holds ${{…}}, in the place of which a server puts the value of a variable "
                "whenever it runs",
                hint="open it in a classic session, or store it without",
            )

    @property
    def _is_put_in_later(self) -> bool:
        """Whether the session is one of Connect: its server reads each text again when it runs."""
        is_users = self.allowed is None and self.is_typed
        return not is_users and self.parser is None and self.session is not None

    def _is_known(self, name: Parts) -> bool:
        known = _is_short if self.session is None else self.session.is_of_databases
        return self._is_called(name) or known(name)

    def _refused_files(self, what: str, reach: Reach) -> Iterator[ForbiddenSourceError]:
        if self.session is None or not self.is_filled:
            return
        for parts in reach.relations:
            if len(parts) == 2 and not is_path(*parts) and not self.session.has_table(parts):
                yield ForbiddenSourceError(
                    f"{what} reads {'.'.join(parts)}, which is no table of the session: it may be "
                    "a file of a format that the session has",
                    hint="name the table in full: catalog, database and name",
                )

    def _refused_of_session(
        self, what: str, reach: Reach, query: str = ""
    ) -> Iterator[ForbiddenSourceError]:
        """Yields what a text names that the user has beside the catalogs, under a name alone."""
        if self.session is None:
            return
        yield from self._refused_functions(what, (each.name for each in reach.calls))
        if query and not self.is_filled:  # nobody can say while sources are missing
            return
        found = [refused for each in reach.relations for refused in self._refused_view(what, each)]
        for each in self.session.find_variables(reach.variables):
            found.append(_of_session(what, "names", each, "variable"))
        # A CTE and a column go before them.
        if found and not (query and not self.session.reads_own(query)):
            yield found[0]

    def _refused_functions(
        self, what: str, called: Iterable[Parts]
    ) -> Iterator[ForbiddenSourceError]:
        if self.session is None:
            return
        for parts in sorted(set(called)):
            if not self._is_called(parts[-1:]) and self.session.has_temporary_function(parts):
                yield _of_session(what, "calls", parts, "function")

    def _refused_view(self, what: str, parts: Sequence[str]) -> Iterator[ForbiddenSourceError]:
        if self.session is not None and self.session.has_temporary_view(tuple(parts)):
            yield _of_session(what, "reads", parts, "view")

    def require_tree(self, what: str, operation: QueryOperation) -> None:
        """Rejects a tree that names something which is not allowed, or whose texts are refused.

        Raises:
            ForbiddenSourceError: something in it is not allowed.
        """
        raise_first(self.refused_in_tree(what, operation))

    def refused_in_tree(
        self, what: str, operation: QueryOperation
    ) -> Iterator[ForbiddenSourceError]:
        """Yields what ``require_tree`` rejects."""
        for node in find(operation, SqlText, CatalogSource, TableFunction, Call, AggregateCall):
            if isinstance(node, SqlText):
                known = self.knowing(names_in_text(node.functions))
                yield from known.refused_in_text(what, node.text)
                continue
            if self.allowed is not None:
                yield from _refused_in_node(what, node, self.allowed)
            if isinstance(node, CatalogSource):
                yield from self._refused_view(what, node.path)
        yield from self._refused_functions(what, _built_in_of(operation))
        for function in user_functions(operation):
            yield from self.refused_function(function)

    def refused_in_view(
        self, what: str, operation: QueryOperation
    ) -> Iterator[ForbiddenSourceError]:
        """Yields what is refused of the tree of a stored view, which has no temporary functions."""
        yield from self.refused_in_tree(what, operation)
        yield from refused_temporary_functions(what, operation)

    def refused_function(self, function: UserFunction) -> Iterator[ForbiddenSourceError]:
        """Yields what is not allowed of a function that a tree calls."""
        what = f"the function {function!r}"
        if self.allowed is not None and is_of_catalog(function):
            yield from self.allowed.refused_catalog_function(what, function.identifier.parts)
        yield from self.refused_in_function(what, function.source)

    def refused_in_function(
        self, what: str, source: FunctionSource
    ) -> Iterator[ForbiddenSourceError]:
        """Yields what is not allowed of a function: its jar, class, body and defaults.

        Modules of Python functions are looked at where they are imported (``PythonModules``).
        """
        if self.allowed is not None:
            yield from self.allowed.refused_class(what, source)
        for text, part in _texts_of(source):
            yield from self.refused_in_text(what, text, part)

    def knowing(self, functions: Iterable[Sequence[str]]) -> Gate:
        """Returns a gate for texts whose calls of these functions are looked at by themselves."""
        return replace(self, called=self.called | {_fold(each) for each in functions})

    def _is_called(self, name: Parts) -> bool:
        return _fold(name) in self.called

    def _read(
        self, text: str, what: str, part: Part = Part.QUERY, view: Sequence[str] = ()
    ) -> Reach:
        if self.parser is not None:
            try:
                return self.parser.read_reach(text, part)
            except SqlSyntaxError as error:
                raise NotAQueryError(
                    f"{what} is not given to Spark: {error.message}",
                    hint="look at it; what is not a query you can run yourself: spark.sql(…)",
                ) from error
        try:
            refuse_parser_settings(self.settings)
            return read_reach(text, part, make_reading(self.settings))
        except ViewscribeError as error:
            if view and (self.allowed or permissions_in_force()).vouches_for(view):
                return Reach()
            raise _unreadable(what, part, error, view) from error


def _refused_in_node(what: str, node: Node, allowed: Permissions) -> Iterator[ForbiddenSourceError]:
    if isinstance(node, CatalogSource):
        yield from allowed.refused_relation(what, node.path)
        if OF_FILES in node.schema.by_name:  # which files have, whatever is declared
            yield from allowed.refused_call(what, CallReach((OF_FILES,), ()))
        return
    assert isinstance(node, TableFunction | Call | AggregateCall)
    function = node.function
    name = function.names_in_text[0] if isinstance(function, UserFunction) else (function.sql_name,)
    yield from allowed.refused_call(what, CallReach(name, tuple(map(_argument, node.args))))


def refused_temporary_functions(
    what: str, operation: QueryOperation
) -> Iterator[ForbiddenSourceError]:
    """Yields the functions that the tree of a view brings itself, as no view does."""
    for function in user_functions(operation):
        if function.temporary:
            yield ForbiddenSourceError(
                f"{what} calls the temporary function {function!r}, which no stored view has",
                hint="take it out of the document, or store the function in a catalog",
            )


def _of_session(what: str, does: str, name: Sequence[str], kind: str) -> ForbiddenSourceError:
    return ForbiddenSourceError(
        f"{what} {does} {'.'.join(name)}, a temporary {kind} of the session, which is no part of "
        "what is stored",
        hint="drop it, or open the view in a session without it",
    )


def _built_in_of(operation: QueryOperation) -> Iterator[Parts]:
    """Yields the names by which a tree calls functions of Spark's own."""
    for node in find(operation, TableFunction, Call, AggregateCall):
        assert isinstance(node, TableFunction | Call | AggregateCall)
        if is_system_function(node.function.sql_name):
            yield (node.function.sql_name,)


def _texts_of(source: FunctionSource) -> Iterator[tuple[str, Part]]:
    """Yields the SQL texts of a function."""
    for each in source.parameters or ():
        if each.default is not None:
            yield each.default, Part.EXPRESSION
    if source.body is not None:
        yield source.body, Part.BODY


def _unreadable(
    what: str, part: Part, error: ViewscribeError, view: Sequence[str]
) -> NotAQueryError:
    name = name_view(view[-2:])
    return NotAQueryError(
        f"{what} is not given to Spark: it cannot be read as {part.value}: {error.message}",
        location=error.location,
        hint="only a classic Spark session can ask Spark's own parser; if you trust the text, "
        f"name the view: opaque=[{name!r}], or --allow-opaque {name} on the command line"
        if name
        else "write it so that viewscribe reads it",
    )


def _argument(node: ResolvedExpression) -> str | Options | Argument:
    if isinstance(node, Literal) and node.value is not None:
        return node.value if isinstance(node.value, str) else Argument.CONSTANT
    if isinstance(node, Call) and node.function.sql_name == "map":
        values = [each.value if isinstance(each, Literal) else None for each in node.args]
        return to_options([None if each is None else str(each) for each in values])
    return Argument.COMPUTED
