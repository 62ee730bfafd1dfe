"""Words and symbols that decide how an expression goes on."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import msgspec

from viewscribe.errors import SqlSyntaxError, did_you_mean
from viewscribe.expressions.nodes import Literal
from viewscribe.parser.literals import MOST_DIGITS
from viewscribe.parser.tokens import (
    END,
    NUMBER,
    QUOTED,
    STRING,
    WORD,
    Token,
    syntax_error,
    tokenize,
)
from viewscribe.types.lexemes import string_value

INFIX = {
    "=": (1, "=="), "==": (1, "=="), "<>": (1, "!="), "!=": (1, "!="), "<=>": (1, "<=>"),
    "<": (1, "<"), "<=": (1, "<="), ">": (1, ">"), ">=": (1, ">="), "!>": (1, "<="),
    "!<": (1, ">="),
    "|": (2, "|"), "^": (3, "^"), "&": (4, "&"),
    "<<": (5, "<<"), ">>": (5, ">>"), ">>>": (5, ">>>"),
    "+": (6, "+"), "-": (6, "-"), "||": (6, "concat"),
    "*": (7, "*"), "/": (7, "/"), "%": (7, "%"), "DIV": (7, "div"),
}  # fmt: skip
"""How tightly the operators bind, and what they are; all are read from left to right."""

CLAUSES = frozenset(
    [
        "FROM",
        "WHERE",
        "GROUP",
        "HAVING",
        "ORDER",
        "SORT",
        "CLUSTER",
        "DISTRIBUTE",
        "LIMIT",
        "OFFSET",
        "UNION",
        "INTERSECT",
        "EXCEPT",
        "MINUS",
        "SETMINUS",
        "WINDOW",
        "QUALIFY",
        "LATERAL",
        "JOIN",
        "INNER",
        "LEFT",
        "RIGHT",
        "FULL",
        "CROSS",
        "NATURAL",
        "ON",
        "USING",
        "ANTI",
        "SEMI",
        "PIVOT",
        "UNPIVOT",
        "TABLESAMPLE",
        "WHEN",
        "THEN",
        "ELSE",
        "END",
        "SELECT",
        "AS",
    ]
)
"""Words that begin what comes next, and so end an expression."""

ENDING = frozenset(
    (
        *(",", ")", ".", "=", "<", ">", "+", "*", "/", "]", "AS", "DESC", "ASC", "IS", "IN"),
        *("|>", ";", "||", "<=", ">=", "!=", "<>", "<=>", "==", "::", "AND", "OR", "BETWEEN"),
    )
)


BEHIND_ITEM = frozenset((",", ")", "FROM", ";"))
"""What stands behind an item of a SELECT, whose last word is then its alias, whatever it is."""


AFTER_ALIAS = CLAUSES - {"AS"} | {")", ",", ";", "|>"}
"""What can follow an alias that is the last word before it."""


NEVER_RELATIONS = frozenset(
    (
        *("ANTI", "CROSS", "EXCEPT", "FULL", "INNER", "INTERSECT", "JOIN", "LATERAL", "LEFT"),
        *("NATURAL", "ON", "RIGHT", "SEMI", "SETMINUS", "UNION", "USING"),
    )
)
"""Words that Spark takes for aliases of columns only."""


BEFORE_BY = frozenset(("GROUP", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE"))


STEPS_OF_NAMES = frozenset(("EXTEND", "SET", "DROP", "AGGREGATE"))


AFTER_QUERY = frozenset(
    (
        *(")", "UNION", "INTERSECT", "EXCEPT", "MINUS", "SETMINUS", "ORDER", "SORT", "CLUSTER"),
        *("DISTRIBUTE", "LIMIT", "OFFSET", "|>", ";", ""),
    )
)
"""What can follow a query between parentheses, where another query holds it."""


# A place among tokens, and the small steps that every rule of the grammar is made of.

T = TypeVar("T")


LENGTHS = "spark.sql.preserveCharVarcharTypeInfo"
"""The setting under which values have the types CHAR and VARCHAR."""

MOST_LEVELS = 1_000
"""How deep parts of a text may stand in one another: Spark's own parser ends before."""


