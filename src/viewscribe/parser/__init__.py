"""Reading Spark SQL: text becomes the tree that the Table API builds, typed, without a JVM."""
