"""DataFrames as operations: what a user has already, on its way to a view."""
