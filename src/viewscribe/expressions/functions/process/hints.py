"""What authors annotate the parameters of ``eval`` with: arguments, their traits, and state."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from enum import Enum
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.types import LogicalType


class ArgumentTrait(Enum):
    """What an argument of a process table function is, and what a call must say for it.

    ``SCALAR``: a constant. ``TABLE_AS_ROW``: a table whose rows have nothing to do with each other.
    ``TABLE_AS_SET``: a table whose rows of one partition are processed together, in order.

    The others need one of those: ``OPTIONAL_PARTITION_BY`` allows a call without PARTITION BY,
    ``SUPPORTS_NESTED_PARTITION_BY`` and ``SUPPORTS_NESTED_ORDER_BY`` one by fields of structs,
    ``REQUIRES_ORDER_BY`` wants an ORDER BY, ``OPTIONAL_COPARTITION`` allows several tables without
    COPARTITION where none is partitioned, ``REQUIRES_TIME_ATTRIBUTE`` wants ``on_time``,
    ``KEEP_WHEN_EMPTY`` has ``finish`` called for a table without rows that is not partitioned, and
    ``PASS_COLUMNS_THROUGH`` puts all columns of the input row before the function's own.
    """

    SCALAR = "SCALAR"
    TABLE_AS_ROW = "TABLE_AS_ROW"
    TABLE_AS_SET = "TABLE_AS_SET"
    OPTIONAL_PARTITION_BY = "OPTIONAL_PARTITION_BY"
    SUPPORTS_NESTED_PARTITION_BY = "SUPPORTS_NESTED_PARTITION_BY"
    REQUIRES_ORDER_BY = "REQUIRES_ORDER_BY"
    SUPPORTS_NESTED_ORDER_BY = "SUPPORTS_NESTED_ORDER_BY"
    OPTIONAL_COPARTITION = "OPTIONAL_COPARTITION"
    REQUIRES_TIME_ATTRIBUTE = "REQUIRES_TIME_ATTRIBUTE"
    KEEP_WHEN_EMPTY = "KEEP_WHEN_EMPTY"
    PASS_COLUMNS_THROUGH = "PASS_COLUMNS_THROUGH"

    @property
    def requires(self) -> tuple[ArgumentTrait, ...]:
        """The traits of which an argument must have one to have this one."""
        return _REQUIRES.get(self, ())


_T = ArgumentTrait
_ROOTS = (_T.SCALAR, _T.TABLE_AS_ROW, _T.TABLE_AS_SET)
_REQUIRES: dict[ArgumentTrait, tuple[ArgumentTrait, ...]] = {
    _T.OPTIONAL_PARTITION_BY: (_T.TABLE_AS_SET,),
    _T.SUPPORTS_NESTED_PARTITION_BY: (_T.TABLE_AS_SET,),
    _T.REQUIRES_ORDER_BY: (_T.TABLE_AS_SET,),
    _T.SUPPORTS_NESTED_ORDER_BY: (_T.TABLE_AS_SET,),
    _T.OPTIONAL_COPARTITION: (_T.OPTIONAL_PARTITION_BY,),
    _T.REQUIRES_TIME_ATTRIBUTE: (_T.TABLE_AS_SET,),
    _T.KEEP_WHEN_EMPTY: (_T.OPTIONAL_PARTITION_BY,),
    _T.PASS_COLUMNS_THROUGH: (_T.TABLE_AS_SET, _T.TABLE_AS_ROW),
}


def checked_traits(traits: Iterable[ArgumentTrait], where: str) -> frozenset[ArgumentTrait]:
    """The traits of an argument, SCALAR where none says what it is.

    Raises:
        ValidationError: they contradict each other, or one lacks what it requires.
    """
    found = frozenset(traits)
    roots = [root for root in _ROOTS if root in found]
    if len(roots) > 1:
        raise ValidationError(
            f"{where} is declared as {' and '.join(root.value for root in roots)}",
            hint="an argument is one of SCALAR, TABLE_AS_ROW and TABLE_AS_SET",
        )
    if not roots:
        if found:
            first = min(found, key=lambda trait: trait.value)
            raise _lacking_error(where, first)
        return frozenset((_T.SCALAR,))
    for trait in sorted(found, key=lambda trait: trait.value):
        if trait.requires and not found.intersection(trait.requires):
            raise _lacking_error(where, trait)
    return found


def _lacking_error(where: str, trait: ArgumentTrait) -> ValidationError:
    wanted = " or ".join(each.value for each in trait.requires)
    return ValidationError(
        f"{where} has the trait {trait.value}, which requires {wanted}",
        hint=f"add ArgumentTrait.{trait.requires[0].value}",
    )


class ArgumentHint:
    """Says what a parameter of ``eval`` takes: ``Annotated[Row, ArgumentHint(TABLE_AS_SET)]``.

    Args:
        traits: its traits; a scalar by default.
        name: what calls name it; by default as the parameter.
        is_optional: whether a call may leave it out, which gives None.
        type: its type, where the annotation does not say it: ``"DECIMAL(10, 2)"`` for a scalar, a
            STRUCT of the columns it must have for a table.
    """

    __slots__ = ("is_optional", "name", "traits", "type")

    def __init__(
        self,
        *traits: ArgumentTrait,
        name: str | None = None,
        is_optional: bool = False,
        type: LogicalType | str | None = None,
    ) -> None:
        self.traits = traits
        self.name = name
        self.is_optional = is_optional
        self.type = type


class StateHint:
    """Says that a parameter of ``eval`` is state: ``Annotated[Count, StateHint()]``.

    Args:
        name: what ``ctx.clear_state`` names it; by default as the parameter.
        type: its type, where the annotation does not say it: ``"STRUCT<count: BIGINT>"``.
        ttl: how long it lasts, in event time, after it was changed last; for ever by default.
    """

    __slots__ = ("name", "ttl", "type")

    def __init__(
        self,
        *,
        name: str | None = None,
        type: LogicalType | str | None = None,
        ttl: dt.timedelta | None = None,
    ) -> None:
        given: Any = ttl  # annotations are not what is passed
        if given is not None and not (isinstance(given, dt.timedelta) and given > dt.timedelta(0)):
            raise ValidationError(
                f"the time to live of a state is a positive timedelta, not {ttl!r}",
                hint="write StateHint(ttl=timedelta(hours=1))",
            )
        self.name = name
        self.type = type
        self.ttl = ttl


def hint_of(metadata: Iterable[Any]) -> ArgumentHint | StateHint | None:
    """The hint among what ``Annotated`` holds; a class stands for an object without arguments."""
    for each in metadata:
        if isinstance(each, ArgumentHint | StateHint):
            return each
        if each is StateHint or each is ArgumentHint:
            made: ArgumentHint | StateHint = each()
            return made
        if isinstance(each, ArgumentTrait):
            return ArgumentHint(each)
    return None
