-- Snapshot tpch/pipe/q22 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.customer
|> SELECT c_custkey, c_acctbal, substring(c_phone, 1, 2) AS cntrycode
|> WHERE cntrycode IN ('13', '31', '23', '29', '30', '18', '17')
|> AS customers
|> WHERE c_acctbal > (
  FROM spark_catalog.default.customer
  |> SELECT c_custkey, c_acctbal, substring(c_phone, 1, 2) AS cntrycode
  |> WHERE cntrycode IN ('13', '31', '23', '29', '30', '18', '17')
  |> AS customers
  |> WHERE c_acctbal > 0.00
  |> AGGREGATE avg(c_acctbal)
)
|> WHERE NOT EXISTS (
  FROM spark_catalog.default.orders
  |> WHERE o_custkey = customers.c_custkey
)
|> AGGREGATE count(*) AS numcust, sum(c_acctbal) AS totacctbal GROUP BY cntrycode
|> ORDER BY cntrycode
