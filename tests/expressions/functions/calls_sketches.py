"""Calls of sketches, bitmaps, vectors and aggregates over sorted values; see ``calls.py``."""

from __future__ import annotations

from tests.expressions.functions.palette import COLUMNS, TRIED
from viewscribe import call, col, lit
from viewscribe.expressions.dsl import Expression
from viewscribe.types.coercion import is_orderable

SCALARS = """
approx_top_k_estimate: tk | tk 3 | tk 1
hll_sketch_estimate: bin
hll_union: bin bin | bin bin b | bin bin TRUE
theta_sketch_estimate: bin
theta_union: bin bin | bin bin i | bin bin 12
theta_intersection: bin bin
theta_difference: bin bin

kll_sketch_merge_bigint: bin bin
kll_sketch_merge_float: bin bin
kll_sketch_merge_double: bin bin
kll_sketch_get_n_bigint: bin
kll_sketch_get_n_float: bin
kll_sketch_get_n_double: bin
kll_sketch_get_quantile_bigint: bin d | bin 0.5 | bin 1 | bin '0.5'
kll_sketch_get_quantile_float: bin d | bin 0.5 | bin 1
kll_sketch_get_quantile_double: bin d | bin 0.5 | bin '0.5'
kll_sketch_get_rank_bigint: bin l | bin 3 | bin 3.5 | bin '3'
kll_sketch_get_rank_float: bin f | bin 3 | bin 3.5
kll_sketch_get_rank_double: bin d | bin 3 | bin '3.5'
kll_sketch_to_string_bigint: bin
kll_sketch_to_string_float: bin
kll_sketch_to_string_double: bin

tuple_sketch_estimate_double: bin
tuple_sketch_estimate_integer: bin
tuple_sketch_theta_double: bin
tuple_sketch_theta_integer: bin
tuple_sketch_summary_double: bin | bin s | bin 'min' | bin 'none'
tuple_sketch_summary_integer: bin | bin s | bin 'Max' | bin 5
tuple_union_double: bin bin | bin bin i | bin bin 12 | bin bin 12 s | bin bin 26 'alwaysone'
tuple_union_double: bin bin 27 | bin bin 3 | bin bin '12' | bin bin 12 'none'
tuple_union_integer: bin bin | bin bin i | bin bin 12 s | bin bin 4 'sum'
tuple_union_theta_double: bin bin | bin bin i | bin bin 12 s | bin bin 12 'min' | bin bin 3
tuple_union_theta_integer: bin bin | bin bin i | bin bin 12 s | bin bin 12 'min'
tuple_intersection_double: bin bin | bin bin s | bin bin 'min' | bin bin 'none'
tuple_intersection_integer: bin bin | bin bin s | bin bin 'max'
tuple_intersection_theta_double: bin bin | bin bin s | bin bin 'sum'
tuple_intersection_theta_integer: bin bin | bin bin s | bin bin 'alwaysone' | bin bin 5
tuple_difference_double: bin bin
tuple_difference_integer: bin bin
tuple_difference_theta_double: bin bin
tuple_difference_theta_integer: bin bin

bitmap_bit_position: l
bitmap_bucket_number: l
bitmap_count: bin

vector_cosine_similarity: af af | af ad
vector_inner_product: af af
vector_l2_distance: af af
vector_norm: af | af f | af 2
vector_normalize: af | af f
"""

