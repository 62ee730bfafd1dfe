"""How Spark calls a column that nobody named, from what was written: ``(a + 1)``, ``sum(b)``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from viewscribe.errors import UnknownColumnError
from viewscribe.expressions.functions.parameters import positional
from viewscribe.expressions.node import Node
from viewscribe.expressions.nodes import FieldReference, Literal, OuterReference
from viewscribe.expressions.spelled_functions import CASTS
from viewscribe.expressions.spelling import BY_ROWS, call_text, literal_text
from viewscribe.operations.base import QueryOperation
from viewscribe.parser import syntax as s
from viewscribe.parser.calls import called_without_parentheses, function_of
from viewscribe.types import (
    ArrayType,
    BinaryType,
    DateType,
    DayTimeIntervalType,
    IntegralType,
    LogicalType,
    MapType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    VoidType,
    YearMonthIntervalType,
)
from viewscribe.types.parameters import DEFAULT_COLLATION
from viewscribe.types.session_types import session_type
from viewscribe.types.zones import zone_of

if TYPE_CHECKING:
    from viewscribe.parser.values import ExpressionReader


_OWN_COLLATIONS = frozenset(
    ("encode", "decode", "btrim", "regexp_count", "like", "rlike", "to_binary")
)
"""Functions whose strings do not take over the collation of those beside them."""
_INTERVALS = (DayTimeIntervalType, YearMonthIntervalType)
_TIMES = (DateType, TimestampType, TimestampNtzType)


def output_name(reader: ExpressionReader, node: Any) -> str:
    """The name of the column that an item of a SELECT makes."""
    if type(node) is s.Aliased:
        return node.names[0]
    inner = node
    while _is_cast(inner):  # a cast does not change the name of a column
        inner = inner.child if type(inner) is s.CastTo else inner.args[0]
    if type(inner) is s.Name and not _is_call(reader, inner):
        return inner.parts[-1]
    if type(inner) is s.Name and inner is node and inner.parts[-1].lower() == "grouping__id":
        return "grouping__id"
    if type(inner) is s.Operation and inner.name == "variant_get" and inner.shown:
        return inner.shown
    if type(node) is s.FieldOf and type(node.base) is s.Name and not _is_map(reader, node.base):
        return node.name
    return spell(reader, node)


def _is_cast(node: Any) -> bool:
    if type(node) is s.CastTo:
        return True
    return (
        type(node) is s.Function
        and len(node.name) == 1
        and node.name[0].lower() in CASTS
        and len(node.args) == 1
    )


def _is_call(reader: ExpressionReader, node: s.Name) -> bool:
    """Whether a name is a call without parentheses."""
    return (
        len(node.parts) == 1
        and called_without_parentheses(node.parts[0])
        and reader.columns.find_here(node.parts) is None
    )


def spell(reader: ExpressionReader, node: Any) -> str:
    """The expression as Spark's analyzer spells it when it needs a name."""
    return _HANDLERS[type(node)](reader, node)


def _type(reader: ExpressionReader, node: Any) -> LogicalType:
    """The type of a part, which is read once however often its name is asked for."""
    if reader.variables.known:
        return reader.read(node).type
    known = reader.types.get(id(node))
    if known is None:
        known = reader.types[id(node)] = reader.read(node).type
    return known


def _texts(reader: ExpressionReader, nodes: Sequence[Any]) -> list[str]:
    """The parts as they are spelled; a string takes over the collation of those beside it."""
    texts = [spell(reader, each) for each in nodes]
    strings = [place for place, each in enumerate(nodes) if _is_string(each)]
    if not strings or len(strings) == len(nodes):
        return texts
    collation = _collation(reader, nodes)
    if collation is not None:
        for place in strings:
            texts[place] = f"'{texts[place]}' collate {collation}"
    return texts


def _is_string(node: Any) -> bool:
    return type(node) is s.Constant and isinstance(node.value.type, StringType)


