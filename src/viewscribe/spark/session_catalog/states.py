"""The state of a table or view: our document where it still holds, else what Spark tells.

A change that Spark needs several statements for becomes visible with one of them: the new document
is put beside the view first, with the number of the version that holds until the view says what
the new document says (``BEFORE``). Properties that are still to go are listed (``GONE``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    ObjectDocument,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.versions import unrecorded
from viewscribe.catalog_store.errors import CatalogError, DamagedDocumentError
from viewscribe.catalog_store.hosted import embedded_document
from viewscribe.catalog_store.hosted.embedded_document import (
    COMMENT,
    PREFIX,
    UNKNOWN,
    Kept,
    State,
    is_kept,
    pack,
    user_properties,
    whole_number,
)
from viewscribe.catalog_store.hosted.names import hive_name
from viewscribe.catalog_store.hosted.sql_names import means_the_same_in, qualified_view
from viewscribe.catalog_store.hosted.view_texts import says_settings, says_text, with_new_names
from viewscribe.catalog_store.manager import name_in_session
from viewscribe.catalog_store.protocol import Catalog, check_name, fold
from viewscribe.catalog_store.settings import allowed_settings
from viewscribe.operations.reach import plain_location
from viewscribe.schemas.strict_json import loads
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.session_catalog.statements import (
    REDACTED,
    Described,
    Statements,
    columns,
    keys,
    pairs,
)
from viewscribe.types.identifiers import quote_identifier

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from viewscribe.catalog_store.stores.iceberg.rest.catalog import IcebergCatalog


# How the catalogs of a session call things.

SESSION_CATALOG = "spark_catalog"


class Names:
    """Names as a catalog spells them.

    The session's own catalog has them in lower case; others, which Spark asks as they are written,
    are searched for one that differs in case alone.

    Args:
        statements: to the catalog.
    """

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
        self.is_own = fold(statements.catalog) == SESSION_CATALOG

    def database(self, name: str) -> str:
        """How the catalog spells the database.

        Raises:
            InvalidNameError: it can have none of that name.
        """
        if self.is_own:
            return hive_name(name, "database", "a session's catalog")
        check_name(name, "database")
        return self._spell(name, self.databases())

    def place(self, kind: str, database: str, name: str) -> tuple[str, str]:
        """How the catalog spells the database and the object."""
        home = self.database(database)
        if self.is_own:
            return home, hive_name(name, kind, "a session's catalog")
        check_name(name, kind)
        rows = self._statements.list_rows(f"SHOW TABLES IN {self._statements.name(home)}")
        return home, self._spell(name, [row[1] for row in rows])

    def databases(self) -> list[str]:
        """All databases; of several levels, the first."""
        rows = self._statements.run(f"SHOW NAMESPACES IN {self._statements.name()}")
        return [row[0] for row in rows]

    @staticmethod
    def _spell(name: str, known: list[str]) -> str:
        if name in known:
            return name
        return next((each for each in known if fold(each) == fold(name)), name)


# Iceberg REST catalogs of a session, opened with the session's settings for them.

_CLASS = "org.apache.iceberg.spark.SparkCatalog"
_REST = ("rest", "org.apache.iceberg.rest.RESTCatalog")
_TAKEN = (
    "uri", "warehouse", "prefix", "credential", "token", "scope", "audience", "resource",
    "oauth2-server-uri", "rest.sigv4-enabled", "rest.signing-name", "rest.signing-region",
)  # fmt: skip
"""The settings that Iceberg's Java client and pyiceberg both have, under the same names."""


