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
        o_comment,
        l_orderkey,
        l_partkey,
        l_suppkey,
        l_linenumber,
        l_quantity,
        l_extendedprice,
        l_discount,
        l_tax,
        l_returnflag,
        l_linestatus,
        l_shipdate,
        l_commitdate,
        l_receiptdate,
        l_shipinstruct,
        l_shipmode,
        l_comment
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
