"""What a name means at one place of a query (``ColumnResolutionHelper`` of Spark's analyzer)."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cached_property
from typing import TypeVar

import msgspec

from viewscribe.errors import (
    AmbiguousColumnError,
    NotSerializableError,
    TypeMismatchError,
    UnknownColumnError,
    ValidationError,
    ViewscribeError,
)
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, alias, make_call
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.attributes import find_attribute
from viewscribe.operations.base import QueryOperation
from viewscribe.parser import syntax as s
from viewscribe.types import ArrayType, MapType, StructType, VoidType
from viewscribe.types.identifiers import CALLED_WITHOUT_PARENTHESES

# Several errors at once: parts of a query that do not depend on each other are all read.

T = TypeVar("T")


class FollowingError(ValidationError):
    """Something uses what is wrong itself: nobody needs to be told."""


class Findings:
    """The errors of the parts of one thing."""

    __slots__ = ("errors",)

    def __init__(self) -> None:
        self.errors: list[ViewscribeError] = []

    def attempt(self, read: Callable[[], T]) -> T | None:
        """What a part is; None where it is wrong, which is noted."""
        try:
            return read()
        except ViewscribeError as error:
            self.errors.append(error)
            return None

    def raise_all(self) -> None:
        """Raises what was noted as one error: the first, which has the others with it."""
        if not self.errors:
            return
        found = [each for error in self.errors for each in error.every]
        own = [each for each in found if not isinstance(each, FollowingError)] or found[:1]
        first, *others = own
        for each in others:
            each.others = ()
        first.others = tuple(others)
        raise first


# A relation of a FROM: what gives its rows, and the names by which its columns are called.


class Source(msgspec.Struct):
    """A relation.

    Args:
        operation: what gives its rows.
        names: its columns under the names by which the query can call them.
        width: how many of them a star shows; those behind are keys that a join by names left out.
    """

    operation: QueryOperation
    names: Schema
    width: int

    @classmethod
    def of(cls, operation: QueryOperation) -> Source:
        """A relation whose columns are called as the operation says."""
        return cls(operation, operation.schema, len(operation.schema))


_MADE_UP = re.compile(
    r"_(combined|limited|sorted|distinct|windowed|grouped|computed|filtered|joined|rows|"
    r"pivot|unpivot)(_\d+)?$"
)
_OF_ROWS = re.compile(r"v(_\d+)?")


def is_made_up(name: str) -> bool:
    """Whether a query has a name that our own texts give to one that has none."""
    return _MADE_UP.search(name) is not None


def is_unnamed(node: s.Named) -> bool:
    """Whether a relation has only a name that our own texts give it."""
    if type(node.child) is s.Called:
        return node.name == node.child.call.name[-1] and bool(node.columns)
    if type(node.child) is s.Rows:
        return _OF_ROWS.fullmatch(node.name) is not None
    if type(node.child) is s.TableName and not node.columns:
        own, _, number = node.name.rpartition("_")
        return number.isdigit() and own == node.child.parts[-1]
    child = node.child.child if type(node.child) is s.Sampled else node.child
    return isinstance(child, s.Derived | s.PivotOf | s.UnpivotOf) and is_made_up(node.name)


_NAME = r"(`(?:[^`]|``)+`|\w+)"
_RELATIONS = re.compile(rf"(?:\bAS\s+|\.){_NAME}|{_NAME}\s+AS\s*\(", re.IGNORECASE)
_NUMBERED = re.compile(r"(.+)_\d+")


class RelationNames:
    """The names in a text that relations may have, which tell what a number after one is for.

    Args:
        text: the whole text.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _known(self) -> frozenset[str]:
        found = [first or second for first, second in _RELATIONS.findall(self._text)]
        names = {name.strip("`").replace("``", "`").lower() for name in found}
        return frozenset(names | {_MADE_UP.sub("", name) for name in names})

    def without_number(self, name: str) -> str:
        """The name, without the number by which our own texts tell it from an equal one."""
        match = _NUMBERED.fullmatch(name)
        return match[1] if match and match[1].lower() in self._known else name


