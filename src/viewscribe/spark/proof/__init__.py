"""Proof by plan: plans of Spark in a normal form in which equal means equal rows."""

from viewscribe.spark.proof.nodes import UnknownPlanError
from viewscribe.spark.proof.normal import NormalForms

__all__ = ["NormalForms", "UnknownPlanError"]