def _collation(reader: ExpressionReader, nodes: Sequence[Any]) -> str | None:
    """The collation of the first part that has one of its own."""
    for each in nodes:
        if type(each) is s.Operation and each.name == "collate":
            found = _type(reader, each)
            assert isinstance(found, StringType)
            return None if found.collation == DEFAULT_COLLATION else found.collation
    for each in nodes:
        if _is_string(each) or type(each) in (s.LambdaOf, s.StarOf):
            continue
        found = _type(reader, each)
        if isinstance(found, StringType) and found.collation != DEFAULT_COLLATION:
            return found.collation
    return None


def _name(reader: ExpressionReader, node: s.Name) -> str:
    if reader.variables.find(node.parts) is not None:
        return "namedlambdavariable()"
    found = reader.columns.find_here(node.parts)
    if found is None and len(node.parts) == 1 and called_without_parentheses(node.parts[0]):
        called = node.parts[0].lower()
        return "grouping_id()" if called == "grouping__id" else f"{called}()"
    if found is None:
        found = reader.columns.find_beside(node.parts)
        if isinstance(found, OuterReference):
            return _outer_name(reader, found)
        if node.parts[0].lower() in (reader.columns.aliases or ()):
            return f"lateralAliasReference({'.'.join(node.parts)})"
    if found is None or isinstance(found, FieldReference | OuterReference):
        return node.parts[-1]
    return _path_of_field(reader, node)


def _outer_name(reader: ExpressionReader, found: OuterReference) -> str:
    """A column of a query around, as the name of another column has it."""
    around = reader.columns.outer
    for _ in range(found.level - 1):
        assert around is not None
        around = around.outer
    assert around is not None
    return f"outer({'.'.join((*around.schema.qualifiers[found.index], found.name))})"


def _path_of_field(reader: ExpressionReader, node: s.Name) -> str:
    """``s.x`` of a struct's field: the column, and the fields behind it, without the table."""
    parts = node.parts
    columns = reader.columns
    while True:
        for schema in (columns.schema, columns.whole):
            with suppress(UnknownColumnError):
                _, fields = schema.find_path(parts)
                return ".".join(parts[len(parts) - len(fields) - 1 :])
        if columns.outer is None:
            return ".".join(parts)
        columns = columns.outer


def _constant(reader: ExpressionReader, node: s.Constant) -> str:
    return node.shown or literal_text(node.value, zone_of(reader.queries.reading.zone))


def _star(reader: ExpressionReader, node: s.StarOf) -> str:
    return ", ".join(reader.columns.schema.names)


def _operation(reader: ExpressionReader, node: s.Operation) -> str:
    name = node.name
    if name in ("and", "or"):
        found = spell(reader, node.args[0])
        for each in node.args[1:]:
            found = f"({found} {name.upper()} {spell(reader, each)})"
        return found
    if name == "not" and getattr(node.args[0], "name", "") == "is_distinct_from":
        one, other = _texts(reader, node.args[0].args)
        return f"({one} <=> {other})"
    texts = _texts(reader, node.args)
    if name in ("+", "-"):
        moved = _moved(reader, node, texts)
        if moved is not None:
            return moved
    if name == "*" and isinstance(_type(reader, node.args[1]), _INTERVALS):
        texts.reverse()  # an interval stands first, wherever it was written
    if name == "negative":
        return f"(- {texts[0]})"
    if name == "!=":
        return f"(NOT ({texts[0]} = {texts[1]}))"
    if name.startswith("is_not_"):
        return f"(NOT ({texts[0]} <=> {name[7:]}))"
    if name == "collate":
        return f"collate({texts[0]}, {node.shown})"
    if name == "variant_get":
        field = f" AS {node.shown}" if node.shown else ""
        return f"variant_get({', '.join(texts)}){field}"
    if name in ("trim", "ltrim", "rtrim"):
        return call_text(name, texts[::-1])
    if name in ("timestampadd", "timestampdiff"):
        return f"{name}({', '.join(texts)})"
    return call_text(name, texts)


