"""Python functions of a session within a tree that is being captured, until all of it is known.

What a later step drops is no part of a view. Whether one does is known in the end only, so that a
call stands in the tree until then.
"""

from __future__ import annotations

from viewscribe.errors import CaptureError
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.families import ANY
from viewscribe.expressions.functions.inference import TypeInference
from viewscribe.expressions.functions.outputs import always_nullable
from viewscribe.expressions.marks import IS_OF_SESSION
from viewscribe.expressions.node import marks_in, postorder
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.notes import Notes
from viewscribe.operations.rewrites.unread import without_unread
from viewscribe.spark.capture.refusals import all_refused
from viewscribe.types import LogicalType


class SessionFunction(FunctionDefinition):
    """A function of the session.

    Args:
        name: what it is called in Python.
        returns: the type of its result.
        refusal: why no view can call it.
    """

    __slots__ = ("refusal",)

    def __init__(self, name: str, returns: LogicalType, refusal: CaptureError) -> None:
        inference = TypeInference((ANY,), always_nullable(returns), 0, variadic=True)
        super().__init__(name, kind=FunctionKind.SCALAR, inference=inference)
        self.built_in_name = ""
        self.refusal = refusal
        self.marks |= IS_OF_SESSION

    @property
    def foldable(self) -> bool:
        """Whether calls can be constants; Spark folds none of its own."""
        return False


def without_dropped(query: QueryOperation, notes: Notes | None) -> QueryOperation:
    """A query, also one in an expression, without the columns of such functions that it drops."""
    return without_unread(query, IS_OF_SESSION, notes)


def without_session_functions(
    root: QueryOperation, notes: Notes | None = None, *, partial: bool = False
) -> QueryOperation:
    """The tree without the columns of the session's functions, which nothing may read.

    Raises:
        CaptureError: one is read; with ``partial`` all that are.
    """
    made = without_dropped(root, notes)
    refusals = refusals_in(made)
    if refusals:
        raise all_refused(refusals if partial else refusals[:1])
    return made


def refusals_in(root: QueryOperation) -> list[CaptureError]:
    """Why each function of the session in a tree is refused, what runs first first."""
    found: dict[int, CaptureError] = {}
    for node in postorder(root, skip=lambda node: not marks_in(node) & IS_OF_SESSION):
        function = getattr(node, "function", None)
        if isinstance(function, SessionFunction):
            found.setdefault(id(function), function.refusal)
    return [*found.values()]
