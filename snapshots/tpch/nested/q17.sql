-- Snapshot tpch/nested/q17 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  `sum(l_extendedprice)` / 7.0 AS avg_yearly
FROM (
  SELECT
    sum(l_extendedprice) AS `sum(l_extendedprice)`
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
      JOIN (
        SELECT
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
            p_partkey,
            p_name,
            p_mfgr,
            p_brand,
            p_type,
            p_size,
            p_container,
            p_retailprice,
            p_comment
          FROM spark_catalog.default.part
          WHERE p_brand = 'Brand#23'
        ) AS part_filtered_2
        WHERE p_container = 'MED BOX'
      ) AS part_filtered
        ON part_filtered.p_partkey = lineitem.l_partkey
    ) AS lineitem_joined
    WHERE l_quantity < (
      SELECT
        0.2 * `avg(l_quantity)`
      FROM (
        SELECT
          avg(l_quantity) AS `avg(l_quantity)`
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
          WHERE l_partkey = lineitem_joined.p_partkey
        ) AS lineitem_filtered_2
      ) AS lineitem_grouped_2
    )
  ) AS lineitem_filtered
) AS lineitem_grouped
