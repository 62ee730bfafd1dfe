"""Texts from documents, made harmless: a stored name must not steer the reader's terminal."""

from __future__ import annotations

import re
import sys

# Controls, the invisible marks that turn the direction of writing, what has neither width nor a
# use in any language (of which a name could hold a second one), halves of surrogate pairs.
_UNPRINTABLE = (
    "\x00-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
_IN_LINE = re.compile(f"[{_UNPRINTABLE}]")
_IN_LINES = re.compile(f"(?![\n\t])[{_UNPRINTABLE}]")


def printable(text: str, *, lines: bool = False) -> str:
    """``text`` with everything invisible escaped, line ends too unless ``lines`` keeps them."""
    return (_IN_LINES if lines else _IN_LINE).sub(_escape, text)


def escaped(text: str) -> str:
    """A JSON text with everything invisible escaped as JSON does it, but for its line ends."""
    import json  # which `viewscribe --help` does not wait for

    return _IN_LINES.sub(lambda found: json.dumps(found[0])[1:-1], text)


def write(text: str) -> None:
    """Write the result to stdout; what its encoding lacks is escaped, and the last line ends."""
    encoding = sys.stdout.encoding or "utf-8"
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    sys.stdout.flush()


def write_exactly(text: str) -> None:
    """Write the result to stdout as UTF-8, whatever the encoding there; the last line ends."""
    sys.stdout.flush()
    sys.stdout.buffer.write((text if text.endswith("\n") else f"{text}\n").encode())
    sys.stdout.buffer.flush()


def first_line(text: str | None) -> str:
    """The first line that says something, marked where more follow."""
    lines = [line.strip() for line in (text or "").splitlines() if line.strip()]
    if not lines:
        return ""
    return lines[0] if len(lines) == 1 else f"{lines[0]} …"


def counted(count: int, noun: str) -> str:
    """``1 view``, ``2 views``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
