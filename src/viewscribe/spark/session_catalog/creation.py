"""Tables and views made by statements, under the settings that their texts are meant under."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import msgspec

from viewscribe.catalog_store.documents.model import (
    Column,
    FunctionDocument,
    ObjectDocument,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.errors import InvalidDocumentError
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.embedded_document import (
    COMMENT,
    UNKNOWN,
    Kept,
    State,
    is_kept,
    pack,
    user_properties,
)
from viewscribe.catalog_store.hosted.names import unfinished_name
from viewscribe.catalog_store.hosted.types import columns_of
from viewscribe.catalog_store.hosted.view_texts import with_names
from viewscribe.catalog_store.messages import label
from viewscribe.catalog_store.protocol import fold
from viewscribe.errors import DataTypeError, VerificationError
from viewscribe.operations.reach import Part
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.session import inside, settings, settings_of_text
from viewscribe.spark.session_catalog.statements import (
    KIND,
    REDACTED,
    Described,
    RefusedError,
    Statements,
    keys,
    pairs,
)
from viewscribe.spark.session_catalog.states import BEFORE, GONE, holds, names_to_text, placeholder
from viewscribe.types import TimeType
from viewscribe.types.ddl import parse_type, type_text
from viewscribe.types.identifiers import quote_identifier, quote_name
from viewscribe.types.nested_types import contains

_LENGTHS = re.compile(r"\b(?:VAR)?CHAR\(\d+\)")
_RAW_STRINGS = "spark.sql.parser.escapedStringLiterals"
_QUOTED_NAMES = "spark.sql.ansi.doubleQuotedIdentifiers"


def properties_of(written: embedded_document.Written, before: State | None) -> dict[str, str]:
    """All properties of an object that holds ``written`` after ``before``."""
    document = written.document
    ours = (
        Kept(pack(written.text), {}, UNKNOWN)
        if before is None
        else before.followed_by(written, UNKNOWN)
    )
    found = {
        **user_properties(document.properties),
        **embedded_document.to_parameters(embedded_document.mark_hidden_texts(ours)),
    }
    if document.name != fold(document.name):
        found[embedded_document.CASED] = "true"
    if isinstance(document, TableDocument) and document.format is None:
        found[KIND] = "table"
    return found


# --- making ---


def takes_one_statement(document: ObjectDocument) -> bool:
    """Whether Spark makes it at once, or not at all."""
    return not isinstance(document, FunctionDocument) and not (
        isinstance(document, ViewDocument) and _is_raw(document)
    )


def create(
    statements: Statements,
    written: embedded_document.Written,
    properties: Mapping[str, str],
    name: str | None = None,
) -> None:
    """Makes the view or table of a document; its name, or ``name``, is free.

    Raises:
        InvalidDocumentError: Spark does not take it, or gives it other columns.
        RefusedError: Spark refuses for another reason.
    """
    document = written.document
    _refuse_redacted(document)
    full = statements.name(fold(document.database), name or fold(document.name))
    if isinstance(document, TableDocument) and document.format is not None:
        statements.execute(_create_table(statements, full, document, properties))
        return
    if isinstance(document, TableDocument):
        document = as_view(document)
    raw = _is_raw(document)
    require_readable(statements, document)
    with as_meant(statements, document):
        check_query(statements, document)
        admitted = statements.admit(document.sql, document)
        text = f"CREATE VIEW {full} ({_view_columns(document)})"
        if document.comment:
            text += f"\nCOMMENT {_literal(document, document.comment)}"
        if not raw:
            text += f"\nTBLPROPERTIES {pairs(properties)}"
        statements.execute(f"{text}\nAS\n{admitted}")
    if raw:  # under such a setting the text of a document cannot be said
        statements.execute(f"ALTER VIEW {full} SET TBLPROPERTIES {pairs(properties)}")


def _refuse_redacted(document: ViewDocument | TableDocument) -> None:
    shown = dict(document.properties)
    if isinstance(document, TableDocument):
        shown.update(document.options)
    hidden = [key for key, value in shown.items() if value == REDACTED]
    if hidden:
        raise InvalidDocumentError(
            f"Spark does not show the property {hidden[0]!r}, so it cannot be written elsewhere",
            location=label(document),
            hint="leave it out, or say its value",
        )


def as_view(document: TableDocument) -> ViewDocument:
    """The view that stands for a table of which only the columns are known."""
    _types(document)
    return ViewDocument(
        database=document.database,
        name=document.name,
        comment=document.comment,
        sql=placeholder(document),
        columns=document.columns,
        properties=document.properties,
    )


def _view_columns(document: ViewDocument) -> str:
    return ", ".join(
        quote_identifier(each.name)
        + (f" COMMENT {_literal(document, each.comment)}" if each.comment else "")
        for each in document.columns
    )


def _literal(document: ViewDocument, text: str) -> str:
    """A text literal in a statement that is read under the document's own settings."""
    if _is_raw(document) and quote_string(text) != f"'{text}'":
        raise InvalidDocumentError(
            f"Spark cannot be told {text!r} under {_RAW_STRINGS} = true",
            location=label(document),
            hint="leave out quotes, backslashes and line ends, or store it without that setting",
        )
    return quote_string(text)


