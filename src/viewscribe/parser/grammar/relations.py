"""What stands in FROM: tables, queries, functions, joins, and what is made of each."""

from __future__ import annotations

from typing import Any

from viewscribe.parser.grammar.expressions import TurningGrammar
from viewscribe.parser.grammar.words import BEFORE_BY, CLAUSES, NEVER_RELATIONS
from viewscribe.parser.syntax import (
    Called,
    Derived,
    Function,
    Joined,
    Named,
    Nearest,
    Rows,
    TableName,
    TableOf,
    Travel,
    Unread,
)
from viewscribe.parser.tokens import NUMBER, STRING, WORD

_AFTER_ALIAS = frozenset(
    ("", ")", ",", ";", "|>", "WHERE", "ON", "JOIN", "LEFT", "INNER", "CROSS", "ORDER", "LIMIT")
)
"""What makes ``order`` an alias: behind anything else BY is more likely to be missing."""

_NO_ALIAS = CLAUSES | {
    "WITH", "FOR", "TIMESTAMP", "VERSION", "SYSTEM_VERSION", "SYSTEM_TIME", "SET", "ANTI", "SEMI",
    "|>", "REPEATABLE", "INCLUDE",
}  # fmt: skip
_KINDS = {
    ("INNER",): "INNER", ("CROSS",): "CROSS", ("LEFT",): "LEFT", ("LEFT", "OUTER"): "LEFT",
    ("RIGHT",): "RIGHT", ("RIGHT", "OUTER"): "RIGHT", ("FULL",): "FULL",
    ("FULL", "OUTER"): "FULL", ("SEMI",): "SEMI", ("LEFT", "SEMI"): "SEMI", ("ANTI",): "ANTI",
    ("LEFT", "ANTI"): "ANTI",
}  # fmt: skip


