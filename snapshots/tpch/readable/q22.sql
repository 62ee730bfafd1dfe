-- Snapshot tpch/readable/q22 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
WITH customers AS (
  SELECT
    c_custkey,
    c_acctbal,
    substring(c_phone, 1, 2) AS cntrycode
  FROM spark_catalog.default.customer
  WHERE substring(c_phone, 1, 2) IN ('13', '31', '23', '29', '30', '18', '17')
)
SELECT
  cntrycode,
  count(*) AS numcust,
  sum(c_acctbal) AS totacctbal
FROM customers
WHERE c_acctbal > (
    SELECT
      avg(c_acctbal)
    FROM customers
    WHERE c_acctbal > 0.00
  )
  AND NOT EXISTS (
    SELECT
      1
    FROM spark_catalog.default.orders
    WHERE o_custkey = customers.c_custkey
  )
GROUP BY cntrycode
ORDER BY cntrycode
