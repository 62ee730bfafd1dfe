"""The mode that Spark's expressions were made in: ANSI, where errors are errors, or not.

An expression keeps the mode it was made in, whatever becomes of the setting; SQL text has the mode
of the settings it is read with. So both must be the same.
"""

from __future__ import annotations

from viewscribe.spark.capture.classic.errors import refused
from viewscribe.spark.capture.classic.plan import PlanNode, Product
from viewscribe.types.policy import IN_FORCE, SETTING

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
    raise refused(
        node,
        f"`{node.kind}` was made with {SETTING} = {made}, and now the session has {now}: as SQL "
        "text it would fail or give NULL where it did not",
        hint=f'capture it under its own setting: spark.conf.set("{SETTING}", "{made}")',
    )


def check_replacement(node: PlanNode) -> None:
    """As ``check_mode``, for all that Spark has put in the place of a call.

    Raises:
        CaptureError: names the setting.
    """
    if _is_try(node):
        return
    pending = [node["replacement"]]
    while pending:
        each = pending.pop()
        if each.kind in MODED:
            check_mode(each)
        if not _is_try(each):
            pending += each.expressions()


def _is_try(node: PlanNode) -> bool:
    """Whether it is a call of a function that gives NULL for errors under every setting."""
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
