-- Snapshot tpch/nested/q13 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  c_count,
  custdist
FROM (
  SELECT
    c_count,
    count(*) AS custdist
  FROM (
    SELECT
      c_custkey,
      count(o_orderkey) AS c_count
    FROM (
      SELECT
        customer.c_custkey,
        customer.c_name,
        customer.c_address,
        customer.c_nationkey,
        customer.c_phone,
        customer.c_acctbal,
        customer.c_mktsegment,
        customer.c_comment,
        orders.o_orderkey,
        orders.o_custkey,
        orders.o_orderstatus,
        orders.o_totalprice,
        orders.o_orderdate,
        orders.o_orderpriority,
        orders.o_clerk,
        orders.o_shippriority,
        orders.o_comment
      FROM spark_catalog.default.customer
      LEFT JOIN spark_catalog.default.orders
        ON customer.c_custkey = orders.o_custkey
        AND orders.o_comment NOT LIKE '%special%requests%'
    ) AS customer_joined
    GROUP BY c_custkey
  ) AS customer_grouped_2
  GROUP BY c_count
) AS customer_grouped
ORDER BY custdist DESC, c_count DESC
