-- Snapshot tpch/readable/q02 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
WITH offers AS (
  SELECT
    partsupp.ps_partkey,
    partsupp.ps_supplycost,
    nation.n_name,
    supplier.s_name,
    supplier.s_address,
    supplier.s_phone,
    supplier.s_acctbal,
    supplier.s_comment
  FROM spark_catalog.default.partsupp
  JOIN spark_catalog.default.supplier ON partsupp.ps_suppkey = supplier.s_suppkey
  JOIN spark_catalog.default.nation ON supplier.s_nationkey = nation.n_nationkey
  JOIN spark_catalog.default.region ON nation.n_regionkey = region.r_regionkey
  WHERE region.r_name = 'EUROPE'
)
SELECT
  offers.s_acctbal,
  offers.s_name,
  offers.n_name,
  part.p_partkey,
  part.p_mfgr,
  offers.s_address,
  offers.s_phone,
  offers.s_comment
FROM spark_catalog.default.part
JOIN offers ON part.p_partkey = offers.ps_partkey
WHERE part.p_size = 15
  AND part.p_type LIKE '%BRASS'
  AND offers.ps_supplycost = (
    SELECT
      min(ps_supplycost)
    FROM offers AS offers_2
    WHERE ps_partkey = part.p_partkey
  )
ORDER BY offers.s_acctbal DESC, offers.n_name, offers.s_name, part.p_partkey
LIMIT 100
