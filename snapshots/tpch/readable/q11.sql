-- Snapshot tpch/readable/q11 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
WITH german_stock AS (
  SELECT
    ps_partkey,
    ps_supplycost * ps_availqty AS cost
  FROM spark_catalog.default.partsupp
  JOIN spark_catalog.default.supplier ON partsupp.ps_suppkey = supplier.s_suppkey
  JOIN spark_catalog.default.nation ON supplier.s_nationkey = nation.n_nationkey
  WHERE n_name = 'GERMANY'
)
SELECT
  ps_partkey,
  sum(cost) AS value
FROM german_stock
GROUP BY ps_partkey
HAVING sum(cost) > (
  SELECT
    sum(cost) * 0.0100000000
  FROM german_stock
)
ORDER BY value DESC
