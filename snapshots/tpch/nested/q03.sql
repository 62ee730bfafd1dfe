-- Snapshot tpch/nested/q03 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  l_orderkey,
  revenue,
  o_orderdate,
  o_shippriority
FROM (
  SELECT
    l_orderkey,
    revenue,
    o_orderdate,
    o_shippriority
  FROM (
    SELECT
      l_orderkey,
      revenue,
      o_orderdate,
      o_shippriority
    FROM (
      SELECT
        l_orderkey,
        o_orderdate,
        o_shippriority,
        sum(l_extendedprice * (1 - l_discount)) AS revenue
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
              c_comment
            FROM spark_catalog.default.customer
            WHERE c_mktsegment = 'BUILDING'
          ) AS customer_filtered
          JOIN (
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
            WHERE o_orderdate < DATE '1995-03-15'
          ) AS orders_filtered
            ON customer_filtered.c_custkey = orders_filtered.o_custkey
        ) AS customer_joined_2
        JOIN (
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
          WHERE l_shipdate > DATE '1995-03-15'
        ) AS lineitem_filtered
          ON lineitem_filtered.l_orderkey = customer_joined_2.o_orderkey
      ) AS customer_joined
      GROUP BY l_orderkey, o_orderdate, o_shippriority
    ) AS customer_grouped
  ) AS customer_rows
  ORDER BY revenue DESC, o_orderdate
) AS customer_rows_sorted
LIMIT 10
