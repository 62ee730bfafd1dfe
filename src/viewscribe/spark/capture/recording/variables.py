"""Local variables of a recorded function: names for the steps that its text says only once.

Only a recording looks at variables. There they belong to the pipeline itself, while what a caller
of ``save_view(df, …)`` calls its DataFrame has nothing to do with the view: its text must not
change because a variable was renamed somewhere else.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import CodeType, FrameType
from typing import Any
from unittest.mock import patch

from viewscribe.errors import ViewscribeError
from viewscribe.expressions.node import Node, preorder
from viewscribe.operations.base import Notes, QueryOperation, rewrite
from viewscribe.operations.nodes import CatalogSource, Recursion, Sort, SubqueryAlias
from viewscribe.serializer.sharing import shared_operations

# ``agg({"a": "sum", "b": "max"})`` gives its columns in the order of a classic session.
#
# PySpark hands the dictionary over as a ``java.util.HashMap``, of which Spark makes an immutable
# map of Scala: both order names by their hash codes, the latter from five names on.

_MASK = 0xFFFFFFFF
_FEW = 4
"""The most names of which Scala keeps the order that they came in."""


@contextmanager
def ordered_as_by_classic() -> Iterator[None]:
    """Inside the block, PySpark's Connect orders the columns of dictionaries as classic does."""
    from pyspark.sql.connect.dataframe import DataFrame
    from pyspark.sql.connect.group import GroupedData

    with ExitStack() as stack:
        for kind in (DataFrame, GroupedData):
            stack.enter_context(patch.object(kind, "agg", _ordered(kind.agg)))
        yield


def _ordered(agg: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(agg)
    def ordered(frame: Any, *exprs: Any) -> Any:
        if len(exprs) == 1 and isinstance(exprs[0], dict):
            exprs = ({name: exprs[0][name] for name in classic_order(exprs[0])},)
        return agg(frame, *exprs)

    return ordered


def classic_order(names: Mapping[str, Any]) -> list[str]:
    """The names in the order in which a classic session has their columns."""
    size = 16
    while len(names) > size * 0.75:
        size *= 2
    codes = {name: _java_hash(name) for name in names}
    of_java = sorted(names, key=lambda name: (codes[name] ^ codes[name] >> 16) % size)
    if len(of_java) <= _FEW:
        return of_java
    return list(_of_scala(of_java, 0))


def _java_hash(name: str) -> int:
    code = 0
    units = name.encode("utf-16-be", "surrogatepass")
    for place in range(0, len(units), 2):
        code = (31 * code + int.from_bytes(units[place : place + 2], "big")) & _MASK
    return code


def _scala_hash(name: str) -> int:
    code = _java_hash(name)
    code = (code + ~(code << 9)) & _MASK
    code ^= code >> 14
    code = (code + (code << 4)) & _MASK
    return code ^ (code >> 10)


def _of_scala(names: Iterable[str], shift: int) -> Iterator[str]:
    """The names of a node of Scala's hash trie: those it holds itself, then those of its nodes."""
    if shift >= 32:  # hash codes that are the same
        yield from names
        return
    places: dict[int, list[str]] = {}
    for name in names:
        places.setdefault((_scala_hash(name) >> shift) & 31, []).append(name)
    below = []
    for _, held in sorted(places.items()):
        if len(held) == 1:
            yield held[0]
        else:
            below.append(held)
    for held in below:
        yield from _of_scala(held, shift + 5)


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
