"""Parses Spark SQL to the typed tree that the Table API builds, without a JVM."""
