-- Snapshot tpch/nested/q21 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  s_name,
  numwait
FROM (
  SELECT
    s_name,
    numwait
  FROM (
    SELECT
      s_name,
      count(*) AS numwait
    FROM (
      SELECT
        s_suppkey,
        s_name,
        s_address,
        s_nationkey,
        s_phone,
        s_acctbal,
        s_comment,
        l_orderkey,
        l_suppkey,
        o_orderkey,
        o_custkey,
        o_orderstatus,
        o_totalprice,
        o_orderdate,
        o_orderpriority,
        o_clerk,
        o_shippriority,
        o_comment,
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
          l_orderkey,
          l_suppkey,
          o_orderkey,
          o_custkey,
          o_orderstatus,
          o_totalprice,
          o_orderdate,
          o_orderpriority,
          o_clerk,
          o_shippriority,
          o_comment,
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
            l_orderkey,
            l_suppkey,
            o_orderkey,
            o_custkey,
            o_orderstatus,
            o_totalprice,
            o_orderdate,
            o_orderpriority,
            o_clerk,
            o_shippriority,
            o_comment,
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
              l_orderkey,
              l_suppkey,
              o_orderkey,
              o_custkey,
              o_orderstatus,
              o_totalprice,
              o_orderdate,
              o_orderpriority,
              o_clerk,
              o_shippriority,
              o_comment,
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
                l_orderkey,
                l_suppkey,
                o_orderkey,
                o_custkey,
                o_orderstatus,
                o_totalprice,
                o_orderdate,
                o_orderpriority,
                o_clerk,
                o_shippriority,
                o_comment,
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
                  l_orderkey,
                  l_suppkey,
                  o_orderkey,
                  o_custkey,
                  o_orderstatus,
                  o_totalprice,
                  o_orderdate,
                  o_orderpriority,
                  o_clerk,
                  o_shippriority,
                  o_comment
                FROM (
                  SELECT
                    s_suppkey,
                    s_name,
                    s_address,
                    s_nationkey,
                    s_phone,
                    s_acctbal,
                    s_comment,
                    l_orderkey,
                    l_suppkey
                  FROM spark_catalog.default.supplier
                  JOIN (
                    SELECT
                      l_orderkey,
                      l_suppkey
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
                      WHERE l_receiptdate > l_commitdate
                    ) AS lineitem_filtered
                  ) AS l1
                    ON supplier.s_suppkey = l1.l_suppkey
                ) AS supplier_joined_3
                JOIN spark_catalog.default.orders
                  ON orders.o_orderkey = supplier_joined_3.l_orderkey
              ) AS supplier_joined_2
              JOIN spark_catalog.default.nation
                ON supplier_joined_2.s_nationkey = nation.n_nationkey
            ) AS supplier_joined
            WHERE o_orderstatus = 'F'
          ) AS supplier_filtered_4
          WHERE n_name = 'SAUDI ARABIA'
        ) AS supplier_filtered_3
        WHERE EXISTS (
          SELECT
            1
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
            FROM spark_catalog.default.lineitem AS l2
            WHERE l_orderkey = supplier_filtered_3.l_orderkey
          ) AS l2_filtered
          WHERE l_suppkey <> supplier_filtered_3.l_suppkey
        )
      ) AS supplier_filtered_2
      WHERE NOT EXISTS (
        SELECT
          1
        FROM (
          SELECT
            l_orderkey,
            l_suppkey
          FROM (
            SELECT
              l_orderkey,
              l_suppkey
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
              WHERE l_receiptdate > l_commitdate
            ) AS lineitem_filtered
          ) AS l3
          WHERE l_orderkey = supplier_filtered_2.l_orderkey
        ) AS l3_filtered
        WHERE l_suppkey <> supplier_filtered_2.l_suppkey
      )
    ) AS supplier_filtered
    GROUP BY s_name
  ) AS supplier_grouped
  ORDER BY numwait DESC, s_name
) AS supplier_sorted
LIMIT 100
