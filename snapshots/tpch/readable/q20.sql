-- Snapshot tpch/readable/q20 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  s_name,
  s_address
FROM spark_catalog.default.supplier
JOIN spark_catalog.default.nation ON supplier.s_nationkey = nation.n_nationkey
WHERE n_name = 'CANADA'
  AND s_suppkey IN (
    SELECT
      ps_suppkey
    FROM spark_catalog.default.partsupp
    WHERE ps_partkey IN (
        SELECT
          p_partkey
        FROM spark_catalog.default.part
        WHERE p_name LIKE 'forest%'
      )
      AND ps_availqty > (
        SELECT
          0.5 * sum(l_quantity)
        FROM spark_catalog.default.lineitem
        WHERE l_shipdate >= DATE '1994-01-01'
          AND l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
          AND l_partkey = partsupp.ps_partkey
          AND l_suppkey = partsupp.ps_suppkey
      )
  )
ORDER BY s_name
