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
                  n_comment
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
                    s_comment
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
          min(ps_supplycost)
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
                    n_comment
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
                      s_comment
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
      )
    ) AS part_filtered
  ) AS part_rows
  ORDER BY s_acctbal DESC, n_name, s_name, p_partkey
) AS part_rows_sorted
LIMIT 100
