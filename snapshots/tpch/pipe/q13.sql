-- Snapshot tpch/pipe/q13 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.customer
|> LEFT JOIN spark_catalog.default.orders
  ON c_custkey = o_custkey
  AND o_comment NOT LIKE '%special%requests%'
|> AGGREGATE count(o_orderkey) AS c_count GROUP BY c_custkey
|> AGGREGATE count(*) AS custdist GROUP BY c_count
|> ORDER BY custdist DESC, c_count DESC
