-- Snapshot tpch/pipe/q09 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.part
|> WHERE p_name LIKE '%green%'
|> JOIN spark_catalog.default.lineitem ON p_partkey = l_partkey
|> JOIN spark_catalog.default.supplier ON s_suppkey = l_suppkey
|> JOIN spark_catalog.default.partsupp
  ON ps_suppkey = l_suppkey
  AND ps_partkey = l_partkey
|> JOIN spark_catalog.default.orders ON o_orderkey = l_orderkey
|> JOIN spark_catalog.default.nation ON s_nationkey = n_nationkey
|> SELECT
  n_name AS nation,
  year(o_orderdate) AS o_year,
  l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS amount
|> AS profit
|> AGGREGATE sum(amount) AS sum_profit GROUP BY nation, o_year
|> ORDER BY nation, o_year DESC
