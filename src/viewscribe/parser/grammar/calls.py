"""Calls, those with words among their arguments, too."""

from __future__ import annotations

import re
from typing import Any, NoReturn

from viewscribe.expressions.literals import literal
from viewscribe.parser.grammar.literals import LiteralGrammar
from viewscribe.parser.syntax import (
    Bound,
    Constant,
    Function,
    Operation,
    WindowOf,
)
from viewscribe.types.identifiers import parse_name

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
        from viewscribe.parser.syntax import Name

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
