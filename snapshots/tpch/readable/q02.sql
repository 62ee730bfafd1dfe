-- Snapshot tpch/readable/q02 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
WITH offers AS (
  SELECT
    ps_partkey,
    ps_supplycost,
    n_name,
    s_name,
    s_address,
    s_phone,
    s_acctbal,
    s_comment
  FROM spark_catalog.default.partsupp
  JOIN spark_catalog.default.supplier ON partsupp.ps_suppkey = supplier.s_suppkey
  JOIN spark_catalog.default.nation ON supplier.s_nationkey = nation.n_nationkey
  JOIN spark_catalog.default.region ON nation.n_regionkey = region.r_regionkey
  WHERE r_name = 'EUROPE'
)
SELECT
  s_acctbal,
  s_name,
  n_name,
  p_partkey,
  p_mfgr,
  s_address,
  s_phone,
  s_comment
FROM spark_catalog.default.part
JOIN offers ON part.p_partkey = offers.ps_partkey
WHERE p_size = 15
  AND p_type LIKE '%BRASS'
  AND ps_supplycost = (
    SELECT
      min(ps_supplycost)
    FROM offers AS offers_2
    WHERE ps_partkey = part.p_partkey
  )
ORDER BY s_acctbal DESC, n_name, s_name, p_partkey
LIMIT 100