def iceberg_catalog(spark: SparkSession, name: str) -> IcebergCatalog | None:
    """The session's catalog ``name``, where it is an Iceberg REST catalog.

    Raises:
        CatalogError: the package that speaks with it is not installed.
    """
    place = f"spark.sql.catalog.{name}"

    def setting(key: str) -> str:
        return spark.conf.get(f"{place}.{key}", "") or ""

    if spark.conf.get(place, "") != _CLASS:
        return None
    if (setting("type") or setting("catalog-impl")) not in _REST:
        return None
    try:
        from viewscribe.catalog_store.stores.iceberg.rest.catalog import IcebergCatalog
    except ImportError as error:
        raise CatalogError(
            f"`{name}` is an Iceberg catalog, which needs another package: {error}",
            hint="install it with pip install 'viewscribe[iceberg]'",
        ) from error
    properties = {key: text for key in _TAKEN if (text := setting(key))}
    return IcebergCatalog(
        f"iceberg:{properties.get('uri')}?name={name}", name=name, properties=properties
    )


def is_of_session(spark: SparkSession, catalog: Catalog) -> bool:
    """Whether an Iceberg catalog is one that the session calls by the same name."""
    name = name_in_session(catalog)
    if name == SESSION_CATALOG or not hasattr(catalog, "place"):
        return False
    found = iceberg_catalog(spark, name)
    return found is not None and found.place == catalog.place


BEFORE = f"{PREFIX}before"
GONE = f"{PREFIX}gone"


def state_of(statements: Statements, described: Described, path: str) -> State:
    """The state of what Spark tells of.

    Raises:
        DamagedDocumentError: it cannot be read.
    """
    found = embedded_document.from_parameters(described.properties, path)
    if found is None:
        version = unrecorded(1, described.changed_ms)
        return State(embedded_document.write(_foreign(statements, described, path), version), {})
    ours = found.read(described.object_kind, path)
    assert ours.version is not None
    gone = names_of_text(described.properties.get(GONE))
    if holds(ours.document, described) and _shows(ours.document, described, gone):
        return State(ours, found.earlier)
    if (state := _before(found, described, path)) is not None:
        return state
    version = unrecorded(
        ours.version.number + 1, max(described.changed_ms, ours.version.timestamp_ms)
    )
    earlier = embedded_document.limit_versions(
        {**found.earlier, ours.version.number: found.document}
    )
    if holds(ours.document, described, anywhere=True):
        return State(
            embedded_document.write(_update(ours.document, described, gone), version), earlier
        )
    return State(embedded_document.write(_foreign(statements, described, path), version), earlier)


def _before(found: Kept, described: Described, path: str) -> State | None:
    """The state that an unfinished change has left as it was."""
    number = whole_number(described.properties.get(BEFORE))
    if number is None or number not in found.earlier:
        return None
    packed = found.earlier[number]
    written = embedded_document.read_packed(packed, described.object_kind, path)
    if not holds(written.document, described):
        return None
    earlier = {key: value for key, value in found.earlier.items() if key < number}
    return State(written, earlier)


def names_to_text(names: list[str]) -> str:
    """Names of properties as a text that Spark hides nothing of."""
    return json.dumps(names).encode("ascii").hex()


def names_of_text(text: str | None) -> frozenset[str]:
    """What ``names_to_text`` was given; nothing where the text is none of its."""
    try:
        return frozenset(loads(bytes.fromhex(text or "")))
    except (ValueError, TypeError):
        return frozenset()


def holds(document: ObjectDocument, described: Described, *, anywhere: bool = False) -> bool:
    """Whether Spark's side still means what the document says; ``anywhere``: under any name."""
    if not anywhere and (fold(document.database), fold(document.name)) != (
        fold(described.database),
        fold(described.name),
    ):
        return False
    if isinstance(document, ViewDocument):
        return (
            described.kind == "view"
            and says_text(document, described.text)
            and says_settings(document, described.settings)
            and _means_its_text_in(document.database, described)
        )
    if not isinstance(document, TableDocument):
        return False
    if document.format is None:
        return described.kind == "table" and described.text == placeholder(document)
    return not described.is_view and _same_table(document, described)


def _means_its_text_in(database: str, described: Described) -> bool:
    """Whether the names of the text mean what they mean in that database."""
    namespace = _namespace(described, SESSION_CATALOG)
    home = (SESSION_CATALOG, database)
    return means_the_same_in(described.text or "", namespace, home, described.settings)


