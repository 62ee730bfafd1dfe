"""What a capture makes of each relation and expression of Spark Connect's protobuf."""

from __future__ import annotations

_CODE = "what the function does is Python code, which SQL text cannot hold"
_REGISTER = "store a table of what it gives and start from that table"

REFUSED_RELATIONS: dict[str, tuple[str, str | None]] = {
    "map_partitions": (_CODE, _REGISTER),
    "group_map": (_CODE, _REGISTER),
    "co_group_map": (_CODE, _REGISTER),
    "apply_in_pandas_with_state": (_CODE, _REGISTER),
    "common_inline_user_defined_table_function": (_CODE, "register the function in the catalog"),
    "common_inline_user_defined_data_source": (_CODE, _REGISTER),
    "cached_remote_relation": (
        "a checkpoint exists in its session only",
        "save it as a table, or capture the DataFrame before the checkpoint",
    ),
    "tail": ("SQL has no last rows", "sort the other way round and use limit()"),
    "with_watermark": ("a watermark belongs to streams", "leave it out"),
}
"""Why, and the way out."""

REFUSED_EXPRESSIONS: dict[str, tuple[str, str | None]] = {
    "common_inline_user_defined_function": (_CODE, "register the function in the catalog"),
    "merge_action": ("it belongs to MERGE INTO, which is no query", None),
    "typed_aggregate_expression": (_CODE, None),
    "extension": ("it is of a plugin of the server", None),
    "direct_shuffle_partition_id": (
        "SQL has no partitioning by partition number",
        "use repartition(n, column)",
    ),
}
"""Why, and the way out."""
