"""Expressions of a plan as terms: without names, ids and the order of what commutes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache
from typing import Any

from viewscribe.expressions.functions.registry import all_built_ins
from viewscribe.operations.normal_form.terms import Term, Terms
from viewscribe.spark.proof.nodes import SEEDED, Node, Plan, UnknownPlanError

COMMUTING = {
    *("EqualTo", "EqualNullSafe", "Add", "Multiply"),
    *("BitwiseAnd", "BitwiseOr", "BitwiseXor"),
}
_TURNED = {"GreaterThan": "LessThan", "GreaterThanOrEqual": "LessThanOrEqual"}
_CONNECTIVES = {"And": "and", "Or": "or"}
_FREE = {
    *("Literal", "Symbol", "WideCast", "SortOrder", "%free", "%bound", "%common"),
    *("Not", "InSet", "CaseWhen", "If", "GetStructField", "CreateNamedStruct", "CreateArray"),
    *("KnownNotNull", "KnownFloatingPointNormalized", "NormalizeNaNAndZero", "StringTrim"),
    *("Exists", "ListQuery", "InSubquery", "IsNotNull", "DayOfMonth", "Substring"),
}
"""What cannot fail besides calls of functions of which that is known."""
_SEEDED_BY_NUMBER = {"Rand", "Randn"}
"""Functions whose seed is one 64-bit number, whichever integer type it was written in."""

_LONG_SEED = 1 << 48
"""A seed that Spark or PySpark made up; one that a user writes is short, were it a time."""


@cache
def _never_failing() -> frozenset[str]:
    known = [each for each in all_built_ins().values() if each.never_fails]
    return frozenset(_FREE | {kind for each in known for kind in each.catalyst})


def is_free(kind: str, data: Hashable) -> bool:
    """Whether an expression is free where its operands are."""
    return kind in _never_failing()


class Values:
    """Reads the expressions of one plan.

    Args:
        terms: where terms are made.
        plan: the plan.
        results: what the plans inside of expressions give, by their places.
        seeds: whether a seed that Spark made up is known by its value; else by how many others were
            met before, for each draw is its own.
    """

    def __init__(
        self, terms: Terms, plan: Plan, results: Mapping[int, Term], *, seeds: bool
    ) -> None:
        self._terms = terms
        self._plan = plan
        self._results = results
        self._seeds = seeds
        self._made_up: dict[str, int] = {}
        self.as_written = False

    def read(self, place: int, columns: Mapping[int, Term]) -> Term:
        """The term of an expression over rows of these columns.

        Raises:
            UnknownPlanError: it refers to what is no column, or holds a plan of no known form.
        """
        nodes = self._plan.nodes
        found: dict[int, Term] = {}
        pending, reached = [place], set()
        while pending:
            each = pending.pop()
            if each not in reached:
                reached.add(each)
                if each not in self._results:
                    pending += nodes[each].references()
        for each in sorted(reached):  # a node is written after those that it refers to
            if each not in self._results:
                found[each] = self._made(nodes[each], found, columns)
        return found[place]

    def _made(self, node: Node, found: dict[int, Term], columns: Mapping[int, Term]) -> Term:
        terms, kind = self._terms, node.kind
        if kind == "Attribute":
            if node.id is None or node.id not in columns:
                raise UnknownPlanError(f"column {node.id} is of no input")
            return columns[node.id]
        if kind == "Variable":
            return terms.make("%free", node.id)
        if kind in ("Literal", "Symbol"):
            return terms.make(kind, tuple(node.args))
        if kind == "Alias":
            return found[node.ref("child")]
        if kind == "LambdaFunction":
            return self._lambda(node, found)
        if kind == "CommonExpressionRef":
            return terms.make("%common", node.args[0])
        if kind == "With":
            return self._with(node, found)
        if kind == "OuterReference":
            raise UnknownPlanError("a query looks at the row around it")
        below: list[Term] = []
        shape = self._shape(node, found, below)
        if kind in _CONNECTIVES:
            return terms.joined(_CONNECTIVES[kind], below, as_written=self.as_written)
        if kind in _TURNED and terms.commute(below):
            return terms.make(_TURNED[kind], shape, reversed(below))
        return terms.make(kind, shape, below)

    def _shape(self, node: Node, found: dict[int, Term], below: list[Term]) -> Hashable:
        """The arguments with a sign where a term stands, which goes to ``below``."""
        drawn = node.kind in SEEDED and not self._seeds
        by_value = node.kind in _SEEDED_BY_NUMBER

        def shape(argument: Any) -> Hashable:
            if isinstance(argument, list):
                return tuple(map(shape, argument))
            seed = self._digits(argument) if drawn or by_value else None
            if drawn and seed is not None and abs(int(seed)) >= _LONG_SEED:
                return f"seed made up {self._made_up.setdefault(seed, len(self._made_up))}"
            if not isinstance(argument, dict):
                return repr(argument)
            if "r" not in argument:
                return "id"
            place = argument["r"]
            if by_value and seed is not None:
                return f"seed {seed}"
            below.append(self._results[place] if place in self._results else found[place])
            return "term"

        names = self._plan.classes[node.kind]
        return tuple(
            shape(each)
            for name, each in zip(names, node.args, strict=True)
            if name not in ("sameOrderExpressions", "hideSeed")
        )

    def _digits(self, argument: Any) -> str | None:
        """The digits of a whole number that an argument is; None for everything else."""
        digits = str(argument)
        if isinstance(argument, dict) and "r" in argument:
            node = self._plan.nodes[argument["r"]]
            digits = str(node.args[1]) if node.kind == "Literal" else ""
        return digits if digits.removeprefix("-").isdigit() else None

    def _with(self, node: Node, found: dict[int, Term]) -> Term:
        """An expression that names parts of itself: BETWEEN is two comparisons of one of them."""
        terms, given = self._terms, [self._plan.nodes[each] for each in node.refs("defs")]
        if any(each.by_chance for each in given):
            raise UnknownPlanError("a part by chance")
        parts = {each.args[1]: found[each.ref("child")] for each in given}

        def put(term: Term) -> Term | None:
            return parts.get(terms.data(term)) if terms.kind(term) == "%common" else None

        return terms.rewritten([found[node.ref("child")]], put)[0]

    def _lambda(self, node: Node, found: dict[int, Term]) -> Term:
        """A function whose variables are counted from within, whatever Spark calls them."""
        terms = self._terms
        (body,) = (found[node.ref("function")],)
        arguments = node.argument("arguments")
        places = {self._plan.nodes[each["r"]].id: place for place, each in enumerate(arguments)}
        height = 0

        def look(term: Term) -> None:
            nonlocal height
            if terms.kind(term) == "LambdaFunction":
                height = max(height, int(str(terms.data(term))))

        terms.rewritten([body], look)

        def bind(term: Term) -> Term | None:
            if terms.kind(term) == "%free" and terms.data(term) in places:
                place = places[terms.data(term)]
                return terms.make("%bound", (height + 1, place))
            return None

        return terms.make("LambdaFunction", height + 1, terms.rewritten([body], bind))
