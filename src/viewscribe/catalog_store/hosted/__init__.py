"""What the stores share in which Spark's own views live, with our documents beside them.

A Hive metastore and the catalog of a session hold the same three things: what is ours and as we
wrote it, what is ours and was changed by others, and what is foreign.
"""
