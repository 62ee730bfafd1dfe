"""Giving the calls of asynchronous functions steps of their own, for running.

After the split rules of the FLIP-400 document. Each rule is a function from an operation to an
operation of the same columns and rows; ``schedule.py`` applies them until none changes anything.
"""
