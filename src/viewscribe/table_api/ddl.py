"""``env.execute_sql``: the DDL of functions, views, databases and catalogs.

After the statements of the function catalog document and of Spark SQL; a statement that is not
listed in ``STATEMENTS`` is refused with the list.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import (
    FunctionParameter,
    FunctionSource,
    Language,
)
from viewscribe.table_api.statements import Reader
from viewscribe.types import LogicalType, StructType

if TYPE_CHECKING:
    from viewscribe.expressions.functions.catalog import FunctionCatalog
    from viewscribe.table_api.environment import TableEnvironment


class Result(msgspec.Struct, frozen=True):
    """What a statement gives: rows under column names; none for a statement that only acts.

    Args:
        columns: the names of the columns.
        rows: the rows.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    def __str__(self) -> str:
        return "\n".join("  ".join(row) for row in self.rows)


def execute(env: TableEnvironment, text: str) -> Result:
    """Runs one statement.

    Raises:
        ValidationError: the statement does not parse, or is none of those there are.
        ViewscribeError: what the statement asks for cannot be done.
    """
    reader = Reader(text)
    for words, statement in STATEMENTS.items():
        if reader.takes(words):
            result = statement(env, reader)
            reader.finish()
            return result
    raise ValidationError(
        f"execute_sql() has no such statement: {reader.start()!r}",
        hint=f"there are: {', '.join(sorted(STATEMENTS))}; a query goes through sql_query(…)",
    )


# -- functions ------------------------------------------------------------------------------------


def _create_function(env: TableEnvironment, reader: Reader) -> Result:
    lenient = reader.takes("IF NOT EXISTS")
    name, source = reader.name(), _source(reader)
    env.functions.create(name, source, if_not_exists=lenient)
    return Result()


def _replace_function(env: TableEnvironment, reader: Reader) -> Result:
    name, source = reader.name(), _source(reader)
    if not env.functions.alter(name, source, if_exists=True):
        env.functions.create(name, source)
    return Result()


def _create_temporary(env: TableEnvironment, reader: Reader) -> Result:
    lenient = reader.takes("IF NOT EXISTS")
    name, source = reader.name(), _source(reader)
    env.functions.register_temporary_catalog(name, source, if_not_exists=lenient)
    return Result()


def _create_temporary_system(env: TableEnvironment, reader: Reader) -> Result:
    lenient = reader.takes("IF NOT EXISTS")
    name, source = (reader.single_name(),), _source(reader)
    env.functions.register_temporary_system(name, source, if_not_exists=lenient)
    return Result()


def _alter(change: str, single: bool = False) -> Callable[[TableEnvironment, Reader], Result]:
    def statement(env: TableEnvironment, reader: Reader) -> Result:
        lenient = reader.takes("IF EXISTS")
        name = (reader.single_name(),) if single else reader.name()
        functions: FunctionCatalog = env.functions
        getattr(functions, change)(name, _source(reader), if_exists=lenient)
        return Result()

    return statement


def _drop(drop: str, single: bool = False) -> Callable[[TableEnvironment, Reader], Result]:
    def statement(env: TableEnvironment, reader: Reader) -> Result:
        lenient = reader.takes("IF EXISTS")
        name = (reader.single_name(),) if single else reader.name()
        reader.finish()
        getattr(env.functions, drop)(name, if_exists=lenient)
        return Result()

    return statement


