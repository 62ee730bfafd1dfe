"""Words of Spark's grammar that tell where a text names tables and calls functions."""

from __future__ import annotations

SET_OPERATIONS = frozenset(("UNION", "EXCEPT", "MINUS", "INTERSECT"))
BEHIND_SET_OPERATIONS = frozenset(("ALL", "DISTINCT", "BY", "NAME"))
CLAUSES = frozenset(
    (
        *("SELECT", "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT"),
        *("OFFSET", "WINDOW", "QUALIFY"),
    )
)
BEHIND_TABLES = frozenset(
    (
        *("JOIN", "INNER", "CROSS", "LEFT", "RIGHT", "FULL", "OUTER", "NATURAL", "SEMI", "ANTI"),
        *("ON", "USING", "TABLESAMPLE", "PIVOT", "UNPIVOT", "LATERAL", "VERSION", "TIMESTAMP"),
        *("REPEATABLE", "INCLUDE", "EXCLUDE", "NULLS", "FOR", "SYSTEM_VERSION", "SYSTEM_TIME"),
        *("WITH", "FROM"),
        *(*CLAUSES, *SET_OPERATIONS),
    )
)
BEHIND_PIPES = frozenset(
    ("JOIN", "INNER", "CROSS", "LEFT", "RIGHT", "FULL", "NATURAL", "SEMI", "ANTI", "LATERAL")
)
"""What of a pipe is about another table."""
NO_CALLS = frozenset(
    (
        *("AND", "OR", "NOT", "IN", "EXISTS", "AS", "ON", "USING", "BY", "WHEN", "THEN", "ELSE"),
        *("CASE", "BETWEEN", "LIKE", "ILIKE", "RLIKE", "REGEXP", "ALL", "ANY", "SOME", "OVER"),
        *("GROUP", "SETS", "CUBE", "ROLLUP", "FOR", "REPEATABLE", "VALUES", "INTERVAL", "IS"),
        *("TRY_CAST", "EXTRACT", "TRIM", "POSITION", "OVERLAY", "DEC", "NUMERIC", "CHARACTER"),
        *("VARCHAR", "TABLE", "UNION", "EXCEPT", "INTERSECT", "MINUS", "DISTINCT", "ESCAPE"),
        *("FILTER", "STREAM", "NULLS", "DIV", "GEOGRAPHY", "GEOMETRY", "TIME", "CHAR", "FROM"),
        *("SELECT", "WHERE", "HAVING", "LIMIT", "OFFSET", "QUALIFY", "JOIN", "TABLESAMPLE"),
        *("PIVOT", "UNPIVOT", "LATERAL", "WITH"),
    )
)
"""What is followed by a parenthesis and no function; only those, for all others may be one."""
ENDS_OF_OPERANDS = frozenset(("END", "NULL", "TRUE", "FALSE"))
ENDS = frozenset((",", ")", ".", "="))
