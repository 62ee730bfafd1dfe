# %% [markdown]
# # Who stopped buying
#
# A notebook as they are written: exploring first, DataFrames in variables, no thought of views.
# Jupyter, VS Code and Databricks open it cell by cell; `python -m examples.notebook.churn` runs it.

# %%
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.getOrCreate()

# %%
spark.sql("CREATE DATABASE IF NOT EXISTS churn")
spark.sql(
    "CREATE TABLE IF NOT EXISTS churn.orders (id INT, customer STRING, day DATE, "
    "amount DECIMAL(10, 2), tags ARRAY<STRING>) USING parquet"
)
spark.sql(
    "INSERT OVERWRITE churn.orders VALUES "
    "(1, 'ann', DATE'2026-01-03', 30.00, array('gift')), (2, 'ann', DATE'2026-02-05', 12.50, NULL),"
    "(3, 'bob', DATE'2026-01-08', 99.00, array()), (4, 'cid', DATE'2026-03-01', 7.25, array('x')),"
    "(5, 'cid', DATE'2026-03-01', NULL, array('gift', 'x'))"
)

# %%
orders = spark.table("churn.orders").na.fill(0, ["amount"])
by_day = Window.partitionBy("customer").orderBy(F.desc("day"), F.desc("id"))
last = orders.withColumn("place", F.row_number().over(by_day)).where("place = 1").drop("place")
totals = orders.groupBy("customer").agg(
    F.sum("amount").alias("spent"), F.max(F.array_contains("tags", "gift")).alias("gave")
)
lost = (
    last.join(totals, "customer")
    .where(F.col("day") < F.lit("2026-02-15").cast("date"))
    .select("customer", "day", "spent", F.coalesce("gave", F.lit(False)).alias("gave_presents"))
    .orderBy(F.desc("spent"))
)
lost.show()

# %% [markdown]
# ## Keep it
#
# The DataFrame is there already, so its SQL is one call away; saving it proves it first.

# %%
import viewscribe as vs  # noqa: E402

print(vs.to_sql(lost))

# %%
saved = vs.save_view(lost, "churn.lost_customers", or_replace=True, comment="Who stopped buying")
print(saved)

# %%
spark.table("churn.lost_customers").show()
