"""Splitting expressions over several projections, where writing them as one would not do.

An expression may nest deeper than Spark parses, or use a part again and again: as text, the
expression of ``e = e + e``, done twenty times, is a million terms long. Such a part becomes a
column of a step below, once. All work is linear in the parts that differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

import msgspec

from viewscribe.expressions.functions.builtin.conditional import CASE
from viewscribe.expressions.functions.syntax import Infix
from viewscribe.expressions.node import Node, fold_all, postorder, postorder_of, preorder
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    Cast,
    FieldReference,
    LambdaVariable,
    Over,
    ResolvedExpression,
    SortOrder,
    SubqueryExpression,
)
from viewscribe.expressions.properties import is_deterministic
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Notes, QueryOperation, rewrite

DEPTH = 40
"""How deep an expression may nest before its inner part becomes a column of its own."""

MOST_DEPTH = 150
"""How deep it may nest where there would be too many steps: Spark parses calls 160 levels deep."""

MOST_STEPS = 50
"""Steps below one operation; Spark's parser gives up near 100 queries inside each other."""

LARGE = 2_000
"""Terms of an expression, counted each time they are used, from which it repeats itself too much.
"""

MOST_TERMS = 100_000
"""Terms that are written where nearly all of them are repetitions."""

_REPETITION = 10
_NEXT_OPERAND = 0.5

_SIZE = 80
"""Terms of a part that becomes a column because it is used twice; less is written again.

A column of as many terms is never folded into the SELECT above it.
"""


def split_large_expressions(root: QueryOperation, notes: Notes | None = None) -> QueryOperation:
    """The tree with inner parts of too large expressions computed by steps below.

    Only parts that are evaluated for every row anyway are moved; an expression that is too deep
    within a branch of CASE, say, stays as it is.

    Args:
        root: the tree.
        notes: what stands beside its steps is noted beside those of the new tree, too.
    """
    return rewrite(
        root,
        lambda _, node: (
            _split(node) if (isinstance(node, QueryOperation) and node.computes_each_row) else node
        ),
        notes,
    )


def is_small(root: QueryOperation) -> bool:
    """Whether no expression of the tree is large enough to be split, and none holds a query."""
    return all(map(_is_small, preorder(root, skip=lambda node: not node.is_query)))


def _is_small(operation: Node) -> bool:
    level = [node for node in operation.children() if not node.is_query]
    size = 0
    for _ in range(DEPTH):
        size += len(level)
        level = [child for node in level if node.child_fields for child in node.children()]
        if size > LARGE or any(node.is_query for node in level):
            return False
        if not level:
            return True
    return False


def is_too_deep(root: QueryOperation) -> bool:
    """Whether an expression of the tree nests deeper than Spark parses."""
    return any(_measure(each)[0] > MOST_DEPTH for each in _expressions_of(root))


def is_too_long(root: QueryOperation) -> bool:
    """Whether an expression of the tree uses the same parts again and again."""
    for expressions in _expressions_of(root):
        size = _measure(expressions)[1]
        if size > MOST_TERMS and size > _REPETITION * len(list(_in_order(expressions))):
            return True
    return False


def _expressions_of(root: QueryOperation) -> Iterator[list[Node]]:
    """Of each operation its expressions."""
    for node in preorder(root):
        if isinstance(node, QueryOperation):
            yield [each for each in node.children() if not each.is_query]


def _split(operation: QueryOperation) -> QueryOperation:
    child = operation.inputs()[0]
    given = [node for node in operation.children() if not isinstance(node, QueryOperation)]
    depth, size = _measure(given)
    if depth <= DEPTH and size <= LARGE:
        return operation
    expressions = _share_equals(_JoinedCases().join(given))
    depth, size = _measure(expressions)
    level = min(max(DEPTH, depth / MOST_STEPS), MOST_DEPTH)
    parts = _Parts(expressions, level, repeats=size > LARGE)
    if not parts.moved:
        joined = any(new is not old for new, old in zip(expressions, given, strict=True))
        return operation.with_children([child, *expressions]) if joined else operation
    below = parts.below(child)
    rebuilt = operation.with_children([below, *parts.above])
    if len(rebuilt.schema) == len(operation.schema):
        return rebuilt
    kept = [*range(len(child.schema)), *range(len(below.schema), len(rebuilt.schema))]
    assert len(kept) == len(operation.schema)
    return n.Project.of(rebuilt, tuple(rebuilt.schema.reference(place) for place in kept))


