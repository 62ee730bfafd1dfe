"""The settings that an expression was made in: a time zone; ANSI, where errors are errors, or not.

An expression keeps the settings it was made in, whatever becomes of them; SQL text has those that
it is read with. So both must be the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from viewscribe.spark.capture.classic.plan import PlanNode, Product, refusal
from viewscribe.types import TIMESTAMP, TIMESTAMP_NTZ, identifiers
from viewscribe.types.policy import IN_FORCE, SETTING, TIMESTAMP_SETTING

if TYPE_CHECKING:
    from viewscribe.errors import CaptureError
    from viewscribe.expressions.nodes import ResolvedExpression
    from viewscribe.types import LogicalType

_TIMESTAMP = "TIMESTAMP"
_STRICT = {"ANSI": True, "LEGACY": False}

MODED = frozenset(
    (
        "Abs",
        "Add",
        "Average",
        "BRound",
        "Cast",
        "Ceil",
        "Conv",
        "DateAddInterval",
        "Divide",
        "DivideInterval",
        "ElementAt",
        "Elt",
        "Floor",
        "GetArrayItem",
        "GetTimestamp",
        "IntegralDivide",
        "MakeDate",
        "MakeInterval",
        "MakeTimestamp",
        "Multiply",
        "MultiplyInterval",
        "NextDay",
        "ParseToDate",
        "ParseToTimestamp",
        "ParseUrl",
        "Pmod",
        "Remainder",
        "Round",
        "Subtract",
        "Sum",
        "ToUnixTimestamp",
        "UnaryMinus",
        "UnixTimestamp",
    )
)
"""The classes whose mode comes from the setting."""

BY_NAME = frozenset(
    (
        "CallMethodViaReflection",
        "ParseJson",
        "UnBase64",
        "Unhex",
        "UrlDecode",
        "VariantArrayAppend",
        "VariantGet",
        "VariantInsert",
        "VariantSet",
    )
)
"""The classes that have such a flag by the name of their function."""

OF_TIMESTAMP = frozenset(("MakeTimestamp", "ParseToTimestamp", "TryMakeTimestamp"))
"""The classes that give what the setting takes TIMESTAMP for."""


def eval_mode(node: PlanNode) -> str | None:
    """LEGACY, ANSI or TRY, where the node has such a mode."""
    context = node.get("evalContext")
    mode = context["evalMode"] if isinstance(context, Product) else node.get("evalMode")
    return None if mode is None else str(mode.name)


def check_mode(node: PlanNode) -> None:
    """Refuses an expression of another mode than that of the settings in force.

    Raises:
        CaptureError: names the setting.
    """
    strict = _is_strict(node)
    if strict is None or strict is IN_FORCE.get().ansi or _is_try(node):
        return
    made, now = str(strict).lower(), str(not strict).lower()
    raise _other_mode_error(node, SETTING, made, now, "fail or give NULL where it did not")


def check_replacement(node: PlanNode) -> None:
    """As ``check_mode`` and ``check_zone``, for all that Spark has put in the place of a call.

    Raises:
        CaptureError: names the setting.
    """
    pending = [(node["replacement"], _is_try(node))]
    while pending:
        each, trying = pending.pop()
        if each.kind in MODED and not trying:
            check_mode(each)
        _check_zone_of_replaced(each)
        inside = trying or _is_try(each)
        pending += [(child, inside) for child in each.expressions()]


def check_zone(node: PlanNode, *types: LogicalType) -> None:
    """Refuses an expression of another time zone than the session's.

    Args:
        node: the expression.
        types: of a cast, what it casts and to what: it notes a zone whether it needs one or not.

    Raises:
        CaptureError: names the setting.
    """
    made, now = node.get("timeZoneId"), identifiers.IN_FORCE.get()
    if not isinstance(made, str) or now is None or identifiers.same_zone(made, now):
        return
    if types and not any(_TIMESTAMP in str(type_) for type_ in types):
        return
    raise _other_mode_error(node, identifiers.SETTING, made, now, "give other times")


def check_timestamp(node: PlanNode, read: ResolvedExpression) -> None:
    """Refuses a call that gave another kind of timestamp than it would give now.

    Args:
        node: a call of a class of ``OF_TIMESTAMP``.
        read: what it was read as.

    Raises:
        CaptureError: names the setting.
    """
    made = node.get("dataType") or node["replacement"].get("dataType")
    if made is None or type(made) is type(read.type):
        return
    now = TIMESTAMP_NTZ if made.same_type(TIMESTAMP) else TIMESTAMP
    names = [_TIMESTAMP_TYPES[type(each)] for each in (made, now)]
    raise _other_mode_error(node, TIMESTAMP_SETTING, names[0], names[1], "give another type")


_TIMESTAMP_TYPES = {type(TIMESTAMP): "TIMESTAMP_LTZ", type(TIMESTAMP_NTZ): "TIMESTAMP_NTZ"}


def _check_zone_of_replaced(node: PlanNode) -> None:
    if node.kind != "Cast":
        check_zone(node)
        return
    child = node["child"].get("dataType")
    # Most expressions do not say their type: what is cast then may be a TIMESTAMP.
    check_zone(node, *(() if child is None else (node["dataType"], child)))


def _other_mode_error(
    node: PlanNode, setting: str, made: str, now: str, would: str
) -> CaptureError:
    return refusal(
        node,
        f"`{node.kind}` was made with {setting} = {made}, and now the session has {now}: as SQL "
        f"text it would {would}",
        hint=f'capture it under its own setting: spark.conf.set("{setting}", "{made}")',
    )


def _is_try(node: PlanNode) -> bool:
    """Whether it is a call of a function that gives NULL for errors under every setting."""
    # Spark 4.0 puts an item of an array that may be missing in the place of get().
    if node.kind == "Get":
        return True
    return node.kind.startswith("Try") or str(node.extra.get("alias", "")).startswith("try_")


def _is_strict(node: PlanNode) -> bool | None:
    """Whether errors are errors; None where the node does not say so."""
    mode = eval_mode(node)
    if mode is not None:
        return _STRICT.get(mode)
    for name in ("failOnError", "ansiEnabled"):
        flag = node.get(name)
        if isinstance(flag, bool):
            return flag
    return None
