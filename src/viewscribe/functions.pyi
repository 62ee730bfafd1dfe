"""Every Spark built-in under its Spark name. Generated: `make snapshots` rewrites it."""

import builtins
from collections.abc import Callable
from typing import Any

from viewscribe.expressions.constructors import col as col
from viewscribe.expressions.constructors import col as column
from viewscribe.expressions.constructors import lit as lit
from viewscribe.expressions.dsl import CallExpression, Operand, SortExpression
from viewscribe.expressions.python_formats import from_avro as from_avro
from viewscribe.expressions.python_formats import from_csv as from_csv
from viewscribe.expressions.python_formats import from_json as from_json
from viewscribe.expressions.python_formats import from_protobuf as from_protobuf
from viewscribe.expressions.python_formats import from_xml as from_xml
from viewscribe.expressions.python_formats import schema_of_avro as schema_of_avro
from viewscribe.expressions.python_formats import schema_of_csv as schema_of_csv
from viewscribe.expressions.python_formats import schema_of_json as schema_of_json
from viewscribe.expressions.python_formats import schema_of_xml as schema_of_xml
from viewscribe.expressions.python_formats import to_avro as to_avro
from viewscribe.expressions.python_formats import to_csv as to_csv
from viewscribe.expressions.python_formats import to_json as to_json
from viewscribe.expressions.python_formats import to_protobuf as to_protobuf
from viewscribe.expressions.python_formats import to_xml as to_xml
from viewscribe.expressions.python_formats import try_variant_set as try_variant_set
from viewscribe.expressions.python_formats import variant_set as variant_set
from viewscribe.expressions.python_formats import variant_strip_nulls as variant_strip_nulls
from viewscribe.expressions.python_timestamps import make_interval as make_interval
from viewscribe.expressions.python_timestamps import make_timestamp as make_timestamp
from viewscribe.expressions.python_timestamps import make_timestamp_ntz as make_timestamp_ntz
from viewscribe.expressions.python_timestamps import try_make_interval as try_make_interval
from viewscribe.expressions.python_timestamps import try_make_timestamp as try_make_timestamp
from viewscribe.expressions.python_timestamps import (
    try_make_timestamp_ntz as try_make_timestamp_ntz,
)

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add_months",
    "aes_decrypt",
    "aes_encrypt",
    "aggregate",
    "any",
    "any_value",
    "approxCountDistinct",
    "approx_count_distinct",
    "approx_percentile",
    "approx_top_k",
    "approx_top_k_accumulate",
    "approx_top_k_combine",
    "approx_top_k_estimate",
    "array",
    "array_agg",
    "array_append",
    "array_compact",
    "array_contains",
    "array_distinct",
    "array_except",
    "array_insert",
    "array_intersect",
    "array_join",
    "array_max",
    "array_min",
    "array_position",
    "array_prepend",
    "array_remove",
    "array_repeat",
    "array_size",
    "array_sort",
    "array_union",
    "arrays_overlap",
    "arrays_zip",
    "asc",
    "asc_nulls_first",
    "asc_nulls_last",
    "ascii",
    "asin",
    "asinh",
    "assert_true",
    "atan",
    "atan2",
    "atanh",
    "avg",
    "base64",
    "bigint",
    "bin",
    "binary",
    "bit_and",
    "bit_count",
    "bit_get",
    "bit_length",
    "bit_or",
    "bit_xor",
    "bitmap_and_agg",
    "bitmap_bit_position",
    "bitmap_bucket_number",
    "bitmap_construct_agg",
    "bitmap_count",
    "bitmap_or_agg",
    "bitwiseNOT",
    "bitwise_not",
    "bool_and",
    "bool_or",
    "boolean",
    "bround",
    "btrim",
    "call_function",
    "cardinality",
    "cbrt",
    "ceil",
    "ceiling",
    "char",
    "char_length",
    "character_length",
    "chr",
    "coalesce",
    "col",
    "collate",
    "collation",
    "collect_list",
    "collect_set",
    "collect_union",
    "column",
    "concat",
    "concat_ws",
    "contains",
    "conv",
    "convert_timezone",
    "corr",
    "cos",
    "cosh",
    "cot",
    "count",
    "countDistinct",
    "count_distinct",
    "count_if",
    "count_min_sketch",
    "counter_diff",
    "covar_pop",
    "covar_samp",
    "crc32",
    "create_map",
    "csc",
    "cume_dist",
    "curdate",
    "current_catalog",
    "current_database",
    "current_date",
    "current_path",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_timezone",
    "current_user",
    "date",
    "date_add",
    "date_diff",
    "date_format",
    "date_from_unix_date",
    "date_part",
    "date_sub",
    "date_trunc",
    "dateadd",
    "datediff",
    "datepart",
    "day",
    "dayname",
    "dayofmonth",
    "dayofweek",
    "dayofyear",
    "decimal",
    "decode",
    "degrees",
    "dense_rank",
    "desc",
    "desc_nulls_first",
    "desc_nulls_last",
    "div",
    "double",
    "e",
    "element_at",
    "elt",
    "encode",
    "endswith",
    "equal_null",
    "every",
    "exists",
    "exp",
    "explode",
    "explode_outer",
    "expm1",
    "expr",
    "extract",
    "factorial",
    "filter",
    "find_in_set",
    "first",
    "first_value",
    "flatten",
    "floor",
    "forall",
    "format_number",
    "format_string",
    "from_avro",
    "from_base32",
    "from_csv",
    "from_json",
    "from_protobuf",
    "from_unixtime",
    "from_utc_timestamp",
    "from_xml",
    "get",
    "get_json_object",
    "getbit",
    "greatest",
    "grouping",
    "grouping_id",
    "hash",
    "hex",
    "histogram_numeric",
    "hll_sketch_agg",
    "hll_sketch_estimate",
    "hll_union",
    "hll_union_agg",
    "hmac",
    "hour",
    "hypot",
    "ifnull",
    "ilike",
    "initcap",
    "inline",
    "inline_outer",
    "input_file_block_length",
    "input_file_block_start",
    "input_file_name",
    "instr",
    "is_valid_utf8",
    "is_valid_variant",
    "is_variant_null",
    "isnan",
    "isnotnull",
    "isnull",
    "jaro_winkler_similarity",
    "java_method",
    "json_array_length",
    "json_object_keys",
    "json_tuple",
    "kll_merge_agg_bigint",
    "kll_merge_agg_double",
    "kll_merge_agg_float",
    "kll_sketch_agg_bigint",
    "kll_sketch_agg_double",
    "kll_sketch_agg_float",
    "kll_sketch_get_n_bigint",
    "kll_sketch_get_n_double",
    "kll_sketch_get_n_float",
    "kll_sketch_get_quantile_bigint",
    "kll_sketch_get_quantile_double",
    "kll_sketch_get_quantile_float",
    "kll_sketch_get_rank_bigint",
    "kll_sketch_get_rank_double",
    "kll_sketch_get_rank_float",
    "kll_sketch_merge_bigint",
    "kll_sketch_merge_double",
    "kll_sketch_merge_float",
    "kll_sketch_to_string_bigint",
    "kll_sketch_to_string_double",
    "kll_sketch_to_string_float",
    "kurtosis",
    "lag",
    "last",
    "last_day",
    "last_value",
    "lcase",
    "lead",
    "least",
    "left",
    "len",
    "length",
    "levenshtein",
    "like",
    "listagg",
    "listagg_distinct",
    "lit",
    "ln",
    "localtime",
    "localtimestamp",
    "locate",
    "log",
    "log10",
    "log1p",
    "log2",
    "lower",
    "lpad",
    "ltrim",
    "luhn_check",
    "make_date",
    "make_dt_interval",
    "make_interval",
    "make_time",
    "make_timestamp",
    "make_timestamp_ltz",
    "make_timestamp_ntz",
    "make_valid_utf8",
    "make_ym_interval",
    "map",
    "map_concat",
    "map_contains_key",
    "map_entries",
    "map_filter",
    "map_from_arrays",
    "map_from_entries",
    "map_keys",
    "map_values",
    "map_zip_with",
    "mask",
    "max",
    "max_by",
    "md5",
    "mean",
    "measure",
    "median",
    "min",
    "min_by",
    "minute",
    "mod",
    "mode",
    "monotonically_increasing_id",
    "month",
    "monthname",
    "months_between",
    "named_struct",
    "nanvl",
    "negate",
    "negative",
    "next_day",
    "now",
    "nth_value",
    "ntile",
    "nullif",
    "nullifzero",
    "nvl",
    "nvl2",
    "octet_length",
    "overlay",
    "parse_json",
    "parse_url",
    "percent_rank",
    "percentile",
    "percentile_approx",
    "percentile_cont",
    "percentile_disc",
    "pi",
    "pmod",
    "posexplode",
    "posexplode_outer",
    "position",
    "positive",
    "pow",
    "power",
    "printf",
    "quarter",
    "quote",
    "radians",
    "raise_error",
    "rand",
    "randn",
    "random",
    "randstr",
    "rank",
    "reduce",
    "reflect",
    "regexp",
    "regexp_count",
    "regexp_extract",
    "regexp_extract_all",
    "regexp_instr",
    "regexp_like",
    "regexp_replace",
    "regexp_substr",
    "regr_avgx",
    "regr_avgy",
    "regr_count",
    "regr_intercept",
    "regr_r2",
    "regr_slope",
    "regr_sxx",
    "regr_sxy",
    "regr_syy",
    "repeat",
    "replace",
    "reverse",
    "right",
    "rint",
    "rlike",
    "round",
    "row_number",
    "rpad",
    "rtrim",
    "schema_of_avro",
    "schema_of_csv",
    "schema_of_json",
    "schema_of_variant",
    "schema_of_variant_agg",
    "schema_of_xml",
    "sec",
    "second",
    "sentences",
    "sequence",
    "session_user",
    "session_window",
    "sha",
    "sha1",
    "sha2",
    "shiftLeft",
    "shiftRight",
    "shiftRightUnsigned",
    "shiftleft",
    "shiftright",
    "shiftrightunsigned",
    "shuffle",
    "sign",
    "signum",
    "sin",
    "sinh",
    "size",
    "skewness",
    "slice",
    "smallint",
    "some",
    "sort_array",
    "soundex",
    "space",
    "spark_partition_id",
    "split",
    "split_part",
    "sqrt",
    "st_asbinary",
    "st_geogfromwkb",
    "st_geomfromwkb",
    "st_setsrid",
    "st_srid",
    "stack",
    "startswith",
    "std",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "str_to_map",
    "string",
    "string_agg",
    "string_agg_distinct",
    "struct",
    "substr",
    "substring",
    "substring_index",
    "sum",
    "sumDistinct",
    "sum_distinct",
    "tan",
    "tanh",
    "theta_difference",
    "theta_intersection",
    "theta_intersection_agg",
    "theta_sketch_agg",
    "theta_sketch_estimate",
    "theta_union",
    "theta_union_agg",
    "time",
    "time_bucket",
    "time_diff",
    "time_from_micros",
    "time_from_millis",
    "time_from_seconds",
    "time_to_micros",
    "time_to_millis",
    "time_to_seconds",
    "time_trunc",
    "timestamp",
    "timestamp_add",
    "timestamp_diff",
    "timestamp_micros",
    "timestamp_millis",
    "timestamp_seconds",
    "timestampadd",
    "timestampdiff",
    "tinyint",
    "toDegrees",
    "toRadians",
    "to_avro",
    "to_base32",
    "to_binary",
    "to_char",
    "to_csv",
    "to_date",
    "to_json",
    "to_number",
    "to_protobuf",
    "to_time",
    "to_timestamp",
    "to_timestamp_ltz",
    "to_timestamp_ntz",
    "to_unix_timestamp",
    "to_utc_timestamp",
    "to_varchar",
    "to_variant_object",
    "to_xml",
    "transform",
    "transform_keys",
    "transform_values",
    "translate",
    "trim",
    "trunc",
    "try_add",
    "try_aes_decrypt",
    "try_avg",
    "try_divide",
    "try_element_at",
    "try_make_interval",
    "try_make_timestamp",
    "try_make_timestamp_ltz",
    "try_make_timestamp_ntz",
    "try_mod",
    "try_multiply",
    "try_parse_json",
    "try_parse_url",
    "try_reflect",
    "try_subtract",
    "try_sum",
    "try_to_binary",
    "try_to_date",
    "try_to_number",
    "try_to_time",
    "try_to_timestamp",
    "try_url_decode",
    "try_validate_utf8",
    "try_variant_array_append",
    "try_variant_get",
    "try_variant_insert",
    "try_variant_set",
    "tuple_difference_double",
    "tuple_difference_integer",
    "tuple_difference_theta_double",
    "tuple_difference_theta_integer",
    "tuple_intersection_agg_double",
    "tuple_intersection_agg_integer",
    "tuple_intersection_double",
    "tuple_intersection_integer",
    "tuple_intersection_theta_double",
    "tuple_intersection_theta_integer",
    "tuple_sketch_agg_double",
    "tuple_sketch_agg_integer",
    "tuple_sketch_estimate_double",
    "tuple_sketch_estimate_integer",
    "tuple_sketch_summary_double",
    "tuple_sketch_summary_integer",
    "tuple_sketch_theta_double",
    "tuple_sketch_theta_integer",
    "tuple_union_agg_double",
    "tuple_union_agg_integer",
    "tuple_union_double",
    "tuple_union_integer",
    "tuple_union_theta_double",
    "tuple_union_theta_integer",
    "typeof",
    "ucase",
    "unbase64",
    "unhex",
    "uniform",
    "unix_date",
    "unix_micros",
    "unix_millis",
    "unix_seconds",
    "unix_timestamp",
    "upper",
    "url_decode",
    "url_encode",
    "user",
    "uuid",
    "validate_utf8",
    "var_pop",
    "var_samp",
    "variance",
    "variant_array_append",
    "variant_delete",
    "variant_explode",
    "variant_explode_outer",
    "variant_get",
    "variant_insert",
    "variant_set",
    "variant_strip_nulls",
    "vector_avg",
    "vector_cosine_similarity",
    "vector_inner_product",
    "vector_l2_distance",
    "vector_norm",
    "vector_normalize",
    "vector_sum",
    "version",
    "weekday",
    "weekofyear",
    "when",
    "width_bucket",
    "window",
    "window_time",
    "xpath",
    "xpath_boolean",
    "xpath_double",
    "xpath_float",
    "xpath_int",
    "xpath_long",
    "xpath_number",
    "xpath_short",
    "xpath_string",
    "xxhash64",
    "year",
    "zeroifnull",
    "zip_with",
]

