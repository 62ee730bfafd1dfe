-- Snapshot tpch/readable/q13 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  c_count,
  count(*) AS custdist
FROM (
  SELECT
    c_custkey,
    count(o_orderkey) AS c_count
  FROM spark_catalog.default.customer
  LEFT JOIN spark_catalog.default.orders
    ON customer.c_custkey = orders.o_custkey
    AND orders.o_comment NOT LIKE '%special%requests%'
  GROUP BY c_custkey
) AS customer_grouped
GROUP BY c_count
ORDER BY custdist DESC, c_count DESC
