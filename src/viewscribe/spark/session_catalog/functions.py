"""Functions of a session: as Spark tells them, and our documents, which Spark has no place for.

A function has no properties. So its document and history are kept in those of a view beside it,
``viewscribe_function_…``, with a hash of what Spark told of the function when it was written.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from viewscribe.catalog_store.columns import PREFIX as PYTHON
from viewscribe.catalog_store.columns import class_text, read_class_text
from viewscribe.catalog_store.documents.model import (
    FunctionDocument,
    ObjectKind,
    parameter_text,
    parse_parameters,
)
from viewscribe.catalog_store.documents.normalization import content_hash
from viewscribe.catalog_store.documents.versions import unrecorded
from viewscribe.catalog_store.errors import (
    DamagedDocumentError,
    DatabaseNotFoundError,
    InvalidDocumentError,
)
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.embedded_document import (
    CASED,
    PREFIX,
    Hashes,
    Kept,
    State,
    pack,
    whole_number,
)
from viewscribe.catalog_store.hosted.names import NOTE, is_ours
from viewscribe.catalog_store.messages import label, no_database
from viewscribe.catalog_store.protocol import Loaded, ObjectId, Unreadable, fold
from viewscribe.errors import DataTypeError
from viewscribe.operations.reach import Part
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.session import has_database, table_type
from viewscribe.spark.session_catalog import states
from viewscribe.spark.session_catalog.statements import (
    KIND,
    NO_DATABASE,
    NO_TABLE,
    NOT_HELD,
    Described,
    RefusedError,
    Statements,
    describe,
    keys,
    pairs,
    refusals,
)
from viewscribe.spark.session_catalog.states import Names, state_of
from viewscribe.types.ddl import schema_text, type_text
from viewscribe.types.ddl_reader import parse_schema, parse_type
from viewscribe.types.identifiers import parse_name
from viewscribe.types.nested_types import StructType

NO_FUNCTION = ("UNRESOLVED_ROUTINE", "ROUTINE_NOT_FOUND")
FUNCTION_TAKEN = ("ROUTINE_ALREADY_EXISTS",)

_BEFORE = f"{PREFIX}before"
_WAS = f"{PREFIX}was"
_LONGEST = 100
_LABEL = re.compile(
    r"(Function|Type|Input|Returns|Comment|Deterministic|Data Access|Configs|Owner|Create Time"
    r"|Body|Class|Usage|Extended Usage|SQL Path):(\s*)"
)
_TIMELESS = ("Type", "Input", "Returns", "Comment", "Deterministic", "Class", "Body")


class ToldFunction(msgspec.Struct, frozen=True):
    """What ``DESCRIBE FUNCTION EXTENDED`` says, by label; several lines are one text."""

    database: str
    name: str
    lines: dict[str, str]

    @property
    def hash(self) -> str:
        """Of what the function does; not of when it was made."""
        return content_hash({key: self.lines.get(key) for key in _TIMELESS})


def note_name(name: str) -> str:
    """The view that keeps what is noted of a function."""
    low = fold(name)
    if len(low) > _LONGEST:
        low = low[: _LONGEST - 33] + "_" + hashlib.sha256(low.encode()).hexdigest()[:32]
    return NOTE + low


def function_names(statements: Statements, database: str) -> list[str]:
    """The names of a database's functions.

    Raises:
        RefusedError: there is no such database.
    """
    found = []
    for row in statements.list_rows(f"SHOW USER FUNCTIONS IN {statements.name(database)}"):
        parts = parse_name(row[0])
        if [fold(each) for each in parts[:-1]] == [fold(statements.catalog), database]:
            found.append(parts[-1])
    return found


def describe_function(statements: Statements, database: str, name: str) -> ToldFunction | None:
    """What Spark tells of a function, or None."""
    try:
        rows = statements.run(f"DESCRIBE FUNCTION EXTENDED {statements.name(database, name)}")
    except RefusedError as error:
        if error.is_one_of((*NO_FUNCTION, *NO_DATABASE, NOT_HELD)):
            return None  # what it has was not made by a statement: see own_function
        raise
    lines: dict[str, str] = {}
    last = width = 0
    key = ""
    for (text,) in rows:
        found = _LABEL.match(text)
        place = list(_ORDER).index(found[1]) if found else -1
        if found and place >= last:
            key, last, width = found[1], place, found.end()
            lines[key] = text[width:]
        else:
            lines[key] = f"{lines.get(key, '')}\n{text[width:]}"
    return ToldFunction(database, name, lines)


_ORDER = dict.fromkeys(
    ["Function", "Class", "Usage", "Extended Usage", "Type", "Input", "Returns", "Comment",
     "Deterministic", "Data Access", "Configs", "SQL Path", "Owner", "Create Time", "Body"]
)  # fmt: skip


def read_note(statements: Statements, database: str, name: str) -> Described | None:
    """What is kept of a function, or None."""
    try:
        found = describe(statements, database, note_name(name))
    except RefusedError as error:
        if error.is_one_of((*NO_TABLE, *NO_DATABASE)):
            return None
        raise
    return found if found.kind == "note" else None


def function_state(told: ToldFunction, note: Described | None, path: str) -> State:
    """The state of a function.

    Raises:
        DamagedDocumentError: it cannot be read.
    """
    found = None if note is None else embedded_document.from_parameters(note.properties, path)
    if note is None or found is None:
        return State(embedded_document.write(_foreign(told, path), unrecorded(1, 0)), {})
    before = whole_number(note.properties.get(_BEFORE))
    if before is not None and note.properties.get(_WAS) == told.hash:
        packed = found.earlier.get(before)
        if packed is not None:
            earlier = {key: each for key, each in found.earlier.items() if key < before}
            return State(embedded_document.read_packed(packed, "function", path), earlier)
    ours = found.read("function", path)
    assert ours.version is not None
    if before is not None or found.hashes.whole == told.hash:
        return State(ours, found.earlier)
    earlier = embedded_document.limit_versions(
        {**found.earlier, ours.version.number: found.document}
    )
    version = unrecorded(ours.version.number + 1, ours.version.timestamp_ms)
    return State(embedded_document.write(_foreign(told, path), version), earlier)


# --- writing ---


def create_function(
    statements: Statements, written: embedded_document.Written, before: State | None = None
) -> None:
    """Makes a function whose name is free, then notes its document.

    Raises:
        InvalidDocumentError: Spark does not take it.
        RefusedError: Spark refuses for another reason.
    """
    document: FunctionDocument = written.document
    database, name = fold(document.database), fold(document.name)
    statements.execute(f"CREATE FUNCTION {_definition(statements, document)}")
    told = describe_function(statements, database, name)
    properties = _properties(written, before, "" if told is None else told.hash)
    note = statements.name(database, note_name(name))
    shown = quote_string(f"what viewscribe keeps of the function {document.name}")
    # One of a function that was dropped since may still be there.
    statements.execute(
        f"CREATE OR REPLACE VIEW {note} TBLPROPERTIES {pairs(properties)} AS SELECT {shown} AS note"
    )


def change_function(
    statements: Statements,
    told: ToldFunction,
    note: Described | None,
    before: State,
    written: embedded_document.Written,
) -> None:
    """Makes a function hold another document under the same name.

    Raises:
        InvalidDocumentError: Spark does not take it.
        RefusedError: Spark refuses for another reason.
    """
    document: FunctionDocument = written.document
    full = statements.name(told.database, note_name(told.name))
    properties = _properties(written, before, told.hash)
    pending = {_BEFORE: str(before.version.number), _WAS: told.hash}
    if note is None:
        shown = quote_string(f"what viewscribe keeps of the function {document.name}")
        statements.execute(
            f"CREATE OR REPLACE VIEW {full} TBLPROPERTIES {pairs({**properties, **pending})} "
            f"AS SELECT {shown} AS note"
        )
    elif _same(before.written.document, document):
        statements.execute(f"ALTER VIEW {full} SET TBLPROPERTIES {pairs(properties)}")
        return
    else:
        changed = {**properties, **pending}
        statements.execute(f"ALTER VIEW {full} SET TBLPROPERTIES {pairs(changed)}")
    statements.execute(f"CREATE OR REPLACE FUNCTION {_definition(statements, document)}")
    now = describe_function(statements, told.database, told.name)
    if now is not None:
        hashes = _properties(written, before, now.hash)
        statements.execute(f"ALTER VIEW {full} SET TBLPROPERTIES {pairs(hashes)}")
    statements.execute(f"ALTER VIEW {full} UNSET TBLPROPERTIES IF EXISTS {keys([_BEFORE, _WAS])}")


def drop_function(statements: Statements, database: str, name: str) -> None:
    """Drops a function and what is noted of it.

    Raises:
        RefusedError: Spark refuses.
    """
    statements.execute(f"DROP FUNCTION {statements.name(database, name)}")
    statements.execute(f"DROP VIEW IF EXISTS {statements.name(database, note_name(name))}")


def _same(one: FunctionDocument, other: FunctionDocument) -> bool:
    """Whether Spark would be told the same of both."""
    fields = ("annotated", "body", "class_name", "collected", "comment", "convention",
              "deterministic", "function_kind", "language", "parameters", "resources", "returns",
              "signature", "source_hash")  # fmt: skip
    return all(getattr(one, each) == getattr(other, each) for each in fields)


def _properties(
    written: embedded_document.Written, before: State | None, told: str
) -> dict[str, str]:
    hashes = Hashes(told, "")
    ours = (
        Kept(pack(written.text), {}, hashes)
        if before is None
        else before.followed_by(written, hashes)
    )
    found = {
        **embedded_document.to_parameters(embedded_document.mark_hidden_texts(ours)),
        KIND: "note",
    }
    if written.document.name != fold(written.document.name):
        found[embedded_document.CASED] = "true"
    return found


def _definition(statements: Statements, document: FunctionDocument) -> str:
    """What follows ``CREATE FUNCTION``."""
    name = statements.name(fold(document.database), fold(document.name))
    statements.require_allowed(document)
    try:
        if document.language == "sql":
            return _sql_definition(statements, name, document)
    except DataTypeError as error:
        raise InvalidDocumentError(
            f"Spark cannot hold a type of the function: {error.message}", location=label(document)
        ) from None
    python = document.language == "python"
    class_name = class_text(document) if python else document.class_name or ""
    text = f"{name} AS {quote_string(class_name)}"
    used = [
        f"{'JAR' if each.lower().endswith('.jar') else 'FILE'} {quote_string(each)}"
        for each in document.resources
    ]
    return f"{text} USING {', '.join(used)}" if used else text


def _sql_definition(statements: Statements, name: str, document: FunctionDocument) -> str:
    given = [
        each
        if each.default is None
        else msgspec.structs.replace(
            each, default=statements.admit(each.default, document, Part.EXPRESSION)
        )
        for each in document.parameters or ()
    ]
    parameters = ", ".join(map(parameter_text, given))
    text = f"{name}({parameters})"
    if document.returns is not None:
        type_ = parse_type(document.returns)
        if document.function_kind == "table" and isinstance(type_, StructType):
            text += f"\nRETURNS TABLE ({schema_text(type_.fields)})"
        else:
            text += f"\nRETURNS {type_text(type_)}"
    elif document.function_kind == "table":
        text += "\nRETURNS TABLE"
    text += "\nDETERMINISTIC" if document.deterministic else "\nNOT DETERMINISTIC"
    if document.comment:
        text += f"\nCOMMENT {quote_string(document.comment)}"
    return f"{text}\nRETURN {statements.admit(document.body or '', document, Part.BODY)}"


# --- what others made ---


def _foreign(told: ToldFunction, path: str) -> FunctionDocument:
    lines = told.lines
    common: dict[str, Any] = {"database": told.database, "name": told.name}
    if "Body" not in lines:
        name = lines.get("Class", "")
        if name.startswith(PYTHON):
            return FunctionDocument(**read_class_text(name), **common)
        return FunctionDocument(
            function_kind="scalar", language="hive", class_name=name or None, **common
        )
    table = lines.get("Type") == "TABLE"
    given = lines.get("Input", "()")
    try:
        returned = lines.get("Returns")
        if returned is not None and table:
            fields = parse_schema(", ".join(map(_parameter, returned.split("\n"))))
            returned = type_text(StructType(fields=fields))
        elif returned is not None:
            returned = type_text(parse_type(returned))
        parameters = (
            ()
            if given.strip() == "()"
            else parse_parameters(", ".join(map(_parameter, given.split("\n"))))
        )
    except DataTypeError as error:
        raise DamagedDocumentError(f"its types cannot be read: {error}", path=path) from None
    return FunctionDocument(
        function_kind="table" if table else "scalar",
        language="sql",
        body=lines["Body"],
        parameters=parameters,
        returns=returned,
        deterministic=lines.get("Deterministic", "true") != "false",
        comment=lines.get("Comment") or None,
        **common,
    )


_COMMENT = re.compile(r"^(?P<head>\S+\s+.*?\S)\s+'(?P<comment>.*)'$", re.DOTALL)


def _parameter(line: str) -> str:
    """``x INT DEFAULT 1 'it's'``, as Spark shows it, in SQL; its comment is not escaped.

    A text at the end is the comment unless ``DEFAULT`` stands right before it.
    """
    line = line.strip()
    found = _COMMENT.match(line)
    if found is None or found["head"].endswith(" DEFAULT"):
        return line
    return f"{found['head']} COMMENT {quote_string(found['comment'])}"


# The tables and views of a database, and which of them must be looked at to know their names.

_VIEW = re.compile(r"^Type: VIEW$", re.MULTILINE)


class Listed(NamedTuple):
    """A table or view of a listing.

    Args:
        name: as Spark has it.
        kind: what it is to Spark.
        is_cased: whether its writer may have spelled it otherwise.
        is_noted: whether it may be of another kind to us.
    """

    name: str
    kind: ObjectKind
    is_cased: bool = False
    is_noted: bool = False


def list_tables(statements: Statements, database: str, *, own: bool) -> list[Listed]:
    """The tables and views of a database, without temporary ones.

    Args:
        statements: to the catalog.
        database: as the catalog spells it.
        own: whether it is the session's own catalog, which tells all in one statement.
    """
    if own:
        try:
            rows = statements.run(f"SHOW TABLE EXTENDED IN {statements.name(database)} LIKE '*'")
        except RefusedError as error:
            if error.condition is None or not error.is_one_of(("UNSUPPORTED", "NOT_SUPPORTED")):
                raise
        else:
            return [_list_objects(row[1], row[3]) for row in rows if not row[2]]
    views = _views(statements, database)
    tables = statements.list_rows(f"SHOW TABLES IN {statements.name(database)}")
    names = {row[1] for row in tables if not row[2]} - views
    return [
        *(Listed(each, "table") for each in names),
        *(Listed(each, "view", True, True) for each in views),
    ]


def _list_objects(name: str, told: str) -> Listed:
    kind: ObjectKind = "view" if _VIEW.search(told) else "table"
    return Listed(name, kind, f"{CASED}=true" in told, f"{KIND}=" in told)


def _views(statements: Statements, database: str) -> set[str]:
    rows = statements.list_rows(f"SHOW VIEWS IN {statements.name(database)}")
    return {row[1] for row in rows if not row[2]}


# What a session tells of its catalog: databases, objects with their documents, lists of both.


class Reader:
    """Reads a catalog of a session.

    Args:
        statements: runs the SQL.
        names: how the session calls things.
        url: where it is, for messages.
    """

    def __init__(self, statements: Statements, names: Names, url: str) -> None:
        self._statements = statements
        self.names = names
        self.url = url

    def list_databases(self) -> list[str]:
        """The names of all databases."""
        return sorted((self.spelled_database(each) for each in self.homes()), key=fold)

    def path(self, *names: str) -> str:
        """Where an object is, for messages."""
        return "/".join((self.url, *names))

    def homes(self) -> list[str]:
        """The names of all databases, as Spark has them."""
        return self.names.databases()

    def describe_database(self, home: str, name: str) -> states.Told:
        """What Spark tells of a database, which its caller calls ``name``.

        Raises:
            DatabaseNotFoundError: there is none.
        """
        try:
            return states.describe_database(self._statements, home)
        except RefusedError as error:
            if error.is_one_of(NO_DATABASE):
                raise no_database(name, self.list_databases()) from None
            raise

    def database(self, home: str, name: str) -> embedded_document.Written:
        """The document of a database, which its caller calls ``name``.

        Raises:
            DatabaseNotFoundError: there is none.
        """
        told = self.describe_database(home, name)
        return states.read_database(told, home, self.path(home))

    def spelled_database(self, home: str) -> str:
        """The name of a database as its writer spelled it."""
        try:
            spelled = str(self.database(home, home).document.name)
        except (DamagedDocumentError, DatabaseNotFoundError):
            return home
        return spelled if fold(spelled) == fold(home) else home

    def state_of(self, found: Any, path: str) -> State:
        """The object of what Spark tells."""
        if isinstance(found, Described):
            return state_of(self._statements, found, path)
        note = read_note(self._statements, found.database, found.name)
        return function_state(found, note, path)

    def find(self, kind: ObjectKind, home: str, name: str) -> Any:
        """What Spark tells of an object of that kind; None where there is none."""
        if kind == "function":
            return describe_function(self._statements, home, name)
        found = self.table(home, name)
        return found if found is not None and found.object_kind == kind else None

    def kind_of(self, home: str, name: str) -> ObjectKind | None:
        """Whether a name is that of a view or a table, which costs less than its description."""
        with refusals():
            found = table_type(self._statements.spark, (self._statements.catalog, home, name))
        if found is None:
            return None
        if found != "VIEW":
            return "table"
        described = self.table(home, name)  # a view may stand for something else
        return None if described is None else described.object_kind

    def has_database(self, home: str) -> bool:
        """Whether there is a database of that name."""
        with refusals():
            return has_database(self._statements.spark, (self._statements.catalog, home))

    def table(self, home: str, name: str) -> Described | None:
        """What Spark tells of a table or view; None where there is none."""
        try:
            return describe(self._statements, home, name)
        except RefusedError as error:
            if error.is_one_of((*NO_TABLE, *NO_DATABASE)):
                return None
            raise

    def ids(self, home: str, name: str, kind: ObjectKind | None = None) -> list[ObjectId]:
        """The objects of a database."""
        spelled = str(self.database(home, name).document.name)
        return [
            ObjectId(spelled, called, each) for called, each, _ in self._list_objects(home, kind)
        ]

    def _list_objects(
        self, home: str, kind: ObjectKind | None
    ) -> list[tuple[str, ObjectKind, str]]:
        """Names as their writers spelled them, kinds, and names as Spark has them."""
        found: list[tuple[str, ObjectKind, str]] = []
        tables = list_tables(self._statements, home, own=self.names.is_own)
        cased = {each.name for each in tables if each.is_cased}
        if kind != "function":
            for each in tables:
                if is_ours(fold(each.name)):
                    continue
                called, what = each.name, each.kind
                if each.is_cased or each.is_noted:
                    described = self.table(home, each.name)
                    if described is None:
                        continue
                    called, what = self._spell(described), described.object_kind
                found.append((called, what, each.name))
        if kind in (None, "function"):
            for name in function_names(self._statements, home):
                called = name
                if note_name(name) in cased:
                    function = describe_function(self._statements, home, name)
                    called = name if function is None else self._spell(function)
                found.append((called, "function", name))
        chosen = [each for each in found if kind is None or each[1] == kind]
        return sorted(chosen, key=lambda each: (fold(each[0]), each[1]))

    def _spell(self, found: Any) -> str:
        try:
            state = self.state_of(found, self.path(found.database, found.name))
        except DamagedDocumentError:
            return str(found.name)
        return str(state.written.document.name)

    def load(self, told: states.Told, home: str) -> Iterator[Loaded | Unreadable]:
        """The documents of a database, its own first."""
        path = self.path(home)
        spelled = home
        try:
            read = states.read_database(told, home, path)
            spelled = str(read.document.name)
            yield Loaded(ObjectId(spelled, spelled, "database"), path, read.document, read.token)
        except DamagedDocumentError as error:
            yield Unreadable(ObjectId(home, home, "database"), path, error)
        for name, kind, low in self._list_objects(home, None):
            path = self.path(spelled, name)
            found = self.find(kind, home, low)
            if found is None:  # dropped meanwhile
                continue
            try:
                state = self.state_of(found, path)
            except DamagedDocumentError as error:
                yield Unreadable(ObjectId(spelled, name, kind), path, error)
            else:
                document = state.written.document
                id_ = ObjectId(spelled, document.name, kind)
                yield Loaded(id_, path, document, state.token, state.version)
