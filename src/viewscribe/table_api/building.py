"""Building with the functions of an environment in force."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from viewscribe.errors import UnknownFunctionError

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment

T = TypeVar("T")


def with_functions(
    env: TableEnvironment, builder: Callable[..., T], *args: Any, **options: Any
) -> T:
    """What ``builder`` makes; names of functions mean what they mean in the environment.

    An environment whose functions nobody has asked for has built-in functions alone, until one of
    them is not enough: only then its catalogs are looked into.
    """
    if not env.has_functions:
        try:
            return builder(*args, **options)
        except UnknownFunctionError:
            pass
    with env.functions.in_force():
        return builder(*args, **options)