def name_relation(operation: QueryOperation, name: str) -> Source:
    """The operation, whose columns can be called by a name that it does not have itself."""
    fields = operation.schema.fields
    return Source(operation, Schema(fields, ((name,),) * len(fields)), len(fields))


def beside(left: Source, right: Source) -> Schema:
    """The names of both sides."""
    return Schema.side_by_side(left.names, right.names)


def rename_join(operation: QueryOperation, left: Source, right: Source, kind: n.JoinKind) -> Source:
    """The join with the names of its sides."""
    names = n.join_schema(left.names, right.names, kind)
    return Source(operation, names, len(names) if kind.keeps_right else left.width)


def hidden_last(made: Source, left: Source, right: Source | None = None) -> Source:
    """The relation made of others, with the keys that these do not show at its end again."""
    size = len(left.names)
    hidden = set(range(left.width, size))
    if right is not None:
        hidden |= set(range(size + right.width, size + len(right.names)))
    if not hidden or made.width <= left.width:
        return made
    places = sorted(range(len(made.names)), key=lambda place: place in hidden)
    references = made.operation.schema.references
    operation = n.Project.of(made.operation, tuple(references[place] for place in places))
    qualifiers = [made.names.qualifiers[place] for place in places]
    names = Schema([made.names.fields[place] for place in places], qualifiers)
    return Source(operation, names, len(places) - len(hidden))


def name_combination(first: Schema, made: QueryOperation) -> Schema:
    """The columns of a set operation: those of its first query, unless they become wider."""
    pairs = zip(first.fields, first.qualifiers, made.schema.fields, strict=True)
    qualifiers = [table if old.type.same_type(new.type) else () for old, table, new in pairs]
    return Schema(made.schema.fields, qualifiers)


def without_names(operation: QueryOperation) -> Source:
    """A query between parentheses: the names of its tables end there."""
    return Source(operation, Schema(operation.schema.fields), len(operation.schema))


def drop_hidden_keys(operation: QueryOperation, child: Source) -> QueryOperation:
    """The operation without the keys that stand behind what a relation shows."""
    if child.width == len(operation.schema):
        return operation
    return n.Project.of(operation, operation.schema.references[: child.width])


def without_hidden_keys(child: Source) -> Source:
    """The relation without the keys that stand behind what it shows."""
    operation, names, width = drop_hidden_keys(child.operation, child), child.names, child.width
    if operation is child.operation:
        return child
    return Source(operation, Schema(names.fields[:width], names.qualifiers[:width]), width)


def rename(operation: QueryOperation, names: Sequence[str]) -> QueryOperation:
    """The operation with other names for its columns."""
    references = operation.schema.references
    return n.Project.of(
        operation, tuple(alias(each, name) for each, name in zip(references, names, strict=True))
    )


class Given(s.Syntax, eq=False, gc=False):
    """What is before a step, where the grammar has a relation."""

    source: Source


Parts = Sequence[str]


