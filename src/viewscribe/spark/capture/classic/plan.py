"""An analyzed plan as plain data: what the readers of Spark's internals hand over.

The text is one JSON object. ``nodes`` come before those that refer to them; a node is its class,
its constructor's arguments and what else is known of it. In arguments a bare number is the place
of a node; other things are text, booleans, null, lists, or an object with one of the keys

==========  ============================================
``n``       a number, as text
``t``       a type, by its place among ``types``
``o``       an object of which only the name matters
``p``, ``f``  a product: its class and its fields
``m``       a map, as pairs
``j``       metadata
==========  ============================================
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException
from pyspark.sql.types import StructType

from viewscribe.errors import CaptureError
from viewscribe.spark.capture.lengths import refuse_lengths_of_spark
from viewscribe.spark.java_classes import NotCompiledError, Py4JJavaError, java_object, unpack
from viewscribe.spark.session import first_line
from viewscribe.spark.types import from_spark
from viewscribe.types import LogicalType
from viewscribe.types.nested_types import value_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Named:
    """An object of which only the name matters: ``LeftOuter``, ``ANSI``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


class Product:
    """A small value class: its name and fields."""

    __slots__ = ("fields", "name")

    def __init__(self, name: str, fields: dict[str, Any]) -> None:
        self.name = name
        self.fields = fields

    def __getitem__(self, field: str) -> Any:
        return self.fields[field]

    def __repr__(self) -> str:
        return f"{self.name}({self.fields})"


class PlanNode:
    """An operator or expression of Spark's plan.

    Args:
        kind: the simple name of its class.
        args: the arguments of its constructor by name, where nodes stand for themselves.
        extra: what no argument says: ``id``, ``output``, ``alias``, ``written``, ``line`` …
    """

    __slots__ = ("args", "extra", "kind")

    def __init__(self, kind: str, args: dict[str, Any], extra: dict[str, Any]) -> None:
        self.kind = kind
        self.args = args
        self.extra = extra

    def __getitem__(self, name: str) -> Any:
        return self.args[name]

    def get(self, name: str) -> Any:
        """An argument that not every version of Spark has."""
        return self.args.get(name)

    @property
    def id(self) -> int:
        """The id of the column that the expression is or makes."""
        found: int = self.extra["id"]
        return found

    @property
    def output(self) -> list[PlanNode]:
        """The columns of an operator, where they do not follow from its child."""
        found: list[PlanNode] = self.extra["output"]
        return found

    @property
    def line(self) -> str | None:
        """The Python file and line that made it, where PySpark noted it."""
        return self.extra.get("line")

    def expressions(self) -> list[PlanNode]:
        """The nodes among the arguments, in their order, those in lists included."""
        found: list[PlanNode] = []
        _collect(self.args.values(), found)
        return found

    def __repr__(self) -> str:
        return f"{self.kind}({', '.join(self.args)})"


def _collect(values: Iterable[Any], found: list[PlanNode]) -> None:
    for value in values:
        if type(value) is PlanNode:
            found.append(value)
        elif type(value) is list:
            _collect(value, found)


_DERIVED = frozenset(
    (
        "Project",
        "Filter",
        "Sort",
        "GlobalLimit",
        "LocalLimit",
        "Offset",
        "SubqueryAlias",
        "Distinct",
        "Repartition",
        "RepartitionByExpression",
        "ResolvedHint",
        "Sample",
    )
)
"""Operators whose columns follow from their child, for which the readers leave them out."""

_INPUTS = ("cteDefs", "left", "right", "child", "children", "plan")


def is_operator(node: PlanNode) -> bool:
    """Whether the node gives rows, not a value."""
    return "output" in node.extra or node.kind in _DERIVED


def inputs_of(node: PlanNode) -> list[PlanNode]:
    """The operators that one reads; of a limit, Spark's own below it is left aside."""
    if node.kind == "GlobalLimit" and node["child"].kind == "LocalLimit":
        return [node["child"]["child"]]
    found: list[PlanNode] = []
    for name in _INPUTS:
        value = node.args.get(name)
        if isinstance(value, PlanNode):
            value = [value]
        if isinstance(value, list):
            found += [each for each in value if isinstance(each, PlanNode) and is_operator(each)]
    return found


