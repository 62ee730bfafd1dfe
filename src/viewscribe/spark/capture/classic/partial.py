"""Everything in a plan that cannot be captured, not only the first."""

from __future__ import annotations

from viewscribe.errors import CaptureError
from viewscribe.operations import nodes as n
from viewscribe.spark.capture.classic.capture import Capture
from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.capture.classic.plan import PlanNode, inputs_of, is_operator
from viewscribe.spark.capture.classic.run import Fold, ids_of
from viewscribe.spark.capture.refusals import all_refused
from viewscribe.spark.capture.session_functions import refusals_in
from viewscribe.types import Field

_OF_EXPRESSIONS = frozenset(("Aggregate", "Filter", "Join", "Project", "Sort"))
"""Operators in which several expressions can be refused, each for a reason of its own."""


class WholeCapture(Capture):
    """Goes on past what is refused, with columns of the same types in its place.

    The plan it walks must say the columns of every operator.
    """

    def check(self, root: PlanNode) -> None:
        """Walks over the whole plan.

        Raises:
            CaptureError: all that cannot be captured.
        """
        self.refusals: dict[str, CaptureError] = {}
        self.captured(root)
        if self.refusals:
            raise all_refused(list(self.refusals.values()))

    def _captured(self, node: PlanNode, step: Fold, inputs: list[Captured]) -> Captured:
        try:
            found = super()._captured(node, step, inputs)
        except CaptureError as error:
            self._note(error)
            if node.kind in _OF_EXPRESSIONS and step.inputs == inputs_of(node):
                self._look_further(node, inputs)
            return _placeholder(node)
        for each in refusals_in(found.operation):
            self._note(each)
        return found

    def _inputs(self, node: PlanNode) -> list[PlanNode]:
        """What a refused operator reads is looked at as well."""
        return super()._inputs(node) or inputs_of(node)

    def _look_further(self, node: PlanNode, inputs: list[Captured]) -> None:
        for each in node.expressions():
            if not is_operator(each):
                try:
                    self.expressions(*inputs).read(each)
                except CaptureError as error:
                    self._note(self.placed(error, node))

    def _note(self, error: CaptureError) -> None:
        self.refusals.setdefault(str(error), error)


def _placeholder(node: PlanNode) -> Captured:
    fields = [
        Field(each["name"], each["dataType"].with_nullability(each["nullable"]))
        for each in node.output
    ]
    return Captured(n.CatalogSource.of((node.kind,), tuple(fields)), ids_of(node.output))
