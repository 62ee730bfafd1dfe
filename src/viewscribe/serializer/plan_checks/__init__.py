"""Whether the nodes of a plan document fit together as those that the builders make.

A document can have been written by anybody. Its nodes are checked as they are read, children before
parents: the type of each is inferred again (``types``), each reference must have a column, an
enclosing query or a lambda that it refers to (``scopes``), and each operation must be one that can
be built (``operations``).
"""

from viewscribe.serializer.plan_checks.scopes import PlanChecker

__all__ = ["PlanChecker"]
