-- Snapshot tpch/readable/q10 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  customer.c_custkey,
  customer.c_name,
  sum(lineitem.l_extendedprice * (1 - lineitem.l_discount)) AS revenue,
  customer.c_acctbal,
  nation.n_name,
  customer.c_address,
  customer.c_phone,
  customer.c_comment
FROM spark_catalog.default.customer
JOIN spark_catalog.default.orders ON customer.c_custkey = orders.o_custkey
JOIN spark_catalog.default.lineitem ON lineitem.l_orderkey = orders.o_orderkey
JOIN spark_catalog.default.nation ON customer.c_nationkey = nation.n_nationkey
WHERE orders.o_orderdate >= DATE '1993-10-01'
  AND orders.o_orderdate < DATE '1993-10-01' + INTERVAL '3' MONTH
  AND lineitem.l_returnflag = 'R'
GROUP BY
  customer.c_custkey,
  customer.c_name,
  customer.c_acctbal,
  customer.c_phone,
  nation.n_name,
  customer.c_address,
  customer.c_comment
ORDER BY revenue DESC
LIMIT 20
