"""Methods of DataFrames that a table has not, since it has no data, and what to write instead."""

from __future__ import annotations

_RUN = "run it in Spark: table.to_dataframe(spark)"
_NAME = 'env.create_temporary_view("name", table) gives it a name'

INSTEAD = {
    **{
        name: f"{_RUN}.{name}(…)"
        for name in ("show", "collect", "take", "head", "first", "tail", "foreach", "toPandas")
    },
    **{
        name: f"{_RUN}.{name}()"
        for name in ("cache", "persist", "toArrow", "isEmpty", "describe", "summary")
    },
    "display": f"a notebook shows the table as it is; for rows, {_RUN}",
    "count": f'a column with the number is table.agg(F.count("*")); to count, {_RUN}.count()',
    "rdd": f"{_RUN}.rdd",
    "write": f'env.create_view("name", table) stores the query; to store rows, {_RUN}.write',
    "printSchema": "print(table.schema) shows its columns",
    "dtypes": "table.schema has its columns and their types",
    "createTempView": _NAME,
    "createOrReplaceTempView": _NAME,
}
"""By name, what does the same."""
