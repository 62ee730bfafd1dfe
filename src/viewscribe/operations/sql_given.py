"""A schema given for a SQL text, held against what can be seen of the text without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.schema import Schema
from viewscribe.types import Field

NEEDS_SCHEMA = "NeedsSchemaError"
"""The code of the error for text whose columns only Spark can work out."""

_NO_COLUMNS = frozenset(
    (
        *("current_catalog", "current_database", "current_schema", "current_date", "current_time"),
        *("current_timestamp", "current_user", "session_user", "user", "localtimestamp"),
        *("grouping__id", "_metadata"),
    )
)
"""Names that mean something without being columns of a table."""

_HINT = "say what the text gives: the schema is not used to rename or convert anything"


def check_schema(
    tree: Any,
    resolved: Mapping[int, Any],
    fields: Sequence[Field],
    plain_fields: Callable[[], Sequence[Field]],
) -> None:
    """Refuses a schema that is not the text's, as far as that shows.

    Args:
        tree: the parsed text.
        resolved: path and columns of each table in it, by identity.
        fields: the schema.
        plain_fields: the text's own columns; raises an error of the code ``NEEDS_SCHEMA`` where
            only Spark knows them.

    Raises:
        ValidationError: their number, a name or a type differs, or the text calls a column that
            none of its tables has.
    """
    try:
        own: Sequence[Field] | None = plain_fields()
    except ValidationError as error:
        if error.code != NEEDS_SCHEMA:
            raise
        own = None
    names = [each.name for each in own] if own is not None else _names(tree)
    if names is not None:
        _check_names(names, fields)
    _check_types(own or (), fields)
    _check_columns(tree, resolved)


def check_columns(own: Sequence[Field], fields: Sequence[Field]) -> None:
    """Refuses a schema that is not the one that a text has.

    Args:
        own: the columns of the text.
        fields: the schema that was given for it.

    Raises:
        ValidationError: their number, a name or a type differs.
    """
    _check_names([field.name for field in own], fields)
    _check_types(own, fields)


def _check_types(own: Sequence[Field], fields: Sequence[Field]) -> None:
    for place, field in enumerate(own):
        given = fields[place].type
        if given.as_nullable().ddl != field.type.as_nullable().ddl:
            raise ValidationError(
                f"column `{field.name}` of the text is {field.type.ddl}, and in its schema "
                f"{given.ddl}",
                hint=_HINT,
            )


def _check_names(names: Sequence[str | None], fields: Sequence[Field]) -> None:
    if len(names) != len(fields):
        raise ValidationError(
            f"the text gives {len(names)} columns, and its schema has {len(fields)}",
            location=", ".join(field.name for field in fields),
            hint=_HINT,
        )
    for name, field in zip(names, fields, strict=True):
        if name is not None and name.lower() != field.name.lower():
            raise ValidationError(
                f"a column of the text is called `{name}`, and `{field.name}` in its schema",
                hint=f"write … AS {field.name} in the text, or {name} in the schema",
            )


def _names(tree: Any) -> list[str | None] | None:
    """The names of the columns, None for those that Spark makes up; None where nobody can count."""
    from sqlglot import exp

    while isinstance(tree, exp.SetOperation | exp.Subquery):
        tree = tree.this
    if not isinstance(tree, exp.Select) or not tree.expressions:
        return None
    found: list[str | None] = []
    for item in tree.expressions:
        inner = item.unalias()
        if item.is_star or isinstance(item, exp.Aliases) or _may_make_several(inner):
            return None
        named = isinstance(item, exp.Alias | exp.Column)
        found.append(item.alias_or_name if named else None)
    return found


def _may_make_several(call: Any) -> bool:
    """Whether an item may be several columns: a generator, or a function that is not known here."""
    from sqlglot import exp

    return isinstance(call, exp.UDTF | exp.Explode | exp.Inline | exp.Anonymous | exp.Columns)


def _check_columns(tree: Any, resolved: Mapping[int, Any]) -> None:
    """Every column of a SELECT over known tables alone is one of theirs, or an alias of SELECT."""
    from sqlglot import exp

    for select in tree.find_all(exp.Select):
        start = select.args.get("from_") or select.args.get("from")
        joins = select.args.get("joins") or []
        items = [] if start is None else [start.this, *[join.this for join in joins]]
        known = [resolved.get(id(item)) for item in items]
        inside = select.parent is not None  # it may see the columns of the query around it
        if inside or not items or None in known or select.args.get("laterals"):
            continue
        if any(item.args.get("pivots") or item.args.get("joins") for item in items):
            continue
        schema = Schema([field for found in known if found for field in found[1]])
        aliases = {item.alias.lower() for item in select.expressions if item.alias}
        tables = {(item.alias or item.name).lower() for item in items}
        for column in _columns_of(select):
            first = column.parts[0].name
            if first.lower() in tables and len(column.parts) > 1:
                first = column.parts[1].name
            folded = first.lower()
            elsewhere = folded in aliases | _NO_COLUMNS | tables or len(column.parts) > 2
            if not elsewhere and folded not in schema.by_name:
                raise schema.unknown(first)


def _columns_of(select: Any) -> Iterator[Any]:
    """The columns that a SELECT calls itself, without those of sub-queries and of lambdas."""
    from sqlglot import exp

    stack = [value for value in select.args.values() if value is not None]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack += node
        elif isinstance(node, exp.Column):
            if not isinstance(node.this, exp.Star):
                yield node
        elif isinstance(node, exp.Expression) and not isinstance(
            node, exp.Query | exp.Lambda | exp.Table | exp.With | exp.Hint
        ):
            stack += [value for value in node.args.values() if value is not None]
