-- Snapshot tpch/pipe/q08 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.part
|> WHERE p_type = 'ECONOMY ANODIZED STEEL'
|> JOIN spark_catalog.default.lineitem ON p_partkey = l_partkey
|> JOIN spark_catalog.default.supplier ON s_suppkey = l_suppkey
|> JOIN (
  FROM spark_catalog.default.orders
  |> WHERE o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
) AS orders_filtered
  ON l_orderkey = o_orderkey
|> JOIN spark_catalog.default.customer ON o_custkey = c_custkey
|> JOIN spark_catalog.default.nation AS n1 ON c_nationkey = n_nationkey
|> JOIN spark_catalog.default.region ON n_regionkey = r_regionkey
|> JOIN spark_catalog.default.nation AS n2 ON s_nationkey = n2.n_nationkey
|> WHERE r_name = 'AMERICA'
|> SELECT
  year(o_orderdate) AS o_year,
  l_extendedprice * (1 - l_discount) AS volume,
  n2.n_name AS nation
|> AS all_nations
|> AGGREGATE
    sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / sum(volume) AS mkt_share
  GROUP BY o_year
|> ORDER BY o_year
