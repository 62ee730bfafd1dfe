-- Snapshot tpch/nested/q14 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  100.00
    * `sum(case(like(p_type, 'PROMO%'), times(l_extendedprice, minus(1, l_discount)), 0))`
    / `sum(l_extendedprice * (1 - l_discount))` AS promo_revenue
FROM (
  SELECT
    sum(
      CASE WHEN p_type LIKE 'PROMO%' THEN l_extendedprice * (1 - l_discount) ELSE 0 END
    ) AS `sum(case(like(p_type, 'PROMO%'), times(l_extendedprice, minus(1, l_discount)), 0))`,
    sum(l_extendedprice * (1 - l_discount)) AS `sum(l_extendedprice * (1 - l_discount))`
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
      l_comment,
      p_partkey,
      p_name,
      p_mfgr,
      p_brand,
      p_type,
      p_size,
      p_container,
      p_retailprice,
      p_comment
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
        l_comment,
        p_partkey,
        p_name,
        p_mfgr,
        p_brand,
        p_type,
        p_size,
        p_container,
        p_retailprice,
        p_comment
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
          l_comment,
          p_partkey,
          p_name,
          p_mfgr,
          p_brand,
          p_type,
          p_size,
          p_container,
          p_retailprice,
          p_comment
        FROM spark_catalog.default.lineitem
        JOIN spark_catalog.default.part ON lineitem.l_partkey = part.p_partkey
      ) AS lineitem_joined
      WHERE l_shipdate >= DATE '1995-09-01'
    ) AS lineitem_filtered_2
    WHERE l_shipdate < DATE '1995-09-01' + INTERVAL '1' MONTH
  ) AS lineitem_filtered
) AS lineitem_grouped
