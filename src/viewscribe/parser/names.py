"""Finds where a text names tables, functions and columns, from its syntax alone.

It serves texts that are kept as written: those that cannot be resolved, and those in which only
names change. Names are not looked up. Only CTEs are told apart from tables, by Spark's rule: the
nearest one that is defined before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.parser import syntax as s
from viewscribe.parser.grammar import PipeGrammar, Reading
from viewscribe.parser.read import deeply
from viewscribe.parser.tokens import QUOTED, STRING, WORD, Token, tokenize
from viewscribe.types.identifiers import quote_identifier, quote_name

Parts = tuple[str, ...]
Edit = tuple[int, int, str]
"""From where to where of a text stands what instead."""


class Table(NamedTuple):
    """A table that a text names.

    Args:
        parts: the parts of its name, without quotes.
        start: where the name begins.
        end: where it ends.
        is_aliased: whether the text gives it an alias.
        takes_alias: whether an alias may follow.
    """

    parts: Parts
    start: int
    end: int
    is_aliased: bool
    takes_alias: bool


class Function(NamedTuple):
    """A function that a text calls; ``is_relation`` where the call stands in FROM."""

    parts: Parts
    start: int
    end: int
    is_relation: bool


class Column(NamedTuple):
    """A qualified column or star.

    Args:
        parts: the parts of the name; for a star those before it.
        start: where it begins.
        ends: where each part ends.
        is_star: whether ``.*`` follows.
    """

    parts: Parts
    start: int
    ends: tuple[int, ...]
    is_star: bool


class Names(NamedTuple):
    """The names in a text, in order of appearance.

    Args:
        tables: of tables and views, not of CTEs.
        functions: of functions that are called by a name.
        columns: of columns that are qualified, or fields.
        aliases: the names that the text gives to relations and CTEs.
        unplaced: qualified columns whose position is unknown.
        words: every word that may be the name of a column, in lower case.
        reads_all: whether columns are read that the text does not name.
        has_qualify: whether a SELECT has QUALIFY.
    """

    tables: tuple[Table, ...]
    functions: tuple[Function, ...]
    columns: tuple[Column, ...]
    aliases: frozenset[str]
    unplaced: tuple[Parts, ...]
    words: frozenset[str]
    reads_all: bool
    has_qualify: bool


def read_names(text: str, reading: Reading | None = None) -> Names:
    """Returns the names in a query.

    Args:
        text: one query in Spark SQL.
        reading: the settings that affect parsing.

    Raises:
        SqlSyntaxError: it is not a query, or uses unsupported syntax.
        ValidationError: it computes a name.
    """
    grammar = PipeGrammar(text, reading or Reading())
    walk = _Walk(grammar)

    def parse() -> s.QueryOf:
        grammar.go_to(0)
        return grammar.statement()

    query = deeply(parse)
    if grammar.computes_names:
        raise ValidationError(
            "the text computes a name with IDENTIFIER(…)",
            hint="write the name itself; a name that is computed cannot be followed",
        )
    walk.read(query)
    return Names(
        tuple(sorted(walk.tables, key=_start)),
        tuple(sorted(walk.functions, key=_start)),
        tuple(sorted(walk.columns, key=_start)),
        frozenset(walk.aliases),
        tuple(walk.unplaced),
        _words_of(grammar.tokens),
        walk.reads_all,
        walk.has_qualify,
    )


def read_words(text: str) -> frozenset[str]:
    """Returns every word of a text that may be a name, in lower case.

    Raises:
        SqlSyntaxError: the text cannot be cut into tokens.
    """
    return _words_of(tokenize(text))


def _words_of(tokens: Iterable[Token]) -> frozenset[str]:
    return frozenset(_word(each) for each in tokens if each.kind in (WORD, QUOTED, STRING))


def _word(token: Token) -> str:
    """What a token names, in lower case."""
    quote = token.text[0]
    bare = token.text if token.kind is WORD else token.text[1:-1].replace(quote * 2, quote)
    return bare.lower()


def _start(name: Table | Function | Column) -> int:
    return name.start


def edit(text: str, edits: Iterable[Edit]) -> str:
    """Applies all edits to the text."""
    for start, end, instead in sorted(set(edits), reverse=True):
        text = text[:start] + instead + text[end:]
    return text


Steps = frozenset[str]
Pending = Iterator[tuple[Any, Steps]]


class _Walk:
    """A traversal of the syntax tree that visits each part with the CTEs in its scope."""

    def __init__(self, grammar: PipeGrammar) -> None:
        self._tokens = grammar.tokens
        self._places = {token.start: place for place, token in enumerate(grammar.tokens)}
        self._aliased: set[int] = set()
        self._fixed: set[int] = set()
        self._relations: set[int] = set()
        self.tables: set[Table] = set()
        self.functions: set[Function] = set()
        self.columns: set[Column] = set()
        self.aliases: set[str] = set()
        self.unplaced: list[Parts] = []
        self.reads_all = False
        self.has_qualify = False

    def read(self, root: s.Syntax) -> None:
        """Visits all of it."""
        stack: list[tuple[Any, Steps]] = [(root, frozenset())]
        while stack:
            node, steps = stack.pop()
            if isinstance(node, s.Syntax):
                rule = _RULES.get(type(node))
                stack += _parts(node, steps) if rule is None else rule(self, node, steps)
            elif isinstance(node, list | tuple):
                stack += [(each, steps) for each in node]
            elif isinstance(node, dict):
                stack += [(each, steps) for each in node.values()]

    def _ends(self, start: int, count: int) -> tuple[int, ...]:
        """Where the parts of a name have ended that begins there."""
        place = self._places[start]
        tokens = self._tokens[place : place + 2 * count : 2]
        return tuple(token.start + len(token.text) for token in tokens)

    # -- queries ---------------------------------------------------------------------------------

    def query(self, node: s.QueryOf, steps: Steps) -> Pending:
        """Each CTE sees those before it, and itself only if it is recursive."""
        if type(node.body) is s.TableName:
            self._fixed.add(id(node.body))
            self.reads_all = True
        for each in node.ctes:
            name = each.name.casefold()
            self.aliases.add(name)
            yield each.query, steps | {name} if node.recursive else steps
            steps |= {name}
        for field in node.__struct_fields__:
            if field != "ctes":
                yield getattr(node, field), steps

    def select(self, node: s.SelectOf, steps: Steps) -> Pending:
        """Hints name what the query calls so itself."""
        self.has_qualify |= node.qualify is not None
        return (pair for pair in _parts(node, steps) if pair[0] is not node.hints)

    def step(self, node: s.Step, steps: Steps) -> Pending:
        if node.kind == "drop":
            self.unplaced += [path for path in node.value if len(path) > 1]
        return _parts(node, steps)

    # -- relations -------------------------------------------------------------------------------

    def table(self, node: s.TableName, steps: Steps) -> Pending:
        parts = node.parts
        if parts and (len(parts) > 1 or parts[0].casefold() not in steps):
            end = self._ends(node.at, len(parts))[-1]
            is_aliased, takes_alias = id(node) in self._aliased, id(node) not in self._fixed
            self.tables.add(Table(parts, node.at, end, is_aliased, takes_alias))
        return iter(())

    def named(self, node: s.Named | s.LateralView, steps: Steps) -> Pending:
        name = node.name if isinstance(node, s.Named) else node.table
        self.aliases.add(name.casefold())
        if isinstance(node, s.LateralView):
            return _parts(node, steps)
        child = node.child
        while type(child) in (s.Sampled, s.Travel):
            child = child.child
        self._aliased.add(id(child))
        return _parts(node, steps)

    def fixed(self, node: Any, steps: Steps) -> Pending:
        """A table there has no place for an alias right behind it."""
        self._fixed.update(id(each) for each, _ in _parts(node, steps))
        if type(node) is s.Combined:
            self.reads_all |= s.TableName in (type(node.left), type(node.right))
        return _parts(node, steps)

    def joined(self, node: s.Joined | s.PivotOf, steps: Steps) -> Pending:
        self.reads_all |= not isinstance(node, s.Joined) or node.natural
        return _parts(node, steps)

    def called(self, node: s.Called, steps: Steps) -> Pending:
        self._relations.add(id(node.call))
        return _parts(node, steps)

    def unpivoted(self, node: s.UnpivotOf, steps: Steps) -> Pending:
        self.reads_all = True
        self.unplaced += [path for paths, _ in node.columns for path in paths if len(path) > 1]
        yield node.child, steps

    # -- expressions -----------------------------------------------------------------------------

    def function(self, node: s.Function, steps: Steps) -> Pending:
        place = None if node.name == ("",) else self._places.get(node.at)
        # `overlay(a PLACING b …)` and its like are calls of Spark's own under another name.
        if place is not None and _word(self._tokens[place]) == node.name[0].lower():
            end = self._ends(node.at, len(node.name))[-1]
            found = Function(node.name, node.at, end, id(node) in self._relations)
            self.functions.add(found)
        if node.name[-1].lower() == "count" and [type(each) for each in node.args] == [s.StarOf]:
            return (pair for pair in _parts(node, steps) if pair[0] is not node.args)
        return _parts(node, steps)

    def name(self, node: s.Name, steps: Steps) -> Pending:
        if len(node.parts) > 1:
            ends = self._ends(node.at, len(node.parts))
            self.columns.add(Column(node.parts, node.at, ends, False))
        return iter(())

    def star(self, node: s.StarOf, steps: Steps) -> Pending:
        self.reads_all = True
        if node.qualifier:
            ends = self._ends(node.at, len(node.qualifier))
            self.columns.add(Column(node.qualifier, node.at, ends, True))
        self.unplaced += [path for path in node.without if len(path) > 1]
        return iter(())


def _parts(node: s.Syntax, steps: Steps) -> Pending:
    for field in node.__struct_fields__:
        yield getattr(node, field), steps


_RULES: dict[type, Callable[[_Walk, Any, Steps], Pending]] = {
    s.QueryOf: _Walk.query,
    s.SelectOf: _Walk.select,
    s.Step: _Walk.step,
    s.TableName: _Walk.table,
    s.Named: _Walk.named,
    s.LateralView: _Walk.named,
    s.Combined: _Walk.fixed,
    s.Sampled: _Walk.fixed,
    s.Travel: _Walk.fixed,
    s.TableOf: _Walk.fixed,
    s.Called: _Walk.called,
    s.UnpivotOf: _Walk.unpivoted,
    s.PivotOf: _Walk.joined,
    s.Joined: _Walk.joined,
    s.Function: _Walk.function,
    s.Name: _Walk.name,
    s.StarOf: _Walk.star,
}


# SQL text with other names for the tables it reads and the functions of users it calls.
#
# Only names that mean a table or a function are touched, where they stand: names of CTEs, aliases,
# columns and strings that look the same are left alone, and so are layout and comments. Where the
# last part of a table's name changes, the former one becomes its alias, so that columns qualified
# by it still resolve.

Path = tuple[str, ...]

TableRename = Callable[[Sequence[str]], tuple[Path, Path]]
"""From the parts of a name to the full path of the table it means, and its new full path."""

FunctionResolver = Callable[[Sequence[str]], UserFunction | None]
"""From the parts of a name to the function of a user that it means; None for one of Spark's."""


