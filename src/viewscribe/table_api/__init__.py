"""The fluent surface: ``TableEnvironment``, ``Table`` and its relatives."""
