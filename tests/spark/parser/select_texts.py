"""Random texts of queries over few names, so that columns, aliases and tables often clash."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

TABLES = {"t": "a INT, b INT, s STRING", "u": "a INT, k INT, s STRING"}
ROWS = {
    "t": "(1, 1, 'x'), (1, 2, 'y'), (2, 1, 'x'), (2, NULL, NULL), (NULL, 3, 'y'), (1, 2, 'y')",
    "u": "(1, 1, 'x'), (2, 2, 'y'), (2, 3, NULL), (NULL, 1, 'z'), (3, 1, 'x')",
}
OWN = {"t": "b", "u": "k"}
"""The column that a table has alone."""

NUMBERS, STRINGS = ("a", "b", "k"), ("s", "w")
COMPUTED = ("{}", "{} + 1", "-{}", "abs({})", "coalesce({}, 0)", "CASE WHEN {} > 1 THEN 1 END")
AGGREGATES = ("sum({})", "max({})", "count({})", "count(*)", "count(DISTINCT {})")
OVER_ROWS = ("row_number()", "rank()", "lag({})", "sum({})", "max({})", "count(*)")
JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN")
SETS = ("UNION ALL", "UNION", "EXCEPT", "INTERSECT", "EXCEPT ALL", "INTERSECT ALL")

Maker = Callable[[], str]


class SelectTexts:
    """Makes texts, always the same of one seed.

    Args:
        seed: where the random numbers start.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)
        self._tables = ["t", "u"]
        self._within: list[str] = []
        self._aliases: list[str] = []
        self._keys: list[str] = []

    def text(self) -> str:
        """One query."""
        self._tables = ["t", "u"]
        return self._query(2)

    # -- choices ---------------------------------------------------------------------------------

    def _maybe(self, chance: float) -> bool:
        return self._random.random() < chance

    def _one(self, choices: Sequence[str]) -> str:
        return self._random.choice(choices)

    def _make(self, *makers: Maker) -> str:
        return self._random.choice(makers)()

    def _some(self, make: Maker, most: int) -> str:
        return ", ".join(make() for _ in range(self._random.randint(1, most)))

    # -- queries ---------------------------------------------------------------------------------

    def _query(self, depth: int) -> str:
        before, start = self._tables, ""
        if depth and self._maybe(0.15):
            name = self._one(["t", "q"])  # a CTE may hide a table
            start = f"WITH {name} AS ({self._query(depth - 1)}) "
            self._tables = [*before, name, name]
        if self._maybe(0.25):
            body = self._piped(depth)
        else:
            body = self._select(depth)
            if depth and self._maybe(0.15):
                body += f" {self._one(SETS)} {self._select(depth - 1)}"
            body += self._order()
        self._tables = before
        return start + body

    def _select(self, depth: int) -> str:
        self._keys, self._aliases = [], []
        source = self._source(depth)
        where = f" WHERE {self._condition(depth, self._number)}" if self._maybe(0.2) else ""
        grouped = self._maybe(0.45)
        group = f" GROUP BY {self._grouping()}" if grouped and self._maybe(0.85) else ""
        distinct = "DISTINCT " if self._maybe(0.1) else ""
        items = self._some(lambda: self._item(depth, grouped=grouped), 3)
        tail = self._having(depth) if self._maybe(0.35 if grouped else 0.03) else ""
        if self._maybe(0.12):
            made = self._make(self._over, self._alias, self._name)
            tail += f" QUALIFY {made} {self._one(['>', '=', '<='])} 1"
        if "OVER v" in items + tail:
            window = " WINDOW v AS (PARTITION BY a ORDER BY b)"
            before, qualify, after = tail.partition(" QUALIFY")
            tail = before + window + qualify + after
        return f"SELECT {distinct}{items} FROM {source}{where}{group}{tail}"

    def _grouping(self) -> str:
        keys = self._keys = [self._make(self._name, self._name, self._number) for _ in "ab"]
        if self._maybe(0.5):
            del keys[1:]
        listed = ", ".join(keys)
        sets = [f"ROLLUP({listed})", f"CUBE({listed})", f"GROUPING SETS (({listed}), ())"]
        plain = [*[listed] * 6, "ALL", "1", "1, 2"]
        return self._one(sets if self._maybe(0.3) else plain)

    def _having(self, depth: int) -> str:
        makers = (self._aggregate, self._key, self._alias, self._of_key)
        return f" HAVING {self._condition(depth, *makers)}"

    def _order(self) -> str:
        if not self._maybe(0.4):
            return ""
        if self._maybe(0.1):
            return " ORDER BY ALL" + self._one(["", " LIMIT 2"])
        return f" ORDER BY {self._some(self._sort_key, 2)}"

    def _sort_key(self) -> str:
        makers = (self._name, self._name, self._number, self._aggregate, self._alias, self._place)
        return self._make(*makers) + self._one(["", "", " DESC", " NULLS LAST"])

    # -- relations -------------------------------------------------------------------------------

    def _source(self, depth: int) -> str:
        if depth and self._maybe(0.2):
            name = self._one(["q", "t"])
            query = self._query(depth - 1)
            self._within, self._keys, self._aliases = [name], [], []
            return f"({query}) AS {name}"
        first = self._one(self._tables)
        self._within = [first]
        if self._maybe(0.3):
            return f"{first} {self._join()}"
        if self._maybe(0.1):
            return f"{first} LATERAL VIEW explode(array({self._one(NUMBERS)}, 1)) l AS k"
        return first

    def _join(self) -> str:
        first = self._within[0]
        second = "u" if first != "u" else "t"
        self._within = [*self._within, second]
        if self._maybe(0.15):
            return f"NATURAL JOIN {second}"
        on = self._one(["USING (a)", "USING (a, s)", f"ON {first}.a = {second}.a"])
        return f"{self._one(JOINS)} {second} {on}"

    # -- items -----------------------------------------------------------------------------------

    def _item(self, depth: int, *, grouped: bool) -> str:
        if not grouped and self._maybe(0.12):
            return self._one(["*", f"{self._within[0]}.*", "* EXCEPT (a)"])
        makers: list[Maker] = [self._name, self._number, self._number, self._string, self._over]
        if grouped:
            makers = [self._aggregate, self._key] * 4 + [self._over_groups, self._of_key] * 2
            makers.append(self._number)
        elif depth:
            makers.append(self._scalar)
        made = self._make(*makers)
        if self._maybe(0.45):
            return made
        is_text = made.startswith(("upper", "s ", "w ")) or made == "s"
        alias = self._one(STRINGS if is_text else NUMBERS)
        self._aliases.append(alias)
        return f"{made} AS {alias}"

    def _alias(self) -> str:
        return self._one(self._aliases or NUMBERS)

    def _place(self) -> str:
        return self._one(["1", "2"])

    def _name(self) -> str:
        return self._column("s") if self._maybe(0.2) else self._number_column()

    def _number_column(self) -> str:
        if self._maybe(0.1):
            return self._one(NUMBERS)
        return self._column(self._one(["a", *(OWN.get(each, "a") for each in self._within)]))

    def _column(self, name: str) -> str:
        """A column, mostly behind its table where several tables have it."""
        several = len(self._within) > 1 and name in "as"
        if not self._maybe(0.6 if several else 0.2):
            return name
        table = self._one(self._within)
        return f"{table}.{name if name in 'as' else OWN.get(table, name)}"

    def _number(self) -> str:
        if self._maybe(0.15):
            return f"{self._number_column()} + {self._number_column()}"
        return self._one(COMPUTED).format(self._number_column())

    def _string(self) -> str:
        return self._one(["s", "upper(s)", "s || 'x'"])

    def _scalar(self) -> str:
        table, outer = self._one(self._tables), self._one(self._within)
        columns = self._one(["a", OWN.get(table, "a")]), self._one(["a", f"{table}.a"])
        return f"(SELECT max({columns[0]}) FROM {table} WHERE {columns[1]} = {outer}.a)"

    def _aggregate(self) -> str:
        made = self._one(AGGREGATES).format(self._number())
        return f"{made} FILTER (WHERE {self._number()} > 1)" if self._maybe(0.08) else made

    def _over(self) -> str:
        window = "v"
        if self._maybe(0.85):
            partition = f"PARTITION BY {self._name()} " if self._maybe(0.6) else ""
            window = f"({partition}ORDER BY {self._number()})"
        return f"{self._one(OVER_ROWS).format(self._number())} OVER {window}"

    def _over_groups(self) -> str:
        call = self._one(OVER_ROWS).format(self._make(self._aggregate, self._key))
        return f"{call} OVER (ORDER BY {self._make(self._aggregate, self._key)})"

    def _key(self) -> str:
        return self._one(self._keys) if self._keys else self._aggregate()

    def _of_key(self) -> str:
        key = self._key()
        return self._one([f"{key} + 1", f"grouping({key})", f"{key} + count(*)", "grouping_id()"])

    def _condition(self, depth: int, *makers: Maker) -> str:
        left = self._make(*makers)
        if not depth or self._maybe(0.85):
            return f"{left} {self._one(['>', '=', '<='])} {self._one(['1', '2'])}"
        table, outer = self._one(self._tables), self._one(self._within)
        column, where = self._one(["a", OWN.get(table, "a")]), f" WHERE a = {outer}.a"
        return f"{left} IN (SELECT {column} FROM {table}{self._one(['', where])})"

    # -- pipes -----------------------------------------------------------------------------------

    def _piped(self, depth: int) -> str:
        start, self._keys, self._aliases = self._source(0), [], []
        steps = [self._step(depth) for _ in range(self._random.randint(1, 3))]
        return " |> ".join((f"FROM {start}", *steps))

    def _step(self, depth: int) -> str:
        return self._make(
            lambda: f"WHERE {self._condition(0, self._number, self._alias)}",
            lambda: f"SELECT {self._some(lambda: self._item(0, grouped=False), 3)}",
            lambda: f"EXTEND {self._number()} AS {self._one(NUMBERS)}",
            lambda: f"SET {self._one(NUMBERS)} = {self._number()}",
            lambda: f"DROP {self._one(['a', 's', 'b'])}",
            self._named,
            self._grouped,
            lambda: f"ORDER BY {self._sort_key()}",
            self._join,
            self._join,
            lambda: self._combined(depth),
        )

    def _named(self) -> str:
        self._within = [self._one(["q", "t"])]
        return f"AS {self._within[0]}"

    def _grouped(self) -> str:
        key = self._one([self._name(), f"{self._number()} AS {self._one(NUMBERS)}"])
        return f"AGGREGATE {self._aggregate()} AS {self._one(NUMBERS)} GROUP BY {key}"

    def _combined(self, depth: int) -> str:
        before = self._within
        right = self._select(0)
        self._within = before
        return f"{self._one(SETS)} ({right})"
