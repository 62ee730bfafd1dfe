"""Errors that all catalogs raise with the same wording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from viewscribe.catalog_store.documents.model import DatabaseDocument, Document, ObjectKind
from viewscribe.catalog_store.errors import (
    AlreadyExistsError,
    CatalogUnreachableError,
    ConcurrentUpdateError,
    DatabaseNotEmptyError,
    DatabaseNotFoundError,
    ObjectNotFoundError,
    WrongKindError,
)
from viewscribe.catalog_store.protocol import Catalog, ObjectId
from viewscribe.errors import did_you_mean
from viewscribe.types.identifiers import quote_identifier


def label(document: Document) -> str:
    """Returns the document's kind and name, for messages."""
    if isinstance(document, DatabaseDocument):
        return f"database {document.name}"
    return f"{document.kind} {document.database}.{document.name}"


def no_database(name: str, known: Iterable[str]) -> DatabaseNotFoundError:
    """Returns the error for an unknown database; the hint suggests the nearest names."""
    names = list(known)
    hint = did_you_mean(name, names) or _listing("databases", names)
    return DatabaseNotFoundError(f"no database `{name}`", hint=hint)


def no_database_to_save_in(name: str, catalog: Catalog) -> DatabaseNotFoundError:
    """Like ``no_database``; the hint also says how to create it."""
    if catalog.url.startswith("spark:"):
        how = f'spark.sql("CREATE DATABASE {quote_identifier(name)}")'
    elif catalog.url == "memory:":
        how = f"env.create_database({quote_identifier(name)!r})"
    else:
        how = f"TableEnvironment({catalog.url!r}).create_database({quote_identifier(name)!r})"
    hint = did_you_mean(name, catalog.list_databases())
    create = f"create it first: {how}"
    return DatabaseNotFoundError(
        f"no database `{name}`", hint=f"{hint}; or {create}" if hint else create
    )


def no_object(
    kind: ObjectKind, database: str, name: str, known: Iterable[ObjectId]
) -> ObjectNotFoundError:
    """Returns the error for an unknown object; the hint suggests the nearest of its kind."""
    names = [each.name for each in known if each.kind == kind]
    hint = did_you_mean(name, names) or _listing(f"{kind}s in `{database}`", names)
    return ObjectNotFoundError(f"no {kind} `{name}` in database `{database}`", hint=hint)


def wrong_kind(wanted: ObjectKind, found: ObjectKind, database: str, name: str) -> WrongKindError:
    """Returns the error for a view in place of a table, or vice versa."""
    return WrongKindError(f"`{database}`.`{name}` is a {found}, not a {wanted}")


def taken_error(document: Document, by: ObjectKind | None = None) -> AlreadyExistsError:
    """Returns the error for a name that is taken, by an object of kind ``by`` if that differs."""
    return taken_name_error(label(document), None if by == document.kind else by)


def taken_name_error(what: str, by: ObjectKind | None = None) -> AlreadyExistsError:
    """Like ``taken``, for the name of ``what``."""
    if by is None:
        return AlreadyExistsError(
            f"the {what} exists already",
            hint="replace it with or_replace=True, or use another name",
        )
    return AlreadyExistsError(
        f"cannot create the {what}: a {by} has that name",
        hint=f"drop the {by}, or use another name",
    )


def conflict(what: str, *, gone: bool) -> ConcurrentUpdateError:
    """Returns the error for a concurrent update."""
    happened = "dropped" if gone else "changed"
    return ConcurrentUpdateError(
        f"the {what} was {happened} by someone else since it was read",
        hint="nothing was written: read it again and repeat the change",
    )


def nothing_answers(url: str, error: object, what: str) -> CatalogUnreachableError:
    """Returns the error for a server that is not there; ``what`` runs at the address."""
    return CatalogUnreachableError(
        f"nothing answers at {url}: {error}", hint=f"check the address, and whether {what} runs"
    )


def no_answer(url: str, error: object, what: str) -> CatalogUnreachableError:
    """Returns the error for a server that was asked and did not answer."""
    return CatalogUnreachableError(
        f"{url} did not answer: {error}", hint=f"try again; see whether {what} runs"
    )


def not_empty(name: str, objects: Sequence[ObjectId]) -> DatabaseNotEmptyError:
    """Returns the error for dropping a database that still holds objects."""
    shown = ", ".join(f"{each.kind} {each.name}" for each in objects[:3])
    more = f" and {len(objects) - 3} more" if len(objects) > 3 else ""
    return DatabaseNotEmptyError(
        f"the database `{name}` is not empty: it holds {shown}{more}",
        hint="drop them first, or drop the database with cascade",
    )


def _listing(what: str, names: Sequence[str]) -> str:
    if not names:
        return f"there are no {what}"
    more = ", ..." if len(names) > 5 else ""
    return f"{what}: {', '.join(sorted(names)[:5])}{more}"
