"""The normal form of a tree: equal forms mean the same rows, without Spark.

Two trees of one meaning differ in steps, names and the places of columns. The form knows none of
these: a column is what it holds, a filter is a set of conditions, inner joins are a list of inputs.
What a rule does not say to be the same stays apart, so that a form that differs proves nothing.
"""

from viewscribe.operations.normal_form.sources import Form, NormalForms

__all__ = ["Form", "NormalForms"]
