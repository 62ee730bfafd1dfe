"""Resolves the pipe syntax: each step is an operation over the result of the step before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from viewscribe.errors import UnknownColumnError, ViewscribeError
from viewscribe.expressions.nodes import FieldReference, alias, strip_alias
from viewscribe.expressions.resolve import require_boolean
from viewscribe.expressions.schema import Schema
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.parser import syntax as s
from viewscribe.parser.checks import holds_generator, spell
from viewscribe.parser.queries import has_order, has_table_star, joins_by_names, place_of
from viewscribe.parser.scopes import (
    Columns,
    Given,
    Source,
    drop_hidden_keys,
    is_made_up,
    name_combination,
    name_relation,
    see_columns,
)
from viewscribe.parser.select import read_added, read_select
from viewscribe.parser.sort_keys import calls_in, is_aggregate
from viewscribe.parser.sources import SourceReader
from viewscribe.parser.tokens import show_place
from viewscribe.parser.values import ExpressionReader
from viewscribe.types import Field

if TYPE_CHECKING:
    from viewscribe.parser.queries import QueryReader


def read_pipe(queries: QueryReader, node: s.Piped) -> QueryOperation:
    """Resolves all steps."""
    body = node.source.body
    joins = (type(body) is s.SelectOf and joins_by_names(body.source)) or any(
        step.kind == "join" and joins_by_names(step.value) for step in node.steps
    )
    before = queries.shows_keys
    queries.shows_keys = before or (joins and has_table_star(node.steps))
    try:
        return _read_steps(queries, node)
    except UnknownColumnError:
        if queries.shows_keys or not joins:
            raise
        queries.shows_keys = True
        return _read_steps(queries, node)
    finally:
        queries.shows_keys = before


def _read_steps(queries: QueryReader, node: s.Piped) -> QueryOperation:
    source = _source(queries, node.source)
    for step in node.steps:
        try:
            source = _STEPS[step.kind](queries, step, source)
        except ViewscribeError as error:
            if not (error.location or "").startswith("line "):
                error.location = show_place(queries.text, step.at)
            raise
    return drop_hidden_keys(source.operation, source)


def _source(queries: QueryReader, node: s.QueryOf) -> Source:
    """What the pipe starts from; of ``FROM t`` the names of its tables are known further on."""
    body = node.body
    plain = not (node.ctes or node.order or node.limit is not None or node.offset is not None)
    if plain and type(body) is s.SelectOf and _is_from(body):
        return SourceReader(queries).read(body.source)
    if plain and type(body) is s.TableName:
        return SourceReader(queries).read(body)
    if plain and type(body) is s.Combined:
        operation, names = queries.combination(body)
        return Source(operation, names, len(names))
    return Source.of(queries.read(node))


def _is_from(body: s.SelectOf) -> bool:
    item = body.items[0] if len(body.items) == 1 else None
    return (
        body.source is not None
        and type(item) is s.StarOf
        and not item.qualifier
        and not item.without
        and not body.hints
        and not body.distinct
        and body.where is None
        and body.group is None
        and body.having is None
        and body.qualify is None
    )


def _read_given(source: Source, at: int) -> Given:
    return Given(at, source)


def _select(queries: QueryReader, step: s.Step, source: Source) -> Source:
    select = msgspec.structs.replace(step.value, source=_read_given(source, step.at))
    return Source.of(read_select(queries, select, s.QueryOf(step.at, select)))


def _extend(queries: QueryReader, step: s.Step, source: Source) -> Source:
    if any(type(each) is s.StarOf for each in step.value):
        raise queries.error(step, "EXTEND takes no `*`: all columns stay")
    reader = ExpressionReader(queries, _columns(queries, source), step.more)
    added = tuple(_under_whole_name(reader, each) for each in step.value)
    given = _read_given(source, step.at)
    select = s.SelectOf(step.at, added, source=given, windows=step.more)
    columns = read_added(queries, select, s.QueryOf(step.at, select))
    if columns is not None and source.width == len(source.names):
        made = n.WithColumns.of(source.operation, columns)
        return Source(made, _extended(source, made), source.width + len(columns))
    select.items = (s.StarOf(step.at, ()), *added, *_hidden_keys(source, step.at))
    return _keep_columns(source, read_select(queries, select, s.QueryOf(step.at, select)))


def _extended(source: Source, made: n.WithColumns) -> Schema:
    """The names of a relation, and those of the columns that were added."""
    if source.names is source.operation.schema:
        return made.schema
    return source.names.extended([Field(each.name, each.type) for each in made.columns])


def _hidden_keys(source: Source, at: int) -> list[s.Name]:
    """The keys that a join by names does not show, which stay behind what a step shows."""
    names, width = source.names, source.width
    keys = zip(names.qualifiers[width:], names.names[width:], strict=True)
    return [s.Name(at, (*table, name)) for table, name in keys]


def _under_whole_name(reader: ExpressionReader, item: Any) -> Any:
    """Of a field without alias, EXTEND makes the whole path the name, SELECT its last part."""
    if type(item) is not s.Name or len(item.parts) == 1:
        return item
    found = reader.columns.find_here(item.parts)
    if found is None or isinstance(found, FieldReference):
        return item
    return s.Aliased(item.at, item, (spell(reader, item),))


def _keep_columns(source: Source, made: QueryOperation) -> Source:
    """A step's columns: first those before it under their names, last the hidden keys."""
    count, tables = source.width, source.names.qualifiers
    width = len(made.schema) - (len(tables) - count)
    qualifiers = (*tables[:count], *((),) * (width - count), *tables[count:])
    return Source(made, Schema(made.schema.fields, qualifiers), width)


