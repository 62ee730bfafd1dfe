"""Deep expressions in the order in which they can be read without recursion: children first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql.connect.proto import Expression as Message


def kind_of(message: Message) -> str:
    """Which kind of expression the message holds."""
    return message.WhichOneof("expr_type") or ""


def postorder(root: Message) -> list[Message]:
    """The messages below, children first; what stands in a lambda is read with the lambda."""
    order: list[Message] = []
    stack: list[tuple[Message, bool]] = [(root, False)]
    while stack:
        message, expanded = stack.pop()
        if expanded:
            order.append(message)
            continue
        stack.append((message, True))
        if kind_of(message) != "lambda_function":
            stack.extend((child, False) for child in _children(message))
    return order


def _children(message: Message) -> list[Message]:
    kind = kind_of(message)
    inner: Any = getattr(message, kind)
    if kind in ("unresolved_function", "call_function"):
        return list(inner.arguments)
    if kind in ("alias", "cast"):
        return [inner.expr]
    if kind == "unresolved_extract_value":
        return [inner.child]
    return []