def abs(col: Operand) -> CallExpression:
    """abs(<numeric> or INTERVAL): The number or interval without its sign."""

def acos(col: Operand) -> CallExpression:
    """acos(DOUBLE): The angle in radians of a cosine; NaN where there is none."""

def acosh(col: Operand) -> CallExpression:
    """acosh(DOUBLE): The inverse hyperbolic cosine."""

def add_months(start: Operand, months: Operand) -> CallExpression:
    """add_months(DATE, INT): The date a number of months later."""

def aes_decrypt(
    input: Operand, key: Operand, mode: Operand = None, padding: Operand = None, aad: Operand = None
) -> CallExpression:
    """Decrypts a binary that was encrypted by AES with a key."""

def aes_encrypt(
    input: Operand,
    key: Operand,
    mode: Operand = None,
    padding: Operand = None,
    iv: Operand = None,
    aad: Operand = None,
) -> CallExpression:
    """Encrypts a binary by AES with a key."""

def aggregate(
    col: Operand,
    initialValue: Operand,
    merge: Callable[..., Any],
    finish: Callable[..., Any] | None = None,
) -> CallExpression:
    """A start value merged with every element by a lambda; another lambda may finish it."""

def any(col: Operand) -> CallExpression:
    """bool_or(BOOLEAN): Whether the condition holds for any row."""

def any_value(col: Operand, ignoreNulls: builtins.bool = False) -> CallExpression:
    """A value of some row, or one that is not NULL."""

def approxCountDistinct(col: Operand, rsd: Operand = None) -> CallExpression:
    """approx_count_distinct(<any>, [DOUBLE]): About the number of distinct values, within a relative standard deviation."""

def approx_count_distinct(col: Operand, rsd: builtins.float | None = None) -> CallExpression:
    """About the number of distinct values, within a relative standard deviation."""

def approx_top_k(
    expr: Operand, k: Operand = None, maxItemsTracked: Operand = None
) -> CallExpression:
    """approx_top_k(BOOLEAN, <numeric>, STRING, TIME or <date or timestamp>, [INT], [INT]): The (by default 5) most frequent values and about how often they occur."""

def approx_top_k_accumulate(expr: Operand, maxItemsTracked: Operand = None) -> CallExpression:
    """approx_top_k_accumulate(BOOLEAN, <numeric>, STRING, TIME or <date or timestamp>, [INT]): A sketch of the frequent values, for approx_top_k_estimate."""

def approx_top_k_combine(state: Operand, maxItemsTracked: Operand = None) -> CallExpression:
    """approx_top_k_combine(a state of approx_top_k_accumulate, [INT]): The sketches of frequent values as one."""

def approx_top_k_estimate(state: Operand, k: Operand = None) -> CallExpression:
    """approx_top_k_estimate(a state of approx_top_k_accumulate, [INT]): The (by default 5) most frequent values in a sketch and about how often they occur."""

def array(*cols: Operand) -> CallExpression:
    """array([<any>], …): An array of the arguments."""

def array_agg(col: Operand) -> CallExpression:
    """collect_list(<any>): The values that are not NULL, as an array."""

def array_append(col: Operand, value: Operand) -> CallExpression:
    """array_append(ARRAY, <any>): The array with a value at its end."""

def array_compact(col: Operand) -> CallExpression:
    """array_compact(ARRAY): The array without NULLs."""

def array_contains(col: Operand, value: Operand) -> CallExpression:
    """array_contains(ARRAY, <any>): Whether the array has the value."""

def array_distinct(col: Operand) -> CallExpression:
    """array_distinct(ARRAY): The array without duplicates."""

def array_except(col1: Operand, col2: Operand) -> CallExpression:
    """array_except(ARRAY, ARRAY): The elements of the first array that the second has not, without duplicates."""

def array_insert(arr: Operand, pos: Operand, value: Operand) -> CallExpression:
    """array_insert(ARRAY, INT, <any>): The array with a value put in at a position (from 1, negative from the end)."""

def array_intersect(col1: Operand, col2: Operand) -> CallExpression:
    """array_intersect(ARRAY, ARRAY): The elements of both arrays, without duplicates."""

def array_join(
    col: Operand, delimiter: Operand, null_replacement: Operand = None
) -> CallExpression:
    """array_join(ARRAY<STRING>, STRING, [STRING]): The elements joined by a separator, NULLs left out or replaced."""

def array_max(col: Operand) -> CallExpression:
    """array_max(ARRAY<orderable>): The greatest element."""

def array_min(col: Operand) -> CallExpression:
    """array_min(ARRAY<orderable>): The least element."""

def array_position(col: Operand, value: Operand) -> CallExpression:
    """array_position(ARRAY, <any>): The place (from 1) of the value in the array; 0 if nowhere."""

def array_prepend(col: Operand, value: Operand) -> CallExpression:
    """array_prepend(ARRAY, <any>): The array with a value at its start."""

def array_remove(col: Operand, element: Operand) -> CallExpression:
    """array_remove(ARRAY, <any>): The array without the elements equal to the value."""

def array_repeat(col: Operand, count: Operand) -> CallExpression:
    """array_repeat(<any>, INT): An array of a value a number of times."""

def array_size(col: Operand) -> CallExpression:
    """array_size(ARRAY): The number of elements."""

def array_sort(col: Operand, comparator: Operand = None) -> CallExpression:
    """array_sort(ARRAY, [(x, y) -> …]): The array sorted, NULLs last, or by a lambda that compares two elements."""

def array_union(col1: Operand, col2: Operand) -> CallExpression:
    """array_union(ARRAY, ARRAY): The elements of either array, without duplicates."""

def arrays_overlap(a1: Operand, a2: Operand) -> CallExpression:
    """arrays_overlap(ARRAY, ARRAY): Whether both arrays have an element in common."""

def arrays_zip(col: Operand, /, *cols: Operand) -> CallExpression:
    """arrays_zip(ARRAY, …): An array of structs of the elements at the same place."""

def asc(col: Operand) -> SortExpression:
    """Sort key, small values first, NULLs first."""

def asc_nulls_first(col: Operand) -> SortExpression:
    """Sort key, small values first, NULLs first."""

def asc_nulls_last(col: Operand) -> SortExpression:
    """Sort key, small values first, NULLs last."""

def ascii(col: Operand) -> CallExpression:
    """ascii(STRING): The code of the first character."""

def asin(col: Operand) -> CallExpression:
    """asin(DOUBLE): The angle in radians of a sine; NaN where there is none."""

def asinh(col: Operand) -> CallExpression:
    """asinh(DOUBLE): The inverse hyperbolic sine."""

def assert_true(col: Operand, errMsg: Operand = None) -> CallExpression:
    """assert_true(BOOLEAN, [STRING]): NULL where the condition holds, else an error."""

def atan(col: Operand) -> CallExpression:
    """atan(DOUBLE): The angle in radians of a tangent."""

def atan2(col1: Operand, col2: Operand) -> CallExpression:
    """atan2(DOUBLE, DOUBLE): The angle in radians of the point with the second number as x and the first as y."""

def atanh(col: Operand) -> CallExpression:
    """atanh(DOUBLE): The inverse hyperbolic tangent."""

def avg(col: Operand) -> CallExpression:
    """avg(<numeric> or INTERVAL): The mean."""

def base64(col: Operand) -> CallExpression:
    """base64(BINARY): The binary in Base64."""

def bigint(col: Operand) -> CallExpression:
    """bigint(<any>): The value as BIGINT, as CAST gives it."""

def bin(col: Operand) -> CallExpression:
    """bin(BIGINT): The number in binary."""

def binary(col: Operand) -> CallExpression:
    """binary(<any>): The value as BINARY, as CAST gives it."""

def bit_and(col: Operand) -> CallExpression:
    """bit_and(<integral>): The bits that all have."""

def bit_count(col: Operand) -> CallExpression:
    """bit_count(<integral> or BOOLEAN): The number of bits that are set."""

def bit_get(col: Operand, pos: Operand) -> CallExpression:
    """getbit(<integral>, INT): The bit at a position."""

def bit_length(col: Operand) -> CallExpression:
    """bit_length(STRING or BINARY): The number of bits."""

def bit_or(col: Operand) -> CallExpression:
    """bit_or(<integral>): The bits that any has."""

def bit_xor(col: Operand) -> CallExpression:
    """bit_xor(<integral>): The bits that an odd number of them has."""

def bitmap_and_agg(col: Operand) -> CallExpression:
    """bitmap_and_agg(BINARY): The bits set in all bitmaps."""

def bitmap_bit_position(col: Operand) -> CallExpression:
    """bitmap_bit_position(BIGINT): The bit of a number in its bucket, from 0."""

def bitmap_bucket_number(col: Operand) -> CallExpression:
    """bitmap_bucket_number(BIGINT): The bucket that the bit of a number lies in."""

def bitmap_construct_agg(col: Operand) -> CallExpression:
    """bitmap_construct_agg(BIGINT): A bitmap with the bits at these positions set."""

def bitmap_count(col: Operand) -> CallExpression:
    """bitmap_count(BINARY): The number of bits set in a bitmap."""

def bitmap_or_agg(col: Operand) -> CallExpression:
    """bitmap_or_agg(BINARY): The bits set in any bitmap."""

def bitwiseNOT(col: Operand) -> CallExpression:
    """~(<integral>): Every bit turned."""

def bitwise_not(col: Operand) -> CallExpression:
    """~(<integral>): Every bit turned."""

def bool_and(col: Operand) -> CallExpression:
    """bool_and(BOOLEAN): Whether the condition holds for all rows."""

def bool_or(col: Operand) -> CallExpression:
    """bool_or(BOOLEAN): Whether the condition holds for any row."""

def boolean(col: Operand) -> CallExpression:
    """boolean(<any>): The value as BOOLEAN, as CAST gives it."""

def bround(col: Operand, scale: Operand = None) -> CallExpression:
    """The nearest number of a number of digits after the point; halves to the even digit."""

def btrim(str: Operand, trim: Operand = None) -> CallExpression:
    """btrim(STRING, [STRING]): The text without blanks, or the characters given, on both sides."""

def call_function(funcName: builtins.str, *cols: Operand) -> CallExpression:
    """A call of a function by its name; strings are columns."""

def cardinality(col: Operand) -> CallExpression:
    """cardinality(ARRAY or MAP): The number of elements or entries."""

def cbrt(col: Operand) -> CallExpression:
    """cbrt(DOUBLE): The cube root."""

def ceil(col: Operand, scale: Operand = None) -> CallExpression:
    """Rounds up: a number, or a time to a unit such as ``"HOUR"``."""

def char(col: Operand) -> CallExpression:
    """chr(BIGINT): The character of a code."""

