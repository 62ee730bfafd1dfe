"""A real Hive Metastore on loopback, from the jars inside PySpark: for tests and benchmarks."""
