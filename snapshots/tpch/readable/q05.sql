-- Snapshot tpch/readable/q05 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  n_name,
  sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM spark_catalog.default.customer
JOIN spark_catalog.default.orders ON customer.c_custkey = orders.o_custkey
JOIN spark_catalog.default.lineitem ON lineitem.l_orderkey = orders.o_orderkey
JOIN spark_catalog.default.supplier
  ON lineitem.l_suppkey = supplier.s_suppkey
  AND customer.c_nationkey = supplier.s_nationkey
JOIN spark_catalog.default.nation ON supplier.s_nationkey = nation.n_nationkey
JOIN spark_catalog.default.region ON nation.n_regionkey = region.r_regionkey
WHERE r_name = 'ASIA'
  AND o_orderdate >= DATE '1994-01-01'
  AND o_orderdate < DATE '1994-01-01' + INTERVAL '1' YEAR
GROUP BY n_name
ORDER BY revenue DESC
