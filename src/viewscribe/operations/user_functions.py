"""The user functions that a tree calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import FunctionSource, Language, UserFunction
from viewscribe.expressions.node import IS_USERS, Node, find, find_marked, preorder, replace
from viewscribe.expressions.nodes import AggregateCall, Alias, Call, Over, ResolvedExpression, alias
from viewscribe.expressions.resolve import make_call
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import Process, SqlText, TableFunction
from viewscribe.types import StructType

# Python aggregates where Spark has none: the rows of a group are collected, and handed over whole.
#
# Spark runs an aggregate function in Python when it groups by keys, without DISTINCT, without
# FILTER, with no other aggregate beside it; and of no rows at all it gives no row where every other
# aggregate gives one. ``f(DISTINCT x)`` therefore becomes ``f of rows(collect_list(DISTINCT
# struct(x)))``, a scalar function of what Spark's own aggregate gives, which knows all that.


def collect(items: Sequence[ResolvedExpression], *, always: bool) -> list[ResolvedExpression]:
    """The items of one aggregation, their Python aggregates over collected rows where they must be.

    Args:
        items: expressions with aggregate functions in them.
        always: whether Spark would not run them anyway: without keys, or in a pivot.
    """
    found = _aggregates(items)
    python = [
        call
        for call in found
        if (isinstance(call.function, UserFunction) and call.function.is_python_aggregate)
    ]
    clauses = any(call.distinct or call.filter is not None for call in python)
    if not (always or clauses or len(python) < len(found)):
        return list(items)
    return [_replace(item, {id(call) for call in python}) for item in items]


def _aggregates(items: Sequence[ResolvedExpression]) -> list[AggregateCall]:
    """The calls that aggregate; not those over a window, nor those of sub-queries."""
    found: list[AggregateCall] = []
    over: set[int] = set()
    for item in items:
        for node in preorder(item, skip=lambda node: isinstance(node, QueryOperation)):
            if isinstance(node, Over):
                over.add(id(node.call))
            elif isinstance(node, AggregateCall):
                found.append(node)
    return [call for call in found if id(call) not in over]


def _replace(item: ResolvedExpression, calls: set[int]) -> ResolvedExpression:
    def step(node: Node) -> Node:
        return _of_rows(node) if id(node) in calls and isinstance(node, AggregateCall) else node

    made = replace(item, step)
    assert isinstance(made, ResolvedExpression)
    if made is item or isinstance(item, Alias):
        return made
    return alias(made, n.output_name(item))


def _of_rows(call: AggregateCall) -> Call:
    function = call.function
    assert isinstance(function, UserFunction)
    row, collect = _row(call.args, function), built_in("collect_list")
    rows = AggregateCall(collect, (row,), collect.infer((row,)), call.distinct, call.filter)
    return Call(function.of_collected_rows(), (rows,), call.type)


def _row(args: tuple[ResolvedExpression, ...], function: UserFunction) -> Call:
    """The arguments as a struct; of two fields of one name Arrow would lose one."""
    row = make_call(built_in("struct"), args)
    assert isinstance(row.type, StructType)
    if len({field.name.lower() for field in row.type.fields}) == len(args):
        return row
    names = [parameter.name for parameter in function.source.parameters or ()]
    return make_call(built_in("struct"), tuple(map(alias, args, names)))


def user_functions(operation: QueryOperation) -> list[UserFunction]:
    """Returns the user functions of a tree, each once, in the order of first use."""
    found: dict[UserFunction, None] = {}
    for node in find_marked(operation, IS_USERS | SqlText.mark):
        if isinstance(node, SqlText):
            found.update(dict.fromkeys(node.functions))
        else:
            assert isinstance(node, Call | AggregateCall | TableFunction | Process)
            assert isinstance(node.function, UserFunction)
            found[node.function] = None
    return list(found)


def stored_parts(operation: QueryOperation) -> Iterator[QueryOperation]:
    """Yields the parts of a tree that come from documents, each with all that is in it."""
    stack: list[Node] = [operation]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, QueryOperation) and node.stored:
            yield node
        else:
            stack.extend(node.children())


def calls_catalog(root: Node) -> bool:
    """Whether a tree calls a function of a catalog of Spark's for each row.

    What Spark has loaded for one place in a text, it takes for another function at the next: such
    a call as a key is not known again in SELECT, HAVING and ORDER BY. Iceberg's are: each is a
    static method, which is the same everywhere.
    """
    return any(source.reference is None for source in _sources(root, Language.CATALOG))


def calls_sql_function(root: Node) -> bool:
    """Whether a tree calls a function in SQL, which Spark does not know again in ORDER BY."""
    return any(True for _ in _sources(root, Language.SQL))


def _sources(root: Node, language: Language) -> Iterator[FunctionSource]:
    """The sources of the functions of a language that a tree calls for each row."""
    for node in find_marked(root, IS_USERS):
        if isinstance(node, Call) and isinstance(node.function, UserFunction):
            source = node.function.source
            if source.language is language:
                yield source


def find_functions_in_text(operation: QueryOperation) -> list[UserFunction]:
    """Returns the user functions that SQL text in the tree calls."""
    texts = find(operation, SqlText)
    return list(dict.fromkeys(function for text in texts for function in text.functions))


class UniqueCalls:
    """The calls of process table functions in a statement, identified by ``uid``."""

    def __init__(self) -> None:
        self._known: dict[str, Process] = {}

    def note(self, call: Process) -> None:
        """Adds a call; an equal call may be added several times, one without tables as well.

        Raises:
            ValidationError: another call has the same ``uid``.
        """
        if not call.tables:  # it has no state that would have to be told apart
            return
        other = self._known.setdefault(call.call_uid.casefold(), call)
        if other is call or other == call:
            return
        if call.uid is None and other.uid is None:
            raise ValidationError(
                f"the process table function {call.function!r} is called twice in one statement",
                hint='give each call a name of its own: uid="first", uid="second"; or use one '
                "call in both places",
            )
        raise ValidationError(
            f'two calls of process table functions have the uid "{call.call_uid}"',
            hint="give each call another uid: it names its state",
        )


def check_calls(operation: QueryOperation) -> None:
    """Refuses two calls of process table functions with the same ``uid``."""
    calls = UniqueCalls()
    for node in find(operation, Process):
        calls.note(node)
