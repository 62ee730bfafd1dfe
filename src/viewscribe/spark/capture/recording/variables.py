"""Local variables of a recorded function: names for the steps that its text says only once.

Only a recording looks at variables. There they belong to the pipeline itself, while what a caller
of ``save_view(df, …)`` calls its DataFrame has nothing to do with the view: its text must not
change because a variable was renamed somewhere else.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from viewscribe.errors import ViewscribeError
from viewscribe.expressions.node import Node, preorder
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource, Recursion, Sort, SubqueryAlias
from viewscribe.operations.notes import Notes, rewrite
from viewscribe.serializer.sharing import shared_operations


class Variables:
    """Calls a pipeline, and knows its local variables when it has ended.

    The frame is caught where the function is entered. A profiler or debugger that is at work stays
    at work: nothing is known then.
    """

    def __init__(self, pipeline: Callable[[Any], Any]) -> None:
        self._pipeline = pipeline
        self._frame: FrameType | None = None

    def call(self, session: object) -> Any:
        """What the pipeline gives for the session."""
        code = _code_of(self._pipeline)
        if code is None or sys.getprofile() is not None:
            return self._pipeline(session)

        def catch(frame: FrameType, event: str, argument: Any) -> None:
            if event == "call" and frame.f_code is code:
                sys.setprofile(None)
                self._frame = frame

        sys.setprofile(catch)
        try:
            return self._pipeline(session)
        finally:
            if sys.getprofile() is catch:
                sys.setprofile(None)

    def dataframes(self, made: object) -> dict[str, Any]:
        """The DataFrames in variables of the function itself, but not the one it gives."""
        if self._frame is None:
            return {}
        held, code = self._frame.f_locals, self._frame.f_code
        own = dict.fromkeys((*code.co_varnames, *code.co_cellvars))
        found = {name: held[name] for name in own if name in held and not name.startswith("_")}
        return {
            name: value
            for name, value in found.items()
            if value is not made and type(value) is type(made)
        }


def _code_of(pipeline: Any) -> CodeType | None:
    """The code of the function that a pipeline is, below decorators and what is bound to it."""
    while True:
        inner = getattr(pipeline, "__wrapped__", None) or getattr(pipeline, "__func__", None)
        if inner is None and isinstance(pipeline, functools.partial):
            inner = pipeline.func
        if inner is None:
            break
        pipeline = inner
    code = getattr(pipeline, "__code__", None)
    return code if isinstance(code, CodeType) else None


def with_names_of_variables(
    root: QueryOperation,
    variables: dict[str, Any],
    capture: Callable[[Any], QueryOperation],
    notes: Notes | None,
) -> QueryOperation:
    """The tree with each shared step under the name of the variable that holds it.

    Args:
        root: the tree of the pipeline.
        variables: DataFrames by the names of their variables, in the order of the function.
        capture: gives the tree of a DataFrame.
        notes: hold texts beside the steps.
    """
    shared = shared_operations(root) if variables else set()
    shared = {each for each in shared if not isinstance(each, _WITHOUT_NAMES)}
    if not shared:
        return root
    taken = _names_within(root)
    names: dict[QueryOperation, str] = {}
    for name, dataframe in variables.items():
        if name.lower() in taken:
            continue
        try:
            operation = capture(dataframe)
        except ViewscribeError:  # what the pipeline holds but does not use may be anything
            continue
        if operation in shared and operation not in names:
            names[operation] = name
            taken.add(name.lower())
    return _name_step(root, names, notes) if names else root


_WITHOUT_NAMES = (SubqueryAlias, Sort)
"""What has a name already, and what says an order to the step that follows it."""


def _names_within(root: QueryOperation) -> set[str]:
    """Names of tables, aliases and columns, in lower case: none of them may name something else."""
    found: set[str] = set()
    for node in preorder(root):
        if not isinstance(node, QueryOperation):
            continue
        found.update(name.lower() for name in node.schema.names)
        if isinstance(node, SubqueryAlias | Recursion):
            found.add(node.name.lower())
        elif isinstance(node, CatalogSource):
            found.add(node.path[-1].lower())
    return found


def _name_step(
    root: QueryOperation, names: dict[QueryOperation, str], notes: Notes | None
) -> QueryOperation:
    def change(before: Node, node: Node) -> Node:
        if not isinstance(before, QueryOperation) or before not in names:
            return node
        assert isinstance(node, QueryOperation)
        return SubqueryAlias.of(node, names[before])

    return rewrite(root, change, notes)