def _moved(reader: ExpressionReader, node: s.Operation, texts: list[str]) -> str | None:
    """A date moved by days, a time moved by an interval."""
    date, by = (_type(reader, each) for each in node.args)
    sign = node.name
    behind = (*_TIMES, StringType) if isinstance(date, _INTERVALS) else _TIMES
    if sign == "+" and isinstance(by, behind) and not isinstance(date, _TIMES):
        date, by = by, date  # the time stands first, wherever it was written
        texts = texts[::-1]
    if sign == "+" and isinstance(date, _TIMES) and isinstance(by, VoidType):
        return f"{texts[0]} + {texts[1]}"
    if isinstance(date, DateType) and isinstance(by, IntegralType):
        return f"date_{'add' if sign == '+' else 'sub'}({texts[0]}, {texts[1]})"
    if isinstance(date, DateType) and isinstance(by, DayTimeIntervalType) and by.end == "DAY":
        days = f"extractansiintervaldays({texts[1]})"
        return f"date_add({texts[0]}, {days if sign == '+' else f'(- {days})'})"
    if any(isinstance(t, _INTERVALS) for t in (date, by)) and any(
        isinstance(t, (*_TIMES, StringType)) for t in (date, by)
    ):
        return f"{texts[0]} {sign} {texts[1]}"
    return None


def _call(reader: ExpressionReader, node: s.Function) -> str:
    text = _plain(reader, node)
    name = node.name[-1].lower()
    if node.order:
        text = _within_group(reader, node, text, name)
    if node.where is not None:
        text = f"{text} FILTER (WHERE {spell(reader, node.where)})"
    if node.nulls == "IGNORE" and name == "nth_value":
        text += " ignore nulls"
    if node.nulls == "RESPECT" and name.startswith("collect_"):
        text += " RESPECT NULLS"
    return text if node.over is None else f"{text} OVER {_window(reader, node)}"


def _plain(reader: ExpressionReader, node: s.Function) -> str:
    if node.name == ("",):
        return _struct_text(reader, node)
    user = reader.queries.world.function(node.name)
    name = ".".join(user.identifier.parts) if user is not None else node.name[-1].lower()
    if name in ("struct",):
        return _struct_text(reader, node, "struct")
    whole = len(node.args) == 1 and type(node.args[0]) is s.StarOf
    if name == "count" and whole and not node.distinct and not node.args[0].qualifier:
        return "count(1)"
    texts = _arguments(reader, node)
    if user is not None:
        return f"{name}({', '.join(texts)})"
    if _is_cast(node):
        return texts[0]
    if name in ("to_char", "to_varchar") and node.args:
        name = "date_format" if isinstance(_type(reader, node.args[0]), _TIMES) else "to_char"
    if name in ("lpad", "rpad") and len(texts) == 2:
        texts.append("X'00'" if isinstance(_type(reader, node.args[0]), BinaryType) else " ")
    if name == "time_bucket" and len(texts) == 2:
        local = isinstance(_type(reader, node.args[1]), TimestampNtzType)
        texts.append(f"TIMESTAMP{'_NTZ' if local else ''} '1970-01-01 00:00:00'")
    return call_text(name, texts, distinct=node.distinct)


def _arguments(reader: ExpressionReader, node: s.Function) -> list[str]:
    """The arguments as they are spelled, those by name in their places."""
    if any(type(each) is s.NamedArgument for each in node.args):
        given = [each for each in node.args if type(each) is not s.NamedArgument]
        named = {each.name: each.value for each in node.args if type(each) is s.NamedArgument}
        placed = positional(function_of(reader, node), given, named)
        return [
            literal_text(each) if isinstance(each, Literal) else spell(reader, each)
            for each in placed
        ]
    if node.name[-1].lower() in _OWN_COLLATIONS:
        return [spell(reader, each) for each in node.args]
    if not any(type(each) is s.StarOf for each in node.args):
        return _texts(reader, node.args)
    texts: list[str] = []
    for each in node.args:
        if type(each) is s.StarOf:
            texts += [item.name for item in reader.star_items(each)]  # type: ignore[attr-defined]
        else:
            texts.append(spell(reader, each))
    return texts


