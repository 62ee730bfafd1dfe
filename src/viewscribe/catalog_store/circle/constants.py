"""Constants as they are read."""

from __future__ import annotations

from collections.abc import Mapping

from viewscribe.catalog_store.circle.world import TreeWorld
from viewscribe.expressions.nodes import Literal, ResolvedExpression, strip_alias
from viewscribe.operations.nodes import OneRow, Project
from viewscribe.parser.read import read_sql
from viewscribe.parser.settings import make_reading
from viewscribe.serializer.literals import print_literal
from viewscribe.types import BIGINT, BOOLEAN, INT, STRING, LogicalType


class Constants:
    """Constants as their texts are read: ``CAST(NULL AS STRING)``, ``array(1, 2)``."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._reading = make_reading(settings)
        self._known: dict[tuple[str, LogicalType], ResolvedExpression] = {}

    def __call__(self, literal: Literal) -> ResolvedExpression:
        if type(literal.value) in _PLAIN and literal.type in _PLAIN[type(literal.value)]:
            return literal
        key = (repr(literal.value), literal.type)
        if key not in self._known:
            text = f"SELECT {print_literal(literal).render()} AS constant"
            query = read_sql(text, _NOTHING, self._reading)
            assert isinstance(query, Project)
            self._known[key] = strip_alias(query.expressions[0])
        return self._known[key]


_PLAIN: dict[type, tuple[LogicalType, ...]] = {
    bool: (BOOLEAN.not_null(),),
    int: (INT.not_null(), BIGINT.not_null()),
    str: (STRING.not_null(),),
}
"""Constants that are read as they are."""

_NOTHING = TreeWorld(OneRow.of())
