-- Snapshot tpch/nested/q20 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  s_name,
  s_address
FROM (
  SELECT
    s_name,
    s_address
  FROM (
    SELECT
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
        FROM spark_catalog.default.supplier
        JOIN spark_catalog.default.nation ON supplier.s_nationkey = nation.n_nationkey
      ) AS supplier_joined
      WHERE n_name = 'CANADA'
    ) AS supplier_filtered_2
    WHERE s_suppkey IN (
      SELECT
        ps_suppkey
      FROM (
        SELECT
          ps_partkey,
          ps_suppkey,
          ps_availqty,
          ps_supplycost,
          ps_comment
        FROM (
          SELECT
            ps_partkey,
            ps_suppkey,
            ps_availqty,
            ps_supplycost,
            ps_comment
          FROM spark_catalog.default.partsupp
          WHERE ps_partkey IN (
            SELECT
              p_partkey
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
              WHERE p_name LIKE 'forest%'
            ) AS part_filtered
          )
        ) AS partsupp_filtered_2
        WHERE ps_availqty > (
          SELECT
            0.5 * `sum(l_quantity)`
          FROM (
            SELECT
              sum(l_quantity) AS `sum(l_quantity)`
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
                WHERE l_partkey = partsupp_filtered_2.ps_partkey
              ) AS lineitem_filtered_2
              WHERE l_suppkey = partsupp_filtered_2.ps_suppkey
            ) AS lineitem_filtered
          ) AS lineitem_grouped
        )
      ) AS partsupp_filtered
    )
  ) AS supplier_filtered
) AS supplier_rows
ORDER BY s_name
