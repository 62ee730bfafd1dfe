"""Terms that are equal when they are the same number: what expressions and rows are made of.

A term is a kind, plain data and the terms below it. The kind says what it is:

============ ===================================================================================
``@…``       a column of the rows of its query, by what it holds and never by a name or a place
``@outer``   such a column of a query around, so many queries out
``@ref``     the same while the query around is not known: queries out, and the place there
``#…``       rows
``query``    a query within an expression; what is in it stands a query deeper
``{}``       terms of which neither the order matters nor how often one is there
``()``       terms in their order
``and``      terms of which the order does not matter, for all are free; ``or`` likewise
``and then`` terms of which a later one is asked only where the earlier ones hold; ``or else``
             likewise
``after``    a condition that is not free, and those that hold where it is asked
``on``       a condition of ON, which may be asked before those of WHERE or after them
``on then``  conditions of ON one of which is not free, in their order, and those of the joins below
else         a function of the terms below
============ ===================================================================================

A term is free if it may be computed anywhere, for any rows and as often as one likes: it cannot
fail and draws nothing. A column is what it holds, for Spark moves conditions below where that is
computed; but nothing moves below what an aggregate, a window or a draw has made. Of ``@given`` it
is not known what it holds, so it is not free.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence

Term = int
Change = Callable[[Term], "Term | None"]
IsFree = Callable[[str, Hashable], bool]
"""Whether a term of this kind and data is free where all the terms below are."""

_Key = tuple[str, Hashable, tuple[Term, ...]]

_OF_JOINS = frozenset(("on", "on then"))
QUERIES = frozenset(("query", "@lateral"))
"""Kinds of which the terms below see the rows around them as those of a query around."""
_UNORDERED = frozenset(("{}", "and", "or"))
_OUTSIDE = ("@outer", "@ref")
_IN_ORDER = {"and": "then", "or": "else"}
_CONNECTING = frozenset(
    {
        *("query", "{}", "()", "and", "or", "and then", "or else", "after", "on", "on then"),
        *("sort", "star", "literal"),
    }
)
"""What is free where all below it is."""


_DONE = frozenset(("@window", "@drawn", "@exists", "@pivoted"))
_AGGREGATES = ("aggregate", "AggregateExpression")
"""What is computed before anything that reads it is asked."""


class Terms:
    """All terms of one comparison.

    Args:
        is_free: what is known of functions; of everything else it is known here.
        commuting: kinds of functions of which free terms below may stand in any order.
    """

    def __init__(self, is_free: IsFree, commuting: Collection[str] = ()) -> None:
        self._is_free = is_free
        self._commuting = commuting
        self._known: dict[_Key, Term] = {}
        self._made: list[_Key] = []
        self._reach: list[int] = []
        self._free: list[bool] = []

    def make(self, kind: str, data: Hashable = None, below: Iterable[Term] = ()) -> Term:
        """The term, made once."""
        parts = tuple(below)
        if kind in _UNORDERED:
            parts = tuple(sorted(set(parts) if kind == "{}" else parts))
        if kind in self._commuting and self.commute(parts):
            parts = tuple(sorted(parts))
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
            self._free.append(self._frees(kind, data, parts))
        return found

    def _frees(self, kind: str, data: Hashable, below: tuple[Term, ...]) -> bool:
        if kind in _DONE or (kind == "@group" and self.kind(below[0]) in _AGGREGATES):
            return True
        known = (
            (kind[0] in "@#" and kind != "@given")
            or kind in _CONNECTING
            or self._is_free(kind, data)
        )
        return known and all(self._free[each] for each in below)

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

    def is_free(self, term: Term) -> bool:
        """Whether it may be computed anywhere, for any rows and as often as one likes."""
        return self._free[term]

    def commute(self, parts: Sequence[Term]) -> bool:
        """Whether it does not matter which of the terms is computed first, and which not at all."""
        return all(self._free[each] for each in parts)

    def joined(self, kind: str, parts: Iterable[Term], *, as_written: bool = False) -> Term:
        """``a AND b AND c``, or with OR: free terms in no order, others as they are asked."""
        ordered, unordered = (f"{kind} {_IN_ORDER[kind]}", kind)
        flat = [
            part
            for each in parts
            for part in (self.below(each) if self.kind(each) in (ordered, unordered) else (each,))
        ]
        if as_written or not self.commute(flat):
            return self.make(ordered, None, flat)
        once = set(flat)
        return self.make(unordered, None, once) if len(once) > 1 else once.pop()

    def conjuncts(self, condition: Term) -> tuple[Term, ...]:
        """The parts of ``a AND b``, in their order."""
        connected = self.kind(condition) in ("and", "and then")
        return self.below(condition) if connected else (condition,)

    def with_conditions(self, known: frozenset[Term], more: Iterable[Term]) -> frozenset[Term]:
        """A set of conditions and those of WHERE that are asked next.

        Assumes what Spark does: a condition is asked where those before it hold; one of a single
        input is asked of that input, and before those of several. Whether one of ON comes before
        depends on how many are joined. So one that is not free says which are there already.
        """
        for each in more:
            asked = each
            if not self._free[each] or self._waits(known, each):
                before = [one for one in known if self._meets(one, each)]
                asked = self.make("after", None, [each, self.make("{}", None, before)])
            known |= {asked}
        return known

    def with_joined(self, known: frozenset[Term], asked: Iterable[Term]) -> frozenset[Term]:
        """A set of conditions and those of ON: of several inputs as written if one is not free."""
        of_one = [each for each in asked if len(self._asked_inputs(each)) < 2]
        others = [each for each in asked if each not in of_one]
        if self.commute(others):
            of_one += others
            others = []
        known |= {self.make("on", None, [e]) if self.below(e) else e for e in of_one}
        if not others:
            return known
        earlier = {each for each in known if self.kind(each) in _OF_JOINS}
        parts = [self.make("()", None, others), self.make("{}", None, earlier)]
        return known | {self.make("on then", None, parts)}

    def can_join(self, asked: Iterable[Term]) -> bool:
        """Whether conditions of ON may be parted: those that are not free are of several inputs."""
        return all(self._free[each] or len(self._asked_inputs(each)) > 1 for each in asked)

    def projected(self, conditions: Iterable[Term]) -> frozenset[Term]:
        """Conditions below a projection, above which others are joined: those of ON are no more
        asked beside theirs.
        """
        return frozenset(
            self.make(self.kind(each), "projected", [each])
            if self.kind(each) in _OF_JOINS
            else each
            for each in conditions
        )

    def conditions(self, known: Iterable[Term]) -> frozenset[Term]:
        """Conditions of which it matters no longer whether they were those of ON."""
        return frozenset(map(self._plain, known))

    def _plain(self, condition: Term) -> Term:
        while self.kind(condition) == "on" or self.data(condition) == "projected":
            (condition,) = self.below(condition)
        return condition

    def _waits(self, known: Iterable[Term], condition: Term) -> bool:
        """Whether a condition is asked beside those of ON of which one is not free."""
        late = any(self.kind(each) == "on then" for each in known)
        return late and len(self._asked_inputs(condition)) != 1

    def _meets(self, one: Term, other: Term) -> bool:
        """Whether a condition may decide if another one, which stands behind it, is asked."""
        ours, theirs = self._asked_inputs(one), self._asked_inputs(other)
        return not ours or not theirs or ours == theirs or min(len(ours), len(theirs)) > 1

    def _asked_inputs(self, condition: Term) -> set[Hashable]:
        """The inputs of a join that a condition is about; none where a query in it tells not."""
        found: set[Hashable] = set()
        pending = [self.below(condition)[0] if self.kind(condition) == "after" else condition]
        seen = set(pending)
        while pending:
            term = pending.pop()
            kind = self.kind(term)
            if kind in QUERIES or kind in _OUTSIDE or kind[0] == "#":
                return set()
            if kind == "@in":
                found.add(self.data(term))
            elif kind[0] != "@":
                pending += [each for each in self.below(term) if each not in seen]
                seen.update(pending)
        return found

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
