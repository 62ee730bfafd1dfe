"""What no signature of a process table function may be, whatever the call."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.process.hints import ArgumentTrait
from viewscribe.expressions.functions.process.inference import (
    IMPLICIT,
    KEY,
    SOURCE,
    TIME,
    Signature,
    StateDeclaration,
    StaticArgument,
)
from viewscribe.expressions.functions.process.rows import ChangelogMode

_T = ArgumentTrait
OF_UNION = (KEY, TIME, SOURCE)


def declared_names(
    states: Sequence[StateDeclaration], arguments: Sequence[StaticArgument]
) -> list[str]:
    """The names that a function declares, state first."""
    return [each.name for each in states] + [each.name for each in arguments]


def check(signature: Signature) -> None:
    """Refuses a signature that contradicts itself.

    Raises:
        ValidationError: says what, and what to write.
    """
    names = [name.lower() for name in declared_names(signature.states, signature.arguments)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValidationError(f"{signature.name} declares `{twice}` twice")
    for each in signature.arguments:
        if each.name.lower() in IMPLICIT:
            raise ValidationError(
                f"{signature.name} declares the argument `{each.name}`, which every process table "
                "function has by itself",
                hint=f"give it another name than {', '.join(IMPLICIT)}",
            )
        if each.is_table and each.name.lower() in OF_UNION:
            raise ValidationError(
                f"{signature.name} declares the table `{each.name}`, a name that several tables in "
                "one have for a column beside them",
                hint=f"give it another name than {', '.join(OF_UNION)}",
            )
    rows = [each for each in signature.tables if not each.is_set]
    if len(rows) > 1 or (rows and len(signature.tables) > 1):
        raise ValidationError(
            f"{signature.name} takes the table `{rows[0].name}` with row semantics beside another "
            "table",
            hint="declare all of them as TABLE_AS_SET, or take one table",
        )
    if not signature.tables:
        _check_without_tables(signature)
    if rows and (signature.states or signature.on_timer or signature.finish):
        handler = "on_timer" if signature.on_timer else "finish"
        what = "state" if signature.states else handler
        raise ValidationError(
            f"{signature.name} has {what}, and its table `{rows[0].name}` has row semantics",
            hint="declare it as TABLE_AS_SET: state, timers and an end belong to a partition",
        )
    _check_passing(signature)


def _check_without_tables(signature: Signature) -> None:
    """Refuses what belongs to a partition, where there are no rows that could have one."""
    reasons = {
        "keeps state": bool(signature.states),
        "has on_timer": signature.on_timer is not None,
        "has finish": signature.finish is not None,
        "takes a changelog": signature.input_mode is ChangelogMode.RETRACT,
    }
    reason = next((what for what, found in reasons.items() if found), None)
    if reason is not None:
        raise ValidationError(
            f"{signature.name} {reason}, and takes no table",
            hint="that belongs to the partitions of a table: take a table, or leave it out",
        )


def _check_passing(signature: Signature) -> None:
    if not signature.passes_through:
        return
    reason = None
    if len(signature.tables) > 1:
        reason = "takes several tables"
    elif signature.on_timer is not None or signature.finish is not None:
        reason = "gives rows from on_timer or finish, where there is no input row"
    elif signature.output_mode is ChangelogMode.RETRACT:
        reason = "gives a changelog"
    if reason:
        raise ValidationError(
            f"{signature.name} passes columns through, and {reason}",
            hint="leave PASS_COLUMNS_THROUGH out, and give the columns in the result",
        )