def _same_table(document: TableDocument, described: Described) -> bool:
    told = described.known_columns or described.columns
    names = [each.name if not isinstance(each, Mapping) else each["name"] for each in told]
    return (
        {fold(each.name) for each in document.columns} == set(map(fold, names))
        and fold(document.format or "") == fold(described.provider or "")
        and _same_place(document.location, described.location)
    )


def _same_place(wanted: str | None, told: str | None) -> bool:
    return wanted is None or (told is not None and plain_location(wanted) == plain_location(told))


def _shows(document: ObjectDocument, described: Described, gone: frozenset[str]) -> bool:
    """Whether comment and properties are the document's."""
    wanted = _not_empty(user_properties(document.properties))
    told = _not_empty(_read_properties(described, gone))
    if COMMENT not in gone and (document.comment or None) != described.comment:
        return False
    return wanted.keys() == told.keys() and all(
        told[key] in (value, REDACTED) for key, value in wanted.items()
    )


def _not_empty(properties: Mapping[str, str]) -> dict[str, str]:
    """Spark's description leaves out properties whose value is empty."""
    return {key: value for key, value in properties.items() if value}


def _read_properties(described: Described, gone: frozenset[str]) -> dict[str, str]:
    own = user_properties(described.properties)
    return {key: value for key, value in own.items() if key not in gone}


def _update(document: ObjectDocument, described: Described, gone: frozenset[str]) -> ObjectDocument:
    """Our document with what somebody changed of it that its rows do not depend on."""
    hidden = {
        key: value for key, value in document.properties.items() if not user_properties({key: ""})
    }
    told = {
        key: document.properties.get(key, value) if value == REDACTED else value
        for key, value in _read_properties(described, gone).items()
    }
    moved = (fold(document.database), fold(document.name)) != (
        fold(described.database),
        fold(described.name),
    )
    spelled = {"database": described.database, "name": described.name} if moved else {}
    return msgspec.structs.replace(
        document, comment=described.comment, properties={**hidden, **told}, **spelled
    )


# --- what others made ---


def _foreign(statements: Statements, described: Described, path: str) -> ObjectDocument:
    known = columns(statements, described, path)
    common: dict[str, Any] = {
        "database": described.database,
        "name": described.name,
        "comment": described.comment,
        "owner": described.owner,
        "columns": known,
        "properties": _read_properties(described, frozenset()),
    }
    if not described.is_view:
        return TableDocument(
            format=described.provider,
            location=described.location,
            options={key: value for key, value in described.options.items() if key != "path"},
            partitioned_by=described.partitions,
            **common,
        )
    if not described.text:
        raise DamagedDocumentError("Spark does not tell the text of the view", path=path)
    namespace = _namespace(described, statements.catalog)
    sql, dependencies = qualified_view(described.text, namespace, described.settings, path=path)
    names = [each.name for each in known]
    if described.outputs and [*described.outputs] != names:
        sql = with_new_names(sql, described.outputs, names, path)
    return ViewDocument(
        sql=sql,
        settings=allowed_settings(described.settings),
        dependencies=dependencies,
        spark_version=described.spark_version,
        **common,
    )


def _namespace(described: Described, home: str) -> tuple[str, ...]:
    """The catalog and database that were current when the view was made."""
    return described.namespace or (home, described.database)


def placeholder(document: TableDocument) -> str:
    """A query with the columns of a table of which nothing else is known: reading it fails."""
    told = quote_string(
        f"only the columns of {document.database}.{document.name} are known to viewscribe, "
        "not where its rows are"
    )
    items = [
        f"CAST(raise_error({told}) AS {each.type}) AS {quote_identifier(each.name)}"
        for each in document.columns
    ]
    return "SELECT\n  " + ",\n  ".join(items)


# Databases of a session: how they are written, and what Spark tells of them.

_RESERVED = ("comment", "location", "owner", "collation")
_NEXT = re.compile(r"\), \((?=[^,]*,)")


class Told(dict[str, str]):
    """What ``DESCRIBE DATABASE`` says, by its first column."""

    @property
    def properties(self) -> dict[str, str]:
        """The properties."""
        return properties_told(self.get("Properties", ""))


