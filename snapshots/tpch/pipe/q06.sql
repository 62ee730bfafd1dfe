-- Snapshot tpch/pipe/q06 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.lineitem
|> WHERE l_shipdate >= DATE '1994-01-01'
|> WHERE l_shipdate < DATE '1994-01-01' + INTERVAL '1' YEAR
|> WHERE l_discount BETWEEN 0.05 AND 0.07
|> WHERE l_quantity < 24
|> AGGREGATE sum(l_extendedprice * l_discount) AS revenue