class Columns:
    """The columns that names can mean in one SELECT.

    Args:
        schema: those of its FROM.
        outer: those of the query around it, if it is a sub-query.
        aliases: what items further left are called, for lateral column aliases.
        time_windows: the windows of time in the same SELECT, by what Spark calls their columns.
        width: how many columns can be called without their table; those behind are keys that a
            join by names left out.
        operation: what gives the columns, by which Spark tells whether columns of one name are one.
    """

    def __init__(
        self,
        schema: Schema,
        outer: Columns | None = None,
        aliases: dict[str, ResolvedExpression | None] | None = None,
        *,
        width: int | None = None,
        time_windows: Mapping[str, ResolvedExpression] | None = None,
        operation: QueryOperation | None = None,
    ) -> None:
        self.operation = operation
        self.time_windows = time_windows or {}
        self.whole = schema
        if width is not None and width < len(schema):
            schema = Schema(schema.fields[:width], schema.qualifiers[:width])
        self.schema = schema
        self.outer = outer
        self.aliases = aliases
        self.used: set[str] = set()
        self.uses: list[str] = []
        """The aliases of items further left, each as often as it was used."""
        self.generated: set[str] = set()
        """The aliases that are columns which a generator made: these stand below the items."""
        self.failed: set[str] = set()
        """The aliases of items further left that are wrong themselves."""
        self._found: dict[tuple[bool, tuple[str, ...]], tuple[int, Sequence[str]]] = {}
        self.functions: Set[str] = frozenset()
        """The names, in lower case, that call a function before they mean a column here."""

    def without_aliases(self) -> Columns:
        """The same columns where the aliases of items mean nothing: in WHERE."""
        width = len(self.schema)
        return Columns(self.whole, self.outer, width=width, operation=self.operation)

    def find(self, parts: Parts) -> ResolvedExpression:
        """What a dotted name means.

        Raises:
            UnknownColumnError, AmbiguousColumnError: nothing, or more than one column.
        """
        found = self.find_here(parts)
        if found is not None:
            return found
        found = self.find_beside(parts)
        if found is not None:
            return found
        raise self.schema.unknown(".".join(parts))

    def find_here(self, parts: Parts) -> ResolvedExpression | None:
        """A column of the FROM, or a field of one."""
        schema = self.schema
        if len(parts) == 1:
            if parts[0].lower() in self.functions:
                return None
            index = schema.by_name.get(parts[0].lower())
            if index is None:
                return self._time_window(parts)
            if index < 0:
                index, _ = self._find_attribute(schema, parts)
            field = schema.fields[index]
            return FieldReference(index, field.name, field.type)
        try:
            index, fields = self._find_attribute(schema, parts)
        except UnknownColumnError:
            return self._time_window(parts) or self._find_key(parts)
        return with_fields(schema.reference(index), fields)

    def _find_attribute(self, schema: Schema, parts: Parts) -> tuple[int, Sequence[str]]:
        """As ``find_attribute``, which compares all columns of a name, once for each name."""
        asked = schema is self.whole, tuple(parts)
        if asked not in self._found:
            self._found[asked] = find_attribute(schema, parts, self.operation)
        return self._found[asked]

    def _time_window(self, parts: Parts) -> ResolvedExpression | None:
        """The window of time whose column Spark calls so, or a field of it."""
        name = parts[0].lower()
        if name in (self.aliases or ()):
            return None
        found = self.time_windows.get(name)
        return None if found is None else with_fields(found, parts[1:])

    def _find_key(self, parts: Parts) -> ResolvedExpression | None:
        """A key that a join by names left out, called by its table."""
        if self.whole is self.schema:
            return None
        try:
            index, fields = self._find_attribute(self.whole, parts)
        except UnknownColumnError:
            return None
        return with_fields(self.whole.reference(index), fields)

    def find_beside(self, parts: Parts) -> ResolvedExpression | None:
        """A lateral column alias, or a column of a query around."""
        if self.aliases is not None and parts[0].lower() in self.aliases:
            self.used.add(parts[0].lower())
            self.uses.append(parts[0].lower())
            known = self.aliases[parts[0].lower()]
            if known is None:
                raise AmbiguousColumnError(
                    f"`{parts[0]}` is the alias of more than one item of this SELECT",
                    hint="give each its own",
                )
            return with_fields(known, parts[1:])
        if parts[0].lower() in self.failed:
            raise FollowingError(f"the alias `{parts[0]}` is of an item that is wrong")
        return self.find_outside(parts)

    def find_outside(self, parts: Parts) -> ResolvedExpression | None:
        """A column of the query around this one: Spark looks no further out."""
        return None if self.outer is None else self.outer.find_from_inside(parts)

    def find_from_inside(self, parts: Parts) -> ResolvedExpression | None:
        """A column of this FROM as a query in it sees it."""
        for schema in (self.schema, self.whole) if len(parts) > 1 else (self.schema,):
            try:
                index, fields = self._find_attribute(schema, parts)
                break
            except UnknownColumnError:
                continue
        else:
            return None
        asked = parts[len(parts) - len(fields) - 1]
        return with_fields(self.whole.outer_reference(index, asked), fields)


