"""The operators of an analyzed plan as query operations."""