class RelationGrammar(TurningGrammar):
    """Reads relations."""

    def relations(self) -> Any:
        """What stands behind FROM: relations with commas between them, lateral views, pivots."""
        found = self.relation()
        while True:
            if self.word == ",":
                begin = self.at
                self.step()
                lateral = self.word == "LATERAL"
                made = Joined(begin, found, self._alone(), "INNER", lateral=lateral, comma=True)
                found = self._extend(made)
            elif self.word == "LATERAL" and self.ahead().word == "VIEW":
                found = self.lateral_view(found)
            elif self.word in ("PIVOT", "UNPIVOT"):
                found = self.turned(found)
            else:
                return found

    def relation(self) -> Any:
        """One relation with all that is joined to it."""
        return self._extend(self._alone())

    def _extend(self, found: Any) -> Any:
        """What is read so far, with the joins and pivots behind it.

        A join behind a comma joins all that is before it, as Spark reads it.
        """
        while True:
            before = found
            if self.word in ("PIVOT", "UNPIVOT") and self.ahead().word in (
                "(",
                "INCLUDE",
                "EXCLUDE",
            ):
                found = self.turned(found)
                continue
            found = self._join(found)
            if found is before:
                return found

    def _alone(self) -> Any:
        lateral = self.word == "LATERAL" and self.ahead().word != "VIEW"
        if lateral:
            self.step()
        return self._primary_relation()

    def _primary_relation(self) -> Any:
        begin = self.at
        if self.word == "(":
            return self._in_parentheses(begin)
        if (
            self.word == "VALUES"
            and self.ahead().kind != "end"
            and self.ahead().word not in _AFTER_NAME
        ):
            self.step()
            self._refuse_table_of_values()
            return self._rows(begin)
        if self.word == "TABLE" and self.ahead().word == "(":
            return self.alias(self._table_call(begin))
        if self.word == "IDENTIFIER" and self.ahead().word == "(":
            parts = self.computed_name()
        else:
            self._refuse_stream()
            self._refuse_clause()
            parts = self.path("a table")
        if self.word == "(":
            return self.alias(Called(begin, self.call(begin, parts)))
        found: Any = TableName(begin, parts)
        if self.word in ("VERSION", "SYSTEM_VERSION", "TIMESTAMP", "SYSTEM_TIME", "FOR"):
            found = self._travel(begin, found)
        if self.word == "WITH" and self.ahead().word == "(":
            found = self._with_options(begin, found)
        return self.alias(self.sampled(found))

    def _with_options(self, begin: int, found: Any) -> Unread:
        """``t WITH ('header' = 'true')``."""
        self.step()
        given = tuple(self.properties().items())
        why = "options of a table (WITH …) are not read"
        return Unread(begin, (found,), why, "store it as a table", given)

    def properties(self) -> dict[str, str]:
        """``('a' = 'b', c.d = 1)``."""
        found = {}
        for name, value in self.enclosed(self._property):
            if value is None:
                raise self.error(f"the property {name} has no value", hint=f"'{name}' = '…'")
            found[name] = value
        return found

    def property_names(self) -> list[str]:
        """``('a', 'b')``."""
        return self.enclosed(self._property_name)

    def _property_name(self) -> str:
        if self.is_string():  # one string: the next one is the value
            return self.one_string()
        return ".".join(self.path("a property"))

    def _property(self) -> tuple[str, str | None]:
        name = self._property_name()
        self.took("=")
        if self.word in (",", ")"):
            return name, None
        if self.is_string():
            return name, self.string()
        token = self.token
        if token.kind != NUMBER and token.word not in ("TRUE", "FALSE"):
            raise self.expected("a value")
        self.step()
        return name, token.text.lower() if token.kind is WORD else token.text

    def _refuse_clause(self) -> None:
        """Refuses ``SELECT a FROM WHERE b``: Spark takes FROM for the alias of ``a`` there."""
        if self.word in _BEHIND_ITEMS and self.ahead().word != ".":
            raise self.error(
                f"{self.token.text} begins a clause, and what is before it an alias, to Spark",
                hint=f"put the name of a table between backticks: `{self.token.text}`",
            )

    def _refuse_stream(self) -> None:
        """``STREAM t``; the word alone is a name."""
        after = self.ahead()
        named = self._is_name(after) and after.word not in _NO_ALIAS | {"AS"}
        if self.word == "STREAM" and (named or after.word == "("):
            raise self.error(f"STREAM {after.text} reads a stream, and no view does")

    def _in_parentheses(self, begin: int) -> Any:
        if self._is_query_in_parentheses():
            self.step()
            found: Any = Derived(begin, self.enclosed_query())
            self.need(")")
        else:
            self.step()
            self.descend()
            found = self.relation()
            self.depth -= 1
            self.need(")")
        return self.alias(self.sampled(found))

    def _is_query_in_parentheses(self) -> bool:
        """Whether the parentheses hold a query: ``((SELECT 1) a JOIN b)`` is a join."""
        inner = self.parentheses.get(self.place + 1)
        first, whole = (self.place + 1, True) if inner is None else (inner.first, inner.whole)
        word, after = self.tokens[first].word, self.ahead(first + 1 - self.place).word
        if word in ("SELECT", "WITH", "FROM", "MAP", "REDUCE"):
            return whole
        return word in ("VALUES", "TABLE") and after not in _AFTER_NAME and whole

    def _refuse_table_of_values(self) -> None:
        """Refuses ``FROM VALUES a``: Spark takes VALUES for a table there, and ``a`` for its alias.

        So it does wherever the rest can be read then; a row is only what cannot follow a table.
        """
        if (self.word != "WITH" and not self.is_name()) or self._begins_row():
            return
        raise self.error(
            "VALUES is a table to Spark here, and what follows is said of it",
            hint="put the row between parentheses: VALUES (a)",
        )

    def _begins_row(self) -> bool:
        """Whether a word behind VALUES can be neither an alias nor another part of a table."""
        after = self.ahead()
        if self.word == "CASE" or (self.word == "INTERVAL" and after.kind in (NUMBER, STRING)):
            return True
        if after.kind == STRING or after.word in _BEHIND_OPERANDS:
            return not (self.reading.quoted_names and after.text[0] == '"')
        if after.word == "(" and self.word not in _NO_ALIAS | {"PIVOT", "UNPIVOT"}:
            return self.end_of_names(self.place + 1) is None
        then = self.ahead(2)
        return after.word == "," and (then.kind in (NUMBER, STRING) or then.word in ("-", "+"))

    def _rows(self, begin: int) -> Any:
        """Rows with their alias; behind a comma, ``VALUES 2`` is another relation."""
        rows = [self._row()]
        while self.word == "," and not (
            self.ahead().word == "VALUES" and self.ahead(2).kind == NUMBER
        ):
            self.step()
            rows.append(self._row())
        return self.alias(Rows(begin, tuple(rows)))

    def _row(self) -> tuple[Any, ...]:
        found = self.expression()
        if isinstance(found, Function) and (found.name == ("",) or self._is_struct(found)):
            return tuple(found.args)
        return (found,)

    def _is_struct(self, found: Function) -> bool:
        """Whether it is ``struct(1, 2)``, which Spark takes for ``(1, 2)`` in a row of VALUES."""
        written = found.name[0].lower() == "struct" and self.text[found.at].lower() == "s"
        return written and len(found.name) == 1

    def _table_call(self, begin: int) -> Any:
        self.go_to(self.place + 2)
        at = self.at
        made = self.call(at, self.path("a function"))
        self.need(")")
        return Called(begin, made)

    def _travel(self, begin: int, found: Any) -> Any:
        before = self.place
        self.took("FOR")
        if self.word not in ("VERSION", "SYSTEM_VERSION", "TIMESTAMP", "SYSTEM_TIME") or (
            self.ahead().word != "AS" or self.ahead(2).word != "OF"
        ):
            self.go_to(before)
            return found
        word = "VERSION" if self.word.endswith("VERSION") else "TIMESTAMP"
        self.go_to(self.place + 3)
        point = self._point(word)
        if point is None:
            return Unread(
                begin,
                (found, self.value()),
                "a table as it was at a computed time is not read",
                "write the time as a constant: TIMESTAMP AS OF '2026-01-31 12:00:00'",
            )
        return Travel(begin, found, f"{word} AS OF {point}")

    def _point(self, word: str) -> str | None:
        """A version or time as it is printed again; None where it is no constant."""
        begin, kind = self.at, ""
        if word == "VERSION" and not self.is_string():
            return str(self.whole_number("a version"))
        if self.word in ("DATE", "TIMESTAMP") and self.ahead().kind == STRING:
            kind = f"{self.step().word} "
        if not self.is_string():
            return None
        value = self.string()
        if "'" in value or "\\" in value:
            raise self.error(f"{value!r} is no version, and no time", begin)
        return f"{kind}'{value}'"

    def alias(self, found: object) -> Any:
        """The relation under the alias that stands here, if one does."""
        begin = self.at
        if self.word == "AS":
            name = self.name_behind_as(NEVER_RELATIONS)
        elif self.is_name() and (self.token.kind != WORD or self._is_relation_alias()):
            name = self.name()
        else:
            return found
        columns = self.names() if self.word == "(" else ()
        return Named(begin, found, name, columns)

    def _is_relation_alias(self) -> bool:
        if self.word in ("APPROX", "EXACT") and self.ahead().word == "NEAREST":
            return False
        return (
            self.word not in _NO_ALIAS
            or (
                self.word in ("TIMESTAMP", "VERSION", "FOR", "SET", "INCLUDE", "REPEATABLE")
                and self.ahead().word != "AS"
            )
            or (self.word == "WINDOW" and self.ahead(2).word != "AS")
            or (self.word in BEFORE_BY and self.ahead().word in _AFTER_ALIAS)
        )

    # -- joins -----------------------------------------------------------------------------------

    def _join(self, left: Any) -> Any:
        begin = self.at
        natural = self.word == "NATURAL"
        words: list[str] = []
        place = self.place + natural
        while self.tokens[place].word in _JOIN_WORDS and len(words) < 2:
            words.append(self.tokens[place].word)
            place += 1
        if self.tokens[place].word != "JOIN":
            return left
        kind = _KINDS.get(tuple(words), "INNER" if not words else "")
        if not kind:
            raise self.error(f"there is no {' '.join(words)} JOIN", begin)
        if natural and kind in ("SEMI", "ANTI", "CROSS"):
            raise self.error(f"a {kind} JOIN cannot be NATURAL", begin, "write USING (…)")
        self.go_to(place + 1)
        lateral = self.word == "LATERAL"
        if natural and lateral:
            raise self.error("a NATURAL JOIN cannot be LATERAL", begin)
        right = self._alone()
        made = Joined(begin, left, right, kind, natural=natural, lateral=lateral)
        if natural:
            return made
        if self.word in ("APPROX", "EXACT") and self.ahead().word == "NEAREST":
            made.nearest = self._nearest(made)
        elif self.took("ON"):
            made.condition = self.expression()
        elif lateral and self.word == "USING":
            raise self.error("a LATERAL join has no USING", hint="write ON a.x = b.x")
        elif self.took("USING"):
            made.using = self.names()
        return made

    def _nearest(self, joined: Joined) -> Nearest:
        """``APPROX NEAREST 2 BY DISTANCE abs(a - b)``: Spark's approximate ones are exact, too."""
        begin = self.at
        if joined.kind not in ("INNER", "LEFT") or joined.lateral:
            raise self.error(f"a {joined.kind} JOIN of the nearest rows", hint="INNER or LEFT")
        self.go_to(self.place + 2)
        count = self.whole_number() if self.token.kind == NUMBER else 1
        if not 1 <= count <= MOST_NEAREST:
            raise self.error(f"{count} nearest rows", begin, f"from 1 to {MOST_NEAREST:,}")
        self.need("BY")
        similar = self.word == "SIMILARITY"
        if not (self.took("DISTANCE") or self.took("SIMILARITY")):
            raise self.expected("DISTANCE or SIMILARITY")
        return Nearest(begin, count, self.value(), similar)

    # -- tables as arguments ---------------------------------------------------------------------

    def table_argument(self) -> Any:
        """``TABLE(t) PARTITION BY a ORDER BY b``, ``TABLE t``, ``TABLE(SELECT …)``."""
        begin = self.at
        self.need("TABLE")
        if self.took("("):
            inner: Any = (
                Derived(self.at, self.query())
                if self.is_query()
                else TableName(self.at, self.path())
            )
            self.need(")")
        else:
            inner = TableName(self.at, self.path())
        made = TableOf(begin, inner)
        wrapped = self.took("WITH", "SINGLE", "PARTITION")
        made.single = wrapped
        if self.took("PARTITION", "BY") or self.took("DISTRIBUTE", "BY"):
            made.partition = self._keys(self.expression)
        if self.took("ORDER", "BY") or self.took("SORT", "BY"):
            made.order = self._keys(self.sort_key)
        return made

    def _keys(self, one: Any) -> tuple[Any, ...]:
        """Keys of a table argument: one, or several between parentheses."""
        if self.word == "(":
            return tuple(self.enclosed(one))
        return (one(),)


_BEHIND_OPERANDS = frozenset(
    (
        "+",
        "-",
        "*",
        "/",
        "%",
        "||",
        "&",
        "^",
        "=",
        "==",
        "<",
        ">",
        "<=",
        ">=",
        "<>",
        "!=",
        "[",
        "::",
    )
)
"""What goes on with an expression, and with no table."""

_BEHIND_ITEMS = frozenset(
    (
        *("WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET"),
        *("UNION", "EXCEPT", "INTERSECT", "MINUS", "WINDOW", "QUALIFY", "LATERAL"),
    )
)
"""What can follow the items of a SELECT that has no FROM."""

MOST_NEAREST = 100_000
"""How many nearest rows Spark joins."""

_JOIN_WORDS = frozenset(("INNER", "CROSS", "LEFT", "RIGHT", "FULL", "OUTER", "SEMI", "ANTI"))
_AFTER_NAME = frozenset((")", ",", "AS", "WHERE", "JOIN", ".", "GROUP", "ORDER", "LIMIT", "UNION"))
