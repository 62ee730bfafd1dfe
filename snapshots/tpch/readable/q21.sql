-- Snapshot tpch/readable/q21 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
WITH late_lines AS (
  SELECT
    l_orderkey,
    l_suppkey
  FROM spark_catalog.default.lineitem
  WHERE l_receiptdate > l_commitdate
)
SELECT
  s_name,
  count(*) AS numwait
FROM spark_catalog.default.supplier
JOIN late_lines AS l1 ON supplier.s_suppkey = l1.l_suppkey
JOIN spark_catalog.default.orders ON orders.o_orderkey = l1.l_orderkey
JOIN spark_catalog.default.nation ON supplier.s_nationkey = nation.n_nationkey
WHERE o_orderstatus = 'F'
  AND n_name = 'SAUDI ARABIA'
  AND EXISTS (
    SELECT
      1
    FROM spark_catalog.default.lineitem AS l2
    WHERE l_orderkey = l1.l_orderkey
      AND l_suppkey <> l1.l_suppkey
  )
  AND NOT EXISTS (
    SELECT
      1
    FROM late_lines AS l3
    WHERE l_orderkey = l1.l_orderkey
      AND l_suppkey <> l1.l_suppkey
  )
GROUP BY s_name
ORDER BY numwait DESC, s_name
LIMIT 100
