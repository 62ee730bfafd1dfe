"""Expressions: operators by how tightly they bind, predicates, and what stands alone.

The rules are those of ``booleanExpression``, ``valueExpression`` and ``primaryExpression`` in
Spark's ``SqlBaseParser.g4``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from viewscribe.parser.grammar.calls import PredicateGrammar
from viewscribe.parser.grammar.words import BEHIND_ITEM, CLAUSES, ENDING, INFIX, STEPS_OF_NAMES
from viewscribe.parser.syntax import (
    Aliased,
    CastTo,
    FieldOf,
    Function,
    LambdaOf,
    LateralView,
    Name,
    Named,
    NamedArgument,
    Operation,
    PivotOf,
    Sampled,
    SortKey,
    StarOf,
    SubQuery,
    Subscript,
    UnpivotOf,
    Unread,
)
from viewscribe.parser.tokens import END, NUMBER, QUOTED, STRING, WORD


class ExpressionGrammar(PredicateGrammar):
    """Reads expressions."""

    def named_expression(self) -> Any:
        """``a + b AS c``, ``explode(m) AS (k, v)``; the AS may be left out."""
        begin = self.at
        found = self.expression()
        if self.word == "AS" and self.ahead().word != "(":
            return Aliased(begin, found, (self.name_behind_as(),))
        if self.took("AS") or self.word == "(":
            return Aliased(begin, found, self.names())
        if self.is_alias():
            return Aliased(begin, found, (self.name(),))
        return found

    def is_alias(self) -> bool:
        """Whether the word here is an alias without AS."""
        token = self.token
        if token.kind is WORD:
            return token.word not in CLAUSES or self.ends_item()
        return self.is_name()

    def ends_item(self) -> bool:
        """Whether the word here is the last of an item: ``SELECT 1 limit`` has no LIMIT."""
        after = self.ahead()
        if self.word == "FROM":
            return after.word in (",", "FROM")
        return self.token.kind is WORD and (after.word in BEHIND_ITEM or after.kind is END)

    def expression(self) -> Any:
        """An expression of any type: OR binds least."""
        begin = self.at
        found = self._conjunction()
        if self.word != "OR":
            return found
        terms = [found]
        while self.word == "OR":
            self.step()
            terms.append(self._conjunction())
        return Operation(begin, "or", terms)

    def _conjunction(self) -> Any:
        begin = self.at
        found = self._negation()
        if self.word != "AND":
            return found
        terms = [found]
        while self.word == "AND":
            self.step()
            terms.append(self._negation())
        return Operation(begin, "and", terms)

    def _negation(self) -> Any:
        begin: list[int] = []
        while (self.word == "NOT" and not self._is_column()) or self.word == "!":
            self.descend()
            begin.append(self.at)
            self.step()
        found = self._exists(self.at) if self.word == "EXISTS" else None
        if found is None:
            found = self.predicate()
        for at in reversed(begin):
            found = Operation(at, "not", [found])
        self.depth -= len(begin)
        return found

    def value(self, least: int = 1) -> Any:
        """An expression without AND, OR, NOT and predicates."""
        if self.known and least == 1 and self.place in self.known:
            found, place = self.known.pop(self.place)
            self.go_to(place)
            return found
        begin = self.at
        self.descend()
        found = self._unary()
        self.depth -= 1
        while True:
            rule = INFIX.get(self.word)
            if rule is None or rule[0] < least:
                return found
            power, name = rule
            if name == "|" and self._is_step_ahead():
                return found
            self._refuse_ends_of_types()
            self.step()
            found = Operation(begin, name, [found, self.value(power + 1)])

    def _refuse_ends_of_types(self) -> None:
        """Refuses ``>>`` where Spark's lexer has cut it in two."""
        if self.word == ">" and self.ahead().word == ">" and self.ahead().start == self.at + 1:
            raise self.error(
                "`>>` behind ARRAY, MAP or STRUCT ends two types to Spark",
                hint="write shiftright(a, b) or shiftrightunsigned(a, b)",
            )

    def _is_step_ahead(self) -> bool:
        """Whether the ``|`` here is a pipe, which Spark takes for ``|>``, too."""
        word, after = self.ahead().word, self.ahead(2)
        if word in CLAUSES:
            return after.word != "."
        begins = after.kind in (WORD, QUOTED, NUMBER, STRING) or after.word == "*"
        return word in STEPS_OF_NAMES and begins and after.word not in CLAUSES

    def _unary(self) -> Any:
        signs: list[tuple[int, str]] = []
        while self.word in _SIGNS and not (self.word == "-" and self.ahead().kind == NUMBER):
            self.descend()
            signs.append((self.at, _SIGNS[self.word]))
            self.step()
        begin = self.at
        if self.word == "-":
            self.step()
            found = self._postfix(self.number(begin, "-"))
        else:
            found = self._postfix(self._primary())
        for at, name in reversed(signs):
            found = Operation(at, name, [found])
        self.depth -= len(signs)
        return found

    def _postfix(self, found: Any) -> Any:
        depth = self.depth
        while (word := self.word) in _BEHIND:
            begin = found.at
            self.descend()
            if word == "." and self._is_name(self.ahead()):
                self.step()
                if type(found) is Name:  # ``(t.a).b`` is ``t.a.b``, which may be a table's column
                    found = Name(begin, (*found.parts, self.name()))
                else:
                    found = FieldOf(begin, found, self.name())
            elif word == "[":
                self.step()
                found = Subscript(begin, found, self.value())
                self.need("]")
            elif word == "::":
                self.step()
                found = CastTo(begin, found, self.type_text())
            elif word == "COLLATE":
                self.step()
                found = Operation(begin, "collate", [found], ".".join(self.path("a collation")))
            elif word == ":" and self._is_path(found):
                found = self._variant_path(found)
            else:
                break
        self.depth = depth
        return found

    # -- what stands alone -----------------------------------------------------------------------

    def _primary(self) -> Any:
        token = self.token
        begin, kind, word = token.start, token.kind, token.word
        if kind is WORD:
            rule = _WORDS.get(word)
            if rule is not None and self.ahead().word != "->":
                found = rule(self, begin)
                if found is not None:
                    return found
            return self._name_or_call(begin)
        if kind == QUOTED or (kind == STRING and not self.is_string()):
            return self._name_or_call(begin)
        if kind == STRING:
            return self.constant_string()
        if kind == NUMBER:
            return self.number(begin)
        if word == "(":
            return self._parenthesis(begin)
        if word == "*":
            self.step()
            return StarOf(begin, (), self._without())
        if word in ("?", ":"):
            return self.parameter(begin)
        raise self.expected("an expression")

    def _is_column(self) -> bool:
        """Whether a word that begins something stands for a column of that name."""
        after = self.ahead()
        if self.word == "WINDOW" and self.ahead(2).word != "AS":
            return True  # and no WINDOW w AS (…)
        if after.word == "+" and self.word in ("NOT", "CASE"):  # perhaps a sign of what follows
            return self.word == "CASE" and self._last_when < self.place
        return after.word in ENDING or after.word == "FROM" or after.kind is END

    @cached_property
    def _last_when(self) -> int:
        """The place of the last WHEN in the text."""
        return max((at for at, each in enumerate(self.tokens) if each.word == "WHEN"), default=-1)

    def _name_or_call(self, begin: int) -> Any:
        known = self.word not in CLAUSES or self.word in self.variables
        if not known and not self._is_column() and self.ahead().word not in ("(", "->"):
            raise self.expected("an expression")
        first = self.name()
        if self.word == "->":
            return self._lambda(begin, (first,))
        if self.word == "(":
            return self.call(begin, (first,))
        parts = [first]
        while self.word == ".":
            after = self.ahead()
            if after.word == "*":
                self.go_to(self.place + 2)
                return StarOf(begin, tuple(parts), self._without())
            if not self._is_name(after):
                break
            self.step()
            parts.append(self.name())
            if self.word == "(":
                return self.call(begin, tuple(parts))
        return Name(begin, tuple(parts))

    def _without(self) -> tuple[tuple[str, ...], ...]:
        if self.word == "EXCEPT" and self.ahead().word == "(" and not self._is_query_ahead():
            self.step()
            return tuple(self.enclosed(self.path))
        return ()

    def _is_query_ahead(self) -> bool:
        return self.ahead(2).word in ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "(")

    def _parenthesis(self, begin: int) -> Any:
        if self._is_lambda():
            return self._lambda(begin, self.names())
        self.step()
        if self.is_query():
            found: Any = SubQuery(begin, "scalar", self.query())
            self.need(")")
            return found
        items = self.listed(self.named_expression)
        self.need(")")
        if len(items) == 1:
            if isinstance(items[0], Aliased):
                raise self.error("an alias between parentheses", items[0].at, "leave it out")
            return items[0]
        return Function(begin, ("",), items)

    def _lambda(self, begin: int, parameters: tuple[str, ...]) -> LambdaOf:
        self.need("->")
        around = self.variables
        self.variables = around | {each.upper() for each in parameters}
        try:
            return LambdaOf(begin, parameters, self.expression())
        finally:
            self.variables = around

    def _is_lambda(self) -> bool:
        place = self.place + 1
        while self._is_name(self.tokens[place]) and self.tokens[place + 1].word == ",":
            place += 2
        after = self.tokens[place : place + 3]
        return (
            len(after) == 3
            and self._is_name(after[0])
            and after[1].word == ")"
            and after[2].word == "->"
        )

    # -- words that begin something --------------------------------------------------------------

    def _case(self, begin: int) -> Any:
        if self._is_column():
            return None
        self.step()
        subject = None if self.word == "WHEN" else self.expression()
        args: list[Any] = []
        while self.took("WHEN"):
            condition = self.expression()
            if subject is not None:
                condition = Operation(condition.at, "==", [subject, condition])
            self.need("THEN")
            args += [condition, self.expression()]
        if not args:
            raise self.expected("WHEN")
        if self.took("ELSE"):
            args.append(self.expression())
        self.need("END")
        return Operation(begin, "when", args)

    def _cast(self, begin: int) -> Any:
        if self.ahead().word != "(":
            return None
        lenient = self.step().word == "TRY_CAST"
        self.step()
        child = self.expression()
        self.need("AS")
        type_ = self.type_text()
        self.need(")")
        return CastTo(begin, child, type_, lenient)

    def _exists(self, begin: int) -> Any:
        if self.ahead().word != "(" or not self._is_query_ahead():
            return None
        self.go_to(self.place + 2)
        found = SubQuery(begin, "exists", self.query())
        self.need(")")
        return found

    def sort_key(self) -> SortKey:
        """``a DESC NULLS LAST``."""
        begin = self.at
        child = self.expression()
        descending = self.took("DESC")
        if not descending:
            self.took("ASC")
        first = not descending
        if self.took("NULLS"):
            first = self.took("FIRST")
            if not first:
                self.need("LAST")
        return SortKey(begin, child, descending, first)

    def argument(self) -> Any:
        """An argument of a call: by position, or by name."""
        if self.is_name() and self.ahead().word == "=>":
            begin, name = self.at, self.name()
            self.step()
            return NamedArgument(begin, name, self._argument_value())
        return self._argument_value()

    def _argument_value(self) -> Any:
        if self.word == "TABLE" and (self.ahead().word == "(" or self._is_name(self.ahead())):
            return self.table_argument()
        return self.expression()


