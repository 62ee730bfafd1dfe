-- Snapshot tpch/nested/q18 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  c_name,
  c_custkey,
  o_orderkey,
  o_orderdate,
  o_totalprice,
  `sum(l_quantity)`
FROM (
  SELECT
    c_name,
    c_custkey,
    o_orderkey,
    o_orderdate,
    o_totalprice,
    `sum(l_quantity)`
  FROM (
    SELECT
      c_name,
      c_custkey,
      o_orderkey,
      o_orderdate,
      o_totalprice,
      sum(l_quantity) AS `sum(l_quantity)`
    FROM (
      SELECT
        customer_joined_2.c_custkey,
        customer_joined_2.c_name,
        customer_joined_2.c_address,
        customer_joined_2.c_nationkey,
        customer_joined_2.c_phone,
        customer_joined_2.c_acctbal,
        customer_joined_2.c_mktsegment,
        customer_joined_2.c_comment,
        customer_joined_2.o_orderkey,
        customer_joined_2.o_custkey,
        customer_joined_2.o_orderstatus,
        customer_joined_2.o_totalprice,
        customer_joined_2.o_orderdate,
        customer_joined_2.o_orderpriority,
        customer_joined_2.o_clerk,
        customer_joined_2.o_shippriority,
        customer_joined_2.o_comment,
        lineitem.l_orderkey,
        lineitem.l_partkey,
        lineitem.l_suppkey,
        lineitem.l_linenumber,
        lineitem.l_quantity,
        lineitem.l_extendedprice,
        lineitem.l_discount,
        lineitem.l_tax,
        lineitem.l_returnflag,
        lineitem.l_linestatus,
        lineitem.l_shipdate,
        lineitem.l_commitdate,
        lineitem.l_receiptdate,
        lineitem.l_shipinstruct,
        lineitem.l_shipmode,
        lineitem.l_comment
      FROM (
        SELECT
          customer_joined_3.c_custkey,
          customer_joined_3.c_name,
          customer_joined_3.c_address,
          customer_joined_3.c_nationkey,
          customer_joined_3.c_phone,
          customer_joined_3.c_acctbal,
          customer_joined_3.c_mktsegment,
          customer_joined_3.c_comment,
          customer_joined_3.o_orderkey,
          customer_joined_3.o_custkey,
          customer_joined_3.o_orderstatus,
          customer_joined_3.o_totalprice,
          customer_joined_3.o_orderdate,
          customer_joined_3.o_orderpriority,
          customer_joined_3.o_clerk,
          customer_joined_3.o_shippriority,
          customer_joined_3.o_comment
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
          JOIN spark_catalog.default.orders ON customer.c_custkey = orders.o_custkey
        ) AS customer_joined_3
        LEFT SEMI JOIN (
          SELECT
            l_orderkey,
            quantity
          FROM (
            SELECT
              l_orderkey,
              sum(l_quantity) AS quantity
            FROM spark_catalog.default.lineitem AS lineitem_2
            GROUP BY l_orderkey
          ) AS lineitem_grouped
          WHERE quantity > 300
        ) AS large_orders
          ON customer_joined_3.o_orderkey = large_orders.l_orderkey
      ) AS customer_joined_2
      JOIN spark_catalog.default.lineitem
        ON customer_joined_2.o_orderkey = lineitem.l_orderkey
    ) AS customer_joined
    GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
  ) AS customer_grouped
  ORDER BY o_totalprice DESC, o_orderdate
) AS customer_sorted
LIMIT 100
