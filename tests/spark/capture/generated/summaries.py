"""Random aggregates and functions over windows that give the same whatever the order of rows."""

from __future__ import annotations

from tests.spark.capture.generated.frames import ORDERED
from tests.spark.capture.generated.values import KINDS, Values

_RANKS = ("F.rank()", "F.dense_rank()", "F.percent_rank()", "F.cume_dist()")


class Summaries(Values):
    """Draws expressions of several rows."""

    def aggregate(self, depth: int = 1) -> str:
        """An aggregate that gives the same whatever the order of rows."""
        key = self.p.choose(("int", "decimal"))
        return self.p.choose(
            [
                lambda: "F.count('*')",
                lambda: f"F.count({self.any_column()})",
                lambda: f"F.sum({self.of(key, depth)})",
                lambda: f"F.avg({self.of(key, depth)})",
                lambda: f"F.max({self.ordered(depth)})",
                lambda: f"F.min({self.ordered(depth)})",
                lambda: f"F.countDistinct({self.ordered(0)})",
                lambda: f"F.sum_distinct({self.of('int', 0)})",
                lambda: f"F.count_if({self.condition(depth)})",
                lambda: f"F.bool_or({self.condition(0)})",
                lambda: f"F.sort_array(F.collect_list({self.ordered(0)}))",
                lambda: f"F.sort_array(F.collect_set({self.ordered(0)}))",
                lambda: f"F.median({self.of('int', 0)})",
                lambda: f"F.percentile({self.of('int', 0)}, 0.5)",
                lambda: f"F.sum(F.when({self.condition(0)}, 1).otherwise(0))",
                lambda: f"(F.sum({self.of('int', 0)}) + 1)",
                lambda: f"(F.max({self.of('int', 0)}) - F.min({self.of('int', 0)}))",
                lambda: f"F.coalesce(F.max({self.of('string', 0)}), F.lit('none'))",
                lambda: f"F.max(F.struct({self.leaf('int')}, {self.leaf('string')}))",
                lambda: f"F.expr({self.text_of_aggregate()!r})",
                lambda: f"F.round(F.stddev({self.of('int', 0)}), 2)",
                lambda: f"F.approx_count_distinct({self.ordered(0)})",
            ]
        )()

    def over_window(self) -> str:
        """A function over a window that gives the same whatever the order of rows."""
        by = [self.named(c) for c in self.p.some(self.frame.of(*ORDERED), 0, 2)]
        parts = f"Window.partitionBy({', '.join(by)})"
        made = [lambda: f"{self._over()}.over({parts})"]
        keys = self.frame.of("int")
        if keys:
            key = self.named(self.p.choose(keys))
            directed = self.p.choose((key, f"{key}.desc()", f"{key}.asc_nulls_last()"))
            frame = self.p.choose(
                (
                    "",
                    ".rangeBetween(-1, 1)",
                    ".rangeBetween(Window.unboundedPreceding, 0)",
                    ".rangeBetween(0, Window.unboundedFollowing)",
                )
            )
            made += [
                lambda: f"{self._over()}.over({parts}.orderBy({directed}){frame})",
                lambda: f"{self.p.choose(_RANKS)}.over({parts}.orderBy({directed}))",
            ]
        if self.frame.sortable and self.frame.columns:
            order = ", ".join(
                self.p.choose((name, f"F.desc({name[6:-1]})"))
                if name.startswith("F.col(")
                else name
                for name in (self.named(c) for c in self.frame.columns)
            )
            rows = self.p.choose(
                ("", ".rowsBetween(-1, 1)", ".rowsBetween(Window.unboundedPreceding, -1)")
            )
            made += [
                lambda: f"{self._over()}.over({parts}.orderBy({order}){rows})",
                lambda: f"{self._place_parameters()}.over({parts}.orderBy({order}))",
            ]
        return self.p.choose(made)()

    def _over(self) -> str:
        name = self.p.choose(("sum", "max", "min", "avg", "count"))
        return f"F.{name}({self.of('int', 1)})"

    def _place_parameters(self) -> str:
        of = self.of(self.p.choose(KINDS), 0)
        return self.p.choose(
            [
                "F.row_number()",
                "F.ntile(2)",
                f"F.lag({of})",
                f"F.lead({self.leaf('int')}, 2)",
                f"F.first({of})",
                f"F.last({of}, ignorenulls=True)",
                f"F.nth_value({of}, 2)",
            ]
        )
