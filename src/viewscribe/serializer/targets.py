"""The Spark versions that text is written for, and what their grammars have.

The printers ask a target only where they would write what not every version reads. Functions and
types are looked for in the tree before it is printed, and for older versions only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from viewscribe.errors import NotSerializableError, ValidationError
from viewscribe.expressions.node import holds, postorder, preorder
from viewscribe.expressions.nodes import SubqueryExpression
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import summary_line
from viewscribe.operations.nodes import SqlText
from viewscribe.operations.required_settings import needed_settings
from viewscribe.types.arguments import wrong_class

# The settings that SQL is printed for, where others would make another text of it.

RAW_STRINGS = "spark.sql.parser.escapedStringLiterals"

PRINTED_FOR = {
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.ansi.relationPrecedence": "false",
    "spark.sql.functionResolution.sessionOrder": "second",
    "spark.sql.groupByAliases": "true",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.legacy.consecutiveStringLiterals.enabled": "false",
    "spark.sql.legacy.ctePrecedencePolicy": "CORRECTED",
    "spark.sql.legacy.exponentLiteralAsDecimal.enabled": "false",
    "spark.sql.legacy.parser.havingWithoutGroupByAsWhere": "false",
    "spark.sql.legacy.setopsPrecedence.enabled": "false",
    "spark.sql.orderByOrdinal": "true",
    RAW_STRINGS: "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
}
"""Settings that only affect parsing, with the values that SQL is printed for."""


class SettingsWarning(UserWarning):
    """A text means something else under a setting of the session that it was printed from."""


def as_printed(operation: QueryOperation, settings: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings with every parser setting at the value that SQL is printed for.

    Raises:
        NotSerializableError: the pipeline contains verbatim SQL that was written for another value.
    """
    found = dict(settings)
    for name, value in PRINTED_FOR.items():
        if name not in found or found[name].strip().lower() == value.lower():
            continue
        if any(isinstance(node, SqlText) for node in preorder(operation)):
            raise NotSerializableError(
                f"the pipeline holds SQL text, written for {name} = {found[name]}, and the text "
                f"around it is printed for {value}",
                hint=f"write that text for {name} = {value}, and set it so",
            )
        found[name] = value
    return found


def settings_of(operation: QueryOperation, settings: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings under which the text of a tree means the tree.

    Args:
        operation: the tree.
        settings: those of its environment.

    Raises:
        NotSerializableError: as ``as_printed``.
    """
    return {**needed_settings(operation), **as_printed(operation, settings)}


def warning_of(text: str, settings: Mapping[str, str]) -> str | None:
    """Says what a session with these settings would make of a text; None where it is the same."""
    if settings.get(RAW_STRINGS, "false").strip().lower() != "true" or "\\" not in text:
        return None
    return (
        f"the text is written for {RAW_STRINGS} = false, and this session has true: it would read "
        "the backslashes as they stand. A view that is saved carries the setting; to run the text "
        f'itself, spark.conf.set("{RAW_STRINGS}", "false")'
    )


# How often a statement reads its tables once what is shared in it is written out, as Spark does.
#
# A pipeline joined or united with itself again and again is short as a tree, and as text with CTEs.
# Spark's analyzer writes every CTE out where it is read: each level doubles its work.

MOST_READS = 8_000
"""Reads of tables that Spark 4.3 analyzes, in about half a minute."""

MOST_WRITTEN = 1_000
"""Reads of tables in a text that has no CTEs."""

_SHARED = 2
_SMALL = 100


def refuse_many_reads(root: QueryOperation, style: str, is_split: bool) -> None:
    """Refuses a tree that is much smaller than the query that Spark makes of its text.

    Args:
        root: the whole tree.
        style: what it is to be printed in.
        is_split: whether expressions that repeat a part were taken apart; until they are, an
            expression, and a query in one, counts once however often it is used, as each may be
            computed once.

    Raises:
        NotSerializableError: says which step to save.
    """
    reads: dict[int, int] = {}
    tables = 0
    uses: dict[int, int] = {}
    operations: list[QueryOperation] = []
    queries: set[SubqueryExpression] = set()
    for node in postorder(root, skip=lambda node: not holds(node, QueryOperation)):
        found = 0
        for child in node.children():
            if is_split or isinstance(child, QueryOperation) or id(child) not in uses:
                found += reads.get(id(child), 0)  # an expression without a query reads nothing
            uses[id(child)] = uses.get(id(child), 0) + 1
        if isinstance(node, QueryOperation):
            operations.append(node)
            if not found:
                found, tables = 1, tables + 1
        elif isinstance(node, SubqueryExpression) and not is_split:
            found = 0 if node in queries else found
            queries.add(node)
        reads[id(node)] = found
    whole = reads[id(root)]
    if whole <= _SHARED * tables or whole <= MOST_WRITTEN:
        return
    if style == "readable" and whole <= MOST_READS:
        return
    if style != "readable" and whole <= MOST_READS:
        hint = 'use the readable style, which writes a step once: to_sql("readable")'
    else:
        steps = [each for each in operations if each.input_fields]  # a table is saved already
        again = [each for each in steps if uses.get(id(each), 0) > 1]
        step = _worth_saving(again or steps, reads)
        hint = f"save this step as a table, and go on from there: {summary_line(step)}"
    raise NotSerializableError(
        f"the query reads its tables {_show(whole)} times, as it is used with itself again and "
        f"again: more than {'Spark analyzes' if whole > MOST_READS else 'can be written out'}",
        hint=hint,
    )


def _worth_saving(steps: Sequence[QueryOperation], reads: dict[int, int]) -> QueryOperation:
    """The largest of the steps that are small, or else the smallest."""
    small = [each for each in steps if reads[id(each)] <= _SMALL]
    if small:
        return max(small, key=lambda each: reads[id(each)])
    return min(steps, key=lambda each: reads[id(each)])


def _show(count: int) -> str:
    """The number, or about how many digits it has."""
    return f"{count:,}" if count < 10**12 else f"more than 10^{int(count.bit_length() * 0.301) - 1}"


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
