"""The types that bodies of SQL functions give, as far as reading them tells.

Reading a text is the parser's, which stands above: it says here how it types a body.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from viewscribe.expressions.functions.context import CallContext
from viewscribe.types import LogicalType

if TYPE_CHECKING:
    from viewscribe.expressions.functions.identifiers import FunctionIdentifier
    from viewscribe.expressions.functions.user_defined import FunctionSource

TypeOfBody = Callable[
    ["FunctionIdentifier", "FunctionSource", Sequence[LogicalType]], LogicalType | None
]
"""The type that a function gives of arguments of these types; None where only Spark can tell."""

_readers: list[TypeOfBody] = []


def read_bodies_with(reader: TypeOfBody) -> None:
    """Makes a function the one that types bodies."""
    _readers[:] = [reader]


def typed_by_body(
    identifier: FunctionIdentifier, source: FunctionSource, otherwise: LogicalType
) -> Callable[[CallContext], LogicalType]:
    """The strategy of a SQL function: as its body with these arguments, which Spark puts there."""

    def strategy(context: CallContext) -> LogicalType:
        found = None
        if _readers:
            found = _readers[0](identifier, source, context.types)
        return otherwise if found is None else found

    return strategy
