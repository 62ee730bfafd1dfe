-- Snapshot tpch/readable/q12 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  l_shipmode,
  sum(
    CASE WHEN o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END
  ) AS high_line_count,
  sum(
    CASE WHEN o_orderpriority NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END
  ) AS low_line_count
FROM spark_catalog.default.orders
JOIN spark_catalog.default.lineitem ON orders.o_orderkey = lineitem.l_orderkey
WHERE l_shipmode IN ('MAIL', 'SHIP')
  AND l_commitdate < l_receiptdate
  AND l_shipdate < l_commitdate
  AND l_receiptdate >= DATE '1994-01-01'
  AND l_receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY l_shipmode
ORDER BY l_shipmode
