-- Snapshot tpch/readable/q03 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  lineitem.l_orderkey,
  sum(lineitem.l_extendedprice * (1 - lineitem.l_discount)) AS revenue,
  orders.o_orderdate,
  orders.o_shippriority
FROM spark_catalog.default.customer
JOIN spark_catalog.default.orders ON customer.c_custkey = orders.o_custkey
JOIN spark_catalog.default.lineitem ON lineitem.l_orderkey = orders.o_orderkey
WHERE customer.c_mktsegment = 'BUILDING'
  AND orders.o_orderdate < DATE '1995-03-15'
  AND lineitem.l_shipdate > DATE '1995-03-15'
GROUP BY lineitem.l_orderkey, orders.o_orderdate, orders.o_shippriority
ORDER BY revenue DESC, orders.o_orderdate
LIMIT 10