def _struct_text(reader: ExpressionReader, node: s.Function, called: str = "") -> str:
    """``(a, b)`` and ``struct(a, b)``, which are both ``named_struct``."""
    if called:
        texts = [
            f"{spell(reader, each.child)} AS {each.names[0]}"
            if type(each) is s.Aliased
            else spell(reader, each)
            for each in node.args
        ]
        return f"struct({', '.join(texts)})"
    shown: list[str] = []
    for place, each in enumerate(node.args, 1):
        inner = each.child if type(each) is s.Aliased else each
        named = each.names[0] if type(each) is s.Aliased else None
        if named is None and type(each) is s.Name:
            named = each.parts[-1]
        shown += [named or f"col{place}", spell(reader, inner)]
    return f"named_struct({', '.join(shown)})"


def _within_group(reader: ExpressionReader, node: s.Function, text: str, name: str) -> str:
    assert node.order is not None
    if name in ("listagg", "string_agg"):
        keys = ", ".join(_key(reader, key) for key in node.order)
        return f"{text} WITHIN GROUP (ORDER BY {keys})"
    key = node.order[0]
    turned = key.descending is not (name == "mode")
    return f"{text} WITHIN GROUP (ORDER BY {spell(reader, key.child)}{' DESC' if turned else ''})"


def _key(reader: ExpressionReader, key: s.SortKey) -> str:
    direction = "DESC" if key.descending else "ASC"
    nulls = "FIRST" if key.nulls_first else "LAST"
    return f"{spell(reader, key.child)} {direction} NULLS {nulls}"


def _window(reader: ExpressionReader, node: s.Function) -> str:
    window = node.over
    while window.name is not None:
        window = reader.windows[window.name.lower()]
    parts = []
    if window.partition:
        keys = ", ".join(spell(reader, each) for each in window.partition)
        parts.append(f"PARTITION BY {keys}")
    if window.order:
        parts.append("ORDER BY " + ", ".join(_key(reader, key) for key in window.order))
    parts.append(_frame(reader, node, window))
    return f"({' '.join(parts)})"


def _frame(reader: ExpressionReader, node: s.Function, window: s.WindowOf) -> str:
    name = node.name[-1].lower()
    if name in ("lag", "lead"):
        offset = reader.read(node.args[1]) if len(node.args) > 1 else None
        shift = offset.value if isinstance(offset, Literal) else 1
        shift = -shift if name == "lag" else shift
        return f"ROWS BETWEEN {shift} FOLLOWING AND {shift} FOLLOWING"
    if name == "cume_dist":
        return "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    if window.unit is None or window.start is None or window.end is None:
        unit = "ROWS" if name in BY_ROWS or not window.order else "RANGE"
        end = "CURRENT ROW" if window.order or name in BY_ROWS else "UNBOUNDED FOLLOWING"
        return f"{unit} BETWEEN UNBOUNDED PRECEDING AND {end}"
    start, end = (_bound(reader, each, window) for each in (window.start, window.end))
    return f"{window.unit} BETWEEN {start} AND {end}"


def _bound(reader: ExpressionReader, bound: s.Bound, window: s.WindowOf) -> str:
    if bound.offset is None:
        return bound.kind
    text = spell(reader, bound.offset)
    if bound.kind == "PRECEDING" and window.unit == "RANGE" and len(window.order) == 1:
        key = _type(reader, window.order[0].child)
        if not isinstance(key, type(_type(reader, bound.offset)) | DateType):
            return f"(- {text}) FOLLOWING"  # Spark casts what it negated
    return f"{text} {bound.kind}"


