-- Snapshot tpch/readable/q09 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
WITH profit AS (
  SELECT
    n_name AS nation,
    year(o_orderdate) AS o_year,
    l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS amount
  FROM spark_catalog.default.part
  JOIN spark_catalog.default.lineitem ON part.p_partkey = lineitem.l_partkey
  JOIN spark_catalog.default.supplier ON supplier.s_suppkey = lineitem.l_suppkey
  JOIN spark_catalog.default.partsupp
    ON partsupp.ps_suppkey = lineitem.l_suppkey
    AND partsupp.ps_partkey = lineitem.l_partkey
  JOIN spark_catalog.default.orders ON orders.o_orderkey = lineitem.l_orderkey
  JOIN spark_catalog.default.nation ON supplier.s_nationkey = nation.n_nationkey
  WHERE p_name LIKE '%green%'
)
SELECT
  nation,
  o_year,
  sum(amount) AS sum_profit
FROM profit
GROUP BY nation, o_year
ORDER BY nation, o_year DESC
