-- Snapshot tpch/pipe/q04 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.orders
|> WHERE o_orderdate >= DATE '1993-07-01'
|> WHERE o_orderdate < DATE '1993-07-01' + INTERVAL '3' MONTH
|> WHERE EXISTS (
  FROM spark_catalog.default.lineitem
  |> WHERE l_commitdate < l_receiptdate
  |> WHERE l_orderkey = orders.o_orderkey
)
|> AGGREGATE count(*) AS order_count GROUP BY o_orderpriority
|> ORDER BY o_orderpriority
