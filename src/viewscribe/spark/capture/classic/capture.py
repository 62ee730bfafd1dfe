"""From the analyzed plan of a DataFrame to our operations.

The plan is walked in a loop, inputs first, so its depth does not matter. What each of Spark's
operators is to us is said in the tables of the package ``operators``.
"""

from __future__ import annotations

from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.capture.classic.errors import refusal
from viewscribe.spark.capture.classic.plan import PlanNode, inputs_of
from viewscribe.spark.capture.classic.run import CaptureRun, Fold, Handler


class Capture(CaptureRun):
    """A run that captures each operator with its handler, or several of them as one."""

    def _step(self, node: PlanNode) -> Fold:
        """What an operator reads, and how it is captured then."""
        from viewscribe.spark.capture.classic.operators.folds import fold_of

        folded = fold_of(node)
        if folded is not None:
            return folded
        return Fold(self._inputs(node), lambda run, captured: self._handle(node, captured))

    def _inputs(self, node: PlanNode) -> list[PlanNode]:
        alone = node.kind in whole() or _is_command(node) or _is_stored(node)
        return [] if alone else inputs_of(node)

    def _handle(self, node: PlanNode, inputs: list[Captured]) -> Captured:
        handler = handlers().get(node.kind)
        if _is_command(node):
            raise refusal(
                node,
                "the rows are the answer of a command, not of a query",
                hint="save it as a table: df.write.saveAsTable(…), and start from spark.table(…)",
            )
        if handler is None:
            raise refusal(
                node,
                f"the operator `{node.kind}` has no counterpart that is known here",
                hint="save its result as a table, and start from spark.table(…)",
            )
        return handler(self, node, inputs)


def _is_command(node: PlanNode) -> bool:
    """Whether it is a command, whose parts are no queries."""
    return "command" in node.extra and node.kind not in handlers()


def _is_stored(node: PlanNode) -> bool:
    """Whether it is a permanent view, which stands by its name: its body may be anything."""
    return node.kind == "View" and not node["isTempView"]


_handlers: dict[str, Handler] = {}
_whole: set[str] = set()


def handlers() -> dict[str, Handler]:
    """How each operator is captured."""
    if not _handlers:
        from viewscribe.spark.capture.classic.operators import (
            columns,
            expands,
            groups,
            joins,
            loops,
            nearest,
            refusals,
            rows,
            shapes,
            sources,
        )

        families = (
            sources,
            columns,
            rows,
            joins,
            nearest,
            groups,
            shapes,
            expands,
            loops,
            refusals,
        )
        for module in families:
            _handlers.update(module.HANDLERS)
        _whole.update(sources.WHOLE, refusals.HANDLERS)
    return _handlers


def whole() -> set[str]:
    """Operators that are captured without looking at what they read."""
    handlers()
    return _whole