def _is_raw(document: ViewDocument) -> bool:
    return document.settings.get(_RAW_STRINGS, "false").lower() == "true"


def _create_table(
    statements: Statements, full: str, document: TableDocument, properties: Mapping[str, str]
) -> str:
    if document.location is None and not document.options:
        raise InvalidDocumentError(
            "a table in a session has its rows somewhere: this one does not say where",
            location=label(document),
            hint="say location=…, or make the table in Spark: CREATE TABLE",
        )
    statements.require_allowed(document)
    _types(document)
    shown = ", ".join(
        f"{quote_identifier(each.name)} {type_text(parse_type(each.type))}"
        f"{'' if each.nullable else ' NOT NULL'}"
        + (
            f" DEFAULT {statements.admit(each.default, document, Part.EXPRESSION)}"
            if each.default is not None
            else ""
        )
        + (f" COMMENT {quote_string(each.comment)}" if each.comment else "")
        for each in document.columns
    )
    for check in document.checks:
        name = f"CONSTRAINT {quote_identifier(check.name)} " if check.name else ""
        condition = statements.admit(check.condition, document, Part.EXPRESSION)
        shown += f", {name}CHECK ({condition})"
    text = f"CREATE TABLE {full} ({shown}) USING {quote_identifier(document.format or '')}"
    if document.options:
        text += f"\nOPTIONS {pairs(document.options)}"
    if document.partitioned_by:
        text += f"\nPARTITIONED BY ({', '.join(map(quote_identifier, document.partitioned_by))})"
    if document.location is not None:
        text += f"\nLOCATION {quote_string(document.location)}"
    if document.comment:
        text += f"\nCOMMENT {quote_string(document.comment)}"
    return f"{text}\nTBLPROPERTIES {pairs(properties)}"


def _types(document: ViewDocument | TableDocument) -> list[str]:
    """The types of the columns, each as it is always written, without lengths."""
    try:
        return [
            _LENGTHS.sub("STRING", type_text(parse_type(each.type))) for each in document.columns
        ]
    except DataTypeError as error:
        raise InvalidDocumentError(
            f"Spark cannot hold the type of a column: {error.message}", location=label(document)
        ) from None


# --- the meaning of a text ---


@contextmanager
def as_meant(statements: Statements, document: ViewDocument) -> Iterator[None]:
    """The session as the document's text is meant: its settings, its database."""
    wanted = {
        key: value for key, value in document.settings.items() if key.startswith("spark.sql.")
    }
    try:
        with (
            settings(statements.spark, settings_of_text(document.sql, wanted)),
            inside(statements.spark, (statements.catalog, document.database), statements.execute),
        ):
            yield
    except VerificationError as error:
        raise InvalidDocumentError(error.message, location=label(document)) from error


