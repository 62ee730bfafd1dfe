"""What is made of a relation: samples, lateral views, pivots and their reverse."""

from __future__ import annotations

from typing import Any

from viewscribe.parser.grammar.expressions import ExpressionGrammar
from viewscribe.parser.grammar.words import CLAUSES
from viewscribe.parser.syntax import (
    Aliased,
    LateralView,
    Named,
    PivotOf,
    Sampled,
    UnpivotOf,
    Unread,
)
from viewscribe.parser.tokens import WORD


class TurningGrammar(ExpressionGrammar):
    """Reads what stands behind a relation."""

    def alias(self, found: object) -> Any:
        """The relation under the alias that stands here, if one does."""
        raise NotImplementedError

    def sampled(self, found: object) -> Any:
        """The relation, or the sample of it."""
        if self.word != "TABLESAMPLE":
            return found
        begin = self.at
        self.step()
        method = self.name() if self.word != "(" else ""
        if method.upper() not in ("", "SYSTEM", "BERNOULLI"):
            raise self.error(f"{method} is no way to sample", begin)
        self.need("(")
        if self.took("BUCKET"):
            kind, amount = "BUCKET", self._bucket()
        else:
            amount = self.value()
            if self.word in ("PERCENT", "ROWS"):
                kind = self.step().word
            elif self.word == ")":
                raise self.expected("PERCENT, ROWS or BUCKET … OUT OF …")
            else:
                raise self.expected("PERCENT or ROWS")
        self.need(")")
        seed = None
        if self.took("REPEATABLE"):
            self.need("(")
            sign = -1 if self.took("-") else 1
            seed = sign * self.whole_number()
            self.need(")")
        return Sampled(begin, found, kind, amount, seed)

    def _bucket(self) -> tuple[int, int] | Unread:
        numerator = self.whole_number()
        self.need("OUT", "OF")
        found = (numerator, self.whole_number())
        if self.took("ON"):
            why, hint = "buckets ON a column are not read", "sample by PERCENT"
            return Unread(self.at, (self.value(),), why, hint)
        return found

    # -- lateral views, pivots -------------------------------------------------------------------

    def lateral_view(self, child: object) -> LateralView:
        """``LATERAL VIEW OUTER explode(a) t AS x, y``."""
        begin = self.at
        self.need("LATERAL", "VIEW")
        outer = self.took("OUTER")
        at = self.at
        call = self.call(at, self.path("a function"))
        table = ""
        columns: tuple[str, ...] = ()
        if self.is_name() and self.word != "AS" and self.word not in CLAUSES:
            table = self.name()
        elif self.word != "AS":
            raise self.expected("a name for the LATERAL VIEW")
        if self.took("AS") or (
            self.is_name() and self.word not in CLAUSES and self.token.kind is WORD
        ):
            columns = tuple(self.listed(self.name))
        return LateralView(begin, child, call, outer, table, columns)

    def turned(self, child: object) -> Any:
        """PIVOT or UNPIVOT, with the alias of what it gives."""
        begin = self.at
        if self.took("PIVOT"):
            return self._called(self._pivot(begin, child))
        self.need("UNPIVOT")
        include = self.took("INCLUDE", "NULLS")
        if not include:
            self.took("EXCLUDE", "NULLS")
        return self._called(self._unpivot(begin, child, include))

    def _called(self, found: Any) -> Any:
        """What was turned, under its alias.

        Spark takes any word for one, where the rest can still be read: ``PIVOT (…) LEFT JOIN t``
        is an inner join of what it then calls ``LEFT``, and ``LEFT OUTER JOIN`` an outer one.
        """
        if self.word in _JOINING and self.ahead().word != "OUTER":
            return Named(self.at, found, self.step().text, ())
        named = self.alias(found)
        if isinstance(named, Named) and named.columns:
            raise self.error("columns of a pivot have no other names", named.at, "use SELECT … AS")
        return named

    def _pivot(self, begin: int, child: Any) -> PivotOf:
        self.need("(")
        aggregates = self.listed(self._pivot_aggregate)
        self.need("FOR")
        columns = self._pivot_columns()
        self.need("IN")
        values = self.enclosed(self.named_expression)
        self.need(")")
        return PivotOf(begin, child, tuple(aggregates), columns, tuple(values))

    def _pivot_aggregate(self) -> Any:
        """An aggregate of a pivot: FOR behind it is no alias."""
        begin = self.at
        found = self.expression()
        if self.took("AS") or (self.is_alias() and self.word != "FOR"):
            return Aliased(begin, found, (self.name("an alias"),))
        return found

    def _pivot_columns(self) -> tuple[Any, ...]:
        if self.word == "(":
            return tuple(self.enclosed(self._primary))
        return (self._primary(),)

    def _unpivot(self, begin: int, child: Any, include: bool) -> UnpivotOf:
        self.need("(")
        values = self.names() if self.word == "(" else (self.name(),)
        self.need("FOR")
        name = self.name()
        self.need("IN")
        columns = self.enclosed(lambda: self._parse_unpivot(len(values) > 1))
        self.need(")")
        return UnpivotOf(begin, child, values, name, tuple(columns), include)

    def _parse_unpivot(self, several: bool) -> tuple[tuple[tuple[str, ...], ...], str | None]:
        group = tuple(self.enclosed(self.path)) if several or self.word == "(" else (self.path(),)
        if self.took("AS") or self.is_name():
            return group, self.name("a label")
        return group, None


_JOINING = frozenset(("INNER", "CROSS", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "NATURAL"))
