"""The tree of query operations, and the builders that make one from user expressions."""
