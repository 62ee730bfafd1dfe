"""From the expressions of an analyzed plan to resolved expressions.

References are found by Spark's ids, never by name. What is said of each class of Spark's is in one
table, made of those of the modules beside this one; a class that is a plain call of a function is
in ``functions.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viewscribe.errors import CaptureError, ValidationError
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.registry import built_in, find_built_in
from viewscribe.expressions.nodes import Call, OuterReference, ResolvedExpression
from viewscribe.spark.capture.classic.columns import Captured, Columns
from viewscribe.spark.capture.classic.expressions.casts import without_added
from viewscribe.spark.capture.classic.expressions.functions import (
    added_defaults,
    functions_of_classes,
    functions_without_failure,
)
from viewscribe.spark.capture.classic.expressions.modes import (
    MODED,
    OF_TIMESTAMP,
    check_mode,
    check_replacement,
    check_timestamp,
    check_zone,
    eval_mode,
)
from viewscribe.spark.capture.classic.expressions.padding import strip_padding
from viewscribe.spark.capture.classic.plan import PlanNode, ids_in, locate, nodes_in, refusal

_DEEP = 100
"""How many levels are read by recursion; what lies deeper is read from below, in a loop."""

Handler = Callable[["Expressions", PlanNode], ResolvedExpression]
Given = PlanNode | ResolvedExpression
"""An argument: of the plan, or one that is made here."""

Query = Callable[[PlanNode, tuple[Columns, ...]], Captured]


class Expressions:
    """Reads the expressions that stand over some columns.

    Args:
        columns: the columns of the input.
        outer: those of the queries around this one, the nearest last.
        query: captures the plan of a sub-query, given the columns around it.
        step: the operator that they are of.
    """

    def __init__(
        self,
        columns: Columns,
        outer: tuple[Columns, ...],
        query: Query,
        step: PlanNode | None = None,
    ) -> None:
        self.step = step
        self.repeated_seeds: frozenset[object] = frozenset()
        """The seeds from which other operators of the plan draw, too."""
        self.columns = columns
        self.outer = outer
        self._query = query
        self.variables: dict[int, str] = {}
        """The name of each variable of the lambdas around."""
        self.given: dict[int, ResolvedExpression] = {}
        """What is meant by ids that are those of no column."""
        self.grouping: tuple[ResolvedExpression, ...] = ()
        """The keys of the grouping sets here."""
        self.common: dict[str, ResolvedExpression] = {}
        """What stands more than once in what replaced a call, by Spark's name for it."""
        self._depth = 0
        self._known: dict[int, ResolvedExpression] = {}
        # By identity, with the expression itself so that it lives as long as its id is a key.
        self._bare: dict[int, tuple[ResolvedExpression, ResolvedExpression]] = {}

    def read(self, node: PlanNode) -> ResolvedExpression:
        """The expression of a node.

        Raises:
            CaptureError: it has none; names the node and the way out.
        """
        if node.kind == "AttributeReference":
            return self._attribute(node)
        if self._known:
            found = self._known.get(id(node))
            if found is not None:
                return found
        if self._depth > _DEEP:
            return self._read_from_below(node)
        self._depth += 1
        try:
            return self._handle(node)
        except CaptureError as error:
            if node.line and ", at " not in (error.location or ""):
                error.location = f"{error.location or node.kind}, at {node.line}"
            raise
        finally:
            self._depth -= 1

    def read_all(self, nodes: Sequence[PlanNode]) -> tuple[ResolvedExpression, ...]:
        """The expressions of several nodes."""
        return tuple([self.read(node) for node in nodes])

    def query(self, plan: PlanNode) -> Captured:
        """The query of a sub-query that may refer to the columns here."""
        return self._query(plan, (*self.outer, self.columns))

    def call(
        self, function: str | FunctionDefinition, given: Sequence[Given], node: PlanNode
    ) -> ResolvedExpression:
        """The call of a function with the expressions of nodes, added casts left out.

        Raises:
            CaptureError: the arguments do not fit, for all that is known of the function here.
        """
        found = built_in(function) if isinstance(function, str) else function
        args = strip_padding(node, given, self.arguments(found, given))
        return made_call(found, args, node)

    def arguments(
        self, function: FunctionDefinition, given: Sequence[Given]
    ) -> tuple[ResolvedExpression, ...]:
        """The arguments of a call, added casts left out where Spark adds them again."""
        args = tuple([self.read(each) if isinstance(each, PlanNode) else each for each in given])
        if not self._bare:
            return args
        return without_added(function, args, tuple([self.bare(arg) for arg in args]))

    def bare(self, expression: ResolvedExpression) -> ResolvedExpression:
        """What an expression was before the analyzer cast it."""
        found = self._bare.get(id(expression))
        return expression if found is None else found[1]

    def note_bare(self, expression: ResolvedExpression, bare: ResolvedExpression) -> None:
        """Notes what an expression was before the analyzer cast it."""
        self._bare[id(expression)] = (expression, bare)

    def _handle(self, node: PlanNode) -> ResolvedExpression:
        if node.kind in MODED:
            check_mode(node)
        if node.kind != "Cast":
            check_zone(node)
        if type(node.get("replacement")) is PlanNode:
            check_replacement(node)
        found = self._dispatch(node)
        if node.kind in OF_TIMESTAMP:
            check_timestamp(node, found)
        return found

    def _dispatch(self, node: PlanNode) -> ResolvedExpression:
        handler = handlers().get(node.kind)
        if handler is None:
            return self._plain_call(node)
        if "parameters" in node.extra and self._is_outdated(node):
            return self.read(node["replacement"])
        return handler(self, node)

    def _is_outdated(self, node: PlanNode) -> bool:
        """Whether arguments of a replaced call are of a frame that is joined with itself.

        There the analyzer gives the columns of one side new ids, and those of the arguments stay.
        """
        given = ids_in(node.extra["parameters"]) - ids_in([node["replacement"]])
        return any(id_ not in self.given and self.columns.reference(id_) is None for id_ in given)

    def _plain_call(self, node: PlanNode) -> ResolvedExpression:
        function = function_of(node)
        if function is None:
            raise refusal(
                node,
                f"`{node.kind}` has no counterpart in SQL that is known here",
                hint="write the step with functions of Spark SQL",
            )
        if "parameters" in node.extra:
            return self._replace(function, node)
        return self.call(function, arguments_of(node), node)

    def _replace(self, function: FunctionDefinition, node: PlanNode) -> ResolvedExpression:
        """A call that Spark has replaced by another expression.

        Its arguments are as they were when it was written; the analyzer only keeps the replacement
        up to date. Where the two do not refer to the same columns, the replacement is read.
        """
        given: list[PlanNode] = node.extra["parameters"]
        if ids_in(given) == ids_in([node["replacement"]]) and not any(
            each.kind == "WindowExpression" for each in nodes_in(*given)
        ):
            try:
                return self.call(function, without_defaults(node.kind, given), node)
            except CaptureError:
                if node["replacement"].kind in _UNREADABLE:
                    raise
        return self.read(node["replacement"])

    def _attribute(self, node: PlanNode) -> ResolvedExpression:
        found: ResolvedExpression | None = self.given.get(node.id) if self.given else None
        if found is None:
            found = self.columns.reference(node.id)
        if found is None:
            raise refusal(
                node,
                f"column `{node['name']}` (#{node.id}) is not among those of the input",
                hint="columns of files such as _metadata have to be selected by a query of "
                "their own; if it is none of these, this is a mistake of viewscribe: report it",
            )
        return found

    def outer_reference(self, node: PlanNode) -> OuterReference:
        """A column of a query around this one."""
        for level, columns in enumerate(reversed(self.outer), 1):
            found = columns.reference(node.id)
            if found is not None:
                return OuterReference(level, found.index, found.name, found.type)
        raise refusal(node, f"no query around has the column `{node['name']}` (#{node.id})")

    def _read_from_below(self, node: PlanNode) -> ResolvedExpression:
        kept, depth = self._known, self._depth
        self._known, self._depth = dict(kept), 0
        for each in _postorder(node):
            if id(each) not in self._known:
                self._known[id(each)] = self._handle(each)
        found = self._known[id(node)]
        self._known, self._depth = kept, depth
        return found


