-- Snapshot tpch/nested/q22 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
SELECT
  cntrycode,
  numcust,
  totacctbal
FROM (
  SELECT
    cntrycode,
    count(*) AS numcust,
    sum(c_acctbal) AS totacctbal
  FROM (
    SELECT
      c_custkey,
      c_acctbal,
      cntrycode
    FROM (
      SELECT
        c_custkey,
        c_acctbal,
        cntrycode
      FROM (
        SELECT
          c_custkey,
          c_acctbal,
          cntrycode
        FROM (
          SELECT
            c_custkey,
            c_acctbal,
            substring(c_phone, 1, 2) AS cntrycode
          FROM spark_catalog.default.customer
        ) AS customer_computed
        WHERE cntrycode IN ('13', '31', '23', '29', '30', '18', '17')
      ) AS customers
      WHERE c_acctbal > (
        SELECT
          avg(c_acctbal)
        FROM (
          SELECT
            c_custkey,
            c_acctbal,
            cntrycode
          FROM (
            SELECT
              c_custkey,
              c_acctbal,
              cntrycode
            FROM (
              SELECT
                c_custkey,
                c_acctbal,
                substring(c_phone, 1, 2) AS cntrycode
              FROM spark_catalog.default.customer
            ) AS customer_computed
            WHERE cntrycode IN ('13', '31', '23', '29', '30', '18', '17')
          ) AS customers
          WHERE c_acctbal > 0.00
        ) AS customers_filtered
      )
    ) AS customers_filtered_2
    WHERE NOT EXISTS (
      SELECT
        1
      FROM spark_catalog.default.orders
      WHERE o_custkey = customers_filtered_2.c_custkey
    )
  ) AS customers_filtered
  GROUP BY cntrycode
) AS customers_grouped
ORDER BY cntrycode
