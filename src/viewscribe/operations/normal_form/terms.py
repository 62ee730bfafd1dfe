"""Terms that are equal when they are the same number: what expressions and rows are made of.

A term is a kind, plain data and the terms below it. The kind says what it is:

============ ===================================================================================
``@…``       a column of the rows of its query, by what it holds and never by a name or a place
``@outer``   such a column of a query around, so many queries out
``@ref``     the same while the query around is not known: queries out, and the place there
``#…``       rows
``query``    a query within an expression; what is in it stands a query deeper
``{}``       terms of which neither the order matters nor how often one is there
``and``      terms of which the order does not matter; ``or`` likewise
else         a function of the terms below
============ ===================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

Term = int
Change = Callable[[Term], "Term | None"]
_Key = tuple[str, Hashable, tuple[Term, ...]]

QUERIES = frozenset(("query", "@lateral"))
"""Kinds of which the terms below see the rows around them as those of a query around."""
_UNORDERED = frozenset(("{}", "and", "or"))
_OUTSIDE = ("@outer", "@ref")


class Terms:
    """All terms of one comparison."""

    def __init__(self) -> None:
        self._known: dict[_Key, Term] = {}
        self._made: list[_Key] = []
        self._reach: list[int] = []

    def make(self, kind: str, data: Hashable = None, below: Iterable[Term] = ()) -> Term:
        """The term, made once."""
        parts = tuple(below)
        if kind in _UNORDERED:
            parts = tuple(sorted(set(parts) if kind == "{}" else parts))
        if kind == "@outer":
            inner, further, beneath = self._made[parts[0]]
            if inner == "@outer":
                assert isinstance(data, int)
                assert isinstance(further, int)
                return self.make("@outer", data + further, beneath)
            if inner == "@ref":
                return self._further(parts[0], data)
        key = (kind, data, parts)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self._made)
            self._made.append(key)
            self._reach.append(self._reach_of(kind, data, parts))
        return found

    def _reach_of(self, kind: str, data: Hashable, below: tuple[Term, ...]) -> int:
        """How many queries out the farthest column is that the term looks at."""
        if kind == "@ref":
            assert isinstance(data, tuple)
            return int(data[0])
        farthest = max([self._reach[each] for each in below], default=0)
        if kind == "@outer":
            assert isinstance(data, int)
            return farthest + data
        return max(farthest - 1, 0) if kind in QUERIES else farthest

    def kind(self, term: Term) -> str:
        """What it is."""
        return self._made[term][0]

    def data(self, term: Term) -> Hashable:
        """What it says besides the terms below."""
        return self._made[term][1]

    def below(self, term: Term) -> tuple[Term, ...]:
        """The terms it is made of."""
        return self._made[term][2]

    def is_column(self, term: Term) -> bool:
        """Whether it is a column of the rows of its own query."""
        kind = self._made[term][0]
        return kind[0] == "@" and kind not in _OUTSIDE

    def lifted(self, roots: Sequence[Term], wrap: Callable[[Term], Term]) -> list[Term]:
        """The terms with every column wrapped, as rows are put into others."""
        return self.rewritten(roots, lambda term: wrap(term) if self.is_column(term) else None)

    def rewritten(self, roots: Sequence[Term], change: Change) -> list[Term]:
        """The terms with what ``change`` says in place of each; where that is None, go on below.

        Asked are the terms of the query itself, and in queries within it the columns of it.
        """
        return _Rewriting(self, change).of(roots, 0)

    def moved_inwards(self, term: Term, by: int) -> Term:
        """An expression over the columns of a query, as a query within it says it.

        Args:
            term: the expression.
            by: how many queries further in.
        """

        def move(each: Term) -> Term | None:
            kind = self.kind(each)
            if kind in _OUTSIDE:
                return self._further(each, by)
            return self.make("@outer", by, [each]) if kind[0] == "@" else None

        return _Rewriting(self, move, beyond=lambda each: self._further(each, by)).of([term], 0)[0]

    def placed(self, roots: Sequence[Term], columns: Sequence[Term]) -> list[Term]:
        """The terms of a query within another, of which the columns are known now."""
        moved: dict[tuple[int, int], Term] = {}

        def find(each: Term, depth: int) -> Term:
            data = self.data(each)
            assert isinstance(data, tuple)
            level, index = data
            if level != depth:
                return each
            if (index, depth) not in moved:
                moved[index, depth] = self.moved_inwards(columns[index], depth)
            return moved[index, depth]

        return _Rewriting(self, lambda _: None, placed=find).of(roots, 1)

    def _further(self, term: Term, by: Hashable) -> Term:
        kind, data, below = self._made[term]
        assert isinstance(by, int)
        if kind == "@ref":
            assert isinstance(data, tuple)
            return self.make("@ref", (data[0] + by, data[1]))
        assert isinstance(data, int)
        return self.make("@outer", data + by, below)

    def reach(self, term: Term) -> int:
        """How many queries out the farthest column is that it looks at; 0 for none."""
        return self._reach[term]


class _Rewriting:
    """One pass over terms that knows how deep in queries it is.

    Args:
        terms: what the terms are of.
        change: asked for the terms of the query itself.
        beyond: what becomes of a column that is farther out than the query itself.
        placed: what becomes of a column that is known by its place, and how deep it stands.
    """

    def __init__(
        self,
        terms: Terms,
        change: Change,
        *,
        beyond: Callable[[Term], Term] | None = None,
        placed: Callable[[Term, int], Term] | None = None,
    ) -> None:
        self.terms = terms
        self.change = change
        self.beyond = beyond
        self.placed = placed
        self.done: dict[tuple[Term, int], Term] = {}

    def of(self, roots: Sequence[Term], depth: int) -> list[Term]:
        """The terms, rewritten."""
        done = self.done
        pending = [(root, depth) for root in roots]
        while pending:
            at = pending[-1]
            if at in done:
                pending.pop()
                continue
            known = self._at_once(*at)
            if known is not None:
                done[at] = known
                continue
            below = self._below(*at)
            missing = [each for each in below if each not in done]
            if missing:
                pending += missing
                continue
            pending.pop()
            kind, data = self.terms.kind(at[0]), self.terms.data(at[0])
            done[at] = self.terms.make(kind, data, [done[each] for each in below])
        return [done[root, depth] for root in roots]

    def _at_once(self, term: Term, depth: int) -> Term | None:
        """What the term becomes, where that does not hang on what is below."""
        terms = self.terms
        kind = terms.kind(term)
        if depth == 0:
            changed = None if kind[0] == "#" else self.change(term)
            return term if changed is None and (kind[0] == "#" or kind in _OUTSIDE) else changed
        if terms.reach(term) < depth:
            return term
        if kind == "@ref":
            if self.placed is not None:
                return self.placed(term, depth)
            data = terms.data(term)
            assert isinstance(data, tuple)
            return self.beyond(term) if self.beyond is not None and data[0] > depth else term
        if kind == "@outer":
            level = terms.data(term)
            assert isinstance(level, int)
            if level > depth:
                return term if self.beyond is None else self.beyond(term)
        return None

    def _below(self, term: Term, depth: int) -> list[tuple[Term, int]]:
        terms = self.terms
        kind = terms.kind(term)
        if kind == "@outer" and depth:
            level = terms.data(term)
            assert isinstance(level, int)
            depth -= level
        elif kind in QUERIES:
            depth += 1
        return [(each, depth) for each in terms.below(term)]
