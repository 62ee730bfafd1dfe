"""Checking a whole catalog without Spark for anything that would break a reader later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from viewscribe.catalog_store.documents.model import (
    Column,
    Dependency,
    Document,
    DocumentKind,
    FunctionDocument,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.errors import DamagedDocumentError, ObjectNotFoundError
from viewscribe.catalog_store.protocol import NAMESPACE, Catalog, Loaded, ObjectId, Unreadable, fold
from viewscribe.catalog_store.shared_work import TOGETHER, share_out
from viewscribe.catalog_store.view_checks import (
    NO_PLAN,
    NOT_READ_BACK,
    SAVE_AGAIN,
    Fault,
    ReadPlan,
    fields_of,
    read_plan,
    view_faults,
)
from viewscribe.errors import DataTypeError, ViewscribeError, did_you_mean
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.user_defined import UserFunction, is_sparks
from viewscribe.operations.nodes import CatalogSource
from viewscribe.types.ddl import parse_type
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from viewscribe.catalog_store.permissions import Permissions
    from viewscribe.catalog_store.shared_loading import Shares
    from viewscribe.expressions.functions.user_defined import FunctionSource, UserFunction
    from viewscribe.operations.base import QueryOperation


# Views and functions of a catalog that read each other in a circle.

Key = tuple[DocumentKind, str, str]
"""A kind, and the folded names of a database and of an object in it."""


def local_name(parts: tuple[str, ...], current: str, catalog: str) -> tuple[str, str] | None:
    """The folded database and name of a dependency; None if it is in another catalog."""
    match parts:
        case (name,):
            return fold(current), fold(name)
        case (database, name):
            return fold(database), fold(name)
        case (home, database, name) if fold(home) == fold(catalog):
            return fold(database), fold(name)
    return None


def key_of(id_: ObjectId, kind: DocumentKind | None = None) -> Key:
    """What a document is known by, in any spelling of its name; ``kind`` in place of its own."""
    return kind or id_.kind, fold(id_.database), fold(id_.name)


def find_circles(loaded: Sequence[Loaded], catalog: str) -> Iterator[tuple[Loaded, str]]:
    """Yields a document of each circle, and what reads each other in it.

    Args:
        loaded: all documents of a catalog.
        catalog: its name in dependencies; other catalogs are not followed.
    """
    readers = {
        key_of(each.id): each
        for each in loaded
        if isinstance(each.document, ViewDocument | FunctionDocument)
    }
    graph = {key: _reads(entry, catalog) & readers.keys() for key, entry in readers.items()}
    while circle := _find_cycle(graph):
        first = min(circle)
        start = circle.index(first)
        ordered = [*circle[start:], *circle[:start], first]
        shown = " reads ".join(str(readers[key].id) for key in ordered)
        kinds = "views" if all(kind == "view" for kind, *_ in circle) else "views and functions"
        yield readers[first], f"{kinds} read each other in a circle: {shown}"
        graph[first] = graph[first] - {ordered[1]}


def _reads(entry: Loaded, catalog: str) -> set[Key]:
    document = entry.document
    named: list[tuple[str, tuple[str, ...]]] = []
    if isinstance(document, ViewDocument):
        named = [(each.kind, each.name) for each in document.dependencies]
    elif isinstance(document, FunctionDocument):
        named = _named_in(document, catalog)
    found: set[Key] = set()
    for kind, parts in named:
        local = local_name(parts, entry.id.database, catalog)
        if local is not None:
            found.add(("function" if kind == "function" else "view", *local))
    if isinstance(document, FunctionDocument):  # its body's own finding
        found.discard(key_of(entry.id))
    return found


def _named_in(function: FunctionDocument, catalog: str) -> list[tuple[str, tuple[str, ...]]]:
    from viewscribe.catalog_store.functions import source_of
    from viewscribe.parser.qualify import sources_of_function

    try:
        tables, functions = sources_of_function(source_of(function), (catalog, function.database))
    except ViewscribeError:  # a finding of its own
        return []
    return [*(("table", each) for each in tables), *(("function", each) for each in functions)]


def _find_cycle(graph: dict[Key, set[Key]]) -> list[Key] | None:
    """Returns a cycle of views: each reads the next, and the last the first."""
    from graphlib import CycleError, TopologicalSorter

    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[Any] = error.args[1]
        # graphlib lists a cycle from dependency to dependent.
        return circle[:0:-1]
    return None


# Whether a stored SQL function can be called, found out without Spark.

FindFunction = Callable[[Sequence[str]], FunctionDocument | None]
"""The document of the function that a name in the text of another one means."""

FindRelation = Callable[[Sequence[str]], "Sequence[Column] | bool"]
"""The columns of the table or view that a name means; False where there is none, True where it may
be one of another catalog, or where its columns are not known."""


def function_faults(
    function: FunctionDocument, find: FindFunction, relation: FindRelation, catalog: str
) -> Iterator[Fault]:
    """What is wrong with a function's text: it does not parse, names nothing, has another type.

    Args:
        function: its document; one that is not in SQL has no text.
        find: finds other functions of the catalog.
        relation: finds the columns of its tables and views.
        catalog: what the catalog is called.
    """
    from viewscribe.catalog_store.functions import source_of
    from viewscribe.parser.definitions import check_function

    if function.language != "sql":
        return

    def define(parts: Sequence[str]) -> UserFunction | None:
        if len(parts) == 1 and is_sparks(parts[0]):
            return None
        found = find(parts)
        if found is None or found is function:  # Spark knows no recursion
            return None
        identifier = FunctionIdentifier(found.name, found.database, catalog)
        return UserFunction(identifier, source_of(found), temporary=False)

    name = f"{function.database}.{function.name}"
    try:
        check_function(name, source_of(function), _World(define, relation))
    except _ReadsTablesError:
        return
    except ViewscribeError as error:
        yield Fault("function-body", error.message, error.hint)


class _ReadsTablesError(Exception):
    """A body reads a table whose columns are not at hand: the rest is not looked at."""


class _World:
    """Where a body finds functions and tables."""

    def __init__(
        self, find: Callable[[Sequence[str]], UserFunction | None], relation: FindRelation
    ) -> None:
        self._find = find
        self._relation = relation

    def table(self, parts: Sequence[str]) -> QueryOperation:
        columns = self._relation(parts)
        if isinstance(columns, bool):
            if columns:
                raise _ReadsTablesError
            raise ObjectNotFoundError(f"it reads `{'.'.join(parts)}`, which is not there")
        return CatalogSource.of(tuple(parts), fields_of(columns))

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        return self._find(parts)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        raise _ReadsTablesError


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One problem of a catalog, or a note.

    ``code`` is one of ``unreadable``, ``edited``, ``other-text``, ``misread-text``,
    ``unknown-version``, ``damaged-plan``, ``wrong-columns``, ``changed-source``,
    ``missing-dependency``, ``wrong-dependency``, ``cycle``, ``duplicate-column``, ``name-clash``,
    ``function-body``, ``missing-function``, ``changed-function``, ``no-type`` and ``not-allowed``.
    The notes ``not-read-back`` and ``no-plan`` are not problems; they mark views whose text only
    Spark can verify.
    """

    code: str
    id: ObjectId
    path: str
    line: int | None = None
    cause: str
    hint: str | None = None

    @property
    def is_note(self) -> bool:
        """Whether this is a note, about something that is unproven but not wrong."""
        return self.code in (NOT_READ_BACK, NO_PLAN)

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.cause}"