def _cast(reader: ExpressionReader, node: s.CastTo) -> str:
    word = "TRY_CAST" if node.lenient else "CAST"
    type_ = session_type(node.type)
    if isinstance(type_, ArrayType | MapType | StructType):
        return spell(reader, node.child)
    ddl = type_.ddl
    target = re.sub(r"DECIMAL\((\d+), (\d+)\)", r"DECIMAL(\1,\2)", ddl)
    return f"{word}({spell(reader, node.child)} AS {target})"


def _subscript(reader: ExpressionReader, node: s.Subscript) -> str:
    base = spell(reader, node.base)
    type_ = _type(reader, node.base)
    inner = type_.element if isinstance(type_, ArrayType) else type_
    key = node.key.value.value if type(node.key) is s.Constant else None
    if isinstance(key, str) and not isinstance(type_, MapType):
        return f"{base}.{key}" if isinstance(inner, StructType) else f"{base}[{key}]"
    return f"{base}[{spell(reader, node.key)}]"


def _field_of(reader: ExpressionReader, node: s.FieldOf) -> str:
    base = spell(reader, node.base)
    return f"{base}[{node.name}]" if _is_map(reader, node.base) else f"{base}.{node.name}"


def _is_map(reader: ExpressionReader, node: Any) -> bool:
    return isinstance(_type(reader, node), MapType)


def _lambda(reader: ExpressionReader, node: s.LambdaOf) -> str:
    from viewscribe.expressions.nodes import LambdaVariable
    from viewscribe.parser.scopes import Variables
    from viewscribe.types import VOID

    before = reader.variables
    known = {name.lower(): LambdaVariable(name, VOID) for name in node.parameters}
    reader.variables = Variables({**before.known, **known})
    try:
        body = spell(reader, node.body)
    finally:
        reader.variables = before
    names = ", ".join(["namedlambdavariable()"] * len(node.parameters))
    return f"lambdafunction({body}, {names})"


def _query(reader: ExpressionReader, node: s.SubQuery) -> str:
    if node.kind == "in":
        operands = ", ".join(spell(reader, each) for each in node.operands)
        shown = operands if len(node.operands) == 1 else f"named_struct({operands})"
        return f"({shown} IN (listquery({_outer_names(reader, node)})))"
    called = {"scalar": "scalarsubquery", "exists": "exists"}[node.kind]
    return f"{called}({_outer_names(reader, node)})"


def _outer_names(reader: ExpressionReader, node: s.SubQuery) -> str:
    """The columns around a sub-query that are used in it."""
    return ", ".join(_outer_columns(reader.query_of(node)))


def _outer_columns(query: Node) -> Iterator[str]:
    """The columns around a query as often as they are used in it."""
    stack: list[tuple[Node, int]] = [(query, 0)]
    while stack:
        found, inside = stack.pop()
        if type(found) is OuterReference:
            if found.level == inside + 1:
                yield found.name
            continue
        inner = [getattr(found, name) for name in found.inner_fields]
        children = [(each, inside + any(each is own for own in inner)) for each in found.children()]
        children.sort(key=lambda pair: isinstance(pair[0], QueryOperation))  # what is below last
        stack += reversed(children)


def _aliased(reader: ExpressionReader, node: s.Aliased) -> str:
    return f"{spell(reader, node.child)} AS {node.names[0]}"


_HANDLERS: dict[type, Callable[[ExpressionReader, Any], str]] = {
    s.Name: _name,
    s.Constant: _constant,
    s.StarOf: _star,
    s.Operation: _operation,
    s.Function: _call,
    s.CastTo: _cast,
    s.Subscript: _subscript,
    s.FieldOf: _field_of,
    s.LambdaOf: _lambda,
    s.SubQuery: _query,
    s.Aliased: _aliased,
}
