-- Snapshot tpch/nested/q19 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  sum(l_extendedprice * (1 - l_discount)) AS revenue
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
        WHERE l_shipmode IN ('AIR', 'AIR REG')
      ) AS lineitem_filtered_3
      WHERE l_shipinstruct = 'DELIVER IN PERSON'
    ) AS lineitem_filtered_2
    JOIN spark_catalog.default.part ON part.p_partkey = lineitem_filtered_2.l_partkey
  ) AS lineitem_joined
  WHERE p_brand = 'Brand#12'
      AND p_container IN ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
      AND l_quantity BETWEEN 1 AND 11
      AND p_size BETWEEN 1 AND 5
    OR p_brand = 'Brand#23'
      AND p_container IN ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
      AND l_quantity BETWEEN 10 AND 20
      AND p_size BETWEEN 1 AND 10
    OR p_brand = 'Brand#34'
      AND p_container IN ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
      AND l_quantity BETWEEN 20 AND 30
      AND p_size BETWEEN 1 AND 15
) AS lineitem_filtered
