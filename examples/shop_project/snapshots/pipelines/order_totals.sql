-- Snapshot pipelines/order_totals of tests/test_pipelines.py::test_a_pipeline_gives_the_approved_sql, written by viewscribe
SELECT
  order_id,
  sum(quantity * price) AS total,
  count(1) AS lines
FROM spark_catalog.sales.order_lines
GROUP BY order_id