class Reading(msgspec.Struct, frozen=True):
    """What decides how a text is read.

    Args:
        named: the values of parameters such as ``:name``.
        placed: the values of ``?``, in order.
        raw_strings: ``spark.sql.parser.escapedStringLiterals``: a backslash stands for itself.
        quoted_names: ``spark.sql.ansi.doubleQuotedIdentifiers``: ``"a"`` is a name.
        zone: the session's time zone, in which ``TIMESTAMP '…'`` is read.
        group_places: ``spark.sql.groupByOrdinal``: a number in GROUP BY is an item.
        group_aliases: ``spark.sql.groupByAliases``: a name in GROUP BY may be an item's alias.
        order_places: ``spark.sql.orderByOrdinal``: a number in ORDER BY is an item.
        lengths: whether Spark computes with CHAR and VARCHAR: the setting of ``LENGTHS``.
        cte_policy: ``spark.sql.legacy.ctePrecedencePolicy``: which of two CTEs of a name is meant.
        time: ``spark.sql.timeType.enabled``: whether TIME may be computed with.
        cross_joins: ``spark.sql.crossJoin.enabled``: without it no nearest rows are looked for.
    """

    named: Mapping[str, Literal] = {}
    placed: Sequence[Literal] = ()
    raw_strings: bool = False
    quoted_names: bool = False
    zone: str | None = None
    group_places: bool = True
    group_aliases: bool = True
    order_places: bool = True
    lengths: bool = False
    cte_policy: str = "CORRECTED"
    time: bool = True
    cross_joins: bool = True


class Parenthesis(NamedTuple):
    """A parenthesis that opens.

    Args:
        first: the place of what stands behind it and those that follow at once.
        whole: whether these may hold one query and nothing more.
        end: the place of its partner; that of the end of the text where it has none.
    """

    first: int
    whole: bool
    end: int


