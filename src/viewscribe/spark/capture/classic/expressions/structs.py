"""Parts of values: fields of structs, structs made and changed."""

from __future__ import annotations

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Call, FieldReference, ResolvedExpression, alias
from viewscribe.spark.capture.classic.expressions.reader import Expressions, Handler, made_call
from viewscribe.spark.capture.classic.plan import PlanNode, refusal
from viewscribe.types import ArrayType, StructType


def _field(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    child = reader.read(node["child"])
    type_ = child.type.element if isinstance(child.type, ArrayType) else child.type
    assert isinstance(type_, StructType)
    return _field_of(child, type_, node["ordinal"], node)


def _field_of(
    child: ResolvedExpression, type_: StructType, place: int, node: PlanNode
) -> ResolvedExpression:
    name = type_.fields[place].name
    if sum(field.name.lower() == name.lower() for field in type_.fields) > 1:
        raise refusal(
            node,
            f"`{name}` is the name of several fields of {type_.ddl}",
            hint="rename the fields first, with a cast to a STRUCT of other names",
        )
    return made_call(op.GET_FIELD, (child, literal(name)), node)


def _make_struct(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """``struct(a, b)`` where the names are those of columns, else ``named_struct``."""
    children: list[PlanNode] = node["children"]
    names = [each["value"] if each.kind == "Literal" else None for each in children[::2]]
    values = list(reader.read_all(children[1::2]))
    if None not in names and node.extra.get("alias") == "struct":
        items = [_name_fields(value, str(name)) for name, value in zip(names, values, strict=True)]
        made = made_call(built_in("struct"), tuple(items), node)
        if isinstance(made.type, StructType) and [f.name for f in made.type.fields] == names:
            return made
    return reader.call("named_struct", children, node)


def _name_fields(value: ResolvedExpression, name: str) -> ResolvedExpression:
    own = value.name if isinstance(value, FieldReference) else None
    return value if own == name else alias(value, name)


def _rebuild_struct(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """``withField`` and ``dropFields``: SQL makes the struct anew, where there is one."""
    before = reader.read(node["structExpr"])
    assert isinstance(before.type, StructType)
    fields: list[tuple[str, ResolvedExpression]] = [
        (field.name, _field_of(before, before.type, place, node))
        for place, field in enumerate(before.type.fields)
    ]
    for change in node["fieldOps"]:
        name = change["name"]
        if change.kind == "DropField":
            fields = [(n, v) for n, v in fields if n.lower() != name.lower()]
            continue
        value = reader.read(change["valExpr"])
        if any(n.lower() == name.lower() for n, _ in fields):
            fields = [(name, value) if n.lower() == name.lower() else (n, v) for n, v in fields]
        else:
            fields.append((name, value))
    args = [each for name, value in fields for each in (literal(name), value)]
    made = made_call(built_in("named_struct"), tuple(args), node)
    if not before.type.nullable:
        return made
    there = Call(op.IS_NOT_NULL, (before,), op.IS_NOT_NULL.infer((before,)))
    return made_call(built_in("case"), (there, made), node)


HANDLERS: dict[str, Handler] = {
    "GetStructField": _field,
    "GetArrayStructFields": _field,
    "CreateNamedStruct": _make_struct,
    "UpdateFields": _rebuild_struct,
}
