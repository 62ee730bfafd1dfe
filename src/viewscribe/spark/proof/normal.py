"""The normal form of a plan, analyzed or optimized: equal forms give equal rows.

Each rule keeps the rows as they are:

====================  ============================================================================
a column              is what it holds: no name, no id, no place; a projection is only that
a filter              is a set of conditions, one with those of the inner joins below
``IS NOT NULL``       goes where another condition of the set says it
joins                 inner and cross ones are a list of inputs under one set of conditions
what nobody reads     is not there: columns of a projection, an aggregate, a union, a window
CTEs                  stand where they are read, if they give the same rows every time; recursive
                      ones are told apart by their order
hints, names          have no part in rows
====================  ============================================================================

An operator that no rule knows keeps all its arguments, all its columns and their order. A value
moves whole to where it is read, as Spark's optimizer moves it; so equal forms give equal rows, and
not the same error first. Operands commute, and conditions do, where none of them can fail or draws:
one that does says what was asked before it. What the session supplies is a symbol, each draw is its
own, and below what reads the places of rows every operator is taken as it is written (places.py).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from viewscribe.operations.normal_form.terms import Term, Terms
from viewscribe.spark.proof.nodes import (
    COMMUTING,
    Node,
    Plan,
    PlanWriter,
    UnknownPlanError,
    Values,
    is_free,
    without_asked_again,
    without_implied,
)

# Where rows stand: the parts of a plan of which something reads the order or the partitions.
#
# There the operators are taken as they are written: another order of the inputs of a join, of its
# conditions or of the keys of groups, or a hint, puts the rows elsewhere.

_CUTS = ("GlobalLimit", "LocalLimit", "Offset", "Tail")
_PLACELESS = {
    *("Leaf", "Project", "Filter", "Sort", "Aggregate", "Distinct", "Window", "Generate"),
    *("Expand", "SubqueryAlias", "View", "ResolvedHint", "Join", "Union", "CTERelationDef"),
    *("CTERelationRef", "WithCTE", "UnionLoop", "UnionLoopRef", "Pivot", "Intersect", "Except"),
    *("LateralJoin", "Unpivot"),
    *("Repartition", "RepartitionByExpression", "RebalancePartitions"),
}
"""Operators that give the same rows wherever those of their inputs stand, if they draw nothing."""


def placed_parts(plan: Plan) -> frozenset[int]:
    """The places of all that is below what draws, numbers, samples, or takes the first rows.

    Rows that come in an order that somebody gave stand where it says; of those that are alike in it
    any may be the first, in one query that is run twice as well.
    """
    found: set[int] = set()
    pending = [
        each
        for node in plan.nodes
        if node.columns is not None and _reads_places(plan, node)
        for each in node.references()
    ]
    while pending:
        place = pending.pop()
        if place not in found:
            found.add(place)
            pending += plan.nodes[place].references()
    defined = {
        plan.nodes[place].args[0] for place in found if plan.nodes[place].kind == "CTERelationRef"
    }
    return frozenset(found) if not defined else frozenset(range(len(plan.nodes)))


def _reads_places(plan: Plan, node: Node) -> bool:
    if node.kind in _CUTS:
        return not _is_sorted(plan, node)
    if node.kind not in _PLACELESS:
        return True
    return any(plan.nodes[each].by_chance for each in node.references())


def _is_sorted(plan: Plan, node: Node) -> bool:
    while node.kind in (*_CUTS, "Project", "SubqueryAlias"):
        node = plan.nodes[node.ref("child")]
    return node.kind == "Sort" and bool(node.argument("global") == "true")


Columns = Mapping[int, Term]
Form = Term


@dataclass(frozen=True, slots=True)
class Rows:
    """What an operator gives: inner joins of inputs under conditions, and columns over them.

    Where there is one input, columns and conditions are over it; where there are more, each
    column of an input stands within ``@in`` with the input's number.
    """

    inputs: tuple[Term, ...]
    conditions: frozenset[Term]
    columns: Columns


class NormalForms:
    """Normal forms of plans that are compared with each other.

    Args:
        session: the Java session that the plans are of.
        jvm: Py4J's view of the driver.

    Raises:
        NotCompiledError: the driver does not let one compile, or has no Janino.
    """

    def __init__(self, session: object, jvm: object) -> None:
        self._terms = Terms(is_free, COMMUTING)
        self._writer = PlanWriter(session, jvm)

    def read(self, plan: object) -> Plan:
        """A plan, a Java object, or the analyzed one of a DataFrame, by its Java object."""
        return self._writer.written(plan)

    def optimized(self, execution: object) -> object:
        """The optimized plan of a query execution, with symbols for what the session supplies."""
        return self._writer.optimized(execution)

    def of(self, plan: object, *, seeds: bool = True) -> Form:
        """The form of a plan; equal forms are the same number.

        Args:
            plan: the plan, or what ``read`` takes.
            seeds: whether a random seed that Spark made up is told from another.

        Raises:
            UnknownPlanError: it holds what the normal form says nothing about.
        """
        known = plan if isinstance(plan, Plan) else self.read(plan)
        return _Reader(self._terms, known, seeds=seeds).result()


class _Reader:
    """Reads one plan, operator by operator, inputs first."""

    def __init__(self, terms: Terms, plan: Plan, *, seeds: bool) -> None:
        self.terms = terms
        self.plan = plan
        self.rows: dict[int, Rows] = {}
        self.results: dict[int, Term] = {}
        self.shared: dict[Any, int] = {}
        self.loops: dict[int, int] = {}
        self.drawn: dict[int, int] = {}
        self.placed = placed_parts(plan)
        self.values = Values(terms, plan, self.results, seeds=seeds)

    def result(self) -> Term:
        """The form of the whole plan: its rows, and its columns in their order."""
        for place, node in enumerate(self.plan.nodes):
            self.is_placed = self.values.as_written = place in self.placed
            if node.columns is None:
                continue
            rule = RULES.get(node.kind, _other)
            rows = self.rows[place] = rule(self, node)
            closed = self.closed(rows)
            if not closed.columns.keys() >= {*node.columns}:
                raise UnknownPlanError(f"{node.kind} has a column of no input")
            outputs = [closed.columns[each] for each in node.columns]
            self.results[place] = self.terms.make("#result", None, [*closed.inputs, *outputs])
        return self.results[self.plan.root]

    # -- rows --------------------------------------------------------------------------------------

    def closed(self, rows: Rows) -> Rows:
        """The rows as one input, for whatever is no inner join."""
        if len(rows.inputs) == 1 and not rows.conditions:
            return rows
        conditions = without_implied(self.terms, self.terms.conditions(rows.conditions))
        parts = [*rows.inputs, *sorted(conditions)]
        return self.alone("#joined", len(rows.inputs), parts, rows.columns)

    def alone(self, kind: str, data: Hashable, parts: Iterable[Term], columns: Columns) -> Rows:
        """Rows of one input, which is this term."""
        return Rows((self.terms.make(kind, data, parts),), frozenset(), columns)

    def input(self, node: Node, name: str = "child") -> Rows:
        """An input of an operator, closed."""
        return self.closed(self.rows[node.ref(name)])

    def read(self, node: Node, name: str, columns: Columns) -> list[Term]:
        """The expressions of an argument."""
        return [self.values.read(each, columns) for each in node.refs(name)]

    def certain(self, places: Iterable[int]) -> bool:
        """Whether expressions give the same every time."""
        return not any(self.plan.nodes[each].by_chance for each in places)

    def listed(self, terms: Iterable[Term]) -> list[Term]:
        """Keys or conditions, by which rows are divided: in their order where that is read."""
        return [*terms] if self.is_placed else sorted(set(terms))

    def wrapped(self, columns: Columns, wrap: Callable[[Term], Term]) -> dict[int, Term]:
        """Columns as rows that hold theirs have them."""
        return dict(zip(columns, self.terms.lifted([*columns.values()], wrap), strict=True))


# -- one input -------------------------------------------------------------------------------------


def _leaf(run: _Reader, node: Node) -> Rows:
    """What is read. Assumes that it gives the same rows, in the same places, each time."""
    assert node.columns is not None
    columns = {each: run.terms.make("@column", at) for at, each in enumerate(node.columns)}
    return run.alone("#leaf", tuple(node.args), (), columns)


def _project(run: _Reader, node: Node) -> Rows:
    """Columns are what they hold. Assumes that nothing is drawn; what is, is drawn here, once."""
    items = node.refs("projectList")
    below = run.rows[node.ref("child")]
    chance = [each for each in items if not run.certain([each])]
    if chance:
        below = run.closed(below)
    columns = {}
    for each in items:
        if each not in chance:
            columns[_id(run, each)] = run.values.read(each, below.columns)
    if not chance:
        return Rows(below.inputs, below.conditions, columns)
    drawn = [run.values.read(each, below.columns) for each in chance]
    core = run.terms.make("#drawn", None, [*below.inputs, *drawn])
    for at, each in enumerate(chance):
        columns[_id(run, each)] = run.terms.make("@drawn", at, [core])
    return Rows((core,), frozenset(), columns)


def _id(run: _Reader, place: int) -> int:
    known = run.plan.nodes[place].id
    assert known is not None
    return known


def _filter(run: _Reader, node: Node) -> Rows:
    """Conditions beside those below. Assumes that no row is drawn, numbered or counted between."""
    below, place = run.rows[node.ref("child")], node.ref("condition")
    if not run.certain([place]):
        below = run.closed(below)
        condition = run.values.read(place, below.columns)
        return run.alone("#filtered", None, [*below.inputs, condition], below.columns)
    condition = run.values.read(place, below.columns)
    asked = without_asked_again(run.terms, run.terms.conjuncts(condition))
    conditions = run.terms.with_conditions(below.conditions, asked)
    return Rows(below.inputs, conditions, below.columns)


def _sort(run: _Reader, node: Node) -> Rows:
    """An order of these rows. Assumes nothing: keys count in their order, with their directions."""
    below = run.input(node)
    order = run.read(node, "order", below.columns)
    return run.alone("#sorted", node.argument("global"), [*below.inputs, *order], below.columns)


def _cut(run: _Reader, node: Node) -> Rows:
    """The first rows, or the others. Assumes that those below stand alike, or in a given order."""
    below = run.input(node)
    parts = [run.values.read(each, {}) for each in node.references() if each not in run.rows]
    return run.alone(f"#{node.kind}", None, [*below.inputs, *parts], below.columns)


def _aggregate(run: _Reader, node: Node) -> Rows:
    """Groups by a set of keys. Assumes that nothing above reads in which order they come."""
    below = run.input(node)
    if not run.certain([*node.refs("groupingExpressions"), *node.refs("aggregateExpressions")]):
        return _other(run, node)
    terms = run.terms
    keys = run.listed(run.read(node, "groupingExpressions", below.columns))

    def make_group(term: Term) -> Term | None:
        whole = term in keys or terms.kind(term) == "AggregateExpression"
        return terms.make("@group", None, [term]) if whole or terms.kind(term)[0] == "@" else None

    items = node.refs("aggregateExpressions")
    found = [run.values.read(each, below.columns) for each in items]
    # What depends on no row may stand below or above: alone it is what it is.
    values = terms.rewritten(found, make_group)
    columns = {_id(run, each): value for each, value in zip(items, values, strict=True)}
    return run.alone("#grouped", len(keys), [*below.inputs, *keys], columns)


def _window(run: _Reader, node: Node) -> Rows:
    """Adds columns and no rows; each says which rows it saw: filters do not commute with it."""
    if not run.certain(node.refs("windowExpressions")):
        return _other(run, node)
    below = run.input(node)
    columns = dict(below.columns)
    several = not run.is_placed and run.terms.kind(below.inputs[0]) == "#windows"
    seen = run.terms.below(below.inputs[0]) if several else below.inputs
    for each in node.refs("windowExpressions"):
        term = run.values.read(each, below.columns)
        columns[_id(run, each)] = run.terms.make("@window", None, [term, *seen])
    return run.alone("#windows", None, seen, columns)


def _generate(run: _Reader, node: Node) -> Rows:
    """Each row beside what a generator makes of it. Assumes that it draws nothing."""
    if not run.certain([node.ref("generator")]):
        return _other(run, node)
    below = run.input(node)
    call = run.values.read(node.ref("generator"), below.columns)
    core = run.terms.make("#generated", node.argument("outer"), [*below.inputs, call])
    columns = run.wrapped(below.columns, lambda term: run.terms.make("@beside", None, [term]))
    for at, each in enumerate(node.refs("generatorOutput")):
        columns[_id(run, each)] = run.terms.make("@generated", at)
    return Rows((core,), frozenset(), columns)


def _expand(run: _Reader, node: Node) -> Rows:
    """Each row several times: a column is the list of what it holds in each of them.

    Assumes that nothing is drawn.
    """
    if not run.certain(node.refs("projections")):
        return _other(run, node)
    below = run.input(node)
    times = [
        [run.values.read(each["r"], below.columns) for each in row]
        for row in node.argument("projections")
    ]
    columns = {}
    for at, each in enumerate(node.refs("output")):
        columns[_id(run, each)] = run.terms.make("@times", None, [row[at] for row in times])
    return run.alone("#times", len(times), below.inputs, columns)


def _distinct(run: _Reader, node: Node) -> Rows:
    """Groups by all columns. Assumes what groups by keys do."""
    below = run.input(node)
    assert node.columns is not None
    if not node.columns:
        raise UnknownPlanError("DISTINCT rows without a column")
    keys = run.listed(below.columns[each] for each in node.columns)
    columns = {each: run.terms.make("@group", None, [below.columns[each]]) for each in node.columns}
    return run.alone("#grouped", len(keys), [*below.inputs, *keys], columns)


def _same(run: _Reader, node: Node) -> Rows:
    """Names of tables have no part in rows: columns are known by their ids."""
    return run.rows[node.ref("child")]


def _hint(run: _Reader, node: Node) -> Rows:
    """A hint has no part in rows. Assumes that nothing above reads where they stand."""
    below = run.rows[node.ref("child")]
    if not run.is_placed:
        return below
    below = run.closed(below)
    return run.alone("#hinted", repr(node.argument("hints")), below.inputs, below.columns)


# -- several inputs --------------------------------------------------------------------------------


def _join(run: _Reader, node: Node) -> Rows:
    """Inner joins are one list of inputs. Assumes that no condition draws, and no place is read."""
    kind = node.argument("joinType")
    place = node.argument("condition")
    if place is not None and not run.certain([place["r"]]):
        return _other(run, node)
    if kind in ("Inner", "Cross") and not run.is_placed:
        flat = _inner(run, node, None if place is None else place["r"])
        if flat is not None:
            return flat
    return _beside(run, node, kind, None if place is None else place["r"])


def _side(run: _Reader, node: Node, name: str) -> Rows:
    """An input, in which it shows whether it is a join that Spark takes together with this one."""
    rows, terms = run.rows[node.ref(name)], run.terms
    below = run.plan.nodes[node.ref(name)]
    while below.kind == "Filter":
        below = run.plan.nodes[below.ref("child")]
    if below.kind == "Join":
        return rows
    inputs = tuple(
        terms.make("#projected", None, [each])
        if (terms.kind(each), terms.data(each)) == ("#beside", "Inner")
        else each
        for each in rows.inputs
    )
    return Rows(inputs, terms.projected(rows.conditions), rows.columns)


def _inner(run: _Reader, node: Node, place: int | None) -> Rows | None:
    """The inputs of both sides in a list; None where a condition of ON belongs to its join."""
    left, right = (_side(run, node, side) for side in ("left", "right"))
    numbered = (_number_inputs(run, left, 0), _number_inputs(run, right, len(left.inputs)))
    inputs = (*left.inputs, *right.inputs)
    columns = {**numbered[0].columns, **numbered[1].columns}
    conditions = numbered[0].conditions | numbered[1].conditions
    if place is not None:
        asked = run.terms.conjuncts(run.values.read(place, columns))
        if not run.terms.can_join(asked):
            return None
        conditions = run.terms.with_joined(conditions, asked)
    kept = frozenset(each for each in conditions if not _is_true(run.terms, each))
    return Rows(inputs, kept, columns)


def _is_true(terms: Terms, term: Term) -> bool:
    return terms.kind(term) == "Literal" and str(terms.data(term)).endswith(", 'true')")


def _number_inputs(run: _Reader, rows: Rows, first: int) -> Rows:
    """The rows as inputs of a join of several, the first of which has this number."""
    terms, several = run.terms, len(rows.inputs) > 1

    def wrap(term: Term) -> Term:
        if not several:
            return terms.make("@in", first, [term])
        number = terms.data(term)
        assert terms.kind(term) == "@in"
        assert isinstance(number, int)
        return terms.make("@in", number + first, terms.below(term))

    conditions = frozenset(terms.lifted([*rows.conditions], wrap))
    return Rows(rows.inputs, conditions, run.wrapped(rows.columns, wrap))


def _beside(run: _Reader, node: Node, kind: Any, place: int | None) -> Rows:
    """A join that keeps rows without a match, or that only asks for one.

    Assumes that its conditions are asked of each pair, in their order if one of them may fail.
    """
    terms = run.terms
    left, right = run.input(node, "left"), run.input(node, "right")
    ours = run.wrapped(left.columns, lambda term: terms.make("@left", None, [term]))
    theirs = run.wrapped(right.columns, lambda term: terms.make("@right", None, [term]))
    asked: list[Term] = []
    if place is not None:
        read = terms.conjuncts(run.values.read(place, {**ours, **theirs}))
        asked = [each for each in read if not _is_true(terms, each)]
    if not run.is_placed:
        asked = sorted(without_implied(terms, terms.with_conditions(frozenset(), asked)))
    exists = kind["e"] if isinstance(kind, dict) else None
    name = "Exists" if exists is not None else "Inner" if kind == "Cross" else kind
    shape = (name, repr(node.argument("hint"))) if run.is_placed else name
    parts = [*left.inputs, *right.inputs, *asked]
    if name in ("RightOuter", "FullOuter"):
        ours = _whole(terms, left.columns, ours, "@left")
    if name in ("LeftOuter", "FullOuter"):
        theirs = _whole(terms, right.columns, theirs, "@right")
    if name in ("LeftSemi", "LeftAnti"):
        return run.alone("#asked", shape, parts, left.columns)
    if exists is not None:
        core = terms.make("#asked", shape, parts)
        columns = {**left.columns, exists: terms.make("@exists", None, [core])}
        return Rows((core,), frozenset(), columns)
    return run.alone("#beside", shape, parts, {**ours, **theirs})


def _whole(terms: Terms, columns: Columns, lifted: dict[int, Term], kind: str) -> dict[int, Term]:
    """Columns of a side that may have no row: what is computed of them is NULL there, too."""
    return {
        each: term if terms.is_column(columns[each]) else terms.make(kind, "whole", [columns[each]])
        for each, term in lifted.items()
    }


def _union(run: _Reader, node: Node) -> Rows:
    """A column is the list of what it holds in each part. Parts stand in their order."""
    assert node.columns is not None
    if "true" in (node.argument("byName"), node.argument("allowMissingCol")):
        raise UnknownPlanError("a union by name")
    if len({*node.columns}) < len(node.columns):
        raise UnknownPlanError("two columns of a union are one")
    parts = [
        (run.closed(run.rows[each]), run.plan.nodes[each].columns or ())
        for each in node.refs("children")
    ]
    columns = {
        each: run.terms.make("@either", None, [rows.columns[ids[at]] for rows, ids in parts])
        for at, each in enumerate(node.columns)
    }
    return run.alone("#union", None, [rows.inputs[0] for rows, _ in parts], columns)


# -- common table expressions ----------------------------------------------------------------------


def _definition(run: _Reader, node: Node) -> Rows:
    run.shared[int(node.argument("id"))] = node.ref("child")
    return run.rows[node.ref("child")]


def _reference(run: _Reader, node: Node) -> Rows:
    """The definition's rows once more. Assumes that they are the same; drawn ones are numbered."""
    known = run.shared.get(node.args[0])
    if known is None:
        raise UnknownPlanError("a common table expression that is not there")
    assert node.columns is not None
    below = run.rows[known]
    if not _is_certain(run, known):  # drawn once, however often it is read
        below = run.closed(below)
        number = run.drawn.setdefault(known, len(run.drawn))
        below = run.alone("#shared", number, below.inputs, below.columns)
    ids = run.plan.nodes[known].columns or ()
    columns = {each: below.columns[other] for each, other in zip(node.columns, ids, strict=True)}
    return Rows(below.inputs, below.conditions, columns)


