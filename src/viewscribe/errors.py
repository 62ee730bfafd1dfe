"""The errors of viewscribe: each says what is wrong, where, and what to do next.

Every error has a stable ``code`` for machines, a one-sentence message, a location and a hint.
``str(error)`` shows message, location and hint on separate lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from viewscribe.secrets import mask_text

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


def _shortened(line: str) -> str:
    left_out = len(line) - _LONGEST_LINE
    if left_out <= 0:
        return line
    half = _LONGEST_LINE // 2
    return f"{line[:half]} … {left_out:,} characters … {line[-half:]}"


class ViewscribeError(Exception):
    """Base class of every error that viewscribe raises on purpose; it tells no secret.

    Args:
        message: one sentence that says what is wrong, in the user's own names.
        code: a stable identifier for machines; defaults to the class name.
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
        message = mask_text(message)
        super().__init__(message)
        self.message = message
        self.code = code or type(self).__name__
        self.location = location and mask_text(location)
        self.hint = hint and mask_text(hint)
        self.others: tuple[ViewscribeError, ...] = ()
        """Further errors that were found at the same time."""

    @property
    def every(self) -> tuple[ViewscribeError, ...]:
        """This error and the further ones."""
        return (self, *self.others)

    def __str__(self) -> str:
        lines = [self.message]
        if self.location:
            lines.append(f"  in: {self.location}")
        if self.hint:
            lines.append(f"  {self.hint}")
        # A message as it is shown: names in it may be anybody's, and must not steer a terminal.
        return "\n\n".join(
            [
                "\n".join(map(_shortened, printable("\n".join(lines), lines=True).split("\n"))),
                *map(str, self.others),
            ]
        )

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
    """A pipeline cannot be built; raised at the call that made the mistake."""


class SqlSyntaxError(ValidationError):
    """SQL text does not parse; the location shows line, column and a caret."""


class UnknownColumnError(ValidationError):
    """The input has no column of this name."""


class AmbiguousColumnError(ValidationError):
    """The input has more than one column of this name."""


class TypeMismatchError(ValidationError):
    """A function or operation does not accept an argument of this type."""


class ArityError(ValidationError):
    """A call has too few or too many arguments."""


class UnknownFunctionError(ValidationError):
    """No catalog has a function of this name."""


class DataTypeError(ValidationError):
    """Spark has no such type, or the DDL text of a type is malformed."""


class NotSerializableError(ViewscribeError):
    """SQL cannot express a tree exactly; names the node, the reason and a workaround."""


class PlanDocumentError(ViewscribeError):
    """A plan document is damaged, or was written by a newer version."""


class CatalogError(ViewscribeError):
    """Base class of errors about catalogs and the objects in them."""


class CaptureError(ViewscribeError):
    """A DataFrame cannot be converted to a tree; names the plan node."""


class VerificationError(ViewscribeError):
    """A verification failed, or could not be carried out."""


class SparkUnavailableError(ViewscribeError):
    """Spark is needed but not available."""


def did_you_mean(wrong: str, known: Iterable[str], *, limit: int = 3) -> str | None:
    """Returns a "did you mean" hint with the names nearest to ``wrong``; None if none is near."""
    near = nearest(wrong, known, limit=limit)
    return f"did you mean: {', '.join(near)}" if near else None


def nearest(wrong: str, known: Iterable[str], *, limit: int = 3) -> Sequence[str]:
    """Returns the known names most similar to ``wrong``, best first, ignoring case."""
    by_folded = {name.casefold(): name for name in known}
    if not by_folded:
        return ()
    import difflib  # which few programs need

    found = difflib.get_close_matches(wrong.casefold(), by_folded, n=limit, cutoff=0.5)
    return [by_folded[name] for name in found]
