"""Asynchronous scalar functions: how users write them, how they are set up, how they run."""