Known = Mapping[Key, Loaded | Unreadable]


def check(
    catalog: Catalog,
    *,
    name: str = "spark_catalog",
    python_modules: Iterable[str] = (),
    permissions: Permissions | None = None,
    notes: bool = False,
) -> list[Finding]:
    """Returns all findings in the documents of ``catalog``; empty if nothing is wrong.

    Args:
        catalog: the catalog.
        name: the name of this catalog in dependencies; other catalogs are not followed.
        python_modules: modules and packages that Python functions may be imported from, to compare
            them with what was stored; functions in other modules are not checked.
        permissions: what views may access when they are opened; by default the permissions in
            force.
        notes: whether to include notes on what is unproven.
    """
    return check_documents(
        list(catalog.load_all()),
        name=name,
        python_modules=python_modules,
        permissions=permissions,
        notes=notes,
    )


def check_documents(
    entries: Sequence[Loaded | Unreadable],
    *,
    name: str = "spark_catalog",
    python_modules: Iterable[str] = (),
    permissions: Permissions | None = None,
    notes: bool = False,
    processes: int = 1,
    shares: Shares | None = None,
    watch: Callable[[str], None] = lambda _: None,
) -> list[Finding]:
    """Returns all findings in the documents of a catalog that are loaded already.

    Args:
        entries: all documents of the catalog.
        processes: how many processes may share the work, if there is much of it.
        shares: the processes that loaded the documents, of which ``entries`` are the outlines.
        watch: is called with each document that is checked.
        name, python_modules, permissions, notes: as for ``check``.
    """
    from viewscribe.catalog_store.permissions import permissions_in_force

    findings = [_unreadable(each) for each in entries if isinstance(each, Unreadable)]
    loaded = [each for each in entries if isinstance(each, Loaded)]
    allowed = permissions_in_force() if permissions is None else permissions
    world = World({key_of(each.id): outline(each) for each in entries}, name, allowed)
    checked = _check_groups(world, loaded, processes) if shares is None else shares.check(world)
    for group, found in checked:
        findings.extend(found)
        for entry in group:
            watch(str(entry.id))
    findings.extend(_find("cycle", first, cause) for first, cause in find_circles(loaded, name))
    findings.extend(_python_functions(loaded, python_modules))
    findings = [each for each in findings if notes or not each.is_note]
    return sorted(findings, key=lambda each: (each.path, each.line or 0, each.code, each.cause))


