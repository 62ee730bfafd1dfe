"""What is not captured over Connect: why, and the way out."""

from __future__ import annotations

Refused = dict[str, tuple[str, str | None]]

_CODE = "what it does is Python code, which SQL text cannot hold"
_STORE = (
    "write the step with DataFrame methods, or store what it gives as a table, "
    "df.write.saveAsTable(…), and start from spark.table(…)"
)

REFUSED_RELATIONS: Refused = {
    "map_partitions": (
        "mapInPandas and mapInArrow run Python code, which SQL text cannot hold", _STORE),
    "group_map": (
        "applyInPandas and applyInArrow run Python code, which SQL text cannot hold", _STORE),
    "co_group_map": ("cogroup runs Python code, which SQL text cannot hold", _STORE),
    "apply_in_pandas_with_state": ("it keeps the state of a stream", _STORE),
    "common_inline_user_defined_table_function": (
        _CODE, "say it in SQL: CREATE FUNCTION … RETURNS TABLE(…) RETURN SELECT …"),
    "common_inline_user_defined_data_source": (_CODE, _STORE),
    "cached_local_relation": (
        "the rows are in the server's cache, too many to be written into a view",
        "save them as a table: df.write.saveAsTable(…)",
    ),
    "chunked_cached_local_relation": (
        "the rows are in the server's cache, too many to be written into a view",
        "save them as a table: df.write.saveAsTable(…)",
    ),
    "cached_remote_relation": (
        "a checkpoint exists in its session only",
        "save it as a table, or capture the DataFrame before the checkpoint",
    ),
    "tail": ("SQL has no last rows", "sort the other way round and use limit()"),
    "parse": ("of CSV or JSON text any number of rows is read, an array of JSON as several",
              "use from_csv() or from_json(), which make one value of each text"),
    "transpose": ("the columns of a transposed table follow from the rows of the moment",
                  "use pivot() with values"),
    "relation_changes": ("changes of a table are no table", "read the table"),
    "crosstab": ("its columns follow from the rows of the moment", "use pivot() with values"),
    "freq_items": ("SQL has no function for its sketch of frequent items", "use approx_top_k()"),
    "extension": ("it is of a plugin of the server", None),
    "ml_relation": ("a model is no part of SQL", _STORE),
}  # fmt: skip
"""Relations that users can make and no view can say."""

UNREACHABLE_RELATIONS = {
    "show_string": "it is made by show(), not by a DataFrame",
    "html_string": "it is made by a notebook's display",
    "cov": "df.cov() gives a number",
    "corr": "df.corr() gives a number",
    "approx_quantile": "df.approxQuantile() gives numbers",
    "catalog": "the methods of spark.catalog give lists",
    "unknown": "no client makes it",
}
"""Relations that no DataFrame holds."""

REFUSED_EXPRESSIONS: Refused = {
    "named_argument_expression": (
        "an argument given by name, as PySpark gives them to Python functions alone",
        "call a function of the catalog, F.call_function(…), with arguments by position",
    ),
    "direct_shuffle_partition_id": (
        "SQL has no partitioning by partition number",
        "use repartition(n, column)",
    ),
    "extension": ("it is of a plugin of the server", None),
}
"""Expressions that users can make and no view can say."""

UNREACHABLE_EXPRESSIONS = {
    "merge_action": "it belongs to MERGE INTO, which is no query",
    "typed_aggregate_expression": "it is made by Scala's Datasets",
}
"""Expressions that no DataFrame of Python holds."""

REFUSED_LITERALS: Refused = {
    "calendar_interval": ("a CALENDAR INTERVAL has no literal in SQL", "use make_interval()"),
    "timestamp_ntz_nanos": ("viewscribe has no type of nanoseconds", "use microseconds"),
    "timestamp_ltz_nanos": ("viewscribe has no type of nanoseconds", "use microseconds"),
}
"""Kinds of literals."""
