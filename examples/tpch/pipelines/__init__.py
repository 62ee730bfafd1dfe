"""The TPC-H queries, one function each."""
