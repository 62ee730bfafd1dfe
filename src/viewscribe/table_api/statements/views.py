"""Statements about views."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NoReturn, cast

import msgspec

from viewscribe.catalog_store import AlreadyExistsError
from viewscribe.errors import ValidationError
from viewscribe.operations.base import with_witness
from viewscribe.parser.grammar.statements import StatementGrammar, ViewOf
from viewscribe.parser.scopes import rename
from viewscribe.parser.tokens import show_place
from viewscribe.table_api.statements.result import Result, Statement
from viewscribe.table_api.table import Table
from viewscribe.table_api.text_reader import read_in
from viewscribe.types.identifiers import parse_name, quote_name
from viewscribe.types.lexemes import Witness

if TYPE_CHECKING:
    from viewscribe.catalog_store import ViewDocument
    from viewscribe.operations.base import QueryOperation
    from viewscribe.table_api.environment import TableEnvironment


Dropped = Collection[str] | bool
"""Engines that a view has no text for any more, or True for all."""


def view_columns(operation: QueryOperation, text: str, view: ViewOf) -> QueryOperation:
    """The query of a CREATE VIEW, under the names that it gives to its columns."""
    if not view.columns:
        return operation
    if len(view.columns) != len(operation.schema):
        raise ValidationError(
            f"{len(view.columns)} names for {len(operation.schema)} columns",
            location=show_place(text, view.at),
            hint=f"the query gives: {', '.join(operation.schema.names)}",
        )
    names = tuple(name for name, _ in view.columns)
    return operation if names == operation.schema.names else rename(operation, names)


def create_view(
    env: TableEnvironment,
    text: str,
    view: ViewOf,
    *,
    origin: str | None = None,
    witness: Witness | None = None,
    drop_dialects: Dropped = (),
) -> None:
    """Makes the view of a CREATE VIEW.

    Args:
        env: the environment.
        text: the statement, or a query.
        view: what the statement says.
        origin: where the text came from.
        witness: the text of the author, where ``text`` is a translation of it.
        drop_dialects: other engines that a replaced view has no SQL for any more.
    """
    query = read_in(env, text, None, view.start, origin=origin)
    operation = view_columns(query, text, view)
    witness = witness or query.witness
    if witness is not None:  # whose columns may have got other names
        columns = tuple(name for name, _ in view.columns)
        author = msgspec.structs.replace(witness.text, columns=columns)
        operation = with_witness(operation, witness._replace(text=author))
    table, name = Table(env, operation), quote_name(view.name)
    try:
        if view.temporary:
            env.create_temporary_view(name, table, or_replace=view.replace)
        else:
            env.create_view(
                name,
                table,
                or_replace=view.replace,
                comment=view.comment,
                properties=view.properties,
                column_comments={
                    column: comment for column, comment in view.columns if comment is not None
                },
                drop_dialects=drop_dialects,
            )
    except AlreadyExistsError:
        if not view.lenient:
            raise


def _create(
    env: TableEnvironment, grammar: StatementGrammar, drop_dialects: Dropped = ()
) -> Result:
    grammar.go_to(0)
    view, text = grammar.create_view(), grammar.text
    create_view(env, text, view, origin="CREATE VIEW", drop_dialects=drop_dialects)
    return Result()


def _drop(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    lenient = grammar.took("IF", "EXISTS")
    name = grammar.path()
    grammar.finish()
    if len(name) == 1 and env.catalogs.temporary(name[0]) is not None:
        env.drop_temporary_view(quote_name(name))
    else:
        env.drop_view(quote_name(name), if_exists=lenient)
    return Result()


def _drop_temporary(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    lenient = grammar.took("IF", "EXISTS")
    name = grammar.single_name()
    grammar.finish()
    env.drop_temporary_view(name, if_exists=lenient)
    return Result()


def _alter(env: TableEnvironment, grammar: StatementGrammar, drop_dialects: Dropped = ()) -> Result:
    name = quote_name(grammar.path())
    begin = grammar.at
    if grammar.took("WITH", "SCHEMA"):
        raise grammar.error(
            "ALTER VIEW … WITH SCHEMA is not read: a stored view has the columns and types that "
            "it was made with",
            begin,
            hint="make it anew: ALTER VIEW … AS query",
        )
    if grammar.took("AS") or grammar.word in ("SELECT", "WITH", "FROM", "VALUES", "TABLE"):
        _alter_query(env, name, grammar, drop_dialects)
    elif drop_dialects:
        return refuse_dropping(env, grammar, drop_dialects)
    elif grammar.took("RENAME", "TO"):
        to = quote_name(grammar.path())
        grammar.finish()
        env.rename_view(name, to)
    elif grammar.took("SET", "TBLPROPERTIES"):
        given = grammar.properties()
        grammar.finish()
        view = env.get_view(name)
        _store(env, name, {**view.properties, **given})
    elif grammar.took("UNSET", "TBLPROPERTIES"):
        _unset(env, name, grammar)
    else:
        raise grammar.expected(
            "AS and a query, RENAME TO, SET TBLPROPERTIES or UNSET TBLPROPERTIES"
        )
    return Result()


def _alter_query(
    env: TableEnvironment, name: str, grammar: StatementGrammar, drop_dialects: Dropped
) -> None:
    """ALTER VIEW … AS: another query; the rest stays, as in every replacement."""
    table = Table(env, read_in(env, grammar.text, None, grammar.at, origin="ALTER VIEW"))
    if env.catalogs.temporary(name) is not None:
        env.create_temporary_view(name, table, or_replace=True)
        return
    style = env.get_view(name).style
    env.create_view(name, table, or_replace=True, style=style, drop_dialects=drop_dialects)


def refuse_dropping(_: TableEnvironment, grammar: StatementGrammar, __: Dropped) -> NoReturn:
    """Raises for texts that are to be dropped by a statement that makes none anew."""
    raise grammar.error(
        "drop_dialects is for statements that give a view another query",
        0,
        hint="CREATE OR REPLACE VIEW, and ALTER VIEW … AS",
    )


def _unset(env: TableEnvironment, name: str, grammar: StatementGrammar) -> None:
    lenient = grammar.took("IF", "EXISTS")
    begin, names = grammar.at, grammar.property_names()
    grammar.finish()
    view = env.get_view(name)
    missing = [each for each in names if each not in view.properties]
    if missing and not lenient:
        raise grammar.error(
            f"the view {name} has no property {missing[0]!r}",
            begin,
            hint="write UNSET TBLPROPERTIES IF EXISTS (…)",
        )
    kept = {key: value for key, value in view.properties.items() if key not in names}
    _store(env, name, kept)


def _store(env: TableEnvironment, name: str, properties: dict[str, str]) -> None:
    """Stores a view with other properties."""
    stored = env.catalogs.get("view", parse_name(name))
    path = env.catalogs.resolve(parse_name(name))
    made = msgspec.structs.replace(cast("ViewDocument", stored.document), properties=properties)
    env.catalogs.save(made, catalog=path.catalog, expected=stored.token)


VIEWS: dict[str, Statement] = {
    "CREATE OR REPLACE TEMPORARY VIEW": _create,
    "CREATE OR REPLACE TEMP VIEW": _create,
    "CREATE OR REPLACE GLOBAL": _create,
    "CREATE TEMPORARY VIEW": _create,
    "CREATE TEMP VIEW": _create,
    "CREATE GLOBAL": _create,
    "CREATE OR REPLACE VIEW": _create,
    "CREATE VIEW": _create,
    "ALTER VIEW": _alter,
    "DROP TEMPORARY VIEW": _drop_temporary,
    "DROP VIEW": _drop,
}

REPLACING: dict[str, Callable[[TableEnvironment, StatementGrammar, Dropped], Result]] = {
    "CREATE OR REPLACE VIEW": _create,
    "ALTER VIEW": _alter,
}
"""Those that may take texts for other engines from a view, by their first words."""