def _set(queries: QueryReader, step: s.Step, source: Source) -> Source:
    for name, value in step.value:
        reader = ExpressionReader(queries, _columns(queries, source))
        expression = strip_alias(reader.read(value))
        shown = Schema(source.names.fields[: source.width])
        place = shown.find(name)
        below: QueryOperation = source.operation
        if build.is_generator(expression):
            below = build.generate(below, expression)
            if len(below.schema) != len(source.operation.schema) + 1:
                raise queries.error(step, "SET takes a generator of one column")
            expression = below.schema.references[-1]
        elif holds_generator(expression):
            raise queries.error(
                step, "a generator inside of an expression", "make its rows in a step of its own"
            )
        columns = [
            alias(expression, name) if each.index == place else each
            for each in source.operation.schema.references[: len(source.names)]
        ]
        made = _keep_columns(source, n.Project.of(below, tuple(columns)))
        qualifiers = [*made.names.qualifiers]
        qualifiers[place] = ()
        source = Source(made.operation, Schema(made.names.fields, qualifiers), made.width)
    return source


def _columns(queries: QueryReader, source: Source) -> Columns:
    return see_columns(source, queries.outer)


def _drop(queries: QueryReader, step: s.Step, source: Source) -> Source:
    reader = ExpressionReader(queries, _columns(queries, source))
    plain = [_find_whole(source, parts) for parts in step.value]
    places = {place for place in plain if place is not None}
    if len(places) == len(plain) < source.width == len(source.names):
        gone = tuple(sorted(places))
        return Source(
            n.Project.without(source.operation, gone),
            source.names.without(gone),
            source.width - len(gone),
        )
    kept = reader.star_items(s.StarOf(step.at, (), tuple(step.value)))
    hidden = source.operation.schema.references[source.width :]
    made = n.Project.of(source.operation, (*kept, *hidden))
    names = source.names
    qualifiers = [
        names.qualifiers[each.index] if isinstance(each, FieldReference) else ()
        for each in (*kept, *hidden)
    ]
    return Source(made, Schema(made.schema.fields, qualifiers), len(kept))


def _find_whole(source: Source, parts: Sequence[str]) -> int | None:
    """Where the one column stands that has a name of one part; None where it is not that plain."""
    place = source.names.by_name.find_unique(parts[0].lower()) if len(parts) == 1 else -1
    return None if place < 0 else place


def _as(queries: QueryReader, step: s.Step, source: Source) -> Source:
    operation = source.operation
    if source.width < len(operation.schema):
        operation = n.Project.of(operation, operation.schema.references[: source.width])
    if is_made_up(step.value):
        return name_relation(operation, step.value)
    own = queries.relation_names.without_number(step.value)
    return name_relation(n.SubqueryAlias.of(operation, own), step.value)


