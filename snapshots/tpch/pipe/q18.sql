-- Snapshot tpch/pipe/q18 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.customer
|> JOIN spark_catalog.default.orders ON c_custkey = o_custkey
|> LEFT SEMI JOIN (
  FROM spark_catalog.default.lineitem
  |> AGGREGATE sum(l_quantity) AS quantity GROUP BY l_orderkey
  |> WHERE quantity > 300
) AS large_orders
  ON o_orderkey = l_orderkey
|> JOIN spark_catalog.default.lineitem ON o_orderkey = l_orderkey
|> AGGREGATE sum(l_quantity) AS `sum(l_quantity)`
  GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
|> ORDER BY o_totalprice DESC, o_orderdate
|> LIMIT 100
