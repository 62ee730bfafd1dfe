"""Declarative functions: what Spark lacks, said with what it has.

    SUM0 = declarative('''sum0(NUMERIC)
        The sum, 0 where there is nothing to add.''').expand_to(lambda x: coalesce(sum(x), 0))

A call is replaced by its expansion when it is resolved, so that the tree holds Spark's functions
only, and neither the serializer nor the interpreter knows of it. The FLIP-51 document leaves the
same to planner rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.entries import BuiltInFunction
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.user_defined import (
    Convention,
    FunctionParameter,
    FunctionSource,
    Language,
    UserFunction,
)
from viewscribe.expressions.functions.validators import ArgumentType
from viewscribe.expressions.nodes import Literal, ResolvedExpression
from viewscribe.types import VOID, LogicalType
from viewscribe.types.ddl import parse_type, type_text

# User functions as the plain data of a plan document, and back.

Encoded = dict[str, Any]


def encode(function: UserFunction) -> Encoded:
    """Encodes the function as plain data for a plan document; Python functions by reference.

    Raises:
        ValidationError: it is a Python function without an importable name.
    """
    source = function.source
    if source.language is Language.PYTHON and source.reference is None:
        raise ValidationError(
            f"the Python function `{function!r}` has no place to be found at",
            hint="define it at the top of a module, not in a function or a notebook's main module",
        )
    encoded: Encoded = {
        "identifier": list(function.identifier.parts),
        "kind": source.kind.value,
        "language": source.language.value,
    }
    if function.temporary:
        encoded["temporary"] = True
    if source.parameters is not None:
        encoded["parameters"] = [
            {"name": each.name, "type": type_text(each.type)}
            | ({} if each.default is None else {"default": each.default})
            for each in source.parameters
        ]
    if source.returns is not None:
        encoded["returns"] = type_text(source.returns)
    for name in ("reference", "body", "comment"):
        if (value := getattr(source, name)) is not None:
            encoded[name] = value
    if not source.deterministic:
        encoded["deterministic"] = False
    if source.resources:
        encoded["resources"] = list(source.resources)
    if source.convention is not Convention.VALUES:
        encoded["convention"] = source.convention.value
    if source.collected:
        encoded["collected"] = True
    return encoded


def decode(encoded: Encoded) -> UserFunction:
    """Decodes a function from ``encode``'s data, without importing anything."""
    parts = encoded["identifier"]
    identifier = FunctionIdentifier(parts[-1], *(parts[-2::-1] if len(parts) > 1 else ()))
    parameters = encoded.get("parameters")
    returns = encoded.get("returns")
    source = FunctionSource(
        kind=FunctionKind(encoded["kind"]),
        language=Language(encoded["language"]),
        parameters=None
        if parameters is None
        else tuple(
            FunctionParameter(each["name"], parse_type(each["type"]), each.get("default"))
            for each in parameters
        ),
        returns=None if returns is None else parse_type(returns),
        reference=encoded.get("reference"),
        body=encoded.get("body"),
        deterministic=encoded.get("deterministic", True),
        comment=encoded.get("comment"),
        resources=tuple(encoded.get("resources", ())),
        convention=Convention(encoded.get("convention", Convention.VALUES)),
        collected=encoded.get("collected", False),
    )
    return UserFunction(identifier, source, temporary=encoded.get("temporary", False))


# Lengths of time windows: the texts that Spark reads, and what they must be to each other.

UNITS = {
    "week": 604_800_000_000,
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}
_PART = re.compile(
    rf"([+-]?)\s*(\d{{1,19}}(?:\.\d{{1,9}}(?=\s+seconds?\b))?)\s+({'|'.join(UNITS)})s?(?:\s+|$)",
    re.IGNORECASE | re.ASCII,
)
_INTERVAL = re.compile(r"interval\s+", re.IGNORECASE | re.ASCII)
HINT = (
    'write it as "10 minutes" or "1 day 12 hours": weeks, days, hours, minutes, seconds, '
    "milliseconds, microseconds; or as a timedelta or an interval(…) of these"
)