def see_columns(
    source: Source,
    outer: Columns | None,
    *,
    aliases: dict[str, ResolvedExpression | None] | None = None,
) -> Columns:
    """The columns of a relation, as the expressions of its query see them."""
    return Columns(source.names, outer, aliases, width=source.width, operation=source.operation)


def calling_functions(columns: Columns, shown: Iterable[str] = ()) -> Columns:
    """The columns where ``user`` and the like call functions, unless the table is said.

    So it is in the arguments of a LATERAL call, and in ORDER BY for what is not shown.
    """
    found = copy.copy(columns)
    found.functions = CALLED_WITHOUT_PARENTHESES.difference(map(str.lower, shown))
    return found


class SortColumns(Columns):
    """The columns that ORDER BY sees: those of the SELECT first, then those below it.

    What only stands below becomes a further column of the SELECT, after those that it shows. A
    name that several shown columns have means one below, as Spark reads it, and so does a field
    that the shown column has not.

    Args:
        shown: the columns that the SELECT shows.
        below: those of the FROM.
        hidden: makes a further column.
        windows: the names, in lower case, of what is shown and made by a window function; with
            what else is shown under each.
    """

    def __init__(
        self,
        shown: Schema,
        below: Columns,
        hidden: Callable[[ResolvedExpression], ResolvedExpression],
        windows: Mapping[str, Set[ResolvedExpression]],
    ) -> None:
        super().__init__(shown, below.outer)
        self.windows = windows
        self.below = below
        self.hidden = hidden

    def find_here(self, parts: Parts) -> ResolvedExpression | None:
        refused: ValidationError | None = None
        try:
            found = super().find_here(parts)
        except (AmbiguousColumnError, UnknownColumnError, TypeMismatchError) as error:
            found, refused = None, error
        if found is not None:
            return found
        below = self.below.find_here(parts)
        beside = self.windows.get(parts[0].lower())
        if refused is not None and (below is None or (beside is not None and below not in beside)):
            raise refused  # between what is shown and the FROM, Spark finds what is no window
        return None if below is None else self.hidden(below)


R = TypeVar("R", bound=ResolvedExpression | ViewscribeError)


class Variables:
    """The parameters of lambdas that are in force, and what was read with them."""

    def __init__(self, known: Mapping[str, ResolvedExpression] | None = None) -> None:
        self.known = dict(known or {})
        self._read: dict[int, tuple[object, ResolvedExpression | ViewscribeError]] = {}

    def note(self, node: object, found: R) -> R:
        """Notes what something written means, or the error of it."""
        self._read[id(node)] = node, found  # the node, too: while it is here, no other has its id
        return found

    def recall(self, node: object) -> ResolvedExpression | None:
        """What something written means, if it was read.

        Raises:
            ViewscribeError: it cannot be read.
        """
        _, found = self._read.get(id(node), (node, None))
        if isinstance(found, ViewscribeError):
            raise found
        return found

    def find(self, parts: Parts) -> ResolvedExpression | None:
        """The variable of that name, or a field of it."""
        if not self.known:
            return None
        found = self.known.get(parts[0].lower())
        return None if found is None else with_fields(found, parts[1:])


def with_fields(base: ResolvedExpression, names: Parts) -> ResolvedExpression:
    """A field of a struct, of the structs of an array, or the value of a map's key."""
    for name in names:
        if isinstance(base.type, VoidType):  # a NULL to Spark, and no name of something else
            raise NotSerializableError(
                f"the field `{name}` of `{base.as_summary_string()}`, which is NULL, is not read",
                hint="cast it to the struct that it stands for",
            )
        if isinstance(base.type, MapType):
            base = make_call(op.GET_ITEM, (base, literal(name)))
        elif isinstance(base.type, StructType | ArrayType):
            base = make_call(op.GET_FIELD, (base, literal(name)))
        else:
            raise UnknownColumnError(
                f"`{base.as_summary_string()}` is {base.type.ddl} and has no field `{name}`"
            )
    return base