def describe_database(statements: Statements, name: str) -> Told:
    """What Spark tells of a database.

    Raises:
        RefusedError: there is none.
    """
    rows = statements.run(f"DESCRIBE DATABASE EXTENDED {statements.name(name)}")
    return Told({row[0]: row[1] for row in rows})


def properties_told(text: str) -> dict[str, str]:
    """The properties of ``((key,value), (key,value))``, which Spark sorts and does not quote.

    What looks like the start of the next property is one only where it comes later in the order.
    """
    if not text.startswith("((") or not text.endswith("))"):
        return {}
    found: list[tuple[str, str]] = []
    for part in _NEXT.split(text[2:-2]):
        key, comma, value = part.partition(",")
        if found and (not comma or key <= found[-1][0]):
            found[-1] = (found[-1][0], f"{found[-1][1]}), ({part}")
        else:
            found.append((key, value))
    return dict(found)


def read_database(told: Told, name: str, path: str) -> embedded_document.Written:
    """The document of a database: ours where it still holds, else what Spark tells.

    Raises:
        DamagedDocumentError: ours is damaged, or newer than this viewscribe.
    """
    properties = told.properties
    found = embedded_document.from_parameters(properties, path)
    own = {key: value for key, value in properties.items() if not is_kept(key)}
    if found is not None:
        ours = found.read("database", path)
        gone = names_of_text(properties.get(GONE))
        shown = {key: value for key, value in own.items() if key not in gone}
        wanted = _select_properties(ours.document)
        if wanted.keys() == shown.keys() and all(
            shown[key] in (value, REDACTED) for key, value in wanted.items()
        ):
            return ours
    return embedded_document.write(
        DatabaseDocument(
            name=name,
            comment=told.get("Comment") or None,
            owner=told.get("Owner") or None,
            location=told.get("Location") or None,
            properties=own,
        )
    )


def _select_properties(document: DatabaseDocument) -> dict[str, str]:
    """Those of its properties that Spark takes."""
    return {
        key: value
        for key, value in document.properties.items()
        if key.lower() not in _RESERVED and not is_kept(key)
    }


def _all(written: embedded_document.Written) -> dict[str, str]:
    ours = Kept(pack(written.text), {}, UNKNOWN)
    return {
        **_select_properties(written.document),
        **embedded_document.to_parameters(embedded_document.mark_hidden_texts(ours)),
    }


def create_database(statements: Statements, written: embedded_document.Written) -> None:
    """Creates the database of a document.

    Raises:
        RefusedError: Spark refuses.
    """
    document: DatabaseDocument = written.document
    text = f"CREATE DATABASE {statements.name(fold(document.name))}"
    if document.comment:
        text += f"\nCOMMENT {quote_string(document.comment)}"
    if document.location is not None:
        text += f"\nLOCATION {quote_string(document.location)}"
    statements.execute(f"{text}\nWITH DBPROPERTIES {pairs(_all(written))}")


def change_database(statements: Statements, told: Told, written: embedded_document.Written) -> None:
    """Makes a database hold another document; the first statement decides.

    Raises:
        RefusedError: Spark refuses.
    """
    document: DatabaseDocument = written.document
    name = statements.name(fold(document.name))
    properties, wanted = told.properties, _all(written)
    gone = [key for key in properties if not is_kept(key) and key not in wanted]
    noted: Mapping[str, str] = {GONE: names_to_text(gone)} if gone else {}
    statements.execute(f"ALTER DATABASE {name} SET DBPROPERTIES {pairs({**wanted, **noted})}")
    over = [key for key in properties if is_kept(key) and key not in wanted]
    over += [*gone, GONE] if gone else []
    if over:
        statements.execute(f"ALTER DATABASE {name} UNSET DBPROPERTIES {keys(sorted({*over}))}")
    if (document.comment or "") != (told.get("Comment") or ""):
        comment = quote_string(document.comment or "")
        statements.execute(f"COMMENT ON DATABASE {name} IS {comment}")