def _check_groups(
    world: World, loaded: Sequence[Loaded], processes: int
) -> Iterator[tuple[Sequence[Loaded], list[Finding]]]:
    groups = [loaded[at : at + TOGETHER] for at in range(0, len(loaded), TOGETHER)]
    found = share_out(check_group, world, groups, documents=len(loaded), processes=processes)
    return zip(groups, found, strict=True)


class World(NamedTuple):
    """What documents are checked against.

    Args:
        known: all documents of the catalog; of views only the outlines.
        catalog: the name of this catalog in dependencies.
        allowed: what views may access when they are opened.
    """

    known: Known
    catalog: str
    allowed: Permissions


def outline(entry: Loaded | Unreadable) -> Loaded | Unreadable:
    """Returns the entry as other documents see it; of a view that is what it reads and shows."""
    if not isinstance(entry, Loaded) or not isinstance(entry.document, ViewDocument):
        return entry
    view = entry.document
    seen = ViewDocument(
        database=view.database,
        name=view.name,
        sql="",
        columns=view.columns,
        dependencies=view.dependencies,
    )
    return msgspec.structs.replace(entry, document=seen)


def check_group(world: World, entries: Sequence[Loaded]) -> list[Finding]:
    """Returns the findings in some documents."""
    return [found for entry in entries for found in _check_one(entry, world)]


