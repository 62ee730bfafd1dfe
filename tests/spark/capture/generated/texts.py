"""Random SQL text over the columns of a frame."""

from __future__ import annotations

from tests.spark.capture.generated.frames import in_text
from tests.spark.capture.generated.leaves import Leaves

_TEXT_LITERALS = {"int": "3", "string": "'a'", "date": "DATE '2020-02-29'"}


class Texts(Leaves):
    """Draws SQL text of expressions."""

    def text_name(self, kind: str) -> str:
        """A column or a literal in SQL text."""
        found = self.frame.plain(kind)
        return in_text(self.p.choose(found).name) if found else _TEXT_LITERALS[kind]

    def text_of_int(self) -> str:
        """A number in SQL text."""
        a, b = self.text_name("int"), self.text_name("int")
        return self.p.choose(
            [
                f"{a} + {b} * 2",
                f"({a} - {b}) % 5",
                f"- {a}",
                f"{a} div 3",
                f"CASE WHEN {a} > 1 THEN {b} ELSE 0 END",
                f"CASE {a} WHEN 1 THEN 2 WHEN 2 THEN NULL ELSE 3 END",
                f"coalesce({a}, {b}, 0)",
                f"length({self.text_name('string')})",
                f"CAST({a} AS BIGINT)",
                f"extract(YEAR FROM {self.text_name('date')})",
                f"if({a} IS NULL, 0, {a})",
            ]
        )

    def text_of_string(self) -> str:
        """A text in SQL text."""
        a = self.text_name("string")
        return self.p.choose(
            [
                f"upper({a})",
                f"{a} || '-' || {self.text_name('string')}",
                f"substring({a}, 1, 2)",
                f"CAST({self.text_name('int')} AS STRING)",
                f"CASE WHEN {a} LIKE 'a%' THEN 'it''s' ELSE {a} END",
                f"trim(BOTH 'a' FROM {a})",
                f"replace({a}, 'a', '\\\\')",
            ]
        )

    def text_of_condition(self) -> str:
        """A condition in SQL text."""
        a, s = self.text_name("int"), self.text_name("string")
        return self.p.choose(
            [
                f"{a} > 1 AND {s} = 'a'",
                f"{a} BETWEEN 1 AND 2 OR {s} IS NULL",
                f"NOT ({a} IN (1, 3))",
                f"{s} LIKE '%a%'",
                f"{s} NOT LIKE 'a\\\\_%'",
                f"{a} <=> {self.text_name('int')}",
                f"{s} IS DISTINCT FROM 'a'",
                f"{self.text_name('date')} >= DATE '1990-01-01'",
                f"{s} IN ('a', 'b', NULL)",
                f"({a} > 1) IS NOT TRUE",
            ]
        )

    def text_of_aggregate(self) -> str:
        """An aggregate in SQL text."""
        a = self.text_name("int")
        return self.p.choose(
            [
                f"sum({a}) FILTER (WHERE {self.text_of_condition()})",
                f"count(DISTINCT {a}, {self.text_name('string')})",
                f"max({a}) + count(*)",
                f"bool_and({a} > 1)",
                "count(1)",
            ]
        )