class Renamed(NamedTuple):
    """A text under new names, with the new paths of what it reads and calls."""

    text: str
    tables: tuple[Path, ...]
    functions: tuple[UserFunction, ...]


def with_other_names(
    text: str,
    rename: TableRename,
    find_function: FunctionResolver,
    reading: Reading | None = None,
    *,
    in_body: bool = False,
) -> Renamed:
    """The query with every table under its new name and every function as ``find_function`` says.

    Args:
        text: one query in Spark SQL.
        rename: says which table a name means and what that is called now.
        find_function: finds functions of users, under their new names.
        reading: the settings that decide how it is read.
        in_body: whether it is of a SQL function, where Spark takes names of functions of at most
            two parts.

    Raises:
        ValidationError: the syntax of the text is not read, or a name stands where none can be put.
    """
    names = read_names(text, reading)
    known = {table: rename(table.parts) for table in names.tables}
    calls = [(each, find_function(each.parts)) for each in names.functions]
    users = [(each, function) for each, function in calls if function is not None]
    edits = [_of_table(table, *known[table], names) for table in names.tables]
    edits += _of_columns(names, known)
    edits += [
        (each.start, each.end, written_name(each, function, in_body)) for each, function in users
    ]
    paths = dict.fromkeys(new for _, new in known.values())
    functions = dict.fromkeys(function for _, function in users)
    return Renamed(edit(text, edits), tuple(paths), tuple(functions))


