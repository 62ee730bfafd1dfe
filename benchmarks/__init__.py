"""Benchmarks: time to build and serialize a pipeline, side by side with other tools."""