def _source(reader: Reader) -> FunctionSource:
    """``(x INT) RETURNS INT … RETURN x + 1`` or ``[…] AS 'class' [LANGUAGE …] [USING JAR …]``."""
    parameters = reader.columns() if reader.at("(") else None
    returns: LogicalType | None = None
    kind = FunctionKind.SCALAR
    if reader.takes("RETURNS TABLE"):
        fields = reader.columns()
        returns, kind = StructType(fields=tuple(each.field for each in fields)), _TABLE
    elif reader.takes("RETURNS"):
        returns = reader.type()
    language, reference, body, comment, deterministic = None, None, None, None, True
    resources: list[str] = []
    while not reader.done:
        if reader.takes("LANGUAGE"):
            language = _language(reader.word())
        elif reader.takes("AGGREGATE"):
            kind = FunctionKind.AGGREGATE
        elif reader.takes("COMMENT"):
            comment = reader.string()
        elif reader.takes("NOT DETERMINISTIC"):
            deterministic = False
        elif reader.takes("DETERMINISTIC"):
            deterministic = True
        elif reader.takes("CONTAINS SQL") or reader.takes("READS SQL DATA"):
            continue
        elif reader.takes("USING JAR") or reader.takes("JAR"):
            resources.append(reader.string())
        elif reader.takes("USING FILE") or reader.takes("USING ARCHIVE") or reader.takes("FILE"):
            raise ValidationError(
                "a function is made of jars: USING JAR '…'",
                hint="give the session files and archives with ADD FILE and ADD ARCHIVE",
            )
        elif reader.takes("AS"):
            reference = reader.string()
        elif reader.takes("RETURN"):
            body = reader.rest()
        elif not reader.takes(","):
            raise reader.unexpected("AS 'class', RETURN expression, LANGUAGE, COMMENT or USING JAR")
    if body is not None:
        language = Language.SQL
    named = None
    if parameters is not None:
        named = tuple(
            FunctionParameter(p.field.name, p.field.type, p.default, p.field.comment)
            for p in parameters
        )
    return FunctionSource(
        kind=kind,
        language=language or Language.JAVA,
        parameters=named if named is not None or body is None else (),
        returns=returns,
        reference=reference,
        body=body,
        deterministic=deterministic,
        comment=comment,
        resources=tuple(resources),
    )


_TABLE = FunctionKind.GENERATOR


def _language(word: str) -> Language:
    try:
        return Language[word.upper()]
    except KeyError:
        known = ", ".join(each.name for each in Language)
        raise ValidationError(f"no language {word}", hint=f"there are {known}") from None


def _show(listing: str) -> Callable[[TableEnvironment, Reader], Result]:
    def statement(env: TableEnvironment, reader: Reader) -> Result:
        names = getattr(env.functions, listing)()
        return _listed("function", _matching(names, reader))

    return statement


def _show_of_database(listing: str) -> Callable[[TableEnvironment, Reader], Result]:
    """``… [IN database] [LIKE 'a*']``: the listing of a database, by default the current one."""

    def statement(env: TableEnvironment, reader: Reader) -> Result:
        database = reader.name() if reader.takes("IN") or reader.takes("FROM") else None
        names = getattr(env.functions, listing)(database)
        return _listed("function", _matching(names, reader))

    return statement


def _matching(names: list[str], reader: Reader) -> list[str]:
    """The names that ``LIKE 'a*|b*'`` leaves, as SHOW FUNCTIONS of Spark reads patterns."""
    if reader.done:
        return names
    reader.takes("LIKE")
    wanted = [
        re.compile(re.escape(part.strip()).replace(r"\*", ".*"), re.IGNORECASE)
        for part in reader.string().split("|")
    ]
    return [name for name in names if any(pattern.fullmatch(name) for pattern in wanted)]


def _describe(env: TableEnvironment, reader: Reader) -> Result:
    extended = reader.takes("EXTENDED")
    found = env.functions.lookup(reader.name())
    function = found.function
    rows = [("Function", str(found.identifier)), ("Kind", f"{found.origin.value} function")]
    rows += [("Usage", f"{function.signature} - {function.doc}")]
    if extended:
        rows += [("Deterministic", str(function.deterministic).lower())]
        rows += [("Aliases", ", ".join(function.aliases))] if function.aliases else []
        rows += [("Since", function.since)] if function.since else []
        source = getattr(function, "source", None)
        if source is not None:
            rows += [("Language", source.language.name)]
            rows += [("Class", source.reference)] if source.reference else []
            rows += [("Body", source.body)] if source.body else []
    return Result(("info", "value"), tuple(rows))


# -- views, databases, catalogs -------------------------------------------------------------------


def _create_view(
    *, replace: bool = False, temporary: bool = False
) -> Callable[[TableEnvironment, Reader], Result]:
    def statement(env: TableEnvironment, reader: Reader) -> Result:
        from viewscribe.catalog_store import AlreadyExistsError

        lenient = reader.takes("IF NOT EXISTS")
        name = (reader.single_name(),) if temporary else reader.name()
        comment = reader.string() if reader.takes("COMMENT") else None
        reader.expect("AS")
        table = env.sql_query(reader.rest())
        try:
            if temporary:
                env.create_temporary_view(name[0], table, or_replace=replace)
            else:
                env.create_view(_quoted(name), table, or_replace=replace, comment=comment)
        except AlreadyExistsError:
            if not lenient:
                raise
        return Result()

    return statement


