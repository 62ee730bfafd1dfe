"""Which grouping key an expression is."""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.equivalence import Equivalence, may_be_reordered
from viewscribe.expressions.nodes import FieldReference, ResolvedExpression, strip_alias


class PlacesOfKeys:
    """Which key an expression is, where the order of operands is all the same."""

    def __init__(self, keys: Sequence[ResolvedExpression]) -> None:
        self._keys = tuple(map(strip_alias, keys))
        # Most keys are columns, for which there is no need to compare expressions.
        self._by_column: dict[int, int] = {}
        self._by_expression: dict[ResolvedExpression, int] = {}
        for place, key in enumerate(self._keys):
            if type(key) is FieldReference:
                self._by_column.setdefault(key.index, place)
            else:
                self._by_expression.setdefault(key, place)
        self._equivalence = Equivalence() if may_be_reordered(self._by_expression) else None
        self._by_number: dict[int, int] = {}
        if self._equivalence is not None:
            for key, place in self._by_expression.items():
                self._by_number.setdefault(self._equivalence.number(key), place)

    def find(self, expression: ResolvedExpression) -> int | None:
        """The place of the first key that the expression is, or None."""
        if type(expression) is FieldReference:
            return self._by_column.get(expression.index)
        if not self._by_expression:
            return None
        place = self._by_expression.get(expression)
        if place is None and self._equivalence is not None:
            return self._by_number.get(self._equivalence.number(expression))
        return place

    def first_places(self) -> list[int]:
        """For each key the place of the first that is the same one to Spark."""
        if self._equivalence is None:
            same: list[object] = [*self._keys]
        else:
            same = [*map(self._equivalence.number, self._keys)]
        first: dict[object, int] = {}
        return [first.setdefault(each, place) for place, each in enumerate(same)]
