"""``env.execute_sql``: the DDL of functions, views, tables, databases and catalogs.

After the statements of the function catalog document and of Spark SQL; a statement that is not
listed in ``STATEMENTS`` is refused with the list.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from viewscribe.parser.grammar.statements import StatementGrammar
from viewscribe.parser.settings import make_reading
from viewscribe.parser.tokens import refuse_variables
from viewscribe.table_api.statements.functions import FUNCTIONS
from viewscribe.table_api.statements.result import CATALOGS, DESCRIPTIONS, TABLES, Result, Statement
from viewscribe.table_api.statements.views import REPLACING, VIEWS, refuse_dropping

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment

__all__ = ["STATEMENTS", "Result", "execute"]

STATEMENTS: dict[str, Statement] = {**FUNCTIONS, **VIEWS, **TABLES, **CATALOGS, **DESCRIPTIONS}
"""Every statement by its first words, longer ones before shorter ones that begin alike."""


def execute(env: TableEnvironment, text: str, drop_dialects: Collection[str] | bool = ()) -> Result:
    """Runs one statement.

    Args:
        env: the environment.
        text: the statement.
        drop_dialects: other engines that a view which it replaces has no SQL for any more.

    Raises:
        SqlSyntaxError: the statement does not parse, or is none of those there are.
        ViewscribeError: what the statement asks for cannot be done.
    """
    refuse_variables(text)
    grammar = StatementGrammar(text, make_reading(env.settings))
    for words, statement in STATEMENTS.items():
        if grammar.took(*words.split()):
            if not drop_dialects:
                return statement(env, grammar)
            return REPLACING.get(words, refuse_dropping)(env, grammar, drop_dialects)
    if any(grammar.took(*words) for words in _VARIABLES):
        raise grammar.error(
            "variables are of a session, and no view can read one",
            hint="write :name in the query, and give its value: sql_query(…, args={'name': …})",
        )
    raise grammar.error(
        f"execute_sql() has no such statement: {grammar.first_words()!r}",
        hint=f"there are: {', '.join(sorted(STATEMENTS))}; a query goes through sql_query(…)",
    )


_VARIABLES = (("DECLARE",), ("SET", "VAR"), ("SET", "VARIABLE"), ("DROP", "TEMPORARY", "VARIABLE"))
"""How the statements of Spark begin that make, change and drop variables."""