def nodes_in(*roots: PlanNode) -> Iterator[PlanNode]:
    """Expressions and everything inside of them."""
    pending = [*roots]
    while pending:
        node = pending.pop()
        yield node
        pending += node.expressions()


def ids_in(nodes: Iterable[PlanNode]) -> set[int]:
    """The ids of the columns that are referred to, sub-queries left aside."""
    return {each.id for each in nodes_in(*nodes) if each.kind == "AttributeReference"}


def line_of(node: PlanNode) -> str | None:
    """The Python line of a node, or of the first part of it that has one.

    PySpark notes the lines of columns and functions, and none of operators. A bare column has the
    line of where it was made, which may be any step below, so it does not count.
    """
    if node.line:
        return node.line
    pending = list(reversed(node.expressions()))
    while pending:
        each = pending.pop()
        if each.kind == "AttributeReference" or is_operator(each):
            continue
        if each.line:
            return each.line
        pending += reversed(each.expressions())
    return None


def count_reads(root: PlanNode) -> Counter[int]:
    """How often a plan reads each CTE, in queries within expressions as well."""
    found: Counter[int] = Counter()
    seen: set[int] = set()
    pending = [root]
    while pending:
        node = pending.pop()
        if id(node) not in seen:
            seen.add(id(node))
            found.update([node["cteId"]] if node.kind == "CTERelationRef" else [])
            pending += node.expressions()
    return found


_SEEDS = {
    "Rand": "child",
    "Randn": "child",
    "RandStr": "seedExpression",
    "Shuffle": "randomSeed",
    "Uniform": "seedExpression",
    "Uuid": "randomSeed",
}
"""The argument that is the seed, of each function of chance."""


def seed_of(node: PlanNode) -> object:
    """The seed of a function of chance."""
    found = node[_SEEDS[node.kind]]
    return found.get("value") if isinstance(found, PlanNode) else found


