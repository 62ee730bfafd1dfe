-- Snapshot tpch/pipe/q21 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.supplier
|> JOIN (
  FROM spark_catalog.default.lineitem
  |> WHERE l_receiptdate > l_commitdate
  |> SELECT l_orderkey, l_suppkey
) AS l1
  ON s_suppkey = l_suppkey
|> JOIN spark_catalog.default.orders ON o_orderkey = l_orderkey
|> JOIN spark_catalog.default.nation ON s_nationkey = n_nationkey
|> WHERE o_orderstatus = 'F'
|> WHERE n_name = 'SAUDI ARABIA'
|> WHERE EXISTS (
  FROM spark_catalog.default.lineitem AS l2
  |> WHERE l_orderkey = l1.l_orderkey AND l_suppkey <> l1.l_suppkey
)
|> WHERE NOT EXISTS (
  FROM spark_catalog.default.lineitem
  |> WHERE l_receiptdate > l_commitdate
  |> SELECT l_orderkey, l_suppkey
  |> AS l3
  |> WHERE l_orderkey = l1.l_orderkey AND l_suppkey <> l1.l_suppkey
)
|> AGGREGATE count(*) AS numwait GROUP BY s_name
|> ORDER BY numwait DESC, s_name
|> LIMIT 100
