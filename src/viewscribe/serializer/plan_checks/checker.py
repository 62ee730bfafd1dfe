"""The check of one node after the other, children before parents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from viewscribe.errors import PlanDocumentError
from viewscribe.expressions import nodes as e
from viewscribe.expressions.node import Node
from viewscribe.operations.base import QueryOperation
from viewscribe.serializer.plan_checks.operations import check_operation
from viewscribe.serializer.plan_checks.scopes import NOTHING, Needs, Scopes, describe_need
from viewscribe.serializer.plan_checks.types import check_type


class PlanChecker:
    """Checks the nodes of one document; every node must come after its children."""

    def __init__(self) -> None:
        self._scopes = Scopes()

    def before(self, kind: type[Node], fields: Mapping[str, Any]) -> Needs:
        """What a node of the kind, made of these fields, needs from above it.

        It is asked for before the node is made: an operation works out its columns from those that
        its expressions refer to, which must be there.

        Raises:
            ViewscribeError: says what is wrong; where it is, the caller knows.
        """
        if issubclass(kind, QueryOperation):
            return self._scopes.of_operation(kind, fields)
        return NOTHING

    def check(self, node: Node, needs: Needs) -> None:
        """Raises what is wrong with the node, given that nothing is with those below it.

        Args:
            node: the node.
            needs: what ``before`` gave for it.

        Raises:
            ViewscribeError: says what is wrong; where it is, the caller knows.
        """
        if not node.is_query:
            assert isinstance(node, e.ResolvedExpression)
            self._scopes.enter(node, self._scopes.of_expression(node))
            check_type(node)
            return
        assert isinstance(node, QueryOperation)
        self._scopes.enter(node, needs)
        check_operation(node)

    def check_root(self, node: QueryOperation) -> None:
        """Raises where the whole query refers to a query around it, which there is none of."""
        for need in self._scopes.needs_of(node):
            raise PlanDocumentError(f"{describe_need(need)} is used outside of a sub-query")
