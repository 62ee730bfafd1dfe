-- Snapshot tpch/readable/q10 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  c_custkey,
  c_name,
  sum(l_extendedprice * (1 - l_discount)) AS revenue,
  c_acctbal,
  n_name,
  c_address,
  c_phone,
  c_comment
FROM spark_catalog.default.customer
JOIN spark_catalog.default.orders ON customer.c_custkey = orders.o_custkey
JOIN spark_catalog.default.lineitem ON lineitem.l_orderkey = orders.o_orderkey
JOIN spark_catalog.default.nation ON customer.c_nationkey = nation.n_nationkey
WHERE o_orderdate >= DATE '1993-10-01'
  AND o_orderdate < DATE '1993-10-01' + INTERVAL '3' MONTH
  AND l_returnflag = 'R'
GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment
ORDER BY revenue DESC
LIMIT 20
