-- Snapshot tpch/pipe/q11 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.partsupp
|> JOIN spark_catalog.default.supplier ON ps_suppkey = s_suppkey
|> JOIN spark_catalog.default.nation ON s_nationkey = n_nationkey
|> WHERE n_name = 'GERMANY'
|> SELECT ps_partkey, ps_supplycost * ps_availqty AS cost
|> AS german_stock
|> AGGREGATE sum(cost) AS value GROUP BY ps_partkey
|> WHERE value > (
  FROM spark_catalog.default.partsupp
  |> JOIN spark_catalog.default.supplier ON ps_suppkey = s_suppkey
  |> JOIN spark_catalog.default.nation ON s_nationkey = n_nationkey
  |> WHERE n_name = 'GERMANY'
  |> SELECT ps_partkey, ps_supplycost * ps_availqty AS cost
  |> AS german_stock
  |> AGGREGATE sum(cost) * 0.0100000000
)
|> ORDER BY value DESC
