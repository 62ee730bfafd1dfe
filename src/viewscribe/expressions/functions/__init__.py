"""Functions: definitions, type inference, call syntax and the registry."""
