-- Snapshot pipelines/customer_revenue of tests/test_pipelines.py::test_a_pipeline_gives_the_approved_sql, written by viewscribe
WITH bought AS (
  SELECT
    customer_id,
    total
  FROM spark_catalog.sales.paid_orders AS paid
  JOIN spark_catalog.sales.order_totals AS totals ON paid.id = totals.order_id
)
SELECT
  id,
  name,
  country,
  coalesce(sum(total), 0) AS revenue
FROM spark_catalog.sales.customers
LEFT JOIN bought ON customers.id = bought.customer_id
GROUP BY id, name, country
