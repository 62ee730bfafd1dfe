"""``withField`` and ``dropFields``: a struct made anew, for SQL changes no field in place.

Changes that follow one another, ``s.withField(…).withField(…).dropFields(…)``, make one struct:
each of its own would say all that is below it once for every field.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from viewscribe.errors import CaptureError
from viewscribe.expressions.dsl import Expression, ItemExpression, ValueExpression, function_call
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.resolve import resolve
from viewscribe.expressions.schema import Schema
from viewscribe.types import StructType

_PLACE = "update_fields"


class Struct:
    """A struct whose fields are changed.

    Args:
        base: the struct as it is.
        schema: the columns that it is over.
        nullable: whether it is a field of a struct that may be NULL, as it may be then to Spark.

    Raises:
        CaptureError: it is no struct, or has two fields of one name.
    """

    def __init__(self, base: object, schema: Schema, nullable: bool = False) -> None:
        resolved = resolve(base, schema)
        type_ = resolved.type
        if not isinstance(type_, StructType):
            raise CaptureError(f"{type_.ddl} has no fields", location=_PLACE)
        self._schema = schema
        self._nullable = nullable or type_.nullable
        self._known = ValueExpression(resolved)
        self._fields: list[tuple[str, Any]] = [
            (field.name, ItemExpression(self._known, literal(field.name))) for field in type_.fields
        ]
        if len({name.lower() for name, _ in self._fields}) < len(self._fields):
            raise CaptureError("the struct has two fields of one name", location=_PLACE)

    def put(self, path: Sequence[str], value: object) -> None:
        """Replaces a field, or adds it at the end.

        Raises:
            CaptureError: there is no struct of that name for it to be in.
        """
        name, *rest = path
        if rest:
            inner = self._inside(name)
            inner.put(rest, value)
            value = inner
        place = self._place(name)
        if place is None:
            self._fields.append((name, value))
        else:
            self._fields[place] = (name, value)

    def drop(self, path: Sequence[str]) -> None:
        """Leaves a field out; one that is not there is no mistake.

        Raises:
            CaptureError: no field would be left, or there is no struct of that name.
        """
        name, *rest = path
        place = self._place(name)
        if rest:
            inner = self._inside(name)
            inner.drop(rest)
            assert place is not None
            self._fields[place] = (name, inner)
        elif place is not None:
            if len(self._fields) == 1:
                raise CaptureError("dropFields() would leave no field", location=_PLACE)
            del self._fields[place]

    def _place(self, name: str) -> int | None:
        names = [known.lower() for known, _ in self._fields]
        return names.index(name.lower()) if name.lower() in names else None

    def _inside(self, name: str) -> Struct:
        place = self._place(name)
        if place is None:
            raise CaptureError(f"the struct has no field `{name}`", location=_PLACE)
        held = self._fields[place][1]
        return held if isinstance(held, Struct) else Struct(held, self._schema, self._nullable)

    def made(self) -> Expression:
        """The struct as it is now; NULL where it was NULL."""
        parts: list[Any] = []
        for name, held in self._fields:
            parts += [name, held.made() if isinstance(held, Struct) else held]
        made = function_call(built_in("named_struct"), parts)
        if not self._nullable:
            return made
        return function_call(built_in("if"), (self._known.is_null(), None, made))
