-- Snapshot pipelines/country_revenue of tests/test_pipelines.py::test_a_pipeline_gives_the_approved_sql, written by viewscribe
SELECT
  country,
  sum(customer_revenue.revenue) AS revenue,
  count(1) AS customers
FROM spark_catalog.sales.customer_revenue
GROUP BY country
