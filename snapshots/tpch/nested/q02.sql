-- Snapshot tpch/nested/q02 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  s_acctbal,
  s_name,
  n_name,
  p_partkey,
  p_mfgr,
  s_address,
  s_phone,
  s_comment
FROM (
  SELECT
    s_acctbal,
    s_name,
    n_name,
    p_partkey,
    p_mfgr,
    s_address,
    s_phone,
    s_comment
  FROM (
    SELECT
      s_acctbal,
      s_name,
      n_name,
      p_partkey,
      p_mfgr,
      s_address,
      s_phone,
      s_comment
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
        p_comment,
        ps_partkey,
        ps_supplycost,
        n_name,
        s_name,
        s_address,
        s_phone,
        s_acctbal,
        s_comment
      FROM (
        SELECT
          part_filtered_2.p_partkey,
          part_filtered_2.p_name,
          part_filtered_2.p_mfgr,
          part_filtered_2.p_brand,
          part_filtered_2.p_type,
          part_filtered_2.p_size,
          part_filtered_2.p_container,
          part_filtered_2.p_retailprice,
          part_filtered_2.p_comment,
          offers.ps_partkey,
          offers.ps_supplycost,
          offers.n_name,
          offers.s_name,
          offers.s_address,
          offers.s_phone,
          offers.s_acctbal,
          offers.s_comment
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
            WHERE p_size = 15
          ) AS part_filtered_3
          WHERE p_type LIKE '%BRASS'
        ) AS part_filtered_2
        JOIN (
          SELECT
            ps_partkey,
            ps_supplycost,
            n_name,
            s_name,
            s_address,
            s_phone,
            s_acctbal,
            s_comment
          FROM (
            SELECT
              ps_partkey,
              ps_suppkey,
              ps_availqty,
              ps_supplycost,
              ps_comment,
              s_suppkey,
              s_name,
              s_address,
              s_nationkey,
              s_phone,
              s_acctbal,
              s_comment,
              n_nationkey,
              n_name,
              n_regionkey,
              n_comment,
              r_regionkey,
              r_name,
              r_comment
            FROM (
              SELECT
                partsupp_joined_2.ps_partkey,
                partsupp_joined_2.ps_suppkey,
                partsupp_joined_2.ps_availqty,
                partsupp_joined_2.ps_supplycost,
                partsupp_joined_2.ps_comment,
                partsupp_joined_2.s_suppkey,
                partsupp_joined_2.s_name,
                partsupp_joined_2.s_address,
                partsupp_joined_2.s_nationkey,
                partsupp_joined_2.s_phone,
                partsupp_joined_2.s_acctbal,
                partsupp_joined_2.s_comment,
                partsupp_joined_2.n_nationkey,
                partsupp_joined_2.n_name,
                partsupp_joined_2.n_regionkey,
                partsupp_joined_2.n_comment,
                region.r_regionkey,
                region.r_name,
                region.r_comment
              FROM (
                SELECT
                  partsupp_joined_3.ps_partkey,
                  partsupp_joined_3.ps_suppkey,
                  partsupp_joined_3.ps_availqty,
                  partsupp_joined_3.ps_supplycost,
                  partsupp_joined_3.ps_comment,
                  partsupp_joined_3.s_suppkey,
                  partsupp_joined_3.s_name,
                  partsupp_joined_3.s_address,
                  partsupp_joined_3.s_nationkey,
                  partsupp_joined_3.s_phone,
                  partsupp_joined_3.s_acctbal,
                  partsupp_joined_3.s_comment,
                  nation.n_nationkey,
                  nation.n_name,
                  nation.n_regionkey,
                  nation.n_comment
                FROM (
                  SELECT
                    partsupp.ps_partkey,
                    partsupp.ps_suppkey,
                    partsupp.ps_availqty,
                    partsupp.ps_supplycost,
                    partsupp.ps_comment,
                    supplier.s_suppkey,
                    supplier.s_name,
                    supplier.s_address,
                    supplier.s_nationkey,
                    supplier.s_phone,
                    supplier.s_acctbal,
                    supplier.s_comment
                  FROM spark_catalog.default.partsupp
                  JOIN spark_catalog.default.supplier
                    ON partsupp.ps_suppkey = supplier.s_suppkey
                ) AS partsupp_joined_3
                JOIN spark_catalog.default.nation
                  ON partsupp_joined_3.s_nationkey = nation.n_nationkey
              ) AS partsupp_joined_2
              JOIN spark_catalog.default.region
                ON partsupp_joined_2.n_regionkey = region.r_regionkey
            ) AS partsupp_joined
            WHERE r_name = 'EUROPE'
          ) AS partsupp_filtered
        ) AS offers
          ON part_filtered_2.p_partkey = offers.ps_partkey
      ) AS part_joined
      WHERE ps_supplycost = (
        SELECT
          `min(ps_supplycost)`
        FROM (
          SELECT
            min(ps_supplycost) AS `min(ps_supplycost)`
          FROM (
            SELECT
              ps_partkey,
              ps_supplycost,
              n_name,
              s_name,
              s_address,
              s_phone,
              s_acctbal,
              s_comment
            FROM (
              SELECT
                ps_partkey,
                ps_supplycost,
                n_name,
                s_name,
                s_address,
                s_phone,
                s_acctbal,
                s_comment
              FROM (
                SELECT
                  ps_partkey,
                  ps_suppkey,
                  ps_availqty,
                  ps_supplycost,
                  ps_comment,
                  s_suppkey,
                  s_name,
                  s_address,
                  s_nationkey,
                  s_phone,
                  s_acctbal,
                  s_comment,
                  n_nationkey,
                  n_name,
                  n_regionkey,
                  n_comment,
                  r_regionkey,
                  r_name,
                  r_comment
                FROM (
                  SELECT
                    partsupp_joined_2.ps_partkey,
                    partsupp_joined_2.ps_suppkey,
                    partsupp_joined_2.ps_availqty,
                    partsupp_joined_2.ps_supplycost,
                    partsupp_joined_2.ps_comment,
                    partsupp_joined_2.s_suppkey,
                    partsupp_joined_2.s_name,
                    partsupp_joined_2.s_address,
                    partsupp_joined_2.s_nationkey,
                    partsupp_joined_2.s_phone,
                    partsupp_joined_2.s_acctbal,
                    partsupp_joined_2.s_comment,
                    partsupp_joined_2.n_nationkey,
                    partsupp_joined_2.n_name,
                    partsupp_joined_2.n_regionkey,
                    partsupp_joined_2.n_comment,
                    region.r_regionkey,
                    region.r_name,
                    region.r_comment
                  FROM (
                    SELECT
                      partsupp_joined_3.ps_partkey,
                      partsupp_joined_3.ps_suppkey,
                      partsupp_joined_3.ps_availqty,
                      partsupp_joined_3.ps_supplycost,
                      partsupp_joined_3.ps_comment,
                      partsupp_joined_3.s_suppkey,
                      partsupp_joined_3.s_name,
                      partsupp_joined_3.s_address,
                      partsupp_joined_3.s_nationkey,
                      partsupp_joined_3.s_phone,
                      partsupp_joined_3.s_acctbal,
                      partsupp_joined_3.s_comment,
                      nation.n_nationkey,
                      nation.n_name,
                      nation.n_regionkey,
                      nation.n_comment
                    FROM (
                      SELECT
                        partsupp.ps_partkey,
                        partsupp.ps_suppkey,
                        partsupp.ps_availqty,
                        partsupp.ps_supplycost,
                        partsupp.ps_comment,
                        supplier.s_suppkey,
                        supplier.s_name,
                        supplier.s_address,
                        supplier.s_nationkey,
                        supplier.s_phone,
                        supplier.s_acctbal,
                        supplier.s_comment
                      FROM spark_catalog.default.partsupp
                      JOIN spark_catalog.default.supplier
                        ON partsupp.ps_suppkey = supplier.s_suppkey
                    ) AS partsupp_joined_3
                    JOIN spark_catalog.default.nation
                      ON partsupp_joined_3.s_nationkey = nation.n_nationkey
                  ) AS partsupp_joined_2
                  JOIN spark_catalog.default.region
                    ON partsupp_joined_2.n_regionkey = region.r_regionkey
                ) AS partsupp_joined
                WHERE r_name = 'EUROPE'
              ) AS partsupp_filtered
            ) AS offers
            WHERE ps_partkey = part_joined.p_partkey
          ) AS offers_filtered
        ) AS offers_grouped
      )
    ) AS part_filtered
  ) AS part_rows
  ORDER BY s_acctbal DESC, n_name, s_name, p_partkey
) AS part_rows_sorted
LIMIT 100
