"""Spark's parser as a reader of SQL: the tree it makes, before names and types are looked up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS_AS_WRITTEN = {"spark.sql.parser.eagerEvalOfUnresolvedInlineTable": "false"}
"""The setting with which the parser keeps the rows of VALUES as expressions."""


@dataclass(slots=True)
class SparkNode:
    """A node of Spark's tree: its class, what it was made of, its children."""

    kind: str
    values: dict[str, Any]
    children: list[SparkNode] = field(default_factory=list)

    def part(self, name: str) -> SparkNode:
        """What the node holds under a name: one of its children, or a tree of its own."""
        found = self._held(self.values[name])
        assert isinstance(found, SparkNode)
        return found

    def parts(self, name: str) -> list[SparkNode]:
        """The same for what holds several."""
        return [self._held(value) for value in self.values[name]]

    def words(self, name: str) -> list[str]:
        """The parts of a name: the JSON has them as ``[a, b]``."""
        text: str = self.values[name]
        return text[1:-1].split(", ")

    def _held(self, value: Any) -> Any:
        return self.children[value] if isinstance(value, int) else value


class Parser:
    """Parses with the session's parser and reads the tree in one piece.

    Args:
        spark: the session; its settings say how texts are read.
    """

    def __init__(self, spark: SparkSession) -> None:
        session: Any = spark
        self._parser = session._jsparkSession.sessionState().sqlParser()

    def parse(self, text: str) -> SparkNode:
        """The plan of a query."""
        plan = self._parser.parsePlan(text)
        document = json.loads(plan.toJSON())
        return _Reader(_left_out(plan) if _loses(document) else iter(())).read(document)


class _Reader:
    """Makes nodes of the lists of nodes in Spark's JSON, each in the order of a preorder walk."""

    def __init__(self, left_out: Iterator[Any]) -> None:
        self._left_out = left_out

    def read(self, document: list[dict[str, Any]]) -> SparkNode:
        return self._node(iter(document))

    def _node(self, document: Iterator[dict[str, Any]]) -> SparkNode:
        values = next(document)
        kind = values["class"].rpartition(".")[2].removesuffix("$")
        made = SparkNode(kind, values)
        if kind in _LEFT_OUT and _is_lossy(values):
            values["left_out"] = next(self._left_out)
        if _is_plan(values):
            made.values = {name: self._value(value) for name, value in values.items()}
        made.children += [self._node(document) for _ in range(values["num-children"])]
        return made

    def _value(self, value: Any) -> Any:
        if not isinstance(value, list) or not value:
            return value
        if isinstance(value[0], dict) and "class" in value[0]:
            return self.read(value)
        return [self._value(item) for item in value]


def _is_plan(values: dict[str, Any]) -> bool:
    return ".plans.logical." in values["class"] or values["class"].endswith(_PLANS)


_PLANS = ("UnresolvedInlineTable", "UnresolvedTableValuedFunction", "UnresolvedRelation")

# What the JSON of Spark's trees leaves out, and how to ask for it.
_LEFT_OUT = {
    "Cast": lambda node: str(node.evalMode().toString()),
    "Like": lambda node: str(node.escapeChar()),
    "ILike": lambda node: str(node.escapeChar()),
    "Literal": lambda node: bytes(node.value()),
}


def _is_lossy(values: dict[str, Any]) -> bool:
    return not values["class"].endswith(".Literal") or values["dataType"] == "binary"


def _loses(document: Any) -> bool:
    text = json.dumps(document)
    return any(f'.{kind}"' in text for kind in ("Cast", "Like", "ILike")) or '"binary"' in text


def _left_out(node: Any) -> Iterator[Any]:
    """What the JSON leaves out, in the order of a preorder walk."""
    kind = node.getClass().getSimpleName()
    if kind in _LEFT_OUT and (kind != "Literal" or node.dataType().typeName() == "binary"):
        yield _LEFT_OUT[kind](node)
    if "logical" in node.getClass().getName() or kind in _PLANS:
        yield from _left_out_of_all(node.expressions())
    yield from _left_out_of_all(node.children())


def _left_out_of_all(nodes: Any) -> Iterator[Any]:
    for place in range(nodes.length()):
        yield from _left_out(nodes.apply(place))
