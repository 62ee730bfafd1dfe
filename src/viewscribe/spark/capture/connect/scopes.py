"""What a column name, or a column of another DataFrame, means at one place of a plan."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple, Protocol

from viewscribe.errors import (
    AmbiguousColumnError,
    CaptureError,
    NotSerializableError,
    UnknownColumnError,
    ViewscribeError,
)
from viewscribe.expressions.dsl import CallExpression, Expression, ItemExpression, ValueExpression
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import Node, replace
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, alias, strip_alias
from viewscribe.expressions.resolve import Scope as Resolution
from viewscribe.expressions.resolve import resolve_in
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import GroupingKeys, aggregate
from viewscribe.operations.attributes import find_attribute
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.reach import is_place
from viewscribe.parser.names import read_names
from viewscribe.serializer import TARGETS, to_sql
from viewscribe.spark.capture.connect.missing_input import TAKEN_OVER, Copy, find_column, reaches
from viewscribe.spark.session_objects import is_at_least
from viewscribe.types.identifiers import CALLED_WITHOUT_PARENTHESES, parse_name, quote_identifier

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.walker import Walk


# SQL text that reads temporary views, as text that brings along what they are made of.
#
# No stored view may read a temporary one by its name, so each becomes a step of the query:
# ``WITH recent AS (SELECT …) SELECT * FROM recent``.


def with_views(
    text: str, find: Callable[[Sequence[str]], QueryOperation]
) -> tuple[str, dict[tuple[str, ...], n.SubqueryAlias]]:
    """The query with a step for each temporary view that it reads.

    Args:
        text: one query.
        find: what the name of a table or view means.

    Returns:
        The text, and what each name of several parts means that the text still has.

    Raises:
        CaptureError: two views would be steps of the same name.
    """
    steps: dict[str, str] = {}
    named: dict[tuple[str, ...], n.SubqueryAlias] = {}
    for parts in dict.fromkeys(each.parts for each in read_names(text).tables):
        if is_place(parts):
            continue
        found = find(parts)
        if isinstance(found, n.CatalogSource):
            continue
        assert isinstance(found, n.SubqueryAlias), found
        step = parts[-1]
        if step.lower() in steps:
            raise CaptureError(
                f"SQL text reads two temporary views that are called `{step}`",
                location="sql",
                hint=f'start from spark.table("{".".join(parts)}"), or store it first',
            )
        if len(parts) > 1:
            named[tuple(parts)] = found
        steps[step.lower()] = f"{quote_identifier(step)} AS (\n{_for_all(found.child)})"
    return _prefix(text, list(steps.values())), named


def _for_all(operation: QueryOperation) -> str:
    """The text of a step, which is part of a text that stays as it is for every target."""
    try:
        return to_sql(operation, target=TARGETS[0])
    except NotSerializableError:  # something in it came later, in whatever words
        return to_sql(operation)


def _prefix(text: str, steps: Sequence[str]) -> str:
    if not steps:
        return text
    listed = ", ".join(steps)
    words = text.split(None, 2)
    if words[0].upper() != "WITH":
        return f"WITH {listed}\n{text}"
    if len(words) > 1 and words[1].upper() == "RECURSIVE":
        return f"WITH RECURSIVE {listed}, {words[2]}"
    return f"WITH {listed}, {text.split(None, 1)[1]}"


# Filters and sorts of groups by aggregates that the groups do not show.
#
# ``df.groupBy("dept").count().orderBy(F.max("salary"))``: Spark computes the maximum beside the
# count, and leaves it out again.


def over_groups(
    walk: Walk, child: QueryOperation, read: Callable[[Reader], Sequence[Expression]]
) -> tuple[QueryOperation, list[FieldReference]] | None:
    """The groups with further columns at their end, and these columns.

    Args:
        walk: the walk over the plan.
        child: what may give groups, a projection over them or not.
        read: gives the expressions of the columns, over the rows that were grouped.

    Returns:
        None where ``child`` gives no groups, or none of the expressions is over aggregates.
    """
    above = child if isinstance(child, n.Project) else None
    groups = child.child if isinstance(child, n.Project) else child
    if not isinstance(groups, n.Aggregate):
        return None
    reader = walk.reader(groups.child)
    reader.scope.outputs = _outputs(groups, above)
    expressions = read(reader)
    resolution = Resolution(groups.child.schema)
    resolved = [resolve_in(each, resolution) for each in expressions]
    if not resolution.aggregates:
        return None
    added = [alias(each, f"key_{place}") for place, each in enumerate(resolved, 1)]
    keys = GroupingKeys(list(groups.keys), groups.grouping, groups.sets)
    wide = aggregate(groups.child, keys, [*groups.aggregates, *added])
    columns = wide.schema.references[-len(added) :]
    if above is not None:
        wide = n.Project.of(wide, (*above.expressions, *columns))
        columns = wide.schema.references[-len(added) :]
    return wide, list(columns)


def _outputs(groups: n.Aggregate, above: n.Project | None) -> dict[str, Expression]:
    """What the names of the columns that the groups show mean over the rows that were grouped.

    The first column of a name counts.
    """
    columns = [strip_alias(each) for each in (*groups.keys, *groups.aggregates)]

    def step(node: Node) -> Node:
        return columns[node.index] if type(node) is FieldReference else node

    shown = above.expressions if above is not None else (*groups.keys, *groups.aggregates)
    found: dict[str, Expression] = {}
    for each in reversed(shown):
        meant = strip_alias(each)
        if above is not None:
            made = replace(meant, step)
            assert isinstance(made, ResolvedExpression)
            meant = made
        found[n.output_name(each).lower()] = ValueExpression(meant)
    return found


class Namesakes(Enum):
    """What Spark 4.0 does with a column of a DataFrame that was replaced or left out.

    Later versions take no other column of its name.
    """

    TAKEN = auto()
    """A Connect session takes the nearest column of its name."""
    REFUSED = auto()
    """The program stands for classic sessions too, which do not take it."""
    LEFT = auto()
    """A drop takes it nowhere."""


class Place(NamedTuple):
    """An input, and the position of its first column among all columns of the scope."""

    operation: QueryOperation
    offset: int


class LeftOut(Protocol):
    """The columns that selects below an input left out, found again as names ask for them."""

    operation: QueryOperation
    """The input, with the columns at its end that were found so far."""

    widths: Sequence[int]
    """How many columns the input has, with those of the nearest select, and so on."""

    def look_deeper(self) -> bool:
        """Finds the columns of further selects; returns False if there are none."""
        ...

    def use(self, index: int) -> None:
        """Notes that an expression names the column at ``index``."""
        ...


class Scope:
    """The columns that expressions can name.

    Args:
        schema: the columns.
        places: the inputs that they are from.
        outer: the scope of the query around this one.
        aliases: what names mean that were given further left in the same SELECT.
        visible: how many columns, from the first, there are before those that selects left out,
            and with those of the nearest select, and so on.
        deduplicated: the groups that ``dropDuplicates`` became, by identity.
        keys: those that are not visible are keys that a join by names left out.
        namesakes: what becomes of a column of a DataFrame that only has namesakes here.
        copies: what steps that do nothing were made of, by identity of what they became.
        left_out: the columns to look at next if these do not have a name; Spark looks there before
            it looks at the queries around.
    """

    def __init__(
        self,
        schema: Schema,
        places: Sequence[Place],
        *,
        outer: Scope | None = None,
        aliases: dict[str, Expression] | None = None,
        visible: Sequence[int] = (),
        deduplicated: Container[int] = (),
        keys: bool = False,
        namesakes: Namesakes = Namesakes.TAKEN,
        copies: Mapping[int, Copy] | None = None,
        left_out: LeftOut | None = None,
    ) -> None:
        self._keys, self._namesakes = keys, namesakes
        self._deduplicated = deduplicated
        self._copies = copies or {}
        self._left_out = left_out
        self.schema = schema
        self.places = places
        self.outer = outer
        self.aliases: dict[str, Expression] = {} if aliases is None else aliases
        self.outputs: dict[str, Expression] = {}
        """What names mean rather than columns: those of groups, where their input is looked at."""
        self._nearest = [width for width in visible if width < len(schema)]
        self.shown = _first(schema, self._nearest[0]) if self._nearest else schema
        """The columns before those that a select left out."""
        self.may_hide = bool(self._nearest) or left_out is not None
        """Whether there are, or may come, columns beside those that are shown."""

    def column(self, text: str, of: QueryOperation | None) -> Expression:
        """The column that PySpark's name means: a parsed name, perhaps of a known DataFrame.

        Raises:
            UnknownColumnError, AmbiguousColumnError: no column, or several.
        """
        parts = parse_name(text)
        if of is not None:  # Spark does not look for it in the queries around
            return self.own_column(parts, of)
        failure: ViewscribeError | None = None
        scope: Scope | None = self
        level = 0
        while scope is not None:
            try:
                return scope.own_column(parts, of, level)
            except UnknownColumnError as error:
                failure = failure or error
            if not level and _calls_function(parts):
                return CallExpression(built_in(parts[0].lower()), ())
            scope, level = scope.outer, level + 1
        assert failure is not None
        raise failure

    def own_column(
        self, parts: Sequence[str], of: QueryOperation | None, level: int = 0
    ) -> Expression:
        """The same without looking into the queries around, seen from ``level`` queries inside."""
        output = self.outputs.get(parts[0].lower()) if of is None else None
        if output is not None:
            return _fields_of(output, parts[1:])
        try:
            index, fields = self.find_place(parts, of)
        except UnknownColumnError:
            known = self.aliases.get(parts[0].lower())
            if known is None or of is not None:
                raise
            return _fields_of(known, parts[1:])
        if level:
            asked = parts[len(parts) - len(fields) - 1]
            outer = self.schema.outer_reference(index, asked, level)
            return _fields_of(ValueExpression(outer), fields)
        return _fields_of(ValueExpression(self.schema.reference(index)), fields)

    def find_place(
        self, parts: Sequence[str], of: QueryOperation | None
    ) -> tuple[int, Sequence[str]]:
        """The position of a column, and the names of fields behind it.

        Raises:
            UnknownColumnError, AmbiguousColumnError: no column, or several.
        """
        failure: UnknownColumnError | None = None
        while True:
            try:
                found = self._find_among_known(parts, of)
            except UnknownColumnError as error:
                failure = failure or error
                if not self._look_deeper():
                    raise failure from None
            else:
                self.use(found[0])
                return found

    def use(self, index: int) -> None:
        """Notes that an expression names the column at ``index``."""
        if self._left_out is not None:
            self._left_out.use(index)

    def widening_schemas(self) -> Iterator[Schema]:
        """The columns, then those with what the selects below left out, as deep as is asked for."""
        yield self.schema
        while self._look_deeper():
            yield self.schema

    def _look_deeper(self) -> bool:
        """Adds the columns of further selects; returns False if there are none."""
        if self._left_out is None or not self._left_out.look_deeper():
            return False
        wider = self._left_out.operation
        self.schema, self.places = wider.schema, (Place(wider, 0),)
        self._nearest = [width for width in self._left_out.widths if width < len(wider.schema)]
        return True

    def _find_among_known(
        self, parts: Sequence[str], of: QueryOperation | None
    ) -> tuple[int, Sequence[str]]:
        if of is not None:
            if not _BY_DATAFRAME and self._namesakes is not Namesakes.LEFT:
                return self._found_or_namesake(parts, of)
            index, fields = of.schema.find_path(parts)
            return self.place_of(of, index), fields
        for width in self._nearest:
            try:
                return self._find_named(_first(self.schema, width), parts)
            except UnknownColumnError:
                continue
        return self._find_named(self.schema, parts)

    def _find_named(self, schema: Schema, parts: Sequence[str]) -> tuple[int, Sequence[str]]:
        """The position of a column among the first ones, by its name alone."""
        lone = self.places[0].operation if len(self.places) == 1 else None
        return find_attribute(schema, parts, lone)

    def _found_or_namesake(
        self, parts: Sequence[str], of: QueryOperation
    ) -> tuple[int, Sequence[str]]:
        """What Spark 4.0 takes: the nearest column that is the DataFrame's, or has its name.

        Over Connect it does; its classic sessions take the DataFrame's or none, as later ones do.
        """
        index, fields = of.schema.find_path(parts)
        lost: UnknownColumnError | None = None
        found = len(self.schema)
        try:
            found = self.place_of(of, index)
        except UnknownColumnError as error:
            if not any(reaches(place.operation, of, self._copies) for place in self.places):
                raise
            lost = error
        # A key that a join by names left out has no other name than that with its qualifier.
        whole = () if self._keys and self._nearest and len(parts) == 1 else (len(self.schema),)
        for width in (*self._nearest, *whole):
            if found < width:
                return found, fields
            try:
                namesake = self._find_named(_first(self.schema, width), parts)
            except UnknownColumnError:
                continue
            if self._namesakes is Namesakes.REFUSED:
                raise _has_namesake(of.schema.names[index], self.schema)
            return namesake
        raise lost or _unknown_column_error(of.schema.names[index], self.schema)

    def place_of(self, of: QueryOperation, index: int) -> int:
        """The position here of a column of another DataFrame.

        Raises:
            UnknownColumnError: that DataFrame, or its column, does not reach this place.
            AmbiguousColumnError: it does so in more than one way.
        """
        found = [
            (depth, each + place.offset)
            for place in self.places
            for depth, each in find_column(
                place.operation, of, index, self._deduplicated, self._copies
            )
        ]
        if not found:
            raise _unknown_column_error(of.schema.names[index], self.schema)
        for width in self._nearest:
            nearer = [pair for pair in found if pair[1] < width]
            if nearer:
                found = nearer
                break
        # Spark takes the input itself before what was made of it, and nothing else for nearer.
        chosen = (
            [pair for pair in found if pair[0] == 0]
            or [pair for pair in found if pair[0] < TAKEN_OVER]
            or found
        )
        indexes = {each for _, each in chosen}
        if len(indexes) > 1:
            raise _twice(of.schema.names[index])
        return indexes.pop()


def _calls_function(parts: Sequence[str]) -> bool:
    """Whether a name that is no column calls a function, before columns around are looked at."""
    return len(parts) == 1 and parts[0].lower() in CALLED_WITHOUT_PARENTHESES


def _first(schema: Schema, width: int) -> Schema:
    return Schema(schema.fields[:width], schema.qualifiers[:width])


_BY_DATAFRAME = is_at_least(4, 1)
"""Whether Spark Connect takes a DataFrame's column or none: 4.0 takes another of its name too."""


def _has_namesake(name: str, schema: Schema) -> CaptureError:
    return CaptureError(
        f"column `{name}` of another DataFrame was replaced or left out here: with Spark 4.0 a "
        "Connect session takes another column of its name instead, and a classic one does not",
        location=f"({schema})",
        hint='name the column that is meant: col("…")',
    )


def _unknown_column_error(name: str, schema: Schema) -> UnknownColumnError:
    return UnknownColumnError(
        f"column `{name}` of another DataFrame does not reach this place",
        location=f"({schema})",
        hint='name the column of this DataFrame: col("…"); one of the query around is found by '
        'its alias: col("o.…").outer() where that is named df.alias("o")',
    )


def _twice(name: str) -> AmbiguousColumnError:
    return AmbiguousColumnError(
        f"column `{name}` of a DataFrame is ambiguous, for the DataFrame is here more than once",
        hint='name the sides with df.alias("…") and the columns with col("….name")',
    )


def _fields_of(base: Expression, names: Sequence[str]) -> Expression:
    for name in names:
        base = ItemExpression(base, literal(name))
    return base
