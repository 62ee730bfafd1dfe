"""Whole statements: CTEs, the query under them, and a second try for trees that nest too deep."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from viewscribe.errors import NotSerializableError, ValidationError
from viewscribe.expressions.functions.definition import IGNORE_NULLS, RESPECT_NULLS
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.node import Node, find, fold, preorder, replace
from viewscribe.expressions.nodes import (
    AggregateCall,
    Cast,
    FieldReference,
    OuterReference,
    Over,
    ResolvedExpression,
    SubqueryExpression,
)
from viewscribe.operations import nodes as n
from viewscribe.operations.base import Notes, QueryOperation
from viewscribe.operations.nodes import (
    CatalogSource,
    Filter,
    Hint,
    Join,
    Recursion,
    SqlText,
    SubqueryAlias,
    TableFunction,
    TimeWindow,
    Values,
    WithCte,
)
from viewscribe.operations.rewrites.hints import with_hints_above
from viewscribe.operations.rewrites.split import (
    is_small,
    is_too_deep,
    is_too_long,
    split_large_expressions,
)
from viewscribe.operations.rewrites.time_windows import with_windows_as_keys
from viewscribe.operations.rewrites.unread import is_idle, without_idle_steps
from viewscribe.serializer.blocks import Block, Column, Env, Relation, RelationItem, SourceColumn
from viewscribe.serializer.expressions import LIMITS, Limits, TooDeepError
from viewscribe.serializer.features import TooLongError
from viewscribe.serializer.folding import Folder, Steps
from viewscribe.serializer.folding.folder import is_step_reference
from viewscribe.serializer.queries import QueryPrinter
from viewscribe.serializer.sharing import (
    LENGTH_OF_NAME,
    length_of_names,
    names_within,
    plain_order,
    shared_operations,
    without_alias,
    without_hidden_names,
)
from viewscribe.serializer.targets import NEWEST, SELECT_CLAUSES, Target, Version, refuse_many_reads
from viewscribe.types import (
    GeographyType,
    GeometryType,
    LogicalType,
    TimestampNtzType,
    TimestampType,
    TimeType,
)
from viewscribe.types.nested_types import contains

# What a tree needs of the Spark that reads its text: functions and types that came later.
#
# ``since`` of a function is when its first form came, ``newer_form`` when the form of a call did;
# tests ask every supported version of Spark.


def refuse_newer(root: QueryOperation, target: Target) -> None:
    """Looks at every function and type of the tree, sub-queries included.

    Raises:
        NotSerializableError: names what the target does not have, and the version that has it.
    """
    if target.is_newest:
        return
    for what, came in needs(root):
        if came > target.version:
            raise _newer(what, came, target)


def needs(root: Node) -> Iterator[tuple[str, Version]]:
    """The functions and types of a tree, in words, each with the version it came with."""
    for node in preorder(root):
        function = getattr(node, "function", None)
        if function is not None:
            yield f"`{function.name}`{_form(node)}", _came(function, node)
        elif type(node) is Over and type(node.call) is AggregateCall and node.call.filter:
            yield f"`{node.call.function.name}` with FILTER over a window", _FILTERED_WINDOWS
        elif type(node) is Cast and _moves_time(node):
            yield f"a cast of {node.child.type.ddl} to {node.type.ddl}", _MOVED_TIMES
        elif type(node) is Recursion:
            yield "WITH RECURSIVE", (4, 1, 0)
        elif type(node) is SqlText:
            yield from _of_text(node)
        for type_ in _types(node):
            for kind, came in _TYPES.items():
                if contains(type_, kind):
                    yield f"the type {type_.ddl}", came
            if isinstance(type_, TimeType) and type_.precision > _DIGITS:
                yield f"the type {type_.ddl}", (4, 3, 0)


def _moves_time(node: Cast) -> bool:
    """Whether a timestamp becomes a TIME, or a TIME a timestamp."""
    types = {type(node.child.type), type(node.type)}
    return TimeType in types and not types.isdisjoint((TimestampType, TimestampNtzType))


def _of_text(node: SqlText) -> Iterator[tuple[str, Version]]:
    """What SQL text of a user says that is newer; it is written as it is, for every version."""
    from viewscribe.parser.names import read_names

    try:
        names = read_names(node.text)
    except ValidationError:  # not a user's: files with options, which no other tool reads
        return
    if names.has_qualify:
        yield "QUALIFY in SQL text", SELECT_CLAUSES
    for name in (each.parts[0] for each in names.functions if len(each.parts) == 1):
        function = find_built_in(name)
        if function is not None and function.since:
            yield f"`{name}` in SQL text", _version(function.since)


def _newer(what: str, came: Version, target: Target) -> NotSerializableError:
    major, minor, patch = came
    version = f"{major}.{minor}.{patch}" if patch else f"{major}.{minor}"
    return NotSerializableError(
        f"{what} came with Spark {version}, and the text is for Spark {target.name}",
        code="NewerThanTargetError",
        hint=f'say it without, or write the text for that version: target="{version}"',
    )


def _form(node: Any) -> str:
    """What of a call is newer than its function."""
    if type(node) is AggregateCall and _says_nulls(node):
        return f" with {IGNORE_NULLS if node.ignore_nulls else RESPECT_NULLS}"
    if node.function.newer_form is None:
        return ""
    return f" of {', '.join(argument.type.ddl for argument in node.args)}"


def _version(since: str) -> Version:
    major, minor, patch = (int(part) for part in since.split("."))
    return major, minor, patch


def _came(function: Any, node: Any) -> Version:
    """The version that the call's form came with; nothing is known of a user's own function."""
    if type(node) is AggregateCall and _says_nulls(node):
        return _COLLECTED_NULLS
    later = None if function.newer_form is None else function.newer_form(node)
    return max(_version(each) if each else _ALWAYS for each in (function.since, later))


def _says_nulls(node: AggregateCall) -> bool:
    """Whether an older Spark refuses the clause, or does not listen to it."""
    if not (node.ignore_nulls or node.respect_nulls):
        return False
    return RESPECT_NULLS in node.function.clauses


def _types(node: Node) -> Iterator[LogicalType]:
    if isinstance(node, QueryOperation):
        for field in node.schema.fields:
            yield field.type
    else:
        type_ = getattr(node, "type", None)
        if type_ is not None:
            yield type_


_DIGITS = 6
"""The digits of a TIME's seconds before Spark 4.3."""