def _measure(expressions: Sequence[Node]) -> tuple[float, int]:
    """How deep the deepest nests, and how many terms all have, those used twice counted twice."""
    measured = fold_all(expressions, _measure_node)
    return max((depth for depth, _ in measured), default=0.0), sum(size for _, size in measured)


def _measure_node(node: Node, children: Sequence[tuple[float, int]]) -> tuple[float, int]:
    if isinstance(node, QueryOperation):
        return 0, 0
    depths, sizes = [depth for depth, _ in children], [size for _, size in children]
    return _depth_over(node, depths), 1 + sum(sizes)


def _depth_over(node: Node, depths: Sequence[float]) -> float:
    """How deep a node nests: ``a + b + c`` stands without parentheses, and parses at less cost."""
    if len(depths) == 2 and type(node) is Call and isinstance(node.function.syntax, Infix):
        return max(depths[0] + _NEXT_OPERAND, depths[1] + 1)
    return 1 + max(depths, default=0)


class _JoinedCases:
    """``CASE … ELSE CASE … END END`` as one CASE of the branches of both, however many.

    A CASE in the ELSE of another is not joined for itself: its branches are those of the first.
    """

    def __init__(self) -> None:
        self._as_written: dict[int, tuple[Node, Node]] = {}
        self._joined: dict[int, Node] = {}

    def join(self, roots: Sequence[Node]) -> list[Node]:
        """The expressions with all of them joined."""
        fold_all(roots, self._rebuild)
        return list(map(self._join, roots))

    def _rebuild(self, node: Node, _: Sequence[None]) -> None:
        last = _else_case(node)
        children = [each if each is last else self._join(each) for each in node.children()]
        same = all(new is old for new, old in zip(children, node.children(), strict=True))
        self._as_written[id(node)] = node, node if same else node.with_children(children)

    def _join(self, node: Node) -> Node:
        found = self._joined.get(id(node))
        if found is None:
            found = self._joined[id(node)] = self._with_branches(node)
        return found

    def _with_branches(self, node: Node) -> Node:
        _, made = self._as_written[id(node)]
        if _else_case(node) is None or not isinstance(made, Call):
            return made
        args: list[ResolvedExpression] = []
        last: Node | None = node
        while last is not None:
            _, branches = self._as_written[id(last)]
            assert isinstance(branches, Call)
            last = _else_case(last)
            args += branches.args if last is None else branches.args[:-1]
        whole = tuple(args)
        return Call(CASE, whole, made.type) if CASE.infer(whole) == made.type else made


def _else_case(node: Node) -> Call | None:
    """The CASE in the ELSE of another, where both have the same type."""
    if not _is_whole_case(node):
        return None
    last = node.args[-1]
    return last if _is_whole_case(last) and last.type == node.type else None


def _is_whole_case(node: Node) -> TypeGuard[Call]:
    """Whether it is a CASE with an ELSE."""
    return type(node) is Call and node.function is CASE and len(node.args) % 2 == 1


def _share_equals(expressions: Sequence[Node]) -> list[Any]:
    """The expressions with one node for all that are equal, queries in them aside."""
    nodes: dict[tuple[Any, ...], Node] = {}
    found: dict[int, Node] = {}
    for node in postorder_of(expressions, skip=_is_query):
        children = [found.get(id(child), child) for child in node.children()]
        key = (type(node), node.attributes(), *map(id, children))
        known = nodes.get(key)
        if known is None:
            same = all(new is old for new, old in zip(children, node.children(), strict=True))
            known = nodes[key] = node if same else node.with_children(children)
        found[id(node)] = known
    return [found[id(expression)] for expression in expressions]


def _is_query(node: Node) -> bool:
    return node.is_query


class _Part(msgspec.Struct):
    """What is known of a node: where it stands in the tree, and what is left of it there.

    Args:
        depth: how deep it nests, a part that moves counting as a column.
        size: how many terms it has, counted so.
        step: the step that computes what moves out of it, from the bottom; 0 for none.
        uses: how often it stands in others.
        is_value: whether it can be a column: no aggregate, no window, no parameter in it.
        is_certain: whether it is evaluated for every row.
        is_top: whether it is all of an expression, names and orders aside.
    """

    depth: float = 1
    size: int = 1
    step: int = 0
    uses: int = 0
    is_value: bool = True
    is_certain: bool = False
    is_top: bool = False


