"""How Spark's analyzer spells the calls of functions that it spells otherwise than they are called.

Some names it writes large, some calls get the last arguments that nobody gave, and of some it
leaves arguments out. A test compares the name of every function's call with Spark's.
"""

from __future__ import annotations

from collections.abc import Callable

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

_SECONDS = "yyyy-MM-dd HH:mm:ss"

_CIPHER = ("GCM", "DEFAULT", "", "")
_INTERVAL = ("0", "0", "0", "0", "0", "0", "0.000000")
_TUPLES = {
    "intersection_agg": (2, ("sum",)),
    "sketch_summary": (2, ("sum",)),
    "intersection": (3, ("sum",)),
    "intersection_theta": (3, ("sum",)),
    "union": (4, ("12", "sum")),
    "union_theta": (4, ("12", "sum")),
    "union_agg": (3, ("12", "sum")),
    "sketch_agg": (4, ("12", "sum")),
}
_LEAST = (
    "(IF((namedlambdavariable() < namedlambdavariable()), -1, "
    "(IF((namedlambdavariable() > namedlambdavariable()), 1, 0))))"
)
_IN_ORDER = (
    "lambdafunction((IF(((namedlambdavariable() IS NULL) AND (namedlambdavariable() IS NULL)), 0, "
    "(IF((namedlambdavariable() IS NULL), 1, (IF((namedlambdavariable() IS NULL), -1, "
    f"{_LEAST})))))), namedlambdavariable(), namedlambdavariable())"
)

_LAST: dict[str, tuple[int, tuple[str, ...]]] = {
    "aes_decrypt": (5, _CIPHER[:3]),
    "aes_encrypt": (6, _CIPHER),
    "aggregate": (4, ("lambdafunction(namedlambdavariable(), namedlambdavariable())",)),
    "approx_top_k": (3, ("5", "10000")),
    "approx_top_k_accumulate": (2, ("10000",)),
    "approx_top_k_combine": (2, ("-1",)),
    "approx_top_k_estimate": (2, ("5",)),
    "array_sort": (2, (_IN_ORDER,)),
    "bround": (2, ("0",)),
    "current_time": (1, ("6",)),
    "from_unixtime": (2, (_SECONDS,)),
    "hll_sketch_agg": (2, ("12",)),
    "hll_union": (3, ("false",)),
    "hll_union_agg": (2, ("false",)),
    "hmac": (3, ("SHA-256",)),
    "instr": (4, ("1",)),
    "listagg": (2, ("NULL",)),
    "locate": (3, ("1",)),
    "lpad": (3, (" ",)),
    "make_dt_interval": (4, ("0", "0", "0", "0.000000")),
    "make_interval": (7, _INTERVAL),
    "make_ym_interval": (2, ("0", "0")),
    "mask": (5, ("X", "x", "n", "NULL")),
    "months_between": (3, ("true",)),
    "ntile": (1, ("1",)),
    "overlay": (4, ("-1",)),
    "percentile": (3, ("1",)),
    "position": (3, ("1",)),
    "regexp_extract": (3, ("1",)),
    "regexp_extract_all": (3, ("1",)),
    "regexp_instr": (3, ("0",)),
    "regexp_replace": (4, ("1",)),
    "replace": (3, ("",)),
    "round": (2, ("0",)),
    "rpad": (3, (" ",)),
    "sentences": (3, ("", "")),
    "sort_array": (2, ("true",)),
    "split": (3, ("-1",)),
    "st_asbinary": (2, ("NDR",)),
    "st_geomfromwkb": (2, ("0",)),
    "str_to_map": (3, (",", ":")),
    "string_agg": (2, ("NULL",)),
    "theta_sketch_agg": (2, ("12",)),
    "theta_union": (3, ("12",)),
    "theta_union_agg": (2, ("12",)),
    "to_unix_timestamp": (2, (_SECONDS,)),
    "try_aes_decrypt": (5, _CIPHER[:3]),
    "try_make_interval": (7, _INTERVAL),
    "unix_timestamp": (2, ("current_timestamp()", _SECONDS)),
    **dict.fromkeys(("substr", "substring"), (3, ("2147483647",))),
    **dict.fromkeys(("percentile_approx", "approx_percentile"), (3, ("10000",))),
    **dict.fromkeys(("variant_set", "try_variant_set"), (4, ("true",))),
    **dict.fromkeys(("vector_norm", "vector_normalize"), (2, ("2.0",))),
    "variant_strip_nulls": (2, ("true",)),
    **{
        f"tuple_{name}_{type_}": added
        for name, added in _TUPLES.items()
        for type_ in ("double", "integer")
    },
}
"""How many arguments the call of a function has in the end, and the last ones that Spark adds."""

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
    count, last = _LAST.get(name, (0, ()))
    lacking = count - len(texts)
    return texts + list(last[-lacking:]) if 0 < lacking <= len(last) else texts


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
