"""The tables and views of a database, and which of them must be looked at to know their names."""

from __future__ import annotations

import re
from typing import NamedTuple

from viewscribe.catalog_store.documents.model import ObjectKind
from viewscribe.catalog_store.hosted.embedded_document import CASED
from viewscribe.spark.session_catalog.descriptions import KIND
from viewscribe.spark.session_catalog.statements import RefusedError, Statements

_VIEW = re.compile(r"^Type: VIEW$", re.MULTILINE)


class Listed(NamedTuple):
    """A table or view of a listing.

    Args:
        name: as Spark has it.
        kind: what it is to Spark.
        is_cased: whether its writer may have spelled it otherwise.
        is_noted: whether it may be of another kind to us.
    """

    name: str
    kind: ObjectKind
    is_cased: bool = False
    is_noted: bool = False


def list_tables(statements: Statements, database: str, *, own: bool) -> list[Listed]:
    """The tables and views of a database, without temporary ones.

    Args:
        statements: to the catalog.
        database: as the catalog spells it.
        own: whether it is the session's own catalog, which tells all in one statement.
    """
    if own:
        try:
            rows = statements.run(f"SHOW TABLE EXTENDED IN {statements.name(database)} LIKE '*'")
        except RefusedError as error:
            if error.condition is None or not error.is_one_of(("UNSUPPORTED", "NOT_SUPPORTED")):
                raise
        else:
            return [_list_objects(row[1], row[3]) for row in rows if not row[2]]
    views = _views(statements, database)
    tables = statements.list_rows(f"SHOW TABLES IN {statements.name(database)}")
    names = {row[1] for row in tables if not row[2]} - views
    return [
        *(Listed(each, "table") for each in names),
        *(Listed(each, "view", True, True) for each in views),
    ]


def _list_objects(name: str, told: str) -> Listed:
    kind: ObjectKind = "view" if _VIEW.search(told) else "table"
    return Listed(name, kind, f"{CASED}=true" in told, f"{KIND}=" in told)


def _views(statements: Statements, database: str) -> set[str]:
    rows = statements.list_rows(f"SHOW VIEWS IN {statements.name(database)}")
    return {row[1] for row in rows if not row[2]}
