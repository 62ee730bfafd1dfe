"""Texts of SQL: those of the repository, and what somebody who means harm makes of them."""

from __future__ import annotations

import ast
import functools
import random
import re
from collections.abc import Callable
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"^```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)

BLANKS = (
    *" \t\n\r\v\f\xa0\u1680\u2000\u2005\u200a\u2028\u202f\u205f\u3000",
    *"\x00\x1a\x1c\x1d\x1e\x1f\x85\u180e\u200b\u2029\ufeff",  # to Spark these are none
)
LETTERS = (*"éßﬁŉſıİK٣²४º_ªʰא中", "e\u0301", "\U0001d4d0", "\U0001d7d8", "😀", "\ud800", "\udc00")
COMMENTS = ("/*", "*/", "/*+", "/*/", "/**/", "/***/", "*/*", "/ *", "--", "--\\\n", "-- \\\r\n")
QUOTES = ("'", "''", '"', '""', "`", "``", "\\", "\\'", '\\"', "r'", 'R"', "x'", "$$", "$a$", "$1$")
NUMBERS = (
    *(
        "1e5x",
        "1e+5x",
        "1E-5BDx",
        "1.5e+5x",
        "1.5BD",
        "2.3W",
        ".5",
        "1.",
        "1..2",
        "1e",
        "1e+",
        "5L",
    ),
    *("1Lx", "1.5L", "1s", "1Y", "0x1F", "1_0", "1.e5", "1.5e5f", "1.5.5", ".5x", "t.1a", "1bd1"),
)
SYMBOLS = (
    *(
        "<",
        ">",
        ">>",
        ">>>",
        ">=",
        "<>",
        "<=>",
        "!>",
        "!<",
        "!=",
        "!",
        "==",
        "=>",
        "->",
        "|>",
        "||",
    ),
    *(
        ":",
        "::",
        "a://b/c",
        "s3://b?c=d",
        "://",
        "x:/",
        "@",
        "@v1",
        "#",
        "{",
        "}",
        "${a}",
        ";",
        "?",
    ),
    *("*", "/", "+", "-", "%", "~", "^", "&", "|", "(", ")", "[", "]", ",", "."),
)
WORDS = ("ARRAY<", "MAP", "STRUCT", "array(", "SELECT", "FROM", "a", "1", "x", "IN (SELECT", "AS")
PIECES: tuple[tuple[str, ...], ...] = (
    BLANKS,
    LETTERS,
    COMMENTS,
    COMMENTS,
    QUOTES,
    NUMBERS,
    SYMBOLS,
    WORDS,
)


@functools.cache
def known_texts() -> tuple[str, ...]:
    """The SQL of examples, snapshots, documentation and tests, each text once."""
    found = {path.read_text(encoding="utf-8") for path in sorted(_ROOT.glob("*/**/*.sql"))}
    for page in sorted((_ROOT / "docs").glob("**/*.md")):
        found.update(_BLOCK.findall(page.read_text(encoding="utf-8")))
    for path in sorted((_ROOT / "tests").rglob("*.py")):
        found.update(_constants(path.read_text(encoding="utf-8")))
    return tuple(sorted(found))


def _constants(source: str) -> set[str]:
    """The strings of a file that look like queries."""
    strings = (each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Constant))
    return {
        each.value
        for each in strings
        if isinstance(each.value, str) and re.search(r"\b(SELECT|FROM|VALUES)\s", each.value)
    }


def mangled_texts(seed: str) -> list[str]:
    """One text made of each known one, which no other known text has a part in."""
    return [Mangler(seed + text).mangle(text) for text in known_texts()]


class Mangler:
    """Makes other texts of known ones, always the same of one seed.

    Args:
        seed: where the random numbers start.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def mangle(self, text: str) -> str:
        """A text with some changes; now and then one of pieces alone."""
        if self._random.random() < 0.1:
            return "".join(self.piece() + self._random.choice(("", " ")) for _ in range(12))
        for _ in range(self._random.choice((1, 1, 2, 3, 6))):
            change: Callable[[Mangler, str], str] = self._random.choice(self._CHANGES)
            text = change(self, text)
        return text

    def piece(self) -> str:
        """A piece, of each kind as often."""
        return self._random.choice(self._random.choice(PIECES))

    def _insert(self, text: str) -> str:
        place = self._random.randint(0, len(text))
        return text[:place] + self.piece() + text[place:]

    def _replace(self, text: str) -> str:
        begin, end = self._stretch(text, 3)
        return text[:begin] + self.piece() + text[end:]

    def _drop(self, text: str) -> str:
        begin, end = self._stretch(text, 6)
        return text[:begin] + text[end:]

    def _cut(self, text: str) -> str:
        return text[: self._random.randint(0, len(text))]

    def _enclose(self, text: str) -> str:
        begin, end = self._stretch(text, 40)
        return f"{text[:begin]}{self.piece()}{text[begin:end]}{self.piece()}{text[end:]}"

    def _swap(self, text: str) -> str:
        words = _WORD.findall(text)
        if words:
            one, other = (self._random.randrange(len(words)) for _ in range(2))
            words[one], words[other] = words[other], words[one]
        return "".join(words)

    def _repeat(self, text: str) -> str:
        begin, end = self._stretch(text, 10)
        place = self._random.randint(0, len(text))
        return text[:place] + text[begin:end] + text[place:]

    def _stretch(self, text: str, longest: int) -> tuple[int, int]:
        begin = self._random.randint(0, len(text))
        return begin, min(len(text), begin + self._random.randint(0, longest))

    _CHANGES = (_insert, _insert, _replace, _drop, _cut, _enclose, _swap, _repeat)
