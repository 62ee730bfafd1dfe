-- Snapshot tpch/readable/q04 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  o_orderpriority,
  count(*) AS order_count
FROM spark_catalog.default.orders
WHERE o_orderdate >= DATE '1993-07-01'
  AND o_orderdate < DATE '1993-07-01' + INTERVAL '3' MONTH
  AND EXISTS (
    SELECT
      1
    FROM spark_catalog.default.lineitem
    WHERE l_commitdate < l_receiptdate
      AND l_orderkey = orders.o_orderkey
  )
GROUP BY o_orderpriority
ORDER BY o_orderpriority