def _is_certain(run: _Reader, place: int) -> bool:
    pending = [place]
    while pending:
        node = run.plan.nodes[pending.pop()]
        if node.by_chance:
            return False
        pending += node.references()
    return True


def _loop(run: _Reader, node: Node) -> Rows:
    """A recursive one: what it starts with, and what it adds to the rows of the last turn."""
    assert node.columns is not None
    parts = [run.results[node.ref("anchor")], run.results[node.ref("recursion")]]
    bounds = (repr(node.argument("limit")), repr(node.argument("maxDepth")))
    number = _loop_number(run, int(node.argument("id")))
    columns = {each: run.terms.make("@looped", at) for at, each in enumerate(node.columns)}
    return run.alone("#loop", (number, bounds), parts, columns)


def _loop_reference(run: _Reader, node: Node) -> Rows:
    assert node.columns is not None
    loop, accumulated = node.args
    columns = {each: run.terms.make("@column", at) for at, each in enumerate(node.columns)}
    return run.alone("#turn", (_loop_number(run, loop), accumulated), (), columns)


def _loop_number(run: _Reader, loop: int) -> int:
    """Loops are counted as they come up: Spark's numbers are of the session."""
    return run.loops.setdefault(loop, len(run.loops))


def _with(run: _Reader, node: Node) -> Rows:
    return run.rows[node.ref("plan")]


