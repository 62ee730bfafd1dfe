-- Snapshot tpch/pipe/q03 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.customer
|> WHERE c_mktsegment = 'BUILDING'
|> JOIN (
  FROM spark_catalog.default.orders
  |> WHERE o_orderdate < DATE '1995-03-15'
) AS orders_filtered
  ON c_custkey = o_custkey
|> JOIN (
  FROM spark_catalog.default.lineitem
  |> WHERE l_shipdate > DATE '1995-03-15'
) AS lineitem_filtered
  ON l_orderkey = o_orderkey
|> AGGREGATE sum(l_extendedprice * (1 - l_discount)) AS revenue
  GROUP BY l_orderkey, o_orderdate, o_shippriority
|> SELECT l_orderkey, revenue, o_orderdate, o_shippriority
|> ORDER BY revenue DESC, o_orderdate
|> LIMIT 10