class Cursor:
    """A place among the tokens of a text."""

    def __init__(self, text: str, reading: Reading) -> None:
        self.text = text
        self.reading = reading
        self.tokens = tokenize(text)
        self.place = 0
        self.word = self.tokens[0].word
        self.placed = 0
        self.depth = 0
        self.known: dict[int, tuple[Any, int]] = {}
        """Values that were read already, by where they begin, with the place behind them."""
        self.variables: frozenset[str] = frozenset()
        """Words that are variables of a lambda function here, whatever they are elsewhere."""
        self.computes_names = False
        """Whether IDENTIFIER(…) was read."""

    @property
    def token(self) -> Token:
        """The token here."""
        return self.tokens[self.place]

    @property
    def at(self) -> int:
        """The offset of the token here."""
        return self.tokens[self.place].start

    def ahead(self, count: int = 1) -> Token:
        """A later token; the last one is for ever."""
        place = self.place + count
        return self.tokens[place] if place < len(self.tokens) else self.tokens[-1]

    def step(self) -> Token:
        """The token here, and one further."""
        token = self.tokens[self.place]
        if token.kind is not END:
            self.place += 1
            self.word = self.tokens[self.place].word
        return token

    def go_to(self, place: int) -> None:
        """Back, or on, to a place."""
        self.place = place
        self.word = self.tokens[place].word

    def go_back(self, place: int, first: int, found: object) -> None:
        """Back to a place, behind which a value was read: it is not read again.

        Calls stand in one another, and what is read twice at each level is never done.

        Args:
            place: where to go.
            first: where the value begins.
            found: the value, which ends here.
        """
        self.known[first] = (found, self.place)
        self.go_to(place)

    def skip_to(self, start: int) -> None:
        """On to the first token that does not begin before an offset."""
        while self.token.kind is not END and self.token.start < start:
            self.step()

    def took(self, *words: str) -> bool:
        """Whether these words stand here; if they do, the place is behind them."""
        if self.word != words[0]:
            return False
        for count, word in enumerate(words):
            if count and self.ahead(count).word != word:
                return False
        self.go_to(self.place + len(words))
        return True

    def need(self, *words: str) -> None:
        """These words.

        Raises:
            SqlSyntaxError: something else stands here.
        """
        for word in words:
            if self.word != word:
                raise self.expected(word)
            self.step()

    def expected(self, what: str, words: Iterable[str] = ()) -> SqlSyntaxError:
        """The error of a place where something else was expected; of ``words`` the nearest."""
        token = self.token
        found = "the end of the text" if token.kind is END else f"`{token.text}`"
        hint = None
        if token.kind is WORD:
            hint = did_you_mean(token.word, [what] if what.isupper() else words)
        return self.error(f"expected {what}, found {found}", token.start, hint)

    def descend(self, levels: int = 1) -> None:
        """Notes that what follows stands that much deeper; whoever calls takes it back.

        Raises:
            SqlSyntaxError: it is deeper than texts are read.
        """
        self.depth += levels
        if self.depth > MOST_LEVELS:
            raise self.error(
                f"the text is nested too deep: more than {MOST_LEVELS:,} levels",
                hint="compute an inner part in a query or CTE of its own",
            )

    def error(self, message: str, at: int | None = None, hint: str | None = None) -> SqlSyntaxError:
        """An error at an offset, or here."""
        return syntax_error(self.text, self.at if at is None else at, message, hint)

    @cached_property
    def parentheses(self) -> dict[int, Parenthesis]:
        """Each parenthesis that opens, by its place.

        All of them are worked out in one pass, for many may stand in one another.
        """
        found: dict[int, Parenthesis] = {}
        closing: list[int] = []
        last = len(self.tokens) - 1
        for place in range(last, -1, -1):
            word = self.tokens[place].word
            if word == ")":
                closing.append(place)
            elif word == "(":
                end = closing.pop() if closing else last
                ends = end == last or self.tokens[end + 1].word in AFTER_QUERY
                inner = found.get(place + 1)
                first, whole = (place + 1, True) if inner is None else (inner.first, inner.whole)
                found[place] = Parenthesis(first, whole and ends, end)
        return found

    def behind_parenthesis(self, place: int) -> Token:
        """What stands behind the parenthesis that opens at a place; the end of the text if all."""
        return self.tokens[min(self.parentheses[place].end + 1, len(self.tokens) - 1)]

    # -- names, strings, numbers -----------------------------------------------------------------

    def is_name(self) -> bool:
        """Whether a word, or a name between quotes, stands here."""
        return self._is_name(self.token)

    def _is_name(self, token: Token) -> bool:
        if token.kind is WORD or token.kind == QUOTED:
            return True
        return self.reading.quoted_names and token.kind == STRING and token.text[0] == '"'

    def name(self, what: str = "a name") -> str:
        """A name without its quotes."""
        token = self.token
        if token.kind is WORD:
            if token.word == "IDENTIFIER" and self.ahead().word == "(":
                return self.computed_part()
            self.step()
            return token.text
        if not self._is_name(token):
            raise self.expected(what)
        self.step()
        quote = token.text[0]
        return token.text[1:-1].replace(quote * 2, quote)

    def name_behind_as(self, never: Container[str] = ()) -> str:
        """The name that AS gives, which stands here: AS itself, as Spark reads it, without one.

        Args:
            never: words that are no names there.
        """
        written = self.step().text
        return self.name("an alias") if self._is_named(never) else written

    def _is_named(self, never: Container[str]) -> bool:
        """Whether a name stands here, and no clause: ``t AS WHERE a > 1``."""
        if not self.is_name() or self.token.kind is not WORD or self.word not in CLAUSES:
            return self.is_name()
        if self.word in never:
            return False
        after = self.ahead()
        if after.word == "(":
            return self.end_of_names(self.place + 1) is not None
        return after.kind is END or after.word in AFTER_ALIAS

    def end_of_names(self, place: int) -> int | None:
        """The place behind ``(a, b)``, which begins at a place; None for what is no such list."""
        place += 1
        while self._is_name(self.tokens[place]) and self.tokens[place + 1].word == ",":
            place += 2
        closed = self._is_name(self.tokens[place]) and self.tokens[place + 1].word == ")"
        return place + 2 if closed else None

    def computed_part(self) -> str:
        """The name that ``IDENTIFIER('a')`` stands for."""
        raise NotImplementedError

    def path(self, what: str = "a name") -> tuple[str, ...]:
        """A name of parts: ``catalog.database.table``; ``IDENTIFIER('a.b')`` says one, too."""
        parts = [self.name(what)]
        while self.word == "." and self._is_name(self.ahead()):
            self.step()
            parts.append(self.name())
        return tuple(parts)

    def is_string(self) -> bool:
        """Whether a string stands here."""
        token = self.token
        return token.kind == STRING and not (self.reading.quoted_names and token.text[0] == '"')

    def string(self) -> str:
        """A string; strings beside each other are one."""
        found = self.one_string()
        while self.is_string():
            found += self.one_string()
        return found

    def one_string(self) -> str:
        """A string, and none of those beside it."""
        if not self.is_string():
            raise self.expected("a string")
        try:
            found = string_value(self.token.text, raw=self.reading.raw_strings)
        except ValueError:
            raise self.error("an escape in this string is no character, or half of one") from None
        self.step()
        return found

    def whole_number(self, what: str = "a whole number") -> int:
        """A number without a point."""
        token = self.token
        if token.kind != NUMBER or not token.text.isdigit():
            raise self.expected(what)
        if len(token.text) > MOST_DIGITS:
            raise self.error(f"a number of more than {MOST_DIGITS} digits")
        self.step()
        return int(token.text)

    # -- lists -----------------------------------------------------------------------------------

    def listed(self, one: Callable[[], T]) -> list[T]:
        """One or more, with commas between them."""
        found = [one()]
        while self.word == ",":
            self.step()
            found.append(one())
        return found

    def enclosed(self, one: Callable[[], T]) -> list[T]:
        """One or more, between parentheses."""
        self.need("(")
        found = self.listed(one)
        self.need(")")
        return found

    def names(self) -> tuple[str, ...]:
        """Names between parentheses."""
        return tuple(self.enclosed(self.name))
