"""The catalogs that there are: in memory, in files, in an SQL database, in a Hive metastore."""
