"""Calls, those with words among their arguments, too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from viewscribe.errors import SqlSyntaxError, ValidationError
from viewscribe.expressions.literals import NULL, literal
from viewscribe.parser.grammar.recovery import TypeGrammar
from viewscribe.parser.literals import (
    date_value,
    has_zone,
    interval_of_range,
    interval_of_text,
    interval_of_units,
    moment_value,
    number,
    time_value,
    unit_of,
)
from viewscribe.parser.syntax import (
    Aliased,
    Bound,
    CastTo,
    Constant,
    Function,
    Name,
    Operation,
    QueryOf,
    SelectOf,
    SubQuery,
    Syntax,
    WindowOf,
)
from viewscribe.parser.tokens import NUMBER, STRING
from viewscribe.types import TIMESTAMP_NTZ
from viewscribe.types.identifiers import parse_name, zone_of
from viewscribe.types.policy import IN_FORCE

# Literals and parameters.

_MOVING = {
    "now": ("current_timestamp()", "current_date()"),
    "today": ("date_trunc('DAY', current_timestamp())", "current_date()"),
    "tomorrow": ("date_trunc('DAY', current_timestamp()) + INTERVAL 1 DAY", "current_date() + 1"),
    "yesterday": ("date_trunc('DAY', current_timestamp()) - INTERVAL 1 DAY", "current_date() - 1"),
}
"""Words that Spark replaces when it parses: what says the same of a TIMESTAMP, of a DATE."""


class LiteralGrammar(TypeGrammar):
    """Reads literals and parameters."""

    # What the grammar above this one reads.

    def expression(self) -> Any:
        raise NotImplementedError

    def named_expression(self) -> Any:
        raise NotImplementedError

    def value(self, least: int = 1) -> Any:
        raise NotImplementedError

    def argument(self) -> Any:
        raise NotImplementedError

    def sort_key(self) -> Any:
        raise NotImplementedError

    def query(self) -> Any:
        raise NotImplementedError

    def enclosed_query(self) -> Any:
        raise NotImplementedError

    def is_query(self) -> bool:
        raise NotImplementedError

    def table_argument(self) -> Any:
        raise NotImplementedError

    # -- literals --------------------------------------------------------------------------------

    def constant_word(self, begin: int) -> Constant | None:
        """NULL, TRUE, FALSE."""
        if self.ahead().word == "(":
            return None
        word = self.step().word
        if self.word == ".":
            raise self.error(f"{word} is a constant, which has no fields", hint="quote the name")
        return Constant(begin, NULL if word == "NULL" else literal(word == "TRUE"))

    def constant_string(self) -> Constant:
        """A string."""
        begin = self.at
        return Constant(begin, literal(self.string()))

    def number(self, begin: int, sign: str = "") -> Constant:
        """A number."""
        text = sign + self.step().text
        try:
            return Constant(begin, number(text))
        except ValidationError as error:
            raise self.error(error.message, begin, error.hint) from None

    def typed_literal(self, begin: int) -> Any:
        """``DATE '2024-01-01'``; without a string the word is a name."""
        if self.ahead().kind != "string" or self.ahead().text[0] in "rR":
            return None
        word = self.step().word
        text = self.string()
        if word == "X":
            if len(text) % 2:
                text = "0" + text
            try:
                return Constant(begin, literal(bytes.fromhex(text)))
            except ValueError:
                raise self.error(
                    f"X'{text}' has other characters than 0-9 and A-F", begin
                ) from None
        if word == "DATE":
            found = date_value(text)
        elif word == "TIME":
            found = time_value(text)
        else:
            try:
                found = self._moment(word, text)
            except ValidationError as error:
                raise self.error(error.message, begin, error.hint) from None
            if found is None and self._needs_session(word, text):
                return CastTo(begin, Constant(begin, literal(text)), "TIMESTAMP_LTZ")
        if found is None:
            raise self._no_moment(word, text, begin)
        return Constant(begin, found)

    def _no_moment(self, word: str, text: str, begin: int) -> SqlSyntaxError:
        special = text.strip().lower().partition(" ")[0]
        if word == "TIME" or special not in _MOVING:
            return self.error(f"{text!r} is no {word} that viewscribe can hold", begin)
        return self.error(
            f"{word} '{text}' is what it is when the query is read, and another one the next day",
            begin,
            f"write {_MOVING[special][word == 'DATE']}",
        )

    def _moment(self, word: str, text: str) -> Any:
        plain = word == "TIMESTAMP" and not has_zone(text)
        type_ = IN_FORCE.get().timestamp if plain else None
        if word == "TIMESTAMP_NTZ":
            type_ = TIMESTAMP_NTZ
        return moment_value(text, type_, zone_of(self.reading.zone))

    def _needs_session(self, word: str, text: str) -> bool:
        """Whether only the session's time zone can say what the moment is."""
        return word != "TIMESTAMP_NTZ" and moment_value(text, TIMESTAMP_NTZ, None) is not None

    def interval(self, begin: int) -> Constant | None:
        """``INTERVAL 1 DAY 2 HOURS``, ``INTERVAL '1-2' YEAR TO MONTH``."""
        after = self.ahead()
        signed = after.word in ("-", "+") and self.ahead(2).kind in (NUMBER, "string")
        if after.kind not in (NUMBER, "string") and not signed:
            return None
        if signed and self.ahead(2).kind == "string" and unit_of(self.ahead(3).word) is None:
            return None  # a column of that name, from which a string is taken
        self.step()
        try:
            return Constant(begin, self._interval_value())
        except ValidationError as error:
            if error.location is not None:
                raise
            raise self.error(error.message, begin, error.hint) from None

    def _interval_value(self) -> Any:
        parts: list[tuple[str, str]] = []
        while not parts or self._is_amount():
            sign = self.step().word if self.word in ("-", "+") else ""
            quoted = self.is_string()
            amount = self.string() if quoted else self.step().text
            unit = unit_of(self.word)
            if unit is None:
                if parts or not quoted:
                    raise self.expected("a unit of time")
                return interval_of_text(amount)
            self.step()
            if self.word == "TO" and parts:
                raise self.error("an interval FROM … TO … stands alone")
            if self.took("TO"):
                last = unit_of(self.word) or ""
                self.step()
                return interval_of_range(amount, unit, last, negative=sign == "-")
            parts.append((_parse_sign(sign, amount), unit))
        return interval_of_units(parts)

    def _is_amount(self) -> bool:
        """Whether a further amount with its unit stands here."""
        signed = self.word in ("-", "+")
        amount, unit = self.ahead(int(signed)), self.ahead(signed + 1)
        return amount.kind in (NUMBER, "string") and unit_of(unit.word) is not None

    def parameter(self, begin: int) -> Constant:
        """``?`` or ``:name``, whose value was given."""
        if self.step().word == "?":
            if self.placed >= len(self.reading.placed):
                raise self.error("a `?` has no value", begin, "give it: args=[…]")
            self.placed += 1
            return Constant(begin, self.reading.placed[self.placed - 1])
        name = self.name("the name of a parameter")
        if name not in self.reading.named:
            raise self.error(f"`:{name}` has no value", begin, f'give it: args={{"{name}": …}}')
        return Constant(begin, self.reading.named[name])


