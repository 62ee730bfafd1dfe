-- Snapshot tpch/pipe/q10 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.customer
|> JOIN (
  FROM spark_catalog.default.orders
  |> WHERE o_orderdate >= DATE '1993-10-01'
  |> WHERE o_orderdate < DATE '1993-10-01' + INTERVAL '3' MONTH
) AS orders_filtered
  ON c_custkey = o_custkey
|> JOIN (
  FROM spark_catalog.default.lineitem
  |> WHERE l_returnflag = 'R'
) AS lineitem_filtered
  ON l_orderkey = o_orderkey
|> JOIN spark_catalog.default.nation ON c_nationkey = n_nationkey
|> AGGREGATE sum(l_extendedprice * (1 - l_discount)) AS revenue
  GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment
|> SELECT c_custkey, c_name, revenue, c_acctbal, n_name, c_address, c_phone, c_comment
|> ORDER BY revenue DESC
|> LIMIT 20
