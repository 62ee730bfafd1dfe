"""A relation of a FROM: what gives its rows, and the names by which its columns are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

import msgspec

from viewscribe.expressions.nodes import alias
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.parser import syntax as s


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
