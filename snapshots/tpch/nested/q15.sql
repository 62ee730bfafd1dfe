-- Snapshot tpch/nested/q15 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  s_suppkey,
  s_name,
  s_address,
  s_phone,
  total_revenue
FROM (
  SELECT
    s_suppkey,
    s_name,
    s_address,
    s_phone,
    total_revenue
  FROM (
    SELECT
      s_suppkey,
      s_name,
      s_address,
      s_nationkey,
      s_phone,
      s_acctbal,
      s_comment,
      supplier_no,
      total_revenue
    FROM (
      SELECT
        s_suppkey,
        s_name,
        s_address,
        s_nationkey,
        s_phone,
        s_acctbal,
        s_comment,
        supplier_no,
        total_revenue
      FROM spark_catalog.default.supplier
      JOIN (
        SELECT
          l_suppkey AS supplier_no,
          sum(l_extendedprice * (1 - l_discount)) AS total_revenue
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
            WHERE l_shipdate >= DATE '1996-01-01'
          ) AS lineitem_filtered_2
          WHERE l_shipdate < DATE '1996-01-01' + INTERVAL '3' MONTH
        ) AS lineitem_filtered
        GROUP BY l_suppkey
      ) AS revenue
        ON supplier.s_suppkey = revenue.supplier_no
    ) AS supplier_joined
    WHERE total_revenue = (
      SELECT
        max(total_revenue)
      FROM (
        SELECT
          l_suppkey AS supplier_no,
          sum(l_extendedprice * (1 - l_discount)) AS total_revenue
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
            WHERE l_shipdate >= DATE '1996-01-01'
          ) AS lineitem_filtered_2
          WHERE l_shipdate < DATE '1996-01-01' + INTERVAL '3' MONTH
        ) AS lineitem_filtered
        GROUP BY l_suppkey
      ) AS revenue
    )
  ) AS supplier_filtered
) AS supplier_rows
ORDER BY s_suppkey