def split_at_tables(
    text: str,
    find: Callable[[Sequence[str]], Path | None],
    reading: Reading | None = None,
    *,
    aliased: bool = False,
) -> list[str | Path]:
    """The query in pieces: text, and in the place of each name of a table the path it means.

    For texts in which something else than a name is to stand there. Columns that are qualified by
    the catalog or database of a table are qualified by its name alone.

    Args:
        text: one query in Spark SQL.
        find: says which table a name means; None for one whose name stays as it is.
        reading: the settings that decide how it is read.
        aliased: whether tables may be called anything there, so that their names become aliases.

    Raises:
        ValidationError: the syntax of the text is not read, or a column cannot be qualified so.
    """
    names = read_names(text, reading)
    paths = {each: path for each in names.tables if (path := find(each.parts)) is not None}
    known = {each: (path, _ANY if aliased else path) for each, path in paths.items()}
    places: list[tuple[int, int, Sequence[str | Path]]] = [
        (table.start, table.end, (paths[table], _alias_of(table, *known[table], names)))
        for table in known
    ]
    places += [(start, end, (text,)) for start, end, text in set(_of_columns(names, known))]
    found: list[str | Path] = []
    at = 0
    for start, end, instead in sorted(places, key=lambda place: place[0]):
        found += [text[at:start], *instead]
        at = end
    return [*found, text[at:]]


