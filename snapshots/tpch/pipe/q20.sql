-- Snapshot tpch/pipe/q20 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.supplier
|> JOIN spark_catalog.default.nation ON s_nationkey = n_nationkey
|> WHERE n_name = 'CANADA'
|> WHERE s_suppkey IN (
  FROM spark_catalog.default.partsupp
  |> WHERE ps_partkey IN (
    FROM spark_catalog.default.part
    |> WHERE p_name LIKE 'forest%'
    |> SELECT p_partkey
  )
  |> WHERE ps_availqty > (
    FROM spark_catalog.default.lineitem
    |> WHERE l_shipdate >= DATE '1994-01-01'
    |> WHERE l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
    |> WHERE l_partkey = partsupp.ps_partkey AND l_suppkey = partsupp.ps_suppkey
    |> AGGREGATE 0.5 * sum(l_quantity)
  )
  |> SELECT ps_suppkey
)
|> SELECT s_name, s_address
|> ORDER BY s_name