def _drop_view(env: TableEnvironment, reader: Reader) -> Result:
    lenient = reader.takes("IF EXISTS")
    name = reader.last_name()
    env.drop_view(_quoted(name), if_exists=lenient)
    return Result()


def _drop_temporary_view(env: TableEnvironment, reader: Reader) -> Result:
    lenient = reader.takes("IF EXISTS")
    name = reader.single_name()
    reader.finish()
    env.drop_temporary_view(name, if_exists=lenient)
    return Result()


def _create_database(env: TableEnvironment, reader: Reader) -> Result:
    lenient = reader.takes("IF NOT EXISTS")
    name = reader.name()
    comment = reader.string() if reader.takes("COMMENT") else None
    reader.finish()
    env.create_database(_quoted(name), comment=comment, if_not_exists=lenient)
    return Result()


def _use_catalog(env: TableEnvironment, reader: Reader) -> Result:
    name = reader.single_name()
    reader.finish()
    env.use_catalog(name)
    return Result()


def _use(env: TableEnvironment, reader: Reader) -> Result:
    name = reader.last_name()
    if len(name) == 2:
        env.use_catalog(name[0])
    env.use_database(name[-1])
    return Result()


def _listed(column: str, names: list[str]) -> Result:
    return Result((column,), tuple((name,) for name in names))


def _quoted(name: tuple[str, ...]) -> str:
    from viewscribe.types.identifiers import quote_name

    return quote_name(name)


Statement = Callable[["TableEnvironment", Reader], Result]

STATEMENTS: dict[str, Statement] = {
    "CREATE OR REPLACE FUNCTION": _replace_function,
    "CREATE FUNCTION": _create_function,
    "CREATE TEMPORARY SYSTEM FUNCTION": _create_temporary_system,
    "CREATE TEMPORARY FUNCTION": _create_temporary,
    "ALTER FUNCTION": _alter("alter"),
    "ALTER TEMPORARY SYSTEM FUNCTION": _alter("alter_temporary_system", single=True),
    "ALTER TEMPORARY FUNCTION": _alter("alter_temporary_catalog"),
    "DROP FUNCTION": _drop("drop"),
    "DROP TEMPORARY SYSTEM FUNCTION": _drop("drop_temporary_system", single=True),
    "DROP TEMPORARY FUNCTION": _drop("drop_temporary_catalog"),
    "SHOW FUNCTIONS": _show_of_database("names"),
    "SHOW USER FUNCTIONS": _show_of_database("user_names"),
    "SHOW ALL FUNCTIONS": _show("all_names"),
    "SHOW ALL TEMPORARY FUNCTIONS": _show("temporary_catalog_names"),
    "SHOW ALL TEMPORARY SYSTEM FUNCTIONS": _show("temporary_system_names"),
    "DESCRIBE FUNCTION": _describe,
    "DESC FUNCTION": _describe,
    "CREATE OR REPLACE TEMPORARY VIEW": _create_view(replace=True, temporary=True),
    "CREATE TEMPORARY VIEW": _create_view(temporary=True),
    "CREATE OR REPLACE VIEW": _create_view(replace=True),
    "CREATE VIEW": _create_view(),
    "DROP TEMPORARY VIEW": _drop_temporary_view,
    "DROP VIEW": _drop_view,
    "CREATE DATABASE": _create_database,
    "CREATE SCHEMA": _create_database,
    "USE CATALOG": _use_catalog,
    "USE": _use,
    "SHOW CATALOGS": lambda env, reader: _listed("catalog", env.catalogs.catalogs()),
    "SHOW DATABASES": lambda env, reader: _listed("database", env.catalogs.list_databases()),
    "SHOW SCHEMAS": lambda env, reader: _listed("database", env.catalogs.list_databases()),
    "SHOW TABLES": lambda env, reader: _listed("table", env.list_tables()),
    "SHOW VIEWS": lambda env, reader: _listed("view", env.list_views()),
}
"""Every statement by its first words, longer ones before shorter ones that begin alike."""
