"""Whole statements: CTEs, the query under them, and a second try for trees that nest too deep."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.node import Node, find, fold, preorder
from viewscribe.expressions.nodes import (
    FieldReference,
    OuterReference,
    ResolvedExpression,
    SubqueryExpression,
)
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource, Hint, Recursion, TimeWindow, WithCte
from viewscribe.operations.notes import Notes
from viewscribe.operations.rewrites.hints import with_hints_above
from viewscribe.operations.rewrites.idle import is_idle, without_idle_steps
from viewscribe.operations.rewrites.split import (
    is_small,
    is_too_deep,
    is_too_long,
    split_large_expressions,
)
from viewscribe.operations.rewrites.window_keys import with_windows_as_keys
from viewscribe.serializer.availability import refuse_newer
from viewscribe.serializer.blocks import Column, Env, Relation, SourceColumn
from viewscribe.serializer.expressions import (
    LIMITS,
    Limits,
    TooDeepError,
)
from viewscribe.serializer.features import TooLongError
from viewscribe.serializer.folding import Folder, Steps
from viewscribe.serializer.queries import QueryPrinter
from viewscribe.serializer.reads import refuse_many_reads
from viewscribe.serializer.savings import find_wasteful
from viewscribe.serializer.sharing import (
    names_within,
    plain_order,
    shared_operations,
    without_alias,
    without_hidden_names,
)
from viewscribe.serializer.short_names import DEFAULT, shorten
from viewscribe.serializer.targets import NEWEST, Target


class _NeedsSharingError(Exception):
    """A sub-query was met in a tree that had not been searched for shared operations."""


def statement(
    operation: QueryOperation,
    style: str,
    target: Target = NEWEST,
    notes: Notes | None = None,
    qualify: str = "full",
    current: tuple[str, str] = DEFAULT,
) -> str:
    """The operation as a SQL statement that the target reads; with notes, with comments."""
    root = shorten(without_alias(operation), qualify, current)
    if target is not NEWEST:
        refuse_newer(root, target)
    if type(root) is TimeWindow and root.is_session:
        raise NotSerializableError(
            "a session window only exists in groups",
            hint=f'follow it with group_by("{root.name}", …)',
        )
    if not root.schema.names:
        raise NotSerializableError(
            "a query without columns has no form in SQL", hint="select at least one column"
        )
    try:
        # A long chain of small steps is no repetition: a second try would print the same.
        limits = Limits(may_exceed=lambda: is_small(root))
        return _print_within(limits, root, style, target, notes)
    except (TooDeepError, TooLongError, RecursionError):
        pass
    if not _nests_within(root, Limits().queries):
        raise _too_deep()
    whole = split_large_expressions(root, notes)
    if is_too_deep(whole):
        raise NotSerializableError(
            "an expression nests deeper than Spark parses, and it cannot be split because its "
            "parts are evaluated only under conditions",
            hint="compute an inner part with add_columns(…) first, and use the column",
        )
    if is_too_long(whole):
        raise NotSerializableError(
            "an expression uses its parts again and again, and they cannot be computed once: they "
            "are evaluated only under conditions, or join rows",
            hint="compute the part with add_columns(…) first, and use the column",
        )
    known = sys.getrecursionlimit()
    sys.setrecursionlimit(max(known, _FRAMES))
    try:
        return _print_within(_split_limits(), whole, style, target, notes)
    except (TooDeepError, RecursionError):
        raise _too_deep() from None
    finally:
        sys.setrecursionlimit(known)


_FRAMES = 3_000
"""What the most queries inside of each other take of Python's stack."""


def _split_limits() -> Limits:
    return Limits(depth=_FRAMES, calls=sys.maxsize, is_split=True)


def _too_deep() -> NotSerializableError:
    return NotSerializableError(
        "queries stand inside the expressions of queries deeper than can be printed, and than "
        "Spark parses",
        hint="save an inner query as a view or table, and go on from there",
    )


def _nests_within(root: QueryOperation, most: int) -> bool:
    """Whether no more queries than so many stand inside the expressions of others."""

    def count(node: Node, children: list[int]) -> int:
        return max(children, default=0) + isinstance(node, SubqueryExpression)

    return fold(root, count) <= most


def readable(operation: QueryOperation) -> str:
    """The operation in the readable style."""
    return statement(operation, "readable")


def _print_within(
    limits: Limits, root: QueryOperation, style: str, target: Target, notes: Notes | None
) -> str:
    before = LIMITS.set(limits)
    try:
        return _print(root, style, target, notes)
    finally:
        LIMITS.reset(before)


