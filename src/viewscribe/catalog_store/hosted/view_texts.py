"""Whether a view in Spark still says what our document says, where only Spark writes its text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.errors import DamagedDocumentError
from viewscribe.catalog_store.protocol import fold
from viewscribe.catalog_store.settings import DEFAULT_SETTINGS
from viewscribe.errors import SqlSyntaxError
from viewscribe.parser.tokens import skip_blanks
from viewscribe.types.identifiers import quote_identifier


def says_text(document: ViewDocument, text: str | None) -> bool:
    """Whether ``text`` is the document's; Spark leaves out comments before and after it."""
    for wanted in (document.sql, with_names(document)):
        start = wanted.find(text) if text else -1
        while text and start >= 0:
            around = wanted[:start], wanted[start + len(text) :]
            if all(map(_is_blank, around)):
                return True
            start = wanted.find(text, start + 1)
    return False


def _is_blank(text: str) -> bool:
    try:
        return skip_blanks(text) == len(text)
    except SqlSyntaxError:
        return False


def says_settings(document: ViewDocument, told: Mapping[str, str]) -> bool:
    """Whether the settings are those; Spark notes what was set, and the rest has its default."""
    known = {**DEFAULT_SETTINGS, **told}
    return all(known.get(key, value) == value for key, value in document.settings.items())


def with_names(document: ViewDocument) -> str:
    """The text under a query that gives its columns the document's names."""
    return rename(document.sql, [each.name for each in document.columns])


def with_new_names(sql: str, outputs: Sequence[str], names: Sequence[str], path: str) -> str:
    """``CREATE VIEW v (a) AS SELECT x``: Spark keeps the text, and the new names beside it.

    Args:
        sql: the text.
        outputs: the names that it gives its columns, by which Spark finds them.
        names: the names of the view's columns.
        path: the view, for messages.

    Raises:
        DamagedDocumentError: those are not as many.
    """
    if len(outputs) != len(names):
        raise DamagedDocumentError(
            f"the view has {len(names)} columns, and its text {len(outputs)}", path=path
        )
    if len(set(map(fold, outputs))) < len(outputs):
        return rename(sql, names)
    items = [
        quote_identifier(old)
        if old == new
        else f"{quote_identifier(old)} AS {quote_identifier(new)}"
        for old, new in zip(outputs, names, strict=True)
    ]
    return "SELECT\n  " + ",\n  ".join(items) + f"\nFROM (\n{sql}\n)"


def rename(sql: str, names: Sequence[str]) -> str:
    """A query with the columns of another under other names."""
    shown = ", ".join(map(quote_identifier, names))
    return f"SELECT *\nFROM (\n{sql}\n) AS renamed({shown})"
