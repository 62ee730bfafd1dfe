"""Words and symbols that decide how an expression goes on."""

from __future__ import annotations

INFIX = {
    "=": (1, "=="), "==": (1, "=="), "<>": (1, "!="), "!=": (1, "!="), "<=>": (1, "<=>"),
    "<": (1, "<"), "<=": (1, "<="), ">": (1, ">"), ">=": (1, ">="), "!>": (1, "<="),
    "!<": (1, ">="),
    "|": (2, "|"), "^": (3, "^"), "&": (4, "&"),
    "<<": (5, "<<"), ">>": (5, ">>"), ">>>": (5, ">>>"),
    "+": (6, "+"), "-": (6, "-"), "||": (6, "concat"),
    "*": (7, "*"), "/": (7, "/"), "%": (7, "%"), "DIV": (7, "div"),
}  # fmt: skip
"""How tightly the operators bind, and what they are; all are read from left to right."""

CLAUSES = frozenset(
    [
        "FROM",
        "WHERE",
        "GROUP",
        "HAVING",
        "ORDER",
        "SORT",
        "CLUSTER",
        "DISTRIBUTE",
        "LIMIT",
        "OFFSET",
        "UNION",
        "INTERSECT",
        "EXCEPT",
        "MINUS",
        "SETMINUS",
        "WINDOW",
        "QUALIFY",
        "LATERAL",
        "JOIN",
        "INNER",
        "LEFT",
        "RIGHT",
        "FULL",
        "CROSS",
        "NATURAL",
        "ON",
        "USING",
        "ANTI",
        "SEMI",
        "PIVOT",
        "UNPIVOT",
        "TABLESAMPLE",
        "WHEN",
        "THEN",
        "ELSE",
        "END",
        "SELECT",
        "AS",
    ]
)
"""Words that begin what comes next, and so end an expression."""

ENDING = frozenset(
    (
        *(",", ")", ".", "=", "<", ">", "+", "*", "/", "]", "AS", "DESC", "ASC", "IS", "IN"),
        *("|>", ";", "||", "<=", ">=", "!=", "<>", "<=>", "==", "::", "AND", "OR", "BETWEEN"),
    )
)


BEHIND_ITEM = frozenset((",", ")", "FROM", ";"))
"""What stands behind an item of a SELECT, whose last word is then its alias, whatever it is."""


AFTER_ALIAS = CLAUSES - {"AS"} | {")", ",", ";", "|>"}
"""What can follow an alias that is the last word before it."""


NEVER_RELATIONS = frozenset(
    (
        *("ANTI", "CROSS", "EXCEPT", "FULL", "INNER", "INTERSECT", "JOIN", "LATERAL", "LEFT"),
        *("NATURAL", "ON", "RIGHT", "SEMI", "SETMINUS", "UNION", "USING"),
    )
)
"""Words that Spark takes for aliases of columns only."""


BEFORE_BY = frozenset(("GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE"))


STEPS_OF_NAMES = frozenset(("EXTEND", "SET", "DROP", "AGGREGATE"))


AFTER_QUERY = frozenset(
    (
        *(")", "UNION", "INTERSECT", "EXCEPT", "MINUS", "SETMINUS", "ORDER", "SORT", "CLUSTER"),
        *("DISTRIBUTE", "LIMIT", "OFFSET", "|>", ";", ""),
    )
)
"""What can follow a query between parentheses, where another query holds it."""