def _where(queries: QueryReader, step: s.Step, source: Source) -> Source:
    reader = ExpressionReader(queries, _columns(queries, source))
    condition = require_boolean(reader.read(step.value), "WHERE")
    build.forbid(reader.met, "WHERE", windows="compute it with |> EXTEND first")
    return Source(n.Filter.of(source.operation, condition), source.names, source.width)


def _aggregate(queries: QueryReader, step: s.Step, source: Source) -> Source:
    keys = tuple(_key_at(queries, source, each) for each in step.more)
    _check_aggregates(queries, step, source)
    named = [each for each in keys if not isinstance(each, s.GroupingSets)]
    plain = tuple(map(_as_key, keys))
    items = (*named, *step.value)
    if len(named) < len(keys):
        raise queries.error(step, "ROLLUP, CUBE and GROUPING SETS in AGGREGATE are not read")
    group = s.GroupBy(step.at, plain) if keys else None
    select = s.SelectOf(step.at, items, source=_read_given(source, step.at), group=group)
    if group is None:
        select.having = None
    return Source.of(read_select(queries, select, s.QueryOf(step.at, select)))


def _key_at(queries: QueryReader, source: Source, node: Any) -> Any:
    """The column that a number among the keys stands for: one before the step."""
    place = place_of(node) if queries.reading.group_places else None
    if place is None or not 1 <= place <= source.width:
        return node
    return s.Name(node.at, (*source.names.qualifiers[place - 1], source.names.names[place - 1]))


def _as_key(node: Any) -> Any:
    """A key without its alias; a number that has one is a value, and no place."""
    return node.child if type(node) is s.Aliased and place_of(node.child) is None else node


def _check_aggregates(queries: QueryReader, step: s.Step, source: Source) -> None:
    """Refuses items of AGGREGATE that are not aggregates."""
    reader = ExpressionReader(queries, _columns(queries, source))
    for item in step.value:
        if not any(is_aggregate(reader, each) for each in calls_in(item)):
            raise queries.error(
                item, "AGGREGATE takes aggregate functions", "put the column behind GROUP BY"
            )


def _end(queries: QueryReader, step: s.Step, source: Source) -> Source:
    ends = step.value
    if has_order(ends) and (ends.limit is not None or ends.offset is not None):
        raise queries.error(step, "an order and LIMIT are steps of their own", "write |> LIMIT")
    items = (s.StarOf(step.at, ()), *_hidden_keys(source, step.at))
    select = s.SelectOf(step.at, items, source=_read_given(source, step.at))
    query = msgspec.structs.replace(step.value, body=select)
    return _keep_columns(source, read_select(queries, select, query))


def _join(queries: QueryReader, step: s.Step, source: Source) -> Source:
    return SourceReader(queries).read(_start(step.value, source))


def _start(node: Any, source: Source) -> Any:
    """The relation, whose leftmost one is what is before the step."""
    if type(node) is s.Joined:
        return msgspec.structs.replace(node, left=_start(node.left, source))
    if isinstance(node, s.Named | s.PivotOf | s.UnpivotOf | s.LateralView | s.Sampled):
        return msgspec.structs.replace(node, child=_start(node.child, source))
    return _read_given(source, node.at)


def _turn(queries: QueryReader, step: s.Step, source: Source) -> Source:
    return SourceReader(queries).read(_start(step.value, source))


def _combine(queries: QueryReader, step: s.Step, source: Source) -> Source:
    right = queries.plain(step.value.right)
    left = source.operation
    if source.width < len(left.schema):
        left = n.Project.of(left, left.schema.references[: source.width])
    made = queries.combined(step.value, left, right)
    names, width = source.names, source.width
    first = Schema(names.fields[:width], names.qualifiers[:width])
    return Source(made, name_combination(first, made), width)


_STEPS: dict[str, Callable[[QueryReader, s.Step, Source], Source]] = {
    "select": _select,
    "extend": _extend,
    "set": _set,
    "drop": _drop,
    "as": _as,
    "where": _where,
    "aggregate": _aggregate,
    "end": _end,
    "join": _join,
    "turn": _turn,
    "combine": _combine,
}

SourceReader.handlers[Given] = lambda reader, node: node.source