def _print(root: QueryOperation, style: str, target: Target, notes: Notes | None) -> str:
    flat = style == "readable"
    order = plain_order(root) if flat and notes is None else None
    if order is not None and not _is_rewritten(order):
        try:
            return _plain(order, target)
        except _NeedsSharingError:
            pass
    limits = LIMITS.get()
    refuse_many_reads(root, style, is_split=limits is not None and limits.is_split)
    root = without_alias(without_idle_steps(root, notes))
    if flat:
        root = with_hints_above(with_windows_as_keys(root, notes), notes)
    hidden, steps = names_within(root)
    if steps:
        root = without_hidden_names(root, hidden, notes)
    if style == "pipe":
        from viewscribe.serializer.pipe import pipe_statement

        return pipe_statement(root, target, hidden, notes)
    if not flat:
        return _in_blocks(root, Steps(notes=notes), target, hidden, flat=False)
    return _with_steps(root, target, hidden, notes)


def _is_rewritten(order: Sequence[QueryOperation]) -> bool:
    """Whether an operation is written otherwise than it is, or not at all."""
    return not _REWRITTEN.isdisjoint(map(type, order)) or any(map(is_idle, order))


_REWRITTEN = frozenset((Hint, TimeWindow))
_SLACK = 4
"""How many times longer than a tree looks its text may be; then the text itself is looked at."""


def _with_steps(root: QueryOperation, target: Target, hidden: set[str], notes: Notes | None) -> str:
    """The text with the CTEs that make it shorter; its comments do not count."""
    spelled_out: set[QueryOperation] = set()
    while True:
        shared = shared_operations(root, spelled_out, slack=_SLACK)
        steps = Steps(shared)
        text = _in_blocks(root, steps, target, hidden)
        wasteful = set(find_wasteful(steps, shared))
        if not wasteful:
            break
        spelled_out |= wasteful
    if notes is None:
        return text
    return _in_blocks(root, Steps(shared, notes=notes), target, hidden)


def _in_blocks(
    root: QueryOperation, steps: Steps, target: Target, hidden: set[str], *, flat: bool = True
) -> str:
    steps.taken |= _find_short_names(find(root, CatalogSource, Recursion, WithCte))
    printer = QueryPrinter(steps, flat=flat, target=target)
    printer.inner_names = hidden
    block = Folder(steps=steps, flat=flat, target=target).fold(root)
    return printer.statement(block, root.schema.names)


def _plain(order: Sequence[QueryOperation], target: Target) -> str:
    """The statement of a plain tree; stops at a sub-query, which may read a table again."""
    printer = _PlainPrinter(Steps(taken=_find_short_names(order)), target=target)
    block = Folder(steps=printer.steps, target=target).fold_in_order(order)
    return printer.statement(block, order[-1].schema.names)


def _find_short_names(nodes: Iterable[Node]) -> set[str]:
    """Tables without catalog and database before their names, which a CTE would hide.

    Recursive queries, too, have their names for themselves.
    """
    found = set()
    for node in nodes:
        if type(node) is CatalogSource and len(node.path) == 1:
            found.add(node.path[0].lower())
        elif isinstance(node, Recursion | WithCte):
            found.add(node.name.lower())
    return found


class _PlainPrinter(QueryPrinter):
    __slots__ = ()

    def subquery(
        self, operation: Any, env: Env, only_existence: bool = False
    ) -> Callable[[int], str]:
        raise _NeedsSharingError


def expression_to_sql(expression: ResolvedExpression) -> str:
    """A single expression as SQL text, its columns by their bare names."""
    names: dict[int, str] = {}
    for node in preorder(expression, skip=lambda node: isinstance(node, QueryOperation)):
        if isinstance(node, FieldReference):
            names[node.index] = node.name
    for node in preorder(expression):  # a sub-query may refer to columns that stand nowhere else
        if isinstance(node, OuterReference):
            names.setdefault(node.index, node.name)
    relation = Relation("input", list(names.values()))
    width = max(names, default=-1) + 1
    columns: list[Column] = [SourceColumn(relation, "")] * width
    for index, name in names.items():
        columns[index] = SourceColumn(relation, name)
    before = LIMITS.set(Limits(calls=sys.maxsize))
    try:
        return QueryPrinter(Steps()).expression(expression, Env(columns))
    except TooDeepError:
        raise NotSerializableError(
            "the expression nests deeper than Spark parses",
            hint="compute an inner part as a column of its own first",
        ) from None
    finally:
        LIMITS.reset(before)
