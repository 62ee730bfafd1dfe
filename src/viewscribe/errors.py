"""The errors of viewscribe: each message says what is wrong, where, and what to do next.

Every error carries a stable ``code`` (for machines), one sentence of what is wrong, where it
happened and a hint. ``str(error)`` shows them on lines of their own.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

# Controls, the invisible marks that turn the direction of writing, what has neither width nor a
# use in any language (of which a name could hold a second one), halves of surrogate pairs.
_UNPRINTABLE = (
    "\x00-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_IN_LINE = re.compile(f"[{_UNPRINTABLE}]")
INVISIBLE = re.compile(f"(?![\n\t])[{_UNPRINTABLE}]")
"""What must not be written to a terminal as it is: a stored name could steer it, or deceive."""

_LONGEST_LINE = 2000


def printable(text: str, *, lines: bool = False) -> str:
    """``text`` with everything invisible escaped, line ends too unless ``lines`` keeps them."""
    return (INVISIBLE if lines else _IN_LINE).sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def _for_people(text: str) -> str:
    """A message as it is shown: names in it may be anybody's, and must not steer a terminal."""
    return "\n".join(map(_shortened, printable(text, lines=True).split("\n")))


def _shortened(line: str) -> str:
    left_out = len(line) - _LONGEST_LINE
    if left_out <= 0:
        return line
    half = _LONGEST_LINE // 2
    return f"{line[:half]} … {left_out:,} characters … {line[-half:]}"


class ViewscribeError(Exception):
    """Base of everything viewscribe raises on purpose.

    Args:
        message: one sentence of what is wrong, with the user's own names in it.
        code: stable identifier for machines; the class name by default.
        location: where it happened: an operation, an expression, a file and line.
        hint: what to do next.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        location: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).__name__
        self.location = location
        self.hint = hint
        self.others: tuple[ViewscribeError, ...] = ()
        """What else is wrong, where more than one thing was found at once."""

    @property
    def every(self) -> tuple[ViewscribeError, ...]:
        """This error and those that were found with it."""
        return (self, *self.others)

    def __str__(self) -> str:
        lines = [self.message]
        if self.location:
            lines.append(f"  in: {self.location}")
        if self.hint:
            lines.append(f"  {self.hint}")
        return "\n\n".join([_for_people("\n".join(lines)), *map(str, self.others)])

    def __reduce__(self) -> tuple[object, ...]:
        given = (type(self), self.message, self.code, self.location, self.hint, self.others)
        return (_rebuild, given)


def _rebuild(
    kind: type[ViewscribeError],
    message: str,
    code: str,
    location: str | None,
    hint: str | None,
    others: tuple[ViewscribeError, ...],
) -> ViewscribeError:
    error = kind.__new__(kind)
    ViewscribeError.__init__(error, message, code=code, location=location, hint=hint)
    error.others = others
    return error


class ValidationError(ViewscribeError):
    """A pipeline that cannot be built: raised where the user wrote it."""


class SqlSyntaxError(ValidationError):
    """SQL text that cannot be read; the location has the line, the column and a caret."""


class UnknownColumnError(ValidationError):
    """A column name that the input does not have."""


class AmbiguousColumnError(ValidationError):
    """A column name that more than one column of the input has."""


class TypeMismatchError(ValidationError):
    """An argument or operand of a type that the function or operation does not take."""


class ArityError(ValidationError):
    """A call with too few or too many arguments."""


class UnknownFunctionError(ValidationError):
    """A function name that no catalog knows."""


class DataTypeError(ValidationError):
    """A type, or its DDL text, that Spark does not have."""


class NotSerializableError(ViewscribeError):
    """A tree that SQL text cannot say exactly; names the node, the reason and the way out."""


class PlanDocumentError(ViewscribeError):
    """A plan document that is damaged or made by a newer version."""


class CatalogError(ViewscribeError):
    """Anything that goes wrong with the objects of a catalog."""


class CaptureError(ViewscribeError):
    """A DataFrame that cannot become a tree; names the plan node."""


class VerificationError(ViewscribeError):
    """A verification that could not be carried out."""


class SparkUnavailableError(ViewscribeError):
    """Spark is needed and cannot be used."""


def did_you_mean(wrong: str, known: Iterable[str], *, limit: int = 3) -> str | None:
    """The hint with the names nearest to ``wrong``, or None where none is near."""
    near = nearest(wrong, known, limit=limit)
    return f"did you mean: {', '.join(near)}" if near else None


def nearest(wrong: str, known: Iterable[str], *, limit: int = 3) -> Sequence[str]:
    """The known names that look most like ``wrong``, best first, compared without case."""
    by_folded = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(wrong.casefold(), by_folded, n=limit, cutoff=0.5)
    return [by_folded[name] for name in found]