def check_query(statements: Statements, document: ViewDocument) -> list[str]:
    """The names that the text gives its columns; their number and types are the document's."""
    admitted = statements.admit(document.sql, document)
    try:
        found = columns_of(statements.schema_with_functions(admitted))
    except RefusedError as error:
        if error.condition is None:
            raise
        raise InvalidDocumentError(
            f"Spark does not accept the text of the view: {error}", location=label(document)
        ) from error
    wanted = _types(document)
    told = [_LENGTHS.sub("STRING", each.type) for each in found]
    if told != wanted:
        raise InvalidDocumentError(
            f"the columns of the view are {_show(document.columns, wanted)}, "
            f"and its text gives {_show(found, told)}",
            location=label(document),
            hint="a view in a session has the columns of its text",
        )
    return [each.name for each in found]


def require_readable(statements: Statements, document: ViewDocument) -> None:
    """Refuses columns of TIME where the session computes nothing with that type.

    Spark casts the columns of a view to their types wherever it is read, and does so under the
    settings of the reader, whatever the view itself was made under.

    Raises:
        InvalidDocumentError: no session with these settings could read the view.
    """
    if not any(contains(parse_type(each), TimeType) for each in _types(document)):
        return
    try:
        statements.schema("SELECT CAST(NULL AS TIME)")
    except RefusedError as error:
        raise InvalidDocumentError(
            f"no session with these settings could read the view: {error}",
            location=label(document),
            hint="put spark.sql.timeType.enabled = true into the settings that every session has, "
            "or cast the columns to STRING",
        ) from error


def _show(columns: Sequence[Column], types: Sequence[str]) -> str:
    return ", ".join(f"{each.name} {type_}" for each, type_ in zip(columns, types, strict=True))


# Tables and views changed by statements, each of which Spark does as a whole.
#
# What a change needs is said before it, and holds once the one statement that decides is done; see
# ``states.py``.


def change(
    statements: Statements, described: Described, before: State, written: embedded_document.Written
) -> None:
    """Makes an object hold ``written`` after ``before``, perhaps under another name.

    Raises:
        InvalidDocumentError: Spark does not take it.
        RefusedError: Spark refuses for another reason.
    """
    document = written.document
    target = msgspec.structs.replace(
        described, database=fold(document.database), name=fold(document.name)
    )
    wanted = properties_of(written, before)
    plan = _Plan(statements, described, before, document, wanted)
    if holds(document, target):
        moves = target.name != described.name
        plan.announce(pending=moves)
        if moves:
            with plan.taken_back_if_refused():
                statements.execute(f"{plan.head(described)} RENAME TO {_within(target)}")
        plan.tidy(target, pending=moves)
    elif described.is_view and (isinstance(document, ViewDocument) or document.format is None):
        view = as_view(document) if isinstance(document, TableDocument) else document
        require_readable(statements, view)
        with as_meant(statements, view):
            same = check_query(statements, view) == [each.name for each in view.columns]
        plan.announce(pending=True)
        with plan.taken_back_if_refused(), as_meant(statements, view):
            text = statements.admit(view.sql if same else with_names(view), view)
            name = statements.name(described.database, described.name)
            statements.execute(f"ALTER VIEW {name} AS\n{text}")
            if target.name != described.name:
                statements.execute(f"{plan.head(described)} RENAME TO {_within(target)}")
        plan.tidy(target, pending=True)
    else:
        _exchange(statements, described, written, wanted)


