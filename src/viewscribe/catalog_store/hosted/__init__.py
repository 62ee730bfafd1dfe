"""Shared code of stores that keep our documents beside Spark's own views.

A Hive metastore and the catalog of a session contain three kinds of objects: our own, unchanged;
our own, changed by others; and foreign ones.
"""
