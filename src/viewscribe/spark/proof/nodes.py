"""A plan as ``PlanTerms.java`` writes it: nodes in order, each after those it refers to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from viewscribe.errors import ViewscribeError
from viewscribe.spark.janino import java_object, unpack

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