def made_call(
    function: FunctionDefinition, args: tuple[ResolvedExpression, ...], node: PlanNode
) -> Call:
    """A call, typed; what does not fit is told as a mistake of the node."""
    try:
        return Call(function, args, function.infer(args))
    except ValidationError as error:
        raise CaptureError(error.message, location=locate(node), hint=error.hint) from error


def function_of(node: PlanNode) -> FunctionDefinition | None:
    """The function that a node calls: by the name that was called, else by its class."""
    alias = node.extra.get("alias")
    if alias is not None:
        found = find_built_in(alias)
        if found is not None:
            return found
    lenient = functions_without_failure().get(node.kind)
    if lenient is not None and _gives_null(node):
        return lenient
    return functions_of_classes().get(node.kind)


def _gives_null(node: PlanNode) -> bool:
    """Whether NULL stands for what has no result, whatever the settings say."""
    mode = eval_mode(node)
    return node.args.get("failOnError") is False if mode is None else mode == "TRY"


def arguments_of(node: PlanNode) -> list[PlanNode]:
    """The arguments of a call, without those last ones that Spark has added."""
    return without_defaults(node.kind, node.expressions())


def without_defaults(kind: str, args: list[PlanNode]) -> list[PlanNode]:
    """The arguments without the last ones that say what is meant anyway."""
    kept = list(args)
    for value in reversed(added_defaults(kind, len(args))):
        last = kept[-1] if kept else None
        if last is None or last.kind != "Literal" or last["value"] != value:
            break
        kept.pop()
    return kept


_UNREADABLE = ("StaticInvoke", "Invoke")


def _postorder(root: PlanNode) -> list[PlanNode]:
    order: list[PlanNode] = []
    seen: set[int] = set()
    stack = [(root, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            if node.kind not in _OPAQUE:
                stack.extend((child, False) for child in reversed(node.expressions()))
    return order


_OPAQUE = ("LambdaFunction", "ScalarSubquery", "Exists", "InSubquery", "WindowExpression", "With")
"""What is read as a whole: its parts mean something only inside of it."""

_handlers: dict[str, Handler] = {}


def handlers() -> dict[str, Handler]:
    """How each class is read that is not a plain call."""
    if not _handlers:
        from viewscribe.spark.capture.classic.expressions import (
            aggregates,
            basics,
            calls,
            dates,
            fills,
            lambdas,
            queries,
            refusals,
            structs,
        )

        for module in (
            basics,
            calls,
            dates,
            fills,
            structs,
            lambdas,
            aggregates,
            calls,
            queries,
            refusals,
        ):
            _handlers.update(module.HANDLERS)
    return _handlers