def char_length(str: Operand) -> CallExpression:
    """char_length(STRING or BINARY): The number of characters of a text, or of bytes of a binary."""

def character_length(str: Operand) -> CallExpression:
    """char_length(STRING or BINARY): The number of characters of a text, or of bytes of a binary."""

def chr(n: Operand) -> CallExpression:
    """chr(BIGINT): The character of a code."""

def coalesce(col: Operand, /, *cols: Operand) -> CallExpression:
    """coalesce(<any>, …): The first argument that is not NULL."""

def collate(col: Operand, collation: Operand) -> CallExpression:
    """collate(STRING, STRING): The text under a collation."""

def collation(col: Operand) -> CallExpression:
    """collation(STRING): The full name of the text's collation."""

def collect_list(col: Operand) -> CallExpression:
    """collect_list(<any>): The values that are not NULL, as an array."""

def collect_set(col: Operand) -> CallExpression:
    """collect_set(<any but MAP>): The distinct values that are not NULL, as an array."""

def collect_union(col: Operand) -> CallExpression:
    """collect_union(ARRAY of <any but MAP>): The distinct elements of arrays that are not NULL, as an array."""

def concat(*cols: Operand) -> CallExpression:
    """concat([<any>], …): The texts, binaries or arrays joined; NULL when one of them is."""

def concat_ws(sep: Operand, *cols: Operand) -> CallExpression:
    """concat_ws(STRING, [STRING or ARRAY<STRING>], …): The texts joined by a separator, NULLs left out."""

def contains(left: Operand, right: Operand) -> CallExpression:
    """contains(STRING or BINARY, STRING or BINARY): Whether the text contains another."""

def conv(col: Operand, fromBase: Operand, toBase: Operand) -> CallExpression:
    """conv(STRING, INT, INT): The number of one base as text of another."""

def convert_timezone(
    sourceTz: Operand, targetTz: Operand, sourceTs: Operand = None
) -> CallExpression:
    """The time of one time zone in another; without a source, from the session's."""

def corr(col1: Operand, col2: Operand) -> CallExpression:
    """corr(DOUBLE, DOUBLE): Pearson's correlation coefficient."""

def cos(col: Operand) -> CallExpression:
    """cos(DOUBLE): The cosine of an angle in radians."""

def cosh(col: Operand) -> CallExpression:
    """cosh(DOUBLE): The hyperbolic cosine."""

def cot(col: Operand) -> CallExpression:
    """cot(DOUBLE): The cotangent of an angle in radians."""

def count(col: Operand = "*") -> CallExpression:
    """The number of rows (``"*"``), or of rows in which the value is not NULL."""

def count_distinct(col: Operand, *cols: Operand) -> CallExpression:
    """The number of distinct combinations of the values in which none is NULL; ``"*"`` are all."""

def count_if(col: Operand) -> CallExpression:
    """count_if(BOOLEAN): The number of rows for which the condition holds."""

def count_min_sketch(
    col: Operand, eps: Operand, confidence: Operand, seed: Operand = None
) -> CallExpression:
    """A count-min sketch of value frequencies, with relative error, confidence and seed."""

def counter_diff(value: Operand, startTime: Operand = None) -> CallExpression:
    """counter_diff(<numeric>, [<timestamp>]): How much a counter grew since the row before; NULL where it, or its start, was reset."""

def covar_pop(col1: Operand, col2: Operand) -> CallExpression:
    """covar_pop(DOUBLE, DOUBLE): The population covariance."""

def covar_samp(col1: Operand, col2: Operand) -> CallExpression:
    """covar_samp(DOUBLE, DOUBLE): The sample covariance."""

def crc32(col: Operand) -> CallExpression:
    """crc32(BINARY): The CRC-32 checksum."""

def create_map(*cols: Operand) -> CallExpression:
    """map([<any>], …): A map of the arguments: key, value, key, value, …"""

def csc(col: Operand) -> CallExpression:
    """csc(DOUBLE): The cosecant of an angle in radians."""

def cume_dist() -> CallExpression:
    """cume_dist(): The share of rows that do not come later."""

def curdate() -> CallExpression:
    """current_date(): The date on which the query started."""

def current_catalog() -> CallExpression:
    """current_catalog(): The current catalog."""

def current_database() -> CallExpression:
    """current_database(): The current database."""

def current_date() -> CallExpression:
    """current_date(): The date on which the query started."""

def current_path() -> CallExpression:
    """current_path(): The schemas in which names are looked up."""

def current_schema() -> CallExpression:
    """current_database(): The current database."""

def current_time(precision: Operand = None) -> CallExpression:
    """current_time([INT]): The time of day at which the query started, with a number of digits of the second."""

def current_timestamp() -> CallExpression:
    """current_timestamp(): The time at which the query started."""

def current_timezone() -> CallExpression:
    """current_timezone(): The time zone of the session."""

def current_user() -> CallExpression:
    """current_user(): The user who runs the query."""

def date(col: Operand) -> CallExpression:
    """date(<any>): The value as DATE, as CAST gives it."""

def date_add(start: Operand, days: Operand) -> CallExpression:
    """date_add(DATE, INT): The date a number of days later."""

def date_diff(end: Operand, start: Operand) -> CallExpression:
    """datediff(DATE, DATE): The number of days from the second date to the first."""

def date_format(date: Operand, format: Operand) -> CallExpression:
    """date_format(TIMESTAMP, STRING): The time as text of a format such as `yyyy-MM-dd`."""

def date_from_unix_date(days: Operand) -> CallExpression:
    """date_from_unix_date(INT): The date a number of days after 1970 began."""

def date_part(field: Operand, source: Operand) -> CallExpression:
    """extract(STRING, <date, time, timestamp or INTERVAL>): A part of a date, time, timestamp or interval: YEAR, MONTH, DAY, HOUR, SECOND, …"""

def date_sub(start: Operand, days: Operand) -> CallExpression:
    """date_sub(DATE, INT): The date a number of days earlier."""

def date_trunc(format: Operand, timestamp: Operand) -> CallExpression:
    """date_trunc(STRING, TIMESTAMP): The timestamp cut to a unit: YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, …"""

def dateadd(start: Operand, days: Operand) -> CallExpression:
    """date_add(DATE, INT): The date a number of days later."""

def datediff(end: Operand, start: Operand) -> CallExpression:
    """datediff(DATE, DATE): The number of days from the second date to the first."""

def datepart(field: Operand, source: Operand) -> CallExpression:
    """extract(STRING, <date, time, timestamp or INTERVAL>): A part of a date, time, timestamp or interval: YEAR, MONTH, DAY, HOUR, SECOND, …"""

def day(col: Operand) -> CallExpression:
    """day(DATE): The day of the month, 1 to 31."""

def dayname(col: Operand) -> CallExpression:
    """dayname(DATE): The short name of the day."""

def dayofmonth(col: Operand) -> CallExpression:
    """day(DATE): The day of the month, 1 to 31."""

def dayofweek(col: Operand) -> CallExpression:
    """dayofweek(DATE): The day of the week, 1 (Sunday) to 7 (Saturday)."""

def dayofyear(col: Operand) -> CallExpression:
    """dayofyear(DATE): The day of the year, 1 to 366."""

def decimal(col: Operand) -> CallExpression:
    """decimal(<any>): The value as DECIMAL(10, 0), as CAST gives it."""

def decode(col: Operand, charset: Operand, *cols: Operand) -> CallExpression:
    """decode(<any>, <any>, [<any>], …): The bytes of a charset as text; of more arguments, the result after the first value that the first argument equals, else the last."""

def degrees(col: Operand) -> CallExpression:
    """degrees(DOUBLE): The angle in degrees of one in radians."""

def dense_rank(*cols: Operand) -> CallExpression:
    """dense_rank([<any>], …): The place of the row, equal rows alike, no gaps."""

def desc(col: Operand) -> SortExpression:
    """Sort key, large values first, NULLs last."""

def desc_nulls_first(col: Operand) -> SortExpression:
    """Sort key, large values first, NULLs first."""

def desc_nulls_last(col: Operand) -> SortExpression:
    """Sort key, large values first, NULLs last."""

def div(col1: Operand, col2: Operand, /) -> CallExpression:
    """div(<any>, <any>): The quotient truncated towards zero, a BIGINT."""

def double(col: Operand) -> CallExpression:
    """double(<any>): The value as DOUBLE, as CAST gives it."""

def e() -> CallExpression:
    """e(): The number e."""

def element_at(col: Operand, extraction: Operand) -> CallExpression:
    """element_at(ARRAY or MAP, <any>): The element at a position (from 1, negative from the end), or the value of a key."""

def elt(col: Operand, /, *cols: Operand) -> CallExpression:
    """elt(INT, <any>, …): The n-th of the arguments."""

def encode(col: Operand, charset: Operand) -> CallExpression:
    """encode(STRING, STRING): The text as bytes of a charset."""

def endswith(str: Operand, suffix: Operand) -> CallExpression:
    """endswith(STRING or BINARY, STRING or BINARY): Whether the text ends with another."""

def equal_null(col1: Operand, col2: Operand) -> CallExpression:
    """equal_null(<any>, <any>): Whether both are equal or both are NULL; never NULL."""

def every(col: Operand) -> CallExpression:
    """bool_and(BOOLEAN): Whether the condition holds for all rows."""

def exists(col: Operand, f: Operand) -> CallExpression:
    """exists(ARRAY, (x) -> …): Whether the lambda holds for an element."""

def exp(col: Operand) -> CallExpression:
    """exp(DOUBLE): e to the power of the number."""

def explode(col: Operand) -> CallExpression:
    """explode(ARRAY or MAP): A row for every element of an array or entry of a map."""

def explode_outer(col: Operand) -> CallExpression:
    """explode_outer(ARRAY or MAP): Like explode; a row of NULL where there is none."""

def expm1(col: Operand) -> CallExpression:
    """expm1(DOUBLE): e to the power of the number, minus 1."""

def expr(str: builtins.str) -> Any:
    """An expression that is written in SQL: ``F.expr("upper(name) || '!'")``."""

def extract(field: Operand, source: Operand) -> CallExpression:
    """extract(STRING, <date, time, timestamp or INTERVAL>): A part of a date, time, timestamp or interval: YEAR, MONTH, DAY, HOUR, SECOND, …"""

def factorial(col: Operand) -> CallExpression:
    """factorial(INT): The factorial of 0 to 20; NULL outside."""

def filter(col: Operand, f: Operand) -> CallExpression:
    """filter(ARRAY, (x, y) -> …): The elements (with their index) for which the lambda holds."""

def find_in_set(str: Operand, str_array: Operand) -> CallExpression:
    """find_in_set(STRING, STRING): The place (from 1) of a text in a list of texts between commas, else 0."""

def first(col: Operand, ignorenulls: builtins.bool = False) -> CallExpression:
    """The value of the first row met, or the first that is not NULL."""

def first_value(col: Operand, ignoreNulls: builtins.bool = False) -> CallExpression:
    """The value of the first row met, or the first that is not NULL."""

def flatten(col: Operand) -> CallExpression:
    """flatten(ARRAY<ARRAY>): The elements of the arrays in an array."""

def float(col: Operand) -> CallExpression:
    """float(<any>): The value as FLOAT, as CAST gives it."""

def floor(col: Operand, scale: Operand = None) -> CallExpression:
    """Rounds down: a number, or a time to a unit such as ``"HOUR"``."""

def forall(col: Operand, f: Operand) -> CallExpression:
    """forall(ARRAY, (x) -> …): Whether the lambda holds for every element."""

def format_number(col: Operand, d: Operand) -> CallExpression:
    """format_number(<numeric>, INT or STRING): The number with thousands separators and a number of digits after the point."""

def format_string(format: Operand, *cols: Operand) -> CallExpression:
    """format_string(STRING, [<any>], …): The arguments put into a printf pattern."""

def from_base32(col: Operand) -> CallExpression:
    """from_base32(STRING): The binary of a Base32 text."""

def from_unixtime(timestamp: Operand, format: Operand = None) -> CallExpression:
    """from_unixtime(BIGINT, [STRING]): The time a number of seconds after 1970 began, as text of a format."""

def from_utc_timestamp(timestamp: Operand, tz: Operand) -> CallExpression:
    """from_utc_timestamp(TIMESTAMP, STRING): The time of a time zone when it is the time given in UTC."""

def get(col: Operand, index: Operand) -> CallExpression:
    """get(ARRAY, INT): The element at a position (from 0), NULL where there is none."""

def get_json_object(col: Operand, path: Operand) -> CallExpression:
    """get_json_object(STRING, STRING): What lies under a path such as `$.a[0]` in a JSON text."""

def getbit(col: Operand, pos: Operand) -> CallExpression:
    """getbit(<integral>, INT): The bit at a position."""

