"""Where ``*`` may stand, and what ``* EXCEPT (a, s.f)`` leaves: structs may lose fields, too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from viewscribe.errors import SqlSyntaxError, ValidationError
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import ResolvedExpression, alias, make_call, strip_alias
from viewscribe.parser import syntax as s
from viewscribe.parser.scopes import with_fields
from viewscribe.parser.tokens import show_place
from viewscribe.types import StructType

if TYPE_CHECKING:
    from viewscribe.parser.queries import QueryReader
    from viewscribe.parser.values import ExpressionReader

Path = tuple[str, ...]


def refuse_stars(queries: QueryReader, written: object, where: str) -> None:
    """Refuses ``*`` for columns: outside of SELECT and WHERE, Spark takes ``count(*)`` alone.

    Args:
        queries: knows the text.
        written: what stands in a clause.
        where: how the clause is called.
    """
    if not written:
        return
    counted: set[int] = set()
    for each in s.every(written, sub_queries=False):
        if type(each) is s.Function and each.name[-1].lower() == "count" and not each.distinct:
            counted.update(map(id, each.args))
        elif type(each) is s.StarOf and id(each) not in counted:
            raise queries.error(each, f"`*` cannot stand in {where}", "name the columns")


def without(
    reader: ExpressionReader,
    items: Sequence[ResolvedExpression],
    node: s.StarOf,
    base: ResolvedExpression | None = None,
) -> list[ResolvedExpression]:
    """The items of a star without what its EXCEPT names.

    Args:
        reader: knows what names mean.
        items: what the star stands for.
        node: the star.
        base: the struct whose fields it stands for, in which the names are then looked up.
    """
    gone: list[list[Path]] = [[] for _ in items]
    columns = reader.columns
    # Spark takes every copy of a column away: here a name of several columns stays ambiguous.
    operation, columns.operation = columns.operation, None
    try:
        found = [_find(reader, items, node, parts, base) for parts in node.without]
    finally:
        columns.operation = operation
    for parts, (place, path) in zip(node.without, found, strict=True):
        if any(_overlap(path, other) for other in gone[place]):
            raise _error(reader, node, f"`{'.'.join(parts)}` is in EXCEPT twice")
        gone[place].append(path)
    return [
        alias(_without_fields(strip_alias(item), paths), item.name) if paths else item  # type: ignore[attr-defined]
        for item, paths in zip(items, gone, strict=True)
        if () not in paths
    ]


def _find(
    reader: ExpressionReader,
    items: Sequence[ResolvedExpression],
    node: s.StarOf,
    parts: Path,
    base: ResolvedExpression | None,
) -> tuple[int, Path]:
    """The item that a name belongs to, and the fields of it that the name goes on with."""

    known = [strip_alias(each) for each in items]
    if base is None and node.qualifier:  # first among the table's own columns
        own = _find_own(reader, known, node, parts)
        if own is not None:
            return own

    def read(names: Path) -> ResolvedExpression:
        if base is not None:
            return with_fields(base, names)
        return reader.read(s.Name(node.at, names))

    read(parts)  # which says what is wrong with a name that there is not
    for count in range(len(parts), 0, -1):
        if count < len(parts) and not _is_name(reader, parts[:count], base):
            break
        found = read(parts[:count])
        if found in known:
            return known.index(found), parts[count:]
    raise _error(reader, node, f"`{'.'.join(parts)}` is not among the columns of the star")


def _find_own(
    reader: ExpressionReader, known: Sequence[ResolvedExpression], node: s.StarOf, parts: Path
) -> tuple[int, Path] | None:
    """The item, and the fields of it, that a name means among the columns of one table."""
    for count in range(len(parts), 0, -1):
        try:
            found = reader.read(s.Name(node.at, (*node.qualifier, *parts[:count])))
        except ValidationError:
            continue
        if found in known:
            return known.index(found), parts[count:]
    return None


def _overlap(one: Path, other: Path) -> bool:
    """Whether the one is the other, or stands around it; in any case of letters."""
    pairs = zip(one, other, strict=False)
    return all(a.lower() == b.lower() for a, b in pairs)


def _error(reader: ExpressionReader, node: s.StarOf, message: str) -> SqlSyntaxError:
    return SqlSyntaxError(message, location=show_place(reader.queries.text, node.at))


def _is_name(reader: ExpressionReader, parts: Path, base: ResolvedExpression | None) -> bool:
    return base is not None or reader.columns.find_here(parts) is not None


def _without_fields(base: ResolvedExpression, paths: Iterable[Path]) -> ResolvedExpression:
    """A struct without fields, or without fields of its fields."""
    assert isinstance(base.type, StructType)
    folded = [tuple(name.lower() for name in path) for path in paths]
    args: list[ResolvedExpression] = []
    for field in base.type.fields:
        inside = [path[1:] for path in folded if path[0] == field.name.lower()]
        if () in inside:
            continue
        value = make_call(op.GET_FIELD, (base, literal(field.name)))
        args += [literal(field.name), _without_fields(value, inside) if inside else value]
    if not args:
        raise ValidationError(
            f"EXCEPT leaves no field of `{base.as_summary_string()}`", hint="name the whole struct"
        )
    return make_call(built_in("named_struct"), tuple(args))
