-- Snapshot tpch/readable/q06 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  sum(l_extendedprice * l_discount) AS revenue
FROM spark_catalog.default.lineitem
WHERE l_shipdate >= DATE '1994-01-01'
  AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
  AND l_discount BETWEEN 0.05 AND 0.07
  AND l_quantity < 24
