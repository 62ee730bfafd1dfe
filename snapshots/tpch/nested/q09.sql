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
        part_joined_2.p_partkey,
        part_joined_2.p_name,
        part_joined_2.p_mfgr,
        part_joined_2.p_brand,
        part_joined_2.p_type,
        part_joined_2.p_size,
        part_joined_2.p_container,
        part_joined_2.p_retailprice,
        part_joined_2.p_comment,
        part_joined_2.l_orderkey,
        part_joined_2.l_partkey,
        part_joined_2.l_suppkey,
        part_joined_2.l_linenumber,
        part_joined_2.l_quantity,
        part_joined_2.l_extendedprice,
        part_joined_2.l_discount,
        part_joined_2.l_tax,
        part_joined_2.l_returnflag,
        part_joined_2.l_linestatus,
        part_joined_2.l_shipdate,
        part_joined_2.l_commitdate,
        part_joined_2.l_receiptdate,
        part_joined_2.l_shipinstruct,
        part_joined_2.l_shipmode,
        part_joined_2.l_comment,
        part_joined_2.s_suppkey,
        part_joined_2.s_name,
        part_joined_2.s_address,
        part_joined_2.s_nationkey,
        part_joined_2.s_phone,
        part_joined_2.s_acctbal,
        part_joined_2.s_comment,
        part_joined_2.ps_partkey,
        part_joined_2.ps_suppkey,
        part_joined_2.ps_availqty,
        part_joined_2.ps_supplycost,
        part_joined_2.ps_comment,
        part_joined_2.o_orderkey,
        part_joined_2.o_custkey,
        part_joined_2.o_orderstatus,
        part_joined_2.o_totalprice,
        part_joined_2.o_orderdate,
        part_joined_2.o_orderpriority,
        part_joined_2.o_clerk,
        part_joined_2.o_shippriority,
        part_joined_2.o_comment,
        nation.n_nationkey,
        nation.n_name,
        nation.n_regionkey,
        nation.n_comment
      FROM (
        SELECT
          part_joined_3.p_partkey,
          part_joined_3.p_name,
          part_joined_3.p_mfgr,
          part_joined_3.p_brand,
          part_joined_3.p_type,
          part_joined_3.p_size,
          part_joined_3.p_container,
          part_joined_3.p_retailprice,
          part_joined_3.p_comment,
          part_joined_3.l_orderkey,
          part_joined_3.l_partkey,
          part_joined_3.l_suppkey,
          part_joined_3.l_linenumber,
          part_joined_3.l_quantity,
          part_joined_3.l_extendedprice,
          part_joined_3.l_discount,
          part_joined_3.l_tax,
          part_joined_3.l_returnflag,
          part_joined_3.l_linestatus,
          part_joined_3.l_shipdate,
          part_joined_3.l_commitdate,
          part_joined_3.l_receiptdate,
          part_joined_3.l_shipinstruct,
          part_joined_3.l_shipmode,
          part_joined_3.l_comment,
          part_joined_3.s_suppkey,
          part_joined_3.s_name,
          part_joined_3.s_address,
          part_joined_3.s_nationkey,
          part_joined_3.s_phone,
          part_joined_3.s_acctbal,
          part_joined_3.s_comment,
          part_joined_3.ps_partkey,
          part_joined_3.ps_suppkey,
          part_joined_3.ps_availqty,
          part_joined_3.ps_supplycost,
          part_joined_3.ps_comment,
          orders.o_orderkey,
          orders.o_custkey,
          orders.o_orderstatus,
          orders.o_totalprice,
          orders.o_orderdate,
          orders.o_orderpriority,
          orders.o_clerk,
          orders.o_shippriority,
          orders.o_comment
        FROM (
          SELECT
            part_joined_4.p_partkey,
            part_joined_4.p_name,
            part_joined_4.p_mfgr,
            part_joined_4.p_brand,
            part_joined_4.p_type,
            part_joined_4.p_size,
            part_joined_4.p_container,
            part_joined_4.p_retailprice,
            part_joined_4.p_comment,
            part_joined_4.l_orderkey,
            part_joined_4.l_partkey,
            part_joined_4.l_suppkey,
            part_joined_4.l_linenumber,
            part_joined_4.l_quantity,
            part_joined_4.l_extendedprice,
            part_joined_4.l_discount,
            part_joined_4.l_tax,
            part_joined_4.l_returnflag,
            part_joined_4.l_linestatus,
            part_joined_4.l_shipdate,
            part_joined_4.l_commitdate,
            part_joined_4.l_receiptdate,
            part_joined_4.l_shipinstruct,
            part_joined_4.l_shipmode,
            part_joined_4.l_comment,
            part_joined_4.s_suppkey,
            part_joined_4.s_name,
            part_joined_4.s_address,
            part_joined_4.s_nationkey,
            part_joined_4.s_phone,
            part_joined_4.s_acctbal,
            part_joined_4.s_comment,
            partsupp.ps_partkey,
            partsupp.ps_suppkey,
            partsupp.ps_availqty,
            partsupp.ps_supplycost,
            partsupp.ps_comment
          FROM (
            SELECT
              part_joined_5.p_partkey,
              part_joined_5.p_name,
              part_joined_5.p_mfgr,
              part_joined_5.p_brand,
              part_joined_5.p_type,
              part_joined_5.p_size,
              part_joined_5.p_container,
              part_joined_5.p_retailprice,
              part_joined_5.p_comment,
              part_joined_5.l_orderkey,
              part_joined_5.l_partkey,
              part_joined_5.l_suppkey,
              part_joined_5.l_linenumber,
              part_joined_5.l_quantity,
              part_joined_5.l_extendedprice,
              part_joined_5.l_discount,
              part_joined_5.l_tax,
              part_joined_5.l_returnflag,
              part_joined_5.l_linestatus,
              part_joined_5.l_shipdate,
              part_joined_5.l_commitdate,
              part_joined_5.l_receiptdate,
              part_joined_5.l_shipinstruct,
              part_joined_5.l_shipmode,
              part_joined_5.l_comment,
              supplier.s_suppkey,
              supplier.s_name,
              supplier.s_address,
              supplier.s_nationkey,
              supplier.s_phone,
              supplier.s_acctbal,
              supplier.s_comment
            FROM (
              SELECT
                part_filtered.p_partkey,
                part_filtered.p_name,
                part_filtered.p_mfgr,
                part_filtered.p_brand,
                part_filtered.p_type,
                part_filtered.p_size,
                part_filtered.p_container,
                part_filtered.p_retailprice,
                part_filtered.p_comment,
                lineitem.l_orderkey,
                lineitem.l_partkey,
                lineitem.l_suppkey,
                lineitem.l_linenumber,
                lineitem.l_quantity,
                lineitem.l_extendedprice,
                lineitem.l_discount,
                lineitem.l_tax,
                lineitem.l_returnflag,
                lineitem.l_linestatus,
                lineitem.l_shipdate,
                lineitem.l_commitdate,
                lineitem.l_receiptdate,
                lineitem.l_shipinstruct,
                lineitem.l_shipmode,
                lineitem.l_comment
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
            ) AS part_joined_5
            JOIN spark_catalog.default.supplier
              ON supplier.s_suppkey = part_joined_5.l_suppkey
          ) AS part_joined_4
          JOIN spark_catalog.default.partsupp
            ON partsupp.ps_suppkey = part_joined_4.l_suppkey
            AND partsupp.ps_partkey = part_joined_4.l_partkey
        ) AS part_joined_3
        JOIN spark_catalog.default.orders
          ON orders.o_orderkey = part_joined_3.l_orderkey
      ) AS part_joined_2
      JOIN spark_catalog.default.nation
        ON part_joined_2.s_nationkey = nation.n_nationkey
    ) AS part_joined
  ) AS profit
  GROUP BY nation, o_year
) AS profit_grouped
ORDER BY nation, o_year DESC
