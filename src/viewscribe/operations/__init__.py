"""The tree of query operations, and how user expressions become one."""
