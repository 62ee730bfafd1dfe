-- Snapshot tpch/readable/q08 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
WITH all_nations AS (
  SELECT
    year(o_orderdate) AS o_year,
    l_extendedprice * (1 - l_discount) AS volume,
    n2.n_name AS nation
  FROM spark_catalog.default.part
  JOIN spark_catalog.default.lineitem ON part.p_partkey = lineitem.l_partkey
  JOIN spark_catalog.default.supplier ON supplier.s_suppkey = lineitem.l_suppkey
  JOIN spark_catalog.default.orders ON lineitem.l_orderkey = orders.o_orderkey
  JOIN spark_catalog.default.customer ON orders.o_custkey = customer.c_custkey
  JOIN spark_catalog.default.nation AS n1 ON customer.c_nationkey = n1.n_nationkey
  JOIN spark_catalog.default.region ON n1.n_regionkey = region.r_regionkey
  JOIN spark_catalog.default.nation AS n2 ON supplier.s_nationkey = n2.n_nationkey
  WHERE p_type = 'ECONOMY ANODIZED STEEL'
    AND o_orderdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
    AND r_name = 'AMERICA'
)
SELECT
  o_year,
  sum(CASE WHEN nation = 'BRAZIL' THEN volume ELSE 0 END) / sum(volume) AS mkt_share
FROM all_nations
GROUP BY o_year
ORDER BY o_year
