"""The Spark versions that text is written for, and what their grammars have.

The printers ask a target only where they would write what not every version reads. Functions and
types are looked for in the tree before it is printed, and for older versions only.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from viewscribe.errors import ValidationError
from viewscribe.types.arguments import wrong_class

Version = tuple[int, int, int]

TARGETS = ("4.0", "4.1", "4.2", "4.3")
"""The versions that text can be written for; each may be followed by a patch: ``4.1.4``."""

_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?")


class Target(msgspec.Struct, frozen=True):
    """A version of Spark.

    Args:
        version: its numbers; ``4.1`` is ``(4, 1, 0)``.
        name: as the user said it.
        has_qualify: whether there is a QUALIFY clause.
        has_pivot_alias: whether PIVOT may be followed by a name for its table.
    """

    version: Version
    name: str
    has_qualify: bool = True
    has_pivot_alias: bool = True

    @property
    def is_newest(self) -> bool:
        """Whether it has everything that can be written here."""
        return self.version >= NEWEST.version


NEWEST = Target((4, 3, 0), "4.3")
"""The version that text is written for where nobody says another one."""

SELECT_CLAUSES: Version = (4, 2, 0)
"""The version that brought QUALIFY, and the alias of PIVOT."""


def target_of(name: str | float | None) -> Target:
    """The target that a user names, ``"4.0"`` or ``"4.1.4"``; the newest for None.

    Raises:
        ValidationError: text cannot be written for that version; lists those there are.
    """
    if name is None:
        return NEWEST
    if not isinstance(name, str | int | float):
        raise wrong_class(name, "target", 'a version of Spark, such as "4.0"')
    return _known_target(name)


@lru_cache(maxsize=100)
def _known_target(name: str | float) -> Target:
    found = _VERSION.fullmatch(str(name))  # 4.0, the number, has no patch to lose
    if found is None or f"{found[1]}.{found[2]}" not in TARGETS:
        raise ValidationError(
            f"no text can be written for Spark {name}",
            hint=f"the targets are: {', '.join(TARGETS)}",
        )
    return _make_target((int(found[1]), int(found[2]), int(found[3] or 0)), found[0])


def session_target(version: str) -> str | None:
    """The name of the target for a running Spark, whose version may have a suffix.

    Returns:
        None for the newest, and for what is to come after it.

    Raises:
        ValidationError: it is older than what text can be written for.
    """
    found = _VERSION.match(version)
    if found is None:
        raise ValidationError(f"`{version}` is not a version of Spark")
    numbers = (int(found[1]), int(found[2]), int(found[3] or 0))
    return None if numbers >= NEWEST.version else target_of(found[0]).name


def is_known(version: str) -> bool:
    """Whether text can be written for a Spark of this version, which may have a suffix."""
    found = _VERSION.match(version)
    return found is not None and f"{found[1]}.{found[2]}" in TARGETS


def noted_target(name: str | None) -> str | None:
    """What a document says of its text's target: nothing where it is the newest."""
    target = target_of(name)
    return None if target.is_newest else target.name


def _make_target(version: Version, name: str) -> Target:
    has_clauses = version >= SELECT_CLAUSES
    return Target(version, name, has_qualify=has_clauses, has_pivot_alias=has_clauses)
