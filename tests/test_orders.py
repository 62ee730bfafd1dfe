"""What has an order has a total one: two of it can always be sorted."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

import viewscribe


def test_structs_with_an_order_hold_what_has_one() -> None:
    found = [*_ordered_structs()]
    assert found
    for struct in found:
        for name, type_ in get_type_hints(struct).items():
            assert _has_order(type_), f"{struct.__name__}.{name}: sort by a key instead"


def _ordered_structs() -> Iterator[type[msgspec.Struct]]:
    for module in pkgutil.walk_packages(viewscribe.__path__, "viewscribe."):
        if "order=True" not in _source(module.name):
            continue
        for each in vars(importlib.import_module(module.name)).values():
            is_struct = isinstance(each, type) and issubclass(each, msgspec.Struct)
            if is_struct and each.__struct_config__.order and each.__module__ == module.name:
                yield each


def _source(module: str) -> str:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    return str(spec.loader.get_source(module) or "")  # type: ignore[union-attr]


def _has_order(type_: Any) -> bool:
    if get_origin(type_) is Literal:
        return len({type(each) for each in get_args(type_)}) == 1
    return type_ in (str, int, bytes)
