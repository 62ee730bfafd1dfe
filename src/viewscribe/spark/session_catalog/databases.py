"""Databases of a session: how they are written, and what Spark tells of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from viewscribe.catalog_store.documents.model import DatabaseDocument
from viewscribe.catalog_store.hosted import document_texts, embedded_document
from viewscribe.catalog_store.hosted.chunks import pack
from viewscribe.catalog_store.hosted.embedded_document import UNKNOWN, Kept, is_kept
from viewscribe.catalog_store.names import fold
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.session_catalog.descriptions import REDACTED
from viewscribe.spark.session_catalog.statements import Statements, keys, pairs
from viewscribe.spark.session_catalog.states import GONE, names_of_text, names_to_text

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


def read_database(told: Told, name: str, path: str) -> document_texts.Written:
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
    return document_texts.write(
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


def _all(written: document_texts.Written) -> dict[str, str]:
    ours = Kept(pack(written.text), {}, UNKNOWN)
    return {
        **_select_properties(written.document),
        **embedded_document.to_parameters(embedded_document.mark_hidden_texts(ours)),
    }


def create_database(statements: Statements, written: document_texts.Written) -> None:
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


def change_database(statements: Statements, told: Told, written: document_texts.Written) -> None:
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