class _Plan:
    """What statements say about the properties of an object that is changed.

    Args:
        statements: to the catalog.
        described: the object as it is.
        before: its state.
        document: what it is to hold.
        wanted: all properties that it is to have.
    """

    def __init__(
        self,
        statements: Statements,
        described: Described,
        before: State,
        document: ViewDocument | TableDocument,
        wanted: Mapping[str, str],
    ) -> None:
        self._statements, self._described, self._before = statements, described, before
        self._comment, self._wanted = document.comment, wanted
        self._announced: dict[str, str] = {}
        known = {**before.written.document.properties, **described.properties}
        own = [key for key in user_properties(known) if key not in wanted]
        self._gone = [*own, COMMENT] if described.comment and not document.comment else own

    def announce(self, *, pending: bool) -> None:
        """Says all that is new; what goes is listed, and while ``pending``, the old state holds."""
        found = {key: value for key, value in self._wanted.items() if self._is_new(key, value)}
        if self._comment and self._comment != self._described.comment:
            found[COMMENT] = self._comment
        if self._gone:
            found[GONE] = names_to_text(self._gone)
        if pending:
            found[BEFORE] = str(self._before.version.number)
        self._announced = found
        if found:
            self._statements.execute(
                f"{self.head(self._described)} SET TBLPROPERTIES {pairs(found)}"
            )

    @contextmanager
    def taken_back_if_refused(self) -> Iterator[None]:
        """Where Spark does not do what was announced, nothing of that stays."""
        try:
            yield
        except RefusedError as error:
            if error.condition is not None:
                self._take_back()
            raise

    def _take_back(self) -> None:
        earlier = user_properties(self._before.written.document.properties)
        told = {**earlier, **self._described.properties, COMMENT: self._described.comment}
        again, gone = {}, []
        for key in self._announced:
            value = told.get(key)
            if value == REDACTED:
                value = earlier.get(key, REDACTED)
            if value is None:
                gone.append(key)
            elif value != REDACTED:
                again[key] = value
        head = self.head(self._described)
        if again:
            self._statements.execute(f"{head} SET TBLPROPERTIES {pairs(again)}")
        if gone:
            self._statements.execute(f"{head} UNSET TBLPROPERTIES IF EXISTS {keys(sorted(gone))}")

    def _is_new(self, key: str, value: str) -> bool:
        told = self._described.properties.get(key)
        if told == REDACTED:
            told = self._before.written.document.properties.get(key)
        return told != value

    def tidy(self, target: Described, *, pending: bool) -> None:
        """Takes away what is over."""
        properties = self._described.properties
        gone = [key for key in properties if is_kept(key) and key not in self._wanted]
        gone += [*self._gone, GONE] if self._gone else []
        gone += [BEFORE] if pending else []
        if gone:
            self._statements.execute(
                f"{self.head(target)} UNSET TBLPROPERTIES IF EXISTS {keys(sorted({*gone}))}"
            )

    def head(self, described: Described) -> str:
        """``ALTER VIEW name``."""
        what = "VIEW" if described.is_view else "TABLE"
        return f"ALTER {what} {self._statements.name(described.database, described.name)}"


def _exchange(
    statements: Statements,
    described: Described,
    written: embedded_document.Written,
    wanted: Mapping[str, str],
) -> None:
    """Puts a table in the place of another: made under a name of its own, then renamed."""
    waiting = unfinished_name(described.name)
    document = written.document
    is_view = document.format is None
    name = statements.name(described.database, waiting)
    with suppress(RefusedError):  # what a writer left that was killed
        statements.execute(f"DROP {'VIEW' if is_view else 'TABLE'} IF EXISTS {name}")
    create(statements, written, wanted, waiting)
    drop(statements, described)
    what = "VIEW" if is_view else "TABLE"
    statements.execute(f"ALTER {what} {name} RENAME TO {_within(described)}")


def _within(described: Described) -> str:
    """The name without its catalog, as only RENAME wants it."""
    return quote_name((described.database, described.name))


def is_same_table(document: TableDocument, described: Described) -> bool:
    """Whether only comment, properties or the name would change."""
    here = msgspec.structs.replace(document, database=described.database, name=described.name)
    return holds(here, described)


def drop(statements: Statements, described: Described) -> None:
    """Drops a view or a table."""
    what = "VIEW" if described.is_view else "TABLE"
    statements.execute(f"DROP {what} {statements.name(described.database, described.name)}")
