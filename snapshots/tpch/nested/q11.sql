-- Snapshot tpch/nested/q11 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  ps_partkey,
  value
FROM (
  SELECT
    ps_partkey,
    value
  FROM (
    SELECT
      ps_partkey,
      sum(cost) AS value
    FROM (
      SELECT
        ps_partkey,
        ps_supplycost * ps_availqty AS cost
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
          ) AS partsupp_joined_2
          JOIN spark_catalog.default.nation
            ON partsupp_joined_2.s_nationkey = nation.n_nationkey
        ) AS partsupp_joined
        WHERE n_name = 'GERMANY'
      ) AS partsupp_filtered
    ) AS german_stock
    GROUP BY ps_partkey
  ) AS german_stock_grouped
  WHERE value > (
    SELECT
      `sum(cost)` * 0.0100000000
    FROM (
      SELECT
        sum(cost) AS `sum(cost)`
      FROM (
        SELECT
          ps_partkey,
          ps_supplycost * ps_availqty AS cost
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
            ) AS partsupp_joined_2
            JOIN spark_catalog.default.nation
              ON partsupp_joined_2.s_nationkey = nation.n_nationkey
          ) AS partsupp_joined
          WHERE n_name = 'GERMANY'
        ) AS partsupp_filtered
      ) AS german_stock
    ) AS german_stock_grouped
  )
) AS german_stock_filtered
ORDER BY value DESC
