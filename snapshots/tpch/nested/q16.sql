-- Snapshot tpch/nested/q16 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  p_brand,
  p_type,
  p_size,
  supplier_cnt
FROM (
  SELECT
    p_brand,
    p_type,
    p_size,
    count(DISTINCT ps_suppkey) AS supplier_cnt
  FROM (
    SELECT
      ps_partkey,
      ps_suppkey,
      ps_availqty,
      ps_supplycost,
      ps_comment,
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
        ps_partkey,
        ps_suppkey,
        ps_availqty,
        ps_supplycost,
        ps_comment,
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
          ps_partkey,
          ps_suppkey,
          ps_availqty,
          ps_supplycost,
          ps_comment,
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
            ps_partkey,
            ps_suppkey,
            ps_availqty,
            ps_supplycost,
            ps_comment,
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
              ps_partkey,
              ps_suppkey,
              ps_availqty,
              ps_supplycost,
              ps_comment,
              p_partkey,
              p_name,
              p_mfgr,
              p_brand,
              p_type,
              p_size,
              p_container,
              p_retailprice,
              p_comment
            FROM spark_catalog.default.partsupp
            JOIN spark_catalog.default.part ON part.p_partkey = partsupp.ps_partkey
          ) AS partsupp_joined
          WHERE p_brand <> 'Brand#45'
        ) AS partsupp_filtered_4
        WHERE p_type NOT LIKE 'MEDIUM POLISHED%'
      ) AS partsupp_filtered_3
      WHERE p_size IN (49, 14, 23, 45, 19, 3, 36, 9)
    ) AS partsupp_filtered_2
    WHERE ps_suppkey NOT IN (
      SELECT
        s_suppkey
      FROM (
        SELECT
          s_suppkey,
          s_name,
          s_address,
          s_nationkey,
          s_phone,
          s_acctbal,
          s_comment
        FROM spark_catalog.default.supplier
        WHERE s_comment LIKE '%Customer%Complaints%'
      ) AS supplier_filtered
    )
  ) AS partsupp_filtered
  GROUP BY p_brand, p_type, p_size
) AS partsupp_grouped
ORDER BY supplier_cnt DESC, p_brand, p_type, p_size
