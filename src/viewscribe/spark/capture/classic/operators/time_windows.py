"""Time windows, which the analyzer writes out as arithmetic on microseconds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Call
from viewscribe.operations import nodes as n
from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.capture.classic.expressions.reader import Given
from viewscribe.spark.capture.classic.operators.columns import free_name
from viewscribe.spark.capture.classic.operators.expands import sources_of
from viewscribe.spark.capture.classic.plan import PlanNode
from viewscribe.spark.capture.classic.run import CaptureRun, Fold

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
