"""Expressions: the DSL that users type, the resolved nodes it becomes, and the functions."""
