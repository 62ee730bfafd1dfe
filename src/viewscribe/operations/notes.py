"""Texts beside the steps of a pipeline, such as the Python line of each, but not in the tree."""

from __future__ import annotations

from collections.abc import Callable

from viewscribe.expressions.node import Node, marks_in, marks_of, postorder
from viewscribe.operations.base import QueryOperation


class Notes:
    """A text for each step, by identity: equal steps may have been written on different lines."""

    __slots__ = ("_noted",)

    def __init__(self) -> None:
        # With the step itself, so that it lives as long as its identity is a key.
        self._noted: dict[int, tuple[QueryOperation, str | None]] = {}

    def note(self, operation: QueryOperation, text: str | None) -> None:
        """Notes the text beside the step and those below it that were not looked at before."""
        noted, pending = self._noted, [operation]
        while pending:
            step = pending.pop()
            if id(step) not in noted:
                noted[id(step)] = (step, text)
                pending += step.inputs()

    def of(self, operation: QueryOperation) -> str | None:
        """The text beside a step."""
        found = self._noted.get(id(operation))
        return None if found is None else found[1]

    def carry(self, before: QueryOperation, after: QueryOperation) -> None:
        """Notes the text beside a step beside what a rewrite has made of it, too."""
        self.note(after, self.of(before))

    def join(self, one: QueryOperation, other: QueryOperation, after: QueryOperation) -> None:
        """Notes the texts beside two steps beside the one that a rewrite has made of both."""
        texts = dict.fromkeys(text for each in (one, other) if (text := self.of(each)))
        self.note(after, ", ".join(texts) or None)

    def carry_all(self, before: QueryOperation, after: QueryOperation) -> None:
        """As ``carry``, for each step of a tree that a rewrite has left its shape."""
        order: list[tuple[QueryOperation, QueryOperation]] = []
        pending = [(before, after)]
        while pending:
            old, new = pending.pop()
            if new is not old:
                order.append((old, new))
                pending += zip(old.inputs(), new.inputs(), strict=True)
        for old, new in reversed(order):
            self.carry(old, new)


def rewrite(
    root: QueryOperation,
    change: Callable[[Node, Node], Node],
    notes: Notes | None,
    *kinds: type[Node],
) -> QueryOperation:
    """The tree with every node replaced by what ``change`` makes of it, bottom-up.

    Args:
        root: the tree.
        change: what becomes of a node, given as it was and over its new children.
        notes: what stands beside a step is noted beside what became of it, too.
        kinds: the only nodes that may change; where none of them is, nothing is looked at.
    """
    marks = marks_of(kinds) or ~0
    done: dict[int, Node] = {}
    for node in postorder(root, skip=lambda node: not marks_in(node) & marks):
        old = node.children()
        new = [done.get(id(child), child) for child in old]
        same = all(one is other for one, other in zip(new, old, strict=True))
        made = done[id(node)] = change(node, node if same else node.with_children(new))
        if notes is not None and made is not node and isinstance(node, QueryOperation):
            assert isinstance(made, QueryOperation)
            notes.carry(node, made)
    found = done.get(id(root), root)
    assert isinstance(found, QueryOperation)
    return found
