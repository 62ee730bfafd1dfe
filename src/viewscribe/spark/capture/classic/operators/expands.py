"""Rows expanded into several: unpivot, and what no other operator says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from types import MappingProxyType
from typing import Any, NamedTuple

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    STAR,
    AggregateCall,
    Alias,
    Call,
    FieldReference,
    Literal,
    ResolvedExpression,
    alias,
    strip_alias,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import GroupingKeys, aggregate_select
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.classic.columns import NOBODY, Captured
from viewscribe.spark.capture.classic.expressions.basics import captured_literal
from viewscribe.spark.capture.classic.expressions.casts import is_added
from viewscribe.spark.capture.classic.expressions.reader import Expressions, Given, made_call
from viewscribe.spark.capture.classic.operators.columns import free_name, name_item, pick
from viewscribe.spark.capture.classic.plan import PlanNode, refusal
from viewscribe.spark.capture.classic.run import CaptureRun, Fold, Handler, ids_of
from viewscribe.types.coercion import common_type_of


def sources_of(expand: PlanNode) -> dict[int, int]:
    """Of each column that is the same in every copy of a row: the column of the input that it is.

    The two have one id, unless the frame is joined with itself: then the analyzer gives all the
    columns of one side new ids.
    """
    return {
        column.id: copies[0].id
        for column, *copies in zip(expand["output"], *expand["projections"], strict=True)
        if all(each.kind == "AttributeReference" for each in copies)
        and len({each.id for each in copies}) == 1
    }


def _expand(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    return _unpivot(run, node, inputs[0]) or _repeat(run, node, inputs[0])


def _unpivot(run: CaptureRun, node: PlanNode, child: Captured) -> Captured | None:
    """Rows that differ in a text and in the column it names."""
    rows, output = node["projections"], node["output"]
    passed = sources_of(node)
    kept, labels = output[:-2], [row[-2] for row in rows]
    values = [row[-1] for row in rows]
    if len(output) < 2 or any(each.id not in passed for each in kept):
        return None
    bare = [each["child"] if is_added(each) else each for each in values]
    if any(each.kind != "Literal" or not isinstance(each["value"], str) for each in labels):
        return None
    if any(each.kind != "AttributeReference" or each.id not in child.places for each in bare):
        return None
    ids = [passed[each.id] for each in kept]
    turned = [each.id for each in bare]
    if len({*ids, *turned}) < len(ids) + len(turned):
        return None
    source = child
    named = [
        alias(_reference(child, id_), each["name"]) for id_, each in zip(ids, kept, strict=True)
    ]
    if (
        len(child.ids) != len({*ids, *turned})
        or list(child.ids) != [each for each in child.ids if each in {*ids, *turned}]
        or [each for each in child.ids if each in ids] != ids
        or any(type(each) is Alias for each in named)  # asked for as ID where it is called id
    ):
        references = [_reference(child, each) for each in turned]
        source = pick(child, [*named, *references], [*ids, *turned])
    columns = tuple(_reference(source, each) for each in turned)
    common = common_type_of([column.type for column in columns])
    if common is None or not common.same_type(output[-1]["dataType"]):
        return None
    made = n.Unpivot.of(
        source.operation,
        columns,
        tuple(each["value"] for each in labels),
        output[-2]["name"],
        output[-1]["name"],
        True,
    )
    return Captured(made, ids_of(output))


def _reference(columns: Captured, id_: int) -> FieldReference:
    return columns.schema.reference(columns.places[id_])


def _repeat(run: CaptureRun, node: PlanNode, child: Captured) -> Captured:
    """Every row beside the rows of an array of structs, one for each projection."""
    reader, output = run.expressions(child), node["output"]
    names = [f"c{place}" for place in range(1, len(output) + 1)]
    structs: list[ResolvedExpression] = []
    for row in node["projections"]:
        args: list[ResolvedExpression] = []
        for name, each in zip(names, row, strict=True):
            args += [Literal(name, literal(name).type), reader.read(each)]
        structs.append(made_call(built_in("named_struct"), tuple(args), node))
    array = made_call(built_in("array"), tuple(structs), node)
    call = made_call(built_in("inline"), (array,), node)
    assert isinstance(call, Call)
    made = n.Generate.of(child.operation, call, False, tuple(each["name"] for each in output))
    width = len(child.schema)
    references = [made.schema.reference(width + place) for place in range(len(output))]
    return pick(Captured(made, [NOBODY] * len(made.schema)), references, ids_of(output))


HANDLERS: dict[str, Handler] = {"Expand": _expand}


# Time windows, which the analyzer writes out as arithmetic on microseconds.

_UNITS = (
    ("day", 86_400_000_000),
    ("hour", 3_600_000_000),
    ("minute", 60_000_000),
    ("second", 1_000_000),
    ("millisecond", 1_000),
    ("microsecond", 1),
)


class _Lengths(NamedTuple):
    time: PlanNode
    window: int
    slide: int
    start: int


def tumbling(node: PlanNode) -> Fold | None:
    """``Project [window, …]`` over the rows that have a time."""
    below: PlanNode = node["child"]
    first = node["projectList"][0] if node["projectList"] else None
    if below.kind != "Filter" or first is None or first.kind != "Alias":
        return None
    lengths = _lengths(first["child"])
    if lengths is None or below["condition"].kind != "IsNotNull":
        return None
    return _fold(below["child"], lengths, first)


def sliding(node: PlanNode) -> Fold | None:
    """``Filter`` over an ``Expand`` that repeats each row for every window it falls into."""
    below: PlanNode = node["child"]
    if below.kind != "Expand":
        return None
    lengths = _lengths(below["projections"][0][0])
    if lengths is None:
        return None
    renewed = {source: id_ for id_, source in sources_of(below).items()}
    return _fold(below["child"], lengths, below["output"][0], renewed)


def session(node: PlanNode) -> Fold | None:
    """``Filter`` over ``Project [session_window, …]``."""
    below: PlanNode = node["child"]
    first = below["projectList"][0] if below.kind == "Project" and below["projectList"] else None
    if first is None or first.kind != "Alias":
        return None
    found = _session_parts(first["child"])
    if found is None:
        return None
    time, gap = found

    def capture(run: CaptureRun, inputs: list[Captured]) -> Captured:
        call = run.expressions(inputs[0]).call("session_window", [time, gap], first)
        assert isinstance(call, Call)
        return _window(inputs[0], call, first["name"], first.id)

    return Fold([below["child"]], capture)


def _fold(
    child: PlanNode,
    lengths: _Lengths,
    window: PlanNode,
    renewed: Mapping[int, int] = MappingProxyType({}),
) -> Fold:
    def capture(run: CaptureRun, inputs: list[Captured]) -> Captured:
        given: list[Given] = [lengths.time, literal(_show(lengths.window))]
        if lengths.slide != lengths.window or lengths.start:
            given.append(literal(_show(lengths.slide)))
        if lengths.start:
            given.append(literal(_show(lengths.start)))
        read = run.expressions(inputs[0]).call("window", given, lengths.time)
        assert isinstance(read, Call)
        made = _window(inputs[0], read, window["name"], window.id)
        return Captured(made.operation, [renewed.get(id_, id_) for id_ in made.ids])

    return Fold([child], capture)


def _window(child: Captured, call: Call, name: str, id_: int) -> Captured:
    free = free_name(name, child.operation.schema.names)
    return Captured(n.TimeWindow.of(child.operation, call, free), (*child.ids, id_))


def _lengths(node: PlanNode) -> _Lengths | None:
    """The parts of ``named_struct('start', …, 'end', start + length)``."""
    if node.kind != "CreateNamedStruct" or len(node["children"]) != 4:
        return None
    start, end = _bare(node["children"][1]), _bare(node["children"][3])
    if start.kind != "PreciseTimestampConversion" or end.kind != "PreciseTimestampConversion":
        return None
    total, length = end["child"], None
    if total.kind == "Add":
        length = _number(total["right"])
    shifted = start["child"]
    if length is None or shifted.kind != "Subtract" or shifted["left"].kind != "Subtract":
        return None
    time, case = shifted["left"]["left"], shifted["left"]["right"]
    if case.kind != "CaseWhen" or case["elseValue"].kind != "Remainder":
        return None
    remainder = case["elseValue"]
    slide, offset = _number(remainder["right"]), _number(remainder["left"]["right"])
    if slide is None or offset is None:
        return None
    return _Lengths(time["child"], length, slide, offset)


def _session_parts(node: PlanNode) -> tuple[PlanNode, PlanNode] | None:
    if node.kind != "CreateNamedStruct" or len(node["children"]) != 4:
        return None
    start, end = _bare(node["children"][1]), _bare(node["children"][3])
    if start.kind != "PreciseTimestampConversion" or end.kind != "PreciseTimestampConversion":
        return None
    inner, until = start["child"], end["child"].args.get("child")
    if until is None:  # the end of a tumbling window, which is a sum
        return None
    while until.kind == "Cast":
        until = until["child"]
    if inner.kind != "PreciseTimestampConversion" or until.kind != "TimestampAddInterval":
        return None
    gap = until["interval"]
    return inner["child"], gap["child"] if gap.kind == "Cast" else gap


def _bare(node: PlanNode) -> PlanNode:
    found: PlanNode = node["child"] if node.kind == "KnownNullable" else node
    return found


def _number(node: PlanNode) -> int | None:
    if node.kind != "Literal" or node["value"] is None:
        return None
    return int(node["value"])


def _show(microseconds: int) -> str:
    for unit, size in _UNITS:
        if microseconds % size == 0:
            count = microseconds // size
            return f"{count} {unit}{'s' * (abs(count) != 1)}"
    raise AssertionError(microseconds)


# ROLLUP, CUBE and GROUPING SETS, which the analyzer writes as an aggregate of repeated rows.

_ID = "spark_grouping_id"
Sets = tuple[tuple[int, ...], ...]


def grouping_sets(node: PlanNode) -> Fold | None:
    """``Aggregate`` over an ``Expand`` whose last column numbers the grouping sets."""
    expand: PlanNode = node["child"]
    grouping: list[PlanNode] = node["groupingExpressions"]
    if expand.kind != "Expand" or not any(_is_id(each) for each in grouping):
        return None
    copies: PlanNode = expand["child"]

    def capture(run: CaptureRun, inputs: list[Captured]) -> Captured:
        return _capture_sets(run, node, inputs[0])

    return Fold([copies["child"]], capture)


def _is_id(node: PlanNode) -> bool:
    return node.kind == "AttributeReference" and bool(node["name"] == _ID)


def _capture_sets(run: CaptureRun, node: PlanNode, child: Captured) -> Captured:
    expand: PlanNode = node["child"]
    grouping: list[PlanNode] = node["groupingExpressions"]
    # Behind the number of the set stands the place of it, where a set is there twice.
    numbered = next(place for place, each in enumerate(grouping) if _is_id(each))
    reader = run.expressions(child)
    made_of = {each.id: each for each in expand["child"]["projectList"]}
    places = {each.id: place for place, each in enumerate(expand["output"])}
    for copied_id, source in sources_of(expand).items():
        column = child.reference(source)
        if column is not None:
            reader.given[copied_id] = column
    keys: list[ResolvedExpression] = []
    for key in grouping[:numbered]:
        place = places[key.id]
        # A key of no set is NULL in every copy; its place is the same as in the input.
        copied = [row[place] for row in expand["projections"] if row[place].kind != "Literal"]
        made = made_of[copied[0].id] if copied else expand["child"]["projectList"][place]
        read = name_item(reader, made)
        keys.append(read)
        reader.given[key.id] = strip_alias(read)
    sets: Sets = tuple(
        tuple(
            place
            for place, key in enumerate(grouping[:numbered])
            if row[places[key.id]].kind != "Literal"
        )
        for row in expand["projections"]
    )
    if not keys and len(sets) == 1:
        return _total_of_some(node, child, reader, grouping[numbered])
    id_ = built_in("grouping_id")
    reader.given[grouping[numbered].id] = AggregateCall(id_, (), id_.infer(()))
    reader.grouping = tuple(map(strip_alias, keys))
    items = [name_item(reader, each) for each in node["aggregateExpressions"]]
    kind, listed = _kind(sets, len(keys))
    found = aggregate_select(
        child.operation, GroupingKeys(_named_keys(keys, items), kind, listed), items
    )
    return Captured(found, [each.id for each in node["aggregateExpressions"]])


def _total_of_some(node: PlanNode, child: Captured, reader: Expressions, id_: PlanNode) -> Captured:
    """GROUPING SETS (()) as groups: a total, but no row where there is none to add up.

    So Spark reads it before 4.2, and later where a setting asks for it.
    """
    reader.given[id_.id] = Literal(0, id_["dataType"])
    items = [name_item(reader, each) for each in node["aggregateExpressions"]]
    every, count_rows = literal(1), built_in("count")
    counted = AggregateCall(count_rows, (every,), count_rows.infer((every,)))
    name = free_name("rows", [n.output_name(each) for each in items])
    total = aggregate_select(child.operation, GroupingKeys([]), [*items, alias(counted, name)])
    *shown, count = total.schema.references
    some = made_call(op.GREATER, (count, literal(0)), node)
    found = Captured(n.Filter.of(total, some), [*ids_of(node["aggregateExpressions"]), NOBODY])
    return pick(found, shown, ids_of(node["aggregateExpressions"]))


def _named_keys(
    keys: list[ResolvedExpression], items: list[ResolvedExpression]
) -> list[ResolvedExpression]:
    """The keys under the names that they have in the output, where they are there."""
    outputs = {strip_alias(item): item for item in items if isinstance(item, Alias)}
    return [outputs.get(strip_alias(key), key) for key in keys]


def _kind(sets: Sets, count: int) -> tuple[n.Grouping, Sets]:
    if sets == tuple(tuple(range(length)) for length in range(count, -1, -1)):
        return n.Grouping.ROLLUP, ()
    every = {subset for length in range(count + 1) for subset in combinations(range(count), length)}
    if len(sets) == len(every) and set(sets) == every:
        return n.Grouping.CUBE, ()
    return n.Grouping.SETS, sets


# Pivots, which the analyzer writes as two aggregates and a projection.


def pivot(node: PlanNode) -> Fold | None:
    """``Project`` of the values of ``PivotFirst``, which takes a value of each group apart."""
    upper: PlanNode = node["child"]
    if upper.kind != "Aggregate" or upper["child"].kind != "Aggregate":
        return None
    firsts = {
        each.id: first
        for each in upper["aggregateExpressions"]
        if (first := _first(each)) is not None
    }
    if not firsts:
        return None
    lower: PlanNode = upper["child"]

    def capture(run: CaptureRun, inputs: list[Captured]) -> Captured:
        return _capture_pivot(run, node, firsts, inputs[0])

    return Fold([lower["child"]], capture)


def _first(node: PlanNode) -> PlanNode | None:
    call = node["child"] if node.kind == "Alias" else node
    if call.kind != "AggregateExpression" or call["aggregateFunction"].kind != "PivotFirst":
        return None
    found: PlanNode = call["aggregateFunction"]
    return found


def _capture_pivot(
    run: CaptureRun, node: PlanNode, firsts: dict[int, PlanNode], child: Captured
) -> Captured:
    lower: PlanNode = node["child"]["child"]
    listed: list[PlanNode] = lower["aggregateExpressions"]
    values_of = {first["valueColumn"].id: id_ for id_, first in firsts.items()}
    aggregates = [each for each in listed if each.id in values_of]
    *keys, column = (each for each in listed if each.id not in values_of)
    below = _with_columns(run, child, [*keys, column])
    reader = run.expressions(child)
    calls = [name_item(reader, each) for each in aggregates]
    literals = [
        captured_literal(value, next(iter(firsts.values()))["pivotColumn"]["dataType"])
        for value in next(iter(firsts.values()))["pivotColumnValues"]
    ]
    if not literals:
        return _without_values(node, below, keys)
    names = [f"v{place}" for place in range(1, len(literals) + 1)]
    short = [f"a{place}" for place in range(1, len(calls) + 1)]
    wanted = _choose_names(node, [values_of[each.id] for each in aggregates], len(literals))
    names, short = _names(wanted, len(calls)) or (names, short)
    schema = below.operation.schema
    made = n.Pivot.of(
        below.operation,
        tuple(schema.reference(below.places[each.id]) for each in keys),
        schema.reference(below.places[column.id]),
        tuple(literals),
        tuple(names),
        tuple(alias(_countable(call), name) for call, name in zip(calls, short, strict=True)),
    )
    return _pick(node, made, keys, [values_of[each.id] for each in aggregates], len(literals))


def _without_values(node: PlanNode, below: Captured, keys: list[PlanNode]) -> Captured:
    """A pivot over a column that held no value when Spark looked: its groups are all there is.

    Raises:
        CaptureError: not even groups are there.
    """
    if not keys:
        raise refusal(
            node,
            "the pivot has neither groups nor values, and so no columns",
            hint='name the values: .pivot("column", ["a", "b"])',
        )
    schema = below.operation.schema
    groups = tuple(schema.reference(below.places[each.id]) for each in keys)
    return _pick(node, n.Aggregate.of(below.operation, groups, ()), keys, [], 0)


def _countable(call: ResolvedExpression) -> ResolvedExpression:
    """The aggregate; PIVOT takes no ``count(*)``, but ``count(1)``, which is the same."""
    bare = strip_alias(call)
    if isinstance(bare, AggregateCall) and bare.args == (STAR,):
        return bare.copy_with({"args": (literal(1),)})
    return bare


def _with_columns(run: CaptureRun, child: Captured, nodes: list[PlanNode]) -> Captured:
    """The input with what the keys compute as columns: a pivot groups by columns."""
    computed = [each for each in nodes if each.id not in child.places]
    if not computed:
        return child
    reader = run.expressions(child)
    taken = list(child.operation.schema.names)
    items: list[ResolvedExpression] = [*child.operation.schema.references]
    for each in computed:
        name = free_name(each["name"].strip("_") or "key", taken)
        taken.append(name)
        items.append(alias(strip_alias(name_item(reader, each)), name))
    made: QueryOperation = n.Project.of(child.operation, tuple(items))
    return Captured(made, (*child.ids, *[each.id for each in computed]))


def _item(node: PlanNode) -> tuple[int, int] | None:
    """Which ``PivotFirst`` an item is of, and which value."""
    item = node["child"] if node.kind == "Alias" else node
    if item.kind != "GetArrayItem" or item["child"].kind != "AttributeReference":
        return None
    return item["child"].id, int(item["ordinal"]["value"])


def _choose_names(node: PlanNode, ids: list[int], values: int) -> dict[tuple[int, int], str]:
    """The names that the columns shall have, by aggregate and value."""
    found = {}
    for each in node["projectList"]:
        item = _item(each)
        if item is not None and item[0] in ids:
            found[ids.index(item[0]), item[1]] = each["name"]
    return found


def _names(wanted: dict[tuple[int, int], str], count: int) -> tuple[list[str], list[str]] | None:
    """Names of the values and aggregates of which the names of the columns are made, if any."""
    values = sorted({value for _, value in wanted})
    if values != list(range(len(values))) or len(wanted) != count * len(values):
        return None
    if count == 1:
        return [wanted[0, value] for value in values], ["value"]
    first = wanted[0, 0]
    for cut in range(1, len(first)):
        if first[cut] != "_":
            continue
        prefix = first[: cut + 1]
        if not all(wanted[place, 0].startswith(prefix) for place in range(count)):
            continue
        short = [wanted[place, 0][len(prefix) :] for place in range(count)]
        names = [wanted[0, value].removesuffix(f"_{short[0]}") for value in values]
        made = {
            (place, value): f"{names[value]}_{short[place]}"
            for place in range(count)
            for value in values
        }
        if made == wanted and len(set(short)) == count and all(short):
            return names, short
    return None


def _pick(
    node: PlanNode, made: QueryOperation, keys: list[PlanNode], ids: list[int], values: int
) -> Captured:
    """The projection over the pivot, which is none where the names came out as they shall."""
    schema = made.schema
    places: dict[Any, int] = {each.id: place for place, each in enumerate(keys)}
    for value in range(values):
        for place, id_ in enumerate(ids):
            places[id_, value] = len(keys) + value * len(ids) + place
    items: list[ResolvedExpression] = []
    for each in node["projectList"]:
        item = each["child"] if each.kind == "Alias" else each
        found = places.get(_item(each) or item.extra.get("id"))
        if found is None:
            raise refusal(node, "the values of this pivot are used in a way that is not known here")
        items.append(
            alias(FieldReference(found, schema.names[found], schema[found].type), each["name"])
        )
    # Nothing refers to the pivot's own columns but these items.
    return pick(
        Captured(made, [-2] * len(schema)), items, [each.id for each in node["projectList"]]
    )


# Several operators of the analyzer's that stand for one that a user wrote.

FOLDS: dict[str, tuple[Callable[[PlanNode], Fold | None], ...]] = {
    "Aggregate": (grouping_sets,),
    "Project": (pivot, tumbling),
    "Filter": (sliding, session),
}
"""By the topmost operator: what recognizes them."""


def fold_of(node: PlanNode) -> Fold | None:
    """How the operators from this one downwards are captured as one, where they are one."""
    for recognize in FOLDS.get(node.kind, ()):
        found = recognize(node)
        if found is not None:
            return found
    return None
