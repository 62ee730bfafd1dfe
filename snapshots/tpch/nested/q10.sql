-- Snapshot tpch/nested/q10 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  c_custkey,
  c_name,
  revenue,
  c_acctbal,
  n_name,
  c_address,
  c_phone,
  c_comment
FROM (
  SELECT
    c_custkey,
    c_name,
    revenue,
    c_acctbal,
    n_name,
    c_address,
    c_phone,
    c_comment
  FROM (
    SELECT
      c_custkey,
      c_name,
      revenue,
      c_acctbal,
      n_name,
      c_address,
      c_phone,
      c_comment
    FROM (
      SELECT
        c_custkey,
        c_name,
        c_acctbal,
        c_phone,
        n_name,
        c_address,
        c_comment,
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
          l_comment,
          n_nationkey,
          n_name,
          n_regionkey,
          n_comment
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
            FROM spark_catalog.default.customer
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
                WHERE o_orderdate >= DATE '1993-10-01'
              ) AS orders_filtered_2
              WHERE o_orderdate < DATE '1993-10-01' + INTERVAL '3' MONTH
            ) AS orders_filtered
              ON customer.c_custkey = orders_filtered.o_custkey
          ) AS customer_joined_3
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
            WHERE l_returnflag = 'R'
          ) AS lineitem_filtered
            ON lineitem_filtered.l_orderkey = customer_joined_3.o_orderkey
        ) AS customer_joined_2
        JOIN spark_catalog.default.nation
          ON customer_joined_2.c_nationkey = nation.n_nationkey
      ) AS customer_joined
      GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment
    ) AS customer_grouped
  ) AS customer_rows
  ORDER BY revenue DESC
) AS customer_rows_sorted
LIMIT 20
