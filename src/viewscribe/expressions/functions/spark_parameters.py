"""The parameters that Spark 4.3 lets a call of a built-in function name, with their defaults.

Spark lets no other built-in function be called with names.
"""

from __future__ import annotations

from typing import Any

Parameters = tuple[str | tuple[str, Any], ...]

_COLLECTION: Parameters = ("collection",)
_INPUT: Parameters = ("input",)
_SKETCH: Parameters = (("lgNomEntries", 12), ("mode", "sum"))
_VARIANT: Parameters = ("v", "path", "val", ("create_if_missing", True))

PARAMETERS: dict[str, Parameters] = {
    "count_min_sketch": ("column", "epsilon", "confidence", "seed"),
    "counter_diff": ("value", ("start_time", None)),
    **dict.fromkeys(("explode", "explode_outer", "posexplode", "posexplode_outer"), _COLLECTION),
    **dict.fromkeys(("inline", "inline_outer"), _INPUT),
    **dict.fromkeys(("variant_explode", "variant_explode_outer"), _INPUT),
    "mask": (
        *("str", ("upperChar", "X"), ("lowerChar", "x"), ("digitChar", "n")),
        ("otherChar", None),
    ),
    **dict.fromkeys(("variant_set", "try_variant_set"), _VARIANT),
    "variant_strip_nulls": ("v", ("include_arrays", True)),
    **dict.fromkeys(
        ("tuple_sketch_agg_double", "tuple_sketch_agg_integer"), ("key", "summary", *_SKETCH)
    ),
    **dict.fromkeys(("tuple_union_agg_double", "tuple_union_agg_integer"), ("child", *_SKETCH)),
    **dict.fromkeys(
        (
            *("tuple_union_double", "tuple_union_integer"),
            *("tuple_union_theta_double", "tuple_union_theta_integer"),
        ),
        ("first", "second", *_SKETCH),
    ),
}
"""The parameters of each function in their order; one with a default is a pair."""
