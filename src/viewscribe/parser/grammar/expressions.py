"""Expressions: operators by how tightly they bind, predicates, and what stands alone.

The rules are those of ``booleanExpression``, ``valueExpression`` and ``primaryExpression`` in
Spark's ``SqlBaseParser.g4``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from viewscribe.parser.grammar.predicates import PredicateGrammar
from viewscribe.parser.grammar.words import BEHIND_ITEM, CLAUSES, ENDING, INFIX, STEPS_OF_NAMES
from viewscribe.parser.syntax import (
    Aliased,
    CastTo,
    FieldOf,
    Function,
    LambdaOf,
    Name,
    NamedArgument,
    Operation,
    SortKey,
    StarOf,
    SubQuery,
    Subscript,
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
