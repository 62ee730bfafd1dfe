"""Statements around queries: CREATE VIEW, CREATE TABLE, and the pieces that all DDL is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from viewscribe.errors import DataTypeError
from viewscribe.parser.grammar.pipes import PipeGrammar
from viewscribe.parser.grammar.words import Reading
from viewscribe.parser.syntax import Syntax
from viewscribe.parser.tokens import END, tokenize
from viewscribe.types import Field, LogicalType
from viewscribe.types.ddl import parse_type


class CheckOf(Syntax, eq=False, gc=False):
    """A CHECK: its condition, as it was written and as it was read, and its name."""

    condition: str
    written: Any
    name: str | None = None


class ColumnOf(Syntax, eq=False, gc=False):
    """A column or parameter: its field, and what was written behind its type.

    Args:
        field: name, type, comment.
        default: the text of its default value.
        written: the default value as it was read.
        checks: the conditions of CHECK.
    """

    field: Field
    default: str | None = None
    written: Any = None
    checks: tuple[CheckOf, ...] = ()


class ViewOf(Syntax, eq=False, gc=False):
    """CREATE VIEW up to its query.

    Args:
        name: the parts of its name.
        start: the offset of its query.
        columns: the names that it gives its columns, and their comments.
    """

    name: tuple[str, ...]
    start: int
    columns: tuple[tuple[str, str | None], ...] = ()
    comment: str | None = None
    properties: Mapping[str, str] = {}
    replace: bool = False
    temporary: bool = False
    lenient: bool = False


class TableDefinition(Syntax, eq=False, gc=False):
    """CREATE TABLE with its columns."""

    name: tuple[str, ...]
    columns: tuple[ColumnOf, ...]
    checks: tuple[CheckOf, ...] = ()
    format: str | None = None
    location: str | None = None
    comment: str | None = None
    options: Mapping[str, str] = {}
    properties: Mapping[str, str] = {}
    partitioned: tuple[str, ...] = ()
    replace: bool = False
    lenient: bool = False


class Stretch(msgspec.Struct, frozen=True):
    """One statement of several: where it begins and ends in the text."""

    start: int
    end: int


class StatementGrammar(PipeGrammar):
    """Reads statements.

    Args:
        text: the text that the statement is in.
        reading: how it is read.
        start: the offset where it begins.
    """

    def __init__(self, text: str, reading: Reading | None = None, start: int = 0) -> None:
        super().__init__(" " * start + text[start:], reading or Reading())  # places stay the same
        self.text = text

    # -- pieces ----------------------------------------------------------------------------------

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        place = self.place
        while self.tokens[place].word == ";":
            place += 1
        return self.tokens[place].kind is END

    def first_words(self, count: int = 4) -> str:
        """The words here, for errors."""
        upcoming = self.tokens[self.place : self.place + count]
        return " ".join(token.text for token in upcoming if token.kind is not END)

    def finish(self) -> None:
        """Checks that nothing is left."""
        if not self.done:
            raise self.expected("the end of the statement")

    def single_name(self) -> str:
        """A name of one part."""
        begin, parts = self.at, self.path()
        if len(parts) > 1:
            raise self.error(
                f"`{'.'.join(parts)}` is a name of {len(parts)} parts where one is wanted",
                begin,
                hint="system functions and temporary views have no catalog and database",
            )
        return parts[0]

    def rest(self, what: str) -> str:
        """What is left, as it was written."""
        if self.done:
            raise self.expected(what)
        begin, place = self.at, len(self.tokens) - 2
        while self.tokens[place].word == ";":
            place -= 1
        last = self.tokens[place]
        self.go_to(len(self.tokens) - 1)
        return self.text[begin : last.start + len(last.text)]

    def type(self) -> LogicalType:
        """A type."""
        begin = self.at
        try:
            return parse_type(self.type_text())
        except DataTypeError as error:  # which knows its place in the type alone
            raise self.error(error.message, begin, error.hint) from None

    def expression_text(self) -> tuple[str, Any]:
        """An expression, as it was written and as it was read."""
        begin = self.at
        written = self.expression()
        last = self.tokens[self.place - 1]
        return self.text[begin : last.start + len(last.text)], written

    # -- columns ---------------------------------------------------------------------------------

    def columns(self) -> list[ColumnOf]:
        """``(name TYPE [NOT NULL] [DEFAULT expression] [COMMENT 'text'], …)``."""
        self.need("(")
        if self.took(")"):
            return []
        found = self.listed(self.column)
        self.need(")")
        return found

    def column(self) -> ColumnOf:
        """A column with its type and what is behind it."""
        begin, name = self.at, self.name()
        self.took(":")
        type_, comment, default, written = self.type(), None, None, None
        checks: list[CheckOf] = []
        while self.word not in (",", ")"):
            if self.word == "DEFAULT" and default is not None:
                raise self.error(f"the column `{name}` has two defaults")
            if self.took("DEFAULT"):
                default, written = self.expression_text()
            elif self.took("COMMENT"):
                comment = self.string()
            elif self.took("NOT", "NULL"):
                type_ = type_.not_null()
            elif self.word in _CONSTRAINTS:
                checks += self.constraint()
            elif self.word == "GENERATED":
                raise self.error(
                    "a generated column is not read", hint="write the column as it is read"
                )
            else:
                raise self.expected("DEFAULT, COMMENT, NOT NULL, a comma or `)`")
        return ColumnOf(begin, Field(name, type_, comment), default, written, tuple(checks))

    def constraint(self) -> list[CheckOf]:
        """A constraint: the condition of CHECK; keys are only promises."""
        begin, name = self.at, None
        if self.took("CONSTRAINT"):
            name = self.name("the name of a constraint")
        found: list[CheckOf] = []
        if self.took("CHECK"):
            self.need("(")
            found.append(CheckOf(begin, *self.expression_text(), name))
            self.need(")")
        elif self.took("PRIMARY", "KEY") or self.took("UNIQUE"):
            if self.word == "(":
                self.names()
        elif self.word in ("FOREIGN", "REFERENCES"):
            self._foreign_key()
        else:
            raise self.expected("CHECK, PRIMARY KEY, UNIQUE or FOREIGN KEY")
        if found and self.word == "NOT" and self.ahead().word == "ENFORCED":
            raise self.error("a CHECK that is not enforced", hint="leave NOT ENFORCED out")
        while self.word in ("NOT", "ENFORCED", "RELY", "NORELY") and (
            self.word != "NOT" or self.ahead().word == "ENFORCED"
        ):
            self.step()
        return found

    def _foreign_key(self) -> None:
        if self.took("FOREIGN", "KEY"):
            self.names()
        self.need("REFERENCES")
        self.path("a table")
        if self.word == "(":
            self.names()

    # -- CREATE VIEW -----------------------------------------------------------------------------

    def is_create(self, what: str) -> bool:
        """Whether a CREATE of a VIEW or TABLE stands here."""
        if self.word != "CREATE":
            return False
        words = [self.ahead(count).word for count in range(1, 6)]
        while words and words[0] in ("OR", "REPLACE", "TEMP", "TEMPORARY", "GLOBAL", "EXTERNAL"):
            words.pop(0)
        return bool(words) and words[0] == what

    def create_view(self) -> ViewOf:
        """CREATE VIEW, up to its query."""
        begin = self.at
        self.need("CREATE")
        replace = self.took("OR", "REPLACE")
        if self.word == "GLOBAL":
            raise self.error(
                "a global temporary view belongs to a Spark session",
                hint="leave GLOBAL out: a temporary view of this environment",
            )
        temporary = self.took("TEMPORARY") or self.took("TEMP")
        self.need("VIEW")
        lenient = self.took("IF", "NOT", "EXISTS")
        if lenient and replace:
            raise self.error("CREATE OR REPLACE VIEW has no IF NOT EXISTS", begin)
        name = (self.single_name(),) if temporary else self.path("the name of a view")
        columns = tuple(self.enclosed(self._view_column)) if self.word == "(" else ()
        comment, properties = self._view_options()
        self.need("AS")
        return ViewOf(
            *(begin, name, self.at, columns, comment, properties, replace, temporary, lenient)
        )

    def _view_column(self) -> tuple[str, str | None]:
        name = self.name("the name of a column")
        return name, self.string() if self.took("COMMENT") else None

    def _view_options(self) -> tuple[str | None, dict[str, str]]:
        comment, properties = None, {}
        while self.word != "AS":
            begin = self.at
            if self.took("COMMENT"):
                comment = self.string()
            elif self.took("TBLPROPERTIES"):
                properties = self.properties()
            elif self.took("WITH", "SCHEMA"):
                self._schema_binding(begin)
            elif self.word in _REFUSED_OF_VIEWS:
                raise self.error(
                    f"{self.word} of a view is not read", begin, hint="leave it out of the view"
                )
            else:
                raise self.expected("AS and a query, COMMENT or TBLPROPERTIES")
        return comment, properties

    def _schema_binding(self, begin: int) -> None:
        """Only what Spark does where nothing is said: the view keeps its columns and casts."""
        if not self.took("COMPENSATION"):
            raise self.error(
                f"WITH SCHEMA {self.first_words(2)} is not kept: a stored view has the columns "
                "and types that it was made with",
                begin,
                hint="leave it out, which is WITH SCHEMA COMPENSATION",
            )

    # -- CREATE TABLE ----------------------------------------------------------------------------

    def create_table(self) -> TableDefinition:
        """CREATE TABLE with columns."""
        begin = self.at
        self.need("CREATE")
        replace = self.took("OR", "REPLACE")
        if self.word in ("TEMP", "TEMPORARY", "GLOBAL"):
            raise self.error(f"{self.word} TABLE is no statement of Spark's")
        self.took("EXTERNAL")
        self.need("TABLE")
        lenient = self.took("IF", "NOT", "EXISTS")
        name = self.path("the name of a table")
        if self.word != "(":
            raise self.expected("the columns of the table, (name TYPE, …)")
        columns, checks = self._table_columns()
        found = TableDefinition(begin, name, columns, checks, replace=replace, lenient=lenient)
        while not self.done:
            self._table_option(found)
        return found

    def _table_columns(self) -> tuple[tuple[ColumnOf, ...], tuple[CheckOf, ...]]:
        self.need("(")
        columns: list[ColumnOf] = []
        checks: list[CheckOf] = []
        while True:
            if self.word in _CONSTRAINTS and self._is_constraint():
                checks += self.constraint()
            else:
                columns.append(self.column())
            if not self.took(","):
                break
        self.need(")")
        return tuple(columns), tuple(checks)

    def _is_constraint(self) -> bool:
        """Whether a word begins a constraint, and is not the name of a column."""
        after = self.ahead().word
        if self.word == "CONSTRAINT":
            return self.ahead(2).word in ("CHECK", "PRIMARY", "UNIQUE", "FOREIGN")
        return after == {"PRIMARY": "KEY", "FOREIGN": "KEY"}.get(self.word, "(")

    def _table_option(self, found: TableDefinition) -> None:
        if self.took("USING"):
            found.format = ".".join(self.path("a format")).lower()
        elif self.took("COMMENT"):
            found.comment = self.string()
        elif self.took("LOCATION"):
            found.location = self.string()
        elif self.took("OPTIONS"):
            found.options = self.properties()
        elif self.took("TBLPROPERTIES"):
            found.properties = self.properties()
        elif self.took("PARTITIONED", "BY"):
            found.partitioned = self.names()
        elif self.word == "AS":
            raise self.error(
                "CREATE TABLE … AS would run its query",
                hint="write the columns of the table; or CREATE VIEW … AS",
            )
        else:
            raise self.expected(
                "USING, PARTITIONED BY, COMMENT, LOCATION, OPTIONS, TBLPROPERTIES or the end"
            )


_CONSTRAINTS = frozenset(("CONSTRAINT", "CHECK", "PRIMARY", "UNIQUE", "FOREIGN", "REFERENCES"))
_REFUSED_OF_VIEWS = frozenset(("PARTITIONED", "DEFAULT", "WITH", "LANGUAGE"))


def split_statements(text: str) -> list[Stretch]:
    """The statements of a text, which semicolons part.

    Raises:
        SqlSyntaxError: a string or comment has no end.
    """
    found: list[Stretch] = []
    start: int | None = None
    end = 0
    for token in tokenize(text):
        if token.word == ";" or token.kind is END:
            if start is not None:
                found.append(Stretch(start, end))
            start = None
            continue
        start = token.start if start is None else start
        end = token.start + len(token.text)
    return found
