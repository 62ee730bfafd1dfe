"""Predicates: BETWEEN, IN, LIKE and IS, behind a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from viewscribe.parser.grammar.calls import CallGrammar
from viewscribe.parser.syntax import (
    Aliased,
    Function,
    Operation,
    QueryOf,
    SelectOf,
    SubQuery,
    Syntax,
)
from viewscribe.parser.tokens import STRING


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
            self.descend()
            found = rule(self, begin, found, negated)
            self.depth -= 1
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
        if self.is_query() and not self._is_value_in_parentheses():
            operands = (
                found.args if isinstance(found, Function) and found.name == ("",) else [found]
            )
            made: Any = SubQuery(begin, "in", self._query_of_in(), tuple(operands))
        else:
            made = Operation(begin, "in", [found, *self.listed(self.expression)])
        self.need(")")
        return Operation(begin, "not", [made]) if negated else made

    def _query_of_in(self) -> QueryOf:
        """A query, but ``IN (SELECT 'x')``: to Spark 4.3 that is a literal of the type SELECT.

        An alias, or whatever else no list of values has, makes it the query that it looks like.
        """
        begin, may_be_literal = self.at, self.ahead().kind == STRING and self.word == "SELECT"
        found: QueryOf = self.query()
        if may_be_literal and self.word == ")" and _is_list(found):
            raise self.error(
                "SELECT and a string are a literal of the type SELECT to Spark, behind IN",
                begin,
                hint="give the column an alias: IN (SELECT 'x' AS x)",
            )
        return found

    def _is_value_in_parentheses(self) -> bool:
        """Whether a query in parentheses of its own is one of the values: ``a IN ((SELECT 1))``."""
        return self.word == "(" and self.behind_parenthesis(self.place).word in (")", ",")

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


def _is_list(query: QueryOf) -> bool:
    """Whether a query has only what a list of values has, too."""
    body = query.body
    if type(body) is not SelectOf or any(type(each) is Aliased for each in body.items):
        return False
    return not any(_further(query, "body")) and not any(_further(body, "items"))


def _further(written: Syntax, field: str) -> Iterator[Any]:
    """What else was written of a node."""
    names = (each for each in written.__struct_fields__ if each not in ("at", field))
    return (getattr(written, each) for each in names)


_PREDICATES: dict[str, Callable[[PredicateGrammar, int, Any, bool], Any]] = {
    "BETWEEN": PredicateGrammar._between,
    "IN": PredicateGrammar._in,
    "LIKE": PredicateGrammar._like,
    "ILIKE": PredicateGrammar._like,
    "RLIKE": PredicateGrammar._like,
    "REGEXP": PredicateGrammar._like,
}

_BEGINNINGS = frozenset((*_PREDICATES, "IS", "NOT"))
