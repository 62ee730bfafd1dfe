"""A plan as ``PlanTerms.java`` writes it: nodes in order, each after those it refers to."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pyspark.sql import DataFrame

from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.registry import all_built_ins
from viewscribe.operations.normal_form.terms import Term, Terms
from viewscribe.spark.java_classes import Py4JError, java_object, unpack

# Conditions that others already say.

_NULL_FAILS = {
    *("EqualTo", "LessThan", "LessThanOrEqual", "GreaterThan", "GreaterThanOrEqual"),
    *("Like", "RLike"),
    *("StartsWith", "EndsWith", "Contains"),
}
"""Comparisons that are not true where an operand is NULL."""

_NULL_STAYS = {
    *("Cast", "WideCast", "Add", "Subtract", "Multiply", "UnaryMinus", "Abs"),
    *("Upper", "Lower", "Substring", "Year", "Month", "DayOfMonth"),
}
"""Functions that give NULL where an operand is NULL."""


def without_implied(terms: Terms, conditions: frozenset[Term]) -> frozenset[Term]:
    """The conditions without each ``x IS NOT NULL`` that another one of them implies."""
    known = {each for condition in conditions for each in _never_null(terms, condition)}
    return frozenset(
        each
        for each in conditions
        if terms.kind(each) != "IsNotNull" or terms.below(each)[0] not in known
    )


def without_asked_again(terms: Terms, asked: Sequence[Term]) -> list[Term]:
    """Conditions in their order, without ``x IS NOT NULL`` where the next one asks for ``x``.

    It computes nothing else that is unknown, so it fails where ``x`` does: ``x > 5`` is such a one.
    """
    kept: list[Term] = []
    for each in reversed(asked):
        again = kept and terms.kind(each) == "IsNotNull"
        if not again or terms.below(each)[0] not in _asked_alone(terms, kept[-1]):
            kept.append(each)
    return kept[::-1]


def _asked_alone(terms: Terms, condition: Term) -> Iterator[Term]:
    """What a condition is not true of if it is NULL, and which stands beside constants alone."""
    if terms.kind(condition) not in _NULL_FAILS:
        return
    kinds = _NULL_FAILS | _NULL_STAYS
    while terms.kind(condition) in kinds:
        unknown = [each for each in terms.below(condition) if terms.kind(each) != "Literal"]
        if len(unknown) != 1:
            return
        (condition,) = unknown
        yield condition


def _never_null(terms: Terms, condition: Term) -> Iterator[Term]:
    """What is not NULL where the condition is true."""
    if terms.kind(condition) == "Not":
        (condition,) = terms.below(condition)
    if terms.kind(condition) in ("In", "InSet"):
        value, *items = terms.below(condition)
        # NULL IN () is false, or NULL, as a setting has it.
        pending = [value] if items or terms.kind(condition) == "InSet" else []
    elif terms.kind(condition) in _NULL_FAILS:
        pending = [*terms.below(condition)]
    else:
        return
    while pending:
        term = pending.pop()
        yield term
        if terms.kind(term) in _NULL_STAYS:
            pending += terms.below(term)


# What a plan reads, and how much, by the statistics of Spark's optimizer.


def bytes_read(frame: DataFrame) -> int | None:
    """The size of all tables and files that a DataFrame reads, in bytes.

    Args:
        frame: a DataFrame; one of Spark Connect has no statistics here.

    Returns:
        The size, or None where Spark does not know it.
    """
    java: Any = frame
    if not hasattr(frame, "_jdf"):
        return None
    try:
        leaves = leaves_of(java._jdf.queryExecution().optimizedPlan())
        sizes = [int(str(leaf.stats().sizeInBytes())) for leaf in leaves]
        unknown = int(java.sparkSession._jsparkSession.sessionState().conf().defaultSizeInBytes())
    except Py4JError:
        return None  # folding constants may fail; so will the rows
    return None if any(size >= unknown for size in sizes) else sum(sizes)


def leaves_of(root: Any) -> list[Any]:
    """What a plan, a Java object, reads, in its sub-queries too."""
    plans = [root, *_items(root.subqueriesAll())]
    return [leaf for plan in plans for leaf in _items(plan.collectLeaves())]


def _items(sequence: Any) -> list[Any]:
    return [sequence.apply(place) for place in range(sequence.size())]


SEEDED = {"Rand", "Randn", "RandStr", "Shuffle", "Uniform", "Uuid"}
"""Functions that draw from a seed, which Spark makes up where none is given."""


class UnknownPlanError(ViewscribeError):
    """A plan holds what the normal form says nothing about; nothing is proven then."""


@dataclass(frozen=True, slots=True)
class Node:
    """An operator or an expression.

    Args:
        kind: the name of its class.
        names: what its arguments are called.
        args: its arguments; ``{"r": place}`` is another node, ``{"i": id}`` an id of Spark.
        id: of an expression with a name; ``columns`` are those of an operator.
        by_chance: whether it may give something else every time.
    """

    kind: str
    names: Sequence[str]
    args: Sequence[Any]
    id: int | None
    columns: Sequence[int] | None
    by_chance: bool

    def argument(self, name: str) -> Any:
        """An argument by its name."""
        return self.args[self.names.index(name)]

    def ref(self, name: str) -> int:
        """The place of the node that an argument is."""
        place: int = self.argument(name)["r"]
        return place

    def refs(self, name: str) -> list[int]:
        """The places of the nodes that are an argument, or in the list that it is."""
        return [*_references(self.argument(name))]

    def references(self) -> list[int]:
        """The places of all nodes it refers to."""
        return [*_references(self.args)]


def _references(argument: Any) -> Iterator[int]:
    if isinstance(argument, list):
        for each in argument:
            yield from _references(each)
    elif isinstance(argument, dict) and "r" in argument:
        yield argument["r"]


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan: its nodes, and how the arguments of each class are called."""

    nodes: Sequence[Node]
    classes: Mapping[str, Sequence[str]]
    root: int

    @property
    def is_seeded(self) -> bool:
        """Whether a function in it draws from a seed."""
        return any(node.kind in SEEDED for node in self.nodes)


def read_plan(text: str) -> Plan:
    """The plan of a text of ``PlanTerms.java``."""
    data = json.loads(text)
    classes: dict[str, list[str]] = data["classes"]
    nodes = [
        Node(
            kind,
            classes.get(kind, ()),
            args,
            None if isinstance(known, list) else known,
            known if isinstance(known, list) else None,
            by_chance,
        )
        for kind, args, known, by_chance in data["nodes"]
    ]
    return Plan(nodes, classes, data["root"])


class PlanWriter:
    """Writes plans of a session so that they can be compared with each other.

    Args:
        session: the Java session.
        jvm: Py4J's view of the driver.

    Raises:
        NotCompiledError: the driver does not let one compile, or has no Janino.
    """

    def __init__(self, session: Any, jvm: Any) -> None:
        self._java = java_object(jvm, __package__, "PlanTerms").another(session)

    def optimized(self, execution: object) -> object:
        """The optimized plan of a query execution, with symbols for what the session supplies."""
        return self._java.optimized(execution)

    def written(self, plan: object) -> Plan:
        """A plan, a Java object, as nodes; of a DataFrame, by its Java object, the analyzed one."""
        return read_plan(unpack(self._java.write(plan)))


# Expressions of a plan as terms: without names, ids and the order of what commutes.

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
