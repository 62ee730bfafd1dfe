-- Snapshot tpch/readable/q15 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
WITH revenue AS (
  SELECT
    l_suppkey AS supplier_no,
    sum(l_extendedprice * (1 - l_discount)) AS total_revenue
  FROM spark_catalog.default.lineitem
  WHERE l_shipdate >= DATE '1996-01-01'
    AND l_shipdate < DATE '1996-01-01' + INTERVAL '3' MONTH
  GROUP BY l_suppkey
)
SELECT
  s_suppkey,
  s_name,
  s_address,
  s_phone,
  total_revenue
FROM spark_catalog.default.supplier
JOIN revenue ON supplier.s_suppkey = revenue.supplier_no
WHERE total_revenue = (
  SELECT
    max(total_revenue)
  FROM revenue
)
ORDER BY s_suppkey
