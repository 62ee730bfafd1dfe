"""Worked examples; run them with ``python -m examples.<name>.<module>``."""
