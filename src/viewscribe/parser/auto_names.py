"""Spark's auto-generated column names, from the syntax as written: ``(a + 1)``, ``sum(b)``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from viewscribe.errors import NotSerializableError, UnknownColumnError
from viewscribe.expressions.auto_names import call_text, is_shown_alike, literal_text
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.nodes import FieldReference, Literal, OuterReference
from viewscribe.expressions.operator_names import Operand, cast_text, operator_text
from viewscribe.expressions.subquery_names import is_outer, outer_names, outer_text, subquery_text
from viewscribe.parser import syntax as s
from viewscribe.parser.calls import call_name, is_call_without_parentheses
from viewscribe.parser.checks import HANDLERS, is_cast, is_map, spell, star_texts, texts_of, type_of
from viewscribe.parser.predicate_names import is_call, is_like_each, name_like_each, operand_of
from viewscribe.types import VOID, ArrayType, BooleanType, LogicalType, MapType, StructType
from viewscribe.types.identifiers import quote_special, zone_of
from viewscribe.types.nested_types import value_type
from viewscribe.types.policy import session_type

if TYPE_CHECKING:
    from viewscribe.parser.values import ExpressionReader


def output_name(reader: ExpressionReader, node: Any) -> str:
    """Returns the output name of a SELECT item."""
    if type(node) is s.Aliased:
        return node.names[0]
    inner = node
    if is_cast(node):  # a single cast does not change the name of a column
        inner = node.child if type(node) is s.CastTo else node.args[0]
        if is_plain_column(reader, inner):
            return str(inner.parts[-1])
        if not _is_path_of_variant(inner):
            return spell(reader, node)
    if type(inner) is s.Name and not is_call(reader, inner):
        return inner.parts[-1]
    if type(inner) is s.Name and inner.parts[-1].lower() == "grouping__id":
        return "grouping__id"
    if _is_path_of_variant(inner):
        return str(inner.shown)
    return spell(reader, node)


def _is_path_of_variant(node: Any) -> bool:
    """Whether the item is a VARIANT path ``v:a.b``, which is named after its last part."""
    return type(node) is s.Operation and node.name == "variant_get" and bool(node.shown)


def is_plain_column(reader: ExpressionReader, node: object) -> bool:
    """Whether something written is a column, and not a field of one; or the alias of an item."""
    if type(node) is not s.Name:
        return False
    return _is_alias_of_item(reader, node) or isinstance(
        reader.read_again(node), FieldReference | OuterReference
    )


def _is_alias_of_item(reader: ExpressionReader, node: s.Name) -> bool:
    """Whether a name is the alias of an item further left, or a field of that item."""
    name = node.parts[0].lower()
    if name in reader.columns.generated:
        return False  # a column that is made below the items
    known = name in (reader.columns.aliases or ())
    return known and reader.columns.find_here(node.parts) is None


def _name(reader: ExpressionReader, node: s.Name) -> str:
    if reader.variables.find(node.parts[:1]) is not None:
        return ".".join(("namedlambdavariable()", *node.parts[1:]))
    found = reader.columns.find_here(node.parts)
    if found is None and len(node.parts) == 1 and is_call_without_parentheses(node.parts[0]):
        called = node.parts[0].lower()
        return call_text(_CALLED.get(called, called), [])
    if found is None:
        found = reader.columns.find_beside(node.parts)
        if _is_alias_of_item(reader, node):
            return f"lateralAliasReference({node.parts[-1]})"
        if found is not None and is_outer(found):
            return outer_text(found)
    if found is None or isinstance(found, FieldReference | OuterReference):
        return node.parts[-1]
    # `s.x` of a struct's field: the column, and the fields behind it, without the table.
    parts = node.parts
    for schema in (reader.columns.schema, reader.columns.whole):
        with suppress(UnknownColumnError):
            index, fields = schema.find_path(parts)
            text, type_ = parts[len(parts) - len(fields) - 1], schema.fields[index].type
            for name in fields:
                text += f"[{name}]" if isinstance(type_, MapType) else f".{name}"
                type_ = _type_within(type_, name)
            return text
    return ".".join(parts)


_CALLED = {
    "grouping__id": "grouping_id",
    "user": "current_user",
    "session_user": "current_user",
}
"""What Spark's parser makes of a function's name without parentheses, if another one."""


def _type_within(type_: LogicalType, name: str) -> LogicalType:
    """The type of a field of a struct, or of the structs in an array; or of a map's values."""
    if isinstance(type_, MapType):
        return type_.value
    if isinstance(type_, ArrayType):
        type_ = type_.element
    fields = type_.fields if isinstance(type_, StructType) else ()
    return next((each.type for each in fields if each.name.lower() == name.lower()), VOID)


def require_shown_alike(reader: ExpressionReader, node: object, value: Literal) -> None:
    """Refuses to name a column after a number that versions of Java show in different ways."""
    if not reader.shows_names:
        return
    if isinstance(value.value, float) and not is_shown_alike(value):
        raise reader.queries.error(
            node,
            f"the name that Spark makes up of {value.value} depends on the version of Java",
            hint="give it an alias: … AS name",
        )


def _constant(reader: ExpressionReader, node: s.Constant) -> str:
    require_shown_alike(reader, node, node.value)
    return node.shown or literal_text(node.value, zone_of(reader.queries.reading.zone))


