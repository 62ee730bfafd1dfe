-- Snapshot tpch/pipe/q15 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.supplier
|> JOIN (
  FROM spark_catalog.default.lineitem
  |> WHERE l_shipdate >= DATE '1996-01-01'
  |> WHERE l_shipdate < DATE '1996-01-01' + INTERVAL '3' MONTH
  |> AGGREGATE sum(l_extendedprice * (1 - l_discount)) AS total_revenue
    GROUP BY l_suppkey AS supplier_no
) AS revenue
  ON s_suppkey = supplier_no
|> WHERE total_revenue = (
  FROM spark_catalog.default.lineitem
  |> WHERE l_shipdate >= DATE '1996-01-01'
  |> WHERE l_shipdate < DATE '1996-01-01' + INTERVAL '3' MONTH
  |> AGGREGATE sum(l_extendedprice * (1 - l_discount)) AS total_revenue
    GROUP BY l_suppkey AS supplier_no
  |> AS revenue
  |> AGGREGATE max(total_revenue)
)
|> SELECT s_suppkey, s_name, s_address, s_phone, total_revenue
|> ORDER BY s_suppkey
