-- Snapshot tpch/readable/q17 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  sum(l_extendedprice) / 7.0 AS avg_yearly
FROM spark_catalog.default.lineitem
JOIN spark_catalog.default.part ON part.p_partkey = lineitem.l_partkey
WHERE p_brand = 'Brand#23'
  AND p_container = 'MED BOX'
  AND l_quantity < (
    SELECT
      0.2 * avg(l_quantity)
    FROM spark_catalog.default.lineitem AS lineitem_2
    WHERE l_partkey = part.p_partkey
  )