def greatest(col: Operand, /, *cols: Operand) -> CallExpression:
    """greatest(<orderable>, <orderable>, …): The greatest argument that is not NULL."""

def grouping(col: Operand) -> CallExpression:
    """grouping(<any>): 1 where the column is rolled up in this row, else 0."""

def grouping_id(*cols: Operand) -> CallExpression:
    """grouping_id([<any>], …): The bits of grouping() of the columns, or of all grouping columns."""

def hash(col: Operand, /, *cols: Operand) -> CallExpression:
    """hash(<any but MAP and VARIANT>, …): A 32-bit hash (Murmur3) of the arguments."""

def hex(col: Operand) -> CallExpression:
    """hex(BIGINT or BINARY or STRING): The number or bytes in hexadecimal."""

def histogram_numeric(col: Operand, nBins: Operand) -> CallExpression:
    """histogram_numeric(<numeric>, <date or timestamp> or INTERVAL, INT): The centres and heights of a number of bins that the values fall into."""

def hll_sketch_agg(col: Operand, lgConfigK: Operand = None) -> CallExpression:
    """hll_sketch_agg(INT or BIGINT or STRING or BINARY, [INT]): An HLL sketch of the distinct values, with 2 to the power of the size buckets."""

def hll_sketch_estimate(col: Operand) -> CallExpression:
    """hll_sketch_estimate(BINARY): About the number of distinct values in an HLL sketch."""

def hll_union(
    col1: Operand, col2: Operand, allowDifferentLgConfigK: Operand = None
) -> CallExpression:
    """hll_union(BINARY, BINARY, [BOOLEAN]): An HLL sketch of the values of both; TRUE allows sketches of different sizes."""

def hll_union_agg(col: Operand, allowDifferentLgConfigK: Operand = None) -> CallExpression:
    """hll_union_agg(BINARY, [BOOLEAN]): An HLL sketch of the values of all sketches; TRUE allows different sizes."""

def hmac(key: Operand, message: Operand, algorithm: Operand = None) -> CallExpression:
    """hmac(BINARY, BINARY, [STRING]): The digest of a message under a key (the first argument), by SHA-256 unless told."""

def hour(col: Operand) -> CallExpression:
    """hour(TIMESTAMP or TIME): The hour, 0 to 23."""

def hypot(col1: Operand, col2: Operand) -> CallExpression:
    """hypot(DOUBLE, DOUBLE): The root of the sum of both squares."""

def ifnull(col1: Operand, col2: Operand) -> CallExpression:
    """nvl(<any>, <any>): The first argument, or the second where the first is NULL."""

def ilike(str: Operand, pattern: Operand, escapeChar: Operand = None) -> CallExpression:
    """ilike(STRING, STRING, [STRING]): LIKE without regard to case."""

def initcap(col: Operand) -> CallExpression:
    """initcap(STRING): The text with the first letter of every word in upper case, the rest in lower case."""

def inline(col: Operand) -> CallExpression:
    """inline(ARRAY): A row for every struct of an array."""

def inline_outer(col: Operand) -> CallExpression:
    """inline_outer(ARRAY): Like inline; a row of NULL where there is none."""

def input_file_block_length() -> CallExpression:
    """input_file_block_length(): The length of the block that the row was read from, or -1."""

def input_file_block_start() -> CallExpression:
    """input_file_block_start(): Where the block begins that the row was read from, or -1."""

def input_file_name() -> CallExpression:
    """input_file_name(): The file that the row was read from, or an empty text."""

def instr(
    str: Operand, substr: Operand, start: Operand = None, occurrence: Operand = None
) -> CallExpression:
    """instr(STRING, STRING, [INT], [INT]): The place (from 1) of the second text in the first, of the match counted from a position on (backwards from a negative one); 0 if nowhere."""

def int(col: Operand) -> CallExpression:
    """int(<any>): The value as INT, as CAST gives it."""

def is_valid_utf8(str: Operand) -> CallExpression:
    """is_valid_utf8(STRING): Whether the bytes of the text are UTF-8."""

def is_valid_variant(v: Operand) -> CallExpression:
    """is_valid_variant(VARIANT): Whether the VARIANT is well formed."""

def is_variant_null(v: Operand) -> CallExpression:
    """is_variant_null(VARIANT): Whether the VARIANT is a JSON null."""

def isnan(col: Operand) -> CallExpression:
    """isnan(<fractional>): Whether the number is NaN; never NULL."""

def isnotnull(col: Operand) -> CallExpression:
    """isnotnull(<any>): Whether the value is not NULL."""

def isnull(col: Operand) -> CallExpression:
    """isnull(<any>): Whether the value is NULL."""

def jaro_winkler_similarity(left: Operand, right: Operand) -> CallExpression:
    """jaro_winkler_similarity(STRING, STRING): How alike two texts are, from 0 to 1."""

def java_method(col: Operand, /, *cols: Operand) -> CallExpression:
    """java_method(STRING, STRING, [<number, BOOLEAN or STRING>], …): What a static method of a Java class gives, as text."""

def json_array_length(col: Operand) -> CallExpression:
    """json_array_length(STRING): The number of elements of a JSON array."""

def json_object_keys(col: Operand) -> CallExpression:
    """json_object_keys(STRING): The keys of a JSON object."""

def json_tuple(col: Operand, *cols: Operand) -> CallExpression:
    """json_tuple(STRING, STRING, …): The fields of a JSON object, as text."""

def kll_merge_agg_bigint(col: Operand, k: Operand = None) -> CallExpression:
    """kll_merge_agg_bigint(BINARY, [INT]): The KLL sketches of BIGINT values as one."""

def kll_merge_agg_double(col: Operand, k: Operand = None) -> CallExpression:
    """kll_merge_agg_double(BINARY, [INT]): The KLL sketches of DOUBLE values as one."""

def kll_merge_agg_float(col: Operand, k: Operand = None) -> CallExpression:
    """kll_merge_agg_float(BINARY, [INT]): The KLL sketches of FLOAT values as one."""

def kll_sketch_agg_bigint(col: Operand, k: Operand = None) -> CallExpression:
    """kll_sketch_agg_bigint(<integral>, [INT]): A KLL sketch of BIGINT values; a larger size (by default 200) is more exact."""

def kll_sketch_agg_double(col: Operand, k: Operand = None) -> CallExpression:
    """kll_sketch_agg_double(DOUBLE or FLOAT, [INT]): A KLL sketch of DOUBLE values; a larger size (by default 200) is more exact."""

def kll_sketch_agg_float(col: Operand, k: Operand = None) -> CallExpression:
    """kll_sketch_agg_float(FLOAT, [INT]): A KLL sketch of FLOAT values; a larger size (by default 200) is more exact."""

def kll_sketch_get_n_bigint(col: Operand) -> CallExpression:
    """kll_sketch_get_n_bigint(BINARY): The number of values that a KLL sketch of BIGINT values has seen."""

def kll_sketch_get_n_double(col: Operand) -> CallExpression:
    """kll_sketch_get_n_double(BINARY): The number of values that a KLL sketch of DOUBLE values has seen."""

def kll_sketch_get_n_float(col: Operand) -> CallExpression:
    """kll_sketch_get_n_float(BINARY): The number of values that a KLL sketch of FLOAT values has seen."""

def kll_sketch_get_quantile_bigint(sketch: Operand, rank: Operand) -> CallExpression:
    """kll_sketch_get_quantile_bigint(BINARY, DOUBLE or ARRAY<DOUBLE>): About the BIGINT value at one or more ranks from 0 to 1."""

def kll_sketch_get_quantile_double(sketch: Operand, rank: Operand) -> CallExpression:
    """kll_sketch_get_quantile_double(BINARY, DOUBLE or ARRAY<DOUBLE>): About the DOUBLE value at one or more ranks from 0 to 1."""

def kll_sketch_get_quantile_float(sketch: Operand, rank: Operand) -> CallExpression:
    """kll_sketch_get_quantile_float(BINARY, DOUBLE or ARRAY<DOUBLE>): About the FLOAT value at one or more ranks from 0 to 1."""

def kll_sketch_get_rank_bigint(sketch: Operand, quantile: Operand) -> CallExpression:
    """kll_sketch_get_rank_bigint(BINARY, BIGINT or ARRAY<BIGINT>): About the rank, from 0 to 1, of one or more BIGINT values."""

def kll_sketch_get_rank_double(sketch: Operand, quantile: Operand) -> CallExpression:
    """kll_sketch_get_rank_double(BINARY, DOUBLE or ARRAY<DOUBLE>): About the rank, from 0 to 1, of one or more DOUBLE values."""

def kll_sketch_get_rank_float(sketch: Operand, quantile: Operand) -> CallExpression:
    """kll_sketch_get_rank_float(BINARY, FLOAT or ARRAY<FLOAT>): About the rank, from 0 to 1, of one or more FLOAT values."""

def kll_sketch_merge_bigint(left: Operand, right: Operand) -> CallExpression:
    """kll_sketch_merge_bigint(BINARY, BINARY): Two KLL sketches of BIGINT values as one."""

def kll_sketch_merge_double(left: Operand, right: Operand) -> CallExpression:
    """kll_sketch_merge_double(BINARY, BINARY): Two KLL sketches of DOUBLE values as one."""

def kll_sketch_merge_float(left: Operand, right: Operand) -> CallExpression:
    """kll_sketch_merge_float(BINARY, BINARY): Two KLL sketches of FLOAT values as one."""

def kll_sketch_to_string_bigint(col: Operand) -> CallExpression:
    """kll_sketch_to_string_bigint(BINARY): What a KLL sketch of BIGINT values holds, in words."""

def kll_sketch_to_string_double(col: Operand) -> CallExpression:
    """kll_sketch_to_string_double(BINARY): What a KLL sketch of DOUBLE values holds, in words."""

def kll_sketch_to_string_float(col: Operand) -> CallExpression:
    """kll_sketch_to_string_float(BINARY): What a KLL sketch of FLOAT values holds, in words."""

def kurtosis(col: Operand) -> CallExpression:
    """kurtosis(DOUBLE): The excess kurtosis."""

def lag(col: Operand, offset: builtins.int = 1, default: Operand = None) -> CallExpression:
    """The value a number of rows before, or a default."""

def last(col: Operand, ignorenulls: builtins.bool = False) -> CallExpression:
    """The value of the last row met, or the last that is not NULL."""

def last_day(date: Operand) -> CallExpression:
    """last_day(DATE): The last day of the month."""

def last_value(col: Operand, ignoreNulls: builtins.bool = False) -> CallExpression:
    """The value of the last row met, or the last that is not NULL."""

def lcase(str: Operand) -> CallExpression:
    """lower(STRING): The text in lower case."""

def lead(col: Operand, offset: builtins.int = 1, default: Operand = None) -> CallExpression:
    """The value a number of rows after, or a default."""

def least(col: Operand, /, *cols: Operand) -> CallExpression:
    """least(<orderable>, <orderable>, …): The least argument that is not NULL."""

def left(str: Operand, len: Operand) -> CallExpression:
    """left(STRING or BINARY, INT): The first characters of the text."""

def len(col: Operand) -> CallExpression:
    """length(STRING or BINARY): The number of characters of a text, or of bytes of a binary."""

def length(col: Operand) -> CallExpression:
    """length(STRING or BINARY): The number of characters of a text, or of bytes of a binary."""

def levenshtein(left: Operand, right: Operand, threshold: Operand = None) -> CallExpression:
    """levenshtein(STRING, STRING, [INT]): The number of edits between two texts, -1 above a threshold."""

def like(str: Operand, pattern: Operand, escapeChar: Operand = None) -> CallExpression:
    """like(STRING, STRING, [STRING]): Whether the text matches a pattern of `%` and `_`; the third argument escapes."""

def listagg(col: Operand, delimiter: Operand = None) -> CallExpression:
    """listagg(STRING or BINARY, [STRING or BINARY]): The values that are not NULL, joined by a separator."""

def listagg_distinct(col: Operand, delimiter: Operand = None) -> CallExpression:
    """The distinct values that are not NULL, joined by a separator."""

def ln(col: Operand) -> CallExpression:
    """ln(DOUBLE): The natural logarithm; NULL where there is none."""

def localtime(precision: Operand = None) -> CallExpression:
    """current_time([INT]): The time of day at which the query started, with a number of digits of the second."""

def localtimestamp() -> CallExpression:
    """localtimestamp(): The time at which the query started, without a time zone."""

def locate(substr: Operand, str: Operand, pos: Operand = 1) -> CallExpression:
    """The position (from 1) of ``substr`` in ``str``, at or after a position; 0 if not found."""

