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
          customer_joined_2.l_orderkey,
          customer_joined_2.l_partkey,
          customer_joined_2.l_suppkey,
          customer_joined_2.l_linenumber,
          customer_joined_2.l_quantity,
          customer_joined_2.l_extendedprice,
          customer_joined_2.l_discount,
          customer_joined_2.l_tax,
          customer_joined_2.l_returnflag,
          customer_joined_2.l_linestatus,
          customer_joined_2.l_shipdate,
          customer_joined_2.l_commitdate,
          customer_joined_2.l_receiptdate,
          customer_joined_2.l_shipinstruct,
          customer_joined_2.l_shipmode,
          customer_joined_2.l_comment,
          nation.n_nationkey,
          nation.n_name,
          nation.n_regionkey,
          nation.n_comment
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
            customer_joined_3.o_comment,
            lineitem_filtered.l_orderkey,
            lineitem_filtered.l_partkey,
            lineitem_filtered.l_suppkey,
            lineitem_filtered.l_linenumber,
            lineitem_filtered.l_quantity,
            lineitem_filtered.l_extendedprice,
            lineitem_filtered.l_discount,
            lineitem_filtered.l_tax,
            lineitem_filtered.l_returnflag,
            lineitem_filtered.l_linestatus,
            lineitem_filtered.l_shipdate,
            lineitem_filtered.l_commitdate,
            lineitem_filtered.l_receiptdate,
            lineitem_filtered.l_shipinstruct,
            lineitem_filtered.l_shipmode,
            lineitem_filtered.l_comment
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
              orders_filtered.o_orderkey,
              orders_filtered.o_custkey,
              orders_filtered.o_orderstatus,
              orders_filtered.o_totalprice,
              orders_filtered.o_orderdate,
              orders_filtered.o_orderpriority,
              orders_filtered.o_clerk,
              orders_filtered.o_shippriority,
              orders_filtered.o_comment
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
