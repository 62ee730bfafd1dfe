-- Snapshot tpch/readable/q14 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  100.00
    * sum(
      CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END
    )
    / sum(l_extendedprice * (1 - l_discount)) AS promo_revenue
FROM spark_catalog.default.lineitem
JOIN spark_catalog.default.part ON lineitem.l_partkey = part.p_partkey
WHERE l_shipdate >= DATE '1995-09-01'
  AND l_shipdate < DATE '1995-09-01' + INTERVAL '1' MONTH
