"""Hive Metastore as a catalog, without a JVM: views and tables as Spark itself writes them."""
