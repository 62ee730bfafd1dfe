"""Literals, parameters and calls, those with words among their arguments, too."""

from __future__ import annotations

from typing import Any, NoReturn

from viewscribe.errors import ValidationError
from viewscribe.expressions.literals import NULL, literal
from viewscribe.parser.grammar.types import TypeGrammar
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
    Bound,
    CastTo,
    Constant,
    Function,
    Operation,
    WindowOf,
)
from viewscribe.parser.tokens import NUMBER
from viewscribe.types import TIMESTAMP_NTZ
from viewscribe.types.identifiers import parse_name
from viewscribe.types.policy import IN_FORCE
from viewscribe.types.zones import zone_of


class CallGrammar(TypeGrammar):
    """Reads literals and calls."""

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

    def is_query(self) -> bool:
        raise NotImplementedError

    def table_argument(self) -> Any:
        raise NotImplementedError

    # -- literals --------------------------------------------------------------------------------

    def constant_word(self, begin: int) -> Constant | None:
        """NULL, TRUE, FALSE."""
        if self.ahead().word in (".", "("):
            return None
        word = self.step().word
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
            found = self._moment(word, text)
            if found is None and self._needs_session(word, text):
                return CastTo(begin, Constant(begin, literal(text)), "TIMESTAMP_LTZ")
        if found is None:
            raise self.error(f"{text!r} is no {word} that viewscribe can hold", begin)
        return Constant(begin, found)

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
            parts.append((_signed(sign, amount), unit))
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

    # -- calls -----------------------------------------------------------------------------------

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
        what = None if self.word == "FROM" else self.value()
        if not self.took("FROM"):
            self.go_to(before)
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
        what = self.value()
        if not self.took("IN"):
            self.go_to(before)
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
        args = [self.value()]
        if not self.took("PLACING"):
            self.go_to(before)
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
        args = [self.value()] if self.word != ")" else []
        if not self.took("FROM"):
            self.go_to(before)
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
        parts = self.computed_name()
        if self.word == "(":
            return self.call(begin, parts)
        from viewscribe.parser.syntax import Name

        return Name(begin, parts)

    def computed_name(self) -> tuple[str, ...]:
        """The name that ``IDENTIFIER(…)`` stands for."""
        self.go_to(self.place + 2)
        text = self._constant_text(self.expression())
        self.need(")")
        return tuple(parse_name(text)) + tuple(self._further())

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
        path, last = ["$"], ""
        if self.word != "[":
            last = self.name()
            path.append(_path_part(last))
            last = last.split(".")[-1]
        while True:
            if self.word == "." and self._is_name(self.ahead()):
                self.step()
                last = self.name()
                path.append(_path_part(last))
            elif self.word == "[":
                self.step()
                if self.is_string():
                    last = self.string()
                    path.append(_path_part(last))
                else:
                    path.append(f"[{self.whole_number()}]")
                self.need("]")
            else:
                break
        where = Constant(found.at, literal("".join(path)))
        return Operation(found.at, "variant_get", [found, where], last)


def _signed(sign: str, amount: str) -> str:
    if sign != "-":
        return amount
    return amount.strip()[1:] if amount.strip().startswith("-") else f"-{amount.strip()}"


def _path_part(name: str) -> str:
    return f".{name}" if name.replace("_", "a").isalnum() else f'["{name}"]'


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
