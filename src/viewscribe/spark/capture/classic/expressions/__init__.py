"""The expressions of an analyzed plan as resolved expressions."""
