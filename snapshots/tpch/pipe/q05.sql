-- Snapshot tpch/pipe/q05 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.customer
|> JOIN spark_catalog.default.orders ON c_custkey = o_custkey
|> JOIN spark_catalog.default.lineitem ON l_orderkey = o_orderkey
|> JOIN spark_catalog.default.supplier
  ON l_suppkey = s_suppkey
  AND c_nationkey = s_nationkey
|> JOIN spark_catalog.default.nation ON s_nationkey = n_nationkey
|> JOIN spark_catalog.default.region ON n_regionkey = r_regionkey
|> WHERE r_name = 'ASIA'
|> WHERE o_orderdate >= DATE '1994-01-01'
|> WHERE o_orderdate < DATE '1994-01-01' + INTERVAL '1' YEAR
|> AGGREGATE sum(l_extendedprice * (1 - l_discount)) AS revenue GROUP BY n_name
|> ORDER BY revenue DESC
