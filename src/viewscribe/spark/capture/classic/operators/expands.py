"""Rows expanded into several: unpivot, and what no other operator says."""

from __future__ import annotations

from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    Literal,
    ResolvedExpression,
    alias,
)
from viewscribe.operations import nodes as n
from viewscribe.spark.capture.classic.columns import NOBODY, Captured
from viewscribe.spark.capture.classic.expressions.casts import is_added
from viewscribe.spark.capture.classic.expressions.reader import made_call
from viewscribe.spark.capture.classic.operators.columns import pick
from viewscribe.spark.capture.classic.plan import PlanNode
from viewscribe.spark.capture.classic.run import CaptureRun, Handler, ids_of
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
