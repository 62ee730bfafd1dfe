-- Snapshot tpch/pipe/q07 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.supplier
|> JOIN (
  FROM spark_catalog.default.lineitem
  |> WHERE l_shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
) AS lineitem_filtered
  ON s_suppkey = l_suppkey
|> JOIN spark_catalog.default.orders ON o_orderkey = l_orderkey
|> JOIN spark_catalog.default.customer ON c_custkey = o_custkey
|> JOIN spark_catalog.default.nation AS n1 ON s_nationkey = n_nationkey
|> JOIN spark_catalog.default.nation AS n2 ON c_nationkey = n2.n_nationkey
|> WHERE n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY'
  OR n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE'
|> SELECT
  n1.n_name AS supp_nation,
  n2.n_name AS cust_nation,
  year(l_shipdate) AS l_year,
  l_extendedprice * (1 - l_discount) AS volume
|> AGGREGATE sum(volume) AS revenue GROUP BY supp_nation, cust_nation, l_year
|> ORDER BY supp_nation, cust_nation, l_year