def _check_one(entry: Loaded, world: World) -> Iterator[Finding]:
    from viewscribe.catalog_store.reach import refuse_in

    known, catalog, allowed = world
    yield from _name_clash(entry, known)
    tree_of = _plan_reader(entry.document)
    if isinstance(entry.document, TableDocument | ViewDocument):
        yield from _duplicates(entry, entry.document.columns)
        for error in _no_types(entry.document.columns):
            yield _find("no-type", entry, error.message, error.hint)
    if isinstance(entry.document, ViewDocument):
        yield from _view(entry, entry.document, known, catalog, tree_of)
        yield from _dependencies(entry, entry.document, known, catalog)
        yield from _changed_functions(entry, entry.document, known, catalog, tree_of)
    if isinstance(entry.document, FunctionDocument):
        yield from _function(entry, entry.document, known, catalog)
    for refused in refuse_in(entry.document, allowed, tree_of):
        yield _find("not-allowed", entry, refused.message, refused.hint)


def _plan_reader(document: Document) -> ReadPlan | None:
    """Reads the plan of a view, once for all that look at it; None where there is none."""
    if not isinstance(document, ViewDocument) or document.plan is None:
        return None
    view = document

    @cache
    def read() -> QueryOperation:
        with coercion(coercion_of(view.settings)):
            return read_plan(view)

    return read


def _unreadable(entry: Unreadable) -> Finding:
    error = entry.error
    line, cause = None, error.message
    if isinstance(error, DamagedDocumentError):
        line, cause = error.line, error.cause
    return Finding(
        code="unreadable", id=entry.id, path=entry.path, line=line, cause=cause, hint=error.hint
    )


def _view(
    entry: Loaded,
    view: ViewDocument,
    known: Known,
    catalog: str,
    tree_of: ReadPlan | None,
) -> Iterator[Finding]:
    def columns_of(path: tuple[str, ...]) -> Sequence[Column] | None:
        local = _local(Dependency("table", path), view, catalog)
        found = [known.get((kind, *local)) for kind in NAMESPACE["table"]] if local else []
        for each in found:
            document = each.document if isinstance(each, Loaded) else None
            if isinstance(document, TableDocument | ViewDocument):
                return None if next(_no_types(document.columns), None) else document.columns
        return None

    if next(_no_types(view.columns), None):
        return
    for fault in view_faults(view, columns_of, tree_of):
        yield _find(fault.code, entry, fault.cause, fault.hint)


def _no_types(columns: Iterable[Column]) -> Iterator[DataTypeError]:
    """Yields a finding for each column whose type does not parse."""
    for column in columns:
        try:
            parse_type(column.type)
        except DataTypeError as error:
            message = f"the column `{column.name}` has no type: {error.message}"
            yield DataTypeError(message, hint=error.hint)


def _function(
    entry: Loaded,
    function: FunctionDocument,
    known: Known,
    catalog: str,
) -> Iterator[Finding]:
    def find(parts: Sequence[str]) -> FunctionDocument | None:
        local = local_name(tuple(parts), function.database, catalog)
        found = known.get(("function", *local)) if local else None
        document = found.document if isinstance(found, Loaded) else None
        return document if isinstance(document, FunctionDocument) else None

    def relation(parts: Sequence[str]) -> Sequence[Column] | bool:
        local = local_name(tuple(parts), function.database, catalog)
        if local is None:
            return True
        found = [each for kind in NAMESPACE["table"] if (each := known.get((kind, *local)))]
        if not found:
            return False
        document = found[0].document if isinstance(found[0], Loaded) else None
        if not isinstance(document, TableDocument | ViewDocument):
            return True
        return next(_no_types(document.columns), None) is not None or document.columns

    for fault in function_faults(function, find, relation, catalog):
        yield _find(fault.code, entry, fault.cause, fault.hint)


def _name_clash(entry: Loaded, known: Known) -> Iterator[Finding]:
    # Told once, at the view.
    if entry.id.kind == "view" and key_of(entry.id, "table") in known:
        yield _find(
            "name-clash", entry, f"there is a table `{entry.id}` too", "drop one of the two"
        )


def _duplicates(entry: Loaded, columns: Iterable[Column]) -> Iterator[Finding]:
    settings = getattr(entry.document, "settings", {})
    sensitive = settings.get("spark.sql.caseSensitive", "false").lower() == "true"
    seen = set()
    for column in columns:
        key = column.name if sensitive else column.name.lower()
        if key in seen:
            yield _find("duplicate-column", entry, f"the column `{column.name}` is there twice")
        seen.add(key)


