-- Snapshot tpch/readable/q07 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  n1.n_name AS supp_nation,
  n2.n_name AS cust_nation,
  year(l_shipdate) AS l_year,
  sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM spark_catalog.default.supplier
JOIN spark_catalog.default.lineitem ON supplier.s_suppkey = lineitem.l_suppkey
JOIN spark_catalog.default.orders ON orders.o_orderkey = lineitem.l_orderkey
JOIN spark_catalog.default.customer ON customer.c_custkey = orders.o_custkey
JOIN spark_catalog.default.nation AS n1 ON supplier.s_nationkey = n1.n_nationkey
JOIN spark_catalog.default.nation AS n2 ON customer.c_nationkey = n2.n_nationkey
WHERE l_shipdate BETWEEN DATE '1995-01-01' AND DATE '1996-12-31'
  AND (
    n1.n_name = 'FRANCE' AND n2.n_name = 'GERMANY'
    OR n1.n_name = 'GERMANY' AND n2.n_name = 'FRANCE'
  )
GROUP BY n1.n_name, n2.n_name, year(l_shipdate)
ORDER BY supp_nation, cust_nation, l_year
