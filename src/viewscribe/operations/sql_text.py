"""SQL text as a source: what it reads and calls, with names made whole, and its plain schema.

sqlglot parses; nothing of the text is rewritten but the names of tables and of functions of users,
which are spelled out in full so that the query means the same whatever database is current later.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.schema import Schema
from viewscribe.operations.nodes import SqlText
from viewscribe.types import Field

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")

Resolver = Callable[[Sequence[str]], tuple[tuple[str, ...], tuple[Field, ...]]]
"""From the parts of a name to the full path and the columns of the table it means."""

FunctionResolver = Callable[[Sequence[str]], UserFunction | None]
"""From the parts of a name to the function of a user that it means; None for one of Spark's."""

Edit = tuple[int, int, str]
"""From where to where of a text stands what instead."""


def sql_text(
    text: str,
    resolve: Resolver,
    find_function: FunctionResolver,
    fields: Sequence[Field] | None = None,
) -> SqlText:
    """A query as an operation.

    Args:
        text: one SELECT (or FROM …, WITH …, VALUES …) statement in Spark SQL.
        resolve: finds tables.
        find_function: finds functions of users.
        fields: the schema; needed unless every output is a plain column of a table.

    Raises:
        ValidationError: not one query, or a schema that only Spark can work out.
    """
    cleaned = text.strip().rstrip(";").rstrip()
    tree = _parsed(cleaned)
    tables = _tables(tree)
    resolved = {id(table): resolve(_parts(table)) for table in tables}
    called = list(_called(tree, cleaned, find_function))
    edits = [*_tables_in_full(tables, resolved), *_functions_in_full(called)]
    if fields is None:
        fields = _plain_fields(tree, resolved)
    paths = {path: None for path, _ in resolved.values()}
    functions = dict.fromkeys(function for _, function in called)
    return SqlText.of(_edited(cleaned, edits), tuple(fields), tuple(paths), tuple(functions))


def tables_read(text: str) -> list[tuple[str, ...]]:
    """The names of the tables and views that a query reads, as they are written, each once.

    Raises:
        ValidationError: the text is not one query.
    """
    names = [tuple(_parts(table)) for table in _tables(_parsed(text.strip().rstrip(";").rstrip()))]
    return list(dict.fromkeys(names))


def _parsed(text: str) -> Any:
    import sqlglot
    from sqlglot import exp

    try:
        statements = sqlglot.parse(text, read="spark")
    except sqlglot.errors.SqlglotError as error:
        message = _COLOURS.sub("", str(error))
        raise ValidationError(f"the SQL text does not parse: {message}") from error
    if len(statements) != 1 or not isinstance(statements[0], exp.Query | exp.Values):
        raise ValidationError("sql_query() takes one query", hint="no DDL, no second statement")
    return statements[0]


def _tables(tree: Any) -> list[Any]:
    """The table references of the query that are not names of its CTEs."""
    from sqlglot import exp

    return [
        table
        for table in tree.find_all(exp.Table)
        if isinstance(table.this, exp.Identifier)
        and not table.find_ancestor(exp.Hint)  # the alias that a hint is about
        and not (len(_parts(table)) == 1 and _is_step(table))
    ]


def _is_step(table: Any) -> bool:
    """Whether the name means a CTE: one of a query around it, defined before where it stands."""
    from sqlglot import exp

    name: str = table.name.lower()
    node: Any = table
    while node is not None:
        with_ = node.args.get("with_") or node.args.get("with")
        if with_ is not None and _defines(with_, name, before=None):
            return True
        if isinstance(node, exp.CTE) and _defines(node.parent, name, before=node):
            return True
        # What stands in a CTE sees the ones before it, but not those of the query it belongs to.
        around: Any = node.parent
        node = around.parent.parent if isinstance(node, exp.CTE) else around
    return False


def _defines(with_: Any, name: str, before: Any) -> bool:
    for step in with_.expressions:
        if step is before:
            return bool(with_.args.get("recursive")) and step.alias.lower() == name
        if step.alias.lower() == name:
            return True
    return False


def _parts(table: Any) -> list[str]:
    return [part.name for part in table.parts]


def _tables_in_full(tables: Sequence[Any], resolved: dict[int, Any]) -> Iterator[Edit]:
    from viewscribe.types.identifiers import quote_name

    for table in tables:
        yield _edit(table.parts, quote_name(resolved[id(table)][0]))


def _called(
    tree: Any, text: str, find: FunctionResolver
) -> Iterator[tuple[list[Any], UserFunction]]:
    """The functions of users that the query calls, each with the parts of its name."""
    from sqlglot import exp

    for call in tree.find_all(exp.Func):
        if "start" not in call.meta:  # an operator, or written in a way of its own
            continue
        path: list[Any] = []
        around = call.parent
        if isinstance(around, exp.Dot) and around.expression is call:
            path = list(around.this.find_all(exp.Identifier))
            path.sort(key=lambda part: part.meta.get("start", 0))
        # What another dialect has of that name is a class of its own, which knows no name.
        name = text[call.meta["start"] : call.meta["end"] + 1].strip("`")
        function = find([*[part.name for part in path], name])
        if function is not None:
            yield [*path, call], function


def _functions_in_full(called: Sequence[tuple[list[Any], UserFunction]]) -> Iterator[Edit]:
    from sqlglot import exp

    for names, function in called:
        around = names[-1].find_ancestor(exp.Lateral, exp.Table, exp.Select)
        view = isinstance(around, exp.Lateral) and bool(around.args.get("view"))
        makes_rows = function.kind is FunctionKind.GENERATOR and not view
        yield _edit(names, function.table_name if makes_rows else function.sql_name)


def _edit(names: Sequence[Any], full: str) -> Edit:
    metas = [part.meta for part in names]
    if not all("start" in meta for meta in metas):
        raise ValidationError(
            f"cannot tell where `{names[-1].name}` stands in the SQL text",
            hint="write it with its full name: catalog.database.name",
        )
    return metas[0]["start"], metas[-1]["end"] + 1, full


def _edited(text: str, edits: Sequence[Edit]) -> str:
    for start, end, full in sorted(edits, reverse=True):
        text = text[:start] + full + text[end:]
    return text


def _plain_fields(tree: Any, resolved: dict[int, Any]) -> list[Field]:
    """The schema of ``SELECT a, t.b AS c, * FROM t …``: columns of tables and nothing else."""
    from sqlglot import exp

    if not isinstance(tree, exp.Select):
        raise _needs_schema(tree)
    sources: dict[str, tuple[Field, ...]] = {}
    outer = any(join.side or join.kind in ("SEMI", "ANTI") for join in tree.args.get("joins") or [])
    for item in _from_tables(tree):
        found = resolved.get(id(item))
        if found is None or outer:
            raise _needs_schema(tree)
        sources[(item.alias or item.name).lower()] = found[1]
    fields: list[Field] = []
    for projection in tree.expressions:
        inner = projection.unalias()
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
        hint='say the schema: sql_query(text, schema="id INT, total DECIMAL(12, 2)"), or pass '
        "spark=session to ask Spark",
    )