_ALWAYS: Version = (1, 0, 0)

_FILTERED_WINDOWS: Version = (4, 2, 0)

_MOVED_TIMES: Version = (4, 3, 0)

_COLLECTED_NULLS: Version = (4, 2, 0)
"""The version that listens to RESPECT NULLS of what collects values."""


_SHAPES: Version = (4, 2, 0)  # 4.1 has them, and does not allow them

_TYPES: dict[type[LogicalType], Version] = {
    TimeType: (4, 1, 0),
    GeometryType: _SHAPES,
    GeographyType: _SHAPES,
}
"""Types that came after 4.0."""


# What CTEs save: a statement whose parts are said once is kept where its text is shorter so.
#
# The text decides, not the tree, of which a text says only a part: so the tree that is read from it
# is printed with the same CTEs.


def find_wasteful(steps: Steps, counts: Mapping[QueryOperation, int]) -> Iterator[QueryOperation]:
    """The operations that are CTEs of a printed statement, which is shorter without them.

    Args:
        steps: the CTEs with their texts.
        counts: how often each operation occurs.
    """
    yield from steps.renamed
    for operation, name in steps.by_operation.items():
        block = steps.blocks[name]
        if is_step_reference(block):  # under another name, or with other names for its columns
            yield operation
            continue
        if isinstance(operation, SubqueryAlias):  # a CTE however often it is read
            continue
        if _is_trivial(block) or not _saves(
            steps, name, counts[operation], is_open=_is_open(block, operation)
        ):
            yield operation


def _is_trivial(block: Block) -> bool:
    """Whether it only chooses and names columns of a table."""
    item = block.from_
    if not (block.bare and _is_plain(block) and isinstance(item, RelationItem)):
        return False
    source = item.relation.source
    return source is None or isinstance(source, Values | TableFunction)


def _saves(steps: Steps, name: str, count: int, *, is_open: bool) -> bool:
    """Whether the text is shorter with the CTE, and its name at each place.

    A join or a filter becomes part of the query around it when it is spelled out, and the queries
    in its FROM may be CTEs; as a CTE it has a SELECT of its own that lists every column.
    """
    block = steps.blocks[name]
    query = len(steps.texts[name]) - len(name) - len(" AS (  )")
    columns = inside = 0
    if is_open and any(each.wanted == name for each in steps.readers[name]):
        columns = len("SELECT") + sum(len(column) + 4 for column in block.names)
        inside = sum(each.length - LENGTH_OF_NAME for each in block.relations if each.length)
    return (query - columns - inside) * (count - 1) > columns + length_of_names(count)


