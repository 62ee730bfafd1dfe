"""The built-in functions of Spark, a module a family."""