def log(arg1: Operand, arg2: Operand = None) -> CallExpression:
    """log(DOUBLE, [DOUBLE]): The natural logarithm, or with two arguments that of the second to the base of the first."""

def log10(col: Operand) -> CallExpression:
    """log10(DOUBLE): The logarithm to base 10; NULL where there is none."""

def log1p(col: Operand) -> CallExpression:
    """log1p(DOUBLE): The natural logarithm of the number plus 1; NULL where there is none."""

def log2(col: Operand) -> CallExpression:
    """log2(DOUBLE): The logarithm to base 2; NULL where there is none."""

def lower(col: Operand) -> CallExpression:
    """lower(STRING): The text in lower case."""

def lpad(col: Operand, len: Operand, pad: Operand = None) -> CallExpression:
    """lpad(STRING or BINARY, INT, [STRING or BINARY]): The text filled on its left to a length, or cut to it."""

def ltrim(col: Operand, trim: Operand = None) -> CallExpression:
    """ltrim(STRING, [STRING]): The text without blanks, or the characters given, on its left."""

def luhn_check(col: Operand) -> CallExpression:
    """luhn_check(STRING): Whether the digits pass the Luhn check."""

def make_date(year: Operand, month: Operand, day: Operand) -> CallExpression:
    """make_date(INT, INT, INT): The date of a year, month and day."""

def make_dt_interval(
    days: Operand = None, hours: Operand = None, mins: Operand = None, secs: Operand = None
) -> CallExpression:
    """make_dt_interval([INT], [INT], [INT], [DECIMAL(18, 6)]): The interval of days, hours, minutes and seconds."""

def make_time(hour: Operand, minute: Operand, second: Operand) -> CallExpression:
    """make_time(INT, INT, DECIMAL(16, 6)): The time of an hour, minute and second."""

def make_timestamp_ltz(
    years: Operand,
    months: Operand,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
    timezone: Operand = None,
) -> CallExpression:
    """make_timestamp_ltz(INT or DATE, INT or TIME, [INT or STRING], [INT], [INT], [DECIMAL(16, 6)], [STRING]): The timestamp of the session's time zone that the parts, or a date and a time, make."""

def make_valid_utf8(str: Operand) -> CallExpression:
    """make_valid_utf8(STRING): The text with U+FFFD for what is not UTF-8."""

def make_ym_interval(years: Operand = None, months: Operand = None) -> CallExpression:
    """make_ym_interval([INT], [INT]): The interval of years and months."""

def map(*cols: Operand) -> CallExpression:
    """map([<any>], …): A map of the arguments: key, value, key, value, …"""

def map_concat(*cols: Operand) -> CallExpression:
    """map_concat([MAP], …): The entries of all maps in one."""

def map_contains_key(col: Operand, value: Operand) -> CallExpression:
    """map_contains_key(MAP, <any>): Whether the map has the key."""

def map_entries(col: Operand) -> CallExpression:
    """map_entries(MAP): The entries as structs of key and value."""

def map_filter(col: Operand, f: Operand) -> CallExpression:
    """map_filter(MAP, (x, y) -> …): The entries for which the lambda holds."""

def map_from_arrays(col1: Operand, col2: Operand) -> CallExpression:
    """map_from_arrays(ARRAY, ARRAY): A map of an array of keys and one of values."""

def map_from_entries(col: Operand) -> CallExpression:
    """map_from_entries(ARRAY<STRUCT<any, any>>): A map of an array of structs of key and value."""

def map_keys(col: Operand) -> CallExpression:
    """map_keys(MAP): The keys as an array."""

def map_values(col: Operand) -> CallExpression:
    """map_values(MAP): The values as an array."""

def map_zip_with(col1: Operand, col2: Operand, f: Operand) -> CallExpression:
    """map_zip_with(MAP, MAP, (x, y, z) -> …): A map of what the lambda makes of the values that two maps have for a key."""

def mask(
    col: Operand,
    upperChar: Operand = None,
    lowerChar: Operand = None,
    digitChar: Operand = None,
    otherChar: Operand = None,
) -> CallExpression:
    """mask(STRING, [STRING], [STRING], [STRING], [STRING]): The text with other upper- and lower-case letters, digits and other characters."""

def max(col: Operand) -> CallExpression:
    """max(<orderable>): The greatest value."""

def max_by(col: Operand, ord: Operand, k: Operand = None) -> CallExpression:
    """max_by(<any>, <orderable>, [INT]): The first argument where the second is greatest, or an array of a number of those."""

def md5(col: Operand) -> CallExpression:
    """md5(BINARY): The MD5 digest in hexadecimal."""

def mean(col: Operand) -> CallExpression:
    """avg(<numeric> or INTERVAL): The mean."""

def measure(col: Operand) -> CallExpression:
    """measure(<any>): The value of a measure of a metric view."""

def median(col: Operand) -> CallExpression:
    """median(<numeric>, INTERVAL or TIME): The median."""

def min(col: Operand) -> CallExpression:
    """min(<orderable>): The least value."""

def min_by(col: Operand, ord: Operand, k: Operand = None) -> CallExpression:
    """min_by(<any>, <orderable>, [INT]): The first argument where the second is least, or an array of a number of those."""

def minute(col: Operand) -> CallExpression:
    """minute(TIMESTAMP or TIME): The minute, 0 to 59."""

def mod(col1: Operand, col2: Operand, /) -> CallExpression:
    """%(<any>, <any>): The remainder, with the sign of the dividend."""

def mode(col: Operand, deterministic: Operand = None) -> CallExpression:
    """mode(<any>, [BOOLEAN]): The most frequent value."""

def monotonically_increasing_id() -> CallExpression:
    """monotonically_increasing_id(): A growing number, unique within the query."""

def month(col: Operand) -> CallExpression:
    """month(DATE): The month, 1 to 12."""

def monthname(col: Operand) -> CallExpression:
    """monthname(DATE): The short name of the month."""

def months_between(
    date1: Operand, date2: Operand, roundOff: builtins.bool = True
) -> CallExpression:
    """The months from the second time to the first, by default rounded to 8 digits."""

def named_struct(*cols: Operand) -> CallExpression:
    """named_struct([<any>], [<any>], …): A struct of the arguments: name, value, name, value, …"""

def nanvl(col1: Operand, col2: Operand) -> CallExpression:
    """nanvl(<fractional>, <fractional>): The first argument, or the second where the first is NaN."""

def negate(col: Operand) -> CallExpression:
    """negative(<numeric> or INTERVAL): The value with its sign turned."""

def negative(col: Operand) -> CallExpression:
    """negative(<numeric> or INTERVAL): The value with its sign turned."""

def next_day(date: Operand, dayOfWeek: Operand) -> CallExpression:
    """next_day(DATE, STRING): The first day after the date that is a day of the week such as `Mon`."""

def now() -> CallExpression:
    """current_timestamp(): The time at which the query started."""

def nth_value(
    col: Operand, offset: builtins.int, ignoreNulls: builtins.bool = False
) -> CallExpression:
    """The value of the n-th row of the frame, or of the n-th that is not NULL."""

def ntile(n: Operand = None) -> CallExpression:
    """ntile([INT]): The number, from 1, of the row's bucket among equally large ones."""

def nullif(col1: Operand, col2: Operand) -> CallExpression:
    """nullif(<any>, <any>): NULL where both arguments are equal, else the first."""

def nullifzero(col: Operand) -> CallExpression:
    """nullifzero(<any>): The number, or NULL where it is 0."""

def nvl(col1: Operand, col2: Operand) -> CallExpression:
    """nvl(<any>, <any>): The first argument, or the second where the first is NULL."""

def nvl2(col1: Operand, col2: Operand, col3: Operand) -> CallExpression:
    """nvl2(<any>, <any>, <any>): The second argument where the first is not NULL, else the third."""

def octet_length(col: Operand) -> CallExpression:
    """octet_length(STRING or BINARY): The number of bytes."""

def overlay(src: Operand, replace: Operand, pos: Operand, len: Operand = -1) -> CallExpression:
    """Replaces part of a text, from a position on, by another text."""

def parse_json(col: Operand) -> CallExpression:
    """parse_json(STRING): A JSON text as a VARIANT."""

def parse_url(url: Operand, partToExtract: Operand, key: Operand = None) -> CallExpression:
    """parse_url(STRING, STRING, [STRING]): A part of a URL: HOST, PATH, QUERY, REF, PROTOCOL, FILE, AUTHORITY or USERINFO."""

def percent_rank(*cols: Operand) -> CallExpression:
    """percent_rank([<any>], …): The rank as a share from 0 to 1."""

def percentile(col: Operand, percentage: Operand, frequency: Operand = None) -> CallExpression:
    """The exact percentile at one place from 0 to 1, or at each of a list."""

def percentile_approx(
    col: Operand, percentage: Operand, accuracy: Operand = None
) -> CallExpression:
    """About the percentile at one place from 0 to 1, or at each of a list."""

def percentile_cont(col1: Operand, col2: Operand = None, /) -> CallExpression:
    """percentile_cont(DOUBLE or ARRAY<DOUBLE>) WITHIN GROUP (ORDER BY <numeric>, INTERVAL or TIME): The percentile of sorted values, interpolated, at one or more places from 0 to 1."""

def percentile_disc(col1: Operand, col2: Operand = None, /) -> CallExpression:
    """percentile_disc(DOUBLE or ARRAY<DOUBLE>) WITHIN GROUP (ORDER BY <numeric>, INTERVAL or TIME): The first of sorted values that is no lower than a percentile, at one or more places."""

def pi() -> CallExpression:
    """pi(): The number pi."""

def pmod(dividend: Operand, divisor: Operand) -> CallExpression:
    """pmod(<any>, <any>): The remainder, never negative."""

def posexplode(col: Operand) -> CallExpression:
    """posexplode(ARRAY or MAP): A row for every element or entry, with its position."""

def posexplode_outer(col: Operand) -> CallExpression:
    """posexplode_outer(ARRAY or MAP): Like posexplode; a row of NULL where there is none."""

def position(substr: Operand, str: Operand, start: Operand = None) -> CallExpression:
    """position(STRING, STRING, [INT]): The place (from 1) of the first text in the second, from a position on; 0 if nowhere."""

def positive(col: Operand) -> CallExpression:
    """positive(<numeric> or INTERVAL): The value as it is."""

def pow(col1: Operand, col2: Operand) -> CallExpression:
    """power(DOUBLE, DOUBLE): The first number to the power of the second."""

def power(col1: Operand, col2: Operand) -> CallExpression:
    """power(DOUBLE, DOUBLE): The first number to the power of the second."""

def printf(format: Operand, *cols: Operand) -> CallExpression:
    """format_string(STRING, [<any>], …): The arguments put into a printf pattern."""

def quarter(col: Operand) -> CallExpression:
    """quarter(DATE): The quarter, 1 to 4."""

def quote(col: Operand) -> CallExpression:
    """quote(STRING): The text as an SQL literal."""

def radians(col: Operand) -> CallExpression:
    """radians(DOUBLE): The angle in radians of one in degrees."""

def raise_error(errMsg: Operand) -> CallExpression:
    """raise_error(STRING): Stops the query with an error."""

def rand(seed: builtins.int | None = None) -> CallExpression:
    """A random number from 0 (inclusive) to 1 (exclusive), from a seed."""

def randn(seed: builtins.int | None = None) -> CallExpression:
    """A random number from the standard normal distribution, from a seed."""

def random(seed: Operand = None) -> CallExpression:
    """rand([INT or BIGINT]): A random number from 0 to less than 1, from a seed."""

def randstr(length: Operand, seed: Operand = None) -> CallExpression:
    """randstr(INT, [INT or BIGINT]): A random text of letters and digits of a length, from a seed."""

def rank(*cols: Operand) -> CallExpression:
    """rank([<any>], …): The place of the row, equal rows alike, with gaps."""

def reflect(col: Operand, /, *cols: Operand) -> CallExpression:
    """java_method(STRING, STRING, [<number, BOOLEAN or STRING>], …): What a static method of a Java class gives, as text."""

def regexp(str: Operand, regexp: Operand) -> CallExpression:
    """rlike(STRING, STRING): Whether a part of the text matches a regular expression."""

def regexp_count(str: Operand, regexp: Operand) -> CallExpression:
    """regexp_count(STRING, STRING): The number of matches of a regular expression."""

def regexp_extract(str: Operand, pattern: Operand, idx: Operand = None) -> CallExpression:
    """regexp_extract(STRING, STRING, [INT]): What a group (by default the first) of the first match holds; empty without a match."""

def regexp_extract_all(str: Operand, regexp: Operand, idx: Operand = None) -> CallExpression:
    """regexp_extract_all(STRING, STRING, [INT]): What a group (by default the first) of every match holds."""

