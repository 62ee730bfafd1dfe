-- Snapshot pipelines/recent_orders of tests/test_pipelines.py::test_a_pipeline_gives_the_approved_sql, written by viewscribe
SELECT
  id,
  customer_id,
  day,
  status
FROM spark_catalog.sales.orders
WHERE day > date_sub(current_date(), 30)
