"""Literals and parameters."""

from __future__ import annotations

from typing import Any

from viewscribe.errors import SqlSyntaxError, ValidationError
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
    CastTo,
    Constant,
)
from viewscribe.parser.tokens import NUMBER
from viewscribe.types import TIMESTAMP_NTZ
from viewscribe.types.policy import IN_FORCE
from viewscribe.types.zones import zone_of

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
