"""Writing results and what is said beside them, and the words in them."""

from __future__ import annotations

import os
import re
import sys

from viewscribe.errors import INVISIBLE, printable
from viewscribe.secrets import mask_text


def escape(text: str) -> str:
    """A JSON text with everything invisible escaped as JSON does it, but for its line ends."""
    import json  # which `viewscribe --help` does not wait for

    return INVISIBLE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def safe(text: str) -> str:
    """A text as it can be said, whoever it is of: it tells no secret, and steers no terminal."""
    return inert(printable(mask_text(text), lines=True))


def inert(text: str) -> str:
    """A text in which no line is a command of GitHub's runner, where that reads what is written."""
    if not os.environ.get("GITHUB_ACTIONS"):
        return text
    return re.sub(r"(?m)(?<=##)\[|^[^\S\n]*:(?=:)", _escape_mark, text)


def _escape_mark(found: re.Match[str]) -> str:
    return f"{found[0][:-1]}\\x{ord(found[0][-1]):02x}"


def say(text: str) -> None:
    """Say something beside the result, on stderr."""
    print(safe(text), file=sys.stderr, flush=True)


def write(text: str) -> None:
    """Write the result to stdout; what its encoding lacks is escaped, and the last line ends."""
    encoding = sys.stdout.encoding or "utf-8"
    text = inert(text).encode(encoding, "backslashreplace").decode(encoding)
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


def describe_count(count: int, noun: str) -> str:
    """``1 view``, ``2 views``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
