"""What the expressions below a node need from above it: columns, lambda variables, a group.

Each node's needs follow from those of its children and are kept: a node that is used many times is
looked at once, however deep the document nests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from viewscribe.errors import PlanDocumentError
from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.node import Node
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as o
from viewscribe.operations.base import QueryOperation
from viewscribe.serializer.plan_checks.types import check_operation, check_type
from viewscribe.types import LogicalType


class Column(NamedTuple):
    """A column of the input."""

    place: int
    name: str
    type: LogicalType


class OuterColumn(NamedTuple):
    """A column of a query ``level`` queries out."""

    level: int
    place: int
    name: str
    type: LogicalType


class Variable(NamedTuple):
    """A variable that a lambda around it must have."""

    name: str
    type: LogicalType


class Special(NamedTuple):
    """What only some places can hold: ``kind`` says what, ``name`` which."""

    kind: str
    name: str


AGGREGATE, WINDOW_FUNCTION = "the aggregate function", "the window function"
GENERATOR, WINDOW = "the generator", "a window of"
SORT_KEY, LAMBDA, STAR = "the sort key", "the lambda", "the star"

Need = Column | OuterColumn | Variable | Special
Needs = frozenset[Need]
NOTHING: Needs = frozenset()


def describe_need(need: Need) -> str:
    """The need in words."""
    match need:
        case Column():
            return f"column {need.place}, `{need.name}`"
        case OuterColumn():
            return f"column {need.place}, `{need.name}`, of the query {need.level} further out"
        case Variable():
            return f"the variable `{need.name}`"
        case Special():
            return f"{need.kind} {need.name}".rstrip()


class Scopes:
    """The needs of each node that was entered."""

    def __init__(self) -> None:
        self._needs: dict[int, Needs] = {}

    def needs_of(self, node: Node) -> Needs:
        """What the node needs from above."""
        return self._needs[id(node)]

    def enter(self, node: Node, needs: Needs) -> None:
        """Keeps the needs of a node, which its parents ask for."""
        self._needs[id(node)] = needs

    # -- expressions ------------------------------------------------------------------------------

    def of_expression(self, node: e.ResolvedExpression) -> Needs:
        """What the expression needs.

        Raises:
            PlanDocumentError: a lambda has not the variables that its body uses, or something
                stands where it cannot.
        """
        make = _OWN.get(type(node))
        return self._plain(node) if make is None else make(self, node)

    def _plain(self, node: Node) -> Needs:
        return self._together([each for each in node.children() if not each.is_query])

    def _together(self, nodes: Sequence[Node]) -> Needs:
        found = NOTHING
        for node in nodes:
            more = self._needs[id(node)]
            for need in more:
                if type(need) is Special and need.kind in _ONLY_BELOW_OWNERS:
                    raise PlanDocumentError(f"{describe_need(need)} stands where a value belongs")
            found = found | more if found and more else found or more
        return found

    def _of_order(self, nodes: tuple[e.SortOrder, ...]) -> Needs:
        """The needs of sort keys, which are at their place."""
        found: Needs = NOTHING
        for node in nodes:
            found |= self._without(self._needs[id(node)], SORT_KEY)
        return found

    @staticmethod
    def _without(needs: Needs, *kinds: str) -> Needs:
        return frozenset(n for n in needs if type(n) is not Special or n.kind not in kinds)

    def _column(self, node: e.FieldReference) -> Needs:
        return frozenset((Column(node.index, node.name, node.type),))

    def _outer_column(self, node: e.OuterReference) -> Needs:
        if node.level < 1:
            raise PlanDocumentError(f"an outer reference to the query {node.level} further out")
        return frozenset((OuterColumn(node.level, node.index, node.name, node.type),))

    def _variable(self, node: e.LambdaVariable) -> Needs:
        return frozenset((Variable(node.name, node.type),))

    def _star(self, node: e.Star) -> Needs:
        return frozenset((Special(STAR, ""),))

    def _sort_order(self, node: e.SortOrder) -> Needs:
        return self._plain(node) | {Special(SORT_KEY, "")}

    def _lambda(self, node: e.Lambda) -> Needs:
        given: dict[str, LogicalType] = {}
        for parameter in node.parameters:
            if parameter.name in given:
                raise PlanDocumentError(f"the lambda has the parameter `{parameter.name}` twice")
            given[parameter.name] = parameter.type
        rest: set[Need] = {Special(LAMBDA, "")}
        for need in self._together([node.body]):
            if type(need) is not Variable or need.name not in given:
                rest.add(need)
            elif need.type != given[need.name]:
                raise PlanDocumentError(
                    f"the variable `{need.name}` is {need.type.ddl}, "
                    f"the parameter {given[need.name].ddl}"
                )
        return frozenset(rest)

    def _call(self, node: e.Call) -> Needs:
        found: Needs = NOTHING
        for argument in node.args:
            needs = self._needs[id(argument)]
            if type(argument) is e.Lambda:  # whether one belongs here, the types say
                found |= self._without(needs, LAMBDA)
            else:
                found |= self._together([argument]) if needs else needs
        if node.function.kind is FunctionKind.GENERATOR:
            found |= {Special(GENERATOR, node.function.name)}
        return found

    def _aggregate_call(self, node: e.AggregateCall) -> Needs:
        star = len(node.args) == 1 and type(node.args[0]) is e.Star
        if star and node.function.built_in_name != "count":
            raise PlanDocumentError(f"{node.function.name}(*)")
        inside = [] if star else list(node.args)
        needs = self._together([*inside, node.filter] if node.filter is not None else inside)
        needs |= self._of_order(node.order_by)
        for need in needs:
            if type(need) is Special and need.kind in (AGGREGATE, WINDOW_FUNCTION):
                raise PlanDocumentError(f"{describe_need(need)} inside {node.function.name}")
        is_window = node.function.kind is FunctionKind.WINDOW
        own = Special(WINDOW_FUNCTION if is_window else AGGREGATE, node.function.name)
        return needs | {own}

    def _over(self, node: e.Over) -> Needs:
        called = self._without(self._needs[id(node.call)], AGGREGATE, WINDOW_FUNCTION)
        keys = self._together(list(node.partition_by)) | self._of_order(node.order_by)
        return called | keys | {Special(WINDOW, node.call.function.name)}

    def _subquery(self, node: e.SubqueryExpression) -> Needs:
        outside = [each for each in node.children() if not each.is_query]
        return self._together(outside) | self._inwards(node.query)

    def _inwards(self, query: Node) -> Needs:
        """What a sub-query needs, seen from the query that it is in."""
        found: set[Need] = set()
        for need in self._needs[id(query)]:
            assert type(need) is OuterColumn
            found.add(
                Column(need.place, need.name, need.type)
                if need.level == 1
                else need._replace(level=need.level - 1)
            )
        return frozenset(found)

    # -- operations -------------------------------------------------------------------------------

    def of_operation(self, kind: type[QueryOperation], fields: Mapping[str, Any]) -> Needs:
        """What an operation of these fields needs of the queries around it.

        Raises:
            PlanDocumentError: an expression of it uses a column that the input does not have, or
                holds what the operation cannot.
        """
        needs: Needs = NOTHING
        for name in kind.child_fields:
            value = fields.get(name)
            for child in value if type(value) is tuple else () if value is None else (value,):
                if not child.is_query:
                    needs |= self._checked(kind, name, child, _input_of(kind, fields))
                elif name in kind.inner_fields:  # it sees the rows of the other input
                    needs |= self._outside(self._inwards(child), fields["left"].schema)
                else:
                    needs |= self._needs[id(child)]
        return needs

    def _checked(
        self, kind: type[QueryOperation], field: str, expression: Node, schema: Schema
    ) -> Needs:
        needs = self._needs[id(expression)]
        allowed = _ALLOWED.get((kind, field), ())
        for need in needs:
            if type(need) is Special and need.kind not in allowed:
                raise PlanDocumentError(f"`{field}` cannot hold {describe_need(need)}")
        return self._outside(needs, schema)

    @staticmethod
    def _outside(needs: Needs, schema: Schema) -> Needs:
        outside: list[Need] = []
        for need in needs:
            kind = type(need)
            if kind is Column:
                _check_column(need, schema)  # type: ignore[arg-type]
            elif kind is OuterColumn:
                outside.append(need)
            elif kind is Variable:
                raise PlanDocumentError(f"{describe_need(need)} is used outside of its lambda")
        return frozenset(outside)


def _check_column(column: Column, schema: Schema) -> None:
    place, name = column.place, column.name
    if not 0 <= place < len(schema):
        raise PlanDocumentError(f"column {place}, `{name}`, of an input of {len(schema)} columns")
    field = schema[place]
    if field.name != name:
        raise PlanDocumentError(f"column {place} of the input is `{field.name}`, not `{name}`")
    if field.type != column.type:
        raise PlanDocumentError(
            f"column {place} of the input, `{name}`, is {field.type}, not {column.type}"
        )


def _input_of(kind: type[QueryOperation], fields: Mapping[str, Any]) -> Schema:
    """The columns that the expressions of the operation see."""
    schemas = [fields[name].schema for name in kind.input_fields]
    if len(schemas) == 2:
        left, right = schemas
        return Schema.side_by_side(left, right)
    return schemas[0] if schemas else Schema(())


_OWN: dict[type[Node], Callable[[Scopes, Any], Needs]] = {
    e.FieldReference: Scopes._column,
    e.OuterReference: Scopes._outer_column,
    e.LambdaVariable: Scopes._variable,
    e.Star: Scopes._star,
    e.SortOrder: Scopes._sort_order,
    e.Lambda: Scopes._lambda,
    e.Call: Scopes._call,
    e.AggregateCall: Scopes._aggregate_call,
    e.Over: Scopes._over,
    e.ScalarSubquery: Scopes._subquery,
    e.Exists: Scopes._subquery,
    e.InSubquery: Scopes._subquery,
}

_ONLY_BELOW_OWNERS = (SORT_KEY, LAMBDA, STAR, GENERATOR)
"""What is never part of an expression: only the nodes that take it look for it."""

_ALLOWED: dict[tuple[type[Node], str], tuple[str, ...]] = {
    (o.Project, "expressions"): (WINDOW,),
    (o.WithColumns, "columns"): (WINDOW,),
    (o.Aggregate, "aggregates"): (AGGREGATE,),
    (o.Pivot, "aggregates"): (AGGREGATE,),
    (o.Generate, "call"): (GENERATOR,),
    (o.Sort, "keys"): (SORT_KEY,),
    (o.Process, "order"): (SORT_KEY,),
}
"""What the fields of operations can hold besides values of a row."""


# The check of one node after the other, children before parents.


class PlanChecker:
    """Checks the nodes of one document; every node must come after its children."""

    def __init__(self) -> None:
        self._scopes = Scopes()

    def before(self, kind: type[Node], fields: Mapping[str, Any]) -> Needs:
        """What a node of the kind, made of these fields, needs from above it.

        It is asked for before the node is made: an operation works out its columns from those that
        its expressions refer to, which must be there.

        Raises:
            ViewscribeError: says what is wrong; where it is, the caller knows.
        """
        if issubclass(kind, QueryOperation):
            return self._scopes.of_operation(kind, fields)
        return NOTHING

    def check(self, node: Node, needs: Needs) -> None:
        """Raises what is wrong with the node, given that nothing is with those below it.

        Args:
            node: the node.
            needs: what ``before`` gave for it.

        Raises:
            ViewscribeError: says what is wrong; where it is, the caller knows.
        """
        if not node.is_query:
            assert isinstance(node, e.ResolvedExpression)
            self._scopes.enter(node, self._scopes.of_expression(node))
            check_type(node)
            return
        assert isinstance(node, QueryOperation)
        self._scopes.enter(node, needs)
        check_operation(node)

    def check_root(self, node: QueryOperation) -> None:
        """Raises where the whole query refers to a query around it, which there is none of."""
        for need in self._scopes.needs_of(node):
            raise PlanDocumentError(f"{describe_need(need)} is used outside of a sub-query")
