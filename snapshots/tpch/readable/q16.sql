-- Snapshot tpch/readable/q16 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  part.p_brand,
  part.p_type,
  part.p_size,
  count(DISTINCT partsupp.ps_suppkey) AS supplier_cnt
FROM spark_catalog.default.partsupp
JOIN spark_catalog.default.part ON part.p_partkey = partsupp.ps_partkey
WHERE part.p_brand <> 'Brand#45'
  AND part.p_type NOT LIKE 'MEDIUM POLISHED%'
  AND part.p_size IN (49, 14, 23, 45, 19, 3, 36, 9)
  AND partsupp.ps_suppkey NOT IN (
    SELECT
      s_suppkey
    FROM spark_catalog.default.supplier
    WHERE s_comment LIKE '%Customer%Complaints%'
  )
GROUP BY part.p_brand, part.p_type, part.p_size
ORDER BY supplier_cnt DESC, part.p_brand, part.p_type, part.p_size
