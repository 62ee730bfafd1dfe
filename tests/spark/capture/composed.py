"""Random SQL queries of what people do not write: clashing names, constants, nothing at all.

Every query gives an INT and a STRING, so that any of them can stand wherever a query may: in FROM,
in WITH, in set operations, in expressions. Names of databases, tables, aliases, columns and fields
come from one small set.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

NAMES = ("a", "b", "t", "x")

TABLES = {
    "t": "t STRUCT<t: INT, a: INT>, a INT, b STRING",
    "a": "a INT, t INT, b STRUCT<a: INT, b: STRING>, x STRING",
    "b": "a INT, b STRING, t INT",
}

ROWS = {
    "t": "(named_struct('t', 1, 'a', 2), 3, 'p'), (NULL, 1, NULL), "
    "(named_struct('t', 3, 'a', NULL), NULL, 'q')",
    "a": "(1, 2, named_struct('a', 3, 'b', 'p'), 'q'), (3, NULL, NULL, 'p')",
    "b": "",
}
"""``b`` is empty."""

COLUMNS = {
    "t": {"t.t": "INT", "t.a": "INT", "a": "INT", "b": "STRING"},
    "a": {"a": "INT", "t": "INT", "b.a": "INT", "b.b": "STRING", "x": "STRING"},
    "b": {"a": "INT", "b": "STRING", "t": "INT"},
}

SETTINGS: tuple[dict[str, str], ...] = (
    {},
    {"spark.sql.ansi.enabled": "false"},
    {"spark.sql.timestampType": "TIMESTAMP_NTZ"},
    {"spark.sql.legacy.ctePrecedencePolicy": "LEGACY"},
    {"spark.sql.mapKeyDedupPolicy": "LAST_WIN"},
)


@dataclass
class Composer:
    """Makes queries.

    Args:
        random: what decides.
        database: the database of the tables.
    """

    random: Random
    database: str
    ctes: dict[str, dict[str, str]] = field(default_factory=dict)

    def statement(self) -> str:
        """A query, maybe under common table expressions."""
        if self.random.random() > 0.25:
            return self.query(3)
        name = self.random.choice(NAMES)
        inner, columns = self._select(1)
        self.ctes = {name: columns}
        made = f"WITH {name} AS ({inner}) {self.query(2)}"
        self.ctes = {}
        return made

    def query(self, depth: int) -> str:
        """A query of an INT and a STRING."""
        kind = self.random.random()
        if depth and kind < 0.2:
            word = self.random.choice(("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "EXCEPT ALL"))
            return f"{self._part(depth - 1)} {word} {self._part(depth - 1)}"
        return self._select(depth)[0]

    def _part(self, depth: int) -> str:
        query, columns = self._select(depth)
        if self.random.random() < 0.5:
            return f"({query})"
        return f"({query} ORDER BY {', '.join(columns)} LIMIT {self.random.randint(0, 2)})"

    def _select(self, depth: int) -> tuple[str, dict[str, str]]:
        number, text = self.random.sample(NAMES, 2)
        columns = {number: "INT", text: "STRING"}
        if depth and self.random.random() < 0.15:
            return self._sorted_and_renamed(depth, number, text), columns
        if depth and self.random.random() < 0.1:
            return self._within_a_lambda(depth, number, text), columns
        scope = self._scope(depth) if self.random.random() < 0.8 else ("", {})
        source, known = scope
        if source and self.random.random() < 0.25:
            return self._widen_groups(source, known, number, text), columns
        distinct = "DISTINCT " if self.random.random() < 0.15 else ""
        items = f"{self._value('INT', known, depth)} AS {number}"
        items += f", {self._value('STRING', known, depth)} AS {text}"
        query = f"SELECT {distinct}{items}{source}"
        if self.random.random() < 0.5:
            query += f" WHERE {self._condition(known, depth)}"
        return query, columns

    def _sorted_and_renamed(self, depth: int, number: str, text: str) -> str:
        inner, below = self._select(depth - 1)
        one, other = below
        limit = self.random.choice(("", f" LIMIT {self.random.randint(0, 3)}"))
        alias = self.random.choice(NAMES)
        return (
            f"SELECT {alias}.{one} AS {number}, {alias}.{other} AS {text} "
            f"FROM ({inner} ORDER BY {other}, {one}{limit}) AS {alias}"
        )

    def _within_a_lambda(self, depth: int, number: str, text: str) -> str:
        """A column, of whatever it is made, beside a parameter that is called as anything."""
        inner, below = self._select(depth - 1)
        one, other = below
        name = self.random.choice(NAMES)
        value = "named_struct('a', 1, 'b', 2, 't', 3, 'x', 4)"
        body = f"{name}.{self.random.choice(NAMES)} + coalesce(q.{one}, 0)"
        return (
            f"SELECT transform(array({value}), {name} -> {body})[0] AS {number}, "
            f"q.{other} AS {text} FROM ({inner}) AS q"
        )

    def _widen_groups(self, source: str, known: dict[str, str], number: str, text: str) -> str:
        key = self._value("STRING", known, 0)
        total = f"{self.random.choice(('sum', 'max', 'count'))}({self._value('INT', known, 0)})"
        having = f" HAVING count(*) > {self.random.randint(0, 2)}"
        if self.random.random() < 0.5:
            having = ""
        sets = ", ".join(self.random.choices(("()", f"({key})"), k=self.random.randint(1, 3)))
        grouping = self.random.choice(
            (
                "",
                f" GROUP BY {key}",
                f" GROUP BY ROLLUP ({key})",
                f" GROUP BY GROUPING SETS ({sets})",
            )
        )
        shown = key if key in grouping else f"max({key})"
        return (
            f"SELECT CAST({total} AS INT) AS {number}, {shown} AS {text}{source}{grouping}{having}"
        )

    def _scope(self, depth: int) -> tuple[str, dict[str, str]]:
        """FROM, and what can be called in the query: names with their types."""
        items, known = [], {}
        aliases = self.random.sample(NAMES, self.random.choice((1, 1, 2)))
        for alias in aliases:
            item, columns = self._item(depth)
            items.append(f"{item} AS {alias}")
            known.update({f"{alias}.{name}": type_ for name, type_ in columns.items()})
            if len(aliases) == 1 and self.random.random() < 0.5:
                known.update(columns)
        if len(items) == 1:
            return f" FROM {items[0]}", known
        word = self.random.choice((",", "JOIN", "LEFT JOIN", "CROSS JOIN", "FULL JOIN"))
        on = f" ON {self._condition(known, 0)}" if word not in (",", "CROSS JOIN") else ""
        return f" FROM {items[0]}{'' if word == ',' else ' '}{word} {items[1]}{on}", known

    def _item(self, depth: int) -> tuple[str, dict[str, str]]:
        if self.ctes and self.random.random() < 0.5:
            name = self.random.choice([*self.ctes])
            return name, self.ctes[name]
        if depth and self.random.random() < 0.35:
            query, columns = self._select(depth - 1)
            return f"({query})", columns
        name = self.random.choice([*TABLES])
        return f"{self.database}.{name}", COLUMNS[name]

    def _condition(self, known: dict[str, str], depth: int) -> str:
        kind = self.random.random()
        if kind < 0.15:
            return self.random.choice(("true", "false", "CAST(NULL AS BOOLEAN)", "1 = 1"))
        if depth and kind < 0.3:
            word = self.random.choice(("EXISTS", "NOT EXISTS"))
            return f"{word} ({self.query(depth - 1)})"
        if depth and kind < 0.45:
            inner, columns = self._select(depth - 1)
            asked = f"SELECT q.{next(iter(columns))} FROM ({inner}) AS q"
            return f"{self._value('INT', known, 0)} IN ({asked})"
        type_ = self.random.choice(("INT", "STRING"))
        word = self.random.choice(("=", "<", "<=>", "<>"))
        return f"{self._value(type_, known, 0)} {word} {self._value(type_, known, 0)}"

    def _value(self, type_: str, known: dict[str, str], depth: int) -> str:
        fitting = [name for name, each in known.items() if each == type_]
        kind = self.random.random()
        if not fitting and kind < 0.6:
            kind = 1.0
        if fitting and kind < 0.6:
            return self.random.choice(fitting)
        if depth and kind < 0.7:
            inner, columns = self._select(depth - 1)
            place = 0 if type_ == "INT" else 1
            return f"(SELECT max(q.{[*columns][place]}) FROM ({inner}) AS q)"
        if kind < 0.8:
            one, other = (self._value(type_, known, 0) for _ in range(2))
            return f"coalesce({one}, {other})"
        if kind < 0.85:
            one, other = (self._value(type_, known, 0) for _ in range(2))
            return f"CASE WHEN {self._condition(known, 0)} THEN {one} ELSE {other} END"
        if type_ == "INT":
            return self.random.choice(("1", "2", "CAST(NULL AS INT)", "1 + 1"))
        return self.random.choice(("'p'", "'q'", "CAST(NULL AS STRING)", "''"))