AGGREGATES = """
approx_top_k: i | s i | i 5 | e 5 i | dt 5 100 | tn '5' | b 0
approx_top_k_accumulate: i | s i | i 100 | ts '100'
approx_top_k_combine: tk | tk 100 | tk '100'
count_min_sketch: i d 0.5 1 | s 0.5 d 1 | i 0.5 0.5 i | s 0.5 0.5 1 | bin 1.5 0.9 7
count_min_sketch: i 0.0 0.5 1 | i 0.5 1.0 1 | i 1 0.5 1 | i 0.5 0.5 '1' | i 0.5 0.5 1.0
histogram_numeric: d i | d 5 | e 5 | dt 2 | d 1 | d '5' | d 5.0
hll_sketch_agg: i | s i | i 12 | bin '12'
hll_union_agg: bin | bin b | bin TRUE
theta_sketch_agg: i | s i | ai i | an 12
theta_union_agg: bin | bin i
theta_intersection_agg: bin
kll_sketch_agg_bigint: l | l i | i 8 | i 7 | i 65535 | i 65536 | i '200'
kll_sketch_agg_float: f | f i | f 200
kll_sketch_agg_double: d | d i | f 200
kll_merge_agg_bigint: bin | bin i | bin 200 | bin 7
kll_merge_agg_float: bin | bin i | bin 200
kll_merge_agg_double: bin | bin i | bin 200
tuple_sketch_agg_double: i d | s d i | s d 12 s | ad d 12 'sum' | s d '12' 'SUM' | s d 3
tuple_sketch_agg_integer: i i | af i i | s i 12 s | s i 26 'max' | s i 27 | s i 12 'none'
tuple_union_agg_double: bin | bin i | bin 12 s | bin 12 'min' | bin '12' | bin 3
tuple_union_agg_integer: bin | bin i | bin 12 s | bin 12 'min'
tuple_intersection_agg_double: bin | bin s | bin 'min' | bin 'none'
tuple_intersection_agg_integer: bin | bin s | bin 'min'
bitmap_construct_agg: l
bitmap_or_agg: bin
bitmap_and_agg: bin
collect_union: ai | an | as_ | aa | ast | af
measure: i | st
vector_sum: af
vector_avg: af
"""

WINDOWS = """
counter_diff: i | e | i ts | l tn
"""


def _sorted_values(name: str) -> list[Expression]:
    """Calls with each kind of sort key, and with percentages of all sorts."""
    kinds = [each for each in (*TRIED, "ym") if is_orderable(COLUMNS[each])]
    keys = [f"{each}{ending}" for each in kinds for ending in ("", "_n")]
    tenth_and_ninth = call("array", 0.1, 0.9)
    places = [0, 1, 0.25, "0.5", 2, -0.5, None, col("d"), col("ad"), tenth_and_ninth, True]
    places += [
        call("array", 0.1, None),
        call("array", 0.1, 2.0),
        call("array"),
        [0.1, 0.9],
        [0.1, 2.0],
    ]
    made = [call(name, 0.25).within_group(key) for key in keys]
    made += [call(name, lit(place)).within_group("i") for place in places]
    made += [call(name, tenth_and_ninth).within_group(key) for key in ("ym", "ds_n", "e")]
    made += [call(name, 0.25, col("i")).within_group("d")]
    return [*made, call(name, 0.25).within_group(col("d").desc())]


_ARRAYS = (
    call("array", 0.1, 0.9),
    call("array", 1, 2),
    call("array", lit(1), None),
    call("array", lit(0.5), None),
    call("array", "1"),
    call("array", True),
    call("array", None),
    call("array"),
    col("ad"),
)

NAMED: dict[str, list[Expression]] = {
    "percentile_cont": _sorted_values("percentile_cont"),
    "percentile_disc": _sorted_values("percentile_disc"),
    **{
        name: [call(name, col(sketch), places) for sketch in ("bin", "bin_n") for places in _ARRAYS]
        for what in ("get_quantile", "get_rank")
        for kind in ("bigint", "float", "double")
        for name in (f"kll_sketch_{what}_{kind}",)
    },
    "theta_sketch_agg": [call("theta_sketch_agg", call("array", col(each))) for each in "ltfbs"],
    "tuple_sketch_agg_integer": [
        call("tuple_sketch_agg_integer", call("array", col(each)), col("i")) for each in TRIED
    ],
    "collect_union": [call("collect_union", call("array", col(each))) for each in ("m", "v", "aa")],
}