def regexp_instr(str: Operand, regexp: Operand, idx: Operand = None) -> CallExpression:
    """regexp_instr(STRING, STRING, [INT]): The place (from 1) of the first match of a regular expression; 0 if there is none."""

def regexp_like(str: Operand, regexp: Operand) -> CallExpression:
    """rlike(STRING, STRING): Whether a part of the text matches a regular expression."""

def regexp_replace(
    string: Operand, pattern: Operand, replacement: Operand, position: Operand = None
) -> CallExpression:
    """regexp_replace(STRING, STRING, STRING, [INT]): The text with every match of a regular expression replaced."""

def regexp_substr(str: Operand, regexp: Operand) -> CallExpression:
    """regexp_substr(STRING, STRING): The first match of a regular expression, or NULL."""

def regr_avgx(y: Operand, x: Operand) -> CallExpression:
    """regr_avgx(<numeric>, <numeric>): The mean of the second where both are not NULL."""

def regr_avgy(y: Operand, x: Operand) -> CallExpression:
    """regr_avgy(<numeric>, <numeric>): The mean of the first where both are not NULL."""

def regr_count(y: Operand, x: Operand) -> CallExpression:
    """regr_count(DOUBLE, DOUBLE): The number of rows in which both are not NULL."""

def regr_intercept(y: Operand, x: Operand) -> CallExpression:
    """regr_intercept(DOUBLE, DOUBLE): The intercept of the linear regression."""

def regr_r2(y: Operand, x: Operand) -> CallExpression:
    """regr_r2(DOUBLE, DOUBLE): The coefficient of determination of the linear regression."""

def regr_slope(y: Operand, x: Operand) -> CallExpression:
    """regr_slope(DOUBLE, DOUBLE): The slope of the linear regression of the first on the second."""

def regr_sxx(y: Operand, x: Operand) -> CallExpression:
    """regr_sxx(DOUBLE, DOUBLE): The sum of squares of the second."""

def regr_sxy(y: Operand, x: Operand) -> CallExpression:
    """regr_sxy(DOUBLE, DOUBLE): The sum of products."""

def regr_syy(y: Operand, x: Operand) -> CallExpression:
    """regr_syy(DOUBLE, DOUBLE): The sum of squares of the first."""

def repeat(col: Operand, n: Operand) -> CallExpression:
    """repeat(STRING, INT): The text a number of times."""

def replace(src: Operand, search: Operand, replace: Operand = None) -> CallExpression:
    """replace(STRING, STRING, [STRING]): The text with every occurrence of a part replaced, or removed."""

def reverse(col: Operand) -> CallExpression:
    """reverse(STRING or BINARY or ARRAY): The text or array from its end to its start."""

def right(str: Operand, len: Operand) -> CallExpression:
    """right(STRING, INT): The last characters of the text."""

def rint(col: Operand) -> CallExpression:
    """rint(DOUBLE): The nearest whole number, as a DOUBLE."""

def rlike(str: Operand, regexp: Operand) -> CallExpression:
    """rlike(STRING, STRING): Whether a part of the text matches a regular expression."""

def round(col: Operand, scale: Operand = None) -> CallExpression:
    """The nearest number of a number of digits after the point; halves away from zero."""

def row_number() -> CallExpression:
    """row_number(): The place of the row in its partition, from 1."""

def rpad(col: Operand, len: Operand, pad: Operand = None) -> CallExpression:
    """rpad(STRING or BINARY, INT, [STRING or BINARY]): The text filled on its right to a length, or cut to it."""

def rtrim(col: Operand, trim: Operand = None) -> CallExpression:
    """rtrim(STRING, [STRING]): The text without blanks, or the characters given, on its right."""

def schema_of_variant(v: Operand) -> CallExpression:
    """schema_of_variant(VARIANT): The type of what the VARIANT holds, as text."""

def schema_of_variant_agg(v: Operand) -> CallExpression:
    """schema_of_variant_agg(VARIANT): The common type of what the VARIANTs hold, as text."""

def sec(col: Operand) -> CallExpression:
    """sec(DOUBLE): The secant of an angle in radians."""

def second(col: Operand) -> CallExpression:
    """second(TIMESTAMP or TIME): The second, 0 to 59."""

def sentences(string: Operand, language: Operand = None, country: Operand = None) -> CallExpression:
    """The sentences of a text, each an array of words."""

def sequence(start: Operand, stop: Operand, step: Operand = None) -> CallExpression:
    """sequence(<any>, <any>, [<any>]): The values from a start to a stop, both included, by a step."""

def session_user() -> CallExpression:
    """current_user(): The user who runs the query."""

def session_window(timeColumn: Operand, gapDuration: Operand) -> CallExpression:
    """session_window(<timestamp>, STRING or INTERVAL): The session of events no further apart than a gap that a time falls in."""

def sha(col: Operand) -> CallExpression:
    """sha1(BINARY): The SHA-1 digest in hexadecimal."""

def sha1(col: Operand) -> CallExpression:
    """sha1(BINARY): The SHA-1 digest in hexadecimal."""

def sha2(col: Operand, numBits: Operand) -> CallExpression:
    """sha2(BINARY, INT): The SHA-2 digest of 224, 256, 384 or 512 bits in hexadecimal; 0 is 256."""

def shiftLeft(col: Operand, numBits: Operand) -> CallExpression:
    """shiftleft(INT or BIGINT, INT): The bits moved to the left."""

def shiftRight(col: Operand, numBits: Operand) -> CallExpression:
    """shiftright(INT or BIGINT, INT): The bits moved to the right, the sign kept."""

def shiftRightUnsigned(col: Operand, numBits: Operand) -> CallExpression:
    """shiftrightunsigned(INT or BIGINT, INT): The bits moved to the right, zeros moved in."""

def shiftleft(col: Operand, numBits: Operand) -> CallExpression:
    """shiftleft(INT or BIGINT, INT): The bits moved to the left."""

def shiftright(col: Operand, numBits: Operand) -> CallExpression:
    """shiftright(INT or BIGINT, INT): The bits moved to the right, the sign kept."""

def shiftrightunsigned(col: Operand, numBits: Operand) -> CallExpression:
    """shiftrightunsigned(INT or BIGINT, INT): The bits moved to the right, zeros moved in."""

def shuffle(col: Operand, seed: Operand = None) -> CallExpression:
    """shuffle(ARRAY, [BIGINT]): The array in a random order, from a seed."""

def sign(col: Operand) -> CallExpression:
    """sign(<numeric> or INTERVAL): -1, 0 or 1 after the sign."""

def signum(col: Operand) -> CallExpression:
    """sign(<numeric> or INTERVAL): -1, 0 or 1 after the sign."""

def sin(col: Operand) -> CallExpression:
    """sin(DOUBLE): The sine of an angle in radians."""

def sinh(col: Operand) -> CallExpression:
    """sinh(DOUBLE): The hyperbolic sine."""

def size(col: Operand) -> CallExpression:
    """size(ARRAY or MAP): The number of elements or entries."""

def skewness(col: Operand) -> CallExpression:
    """skewness(DOUBLE): The skewness."""

def slice(x: Operand, start: Operand, length: Operand) -> CallExpression:
    """slice(ARRAY, INT, INT): The part of an array from a position (from 1), of a length."""

def smallint(col: Operand) -> CallExpression:
    """smallint(<any>): The value as SMALLINT, as CAST gives it."""

def some(col: Operand) -> CallExpression:
    """bool_or(BOOLEAN): Whether the condition holds for any row."""

def sort_array(col: Operand, asc: builtins.bool = True) -> CallExpression:
    """The array sorted, NULLs first, or downwards and NULLs last."""

def soundex(col: Operand) -> CallExpression:
    """soundex(STRING): The Soundex code of the text."""

def space(col: Operand) -> CallExpression:
    """space(INT): A number of blanks."""

def spark_partition_id() -> CallExpression:
    """spark_partition_id(): The number of the partition that the row is in."""

def split(str: Operand, pattern: Operand, limit: Operand = -1) -> CallExpression:
    """The parts between matches of a regular expression, at most ``limit`` of them."""

def split_part(src: Operand, delimiter: Operand, partNum: Operand) -> CallExpression:
    """split_part(STRING, STRING, INT): The n-th part between delimiters (from 1, negative from the end)."""

def sqrt(col: Operand) -> CallExpression:
    """sqrt(DOUBLE): The square root."""

def st_asbinary(geo: Operand, endianness: Operand = None) -> CallExpression:
    """st_asbinary(GEOMETRY or GEOGRAPHY, [STRING]): The shape as a WKB binary, little-endian (`NDR`) unless told `XDR`."""

def st_geogfromwkb(wkb: Operand) -> CallExpression:
    """st_geogfromwkb(BINARY): The GEOGRAPHY of a WKB binary."""

def st_geomfromwkb(wkb: Operand, srid: Operand = None) -> CallExpression:
    """st_geomfromwkb(BINARY, [INT]): The GEOMETRY of a WKB binary, in a reference system."""

def st_setsrid(geo: Operand, srid: Operand) -> CallExpression:
    """st_setsrid(GEOMETRY or GEOGRAPHY, INT): The shape under another reference system."""

def st_srid(geo: Operand) -> CallExpression:
    """st_srid(GEOMETRY or GEOGRAPHY): The reference system of the shape."""

def stack(col: Operand, /, *cols: Operand) -> CallExpression:
    """stack(INT, <any>, …): The values in a number of rows."""

def startswith(str: Operand, prefix: Operand) -> CallExpression:
    """startswith(STRING or BINARY, STRING or BINARY): Whether the text starts with another."""

def std(col: Operand) -> CallExpression:
    """stddev(DOUBLE): The sample standard deviation."""

def stddev(col: Operand) -> CallExpression:
    """stddev(DOUBLE): The sample standard deviation."""

def stddev_pop(col: Operand) -> CallExpression:
    """stddev_pop(DOUBLE): The population standard deviation."""

def stddev_samp(col: Operand) -> CallExpression:
    """stddev(DOUBLE): The sample standard deviation."""

def str_to_map(
    text: Operand, pairDelim: Operand = None, keyValueDelim: Operand = None
) -> CallExpression:
    """str_to_map(STRING, [STRING], [STRING]): A map of a text such as `a:1,b:2`, between separators of entries and of keys."""

def string(col: Operand) -> CallExpression:
    """string(<any>): The value as STRING, as CAST gives it."""

def string_agg(col: Operand, delimiter: Operand = None) -> CallExpression:
    """listagg(STRING or BINARY, [STRING or BINARY]): The values that are not NULL, joined by a separator."""

def struct(*cols: Operand) -> CallExpression:
    """struct([<any>], …): A struct of the arguments; fields take the names of columns and aliases, else col1, …"""

def substr(str: Operand, pos: Operand, len: Operand = None) -> CallExpression:
    """substring(STRING or BINARY, INT, [INT]): The part from a position (from 1, negative from the end), of a length or to the end."""

def substring(str: Operand, pos: Operand, len: Operand = None) -> CallExpression:
    """substring(STRING or BINARY, INT, [INT]): The part from a position (from 1, negative from the end), of a length or to the end."""

def substring_index(str: Operand, delim: Operand, count: Operand) -> CallExpression:
    """substring_index(STRING, STRING, INT): What lies before the n-th delimiter, or after it counted from the end where n < 0."""

def sum(col: Operand) -> CallExpression:
    """sum(<numeric> or INTERVAL): The sum."""

def sum_distinct(col: Operand) -> CallExpression:
    """The sum of the distinct values."""

def tan(col: Operand) -> CallExpression:
    """tan(DOUBLE): The tangent of an angle in radians."""

def tanh(col: Operand) -> CallExpression:
    """tanh(DOUBLE): The hyperbolic tangent."""

def theta_difference(col1: Operand, col2: Operand) -> CallExpression:
    """theta_difference(BINARY, BINARY): A theta sketch of the values of the first that the second has not."""

def theta_intersection(col1: Operand, col2: Operand) -> CallExpression:
    """theta_intersection(BINARY, BINARY): A theta sketch of the values that both have."""

def theta_intersection_agg(col: Operand) -> CallExpression:
    """theta_intersection_agg(BINARY): A theta sketch of the values that all sketches have."""

def theta_sketch_agg(col: Operand, lgNomEntries: Operand = None) -> CallExpression:
    """theta_sketch_agg(INT, BIGINT, FLOAT, DOUBLE, STRING, BINARY, ARRAY<INT> or ARRAY<BIGINT>, [INT]): A theta sketch of the distinct values, with 2 to the power of the size entries."""

def theta_sketch_estimate(col: Operand) -> CallExpression:
    """theta_sketch_estimate(BINARY): About the number of distinct values in a theta sketch."""

