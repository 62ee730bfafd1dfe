"""The pipe syntax: a query, and steps behind it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from viewscribe.errors import SqlSyntaxError
from viewscribe.parser.grammar.relations import RelationGrammar
from viewscribe.parser.grammar.words import BEFORE_BY
from viewscribe.parser.syntax import (
    Aliased,
    Combined,
    Cte,
    Function,
    GroupBy,
    GroupingSets,
    HintOf,
    Name,
    Piped,
    QueryOf,
    SelectOf,
    SortKey,
    StarOf,
    Step,
    TableName,
    WindowOf,
)
from viewscribe.parser.tokens import END, HINT, NUMBER, WORD

# Queries: WITH, SELECT and its clauses, set operations, and the pipe syntax.

_SETS = {
    "UNION": "UNION",
    "INTERSECT": "INTERSECT",
    "EXCEPT": "EXCEPT",
    "MINUS": "EXCEPT",
    "SETMINUS": "EXCEPT",
}
_STARTS = frozenset(("SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE"))


class QueryGrammar(RelationGrammar):
    """Reads queries."""

    def statement(self) -> QueryOf:
        """The one query that the text is."""
        return self.noting(self._statement)

    def _statement(self) -> QueryOf:
        found = self.query()
        while self.word == ";":
            self.step()
        if self.token.kind is not END:
            raise self._not_the_end()
        return found

    def _not_the_end(self) -> SqlSyntaxError:
        """The error of what stands behind a query."""
        starts = self.word in BEFORE_BY and self.token.kind is WORD
        if starts and self.ahead().word != "BY":
            self.step()
            return self.expected("BY")
        return self.expected("the end of the query")

    def lone_expression(self) -> Any:
        """The one expression that the text is, with its alias."""
        found = self.named_expression()
        if self.token.kind is not END:
            raise self.expected("the end of the expression")
        return found

    def is_query(self) -> bool:
        """Whether a query begins here, perhaps behind parentheses."""
        place = self.place
        if self.word == "(":
            place, whole, _ = self.parentheses[place]
            if not whole:
                return False
        word, after = (
            self.tokens[place].word,
            self.tokens[place + 1] if word_follows(self, place) else None,
        )
        if word not in _STARTS or after is None:
            return False
        if word in ("SELECT", "WITH", "FROM"):
            return after.word not in (",", ")", "=", "+", ".")
        return (
            after.word == "("
            if word == "VALUES" and after.kind == "symbol"
            else (after.kind != "symbol" if word in ("VALUES", "TABLE") else False)
        )

    def query(self) -> QueryOf:
        """A query with its WITH, order and limit."""
        begin = self.at
        self.descend()
        ctes, recursive = self._with()
        found = self._ended(QueryOf(begin, self._body(), ctes, recursive))
        self.depth -= 1
        return found

    def _body(self) -> Any:
        """What WITH stands before, and ORDER BY and LIMIT behind."""
        return self._parse_set_operations(self.at, self._term())

    def enclosed_query(self) -> QueryOf:
        """A query up to the parenthesis behind it."""

        def read() -> QueryOf:
            found = self.query()
            if self.word != ")":
                raise self.expected(")")
            return found

        return self.attempt(read, ")")

    # -- WITH ------------------------------------------------------------------------------------

    def _with(self) -> tuple[tuple[Cte, ...], bool]:
        if self.word != "WITH":
            return (), False
        self.step()
        recursive = self.word == "RECURSIVE" and self.ahead().word not in ("AS", "(")
        if recursive:
            self.step()
        return tuple(self.listed(self._cte)), recursive

    def _cte(self) -> Cte:
        begin = self.at
        name = self.name("the name of a CTE")
        columns = self.names() if self._names_columns() else ()
        level = self.whole_number() if self.took("MAX", "RECURSION", "LEVEL") else None
        self.took("AS")
        self.need("(")
        query = self.enclosed_query()
        self.need(")")
        return Cte(begin, name, columns, query, level)

    def _names_columns(self) -> bool:
        """Whether names of columns stand here, and not the query, before which AS may be left."""
        behind = self.end_of_names(self.place) if self.word == "(" else None
        return behind is not None and self.tokens[behind].word in ("AS", "(", "MAX")

    # -- what orders and limits ------------------------------------------------------------------

    def _ended(self, found: QueryOf) -> QueryOf:
        if self.took("ORDER", "BY"):
            if self.word == "ALL" and self._ends_order():
                begin = self.at
                self.step()
                found.order_all = self._direction(begin)
            else:
                found.order = tuple(self.listed(lambda: self.attempt(self.sort_key, ",")))
        elif self.took("CLUSTER", "BY"):
            found.cluster = tuple(self.listed(self.expression))
        else:
            if self.took("DISTRIBUTE", "BY"):
                found.distribute = tuple(self.listed(self.expression))
            if self.took("SORT", "BY"):
                found.sort = tuple(self.listed(self.sort_key))
        ordered = found.order or found.order_all is not None or found.cluster
        if ordered and self.word in ("SORT", "CLUSTER", "DISTRIBUTE") and self.ahead().word == "BY":
            raise self.error(f"{self.word} BY beside another order", hint="leave one of them out")
        if self.word == "WINDOW" and self.ahead(2).word == "AS":
            found.windows = self._windows()
        if self.took("LIMIT"):
            found.limit_all = self.took("ALL")
            found.limit = None if found.limit_all else self.expression()
        if self.took("OFFSET"):
            found.offset = self.expression()
        return found

    def _ends_order(self) -> bool:
        return self.ahead().word in (
            "",
            "ASC",
            "DESC",
            "NULLS",
            "LIMIT",
            "OFFSET",
            ")",
            ";",
            "|>",
            "WINDOW",
        )

    def _direction(self, begin: int) -> SortKey:
        """The direction behind ORDER BY ALL."""
        descending = self.took("DESC")
        if not descending:
            self.took("ASC")
        first = not descending
        if self.took("NULLS"):
            first = self.took("FIRST")
            if not first:
                self.need("LAST")
        return SortKey(begin, None, descending, first)

    def _windows(self) -> dict[str, WindowOf]:
        self.need("WINDOW")
        found: dict[str, WindowOf] = {}
        while True:
            begin, name = self.at, self.name("a window")
            if name in found:
                raise self.error(f"the window `{name}` is there twice", begin)
            self.need("AS")
            found[name] = self.window()
            if self.word != ",":
                return found
            self.step()

    # -- set operations --------------------------------------------------------------------------

    def _parse_set_operations(self, begin: int, found: Any) -> Any:
        """What is read so far, with the set operations behind it."""
        while self.word in _SETS:
            kind, all_ = self._set_word()
            right = self._term() if kind == "INTERSECT" else self._intersect()
            found = Combined(begin, found, right, kind, all_)
        return found

    def _intersect(self) -> Any:
        begin = self.at
        found = self._term()
        while self.word == "INTERSECT":
            kind, all_ = self._set_word()
            found = Combined(begin, found, self._term(), kind, all_)
        return found

    def _set_word(self) -> tuple[str, bool]:
        kind = _SETS[self.step().word]
        all_ = self.took("ALL")
        if not all_:
            self.took("DISTINCT")
        return kind, all_

    def _term(self) -> Any:
        begin, word = self.at, self.word
        if word == "SELECT":
            return self._select(begin)
        if word == "FROM":
            return self._from_first(begin)
        if word == "(":
            self.step()
            found = self.query()
            self.need(")")
            return found
        if word == "VALUES":
            self.step()
            return self._rows(begin)
        if word == "TABLE":
            self.step()
            return TableName(self.at, self.path("a table"))
        if word in ("MAP", "REDUCE"):
            raise self.error(f"{word} … USING runs a script, which no view of ours holds", begin)
        raise self.expected("SELECT, FROM, VALUES, TABLE or a query between parentheses", _STARTS)

    # -- SELECT ----------------------------------------------------------------------------------

    def _select(self, begin: int) -> SelectOf:
        self.need("SELECT")
        hints = self._hints()
        distinct = False
        if self.word in ("DISTINCT", "ALL") and self.ahead().word not in (",", ".", "FROM", "AS"):
            distinct = self.step().word == "DISTINCT"
        if self.word == "TRANSFORM" and self.ahead().word == "(":
            self._refuse_scripts()
        items = tuple(self.listed(lambda: self.attempt(self.named_expression, ",")))
        found = SelectOf(begin, items, distinct, hints)
        if self.took("FROM"):
            found.source = self.relations()
        return self._clauses(found)

    def _refuse_scripts(self) -> None:
        """``SELECT TRANSFORM(…) USING`` runs a program; the function ``transform`` has a lambda."""
        if self.behind_parenthesis(self.place + 1).word in ("USING", "ROW", "RECORDWRITER"):
            raise self.error("TRANSFORM … USING runs a script, which no view of ours holds")

    def _from_first(self, begin: int) -> Any:
        """``FROM t SELECT a``, whose ORDER BY and LIMIT are its own; without SELECT all columns."""
        self.need("FROM")
        source = self.relations()
        if self.word == "SELECT":
            found = self._select(self.at)
            if found.source is not None:
                raise self.error("a second FROM in one SELECT", found.source.at)
            found.source = source
            return self._ended(QueryOf(begin, found))
        if self.word == "WHERE" or self.word in ("INSERT",):
            raise self.expected("SELECT")
        return SelectOf(begin, (StarOf(begin, ()),), source=source)

    def _clauses(self, found: SelectOf) -> SelectOf:
        while self.word == "LATERAL" and self.ahead().word == "VIEW":
            found.source = self.lateral_view(found.source)
        if self.took("WHERE"):
            found.where = self.attempt(self.expression)
        if self.took("GROUP", "BY"):
            found.group = self.attempt(self._group)
        if self.took("HAVING"):
            found.having = self.attempt(self.expression)
        if self.word == "QUALIFY":
            self.step()
            found.qualify = self.expression()
        if self.word == "WINDOW" and self.ahead(2).word == "AS":
            found.windows = self._windows()
        if self.word == "QUALIFY" and found.qualify is None:
            self.step()
            found.qualify = self.expression()
        return found

    def _group(self) -> GroupBy:
        begin = self.at
        if self.word == "ALL" and self.ahead().word not in (",", ".", "("):
            self.step()
            return GroupBy(begin, (), every=True)
        keys = tuple(self.listed(self._grouping))
        if self.word == "WITH" and self.ahead().word in ("ROLLUP", "CUBE"):
            self.step()
            kind = self.step().word
            return GroupBy(begin, (GroupingSets(begin, kind, tuple((key,) for key in keys)),))
        if self.took("GROUPING", "SETS"):
            sets = tuple(self.enclosed(self._set))
            return GroupBy(begin, keys, sets)
        return GroupBy(begin, keys)

    def _grouping(self) -> Any:
        begin = self.at
        if self.word in ("ROLLUP", "CUBE") and self.ahead().word == "(":
            kind = self.step().word
            units = tuple(self.enclosed(self._set))
            if not all(units):
                raise self.error(f"{kind} of an empty set", begin)
            return GroupingSets(begin, kind, units)
        if self.word == "GROUPING" and self.ahead().word == "SETS":
            self.go_to(self.place + 2)
            self.need("(")
            every = self.listed(self._set_or_grouping)
            self.need(")")
            return GroupingSets(begin, "SETS", tuple(every))
        return self.expression()

    def _set_or_grouping(self) -> Any:
        if self.word in ("ROLLUP", "CUBE", "GROUPING") and self.ahead().word in ("(", "SETS"):
            self.descend()
            found = self._grouping()
            self.depth -= 1
            return (found,)
        return self._set()

    def _set(self) -> tuple[Any, ...]:
        begin = self.at
        if self.word == "(" and self.ahead().word == ")":
            self.go_to(self.place + 2)
            return ()
        found = self.expression()
        if type(found) is not Function or found.name != ("",) or found.at != begin:
            return (found,)
        for each in found.args:  # the keys of a set, and no struct
            if type(each) is Aliased:
                raise self.error("an alias between parentheses", each.at, "leave it out")
        return tuple(found.args)

    def _hints(self) -> tuple[HintOf, ...]:
        found: list[HintOf] = []
        while self.token.kind == HINT:
            self.step()
            while self.word != "*/":
                found.append(self._hint())
                if self.word == ",":
                    self.step()
            self.need("*/")
        return tuple(found)

    def _hint(self) -> HintOf:
        begin, is_call = self.at, self.ahead().word == "("
        written = self.word
        name = self.name("a hint")
        if is_call and written == "IDENTIFIER" and self.word == "(":
            raise self.error("the name of a hint is written, and not made by IDENTIFIER()")
        parameters: list[Any] = []
        if self.took("("):
            if self.word != ")":
                parameters = self.listed(self._hint_parameter)
            self.need(")")
        return HintOf(begin, name, tuple(parameters))

    def _hint_parameter(self) -> Any:
        if self.token.kind == NUMBER or self.is_string():
            return self.value()
        return Name(self.at, self.path())


def word_follows(grammar: QueryGrammar, place: int) -> bool:
    """Whether there is a token behind a place."""
    return place + 1 < len(grammar.tokens)


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