_ANY = ("",)
"""The path of a table that may be called anything."""


def written_name(call: Function, function: UserFunction, in_body: bool = False) -> str:
    """How a call names a function of a user where it stands."""
    makes_rows = function.kind is FunctionKind.GENERATOR and call.is_relation
    name = function.table_name if makes_rows else function.sql_name
    parts = function.identifier.parts
    return quote_name(parts[-2:]) if in_body and name == quote_name(parts) else name


def _of_table(table: Table, old: Path, new: Path, names: Names) -> Edit:
    """The new name, and the former one as the alias where columns may be qualified by it."""
    return table.start, table.end, quote_name(new) + _alias_of(table, old, new, names)


def _alias_of(table: Table, old: Path, new: Path, names: Names) -> str:
    """The alias that a table needs behind its new name; nothing where it needs none."""
    if not table.is_aliased and _fold(old[-1:]) != _fold(new[-1:]):
        if table.takes_alias:
            return f" AS {quote_identifier(table.parts[-1])}"
        if _is_qualifier(table.parts[-1], names):
            raise ValidationError(
                f"`{'.'.join(old)}` gets another name, and its clauses leave no place for an alias",
                hint="give it an alias in the text",
            )
    return ""


def _is_qualifier(name: str, names: Names) -> bool:
    """Whether a column may be qualified by a name."""
    written = [*(each.parts for each in names.columns), *names.unplaced]
    return any(name.casefold() in _fold(parts) for parts in written)


def _of_columns(names: Names, known: dict[Table, tuple[Path, Path]]) -> Iterator[Edit]:
    """``sales.orders.id`` becomes ``orders.id``: the table is known by that, renamed or not.

    Where something else of the text is called ``orders`` too, the qualifier follows the table.

    Raises:
        ValidationError: it cannot: the table gets its former name as an alias, or it may be one
            of several tables.
    """
    unaliased = {_fold(known[each][0]): each for each in known if not each.is_aliased}
    if not unaliased:
        return
    shared = _shared_names(names, unaliased)
    for column in names.columns:
        for count in (3, 2):
            prefix = _fold(column.parts[:count])
            meant = [table for path, table in unaliased.items() if path[-count:] == prefix]
            if len(column.parts) + column.is_star > count and meant:
                found = {_qualifier(each, known[each], count, shared) for each in meant}
                if len(found) > 1:
                    raise _refusal(".".join(prefix), "means one of several tables")
                yield (column.start, column.ends[count - 1], found.pop())
                break
        else:
            _refuse_capture(column, [known[table][1] for table in unaliased.values()])
    for parts in names.unplaced:
        if any(path[-count:] == _fold(parts[:count]) for path in unaliased for count in (3, 2)):
            raise _refusal(".".join(parts), "is qualified by a database")


def _refuse_capture(column: Column, paths: Sequence[Path]) -> None:
    """Refuses a column that would mean one of a table, by the new name of that and its database."""
    for count in (3, 2):
        taken = {_fold(path[-count:]) for path in paths}
        if len(column.parts) + column.is_star > count and _fold(column.parts[:count]) in taken:
            raise _refusal(
                ".".join(column.parts), "would be a column of a table by the new names, and is not"
            )


def _shared_names(names: Names, unaliased: dict[Path, Table]) -> set[str]:
    """The names of tables without an alias by which the text calls something else as well."""
    of_tables = Counter(path[-1] for path in unaliased)
    return {name for name, count in of_tables.items() if count > 1 or name in names.aliases}


def _qualifier(table: Table, known: tuple[Path, Path], count: int, shared: set[str]) -> str:
    """What columns of a table that has no alias are qualified by under its new name."""
    old, new = known
    name = table.parts[-1]
    if name.casefold() not in shared:
        return quote_identifier(name)
    if _fold(old[-1:]) == _fold(new[-1:]):
        return quote_name(new[-count:])
    raise _refusal(".".join(old), f"gets another name, and the text calls something else `{name}`")


def _refusal(name: str, why: str) -> ValidationError:
    return ValidationError(
        f"`{name}` {why}",
        hint="give each table an alias in the text, and qualify columns by it",
    )


def _fold(parts: Sequence[str]) -> Path:
    return tuple(part.casefold() for part in parts)
