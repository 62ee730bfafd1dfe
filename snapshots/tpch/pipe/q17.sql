-- Snapshot tpch/pipe/q17 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.lineitem
|> JOIN (
  FROM spark_catalog.default.part
  |> WHERE p_brand = 'Brand#23'
  |> WHERE p_container = 'MED BOX'
) AS part_filtered
  ON p_partkey = l_partkey
|> WHERE l_quantity < (
  FROM spark_catalog.default.lineitem AS lineitem_2
  |> WHERE l_partkey = part_filtered.p_partkey
  |> AGGREGATE 0.2 * avg(l_quantity)
)
|> AGGREGATE sum(l_extendedprice) / 7.0 AS avg_yearly
