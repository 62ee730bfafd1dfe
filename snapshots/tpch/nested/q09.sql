-- Snapshot tpch/nested/q09 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  nation,
  o_year,
  sum_profit
FROM (
  SELECT
    nation,
    o_year,
    sum(amount) AS sum_profit
  FROM (
    SELECT
      n_name AS nation,
      year(o_orderdate) AS o_year,
      l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity AS amount
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
        s_suppkey,
        s_name,
        s_address,
        s_nationkey,
        s_phone,
        s_acctbal,
        s_comment,
        ps_partkey,
        ps_suppkey,
        ps_availqty,
        ps_supplycost,
        ps_comment,
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
          p_partkey,
          p_name,
          p_mfgr,
          p_brand,
          p_type,
          p_size,
          p_container,
          p_retailprice,
          p_comment,
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
          s_suppkey,
          s_name,
          s_address,
          s_nationkey,
          s_phone,
          s_acctbal,
          s_comment,
          ps_partkey,
          ps_suppkey,
          ps_availqty,
          ps_supplycost,
          ps_comment
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
            s_suppkey,
            s_name,
            s_address,
            s_nationkey,
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
              WHERE p_name LIKE '%green%'
            ) AS part_filtered
            JOIN spark_catalog.default.lineitem
              ON part_filtered.p_partkey = lineitem.l_partkey
          ) AS part_joined_4
          JOIN spark_catalog.default.supplier
            ON supplier.s_suppkey = part_joined_4.l_suppkey
        ) AS part_joined_3
        JOIN spark_catalog.default.partsupp
          ON partsupp.ps_suppkey = part_joined_3.l_suppkey
          AND partsupp.ps_partkey = part_joined_3.l_partkey
      ) AS part_joined_2
      JOIN spark_catalog.default.orders ON orders.o_orderkey = part_joined_2.l_orderkey
    ) AS part_joined
    JOIN spark_catalog.default.nation ON part_joined.s_nationkey = nation.n_nationkey
  ) AS profit
  GROUP BY nation, o_year
) AS profit_grouped
ORDER BY nation, o_year DESC
