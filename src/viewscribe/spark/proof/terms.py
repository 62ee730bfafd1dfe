"""Terms that are equal when they are the same number: what expressions and rows are made of.

A term is a kind, plain data and the terms below it. The first sign of the kind says what it is:

===== ==========================================================================================
``@`` a column of the rows below, by what it holds and never by a name or an id of Spark
``#`` rows, or a value that depends on no row around it: nothing within refers to a column outside
else  a function of the terms below
===== ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

Term = int


class Terms:
    """All terms of one comparison."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, Hashable, tuple[Term, ...]], Term] = {}
        self._made: list[tuple[str, Hashable, tuple[Term, ...]]] = []

    def make(self, kind: str, data: Hashable = None, below: Iterable[Term] = ()) -> Term:
        """The term, made once."""
        key = (kind, data, tuple(below))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self._made)
            self._made.append(key)
        return found

    def kind(self, term: Term) -> str:
        """What it is."""
        return self._made[term][0]

    def data(self, term: Term) -> Hashable:
        """What it says besides the terms below."""
        return self._made[term][1]

    def below(self, term: Term) -> tuple[Term, ...]:
        """The terms it is made of."""
        return self._made[term][2]

    def rewritten(self, roots: Sequence[Term], change: Callable[[Term], Term | None]) -> list[Term]:
        """The terms with what ``change`` says instead of it; where that is None, go on below.

        What is closed (``#``) stays as it is.
        """
        new: dict[Term, Term] = {}
        pending, descended = list(roots), []
        while pending:
            term = pending.pop()
            if term in new:
                continue
            changed = term if self.kind(term)[0] == "#" else change(term)
            if changed is not None:
                new[term] = changed
                continue
            new[term] = term
            descended.append(term)
            pending += self.below(term)
        for term in sorted(descended):  # a term is made after those that it is made of
            kind, data, below = self._made[term]
            new[term] = self.make(kind, data, [new[each] for each in below])
        return [new[each] for each in roots]

    def lifted(self, roots: Sequence[Term], wrap: Callable[[Term], Term]) -> list[Term]:
        """The terms with every column wrapped, as rows are put into others."""
        return self.rewritten(roots, lambda term: wrap(term) if self.kind(term)[0] == "@" else None)