def repeated_seeds(root: PlanNode) -> frozenset[object]:
    """The seeds from which several operators draw, as they do of a DataFrame that is used twice.

    What an operator says twice, the analyzer may have written out.
    """
    seeds: dict[int, set[object]] = {}
    below: dict[int, list[PlanNode]] = {}
    order: list[PlanNode] = []
    stack: list[tuple[PlanNode, bool]] = [(root, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            order.append(node)
        elif id(node) not in seeds:
            drawn, queries = _drawn_by(node)
            seeds[id(node)], below[id(node)] = drawn, [*inputs_of(node), *queries]
            stack.append((node, True))
            stack.extend((each, False) for each in below[id(node)])
    uses = Counter({id(root): 1})
    found: Counter[object] = Counter()
    for node in reversed(order):
        for each in below[id(node)]:
            uses[id(each)] = min(2, uses[id(each)] + uses[id(node)])
        found.update(dict.fromkeys(seeds[id(node)], uses[id(node)]))
    return frozenset(seed for seed, count in found.items() if count > 1)


def _drawn_by(operator: PlanNode) -> tuple[set[object], list[PlanNode]]:
    """The seeds in an operator's own expressions, and the queries that stand there."""
    inputs = {id(each) for each in inputs_of(operator)}
    seeds: set[object] = set()
    queries: dict[int, PlanNode] = {}
    pending = [each for each in operator.expressions() if id(each) not in inputs]
    while pending:
        node = pending.pop()
        if is_operator(node):
            queries.update({id(node): node} if node.kind != "LocalLimit" else {})
            continue
        if node.kind in _SEEDS:
            seeds.add(seed_of(node))
        pending += node.expressions()
    return seeds, [*queries.values()]


def read_plan(text: str) -> PlanNode:
    """The root of a plan, from the text that ``PlanDump.java`` writes."""
    data: dict[str, Any] = json.loads(text)
    root: int = data["root"]
    return _Decoder(data["classes"], data["types"]).nodes(data["nodes"])[root]


class _Decoder:
    def __init__(self, classes: dict[str, list[str]], types: list[str]) -> None:
        self.classes = classes
        self.types: list[LogicalType] = [_type(each) for each in types]
        self.known: list[PlanNode] = []

    def nodes(self, written: list[Any]) -> list[PlanNode]:
        value, known, classes = self.value, self.known, self.classes
        for kind, args, extra in written:
            if kind == "Literal":
                named = {"value": args[0], "dataType": value(args[1])}
            else:
                named = {
                    name: known[each] if type(each) is int else value(each)
                    for name, each in zip(classes[kind], args, strict=True)
                }
            for name, each in extra.items():
                if name not in ("id", "line"):
                    extra[name] = value(each)
            known.append(PlanNode(kind, named, extra))
        return known

    def value(self, written: Any) -> Any:
        kind = type(written)
        if kind is int:
            return self.known[written]
        if kind is list:
            return [self.value(each) for each in written]
        if kind is dict:
            return _OBJECTS[next(iter(written))](self, written)
        return written


@lru_cache(maxsize=1_000)
def _type(written: str) -> LogicalType:
    try:
        type_ = StructType.fromJson(json.loads(written)).fields[0].dataType
        refuse_lengths_of_spark(type_.simpleString())
        return value_type(from_spark(type_))  # fields note the columns that they were made of
    except PySparkException as error:
        raise CaptureError(
            f"PySpark cannot read a type of the plan: {first_line(error)}",
            location="type",
            hint="cast the column to a type that PySpark knows",
        ) from error


def _number(written: str) -> int | float:
    try:
        return int(written)
    except ValueError:
        return float(written)


_OBJECTS: dict[str, Callable[[_Decoder, dict[str, Any]], Any]] = {
    "n": lambda decoder, written: _number(written["n"]),
    "t": lambda decoder, written: decoder.types[written["t"]],
    "o": lambda decoder, written: Named(written["o"]),
    "p": lambda decoder, written: Product(
        written["p"], {name: decoder.value(each) for name, each in written["f"].items()}
    ),
    "m": lambda decoder, written: dict(decoder.value(written["m"])),
    "j": lambda decoder, written: written["j"],
}


# Reading an analyzed plan out of the JVM: the one place that touches Spark's internals.


def analyzed_plan(frame: DataFrame, *, with_columns: bool = False) -> PlanNode:
    """The analyzed plan of a classic DataFrame as plain data.

    Args:
        frame: the DataFrame.
        with_columns: whether every operator says its columns, those too whose columns follow from
            what they read.

    Raises:
        CaptureError: the DataFrame is one of Spark Connect, which has no analyzed plan here, or
            the driver compiles nothing, or Spark cannot write the plan down.
    """
    java: Any = getattr(frame, "_jdf", None)
    if java is None:
        raise CaptureError(
            "a DataFrame of Spark Connect has no analyzed plan in this process",
            hint="capture it by its Connect plan",
        )
    jvm: Any = frame.sparkSession._jvm
    try:
        writer = java_object(jvm, __package__, "PlanDump")
        return read_plan(unpack(writer.write(java, with_columns)))
    except NotCompiledError as error:
        raise CaptureError(
            f"the driver does not let one read its plans: {error}",
            hint="record the pipeline instead, vs.record(pipeline, spark), or use Spark Connect",
        ) from error
    except Py4JJavaError as error:
        raise _unwritable(error) from error


def _unwritable(error: Py4JJavaError) -> CaptureError:
    """What is wrong with a plan that Spark's own classes cannot write down."""
    said = str(error.java_exception.getMessage() or error.java_exception.toString())
    if "StringType(null)" in said:
        return CaptureError(
            "strings of different collations meet, and the result has none: Spark has no name for "
            "such a type",
            location="type",
            hint="say which one is meant: F.collate(column, 'UNICODE')",
        )
    return CaptureError(f"Spark cannot write down the plan: {said.splitlines()[0]}")


# The errors of this way: they name the node of the plan, the Python line, and the way out.


def refusal(node: PlanNode, reason: str, *, hint: str | None = None) -> CaptureError:
    """The error for a node that cannot become a part of a view."""
    return CaptureError(reason, location=locate(node), hint=hint)


def locate(node: PlanNode) -> str:
    """The node, and the Python line that made it where that is known."""
    return f"{node.kind}, at {node.line}" if node.line else node.kind