def theta_union(col1: Operand, col2: Operand, lgNomEntries: Operand = None) -> CallExpression:
    """theta_union(BINARY, BINARY, [INT]): A theta sketch of the values of either."""

def theta_union_agg(col: Operand, lgNomEntries: Operand = None) -> CallExpression:
    """theta_union_agg(BINARY, [INT]): A theta sketch of the values of any sketch."""

def time(col: Operand) -> CallExpression:
    """time(<any>): The value as TIME(6), as CAST gives it."""

def time_bucket(bucket_size: Operand, ts: Operand, origin: Operand = None) -> CallExpression:
    """time_bucket(INTERVAL DAY TO SECOND or INTERVAL YEAR TO MONTH, TIMESTAMP or TIMESTAMP_NTZ, [TIMESTAMP or TIMESTAMP_NTZ]): The start of the bucket, of a size and counted from an origin, that a time falls in."""

def time_diff(unit: Operand, start: Operand, end: Operand) -> CallExpression:
    """time_diff(STRING, TIME, TIME): The number of whole units from the first time to the second."""

def time_from_micros(col: Operand) -> CallExpression:
    """time_from_micros(<integral>): The time a number of microseconds after midnight."""

def time_from_millis(col: Operand) -> CallExpression:
    """time_from_millis(<integral>): The time a number of milliseconds after midnight."""

def time_from_seconds(col: Operand) -> CallExpression:
    """time_from_seconds(<numeric>): The time a number of seconds after midnight."""

def time_to_micros(col: Operand) -> CallExpression:
    """time_to_micros(TIME(6)): The microseconds from midnight to a time."""

def time_to_millis(col: Operand) -> CallExpression:
    """time_to_millis(TIME(6)): The milliseconds from midnight to a time."""

def time_to_seconds(col: Operand) -> CallExpression:
    """time_to_seconds(TIME(6)): The seconds from midnight to a time."""

def time_trunc(unit: Operand, time: Operand) -> CallExpression:
    """time_trunc(STRING, TIME): The time cut to a unit: HOUR, MINUTE, SECOND, MILLISECOND or MICROSECOND."""

def timestamp(col: Operand) -> CallExpression:
    """timestamp(<any>): The value as TIMESTAMP, as CAST gives it."""

def timestamp_add(unit: Operand, quantity: Operand, ts: Operand) -> CallExpression:
    """timestampadd(STRING, INT, <date or timestamp>): The time a number of units later."""

def timestamp_diff(unit: Operand, start: Operand, end: Operand) -> CallExpression:
    """timestampdiff(STRING, TIMESTAMP, TIMESTAMP): The number of whole units from the first time to the second."""

def timestamp_micros(col: Operand) -> CallExpression:
    """timestamp_micros(<integral>): The time a number of microseconds after 1970 began."""

def timestamp_millis(col: Operand) -> CallExpression:
    """timestamp_millis(<integral>): The time a number of milliseconds after 1970 began."""

def timestamp_seconds(col: Operand) -> CallExpression:
    """timestamp_seconds(<numeric>): The time a number of seconds after 1970 began."""

def timestampadd(unit: Operand, quantity: Operand, ts: Operand) -> CallExpression:
    """timestampadd(STRING, INT, <date or timestamp>): The time a number of units later."""

def timestampdiff(unit: Operand, start: Operand, end: Operand) -> CallExpression:
    """timestampdiff(STRING, TIMESTAMP, TIMESTAMP): The number of whole units from the first time to the second."""

def tinyint(col: Operand) -> CallExpression:
    """tinyint(<any>): The value as TINYINT, as CAST gives it."""

def toDegrees(col: Operand) -> CallExpression:
    """degrees(DOUBLE): The angle in degrees of one in radians."""

def toRadians(col: Operand) -> CallExpression:
    """radians(DOUBLE): The angle in radians of one in degrees."""

def to_base32(col: Operand) -> CallExpression:
    """to_base32(BINARY): The binary in Base32."""

def to_binary(col: Operand, format: Operand = None) -> CallExpression:
    """to_binary(STRING, [STRING]): The binary of a text in `hex` (the default), `utf-8` or `base64`."""

def to_char(col: Operand, format: Operand) -> CallExpression:
    """to_char(<any>, STRING): A number, date, time, timestamp or binary as text of a format."""

def to_date(col: Operand, format: Operand = None) -> CallExpression:
    """to_date(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ, [STRING]): The date that a text of a format (by default ISO) says."""

def to_number(col: Operand, format: Operand) -> CallExpression:
    """to_number(STRING, STRING): A text of a format as a number."""

def to_time(str: Operand, format: Operand = None) -> CallExpression:
    """to_time(STRING, [STRING]): The time that a text of a format (by default ISO) says."""

def to_timestamp(col: Operand, format: Operand = None) -> CallExpression:
    """to_timestamp(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ or <numeric>, [STRING]): The timestamp that a text of a format (by default ISO) says."""

def to_timestamp_ltz(timestamp: Operand, format: Operand = None) -> CallExpression:
    """to_timestamp_ltz(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ or <numeric>, [STRING]): The timestamp of the session's time zone that a text of a format says."""

def to_timestamp_ntz(timestamp: Operand, format: Operand = None) -> CallExpression:
    """to_timestamp_ntz(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ, [STRING]): The timestamp without a time zone that a text of a format says."""

def to_unix_timestamp(timestamp: Operand, format: Operand = None) -> CallExpression:
    """to_unix_timestamp(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ, [STRING]): The seconds from 1970 to a time."""

def to_utc_timestamp(timestamp: Operand, tz: Operand) -> CallExpression:
    """to_utc_timestamp(TIMESTAMP, STRING): The time in UTC when it is the time given in a time zone."""

def to_varchar(col: Operand, format: Operand) -> CallExpression:
    """to_char(<any>, STRING): A number, date, time, timestamp or binary as text of a format."""

def to_variant_object(col: Operand) -> CallExpression:
    """to_variant_object(STRUCT, ARRAY or MAP): A struct, array or map as a VARIANT."""

def transform(col: Operand, f: Operand) -> CallExpression:
    """transform(ARRAY, (x, y) -> …): The array of what the lambda makes of each element (and its index)."""

def transform_keys(col: Operand, f: Operand) -> CallExpression:
    """transform_keys(MAP, (x, y) -> …): The map with the keys the lambda makes of each entry."""

def transform_values(col: Operand, f: Operand) -> CallExpression:
    """transform_values(MAP, (x, y) -> …): The map with the values the lambda makes of each entry."""

def translate(srcCol: Operand, matching: Operand, replace: Operand) -> CallExpression:
    """translate(STRING, STRING, STRING): The text with single characters replaced by those at the same place of the other list."""

def trim(col: Operand, trim: Operand = None) -> CallExpression:
    """trim(STRING, [STRING]): The text without blanks, or the characters given, on both sides."""

def trunc(date: Operand, format: Operand) -> CallExpression:
    """trunc(DATE, STRING): The date cut to a unit: YEAR, QUARTER, MONTH or WEEK."""

def try_add(left: Operand, right: Operand) -> CallExpression:
    """try_add(<any>, <any>): The sum, NULL on overflow."""

def try_aes_decrypt(
    input: Operand, key: Operand, mode: Operand = None, padding: Operand = None, aad: Operand = None
) -> CallExpression:
    """Decrypts a binary that was encrypted by AES with a key; NULL if that fails."""

def try_avg(col: Operand) -> CallExpression:
    """try_avg(<numeric> or INTERVAL): The mean, NULL on overflow."""

def try_divide(left: Operand, right: Operand) -> CallExpression:
    """try_divide(<any>, <any>): The quotient, NULL on division by zero."""

def try_element_at(col: Operand, extraction: Operand) -> CallExpression:
    """try_element_at(ARRAY or MAP, <any>): The element at a position (from 1) or the value of a key, NULL where there is none."""

def try_make_timestamp_ltz(
    years: Operand,
    months: Operand,
    days: Operand = None,
    hours: Operand = None,
    mins: Operand = None,
    secs: Operand = None,
    timezone: Operand = None,
) -> CallExpression:
    """try_make_timestamp_ltz(INT or DATE, INT or TIME, [INT or STRING], [INT], [INT], [DECIMAL(16, 6)], [STRING]): The timestamp that make_timestamp_ltz makes, NULL where there is none."""

def try_mod(left: Operand, right: Operand) -> CallExpression:
    """try_mod(<any>, <any>): The remainder, NULL on division by zero."""

def try_multiply(left: Operand, right: Operand) -> CallExpression:
    """try_multiply(<any>, <any>): The product, NULL on overflow."""

def try_parse_json(col: Operand) -> CallExpression:
    """try_parse_json(STRING): A JSON text as a VARIANT, NULL where it is none."""

def try_parse_url(url: Operand, partToExtract: Operand, key: Operand = None) -> CallExpression:
    """try_parse_url(STRING, STRING, [STRING]): A part of a URL, NULL where the text is none."""

def try_reflect(col: Operand, /, *cols: Operand) -> CallExpression:
    """try_reflect(STRING, STRING, [<number, BOOLEAN or STRING>], …): What a static method of a Java class gives, as text; NULL where it fails."""

def try_subtract(left: Operand, right: Operand) -> CallExpression:
    """try_subtract(<any>, <any>): The difference, NULL on overflow."""

def try_sum(col: Operand) -> CallExpression:
    """try_sum(<numeric> or INTERVAL): The sum, NULL on overflow."""

def try_to_binary(col: Operand, format: Operand = None) -> CallExpression:
    """try_to_binary(STRING, [STRING]): The binary of a text in `hex`, `utf-8` or `base64`, NULL where it is none."""

def try_to_date(col: Operand, format: Operand = None) -> CallExpression:
    """try_to_date(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ, [STRING]): The date that a text of a format says, NULL where it says none."""

def try_to_number(col: Operand, format: Operand) -> CallExpression:
    """try_to_number(STRING, STRING): A text of a format as a number, NULL where it is none."""

def try_to_time(str: Operand, format: Operand = None) -> CallExpression:
    """try_to_time(STRING, [STRING]): The time that a text of a format says, NULL where it says none."""

def try_to_timestamp(col: Operand, format: Operand = None) -> CallExpression:
    """try_to_timestamp(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ or <numeric>, [STRING]): The timestamp that a text of a format says, NULL where it says none."""

def try_url_decode(str: Operand) -> CallExpression:
    """try_url_decode(STRING): The text of a part of a URL, NULL where it is none."""

def try_validate_utf8(str: Operand) -> CallExpression:
    """try_validate_utf8(STRING): The text, NULL where it is not UTF-8."""

def try_variant_array_append(v: Operand, path: Operand, value: Operand) -> CallExpression:
    """try_variant_array_append(VARIANT, STRING, what converts to VARIANT): Like variant_array_append, NULL where that would fail."""

def try_variant_get(v: Operand, path: Operand, targetType: Operand = None) -> CallExpression:
    """try_variant_get(VARIANT, STRING, [STRING]): Like variant_get, NULL where the value is not of the type."""

def try_variant_insert(v: Operand, path: Operand, value: Operand) -> CallExpression:
    """try_variant_insert(VARIANT, STRING, what converts to VARIANT): Like variant_insert, NULL where that would fail."""

def tuple_difference_double(col1: Operand, col2: Operand) -> CallExpression:
    """tuple_difference_double(BINARY, BINARY): A tuple sketch, with numbers (double), of the values of the first that the second has not."""

def tuple_difference_integer(col1: Operand, col2: Operand) -> CallExpression:
    """tuple_difference_integer(BINARY, BINARY): A tuple sketch, with numbers (integer), of the values of the first that the second has not."""

def tuple_difference_theta_double(col1: Operand, col2: Operand) -> CallExpression:
    """tuple_difference_theta_double(BINARY, BINARY): A tuple sketch, with numbers (double), of the values of the first that the second, a theta sketch, has not."""

def tuple_difference_theta_integer(col1: Operand, col2: Operand) -> CallExpression:
    """tuple_difference_theta_integer(BINARY, BINARY): A tuple sketch, with numbers (integer), of the values of the first that the second, a theta sketch, has not."""

def tuple_intersection_agg_double(col: Operand, mode: Operand = None) -> CallExpression:
    """tuple_intersection_agg_double(BINARY, [STRING]): A tuple sketch, with numbers (double), of the values that all sketches have."""

def tuple_intersection_agg_integer(col: Operand, mode: Operand = None) -> CallExpression:
    """tuple_intersection_agg_integer(BINARY, [STRING]): A tuple sketch, with numbers (integer), of the values that all sketches have."""

