"""Statements about functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import (
    FunctionParameter,
    FunctionSource,
    Language,
)
from viewscribe.parser.definitions import infer_returns
from viewscribe.parser.grammar.statements import StatementGrammar
from viewscribe.parser.tokens import begins_query
from viewscribe.table_api.statements.result import Result, Statement, list_names
from viewscribe.table_api.text_reader import EnvironmentWorld
from viewscribe.types import LogicalType, StructType
from viewscribe.types.policy import coercion

if TYPE_CHECKING:
    from viewscribe.expressions.functions.of_catalogs import FunctionCatalog
    from viewscribe.table_api.environment import TableEnvironment


def _create_function(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    lenient = grammar.took("IF", "NOT", "EXISTS")
    name, source = grammar.path(), _source(env, grammar)
    env.functions.create(name, source, if_not_exists=lenient)
    return Result()


def _replace_function(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    name, source = grammar.path(), _source(env, grammar)
    if not env.functions.alter(name, source, if_exists=True):
        env.functions.create(name, source)
    return Result()


def _create_temporary(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    lenient = grammar.took("IF", "NOT", "EXISTS")
    name, source = grammar.path(), _source(env, grammar)
    env.functions.register_temporary_catalog(name, source, if_not_exists=lenient)
    return Result()


def _create_temporary_system(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    lenient = grammar.took("IF", "NOT", "EXISTS")
    name, source = (grammar.single_name(),), _source(env, grammar)
    env.functions.register_temporary_system(name, source, if_not_exists=lenient)
    return Result()


def _alter(change: str, single: bool = False) -> Statement:
    def statement(env: TableEnvironment, grammar: StatementGrammar) -> Result:
        lenient = grammar.took("IF", "EXISTS")
        name = (grammar.single_name(),) if single else grammar.path()
        functions: FunctionCatalog = env.functions
        getattr(functions, change)(name, _source(env, grammar), if_exists=lenient)
        return Result()

    return statement


def _drop(drop: str, single: bool = False) -> Statement:
    def statement(env: TableEnvironment, grammar: StatementGrammar) -> Result:
        lenient = grammar.took("IF", "EXISTS")
        name = (grammar.single_name(),) if single else grammar.path()
        grammar.finish()
        getattr(env.functions, drop)(name, if_exists=lenient)
        return Result()

    return statement


def _source(env: TableEnvironment, grammar: StatementGrammar) -> FunctionSource:
    """``(x INT) RETURNS INT … RETURN x + 1`` or ``[…] AS 'class' [LANGUAGE …] [USING JAR …]``."""
    parameters = grammar.columns() if grammar.word == "(" else None
    returns: LogicalType | None = None
    kind = FunctionKind.SCALAR
    if grammar.took("RETURNS", "TABLE"):
        kind = _TABLE
        if grammar.word == "(":
            returns = StructType(fields=tuple(each.field for each in grammar.columns()))
    elif grammar.took("RETURNS"):
        returns = grammar.type()
    language, reference, body, comment, deterministic = None, None, None, None, True
    resources: list[str] = []
    while not grammar.done:
        if grammar.took("LANGUAGE"):
            language = _language(grammar.name("a language"))
        elif grammar.took("AGGREGATE"):
            kind = FunctionKind.AGGREGATE
        elif grammar.took("COMMENT"):
            comment = grammar.string()
        elif grammar.took("NOT", "DETERMINISTIC"):
            deterministic = False
        elif grammar.took("DETERMINISTIC"):
            deterministic = True
        elif grammar.took("CONTAINS", "SQL") or grammar.took("READS", "SQL", "DATA"):
            continue
        elif grammar.took("USING", "JAR") or grammar.took("JAR"):
            resources.append(grammar.string())
        elif grammar.word in ("USING", "FILE"):
            raise ValidationError(
                "a function is made of jars: USING JAR '…'",
                hint="give the session files and archives with ADD FILE and ADD ARCHIVE",
            )
        elif grammar.took("AS"):
            reference = grammar.string()
        elif grammar.took("RETURN"):
            body = grammar.rest("an expression or query")
        elif not grammar.took(","):
            raise grammar.expected("AS 'class', RETURN expression, LANGUAGE, COMMENT or USING JAR")
    named = None
    if parameters is not None:
        named = tuple(
            FunctionParameter(p.field.name, p.field.type, p.default, p.field.comment)
            for p in parameters
        )
    if body is not None:
        source = FunctionSource(
            kind=kind,
            language=Language.SQL,
            parameters=named or (),
            returns=returns or _UNSAID,
            body=body,
            deterministic=deterministic,
            comment=comment,
        )
        return _of_body(env, body, source)
    return FunctionSource(
        kind=kind,
        language=language or Language.JAVA,
        parameters=named,
        returns=returns,
        reference=reference,
        deterministic=deterministic,
        comment=comment,
        resources=tuple(resources),
    )


_TABLE = FunctionKind.GENERATOR
_UNSAID = StructType(fields=())
"""The result of a function in SQL that does not declare one: that of its body."""


def _of_body(env: TableEnvironment, body: str, source: FunctionSource) -> FunctionSource:
    """A function in SQL: a query that gives one value stands in parentheses, types are known."""
    if source.kind is not _TABLE and begins_query(body):
        source = msgspec.structs.replace(source, body=f"({body})")
    if source.returns is not _UNSAID:
        return source
    assert source.body is not None
    with coercion(env.coercion):
        returns = infer_returns(source, source.body, EnvironmentWorld(env))
    return msgspec.structs.replace(source, returns=returns)


def _language(word: str) -> Language:
    try:
        return Language[word.upper()]
    except KeyError:
        known = ", ".join(each.name for each in Language)
        raise ValidationError(f"no language {word}", hint=f"there are {known}") from None


def _show(listing: str) -> Statement:
    def statement(env: TableEnvironment, grammar: StatementGrammar) -> Result:
        names: list[str] = getattr(env.functions, listing)()
        return list_names("function", _match(names, grammar))

    return statement


def _show_of_database(listing: str) -> Statement:
    """``… [IN database] [LIKE 'a*']``: the listing of a database, by default the current one."""

    def statement(env: TableEnvironment, grammar: StatementGrammar) -> Result:
        database = grammar.path() if grammar.took("IN") or grammar.took("FROM") else None
        names = getattr(env.functions, listing)(database)
        return list_names("function", _match(names, grammar))

    return statement


def _match(names: list[str], grammar: StatementGrammar) -> list[str]:
    """The names that ``LIKE 'a*|b*'`` leaves, as SHOW FUNCTIONS of Spark reads patterns."""
    if grammar.done:
        return names
    if not grammar.took("LIKE") and not grammar.is_string():
        raise grammar.expected("LIKE, or the end of the statement")
    wanted = [
        re.compile(re.escape(part.strip()).replace(r"\*", ".*"), re.IGNORECASE)
        for part in grammar.string().split("|")
    ]
    grammar.finish()
    return [name for name in names if any(pattern.fullmatch(name) for pattern in wanted)]


def _describe(env: TableEnvironment, grammar: StatementGrammar) -> Result:
    extended = grammar.took("EXTENDED")
    name = grammar.path()
    grammar.finish()
    found = env.functions.lookup(name)
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


FUNCTIONS: dict[str, Statement] = {
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
}