class _Parts:
    """The parts of an operation's expressions that move to steps below.

    Args:
        expressions: the expressions, with one node for all that are equal.
        level: how deep what stays together may nest.
        repeats: whether what is used again and again moves, too.
    """

    def __init__(self, expressions: Sequence[Node], level: float, *, repeats: bool) -> None:
        self._expressions = expressions
        self._order = list(_in_order(expressions))
        self._known = {id(node): _Part() for node in self._order}
        self.moved: list[list[ResolvedExpression]] = []  # for each step, from the bottom
        self.above: list[Any] = []
        self._find_uses()
        for node in self._order:
            self._place(node, level, repeats)

    def _find_uses(self) -> None:
        """Says of every node how often it is used, and whether it is evaluated for every row."""
        known = self._known
        for root in self._expressions:
            known[id(root)].is_certain = True
            top = root.child if isinstance(root, Alias | SortOrder) else root
            known[id(top)].is_top = True
        for node in reversed(self._order):
            for child in node.children():
                if id(child) in known:
                    known[id(child)].uses += 1
            if known[id(node)].is_certain:
                for child in _always_evaluated(node):
                    known[id(child)].is_certain = True

    def _place(self, node: Node, level: float, repeats: bool) -> None:
        """Whether the node moves, its children known."""
        own = self._known[id(node)]
        below = [self._known[id(each)] for each in node.children() if id(each) in self._known]
        own.depth = _depth_over(node, [each.depth for each in below])
        own.size = _size_of(node) + sum(each.size for each in below)
        own.step = max((each.step for each in below), default=0)
        own.is_value = _may_be_in_column(node) and all(each.is_value for each in below)
        if not (own.is_certain and own.uses and own.is_value and isinstance(node, Call | Cast)):
            return
        is_deep = own.depth >= level and not (own.is_top and own.uses == 1)
        if is_deep or (repeats and own.uses > 1 and own.size > _SIZE):
            if own.step == len(self.moved):
                self.moved.append([])
            self.moved[own.step].append(node)
            own.depth, own.size, own.step = 1, 1, own.step + 1

    def below(self, child: QueryOperation) -> QueryOperation:
        """The steps that compute the parts; ``above`` becomes what is left of the expressions."""
        made: dict[int, Node] = {}
        taken = {name.lower() for name in child.schema.names}
        references: dict[int, FieldReference] = {}
        place, number = len(child.schema), 0
        for step in self.moved:
            for part in step:
                number += 1
                while f"part_{number}" in taken:
                    number += 1
                references[id(part)] = FieldReference(place, f"part_{number}", part.type)
                place += 1
        for node in self._order:
            # What stands where the node stood: the column it is now, or itself over such columns.
            children = [
                references.get(id(child)) or made.get(id(child), child) for child in node.children()
            ]
            same = all(new is old for new, old in zip(children, node.children(), strict=True))
            made[id(node)] = node if same else node.with_children(children)
        for step in self.moved:
            columns = []
            for part in step:
                reference, computed = references[id(part)], made[id(part)]
                assert isinstance(computed, ResolvedExpression)
                columns.append(Alias(computed, reference.name, reference.type))
            child = n.WithColumns.of(child, tuple(columns))
        self.above = [made[id(each)] for each in self._expressions]
        return child


def _in_order(expressions: Sequence[Node]) -> Iterator[Node]:
    """Every node once, children before parents, without the queries in them."""
    seen: set[int] = set()
    for expression in expressions:
        for node in postorder(expression, skip=lambda node: node.is_query or id(node) in seen):
            seen.add(id(node))
            yield node


_QUERY_SIZE = 60


def _size_of(node: Node) -> int:
    return _QUERY_SIZE if isinstance(node, SubqueryExpression) else 1


def _may_be_in_column(node: Node) -> bool:
    """Whether a column of a step below can hold it: not an aggregate, a window, a parameter."""
    if isinstance(node, AggregateCall | Over | LambdaVariable):
        return False
    if isinstance(node, SubqueryExpression):
        return is_deterministic(node)
    return not isinstance(node, Call) or node.function.deterministic


def _always_evaluated(node: Node) -> Sequence[Node]:
    if isinstance(node, Call):
        return node.args if node.function.strict else node.args[:1]
    if isinstance(node, Alias | Cast | SortOrder):
        return (node.child,)
    if isinstance(node, AggregateCall):
        return node.args if node.filter is None else ()
    if isinstance(node, Over):
        return (*node.call.args, *node.partition_by, *node.order_by)
    return ()
