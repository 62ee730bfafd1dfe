"""The pipe syntax: a query, and steps behind it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from viewscribe.parser.grammar.queries import QueryGrammar
from viewscribe.parser.syntax import (
    Combined,
    Piped,
    QueryOf,
    Step,
    TableName,
    WindowOf,
)


class PipeGrammar(QueryGrammar):
    """Reads queries with steps behind them."""

    def _body(self) -> Any:
        """What binds least are steps: they take all set operations before them."""
        begin = self.at
        found = super()._body()
        while self._is_pipe():
            found = Piped(begin, QueryOf(begin, found), tuple(self._steps()))
            found = self._parse_set_operations(begin, found)
        return found

    def _is_pipe(self) -> bool:
        """Whether a step follows; ``|`` before one is ``|>``, too."""
        if self.word == "|":
            return self.ahead().word in _STEPS or self.ahead().word in _JOINS
        return self.word == "|>"

    def _steps(self) -> list[Step]:
        found = []
        while self._is_pipe():
            self.step()
            rule = _STEPS.get(self.word)
            begin = self.at
            if rule is None and self.word in _JOINS:
                found.append(self._pipe_join(begin))
            elif rule is None:
                what = "a pipe operator, such as WHERE, SELECT, AGGREGATE or JOIN"
                raise self.expected(what, _STEPS)
            else:
                found.append(self.attempt(partial(rule, self, begin)))
        return found

    def _pipe_select(self, begin: int) -> Step:
        found = self._select(begin)
        for written, word in (
            (found.source, "FROM"),
            (found.where, "WHERE"),
            (found.qualify, "QUALIFY"),
        ):
            if written is not None:
                raise self.error(f"|> SELECT has no {word}", begin, "write another step")
        return Step(begin, "select", found)

    def _pipe_extend(self, begin: int) -> Step:
        self.step()
        items = tuple(self.listed(self.named_expression))
        windows: dict[str, WindowOf] = {}
        if self.word == "WINDOW" and self.ahead(2).word == "AS":  # the last clause of a query
            windows = self._windows()
            if self.word == "|>":
                raise self.error("WINDOW ends a query: no step follows it")
        return Step(begin, "extend", items, windows)

    def _pipe_set(self, begin: int) -> Step:
        self.step()

        def one() -> tuple[str, Any]:
            name = self.path()
            self.need("=")
            return ".".join(name), self.expression()

        return Step(begin, "set", tuple(self.listed(one)))

    def _pipe_drop(self, begin: int) -> Step:
        self.step()
        return Step(begin, "drop", tuple(self.listed(self.path)))

    def _pipe_as(self, begin: int) -> Step:
        self.step()
        return Step(begin, "as", self.name("an alias"))

    def _pipe_where(self, begin: int) -> Step:
        self.step()
        return Step(begin, "where", self.expression())

    def _pipe_aggregate(self, begin: int) -> Step:
        self.step()
        items: tuple[Any, ...] = ()
        if self.word != "GROUP":
            items = tuple(self.listed(self.named_expression))
        keys: tuple[Any, ...] = ()
        if self.took("GROUP", "BY"):
            keys = tuple(self.listed(self._named_grouping))
        return Step(begin, "aggregate", items, keys)

    def _named_grouping(self) -> Any:
        if self.word in ("ROLLUP", "CUBE", "GROUPING") and self.ahead().word in ("(", "SETS"):
            return self._grouping()
        return self.named_expression()

    def _pipe_join(self, begin: int) -> Step:
        left = TableName(begin, ())
        if self.word == ",":
            raise self.expected("JOIN")
        joined = self._join(left)
        if joined is left:
            raise self.expected("JOIN")
        return Step(begin, "join", joined)

    def _pipe_order(self, begin: int) -> Step:
        ended = self._ended(QueryOf(begin, None))
        return Step(begin, "end", ended)

    def _pipe_turn(self, begin: int) -> Step:
        return Step(begin, "turn", self.turned(TableName(begin, ())))

    def _pipe_sample(self, begin: int) -> Step:
        return Step(begin, "turn", self.sampled(TableName(begin, ())))

    def _pipe_set_operation(self, begin: int) -> Step:
        kind, all_ = self._set_word()
        return Step(begin, "combine", Combined(begin, None, self._term(), kind, all_))


_JOINS = frozenset(
    ("JOIN", "INNER", "CROSS", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "NATURAL", ",")
)

_STEPS: dict[str, Callable[[PipeGrammar, int], Step]] = {
    "SELECT": PipeGrammar._pipe_select,
    "EXTEND": PipeGrammar._pipe_extend,
    "SET": PipeGrammar._pipe_set,
    "DROP": PipeGrammar._pipe_drop,
    "AS": PipeGrammar._pipe_as,
    "WHERE": PipeGrammar._pipe_where,
    "AGGREGATE": PipeGrammar._pipe_aggregate,
    **dict.fromkeys(
        ("ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET"), PipeGrammar._pipe_order
    ),
    **dict.fromkeys(("PIVOT", "UNPIVOT"), PipeGrammar._pipe_turn),
    "TABLESAMPLE": PipeGrammar._pipe_sample,
    **dict.fromkeys(
        ("UNION", "INTERSECT", "EXCEPT", "MINUS", "SETMINUS"), PipeGrammar._pipe_set_operation
    ),
}
