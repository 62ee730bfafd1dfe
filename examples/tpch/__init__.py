"""The TPC-H schema, its data and its twenty-two queries."""
