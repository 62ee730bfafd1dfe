"""Blocks as text with a comment at the end of each clause's line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from viewscribe.serializer.blocks import (
    Block,
    Bound,
    FromItem,
    JoinItem,
    RelationItem,
)
from viewscribe.serializer.clauses import guarded
from viewscribe.serializer.folding import Folder
from viewscribe.serializer.fragments import Fragment
from viewscribe.serializer.from_items import FromPrinter
from viewscribe.serializer.noted.comments import comment, noted
from viewscribe.serializer.noted.folding import Clauses, NotedFolder, NotedSteps
from viewscribe.serializer.queries import QueryPrinter
from viewscribe.serializer.targets import NEWEST, Target


class NotedQueryPrinter(QueryPrinter):
    """Prints blocks as the plain printer does, and the notes of their clauses behind these."""

    __slots__ = ("clauses",)

    folder: ClassVar[type[Folder]] = NotedFolder

    def __init__(self, steps: NotedSteps, *, flat: bool = True, target: Target = NEWEST) -> None:
        super().__init__(steps, flat=flat, target=target)
        self.clauses = steps.clauses
        self.from_items = _NotedFromPrinter(self, steps.clauses)

    def terms(self, bounds: Sequence[Bound]) -> list[Fragment]:
        plain = super().terms
        printed = [(bound, plain([bound])) for bound in bounds]
        several = sum(len(terms) for _, terms in printed) > 1
        found: list[Fragment] = []
        for bound, terms in printed:
            behind = comment(self.beside(bound))
            # Parentheses come before the comment, which would hide the closing one.
            found += [noted(guarded(term) if several else term, behind) for term in terms]
        return found

    def beside(self, bound: Bound) -> list[str]:
        """The texts beside a condition, and beside the columns that are written into it."""
        own = self.clauses.at("term", bound)
        return [*self.clauses.within(*bound), *own] if own else []

    def _listing(self, block: Block, head: str, shown: Sequence[str], pad: str) -> str:
        columns = block.columns[len(block.columns) - len(shown) + (shown[0] == "*") :]
        behind = [comment(self.clauses.of_column(column)) for column in columns]
        if len(behind) < len(shown):
            behind.insert(0, "")
        lines = [head + comment(self.clauses.at("select", block))]
        lines += [f"{item},{end}" for item, end in zip(shown, behind, strict=True)]
        lines[-1] = shown[-1] + behind[-1]
        return pad.join(lines)

    def _group_by(self, block: Block, indent: int) -> str:
        assert block.group is not None
        inside = [text for key in block.group.keys for text in self.clauses.within(*key)]
        behind = comment([*inside, *self.clauses.at("group", block)])
        return super()._group_by(block, indent) + behind

    def _tail(self, block: Block, indent: int, names: Sequence[str] | None) -> list[str]:
        shown = super()._tail(block, indent, names)
        if block.order:
            shown[0] += comment(self.clauses.at("order", block))
        if len(shown) > bool(block.order):
            shown[-1] += comment(self.clauses.at("limit", block))
        return shown

    def _united(self, word: str, shown: Sequence[str], firsts: Sequence[Block], pad: str) -> str:
        text = shown[0]
        for first, branch in zip(firsts[1:], shown[1:], strict=True):
            text += f"{pad}{word}{comment(self.clauses.at('union', first))}{pad}{branch}"
        return text


class _NotedFromPrinter(FromPrinter):
    __slots__ = ("clauses",)

    queries: NotedQueryPrinter

    def __init__(self, queries: NotedQueryPrinter, clauses: Clauses) -> None:
        super().__init__(queries)
        self.clauses = clauses

    def terms(self, bounds: Sequence[Bound]) -> list[Fragment]:
        return QueryPrinter.terms(self.queries, bounds)

    def note(self, item: FromItem) -> str:
        if not isinstance(item, JoinItem):
            return comment(self._beside(item))
        texts = self._beside(item.right)
        for bound in item.conditions:
            texts += self.queries.beside(bound)
        return comment([*texts, *self._beside(item)])

    def _beside(self, item: FromItem) -> list[str]:
        owner = item.relation if isinstance(item, RelationItem) else item
        return list(self.clauses.at("from", owner))
