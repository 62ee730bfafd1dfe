"""The CTEs of a statement: which there are, and what reads what."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Self

import msgspec

from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Process
from viewscribe.operations.notes import Notes
from viewscribe.operations.user_functions import UniqueCalls
from viewscribe.serializer.blocks import (
    Block,
    Relation,
    RelationItem,
    free_name,
)

MOST_STEPS = 40
"""CTEs of one query; Spark's analyzer gives up near 100 that build on each other."""


def is_step_reference(block: Block) -> bool:
    """Whether the block does nothing but read a CTE."""
    item = block.from_
    return block.bare and isinstance(item, RelationItem) and item.relation.source == "step"


class Steps(msgspec.Struct, eq=False):
    """The CTEs of a statement; ``shared`` are the operations that become one for each.

    ``readers`` are the relations that read each, ``texts`` what was printed of it.
    ``renamed`` are operations that only give a CTE another name.
    ``ctes`` are the names in the text of those that the tree has, and of recursive queries around;
    ``full`` says whether no CTE has a place.
    ``notes`` are texts beside the steps of the pipeline, which become comments.
    """

    shared: Collection[QueryOperation] = msgspec.field(default_factory=set)
    blocks: dict[str, Block] = msgspec.field(default_factory=dict)
    taken: set[str] = msgspec.field(default_factory=set)
    by_operation: dict[QueryOperation, str] = msgspec.field(default_factory=dict)
    reads: dict[str, list[str]] = msgspec.field(default_factory=dict)
    readers: dict[str, list[Relation]] = msgspec.field(default_factory=dict)
    texts: dict[str, str] = msgspec.field(default_factory=dict)
    renamed: set[QueryOperation] = msgspec.field(default_factory=set)
    reader: str | None = None
    calls: UniqueCalls | None = None
    ctes: Mapping[str, str] = {}
    full: bool = False
    notes: Notes | None = None

    def note_call(self, call: Process) -> None:
        """Refuses two calls of process table functions that are known by one name."""
        if self.calls is None:
            self.calls = UniqueCalls()
        self.calls.note(call)

    @property
    def is_full(self) -> bool:
        """Whether one more CTE would be too many for Spark."""
        return self.full or len(self.blocks) >= MOST_STEPS

    def within(self, **names: Any) -> Self:
        """For the parts of a query with a WITH of its own, which have no place for other CTEs."""
        return msgspec.structs.replace(
            self,
            **names,
            shared=set(),
            blocks={},
            by_operation={},
            reads={},
            readers={},
            texts={},
            reader=None,
            full=True,
        )

    def is_shared(self, operation: QueryOperation) -> bool:
        """Whether the operation occurs more than once."""
        return bool(self.shared) and operation in self.shared and not self.is_full

    def find(self, operation: QueryOperation) -> str | None:
        """The CTE that already holds the operation."""
        return self.by_operation.get(operation) if self.by_operation else None

    def ordered(self) -> list[str]:
        """The names of the CTEs, each after those it reads."""
        order: list[str] = []
        pending = list(reversed(self.blocks))
        while pending:
            name = pending[-1]
            if name in order:
                pending.pop()
                continue
            missing = [m for m in self.reads.get(name, ()) if m not in order and m != name]
            if missing:
                pending.extend(reversed(missing))
            else:
                order.append(name)
                pending.pop()
        return order

    def add(self, wanted: str, block: Block, operation: QueryOperation | None = None) -> str:
        """A new CTE; gives its name."""
        name = free_name(wanted, self.taken)
        self.taken.add(name.lower())
        self.blocks[name] = block
        if operation is not None and self.is_shared(operation):
            self.by_operation[operation] = name
        return name