# -- whatever else there is ------------------------------------------------------------------------


def _other(run: _Reader, node: Node) -> Rows:
    """An operator that no rule knows: all its arguments, all its columns, in their order."""
    assert node.columns is not None
    inputs = [run.closed(run.rows[each]) for each in node.references() if each in run.rows]
    columns: dict[int, Term] = {}
    for number, rows in enumerate(inputs):
        columns |= _of_input(run, rows, number)
    given = {each: run.terms.make("@given", at) for at, each in enumerate(node.columns)}
    parts: list[Term] = []

    def make_shape(argument: Any) -> Hashable:
        if isinstance(argument, list):
            return tuple(map(make_shape, argument))
        if not isinstance(argument, dict):
            return repr(argument)
        if "r" not in argument:
            raise UnknownPlanError(f"{node.kind} refers to an id")
        place = argument["r"]
        if place in run.rows:
            parts.append(run.results[place])
            return "rows"
        parts.append(run.values.read(place, given | columns))
        return "term"

    shape = (node.kind, *map(make_shape, node.args))
    return run.alone("#other", shape, parts, given)


def _of_input(run: _Reader, rows: Rows, number: int) -> dict[int, Term]:
    return run.wrapped(rows.columns, lambda term: run.terms.make("@of", number, [term]))


RULES: dict[str, Callable[[_Reader, Node], Rows]] = {
    "Leaf": _leaf,
    "Project": _project,
    "Filter": _filter,
    "Sort": _sort,
    "GlobalLimit": _cut,
    "LocalLimit": _cut,
    "Offset": _cut,
    "Tail": _cut,
    "Aggregate": _aggregate,
    "Distinct": _distinct,
    "Window": _window,
    "Generate": _generate,
    "Expand": _expand,
    "SubqueryAlias": _same,
    "View": _same,
    "ResolvedHint": _hint,
    "Join": _join,
    "Union": _union,
    "CTERelationDef": _definition,
    "CTERelationRef": _reference,
    "WithCTE": _with,
    "UnionLoop": _loop,
    "UnionLoopRef": _loop_reference,
}
"""By the name of an operator: the rows it gives."""
