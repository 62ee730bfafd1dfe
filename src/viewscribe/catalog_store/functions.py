"""Conversion between function documents of catalogs and callable definitions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from viewscribe.catalog_store.documents.model import FunctionDocument, Parameter
from viewscribe.catalog_store.errors import CatalogNotFoundError, ObjectNotFoundError
from viewscribe.catalog_store.manager import CatalogManager
from viewscribe.catalog_store.permissions import authored
from viewscribe.catalog_store.protocol import HasOwnFunctions
from viewscribe.errors import NotSerializableError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.python_modules import source_hash, stored_reference
from viewscribe.expressions.functions.user_defined import (
    Convention,
    FunctionParameter,
    FunctionSource,
    Language,
    UserFunction,
)
from viewscribe.types.ddl import parse_type, type_text
from viewscribe.version import __version__

_KINDS = {
    "scalar": FunctionKind.SCALAR,
    "aggregate": FunctionKind.AGGREGATE,
    "table": FunctionKind.GENERATOR,
    "process": FunctionKind.PROCESS_TABLE,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


class StoredFunctions:
    """Adapts the functions of a manager's catalogs for the function catalog.

    Args:
        manager: the catalogs, and the current database.
    """

    def __init__(self, manager: CatalogManager) -> None:
        self._manager = manager
        self._written: dict[tuple[str, ...], UserFunction] = {}

    def __repr__(self) -> str:
        return f"StoredFunctions({self._manager!r})"

    def current(self) -> tuple[str, str]:
        """The current catalog and database."""
        return self._manager.current_catalog, self._manager.current_database

    def databases(self) -> Iterable[tuple[str, str]]:
        """Returns every database of every catalog."""
        for catalog in self._manager.catalogs():
            for database in self._manager.list_databases(catalog):
                yield catalog, database

    def check_database(self, catalog: str, database: str) -> None:
        """Checks that a catalog and database exist.

        Raises:
            ObjectNotFoundError: there is no such catalog or database.
        """
        self._manager.list_objects("function", database=database, catalog=catalog)

    def names(self, catalog: str, database: str) -> Sequence[str]:
        """Returns the functions of a database; none if there is no such catalog."""
        try:
            objects = self._manager.list_objects("function", database=database, catalog=catalog)
        except (CatalogNotFoundError, ObjectNotFoundError):
            return []
        return [each.name for each in objects]

    def find(self, identifier: FunctionIdentifier) -> UserFunction | None:
        """Returns the function with that path, or None; the catalog's own come first."""
        own = self._own(identifier)
        if own is not None:
            return own
        try:
            stored = self._manager.find_function(identifier.parts)
        except CatalogNotFoundError:
            return None
        if stored is None:
            return None
        document = stored.document
        catalog = self._manager.resolve(identifier.parts).catalog
        found = stored_function((catalog, document.database, document.name), document)
        return _as_own(found) if self._written.get(found.identifier.key) == found else found

    def _own(self, identifier: FunctionIdentifier) -> UserFunction | None:
        try:
            path = self._manager.resolve(identifier.parts)
            catalog = self._manager.catalog(path.catalog)
        except (CatalogNotFoundError, ObjectNotFoundError):
            return None
        return catalog.own_function(path) if isinstance(catalog, HasOwnFunctions) else None

    def create(self, function: UserFunction) -> None:
        """Stores a new function."""
        with authored():
            self._manager.save(document_of(function), catalog=function.identifier.catalog)
        self._written[function.identifier.key] = function

    def replace(self, function: UserFunction) -> None:
        """Replaces the function of the same name."""
        document, catalog = document_of(function), function.identifier.catalog
        with authored():
            self._manager.save(document, catalog=catalog, or_replace=True)
        self._written[function.identifier.key] = function

    def delete(self, identifier: FunctionIdentifier) -> None:
        """Removes a function."""
        self._manager.drop("function", identifier.parts)


def _as_own(function: UserFunction) -> UserFunction:
    """A function that this program itself has stored."""
    source = msgspec.structs.replace(function.source, stored=False)
    return UserFunction(function.identifier, source, temporary=False)


def stored_function(path: tuple[str, ...], document: FunctionDocument) -> UserFunction:
    """Returns the function of a document under its full name."""
    catalog, database, name = path
    identifier = FunctionIdentifier(name, database, catalog)
    return UserFunction(identifier, source_of(document), temporary=False)


def source_of(document: FunctionDocument) -> FunctionSource:
    """Returns the source of a stored function, without importing anything."""
    return FunctionSource(
        kind=_KINDS[document.function_kind],
        language=Language(document.language),
        parameters=None
        if document.parameters is None
        else tuple(
            FunctionParameter(each.name, parse_type(each.type), each.default, each.comment)
            for each in document.parameters
        ),
        returns=None if document.returns is None else parse_type(document.returns),
        reference=document.class_name,
        body=document.body,
        deterministic=document.deterministic,
        comment=document.comment,
        resources=document.resources,
        convention=Convention(document.convention),
        collected=document.collected,
        source_hash=document.source_hash,
        signature=document.signature,
        annotated=document.annotated,
        stored=True,
    )


def document_of(function: UserFunction) -> FunctionDocument:
    """Returns the document that stores a function.

    Raises:
        NotSerializableError: it is a Python function that cannot be imported by name, or one that a
            catalog has itself.
    """
    source, identifier = function.source, function.identifier
    assert identifier.database is not None
    if source.language is Language.CATALOG:
        raise NotSerializableError(
            f"{function!r} is a function that its catalog has itself, and is stored nowhere else",
            hint="declare it where it is called: CREATE TEMPORARY FUNCTION … LANGUAGE CATALOG",
        )
    if source.language is Language.PYTHON and source.implementation is not None:
        source = _find_again(function)
    return FunctionDocument(
        database=identifier.database,
        name=identifier.name,
        comment=source.comment,
        function_kind=_NAMES[source.kind],  # type: ignore[arg-type]
        language=source.language.value,  # type: ignore[arg-type]
        class_name=source.reference,
        body=source.body,
        parameters=None
        if source.parameters is None
        else tuple(
            Parameter(each.name, type_text(each.type), each.default, each.comment)
            for each in source.parameters
        ),
        returns=None if source.returns is None else type_text(source.returns),
        deterministic=source.deterministic,
        resources=source.resources,
        convention=source.convention.value,
        collected=source.collected,
        source_hash=source.source_hash,
        signature=source.signature,
        annotated=source.annotated,
        viewscribe_version=__version__,
    )


def own_functions_of(plan: Mapping[str, Any] | None) -> set[tuple[str, ...]]:
    """Returns the names of the functions in a plan document that catalogs have themselves."""
    found: set[tuple[str, ...]] = set()
    for node in [] if plan is None else plan["nodes"]:
        called = [node["function"]] if isinstance(node.get("function"), dict) else []
        for each in (*called, *(node.get("functions") or ())):
            if each["language"] == Language.CATALOG.value:
                found.add(tuple(each["identifier"]))
    return found


def _find_again(function: UserFunction) -> FunctionSource:
    """Returns the source with an importable reference to the Python function, and its hash."""
    made_of = function.source.implementation
    try:
        return msgspec.structs.replace(
            function.source, reference=stored_reference(made_of), source_hash=source_hash(made_of)
        )
    except NotSerializableError as error:
        raise NotSerializableError(
            f"the Python function {function.identifier} cannot be stored: {error.message}",
            hint=error.hint,
        ) from None
