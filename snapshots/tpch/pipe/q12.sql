-- Snapshot tpch/pipe/q12 of tests/test_tpch_snapshots.py::test_sql, written by viewscribe
FROM spark_catalog.default.orders
|> JOIN (
  FROM spark_catalog.default.lineitem
  |> WHERE l_shipmode IN ('MAIL', 'SHIP')
  |> WHERE l_commitdate < l_receiptdate
  |> WHERE l_shipdate < l_commitdate
  |> WHERE l_receiptdate >= DATE '1994-01-01'
  |> WHERE l_receiptdate < DATE '1994-01-01' + INTERVAL '1' YEAR
) AS lineitem_filtered
  ON o_orderkey = l_orderkey
|> AGGREGATE
    sum(
      CASE WHEN o_orderpriority IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END
    ) AS high_line_count,
    sum(
      CASE WHEN o_orderpriority NOT IN ('1-URGENT', '2-HIGH') THEN 1 ELSE 0 END
    ) AS low_line_count
  GROUP BY l_shipmode
|> ORDER BY l_shipmode
