"""What is wrong in a file of SQL, and where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from viewscribe.errors import ViewscribeError
from viewscribe.parser.findings import FollowingError
from viewscribe.parser.tokens import Position


class SqlFinding(msgspec.Struct, frozen=True):
    """One thing that is wrong with a file.

    Args:
        file: its path.
        line: counted from 1.
        column: counted from 1.
        code: what kind of error it is.
        message: one sentence.
        hint: what to do.
        excerpt: the line with a caret under the place.
    """

    file: str
    line: int
    column: int
    code: str
    message: str
    hint: str | None = None
    excerpt: str | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


def in_order(findings: Iterable[SqlFinding]) -> list[SqlFinding]:
    """Findings as they are told: by their places, and each once."""
    return sorted(
        dict.fromkeys(findings),
        key=lambda each: (each.file, each.line, each.column, each.code, each.message),
    )


def as_error(findings: Sequence[SqlFinding]) -> ViewscribeError:
    """All of the findings as one error, for where the text is the only one."""
    errors = [
        ViewscribeError(
            each.message,
            code=each.code,
            location=f"line {each.line}, column {each.column}\n{each.excerpt or ''}".rstrip(),
            hint=each.hint,
        )
        for each in findings
    ]
    errors[0].others = tuple(errors[1:])
    return errors[0]


_PLACE = re.compile(r"line (\d+), column (\d+)\n?(.*)", re.DOTALL)


def findings_of(
    file: str, error: ViewscribeError, start: Position | None = None
) -> Iterator[SqlFinding]:
    """An error, and those that came with it, in a file; what only follows is left out.

    Args:
        file: its path.
        error: the error.
        start: where the query begins, if the places in it are not those of the file.
    """
    for each in error.every:
        if isinstance(each, FollowingError):
            continue
        if start is not None:
            yield SqlFinding(file, start.line, start.column, each.code, each.message, each.hint)
            continue
        found = _PLACE.match(each.location or "")
        line, column, excerpt = (found[1], found[2], found[3]) if found else ("1", "1", "")
        yield SqlFinding(
            *(file, int(line), int(column), each.code, each.message, each.hint, excerpt or None)
        )
