"""What the body of a SQL function gives for a call: Spark puts it in the call's place.

So a call is NULL only where the body is, with the arguments it gets. A body that reads tables or
calls functions of users means what these are when it runs; then nothing is known beyond the
declared type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.errors import NotSerializableError, ViewscribeError
from viewscribe.expressions.functions.casts import cast_type
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.nodes import ScalarSubquery
from viewscribe.types import Field, LogicalType, StructType

if TYPE_CHECKING:
    from viewscribe.expressions.functions.identifiers import FunctionIdentifier
    from viewscribe.expressions.functions.user_defined import FunctionSource
    from viewscribe.operations.base import QueryOperation


class _Nowhere:
    """A world of built-in functions alone."""

    def table(self, parts: Sequence[str]) -> QueryOperation:
        raise NotSerializableError(f"the table `{'.'.join(parts)}` inside of a function")

    def function(self, parts: Sequence[str]) -> None:
        return None

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        raise NotSerializableError(f"the function `{'.'.join(parts)}` inside of a function")


def type_of_body(
    identifier: FunctionIdentifier, source: FunctionSource, given: Sequence[LogicalType]
) -> LogicalType | None:
    """The type of a call with arguments of these types; None where the body does not tell.

    Args:
        identifier: what the function is called.
        source: the function.
        given: the types of the arguments, those with defaults may be left out.
    """
    from viewscribe.parser.read import deeply

    try:
        return deeply(lambda: _typed(identifier.name, source, given))
    except ViewscribeError:
        return None


def _typed(name: str, source: FunctionSource, given: Sequence[LogicalType]) -> LogicalType | None:
    from viewscribe.expressions.schema import Schema
    from viewscribe.parser.grammar import PipeGrammar, Reading
    from viewscribe.parser.queries import QueryReader
    from viewscribe.parser.scopes import Columns

    text, returns = source.body, source.returns
    assert text is not None
    assert returns is not None
    fields = _parameters(source, given)
    columns = Columns(Schema(fields, ((name,),) * len(fields)))
    if source.kind is not FunctionKind.GENERATOR:
        return _cast(_type_of(text, columns), returns)
    made = QueryReader(text, Reading(), _Nowhere()).inner(
        PipeGrammar(text, Reading()).statement(), columns
    )
    assert isinstance(returns, StructType)
    columns_made = zip(made.schema.fields, returns.fields, strict=True)
    types = [Field(f.name, _cast(each.type, f.type), f.comment) for each, f in columns_made]
    return StructType(fields=tuple(types), nullable=False)


def _parameters(source: FunctionSource, given: Sequence[LogicalType]) -> list[Field]:
    from viewscribe.expressions.schema import Schema
    from viewscribe.parser.scopes import Columns

    fields = []
    for place, each in enumerate(source.parameters or ()):
        if place < len(given):
            type_ = given[place]
        else:
            assert each.default is not None
            type_ = _type_of(each.default, Columns(Schema(())))
        fields.append(Field(each.name, _cast(type_, each.type)))
    return fields


def _type_of(text: str, columns: Any) -> LogicalType:
    from viewscribe.operations import nodes as n
    from viewscribe.parser.grammar import PipeGrammar, Reading
    from viewscribe.parser.queries import QueryReader
    from viewscribe.parser.values import ExpressionReader

    node = PipeGrammar(text, Reading()).lone_expression()
    found = ExpressionReader(QueryReader(text, Reading(), _Nowhere()), columns).read(node)
    query = found.query if isinstance(found, ScalarSubquery) else None
    if isinstance(query, n.Project) and isinstance(query.child, n.OneRow):
        return query.schema.fields[0].type  # a SELECT of one row is put there as well
    return found.type


def _cast(given: LogicalType, wanted: LogicalType) -> LogicalType:
    """The type of a value that is cast to a declared type, which says nothing of NULL."""
    return cast_type(given, wanted.as_nullable())
