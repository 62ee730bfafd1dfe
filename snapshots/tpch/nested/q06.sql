-- Snapshot tpch/nested/q06 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  sum(l_extendedprice * l_discount) AS revenue
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
        WHERE l_shipdate >= DATE '1994-01-01'
      ) AS lineitem_filtered_4
      WHERE l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
    ) AS lineitem_filtered_3
    WHERE l_discount BETWEEN 0.05 AND 0.07
  ) AS lineitem_filtered_2
  WHERE l_quantity < 24
) AS lineitem_filtered
