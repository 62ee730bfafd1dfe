"""``CatalogManager``: named catalogs, the current catalog and database, and temporary objects.

The manager resolves names of one, two or three parts to a catalog, a database and an object. It
also holds temporary views and tables, which belong to no catalog and end with the manager.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

import msgspec

from viewscribe.catalog_store.documents.model import (
    DatabaseDocument,
    Dependency,
    FunctionDocument,
    ObjectDocument,
    ObjectKind,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.versions import Change
from viewscribe.catalog_store.errors import (
    AlreadyExistsError,
    CatalogNotFoundError,
    DatabaseNotFoundError,
    InvalidNameError,
    ObjectNotFoundError,
    WrongKindError,
)
from viewscribe.catalog_store.messages import (
    conflict,
    label,
    no_database_to_save_in,
    taken_name_error,
)
from viewscribe.catalog_store.protocol import Catalog, ObjectId, Stored, Token, check_name, fold
from viewscribe.catalog_store.stores.memory import MemoryCatalog
from viewscribe.errors import NotSerializableError, ViewscribeError, did_you_mean
from viewscribe.types.arguments import require_text

DEFAULT_CATALOG = "spark_catalog"
DEFAULT_DATABASE = "default"
_LONGEST = 3  # parts of a name that a catalog has documents for


class ObjectPath(NamedTuple):
    """The full name of an object."""

    catalog: str
    database: str
    name: str

    def __str__(self) -> str:
        return ".".join(self)


class Temporary(msgspec.Struct, frozen=True):
    """A temporary view or table, which belongs to the session."""

    name: str
    value: object


class Relation(msgspec.Struct, frozen=True):
    """A view or table of a catalog, with its full name and the token of its state."""

    path: ObjectPath
    document: ViewDocument | TableDocument
    token: Token

    @property
    def is_view(self) -> bool:
        """Whether it is a view; otherwise it is a table."""
        return isinstance(self.document, ViewDocument)


class CatalogManager:
    """The catalogs of a session.

    Args:
        default: the first catalog, which is the current one; a new memory catalog by default.
        name: its name.
    """

    def __init__(self, default: Catalog | None = None, name: str = DEFAULT_CATALOG) -> None:
        self._catalogs: dict[str, tuple[str, Catalog]] = {}
        self._temporaries: dict[str, Temporary] = {}
        self.register(name, default if default is not None else MemoryCatalog())
        self._current = (name, DEFAULT_DATABASE)

    def __repr__(self) -> str:
        catalogs = ", ".join(f"{name}={catalog!r}" for name, catalog in self._catalogs.values())
        return f"CatalogManager({catalogs}; current: {'.'.join(self._current)})"

    # --- catalogs ---

    def register(self, name: str, catalog: Catalog, *, replace: bool = False) -> None:
        """Registers ``catalog`` as ``name``."""
        check_name(name, "catalog")
        if fold(name) in self._catalogs and not replace:
            raise AlreadyExistsError(f"a catalog `{name}` is registered already")
        self._catalogs[fold(name)] = (name, catalog)

    def unregister(self, name: str) -> None:
        """Removes the catalog ``name`` from the manager; its contents stay."""
        self.catalog(name)
        if fold(name) == fold(self.current_catalog):
            raise WrongKindError(f"`{name}` is the current catalog", hint="use another one first")
        del self._catalogs[fold(name)]

    def catalogs(self) -> list[str]:
        """The names of the registered catalogs."""
        return [name for _, (name, _) in sorted(self._catalogs.items())]

    def catalog(self, name: str | None = None) -> Catalog:
        """Returns the catalog of that name, by default the current one."""
        return self._register(name or self.current_catalog)[1]

    @property
    def current(self) -> tuple[str, str]:
        """The current catalog and database, for names without them."""
        return self._current

    @property
    def current_catalog(self) -> str:
        """The current catalog, for names without one."""
        return self._current[0]

    @property
    def current_database(self) -> str:
        """The current database, for names without one."""
        return self._current[1]

    def use_catalog(self, name: str) -> None:
        """Sets the current catalog, and makes its ``default`` database the current one."""
        require_text(name, "the name of a catalog")
        self._current = (self._register(name)[0], DEFAULT_DATABASE)

    def use_database(self, name: str, *, catalog: str | None = None) -> None:
        """Sets the current database, and the current catalog if ``catalog`` is given."""
        require_text(name, "the name of a database")
        home = self._register(catalog or self.current_catalog)
        if fold(name) != DEFAULT_DATABASE:
            name = home[1].get_database(name).document.name
        self._current = (home[0], name)

    # --- names ---

    def resolve(self, parts: Sequence[str]) -> ObjectPath:
        """Returns the full name for one, two or three parts; the object need not exist."""
        for part in parts:
            check_name(part, "object")
        match tuple(parts):
            case (name,):
                return ObjectPath(*self._current, name)
            case (database, name):
                return ObjectPath(self.current_catalog, database, name)
            case (catalog, database, name):
                return ObjectPath(self._register(catalog)[0], database, name)
        raise InvalidNameError(
            f"`{'.'.join(parts)}` has {len(parts)} parts",
            hint="write object, database.object or catalog.database.object",
        )

    # --- databases ---

    def create_database(
        self, document: DatabaseDocument, *, catalog: str | None = None, if_not_exists: bool = False
    ) -> bool:
        """Creates a database; False if it existed and ``if_not_exists`` is set."""
        try:
            self.catalog(catalog).create_database(document)
        except AlreadyExistsError:
            if not if_not_exists:
                raise
            return False
        return True

    def list_databases(self, catalog: str | None = None) -> list[str]:
        """Returns the databases of a catalog, always including ``default``."""
        names = self.catalog(catalog).list_databases()
        if DEFAULT_DATABASE not in map(fold, names):
            names.append(DEFAULT_DATABASE)
        return sorted(names, key=fold)

    # --- views, tables and functions ---

    def relation(self, parts: Sequence[str]) -> Relation | Temporary:
        """Returns the view or table of that name; temporary ones shadow those of the catalog.

        Raises:
            ObjectNotFoundError: there is none; the hint suggests the nearest names.
            DamagedDocumentError: its document cannot be read.
        """
        temporary = self.temporary(parts[0]) if len(parts) == 1 else None
        if temporary is not None:
            return temporary
        if len(parts) > _LONGEST:
            raise ObjectNotFoundError(
                f"`{'.'.join(parts)}` has {len(parts)} parts: it belongs to the metadata of "
                f"`{'.'.join(parts[:-1])}` or lies in a nested namespace, and only a session knows "
                "its columns",
                hint="give the DataFrame: vs.save_view(spark.table(…), …)",
            )
        path = self.resolve(parts)
        try:
            found = self.catalog(path.catalog).find(path.database, path.name)
        except DatabaseNotFoundError:
            if fold(path.database) != DEFAULT_DATABASE:
                raise
            found = None
        if found is None:
            raise self._no_relation(path, short=len(parts) == 1)
        document = found.document
        spelled = path._replace(database=document.database, name=document.name)
        return Relation(spelled, document, found.token)

    def kind_of(self, parts: Sequence[str]) -> ObjectKind | None:
        """Returns whether a name of the catalogs is that of a view or a table; None for neither.

        Raises:
            CatalogNotFoundError: no catalog has the name's.
        """
        if len(parts) > _LONGEST:
            return None
        path = self.resolve(parts)
        try:
            return self.catalog(path.catalog).kind_of(path.database, path.name)
        except DatabaseNotFoundError:
            return None

    def get(self, kind: ObjectKind, parts: Sequence[str]) -> Stored[ObjectDocument]:
        """Returns the document of an object of one kind, and its token."""
        path = self.resolve(parts)
        return self.catalog(path.catalog).get(kind, path.database, path.name)

    def find_function(self, parts: Sequence[str]) -> Stored[FunctionDocument] | None:
        """Returns the document of a function, and its token; None where there is none."""
        path = self.resolve(parts)
        try:
            return self.catalog(path.catalog).find_function(path.database, path.name)
        except DatabaseNotFoundError:
            return None

    def save(
        self,
        document: ObjectDocument,
        *,
        catalog: str | None = None,
        or_replace: bool = False,
        expected: Token | None = None,
        change: Change | None = None,
    ) -> Token:
        """Stores a document under its own database and name; creates ``default`` if missing.

        Args:
            document: the document. One that is identical to the stored one changes nothing.
            catalog: the catalog, by default the current one.
            or_replace: replace an existing object of the same kind and name.
            expected: replace only this state (implies ``or_replace``).
            change: author and reason, for the history.

        Raises:
            AlreadyExistsError: the name is taken and may not be replaced.
            ConcurrentUpdateError: somebody else changed the object in the meantime.
            DamagedDocumentError: the object to be replaced cannot be read; drop it first.
        """
        home = self.catalog(catalog)
        if expected is not None:
            return home.replace(document, expected=expected, change=change)
        if or_replace:
            return self._create_or_replace(home, document, change)
        return self._create(home, document, change)

    def require_free(
        self,
        parts: Sequence[str],
        *,
        or_replace: bool = False,
        kind: Literal["view", "table"] = "view",
        lenient: bool = False,
    ) -> ObjectPath:
        """Checks in advance that ``save`` would accept an object of that name.

        Args:
            parts: the object's name.
            or_replace: whether an existing object of that name and kind may be replaced.
            kind: the kind of the object to save.
            lenient: whether an object of that name and kind may exist, and is kept.

        Returns:
            The full name.

        Raises:
            AlreadyExistsError: the name is taken and may not be replaced.
            DatabaseNotFoundError: there is no such database.
        """
        path = self.resolve(parts)
        what = f"{kind} {path.database}.{path.name}"
        home = self.catalog(path.catalog)
        try:
            found = home.kind_of(path.database, path.name)
        except DatabaseNotFoundError:
            if fold(path.database) != DEFAULT_DATABASE:  # ``save`` creates that one
                raise no_database_to_save_in(path.database, home) from None
            return path
        if found not in (None, kind):
            raise taken_name_error(what, found)
        if found is not None and not (or_replace or lenient):
            raise taken_name_error(what)
        return path

    def history(self, kind: ObjectKind, parts: Sequence[str]) -> list[Stored[ObjectDocument]]:
        """Returns every version of an object, oldest first; the last is the current one."""
        path = self.resolve(parts)
        return self.catalog(path.catalog).history(kind, path.database, path.name)

    def rename(
        self,
        kind: ObjectKind,
        parts: Sequence[str],
        to: Sequence[str],
        *,
        change: Change | None = None,
    ) -> Token:
        """Renames an object, possibly into another database; its history moves along.

        A new name of one part stays in the object's database.

        Raises:
            InvalidNameError: the new name is in another catalog.
        """
        path = self.resolve(parts)
        new = self.resolve_new_name(path, to)
        home = self.catalog(path.catalog)
        names = (path.database, path.name)
        return home.rename(kind, *names, (new.database, new.name), change=change)

    def resolve_new_name(self, path: ObjectPath, to: Sequence[str]) -> ObjectPath:
        """Returns the full name that the object ``path`` has once it is renamed ``to``.

        Raises:
            InvalidNameError: the new name is in another catalog.
        """
        new = self.resolve((path.catalog, path.database, *to) if len(to) == 1 else to)
        if new.catalog != path.catalog:
            raise InvalidNameError(
                f"`{path}` cannot be renamed into the catalog `{new.catalog}`",
                hint="an object keeps its catalog: store it anew there",
            )
        return new

    def drop(self, kind: ObjectKind, parts: Sequence[str], *, if_exists: bool = False) -> bool:
        """Drops an object of a catalog; False if there is none and ``if_exists`` is set.

        An object of another kind is always an error.
        """
        path = self.resolve(parts)
        try:
            self.catalog(path.catalog).delete(kind, path.database, path.name)
        except WrongKindError:
            raise
        except ObjectNotFoundError:
            if not if_exists:
                raise
            return False
        return True

    def list_objects(
        self,
        kind: ObjectKind | None = None,
        *,
        database: str | None = None,
        catalog: str | None = None,
    ) -> list[ObjectId]:
        """Returns the objects of a database, by default the current one."""
        name = database or (DEFAULT_DATABASE if catalog else self.current_database)
        try:
            return self.catalog(catalog).list_objects(name, kind)
        except DatabaseNotFoundError:
            if fold(name) != DEFAULT_DATABASE:
                raise
            return []

    # --- temporary objects ---

    def create_temporary(self, name: str, value: object, *, or_replace: bool = False) -> None:
        """Registers ``value`` as the temporary view or table ``name``."""
        check_name(name, "temporary view")
        if fold(name) in self._temporaries and not or_replace:
            raise AlreadyExistsError(
                f"a temporary view `{name}` exists already",
                hint="replace it with or_replace=True, or drop it first",
            )
        self._temporaries[fold(name)] = Temporary(name, value)

    def temporary(self, name: str) -> Temporary | None:
        """Returns the temporary view or table of that name, or None."""
        return self._temporaries.get(fold(name))

    def drop_temporary(self, name: str, *, if_exists: bool = False) -> bool:
        """Drops a temporary view; False if there is none and ``if_exists`` is set."""
        require_text(name, "the name of a temporary view")
        if self._temporaries.pop(fold(name), None) is not None:
            return True
        if if_exists:
            return False
        hint = did_you_mean(name, self.list_temporaries())
        raise ObjectNotFoundError(f"no temporary view `{name}`", hint=hint)

    def list_temporaries(self) -> list[str]:
        """Returns the names of the temporary views and tables."""
        return [each.name for _, each in sorted(self._temporaries.items())]

    # --- inside ---

    def _register(self, name: str) -> tuple[str, Catalog]:
        found = self._catalogs.get(fold(name))
        if found is None:
            known = self.catalogs()
            hint = did_you_mean(name, known) or f"catalogs: {', '.join(known)}"
            raise CatalogNotFoundError(f"no catalog `{name}`", hint=hint)
        return found

    def _create_or_replace(
        self, home: Catalog, document: ObjectDocument, change: Change | None
    ) -> Token:
        try:
            current = home.get(_kind_of(document), document.database, document.name)
        except WrongKindError:
            return self._create(home, document, change)  # raises the error that names what is there
        except ObjectNotFoundError:
            try:
                return self._create(home, document, change)
            except AlreadyExistsError:
                raise conflict(label(document), gone=False) from None
        return home.replace(document, expected=current.token, change=change)

    def _create(self, home: Catalog, document: ObjectDocument, change: Change | None) -> Token:
        try:
            return home.create(document, change=change)
        except DatabaseNotFoundError:
            if fold(document.database) != DEFAULT_DATABASE:
                raise no_database_to_save_in(document.database, home) from None
        with suppress(AlreadyExistsError):  # another process may have just created it
            home.create_database(DatabaseDocument(name=DEFAULT_DATABASE))
        return home.create(document, change=change)

    def _no_relation(self, path: ObjectPath, *, short: bool) -> ObjectNotFoundError:
        ids = self.list_objects(database=path.database, catalog=path.catalog)
        known = [each.name for each in ids if each.kind != "function"]
        known += self.list_temporaries() if short else []
        hint = did_you_mean(path.name, known)
        if hint is None and not known:
            hint = f"`{path.catalog}`.`{path.database}` holds no views or tables"
        return ObjectNotFoundError(f"no view or table `{path}`", hint=hint)


def _kind_of(document: ObjectDocument) -> ObjectKind:
    return document.kind  # type: ignore[return-value]


# Views that would read each other in a circle, found before one of them is written.


def refuse_circle(
    catalogs: CatalogManager, path: ObjectPath, dependencies: Iterable[Dependency]
) -> None:
    """Refuses a view that would read views which read it: none of them could be opened.

    Args:
        catalogs: what views are there.
        path: the view.
        dependencies: what it is to read.

    Raises:
        NotSerializableError: it would.
    """
    mine = tuple(map(fold, path))
    waiting: list[tuple[tuple[str, ...], ...]] = [
        (each.name,) for each in dependencies if each.kind == "view"
    ]
    seen: set[tuple[str, ...]] = set()
    while waiting:
        way = waiting.pop()
        name = tuple(map(fold, way[-1]))
        if name == mine:
            shown = " reads ".join(f"`{'.'.join(each)}`" for each in (tuple(path), *way))
            raise NotSerializableError(
                f"views would read each other in a circle: {shown}",
                hint="store it under another name",
            )
        if name not in seen:
            seen.add(name)
            waiting += [(*way, each) for each in _views_read(catalogs, way[-1])]


def rename_view(
    catalogs: CatalogManager, parts: Sequence[str], to: Sequence[str], change: Change | None = None
) -> Token:
    """Renames a view, unless views that read its new name are among those that it reads.

    Raises:
        AlreadyExistsError: the name is taken.
        InvalidNameError: the new name is in another catalog.
        NotSerializableError: it would read itself, directly or through other views.
    """
    new = catalogs.resolve_new_name(catalogs.resolve(parts), to)
    document = catalogs.get("view", parts).document
    if isinstance(document, ViewDocument):
        refuse_circle(catalogs, new, document.dependencies)
    return catalogs.rename("view", parts, to, change=change)


def _views_read(catalogs: CatalogManager, name: tuple[str, ...]) -> list[tuple[str, ...]]:
    with suppress(ViewscribeError):  # what cannot be read reads nothing
        relation = catalogs.relation(name)
        document = relation.document if isinstance(relation, Relation) else None
        if isinstance(document, ViewDocument):
            return [each.name for each in document.dependencies if each.kind == "view"]
    return []


# What Spark calls a catalog, and so do the texts of the views in it.

_ICEBERG = "iceberg:"
_NAME = re.compile(r"[A-Za-z0-9_-]+")


def name_in_session(place: str | Catalog) -> str:
    """The name of a catalog in Spark: ``spark_catalog``, unless it is an Iceberg catalog.

    Args:
        place: the catalog or its URL.
    """
    if not isinstance(place, str):
        return str(getattr(place, "name_in_session", DEFAULT_CATALOG))
    if not place.lower().startswith(_ICEBERG):
        return DEFAULT_CATALOG
    return name_of_iceberg(place[len(_ICEBERG) :]) or DEFAULT_CATALOG


def name_of_iceberg(rest: str) -> str | None:
    """The name in the URL of an Iceberg catalog, after ``iceberg:``; None where there is none."""
    if _NAME.fullmatch(rest):
        return rest
    from urllib.parse import parse_qs, urlsplit

    try:
        found = parse_qs(urlsplit(rest).query).get("name", [])
    except ValueError:
        return None
    return found[-1] if found and _NAME.fullmatch(found[-1]) else None
