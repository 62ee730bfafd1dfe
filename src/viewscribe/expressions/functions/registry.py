"""The built-in functions by name. A family is loaded when a name of it is first wanted."""

from __future__ import annotations

from importlib import import_module

from viewscribe.errors import UnknownFunctionError, did_you_mean
from viewscribe.expressions.functions.definition import FunctionDefinition

FAMILIES = (
    "operators",
    "aggregates",
    "strings",
    "search",
    "conditional",
    "datetime",
    "calendar",
    "math",
    "numbers",
    "windows",
    "collections",
    "arrays",
    "higher_order",
    "generators",
    "statistics",
    "encodings",
    "formatting",
    "json",
    "misc",
    "variants",
    "xml",
    "avro",
    "protobuf",
    "sketches",
    "frequent_items",
    "quantile_sketches",
    "tuple_sketches",
    "bitmaps",
    "vectors",
    "times",
    "constructors",
    "conversions",
    "ciphers",
    "utf8",
    "collations",
    "randomness",
    "reflection",
    "geometry",
    "tables",
    "sql_json",
    "json_aggregates",
    "flink_times",
    "flink",
)

_by_name: dict[str, FunctionDefinition] = {}
_by_method: dict[str, FunctionDefinition] = {}
_loaded = 0


def _load_next() -> bool:
    global _loaded
    if _loaded == len(FAMILIES):
        return False
    module = import_module(f"viewscribe.expressions.functions.builtin.{FAMILIES[_loaded]}")
    _loaded += 1
    for value in vars(module).values():
        if isinstance(value, FunctionDefinition):
            for name in (value.name, value.sql_name, *value.aliases):
                _by_name.setdefault(name, value)
            for name in (value.name, *value.aliases, *value.methods):
                _by_method.setdefault(name, value)
    return True


def find_built_in(name: str) -> FunctionDefinition | None:
    """The built-in function of that name (case does not matter), or None."""
    folded = name.lower()
    while True:
        found = _by_name.get(folded)
        if found is not None or not _load_next():
            return found


def built_in(name: str) -> FunctionDefinition:
    """The built-in function of that name.

    Raises:
        UnknownFunctionError: there is none; shows the nearest names.
    """
    found = find_built_in(name)
    if found is None:
        raise UnknownFunctionError(
            f"no function `{name}`",
            hint=did_you_mean(name, all_built_ins()) or "see viewscribe.functions for the list",
        )
    return found


def find_method(name: str) -> FunctionDefinition | None:
    """The function that the method ``name`` of an expression calls, or None."""
    while True:
        found = _by_method.get(name)
        if found is not None or not _load_next():
            return found


def all_built_ins() -> dict[str, FunctionDefinition]:
    """Every built-in function by name, aliases included."""
    while _load_next():
        pass
    return _by_name


def all_methods() -> dict[str, FunctionDefinition]:
    """Every method name of expressions, with the function it calls."""
    while _load_next():
        pass
    return _by_method
