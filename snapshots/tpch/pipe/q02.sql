-- Snapshot tpch/pipe/q02 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.part
|> WHERE p_size = 15
|> WHERE p_type LIKE '%BRASS'
|> JOIN (
  FROM spark_catalog.default.partsupp
  |> JOIN spark_catalog.default.supplier ON ps_suppkey = s_suppkey
  |> JOIN spark_catalog.default.nation ON s_nationkey = n_nationkey
  |> JOIN spark_catalog.default.region ON n_regionkey = r_regionkey
  |> WHERE r_name = 'EUROPE'
  |> SELECT
    ps_partkey,
    ps_supplycost,
    n_name,
    s_name,
    s_address,
    s_phone,
    s_acctbal,
    s_comment
) AS offers
  ON p_partkey = ps_partkey
|> WHERE ps_supplycost = (
  FROM spark_catalog.default.partsupp
  |> JOIN spark_catalog.default.supplier ON ps_suppkey = s_suppkey
  |> JOIN spark_catalog.default.nation ON s_nationkey = n_nationkey
  |> JOIN spark_catalog.default.region ON n_regionkey = r_regionkey
  |> WHERE r_name = 'EUROPE'
  |> SELECT
    ps_partkey,
    ps_supplycost,
    n_name,
    s_name,
    s_address,
    s_phone,
    s_acctbal,
    s_comment
  |> AS offers_2
  |> WHERE ps_partkey = part.p_partkey
  |> AGGREGATE min(ps_supplycost)
)
|> SELECT s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment
|> ORDER BY s_acctbal DESC, n_name, s_name, p_partkey
|> LIMIT 100
