"""Options that are True or False are nothing else, in any public function or method."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import viewscribe as vs
from viewscribe.errors import ValidationError

KINDS = (vs.Table, vs.TableEnvironment, type(vs.view("v")(lambda spark: spark.table("t"))))
"""The classes whose methods take what a user says."""


def _functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in vs.__all__:
        if inspect.isfunction(found := getattr(vs, name)):
            yield name, found
    for kind in KINDS:
        yield from inspect.getmembers(kind, inspect.isfunction)
    from viewscribe.spark.verify import verify

    yield "verify", verify


def _flags() -> list[Any]:
    return [
        pytest.param(function, each.name, id=f"{name}-{each.name}")
        for name, function in _functions()
        if not name.startswith("_")
        for each in inspect.signature(function).parameters.values()
        if each.annotation in ("bool", bool)
    ]


@pytest.mark.parametrize(("function", "flag"), _flags())
@pytest.mark.parametrize("value", ["yes", 1, None])
def test_a_flag_is_true_or_false(function: Callable[..., Any], flag: str, value: object) -> None:
    with pytest.raises(ValidationError, match=f"`{flag}` is True or False, and this is of the cl"):
        function(**{flag: value})


def test_what_is_left_is_as_it_was() -> None:
    env = vs.TableEnvironment()
    env.create_table("t", "id INT", or_replace=False)
    assert env.from_path("t").to_sql(annotate=False) == vs.to_sql(env.from_path("t"))
