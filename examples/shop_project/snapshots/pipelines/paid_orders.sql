-- Snapshot pipelines/paid_orders of tests/test_pipelines.py::test_a_pipeline_gives_the_approved_sql, written by viewscribe
SELECT
  id,
  customer_id,
  day
FROM spark_catalog.sales.orders
WHERE status = 'paid'
