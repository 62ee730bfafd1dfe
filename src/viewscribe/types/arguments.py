"""Refusing arguments of another class than what is wanted, before they cause a puzzling error."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

from viewscribe.errors import ValidationError


def wrong_class(value: object, what: str, wanted: str, hint: str | None = None) -> ValidationError:
    """The error for an argument of another class than what is wanted.

    Args:
        value: the argument.
        what: what it is given as: "the name of a view", "defaults".
        wanted: what it should be: "a text".
        hint: what to do, where more is known than that it is something else.
    """
    return ValidationError(
        f"{what} is {wanted}, and this is of the class {type(value).__name__}: {value!r}",
        hint=hint or "look at the order of the arguments",
    )


def require_text(value: object, what: str) -> None:
    """Refuses what is no text.

    Raises:
        ValidationError: says of what class it is.
    """
    if not isinstance(value, str):
        raise wrong_class(value, what, "a text")


def require_optional_text(value: object, what: str) -> None:
    """Refuses what is neither a text nor None.

    Raises:
        ValidationError: says of what class it is.
    """
    if value is not None:
        require_text(value, what)


def require_flag(value: object, what: str) -> None:
    """Refuses what is neither True nor False.

    Raises:
        ValidationError: says of what class it is.
    """
    if not isinstance(value, bool):
        raise wrong_class(value, what, "True or False")


F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


def checks_flags(function: F) -> F:
    """The function, which refuses what is neither True nor False where a parameter is a bool."""
    parameters = inspect.signature(function).parameters.values()
    flags = [each.name for each in parameters if each.annotation in ("bool", bool)]

    @functools.wraps(function)
    def checked(*args: Any, **named: Any) -> Any:
        for name in flags:
            if name in named:
                require_flag(named[name], f"`{name}`")
        return function(*args, **named)

    return cast(F, checked) if flags else function


def methods_check_flags(kind: type[T]) -> type[T]:
    """The class, whose public methods all do so."""
    for name in dir(kind):
        method = inspect.getattr_static(kind, name)
        if not name.startswith("_") and inspect.isfunction(method):
            checked = checks_flags(method)
            if checked is not method:
                setattr(kind, name, checked)
    return kind


def as_list(value: object, what: str) -> list[Any]:
    """The items of a list; a text is none.

    Raises:
        ValidationError: says of what class it is.
    """
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise wrong_class(value, what, "a list")
    return list(value)


def as_texts(value: object, what: str) -> tuple[str, ...]:
    """The items of a list of texts.

    Raises:
        ValidationError: it is no list, or has something else in it.
    """
    items = as_list(value, what)
    for item in items:
        require_text(item, f"each of {what}")
    return tuple(items)


def as_mapping(value: object, what: str) -> dict[str, Any]:
    """What a mapping has by name; nothing for None.

    Raises:
        ValidationError: it is no mapping, or has something else than texts for keys.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise wrong_class(value, what, "a mapping by name, such as a dict")
    for name in value:
        require_text(name, f"each name in {what}")
    return dict(value)
