"""Predicates: BETWEEN, IN, LIKE and IS, behind a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from viewscribe.errors import SqlSyntaxError
from viewscribe.parser.grammar.calls import CallGrammar
from viewscribe.parser.syntax import Function, Operation, SubQuery
from viewscribe.parser.tokens import STRING, Token


class PredicateGrammar(CallGrammar):
    """Reads predicates."""

    def predicate(self) -> Any:
        """A value, or what is said of it."""
        begin = self.at
        found = self.value()
        word = self.word
        if word in _BEGINNINGS and self.ends_item():
            return found
        if word in _PREDICATES or (word in ("NOT", "!") and self.ahead().word in _PREDICATES):
            negated = self._took_not()
            rule = _PREDICATES[self.word]
            found = rule(self, begin, found, negated)
        elif word == "IS":
            found = self._is(begin, found)
        return found

    def ends_item(self) -> bool:
        """Whether the word here is the last of an item, and so its alias."""
        raise NotImplementedError

    def _took_not(self) -> bool:
        """Whether NOT stands here; Spark took ``!`` for it in old versions."""
        if self.word == "!":
            raise self.error("`!` stands before a whole condition only", hint="write NOT")
        return self.took("NOT")

    def _between(self, begin: int, found: Any, negated: bool) -> Any:
        self.step()
        low = self.value()
        self.need("AND")
        made = Operation(begin, "between", [found, low, self.value()])
        return Operation(begin, "not", [made]) if negated else made

    def _in(self, begin: int, found: Any, negated: bool) -> Any:
        self.step()
        self.need("(")
        if self.word == "VALUES" and self.ahead().word == "(":
            raise self.error("VALUES behind IN is a function", hint="write IN (SELECT * FROM …)")
        self._refuse_typed_literal()
        if self.is_query() and not self._is_value_in_parentheses():
            operands = (
                found.args if isinstance(found, Function) and found.name == ("",) else [found]
            )
            made: Any = SubQuery(begin, "in", self.query(), tuple(operands))
        else:
            made = Operation(begin, "in", [found, *self.listed(self.expression)])
        self.need(")")
        return Operation(begin, "not", [made]) if negated else made

    def _refuse_typed_literal(self) -> None:
        """Refuses ``IN (SELECT 'x')``: Spark 4.3 reads it as a list with a literal of type SELECT.

        An alias, or whatever else no list of values has, makes it the query that it looks like.
        """
        if self.word != "SELECT" or self.ahead().kind != STRING:
            return
        begin = self.place
        self.step()
        try:
            self.listed(self.expression)
            is_list = self.word == ")"
        except SqlSyntaxError:
            is_list = False
        self.go_to(begin)
        if is_list:
            raise self.error(
                "SELECT and a string are a literal of the type SELECT to Spark, behind IN",
                hint="give the column an alias: IN (SELECT 'x' AS x)",
            )

    def _is_value_in_parentheses(self) -> bool:
        """Whether a query in parentheses of its own is one of the values: ``a IN ((SELECT 1))``."""
        return self.word == "(" and self._token_behind(self.place).word in (")", ",")

    def _token_behind(self, opening: int) -> Token:
        """The token behind the parentheses that open at a place; the end where they stay open."""
        depth = 0
        for place in range(opening, len(self.tokens) - 1):
            depth += (self.tokens[place].word == "(") - (self.tokens[place].word == ")")
            if depth == 0:
                return self.tokens[place + 1]
        return self.tokens[-1]

    def _like(self, begin: int, found: Any, negated: bool) -> Any:
        name = {"REGEXP": "rlike"}.get(self.word, self.word.lower())
        self.step()
        if name != "rlike" and self.word in ("ANY", "SOME", "ALL") and self.ahead().word == "(":
            which = "all" if self.step().word == "ALL" else "any"
            patterns = self.enclosed(self.expression)
            whole = f"{'not_' if negated else ''}{name}_{which}"
            return Operation(begin, whole, [found, *patterns])
        args = [found, self.value()]
        if name != "rlike" and self.took("ESCAPE"):
            args.append(self.constant_string())
        made = Operation(begin, name, args)
        return Operation(begin, "not", [made]) if negated else made

    def _is(self, begin: int, found: Any) -> Any:
        self.step()
        negated = self._took_not()
        if self.took("DISTINCT", "FROM"):
            made = Operation(begin, "is_distinct_from", [found, self.value()])
            return Operation(begin, "not", [made], "DISTINCT") if negated else made
        for word in ("NULL", "UNKNOWN"):
            if self.took(word):
                name = "isnotnull" if negated else "isnull"
                return Operation(begin, name, [found], word if word == "UNKNOWN" else "")
        for word, name in (("TRUE", "is_true"), ("FALSE", "is_false")):
            if self.took(word):
                return Operation(begin, f"is_not_{name[3:]}" if negated else name, [found])
        raise self.expected("NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM")


_PREDICATES: dict[str, Callable[[PredicateGrammar, int, Any, bool], Any]] = {
    "BETWEEN": PredicateGrammar._between,
    "IN": PredicateGrammar._in,
    "LIKE": PredicateGrammar._like,
    "ILIKE": PredicateGrammar._like,
    "RLIKE": PredicateGrammar._like,
    "REGEXP": PredicateGrammar._like,
}

_BEGINNINGS = frozenset((*_PREDICATES, "IS", "NOT"))