def _dependencies(
    entry: Loaded, view: ViewDocument, known: Known, catalog: str
) -> Iterator[Finding]:
    from viewscribe.catalog_store.functions import own_functions_of

    own = own_functions_of(view.plan)
    for dependency in view.dependencies:
        local = _local(dependency, view, catalog)
        if local is None or (dependency.kind, *local) in known or dependency.name in own:
            continue
        label = f"{dependency.kind} `{'.'.join(dependency.name)}`"
        others = [kind for kind in NAMESPACE[dependency.kind] if (kind, *local) in known]
        if others:
            cause = f"reads the {label}, which is a {others[0]} now"
            yield _find("wrong-dependency", entry, cause, "save the view again")
        else:
            database, name = local
            kinds = NAMESPACE[dependency.kind]
            near = [known[key].id.name for key in known if key[0] in kinds and key[1] == database]
            hint = did_you_mean(name, near)
            yield _find("missing-dependency", entry, f"needs the {label}, which is missing", hint)


def _changed_functions(
    entry: Loaded,
    view: ViewDocument,
    known: Known,
    catalog: str,
    tree_of: ReadPlan | None,
) -> Iterator[Finding]:
    """Yields functions that have changed since the plan was made; Python sources have their own."""
    from viewscribe.catalog_store.functions import source_of
    from viewscribe.operations.user_functions import user_functions

    if tree_of is None or all(each.kind != "function" for each in view.dependencies):
        return
    try:
        functions = user_functions(tree_of())
    except ViewscribeError:
        return  # a damaged plan has its own finding
    for function in functions:
        local = local_name(function.registered.parts, view.database, catalog)
        found = known.get(("function", *local)) if local and not function.temporary else None
        document = found.document if isinstance(found, Loaded) else None
        if not isinstance(document, FunctionDocument) or document.language == "python":
            continue
        try:
            now = _list_traits(source_of(document))
        except ViewscribeError:
            continue  # an unreadable document has its own finding
        if now != _list_traits(function.source):
            cause = f"the function `{function!r}` is not what the view was made with"
            yield _find("changed-function", entry, cause, SAVE_AGAIN)


def _list_traits(source: FunctionSource) -> tuple[Any, ...]:
    """Returns the fields of a non-Python function that a call depends on."""
    body = " ".join((source.body or "").split())
    types = [(each.name, each.type, each.default) for each in source.parameters or ()]
    return body, source.reference, source.returns, types, source.language


def _python_functions(loaded: list[Loaded], allowed: Iterable[str]) -> Iterator[Finding]:
    """Yields a finding for each Python function that has changed or is gone."""
    from viewscribe.catalog_store.functions import source_of
    from viewscribe.expressions.functions.python_modules import (
        ChangedFunctionError,
        MissingPythonFunctionError,
        PythonModules,
    )

    modules = PythonModules(allowed)
    for entry in loaded:
        document = entry.document
        if not isinstance(document, FunctionDocument) or document.language != "python":
            continue
        if not modules.allows((document.class_name or "").partition(":")[0]):
            continue
        try:
            modules.loaded(str(entry.id), source_of(document))
        except MissingPythonFunctionError as error:
            yield _find("missing-function", entry, error.message, error.hint)
        except ChangedFunctionError as error:
            yield _find("changed-function", entry, error.message, error.hint)


def _local(dependency: Dependency, view: ViewDocument, catalog: str) -> tuple[str, str] | None:
    """Returns the folded database and name of a dependency; None if it is in another catalog."""
    return local_name(dependency.name, view.database, catalog)


def _find(code: str, entry: Loaded, cause: str, hint: str | None = None) -> Finding:
    return Finding(code=code, id=entry.id, path=entry.path, cause=cause, hint=hint)