_BEHIND = frozenset((".", "[", "::", "COLLATE", ":"))
"""What goes on with a value."""

_SIGNS = {"-": "negative", "+": "positive", "~": "~"}

_WORDS: dict[str, Callable[[Any, int], Any]] = {
    "CASE": ExpressionGrammar._case,
    "CAST": ExpressionGrammar._cast,
    "TRY_CAST": ExpressionGrammar._cast,
    "NULL": ExpressionGrammar.constant_word,
    "TRUE": ExpressionGrammar.constant_word,
    "FALSE": ExpressionGrammar.constant_word,
    "DATE": ExpressionGrammar.typed_literal,
    "TIME": ExpressionGrammar.typed_literal,
    "TIMESTAMP": ExpressionGrammar.typed_literal,
    "TIMESTAMP_NTZ": ExpressionGrammar.typed_literal,
    "TIMESTAMP_LTZ": ExpressionGrammar.typed_literal,
    "X": ExpressionGrammar.typed_literal,
    "INTERVAL": ExpressionGrammar.interval,
    "EXTRACT": ExpressionGrammar.extract,
    "TRIM": ExpressionGrammar.trim,
    "POSITION": ExpressionGrammar.position_in,
    "OVERLAY": ExpressionGrammar.overlay,
    "SUBSTR": ExpressionGrammar.substring,
    "SUBSTRING": ExpressionGrammar.substring,
    "IDENTIFIER": ExpressionGrammar.identifier,
    **dict.fromkeys(
        (
            "TIMESTAMPADD",
            "DATEADD",
            "DATE_ADD",
            "TIMESTAMPDIFF",
            "DATEDIFF",
            "DATE_DIFF",
            "TIMEDIFF",
        ),
        ExpressionGrammar.with_unit,
    ),
}
"""How words begin what is neither a column nor a plain call; None gives the word back."""


# What is made of a relation: samples, lateral views, pivots and their reverse.


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