def _parse_sign(sign: str, amount: str) -> str:
    if sign != "-":
        return amount
    return amount.strip()[1:] if amount.strip().startswith("-") else f"-{amount.strip()}"


_PART = r"(?:`(?:[^`]|``)+`|\w+)"
_WRITTEN_NAME = re.compile(rf"{_PART}(?:\.{_PART})*", re.ASCII)
"""What ``IDENTIFIER`` may be given."""


class CallGrammar(LiteralGrammar):
    """Reads calls."""

    def call(self, begin: int, name: tuple[str, ...]) -> Function:
        """A call, from its parenthesis on."""
        self.need("(")
        distinct = False
        args: list[Any] = []
        if self.word != ")":
            if self.word in ("DISTINCT", "ALL") and self.ahead().word not in (",", ")", "("):
                distinct = self.step().word == "DISTINCT"
            elif self.word == "DISTINCT" and self.ahead().word == "(":
                distinct = True
                self.step()
            fields = name[-1].lower() == "struct"
            args = self.listed(self.named_expression if fields else self.argument)
        made = Function(begin, name, args, distinct)
        if self.word in ("IGNORE", "RESPECT") and self.ahead().word == "NULLS":
            made.nulls = self.step().word
            self.step()
        self.need(")")
        return self.clauses(made)

    def clauses(self, made: Function) -> Function:
        """What follows the parentheses of a call."""
        if self.took("WITHIN", "GROUP"):
            self.need("(", "ORDER", "BY")
            made.order = tuple(self.listed(self.sort_key))
            self.need(")")
        if self.word == "FILTER" and self.ahead().word == "(":
            self.step()
            self.need("(", "WHERE")
            made.where = self.expression()
            self.need(")")
        if self.word in ("IGNORE", "RESPECT") and self.ahead().word == "NULLS":
            made.nulls = self.step().word
            self.step()
        if self.word == "OVER" and (self.ahead().word == "(" or self._is_name(self.ahead())):
            self.step()
            made.over = self.window()
        return made

    def window(self) -> WindowOf:
        """What stands behind OVER, or behind AS in WINDOW."""
        begin = self.at
        if self.word != "(":
            return WindowOf(begin, self.name("a window"))
        self.step()
        if self.is_name() and self.ahead().word == ")":
            name = self.name()
            self.step()
            return WindowOf(begin, name)
        found = WindowOf(begin, None)
        if (
            self.took("CLUSTER", "BY")
            or self.took("PARTITION", "BY")
            or self.took("DISTRIBUTE", "BY")
        ):
            found.partition = tuple(self.listed(self.expression))
        if self.took("ORDER", "BY") or self.took("SORT", "BY"):
            found.order = tuple(self.listed(self.sort_key))
        if self.word in ("ROWS", "RANGE", "GROUPS"):
            if self.word == "GROUPS":
                raise self.expected("ROWS or RANGE")
            found.unit = self.step().word
            if self.took("BETWEEN"):
                found.start = self._bound()
                self.need("AND")
                found.end = self._bound()
            else:
                found.start, found.end = self._bound(), Bound(begin, "CURRENT ROW")
        self.need(")")
        return found

    def _bound(self) -> Bound:
        begin = self.at
        if self.took("CURRENT", "ROW"):
            return Bound(begin, "CURRENT ROW")
        if self.word == "UNBOUNDED" and self.ahead().word in ("PRECEDING", "FOLLOWING"):
            self.step()
            return Bound(begin, f"UNBOUNDED {self.step().word}")
        offset = self.value()
        if self.word not in ("PRECEDING", "FOLLOWING"):
            raise self.expected("PRECEDING or FOLLOWING")
        return Bound(begin, self.step().word, offset)

    # -- calls with words in them ----------------------------------------------------------------

    def extract(self, begin: int) -> Operation | None:
        """``extract(YEAR FROM a)``."""
        if self.ahead().word != "(" or self.ahead(3).word != "FROM":
            return None
        self.go_to(self.place + 2)
        field = self.name("a field of a time")
        self.need("FROM")
        source = self.value()
        self.need(")")
        return Operation(begin, "extract", [Constant(begin, literal(field)), source])

    def trim(self, begin: int) -> Any:
        """``trim(BOTH 'x' FROM a)``; without FROM it is a call like others."""
        if self.ahead().word != "(":
            return None
        before = self.place
        self.go_to(self.place + 2)
        side = "BOTH"
        if self.word in ("BOTH", "LEADING", "TRAILING") and self.ahead().word not in (
            ",",
            ")",
            ".",
        ):
            side = self.step().word
        first = self.place
        what = None if self.word == "FROM" else self.value()
        if not self.took("FROM"):
            self.go_back(before, first, what)
            return None
        source = self.value()
        self.need(")")
        name = {"BOTH": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}[side]
        args = [source] if what is None else [source, what]
        return Operation(begin, name, args, side)

    def position_in(self, begin: int) -> Any:
        """``position('b' IN a)``."""
        if self.ahead().word != "(":
            return None
        before = self.place
        self.go_to(self.place + 2)
        first = self.place
        what = self.value()
        if not self.took("IN"):
            self.go_back(before, first, what)
            return None
        source = self.value()
        self.need(")")
        return Function(begin, ("locate",), [what, source])

    def overlay(self, begin: int) -> Any:
        """``overlay(a PLACING b FROM 1 FOR 2)``."""
        if self.ahead().word != "(":
            return None
        before = self.place
        self.go_to(self.place + 2)
        first = self.place
        args = [self.value()]
        if not self.took("PLACING"):
            self.go_back(before, first, args[0])
            return None
        args.append(self.value())
        self.need("FROM")
        args.append(self.value())
        if self.took("FOR"):
            args.append(self.value())
        self.need(")")
        return Function(begin, ("overlay",), args)

    def substring(self, begin: int) -> Any:
        """``substring(a FROM 1 FOR 2)``."""
        if self.ahead().word != "(":
            return None
        before = self.place
        self.go_to(self.place + 2)
        if self.word == ")":
            self.go_to(before)
            return None
        first = self.place
        args = [self.value()]
        if not self.took("FROM"):
            self.go_back(before, first, args[0])
            return None
        args.append(self.value())
        if self.took("FOR"):
            args.append(self.value())
        self.need(")")
        return Function(begin, ("substring",), args)

    def with_unit(self, begin: int) -> Any:
        """``timestampadd(DAY, 1, a)``: the first of three arguments is a unit, and no column."""
        unit = self.ahead(2)
        if unit.kind == "string" and self.word in _UNIT_ONLY and self.ahead().word == "(":
            raise self.error(f"the unit of {self.word} is a word without quotes", unit.start)
        if self.ahead().word != "(" or unit.word not in _UNITS or self.ahead(3).word != ",":
            return None
        name = _BY_UNIT[self.word]
        self.go_to(self.place + 4)
        first = self.value()
        self.need(",")
        args = [Constant(unit.start, literal(unit.text)), first, self.value()]
        self.need(")")
        return Operation(begin, name, args)

    def identifier(self, begin: int) -> Any:
        """``IDENTIFIER('t.a')``: a name that is computed, here from constants."""
        if self.ahead().word != "(":
            return None
        parts = self._computed()
        if self.word == ".":  # to Spark a field, by another name than that of the path
            further = self._further()
            if self.word != "(":
                raise self.error(
                    "a dot behind IDENTIFIER(…) is not read", begin, "write the path into it"
                )
            parts = (*parts, *further)
        if self.word == "(":
            return self.call(begin, parts)
        return Name(begin, parts, is_computed=True)

    def computed_name(self) -> tuple[str, ...]:
        """The name that ``IDENTIFIER(…)`` stands for, and what is written behind it."""
        return self._computed() + tuple(self._further())

    def _computed(self) -> tuple[str, ...]:
        self.computes_names = True
        self.go_to(self.place + 2)
        begin = self.at
        text = self._constant_text(self.expression())
        self.need(")")
        if not _WRITTEN_NAME.fullmatch(text):
            raise self.error(
                f"{text!r} is no name", begin, "put what is no plain name between backticks"
            )
        return tuple(parse_name(text))

    def computed_part(self) -> str:
        begin = self.at
        parts = self.computed_name()
        if len(parts) != 1:
            raise self.error("one name, and no path, stands here", begin)
        return parts[0]

    def _further(self) -> list[str]:
        parts = []
        while self.word == "." and self._is_name(self.ahead()):
            self.step()
            parts.append(self.name())
        return parts

    def _constant_text(self, found: Any) -> str:
        if isinstance(found, Constant) and isinstance(found.value.value, str):
            return found.value.value
        if isinstance(found, Operation) and found.name == "concat":
            return "".join(self._constant_text(each) for each in found.args)
        if isinstance(found, Function) and found.name[-1].lower() == "concat":
            return "".join(self._constant_text(each) for each in found.args)
        self._refuse(found)

    def _refuse(self, found: Any) -> NoReturn:
        raise self.error(
            "IDENTIFIER(…) takes a string, a parameter or these put together with ||", found.at
        )

    # -- variants --------------------------------------------------------------------------------

    def _is_path(self, found: Any) -> bool:
        """Whether a colon begins a path into a VARIANT."""
        after = self.ahead()
        return self._is_name(after) or after.word in ("[", "*") or after.kind == "string"

    def _variant_path(self, found: Any) -> Any:
        """``v:a.b[0]``."""
        self.step()
        path, last = "$", ""
        first = self.word != "["
        while True:
            if first or (self.word == "." and self._is_name(self.ahead())):
                if not first:
                    self.step()
                first = False
                name = self.name()  # dots and brackets inside of quotes are steps, too
                path, last = f"{path}.{name}", name.split(".")[-1].split("[")[0]
            elif self.word == "[":
                self.step()
                if self.is_string():
                    last = self.string()
                    path = f"{path}['{last}']"
                else:
                    path = f"{path}[{self.whole_number()}]"
                self.need("]")
            else:
                break
        where = Constant(found.at, literal(path))
        return Operation(found.at, "variant_get", [found, where], last)


_UNITS = frozenset(
    [
        "YEAR",
        "QUARTER",
        "MONTH",
        "WEEK",
        "DAY",
        "DAYOFYEAR",
        "HOUR",
        "MINUTE",
        "SECOND",
        "MILLISECOND",
        "MICROSECOND",
    ]
)
_UNIT_ONLY = frozenset(("TIMESTAMPADD", "TIMESTAMPDIFF", "TIMEDIFF"))
_BY_UNIT = {
    "TIMESTAMPADD": "timestampadd",
    "DATEADD": "timestampadd",
    "DATE_ADD": "timestampadd",
    "TIMESTAMPDIFF": "timestampdiff",
    "DATEDIFF": "timestampdiff",
    "DATE_DIFF": "timestampdiff",
    "TIMEDIFF": "timestampdiff",
}


# Predicates: BETWEEN, IN, LIKE and IS, behind a value.


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
