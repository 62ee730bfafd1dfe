"""The tables that a SQL text of somebody else reads, and the text with their names in full."""

from __future__ import annotations

from viewscribe.catalog_store.documents import Dependency
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.types.identifiers import quote_name


class UnreadableSqlError(Exception):
    """The text cannot be parsed."""


def qualify(
    sql: str, catalog: str, database: str, *, rewrite: bool
) -> tuple[str, tuple[Dependency, ...]]:
    """The text, and the tables and views that it reads, their names in full.

    Args:
        sql: a query of Spark.
        catalog: where names of two parts are meant.
        database: where names of one part are meant.
        rewrite: whether the text is to say so; only the names of tables are touched.

    Raises:
        UnreadableSqlError: the text is not understood.
    """
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.scope import traverse_scope

    try:
        tree = parse_one(sql, dialect="spark")
        scopes = traverse_scope(tree)
    except (SqlglotError, RecursionError) as error:
        if _reads_nothing(sql):
            return sql, ()
        raise UnreadableSqlError(str(error).partition("\n")[0]) from None
    found: dict[tuple[str, ...], None] = {}
    insertions: dict[int, str] = {}
    for scope in scopes:
        for table in scope.tables:
            parts = tuple(part.name for part in table.parts)
            if len(parts) == 1 and parts[0] in scope.cte_sources:
                continue
            if not all(isinstance(part, exp.Identifier) for part in table.parts):
                raise UnreadableSqlError("a table without a name")
            full = (catalog, database, parts[0]) if len(parts) == 1 else (catalog, *parts)[-3:]
            found[full] = None
            start = table.parts[0].meta.get("start")
            if len(parts) < 3 and rewrite:
                if start is None:
                    raise UnreadableSqlError(f"nothing tells where {'.'.join(parts)} stands")
                insertions[start] = quote_name(full[: 3 - len(parts)]) + "."
    for start in sorted(insertions, reverse=True):
        sql = sql[:start] + insertions[start] + sql[start:]
    return sql, tuple(Dependency("table", name) for name in found)


def qualified_view(
    sql: str, catalog: str, database: str, *, elsewhere: bool, path: str
) -> tuple[str, tuple[Dependency, ...]]:
    """A view's text as it is meant where the view is, and what it reads.

    Args:
        sql: the text.
        catalog: where names of two parts are meant.
        database: where names of one part are meant.
        elsewhere: whether that is not where the view is, so that the text must say it.
        path: the view, for messages.

    Raises:
        DamagedDocumentError: the names are meant elsewhere, and the text is not understood.
    """
    try:
        return qualify(sql, catalog, database, rewrite=elsewhere)
    except UnreadableSqlError as fault:
        if elsewhere:
            raise DamagedDocumentError(
                f"the names of the view are meant in {catalog}.{database}, "
                f"and its text cannot be read: {fault}",
                path=path,
            ) from None
        return sql, ()


def _reads_nothing(sql: str) -> bool:
    """Whether no word of a text that cannot be parsed brings in a table."""
    from sqlglot.dialects.spark import Spark
    from sqlglot.errors import SqlglotError

    try:
        words = {token.text.upper() for token in Spark().tokenize(sql)}
    except SqlglotError:
        return False
    return not words & {"FROM", "JOIN", "TABLE", "USING"}
