"""How Spark's analyzer spells the calls of functions that it spells otherwise than they are called.

Some names it writes large, some calls get the last arguments that nobody gave, and of some it
leaves arguments out. A test compares the name of every function's call with Spark's.
"""

from __future__ import annotations

from collections.abc import Callable

from viewscribe.expressions.functions.registry import find_built_in

_LARGE = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh cot csc degrees dense_rank e exp expm1
    floor hypot log log10 log1p log2 percent_rank pi power radians rank regexp regexp_like rlike sec
    signum sin sinh spark_partition_id sqrt tan tanh
"""

SPELLED = {name: name.upper() for name in _LARGE.split()} | {
    "array_agg": "collect_list",
    "curdate": "current_date",
    "dateadd": "date_add",
    "current_database": "current_schema",
    "localtime": "current_time",
    "random": "rand",
}
"""The name that a function is spelled by."""

CASTS = {
    name: name.upper()
    for name in (
        "bigint", "binary", "boolean", "date", "double", "float", "int", "smallint", "string",
        "time", "timestamp", "tinyint",
    )
} | {"decimal": "DECIMAL(10,0)", "time": "TIME(6)"}  # fmt: skip
"""Functions that are casts, and the type of each."""

_FIRST_ONLY = frozenset(
    (
        "from_json", "from_csv", "from_xml", "to_json", "to_csv", "to_xml", "schema_of_json",
        "schema_of_csv", "schema_of_xml", "shuffle",
    )
)  # fmt: skip
"""Functions whose other arguments are no part of the name: schemas, options, seeds."""


def arguments_shown(name: str, texts: list[str]) -> list[str]:
    """The arguments as the name of the column has them."""
    if name in _FIRST_ONLY:
        return texts[:1]
    special = _SPECIAL.get(name)
    if special is not None:
        return special(texts)
    definition = find_built_in(name)
    if definition is None or definition.inference.variadic:
        return texts
    defaults = definition.defaults
    lacking = definition.inference.most - len(texts)
    return texts + list(defaults[-lacking:]) if 0 < lacking <= len(defaults) else texts


def _asserted(texts: list[str]) -> list[str]:
    return [*texts, f"'{texts[0]}' is not true!"] if len(texts) == 1 else texts


_SPECIAL: dict[str, Callable[[list[str]], list[str]]] = {
    "assert_true": _asserted,
    "convert_timezone": lambda texts: ["current_timezone()", *texts] if len(texts) == 2 else texts,
    "log": lambda texts: ["E()", *texts] if len(texts) == 1 else texts,
    "raise_error": lambda texts: ["USER_RAISED_EXCEPTION", f"map(errorMessage, {texts[0]})"],
    "try_make_timestamp": lambda texts: texts[:6],
    "try_to_time": lambda texts: [f"to_time({', '.join(texts)})"],
    "try_variant_get": lambda texts: texts[:2],
    "uuid": lambda texts: [],
    "variant_get": lambda texts: texts[:2],
    **dict.fromkeys(("rank", "dense_rank", "percent_rank"), lambda texts: []),
}
