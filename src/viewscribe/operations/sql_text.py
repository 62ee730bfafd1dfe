"""SQL text as a source: what it reads and calls, with names made whole, and its plain schema.

sqlglot parses; nothing of the text is rewritten but the names of tables and of functions of users,
which are spelled out in full so that the query means the same whatever database is current later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.schema import Schema
from viewscribe.operations.nodes import SqlText
from viewscribe.operations.sql_given import NEEDS_SCHEMA, check_schema
from viewscribe.operations.sql_names import (
    Edit,
    FunctionResolver,
    called,
    edit,
    edited,
    parsed,
    parts_of,
    tables_of,
)
from viewscribe.types import Field

Resolver = Callable[[Sequence[str]], tuple[tuple[str, ...], tuple[Field, ...]]]
"""From the parts of a name to the full path and the columns of the table it means."""


def sql_text(
    text: str,
    resolve: Resolver,
    find_function: FunctionResolver,
    fields: Sequence[Field] | None = None,
    *,
    by_user: bool = False,
) -> SqlText:
    """A query as an operation.

    Args:
        text: one SELECT (or FROM …, WITH …, VALUES …) statement in Spark SQL.
        resolve: finds tables.
        find_function: finds functions of users.
        fields: the schema; needed unless every output is a plain column of a table.
        by_user: whether the schema is a user's word, and not that of a server or of another engine;
            then it is held against the text.

    Raises:
        ValidationError: not one query, a schema that only Spark can work out, or one that is given
            and not the text's.
    """
    cleaned = text.strip().rstrip(";").rstrip()
    tree = parsed(cleaned)
    tables = tables_of(tree)
    resolved = {id(table): resolve(parts_of(table)) for table in tables}
    calls = list(called(tree, cleaned, find_function))
    edits = [*_tables_in_full(tables, resolved), *_functions_in_full(calls)]
    if fields is None:
        fields = _plain_fields(tree, resolved)
    elif by_user:
        check_schema(tree, resolved, fields, lambda: _plain_fields(tree, resolved))
    paths = {path: None for path, _ in resolved.values()}
    functions = dict.fromkeys(function for _, function in calls)
    return SqlText.of(edited(cleaned, edits), tuple(fields), tuple(paths), tuple(functions))


def tables_read(text: str) -> list[tuple[str, ...]]:
    """The names of the tables and views that a query reads, as they are written, each once.

    Raises:
        ValidationError: the text is not one query.
    """
    names = [tuple(parts_of(each)) for each in tables_of(parsed(text.strip().rstrip(";").rstrip()))]
    return list(dict.fromkeys(names))


def _tables_in_full(tables: Sequence[Any], resolved: dict[int, Any]) -> Iterator[Edit]:
    from viewscribe.types.identifiers import quote_name

    for table in tables:
        yield edit(table.parts, quote_name(resolved[id(table)][0]))


def _functions_in_full(calls: Sequence[tuple[list[Any], UserFunction]]) -> Iterator[Edit]:
    from sqlglot import exp

    for names, function in calls:
        around = names[-1].find_ancestor(exp.Lateral, exp.Table, exp.Select)
        view = isinstance(around, exp.Lateral) and bool(around.args.get("view"))
        makes_rows = function.kind is FunctionKind.GENERATOR and not view
        yield edit(names, function.table_name if makes_rows else function.sql_name)


def _plain_fields(tree: Any, resolved: dict[int, Any]) -> list[Field]:
    """The schema of ``SELECT a, t.b AS c, * FROM t …``: columns of tables and nothing else."""
    from sqlglot import exp

    if not isinstance(tree, exp.Select):
        raise _needs_schema(tree)
    sources: dict[str, tuple[Field, ...]] = {}
    joins = tree.args.get("joins") or []
    outer = any(join.side or join.kind in ("SEMI", "ANTI") for join in joins)
    merged = any(join.args.get("using") or join.args.get("method") for join in joins)
    for item in _from_tables(tree):
        found = resolved.get(id(item))
        if found is None or outer:
            raise _needs_schema(tree)
        sources[(item.alias or item.name).lower()] = found[1]
    fields: list[Field] = []
    for projection in tree.expressions:
        inner = projection.unalias()
        if merged and projection.is_star:  # the columns of USING are there once
            raise _needs_schema(tree)
        if isinstance(inner, exp.Star) and not inner.args.get("except_"):
            fields += [field for columns in sources.values() for field in columns]
        elif isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star):
            if inner.table.lower() not in sources:
                raise _needs_schema(tree)
            fields += sources[inner.table.lower()]
        elif isinstance(inner, exp.Column):
            fields.append(_column(inner, projection.alias_or_name, sources, tree))
        else:
            raise _needs_schema(projection)
    return fields


def _from_tables(tree: Any) -> list[Any]:
    from sqlglot import exp

    start = tree.args.get("from_") or tree.args.get("from")
    if start is None or tree.args.get("laterals") or tree.args.get("pivots"):
        raise _needs_schema(tree)
    items = [start.this, *[join.this for join in tree.args.get("joins") or []]]
    if not all(isinstance(item, exp.Table) and not item.args.get("pivots") for item in items):
        raise _needs_schema(tree)
    return items


def _column(column: Any, name: str, sources: dict[str, tuple[Field, ...]], tree: Any) -> Field:
    wanted = sources.values() if not column.table else [sources.get(column.table.lower(), ())]
    found = [f for columns in wanted for f in columns if f.name.lower() == column.name.lower()]
    if not found and not column.args.get("db") and not _may_be_field(column, sources):
        raise Schema([f for columns in sources.values() for f in columns]).unknown(column.name)
    if len(found) != 1:
        raise _needs_schema(tree)
    return Field(name, found[0].type)


def _may_be_field(column: Any, sources: dict[str, tuple[Field, ...]]) -> bool:
    """Whether what stands before the dot is no table, so perhaps a struct."""
    return bool(column.table) and column.table.lower() not in sources


def _needs_schema(node: Any) -> ValidationError:
    return ValidationError(
        f"the type of `{node.sql(dialect='spark')[:80]}` is only known to Spark",
        code=NEEDS_SCHEMA,
        hint='say the schema: sql_query(text, schema="id INT, total DECIMAL(12, 2)"), or pass '
        "spark=session to ask Spark",
    )
