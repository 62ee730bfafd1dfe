-- Snapshot tpch/readable/q18 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
WITH large_orders AS (
  SELECT
    l_orderkey,
    sum(l_quantity) AS quantity
  FROM spark_catalog.default.lineitem
  GROUP BY l_orderkey
  HAVING sum(l_quantity) > 300
)
SELECT
  c_name,
  c_custkey,
  o_orderkey,
  o_orderdate,
  o_totalprice,
  sum(l_quantity) AS `sum(l_quantity)`
FROM spark_catalog.default.customer
JOIN spark_catalog.default.orders ON customer.c_custkey = orders.o_custkey
LEFT SEMI JOIN large_orders ON orders.o_orderkey = large_orders.l_orderkey
JOIN spark_catalog.default.lineitem ON orders.o_orderkey = lineitem.l_orderkey
GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
ORDER BY o_totalprice DESC, o_orderdate
LIMIT 100