def _is_plain(block: Block) -> bool:
    return block.plain or all(type(column) is SourceColumn for column in block.columns)


def _is_open(block: Block, operation: QueryOperation) -> bool:
    """Whether it is FROM and WHERE, over columns as they are or as USING makes them."""
    while isinstance(operation, Filter):
        operation = operation.child
    return (_is_plain(block) or isinstance(operation, Join)) and not (
        block.body is not None
        or block.group is not None
        or block.qualify
        or block.distinct
        or block.order
        or block.limited
        or block.hints
    )


# Names of tables for people: without the current catalog and database.

QUALIFY = ("full", "database", "minimal")

DEFAULT = ("spark_catalog", "default")
"""What is current in a session that said nothing else."""


def shorten(root: QueryOperation, qualify: str, current: tuple[str, str]) -> QueryOperation:
    """The operation over tables of shorter names, which mean the same where these are current.

    Args:
        root: the pipeline.
        qualify: ``full``, ``database`` (without the current catalog) or ``minimal`` (without the
            current database, too).
        current: the catalog and the database that names are looked up in.

    Raises:
        ValidationError: ``qualify`` is none of these.
    """
    if qualify not in QUALIFY:
        raise ValidationError(
            f"no names {qualify!r}", hint=f"tables are called: {', '.join(QUALIFY)}"
        )
    most = QUALIFY.index(qualify)
    if not most:
        return root
    around = tuple([part.lower() for part in current[:most]])

    def short(node: Node) -> Node:
        if not isinstance(node, n.CatalogSource) or len(node.path) != 3:
            return node
        path = tuple([part.lower() for part in node.path])
        count = next(c for c in range(most, -1, -1) if path[:c] == around[:c])
        return n.CatalogSource(node.path[count:], node.fields, node.as_of, node.schema)

    made = replace(root, short)
    assert isinstance(made, QueryOperation)
    return made


class _NeedsSharingError(Exception):
    """A sub-query was met in a tree that had not been searched for shared operations."""


def statement(
    operation: QueryOperation,
    style: str,
    target: Target = NEWEST,
    notes: Notes | None = None,
    qualify: str = "full",
    current: tuple[str, str] = DEFAULT,
) -> str:
    """The operation as a SQL statement that the target reads; with notes, with comments."""
    root = shorten(without_alias(operation), qualify, current)
    if target is not NEWEST:
        refuse_newer(root, target)
    if type(root) is TimeWindow and root.is_session:
        raise NotSerializableError(
            "a session window only exists in groups",
            hint=f'follow it with group_by("{root.name}", …)',
        )
    if not root.schema.names:
        raise NotSerializableError(
            "a query without columns has no form in SQL", hint="select at least one column"
        )
    try:
        # A long chain of small steps is no repetition: a second try would print the same.
        limits = Limits(may_exceed=lambda: is_small(root))
        return _print_within(limits, root, style, target, notes)
    except (TooDeepError, TooLongError, RecursionError):
        pass
    if not _nests_within(root, Limits().queries):
        raise _too_deep()
    whole = split_large_expressions(root, notes)
    if is_too_deep(whole):
        raise NotSerializableError(
            "an expression nests deeper than Spark parses, and it cannot be split because its "
            "parts are evaluated only under conditions",
            hint="compute an inner part with add_columns(…) first, and use the column",
        )
    if is_too_long(whole):
        raise NotSerializableError(
            "an expression uses its parts again and again, and they cannot be computed once: they "
            "are evaluated only under conditions, or join rows",
            hint="compute the part with add_columns(…) first, and use the column",
        )
    known = sys.getrecursionlimit()
    sys.setrecursionlimit(max(known, _FRAMES))
    try:
        return _print_within(
            Limits(depth=_FRAMES, calls=sys.maxsize, is_split=True), whole, style, target, notes
        )
    except (TooDeepError, RecursionError):
        raise _too_deep() from None
    finally:
        sys.setrecursionlimit(known)


_FRAMES = 3_000
"""What the most queries inside of each other take of Python's stack."""


def _too_deep() -> NotSerializableError:
    return NotSerializableError(
        "queries stand inside the expressions of queries deeper than can be printed, and than "
        "Spark parses",
        hint="save an inner query as a view or table, and go on from there",
    )


def _nests_within(root: QueryOperation, most: int) -> bool:
    """Whether no more queries than so many stand inside the expressions of others."""

    def count(node: Node, children: list[int]) -> int:
        return max(children, default=0) + isinstance(node, SubqueryExpression)

    return fold(root, count) <= most


def readable(operation: QueryOperation) -> str:
    """The operation in the readable style."""
    return statement(operation, "readable")


