-- Snapshot tpch/nested/q12 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  l_shipmode,
  high_line_count,
  low_line_count
FROM (
  SELECT
    l_shipmode,
    sum(
      CASE WHEN o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END
    ) AS high_line_count,
    sum(
      CASE WHEN o_orderpriority NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END
    ) AS low_line_count
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
    FROM spark_catalog.default.orders
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
              WHERE l_shipmode IN ('MAIL', 'SHIP')
            ) AS lineitem_filtered_5
            WHERE l_commitdate < l_receiptdate
          ) AS lineitem_filtered_4
          WHERE l_shipdate < l_commitdate
        ) AS lineitem_filtered_3
        WHERE l_receiptdate >= DATE '1994-01-01'
      ) AS lineitem_filtered_2
      WHERE l_receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR
    ) AS lineitem_filtered
      ON orders.o_orderkey = lineitem_filtered.l_orderkey
  ) AS orders_joined
  GROUP BY l_shipmode
) AS orders_grouped
ORDER BY l_shipmode
