-- Snapshot tpch/nested/q04 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  o_orderpriority,
  order_count
FROM (
  SELECT
    o_orderpriority,
    count(*) AS order_count
  FROM (
    SELECT
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
          o_orderkey,
          o_custkey,
          o_orderstatus,
          o_totalprice,
          o_orderdate,
          o_orderpriority,
          o_clerk,
          o_shippriority,
          o_comment
        FROM spark_catalog.default.orders
        WHERE o_orderdate >= DATE '1993-07-01'
      ) AS orders_filtered_3
      WHERE o_orderdate < DATE '1993-07-01' + INTERVAL '3' MONTH
    ) AS orders_filtered_2
    WHERE EXISTS (
      SELECT
        1
      FROM (
        SELECT
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
        FROM spark_catalog.default.lineitem
        WHERE l_commitdate < l_receiptdate
      ) AS lineitem_filtered
      WHERE l_orderkey = orders_filtered_2.o_orderkey
    )
  ) AS orders_filtered
  GROUP BY o_orderpriority
) AS orders_grouped
ORDER BY o_orderpriority