def tuple_intersection_double(col1: Operand, col2: Operand, mode: Operand = None) -> CallExpression:
    """tuple_intersection_double(BINARY, BINARY, [STRING]): A tuple sketch, with numbers (double), of the values that both have."""

def tuple_intersection_integer(
    col1: Operand, col2: Operand, mode: Operand = None
) -> CallExpression:
    """tuple_intersection_integer(BINARY, BINARY, [STRING]): A tuple sketch, with numbers (integer), of the values that both have."""

def tuple_intersection_theta_double(
    col1: Operand, col2: Operand, mode: Operand = None
) -> CallExpression:
    """tuple_intersection_theta_double(BINARY, BINARY, [STRING]): A tuple sketch, with numbers (double), of the values that both have, the second a theta sketch."""

def tuple_intersection_theta_integer(
    col1: Operand, col2: Operand, mode: Operand = None
) -> CallExpression:
    """tuple_intersection_theta_integer(BINARY, BINARY, [STRING]): A tuple sketch, with numbers (integer), of the values that both have, the second a theta sketch."""

def tuple_sketch_agg_double(
    key: Operand, summary: Operand, lgNomEntries: Operand = None, mode: Operand = None
) -> CallExpression:
    """tuple_sketch_agg_double(<any but MAP, STRUCT and ARRAY of what is no number>, DOUBLE, [INT], [STRING]): A tuple sketch of the distinct keys, with the sum of a number (double) or by a mode."""

def tuple_sketch_agg_integer(
    key: Operand, summary: Operand, lgNomEntries: Operand = None, mode: Operand = None
) -> CallExpression:
    """tuple_sketch_agg_integer(<any but MAP, STRUCT and ARRAY of what is no number>, INT, [INT], [STRING]): A tuple sketch of the distinct keys, with the sum of a number (integer) or by a mode."""

def tuple_sketch_estimate_double(col: Operand) -> CallExpression:
    """tuple_sketch_estimate_double(BINARY): About the number of distinct values in a tuple sketch."""

def tuple_sketch_estimate_integer(col: Operand) -> CallExpression:
    """tuple_sketch_estimate_integer(BINARY): About the number of distinct values in a tuple sketch."""

def tuple_sketch_summary_double(col: Operand, mode: Operand = None) -> CallExpression:
    """tuple_sketch_summary_double(BINARY, [STRING]): The numbers in a tuple sketch as one: their sum, or by another mode."""

def tuple_sketch_summary_integer(col: Operand, mode: Operand = None) -> CallExpression:
    """tuple_sketch_summary_integer(BINARY, [STRING]): The numbers in a tuple sketch as one: their sum, or by another mode."""

def tuple_sketch_theta_double(col: Operand) -> CallExpression:
    """tuple_sketch_theta_double(BINARY): The share, from 0 to 1, of the values that a tuple sketch holds."""

def tuple_sketch_theta_integer(col: Operand) -> CallExpression:
    """tuple_sketch_theta_integer(BINARY): The share, from 0 to 1, of the values that a tuple sketch holds."""

def tuple_union_agg_double(
    col: Operand, lgNomEntries: Operand = None, mode: Operand = None
) -> CallExpression:
    """tuple_union_agg_double(BINARY, [INT], [STRING]): A tuple sketch, with numbers (double), of the values of any sketch."""

def tuple_union_agg_integer(
    col: Operand, lgNomEntries: Operand = None, mode: Operand = None
) -> CallExpression:
    """tuple_union_agg_integer(BINARY, [INT], [STRING]): A tuple sketch, with numbers (integer), of the values of any sketch."""

def tuple_union_double(
    col1: Operand, col2: Operand, lgNomEntries: Operand = None, mode: Operand = None
) -> CallExpression:
    """tuple_union_double(BINARY, BINARY, [INT], [STRING]): A tuple sketch, with numbers (double), of the values of either."""

def tuple_union_integer(
    col1: Operand, col2: Operand, lgNomEntries: Operand = None, mode: Operand = None
) -> CallExpression:
    """tuple_union_integer(BINARY, BINARY, [INT], [STRING]): A tuple sketch, with numbers (integer), of the values of either."""

def tuple_union_theta_double(
    col1: Operand, col2: Operand, lgNomEntries: Operand = None, mode: Operand = None
) -> CallExpression:
    """tuple_union_theta_double(BINARY, BINARY, [INT], [STRING]): A tuple sketch, with numbers (double), of the values of either, the second a theta sketch."""

def tuple_union_theta_integer(
    col1: Operand, col2: Operand, lgNomEntries: Operand = None, mode: Operand = None
) -> CallExpression:
    """tuple_union_theta_integer(BINARY, BINARY, [INT], [STRING]): A tuple sketch, with numbers (integer), of the values of either, the second a theta sketch."""

def typeof(col: Operand) -> CallExpression:
    """typeof(<any>): The type of the value as DDL text."""

def ucase(str: Operand) -> CallExpression:
    """upper(STRING): The text in upper case."""

def unbase64(col: Operand) -> CallExpression:
    """unbase64(STRING): The binary of a Base64 text."""

def unhex(col: Operand) -> CallExpression:
    """unhex(STRING): The binary of a hexadecimal text."""

def uniform(min: Operand, max: Operand, seed: Operand = None) -> CallExpression:
    """uniform(<numeric>, <numeric>, [INT or BIGINT]): A random number between two constants, from a seed."""

def unix_date(col: Operand) -> CallExpression:
    """unix_date(DATE): The days from 1970 to a date."""

def unix_micros(col: Operand) -> CallExpression:
    """unix_micros(TIMESTAMP or TIMESTAMP_NTZ): The microseconds from 1970 to a time."""

def unix_millis(col: Operand) -> CallExpression:
    """unix_millis(TIMESTAMP or TIMESTAMP_NTZ): The milliseconds from 1970 to a time."""

def unix_seconds(col: Operand) -> CallExpression:
    """unix_seconds(TIMESTAMP or TIMESTAMP_NTZ): The seconds from 1970 to a time."""

def unix_timestamp(timestamp: Operand = None, format: Operand = None) -> CallExpression:
    """The seconds from 1970-01-01 UTC to a time, by default to now."""

def upper(col: Operand) -> CallExpression:
    """upper(STRING): The text in upper case."""

def url_decode(str: Operand) -> CallExpression:
    """url_decode(STRING): The text of a part of a URL."""

def url_encode(str: Operand) -> CallExpression:
    """url_encode(STRING): The text as part of a URL."""

def user() -> CallExpression:
    """current_user(): The user who runs the query."""

def uuid(seed: Operand = None) -> CallExpression:
    """uuid([INT or BIGINT]): A random UUID, other in every row, from a seed."""

def validate_utf8(str: Operand) -> CallExpression:
    """validate_utf8(STRING): The text, or an error where it is not UTF-8."""

def var_pop(col: Operand) -> CallExpression:
    """var_pop(DOUBLE): The population variance."""

def var_samp(col: Operand) -> CallExpression:
    """variance(DOUBLE): The sample variance."""

def variance(col: Operand) -> CallExpression:
    """variance(DOUBLE): The sample variance."""

def variant_array_append(v: Operand, path: Operand, value: Operand) -> CallExpression:
    """variant_array_append(VARIANT, STRING, what converts to VARIANT): The VARIANT with a value at the end of the array at a path."""

def variant_delete(v: Operand, *cols: Operand) -> CallExpression:
    """variant_delete(VARIANT, STRING, …): The VARIANT without what lies under the paths."""

def variant_explode(col: Operand) -> CallExpression:
    """variant_explode(VARIANT): A row for every field or element of a VARIANT, with position and name."""

def variant_explode_outer(col: Operand) -> CallExpression:
    """variant_explode_outer(VARIANT): Like variant_explode; a row of NULL where there is none."""

def variant_get(v: Operand, path: Operand, targetType: Operand = None) -> CallExpression:
    """variant_get(VARIANT, STRING, [STRING]): What lies under a path in a VARIANT, as a VARIANT or a type."""

def variant_insert(v: Operand, path: Operand, value: Operand) -> CallExpression:
    """variant_insert(VARIANT, STRING, what converts to VARIANT): The VARIANT with a new field or element at a path; fails if it is there."""

def vector_avg(col: Operand) -> CallExpression:
    """vector_avg(ARRAY<FLOAT>): The mean of the vectors."""

def vector_cosine_similarity(left: Operand, right: Operand) -> CallExpression:
    """vector_cosine_similarity(ARRAY<FLOAT>, ARRAY<FLOAT>): The cosine of the angle between two vectors."""

def vector_inner_product(left: Operand, right: Operand) -> CallExpression:
    """vector_inner_product(ARRAY<FLOAT>, ARRAY<FLOAT>): The inner product of two vectors."""

def vector_l2_distance(left: Operand, right: Operand) -> CallExpression:
    """vector_l2_distance(ARRAY<FLOAT>, ARRAY<FLOAT>): The Euclidean distance of two vectors."""

def vector_norm(vector: Operand, degree: Operand = None) -> CallExpression:
    """vector_norm(ARRAY<FLOAT>, [FLOAT]): The norm of a vector, of degree 1, 2 (as by default) or infinity."""

def vector_normalize(vector: Operand, degree: Operand = None) -> CallExpression:
    """vector_normalize(ARRAY<FLOAT>, [FLOAT]): The vector divided by its norm of a degree."""

def vector_sum(col: Operand) -> CallExpression:
    """vector_sum(ARRAY<FLOAT>): The sum of the vectors."""

def version() -> CallExpression:
    """version(): The version of Spark and its commit."""

def weekday(col: Operand) -> CallExpression:
    """weekday(DATE): The day of the week, 0 (Monday) to 6 (Sunday)."""

def weekofyear(col: Operand) -> CallExpression:
    """weekofyear(DATE): The ISO week of the year, 1 to 53."""

def when(condition: Operand, value: Operand) -> CallExpression:
    """CASE WHEN; continue with ``.when(condition, value)`` and ``.otherwise(value)``."""

def width_bucket(v: Operand, min: Operand, max: Operand, numBucket: Operand) -> CallExpression:
    """width_bucket(<numeric> or INTERVAL, <numeric> or INTERVAL, <numeric> or INTERVAL, BIGINT): The bucket of a value among a number of equally wide ones between two bounds."""

def window(
    timeColumn: Operand,
    windowDuration: builtins.str,
    slideDuration: builtins.str | None = None,
    startTime: builtins.str | None = None,
) -> CallExpression:
    """The time window, of a duration, slide and start, that a time falls into."""

def window_time(windowColumn: Operand) -> CallExpression:
    """window_time(STRUCT): The time that stands for a time window: just before its end."""

def xpath(xml: Operand, path: Operand) -> CallExpression:
    """xpath(STRING, STRING): The texts that an XPath leads to."""

def xpath_boolean(xml: Operand, path: Operand) -> CallExpression:
    """xpath_boolean(STRING, STRING): Whether an XPath is true, or leads to something."""

def xpath_double(xml: Operand, path: Operand) -> CallExpression:
    """xpath_double(STRING, STRING): The number that an XPath gives."""

def xpath_float(xml: Operand, path: Operand) -> CallExpression:
    """xpath_float(STRING, STRING): The FLOAT that an XPath gives."""

def xpath_int(xml: Operand, path: Operand) -> CallExpression:
    """xpath_int(STRING, STRING): The INT that an XPath gives."""

def xpath_long(xml: Operand, path: Operand) -> CallExpression:
    """xpath_long(STRING, STRING): The BIGINT that an XPath gives."""

def xpath_number(xml: Operand, path: Operand) -> CallExpression:
    """xpath_double(STRING, STRING): The number that an XPath gives."""

def xpath_short(xml: Operand, path: Operand) -> CallExpression:
    """xpath_short(STRING, STRING): The SMALLINT that an XPath gives."""

def xpath_string(xml: Operand, path: Operand) -> CallExpression:
    """xpath_string(STRING, STRING): The text of the first node an XPath leads to."""

def xxhash64(col: Operand, /, *cols: Operand) -> CallExpression:
    """xxhash64(<any but MAP and VARIANT>, …): A 64-bit hash (xxHash) of the arguments."""

def year(col: Operand) -> CallExpression:
    """year(DATE): The year."""

def zeroifnull(col: Operand) -> CallExpression:
    """zeroifnull(<any>): The number, or 0 where it is NULL."""

def zip_with(left: Operand, right: Operand, f: Operand) -> CallExpression:
    """zip_with(ARRAY, ARRAY, (x, y) -> …): The array of what the lambda makes of the elements at the same place of two arrays."""

approx_percentile = percentile_approx
ceiling = ceil
countDistinct = count_distinct
reduce = aggregate
string_agg_distinct = listagg_distinct
sumDistinct = sum_distinct