def _print_within(
    limits: Limits, root: QueryOperation, style: str, target: Target, notes: Notes | None
) -> str:
    before = LIMITS.set(limits)
    try:
        return _print(root, style, target, notes)
    finally:
        LIMITS.reset(before)


def _print(root: QueryOperation, style: str, target: Target, notes: Notes | None) -> str:
    flat = style == "readable"
    order = plain_order(root) if flat and notes is None else None
    # Whether an operation is written otherwise than it is, or not at all.
    if order is not None and not (
        not _REWRITTEN.isdisjoint(map(type, order)) or any(map(is_idle, order))
    ):
        try:
            printer = _PlainPrinter(Steps(taken=_find_short_names(order)), target=target)
            block = Folder(steps=printer.steps, target=target).fold_in_order(order)
            return printer.statement(block, order[-1].schema.names)
        except _NeedsSharingError:
            pass
    limits = LIMITS.get()
    refuse_many_reads(root, style, is_split=limits is not None and limits.is_split)
    root = without_alias(without_idle_steps(root, notes))
    if flat:
        root = with_hints_above(with_windows_as_keys(root, notes), notes)
    hidden, steps = names_within(root)
    if steps:
        root = without_hidden_names(root, hidden, notes)
    if style == "pipe":
        from viewscribe.serializer.pipe import pipe_statement

        return pipe_statement(root, target, hidden, notes)
    if not flat:
        return _in_blocks(root, Steps(notes=notes), target, hidden, flat=False)
    return _with_steps(root, target, hidden, notes)


_REWRITTEN = frozenset((Hint, TimeWindow))
_SLACK = 4
"""How many times longer than a tree looks its text may be; then the text itself is looked at."""


def _with_steps(root: QueryOperation, target: Target, hidden: set[str], notes: Notes | None) -> str:
    """The text with the CTEs that make it shorter; its comments do not count."""
    spelled_out: set[QueryOperation] = set()
    while True:
        shared = shared_operations(root, spelled_out, slack=_SLACK)
        steps = Steps(shared)
        text = _in_blocks(root, steps, target, hidden)
        wasteful = set(find_wasteful(steps, shared))
        if not wasteful:
            break
        spelled_out |= wasteful
    if notes is None:
        return text
    return _in_blocks(root, Steps(shared, notes=notes), target, hidden)


def _in_blocks(
    root: QueryOperation, steps: Steps, target: Target, hidden: set[str], *, flat: bool = True
) -> str:
    steps.taken |= _find_short_names(find(root, CatalogSource, Recursion, WithCte))
    printer = QueryPrinter(steps, flat=flat, target=target)
    printer.inner_names = hidden
    block = Folder(steps=steps, flat=flat, target=target).fold(root)
    return printer.statement(block, root.schema.names)


def _find_short_names(nodes: Iterable[Node]) -> set[str]:
    """Tables without catalog and database before their names, which a CTE would hide.

    Recursive queries, too, have their names for themselves.
    """
    found = set()
    for node in nodes:
        if type(node) is CatalogSource and len(node.path) == 1:
            found.add(node.path[0].lower())
        elif isinstance(node, Recursion | WithCte):
            found.add(node.name.lower())
    return found


class _PlainPrinter(QueryPrinter):
    __slots__ = ()

    def subquery(
        self, operation: Any, env: Env, only_existence: bool = False
    ) -> Callable[[int], str]:
        raise _NeedsSharingError


def expression_to_sql(expression: ResolvedExpression) -> str:
    """A single expression as SQL text, its columns by their bare names."""
    names: dict[int, str] = {}
    for node in preorder(expression, skip=lambda node: isinstance(node, QueryOperation)):
        if isinstance(node, FieldReference):
            names[node.index] = node.name
    for node in preorder(expression):  # a sub-query may refer to columns that stand nowhere else
        if isinstance(node, OuterReference):
            names.setdefault(node.index, node.name)
    relation = Relation("input", list(names.values()))
    width = max(names, default=-1) + 1
    columns: list[Column] = [SourceColumn(relation, "")] * width
    for index, name in names.items():
        columns[index] = SourceColumn(relation, name)
    before = LIMITS.set(Limits(calls=sys.maxsize))
    try:
        return QueryPrinter(Steps()).expression(expression, Env(columns))
    except TooDeepError:
        raise NotSerializableError(
            "the expression nests deeper than Spark parses",
            hint="compute an inner part as a column of its own first",
        ) from None
    finally:
        LIMITS.reset(before)
