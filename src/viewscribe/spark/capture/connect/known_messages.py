"""The protobuf of Spark Connect as captures know it: a plan that says more is refused.

Vendors ship clients whose version is none of Spark's. Such a plan is read where it says nothing
that a tested client could not say; ``known_messages.txt`` has the messages and fields of these,
and a test compares it with the protobuf of the newest one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from pyspark.sql.connect import proto

from viewscribe.errors import CaptureError

_PREFIX = "spark.connect."


def refuse_unknown_fields(relations: Iterable[proto.Relation], version: str) -> None:
    """Refuses a plan that says what no tested client says.

    Args:
        relations: the messages of the plan.
        version: what the client calls itself.

    Raises:
        CaptureError: names the field.
    """
    stack: list[Any] = list(relations)
    while stack:
        message = stack.pop()
        name = message.DESCRIPTOR.full_name
        for field, value in message.ListFields():
            if name.startswith(_PREFIX) and field.name not in known_fields().get(name, ()):
                raise CaptureError(
                    f"the plan of Spark {version} says {name.removeprefix(_PREFIX)}.{field.name}, "
                    "which nobody here knows",
                    code="UntestedSparkError",
                    hint="capture with Spark 4.0 to 4.3",
                )
            if field.message_type is not None:
                stack += _messages(value)


def _messages(value: Any) -> list[Any]:
    if hasattr(value, "DESCRIPTOR"):
        return [value]
    items = list(value.values() if hasattr(value, "values") else value)
    return [each for each in items if hasattr(each, "DESCRIPTOR")]


@cache
def known_fields() -> dict[str, frozenset[str]]:
    """Returns the fields of each message, by its name."""
    lines = files(__package__).joinpath("known_messages.txt").read_text().splitlines()
    words = (line.split() for line in lines if line)
    return {f"{_PREFIX}{name}": frozenset(fields) for name, *fields in words}


def installed_fields() -> dict[str, frozenset[str]]:
    """Returns those of the installed client, as far as plans can hold them."""
    found: dict[str, frozenset[str]] = {}
    stack = [proto.Relation.DESCRIPTOR]
    while stack:
        message = stack.pop()
        if message.full_name not in found and message.full_name.startswith(_PREFIX):
            found[message.full_name] = frozenset(field.name for field in message.fields)
            stack += [each.message_type for each in message.fields if each.message_type is not None]
    return found
