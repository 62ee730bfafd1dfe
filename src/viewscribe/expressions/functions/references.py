"""Python functions as other processes find them: the name they are imported by, and their source.

A catalog keeps ``module:name`` and a hash of the source, never code. So a function can be stored
only where that name leads back to it, in every process.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
import textwrap
from collections.abc import Callable
from typing import Any

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.functions.asynchronous.author import AsyncUdf
from viewscribe.expressions.functions.python import name_of

_AT_THE_TOP = "write it with def at the top of a module that others can import"


def stored_reference(function: Any) -> str:
    """``module:name``, by which every process finds the very function.

    Raises:
        NotSerializableError: no process would; says why, and the way out.
    """
    for applies, reason, hint in _REASONS:
        if applies(function):
            raise NotSerializableError(f"{name_of(function)} {reason}", hint=hint)
    return f"{function.__module__}:{function.__qualname__}"


def source_hash(function: Any) -> str:
    """SHA-256 of the source of a function or class, whatever its indentation.

    Raises:
        NotSerializableError: there is no source to be read.
    """
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        raise NotSerializableError(
            f"{name_of(function)} has no Python source, so nobody could tell that it changed",
            hint="call it in a function of your own, and store that",
        ) from None
    return hashlib.sha256(textwrap.dedent(source).rstrip().encode()).hexdigest()


def _find_in(module: Any, path: str) -> Any:
    """What ``name`` or ``Outer.name`` is in a module; raises ``AttributeError``."""
    found = module
    for part in path.split("."):
        found = getattr(found, part)
    return found


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", ""))


def in_module(function: object) -> Any:
    """What a function's module has under its name; raises ``AttributeError``."""
    return _find_in(sys.modules.get(function.__module__), _name(function))


def _is_another(function: Any) -> bool:
    try:
        found = in_module(function)
    except AttributeError:
        return True
    return (found.function if isinstance(found, AsyncUdf) else found) is not function


_REASONS: tuple[tuple[Callable[[Any], bool], str, str], ...] = (
    (
        lambda function: not _name(function),
        "is an object without a name that it could be imported by",
        "write a function, or give a class that can be made without arguments",
    ),
    (
        lambda function: "<lambda>" in _name(function),
        "is a lambda, which has no name that it could be imported by",
        _AT_THE_TOP,
    ),
    (
        lambda function: "<locals>" in _name(function),
        "is made inside another function: nothing can import it, and it may hold variables of that",
        f"{_AT_THE_TOP}, and pass it as arguments what it takes from around it",
    ),
    (
        lambda function: getattr(function, "__module__", None) in (None, "__main__"),
        "is of the running program (__main__), which another process does not have",
        "move it into a module, and import it from there",
    ),
    (
        _is_another,
        "is not what its module has under that name: another process would find something else",
        "give what the module has, with its decorators, and call it nothing else",
    ),
)
"""What cannot be found again, why, and what to do."""
