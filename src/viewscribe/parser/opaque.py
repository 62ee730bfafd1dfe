"""SQL text that is not read: a leaf of which the names and the schema are known.

Nothing of the text is rewritten but the names of tables and of functions of users, which are
written in full so that the query means the same whatever database is current later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from viewscribe.errors import UnknownColumnError, ValidationError, ViewscribeError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import CatalogSource, SqlText
from viewscribe.operations.reach import is_place
from viewscribe.parser import syntax as s
from viewscribe.parser.grammar import Reading, read_query
from viewscribe.parser.names import FunctionResolver, edit, read_names, written_name
from viewscribe.parser.read import deeply, read_sql
from viewscribe.types import Field
from viewscribe.types.identifiers import quote_name

NEEDS_SCHEMA = "NeedsSchemaError"
"""The code of the error for text whose columns only Spark can work out."""

_HINT = "say what the text gives: the schema is not used to rename or convert anything"

Resolver = Callable[[Sequence[str]], tuple[tuple[str, ...], tuple[Field, ...]]]
"""From the parts of a name to the full path and the columns of the table it means."""


class _ResolvedWorld:
    """Tables and functions as two callables find them."""

    def __init__(self, resolve: Resolver, find_function: FunctionResolver) -> None:
        self._resolve = resolve
        self._find = find_function

    def table(self, parts: Sequence[str]) -> QueryOperation:
        return CatalogSource.of(*self._resolve(parts))

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        return self._find(parts)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        raise ValidationError(f"`{'.'.join(parts)}` is a function of tables, which stays text")


def sql_text(
    text: str,
    resolve: Resolver,
    find_function: FunctionResolver,
    fields: Sequence[Field] | None = None,
    *,
    by_user: bool = False,
    reading: Reading | None = None,
) -> SqlText:
    """A query as an operation that is not looked into.

    Args:
        text: one query in Spark SQL.
        resolve: finds tables.
        find_function: finds functions of users.
        fields: the schema; needed where the text is not read.
        by_user: whether the schema is a user's word, and not that of a server or of another engine;
            then it is held against the text.
        reading: the settings that decide how the text is read.

    Raises:
        ValidationError: not one query, a schema that only Spark can work out, or one that is given
            and not the text's.
    """
    cleaned = text.strip().rstrip(";").rstrip()
    names = read_names(cleaned, reading)
    tables = (each for each in names.tables if not is_place(each.parts))
    paths = {table: resolve(table.parts)[0] for table in tables}
    calls = [(each, find_function(each.parts)) for each in names.functions]
    users = [(each, function) for each, function in calls if function is not None]
    edits = [(table.start, table.end, quote_name(path)) for table, path in paths.items()]
    edits += [(each.start, each.end, written_name(each, function)) for each, function in users]
    if fields is None or by_user:
        fields = _check(cleaned, _ResolvedWorld(resolve, find_function), fields, reading)
    return SqlText.of(
        edit(cleaned, edits),
        tuple(fields),
        tuple(dict.fromkeys(paths.values())),
        tuple(dict.fromkeys(function for _, function in users)),
    )


def _check(
    text: str, world: _ResolvedWorld, fields: Sequence[Field] | None, reading: Reading | None
) -> Sequence[Field]:
    """The schema of a text, or the one that is given for it if it can be the text's."""
    try:
        own = read_sql(text, world, reading or Reading()).schema.fields
    except UnknownColumnError:
        raise
    except ViewscribeError as error:
        if fields is None:
            raise _needs_schema(text, error) from error
        names = _item_names(deeply(lambda: read_query(text, reading)).body)
        if names is not None:
            _check_names(names, fields)
        return fields
    if fields is None:
        return own
    check_columns(own, fields)
    return fields


def _needs_schema(text: str, error: ViewscribeError) -> ValidationError:
    shown = " ".join(text.split())
    return ValidationError(
        f"the type of `{shown[:80]}` is only known to Spark: {error.message}",
        code=NEEDS_SCHEMA,
        location=error.location,
        hint='say the schema: sql_query(text, schema="id INT, total DECIMAL(12, 2)"), or pass '
        "spark=session to ask Spark",
    )


def check_columns(own: Sequence[Field], fields: Sequence[Field]) -> None:
    """Refuses a schema that is not the one that a text has.

    Args:
        own: the columns of the text.
        fields: the schema that was given for it.

    Raises:
        ValidationError: their number, a name or a type differs.
    """
    _check_names([field.name for field in own], fields)
    for field, given in zip(own, fields, strict=True):
        if given.type.as_nullable().ddl != field.type.as_nullable().ddl:
            raise ValidationError(
                f"column `{field.name}` of the text is {field.type.ddl}, and in its schema "
                f"{given.type.ddl}",
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


def names_in(text: str) -> list[str] | None:
    """The names that a query gives its columns; None where its text alone does not say them all."""
    names = _item_names(deeply(lambda: read_query(text, None)).body)
    if names is None or None in names:
        return None
    return [each for each in names if each is not None]


def _item_names(body: Any) -> list[str | None] | None:
    """The names of the columns, None for those that Spark makes up; None where nobody can count."""
    while type(body) in (s.Combined, s.QueryOf):
        body = body.left if type(body) is s.Combined else body.body
    if type(body) is not s.SelectOf:
        return None
    found: list[str | None] = []
    for item in body.items:
        if type(item) is s.Aliased and len(item.names) == 1:
            found.append(item.names[0])
        elif type(item) is s.Name:
            found.append(item.parts[-1])
        elif type(item) in (s.Aliased, s.StarOf, s.Function):  # a function may make several
            return None
        else:
            found.append(None)
    return found