def _star(reader: ExpressionReader, node: s.StarOf) -> str:
    return ", ".join(star_texts(reader, node))


def _keeps_collations(operator: str) -> bool:
    function = find_built_in(operator)
    # Of equal_null() Spark shows the strings as they are, of the operator <=> it does not.
    return function is not None and function.keeps_collations and operator != "<=>"


def _operation(reader: ExpressionReader, node: s.Operation) -> str:
    name = node.name
    if name in ("and", "or"):
        return _in_halves(name.upper(), [spell(reader, each) for each in node.args])
    if name == "not" and node.shown == "DISTINCT":
        return _operation(reader, s.Operation(node.at, "<=>", node.args[0].args))
    if is_like_each(node):
        return name_like_each(reader, node)
    if _keeps_collations(name):
        texts = [spell(reader, each) for each in node.args]
    else:
        texts = texts_of(reader, node.args)
    pairs = zip(node.args, texts, strict=True)
    typed = operator_text(name, [_operand(reader, each, text) for each, text in pairs])
    if typed is not None:
        return typed
    if node.shown == "UNKNOWN" and _is_constant(node.args[0]):
        return f"({texts[0]} IS {'NOT ' if name == 'isnotnull' else ''}UNKNOWN)"
    if name == "negative":
        return f"(- {texts[0]})"
    if name == "!=":
        return f"(NOT ({texts[0]} = {texts[1]}))"
    if name.startswith("is_not_"):
        return f"(NOT ({texts[0]} <=> {name[7:]}))"
    if name == "collate":
        return f"collate({texts[0]}, {node.shown})"
    if name == "variant_get":
        field = f" AS {quote_special(node.shown)}" if node.shown else ""
        return f"variant_get({', '.join(texts)}){field}"
    if name in ("trim", "ltrim", "rtrim"):
        return call_text(name, texts[::-1])
    if name in ("timestampadd", "timestampdiff"):
        return f"{name}({', '.join(texts)})"
    return call_text(name, texts)


def _in_halves(word: str, texts: Sequence[str]) -> str:
    """Conditions as Spark's parser makes a tree of them, which is no deeper than it must be."""
    if len(texts) == 1:
        return texts[0]
    middle = (len(texts) - 1) // 2 + 1
    return f"({_in_halves(word, texts[:middle])} {word} {_in_halves(word, texts[middle:])})"


def _operand(reader: ExpressionReader, node: Any, text: str) -> Operand:
    value = node.value if type(node) is s.Constant else None
    return Operand(text, lambda: type_of(reader, node), value)


def _is_constant(node: Any) -> bool:
    """Whether only truth values stand here: the name of nothing else keeps UNKNOWN."""
    if type(node) is s.Operation:
        return node.name in ("and", "or", "not") and all(map(_is_constant, node.args))
    return type(node) is s.Constant and isinstance(node.value.type, BooleanType)


def _cast(reader: ExpressionReader, node: s.CastTo) -> str:
    target = value_type(session_type(node.type))
    return cast_text(spell(reader, node.child), target, lenient=node.lenient)


def _subscript(reader: ExpressionReader, node: s.Subscript) -> str:
    base = spell(reader, node.base)
    type_ = type_of(reader, node.base)
    inner = type_.element if isinstance(type_, ArrayType) else type_
    key = node.key.value.value if type(node.key) is s.Constant else None
    if isinstance(key, str) and not isinstance(type_, MapType):
        return f"{base}.{key}" if isinstance(inner, StructType) else f"{base}[{key}]"
    return f"{base}[{spell(reader, node.key)}]"


_PATHS = (s.Name, s.FieldOf, s.Subscript)


def _field_of(reader: ExpressionReader, node: s.FieldOf) -> str:
    base = spell(reader, node.base)
    if not isinstance(node.base, _PATHS) and isinstance(type_of(reader, node.base), ArrayType):
        # Spark's name has what its own objects show of themselves: defaults, options, numbers.
        raise reader.queries.error(
            node,
            f"Spark makes up a name for a field of {base} that nobody can foretell",
            hint="give it an alias: … AS name",
        )
    return f"{base}[{node.name}]" if is_map(reader, node.base) else f"{base}.{node.name}"


def _query(reader: ExpressionReader, node: s.SubQuery) -> str:
    operands = [operand_of(reader, each) for each in node.operands]
    return subquery_text(node.kind, _outer_names(reader, node), operands)


def _outer_names(reader: ExpressionReader, node: s.SubQuery) -> list[str]:
    """Returns the names of a sub-query's outer references."""
    names = outer_names(reader.query_of(node))
    if node.query.ctes and len(set(names)) < len(names):
        raise reader.located(
            NotSerializableError(
                "Spark names this column by what its CTEs use of the columns around, once each",
                hint="give it a name: (WITH …) AS name",
            ),
            node,
        )
    return names


def _alias(reader: ExpressionReader, node: s.Aliased) -> str:
    return f"{spell(reader, node.child)} AS {quote_special(node.names[0])}"


HANDLERS |= {
    s.Name: _name,
    s.Constant: _constant,
    s.StarOf: _star,
    s.Operation: _operation,
    s.Function: call_name,
    s.CastTo: _cast,
    s.Subscript: _subscript,
    s.FieldOf: _field_of,
    s.SubQuery: _query,
    s.Aliased: _alias,
}
