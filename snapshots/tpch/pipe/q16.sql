-- Snapshot tpch/pipe/q16 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.partsupp
|> JOIN spark_catalog.default.part ON p_partkey = ps_partkey
|> WHERE p_brand <> 'Brand#45'
|> WHERE p_type NOT LIKE 'MEDIUM POLISHED%'
|> WHERE p_size IN (49, 14, 23, 45, 19, 3, 36, 9)
|> WHERE ps_suppkey NOT IN (
  FROM spark_catalog.default.supplier
  |> WHERE s_comment LIKE '%Customer%Complaints%'
  |> SELECT s_suppkey
)
|> AGGREGATE count(DISTINCT ps_suppkey) AS supplier_cnt GROUP BY p_brand, p_type, p_size
|> ORDER BY supplier_cnt DESC, p_brand, p_type, p_size