def microseconds(text: str) -> int:
    """How long ``"1 day 12 hours"`` is.

    Raises:
        ValidationError: Spark does not read the text as the length of a window.
    """
    rest, total = text.strip(), 0
    prefix = _INTERVAL.match(rest)
    place = prefix.end() if prefix else 0
    while place < len(rest):
        part = _PART.match(rest, place)
        if part is None:
            raise ValidationError(f"{text!r} is not a length of time", hint=HINT)
        unit, (whole, _, behind) = UNITS[part[3].lower()], part[2].partition(".")
        amount = int(whole) * unit + int(behind.ljust(9, "0")) * unit // 10**9
        total += -amount if part[1] == "-" else amount
        place = part.end()
    if not rest or (prefix and prefix.end() == len(rest)):
        raise ValidationError(f"{text!r} is not a length of time", hint=HINT)
    return total


def in_words(length: int) -> str:
    """So many microseconds in the largest unit that divides them: ``"90 minutes"``."""
    units = [each for each in UNITS if each != "week"] if length else ["second"]
    unit = next(each for each in units if length % UNITS[each] == 0)
    amount = length // UNITS[unit]
    return f"{amount} {unit}" if abs(amount) == 1 else f"{amount} {unit}s"


def check_lengths(args: Sequence[ResolvedExpression]) -> None:
    """Refuses lengths of windows that Spark would refuse later.

    Args:
        args: how long the windows are, how far apart, and how much later than 1970 they start.

    Raises:
        ValidationError: a text is no length, or size, slide and start do not fit together.
    """
    known = [_length(arg) for arg in args]
    size, slide, start, *_ = (*known, *known[:1], 0) if len(known) == 1 else (*known, 0)
    for name, length in (("long", size), ("apart", slide)):
        if length <= 0:
            raise ValidationError(f"windows cannot be {in_words(length)} {name}")
    if slide > size:
        raise ValidationError(
            f"windows of {in_words(size)} cannot be {in_words(slide)} apart: rows between them "
            "would be lost",
            hint="the size comes first, then the slide",
        )
    if abs(start) >= slide:
        raise ValidationError(
            f"windows that start every {in_words(slide)} cannot be {in_words(start)} off",
            hint=f"that is as far as {in_words(start % slide)}",
        )


def _length(given: ResolvedExpression) -> int:
    """How long an argument of ``window`` is: a text, or a number of microseconds."""
    value = given.value if isinstance(given, Literal) else None
    if type(value) is int:
        return value
    if not isinstance(value, str):
        raise ValidationError(
            f"{given.as_summary_string()} is not the length of a window", hint=HINT
        )
    return microseconds(value)


Expansion = Callable[..., Any]
"""From the resolved arguments, and the options by name, to an expression."""


class DeclarativeFunction(BuiltInFunction):
    """A function that stands for an expression over other functions.

    Args:
        text: its entry; the type of the result follows from the expansion.
    """

    __slots__ = ("expansion", "options")

    def __init__(self, text: str) -> None:
        super().__init__(FunctionKind.DECLARATIVE, text)

    def expand_to(
        self,
        expansion: Expansion,
        *,
        args: tuple[ArgumentType | LogicalType, ...] = (),
        options: Mapping[str, Any] | None = None,
    ) -> Self:
        """Says what it stands for.

        Args:
            expansion: makes the expression.
            args: the validators that ``_`` stands for in the signature, in order.
            options: names of what a call says besides its arguments, with the values they have
            when a call does not say them. They are Python values, not expressions.
        """
        self.expansion = expansion
        self.options = options or {}
        return self.where(args=args, returns=lambda context: VOID)

    def options_of(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a call.

        Raises:
            ValidationError: the function has no such option.
        """
        unknown = [name for name in given if name not in self.options]
        if unknown:
            raise ValidationError(
                f"{self.name} has no option `{unknown[0]}`",
                hint=f"its options are: {', '.join(self.options)}"
                if self.options
                else f"it has none: {self.signature}",
            )
        return {**self.options, **given}


def declarative(text: str) -> DeclarativeFunction:
    """A function that Spark lacks; ``expand_to`` says it with functions that Spark has."""
    return DeclarativeFunction(text)
