-- Snapshot tpch/nested/q01 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  l_returnflag,
  l_linestatus,
  sum_qty,
  sum_base_price,
  sum_disc_price,
  sum_charge,
  avg_qty,
  avg_price,
  avg_disc,
  count_order
FROM (
  SELECT
    l_returnflag,
    l_linestatus,
    sum(l_quantity) AS sum_qty,
    sum(l_extendedprice) AS sum_base_price,
    sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
    sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
    avg(l_quantity) AS avg_qty,
    avg(l_extendedprice) AS avg_price,
    avg(l_discount) AS avg_disc,
    count(*) AS count_order
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
    WHERE l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
  ) AS lineitem_filtered
  GROUP BY l_returnflag, l_linestatus
) AS lineitem_grouped
ORDER BY l_returnflag, l_linestatus
