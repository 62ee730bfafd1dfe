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
        c_custkey,
        c_name,
        c_address,
        c_nationkey,
        c_phone,
        c_acctbal,
        c_mktsegment,
        c_comment,
        o_orderkey,
        o_custkey,
        o_orderstatus,
        o_totalprice,
        o_orderdate,
        o_orderpriority,
        o_clerk,
        o_shippriority,
        o_comment
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
