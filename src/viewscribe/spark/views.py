"""Opens a stored view in Spark, with all its dependencies, from the stored documents alone.

A view's sources must be in the session under exactly the names its text uses. Missing ones are
created in the session's catalog: tables as external tables over their location, views under the
settings they were made with. An existing object is kept if it came from the same document and is
refused otherwise, so a view never silently reads something else.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from viewscribe.catalog_store import CatalogManager, ObjectPath, Relation, Temporary
from viewscribe.catalog_store.documents.model import Dependency, TableDocument, ViewDocument
from viewscribe.catalog_store.errors import CatalogNotFoundError, ObjectNotFoundError
from viewscribe.catalog_store.functions import StoredFunctions
from viewscribe.catalog_store.permissions import (
    Permissions,
    authored,
    permissions_in_force,
    raise_first,
)
from viewscribe.catalog_store.view_checks import warn_of_changes
from viewscribe.errors import CatalogError, ValidationError
from viewscribe.expressions.functions.asynchronous.options import async_settings
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.of_catalogs import is_of_catalog
from viewscribe.expressions.functions.user_defined import Language, UserFunction
from viewscribe.parser.qualify import sources_of_function
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.async_functions import as_planned
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.errors import MissingSourceError, ViewCycleError
from viewscribe.spark.functions import register_function
from viewscribe.spark.gate import gate_of
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.missing_functions import with_functions
from viewscribe.spark.opened_sources import OpenedSources
from viewscribe.spark.python_functions import reads_zone, zone_reader_in_text
from viewscribe.spark.read_texts import SPARKS_OWN, in_full
from viewscribe.spark.registered_tables import (
    create_database,
    describe_table,
    quote_path,
    register_table,
    run_statement,
)
from viewscribe.spark.run_settings import warn_of_run_settings
from viewscribe.spark.session import (
    SPARK_ERRORS,
    analyze_query,
    differing_settings,
    first_line,
    inside,
    settings,
    settings_of_text,
)
from viewscribe.spark.session_catalog import SessionCatalog
from viewscribe.spark.session_catalog.states import is_of_session
from viewscribe.spark.stand_ins import needs_stand_ins, stand_ins, with_stand_ins
from viewscribe.spark.timing import log_duration
from viewscribe.types.identifiers import parse_name, quote_identifier, quote_name

_LOG = logging.getLogger(__name__)

SEAL = "viewscribe.fingerprint"
"""The property by which a view in a session is known to come from a document."""


def open_view(
    catalogs: object,
    name: str | Sequence[str],
    spark: SparkSession,
    *,
    formats: Iterable[str] = (),
    locations: Iterable[str] = (),
    functions: Iterable[str] = (),
    opaque: Iterable[str] = (),
) -> DataFrame:
    """Opens a view as a DataFrame, analyzed under the settings it was stored with.

    Warns with ``ChangedViewWarning`` if the view, or one that it reads, was edited by hand, and
    with ``SettingsWarning`` if the session differs in a setting that Spark reads when a query runs.

    Args:
        catalogs: a ``CatalogManager``, a single ``Catalog`` or a ``TableEnvironment``.
        name: the view's name, with one, two or three parts.
        spark: the session to open it in.
        formats: formats allowed for its tables beyond the file formats, such as ``jdbc``.
        locations: directories allowed for paths in its text and for jars of its functions.
        functions: allowed functions that reach outside the query, such as ``reflect``.
        opaque: views whose text is given to Spark even where nobody here can read it.

    Raises:
        ObjectNotFoundError: there is no such view.
        ForbiddenSourceError: it reads or calls something that was not allowed.
        ViewCycleError: it depends on itself.
        MissingSourceError: a source cannot be found or read; names the path of views to it.
        ForbiddenModuleError: it calls a Python function whose module was not allowed
            (``PythonModules.in_force``).
        ChangedFunctionError: it calls a Python function that is not what was stored.
    """
    manager = _manager(catalogs)
    relation = _relation(manager, parse_name(name) if isinstance(name, str) else tuple(name))
    document = relation.document
    if not isinstance(document, ViewDocument):
        raise CatalogError(f"`{relation.path}` is a table, not a view")
    given = Permissions.of(formats, locations, functions, opaque)
    warn_of_changes(document, None)
    with permissions_in_force().and_also(given).in_force():
        sources = open_sources_of(manager, relation, spark)
        _warn_of_run_settings(spark, manager, [*sources, relation])
        with log_duration(_LOG, "analyzed the view %s", relation.path):
            return _analyze(spark, document, relation.path)


def open_sources_of(
    manager: CatalogManager,
    view: Relation,
    spark: SparkSession,
    opened: OpenedSources | None = None,
    before: Callable[[], object] | None = None,
) -> list[Relation | Dependency]:
    """Creates what a view reads in the session, where it is missing, and returns all of it.

    Args:
        manager: the catalogs.
        view: the view.
        spark: the session.
        opened: what was opened before in this Spark, to which these are added.
        before: called before something is created: the session must have its own settings then.

    Raises:
        ViewCycleError, MissingSourceError, ForbiddenSourceError: as ``open_view``.
    """
    options = view.document.settings if isinstance(view.document, ViewDocument) else {}
    sources = _sources(spark, manager, view, opened)
    for each in [*sources, view]:
        if opened is None or not opened.has(each):
            _require_allowed(spark, manager, each)
    for source in sources:
        if opened is not None and opened.has(source):
            continue
        if isinstance(source, Relation) and isinstance(source.document, ViewDocument):
            warn_of_changes(source.document, None)
        if before is not None:
            before()
        with log_duration(_LOG, "made %s known to the session", _name_of(source)):
            _register(spark, manager, source, options)
        if opened is not None and not _is_stood_in_for(source, spark):
            opened.add(source)
    return sources


def _require_allowed(
    spark: SparkSession, manager: CatalogManager, source: Relation | Dependency
) -> None:
    """Refuses a view or table before anything is created; functions were looked at when found.

    Raises:
        ForbiddenSourceError: it reads or calls something that was not allowed.
    """
    if isinstance(source, Dependency) or _has_relations(spark, manager, source.path.catalog):
        return
    if isinstance(source.document, TableDocument):
        if not spark.catalog.tableExists(quote_path(source.path)):
            permissions_in_force().require_table(f"the table {source.path}", source.document)
        return
    document = _in_full(source.document, source.path)
    with settings(spark, settings_of_text(document.sql, document.settings)):
        gate = replace(gate_of(spark, known=_functions_of(document)), is_filled=False)
        gate.admit(document.sql, _label(document), view=source.path)


def _warn_of_run_settings(
    spark: SparkSession, manager: CatalogManager, opened: Sequence[Relation | Dependency]
) -> None:
    """Warns of settings that Spark will read when a query runs, for each view that is opened."""
    relations = {_name_of(each).lower(): each for each in opened if isinstance(each, Relation)}

    def find_zone_reader(view: ViewDocument) -> str | None:
        texts = [view.sql]
        for dependency in view.dependencies:
            if dependency.kind == "function":
                function = _function_to_register(spark, manager, dependency)
                texts.append((function and function.source.body) or "")
                continue
            source = relations.get(_name_of(dependency).lower())
            if (
                source
                and isinstance(source.document, TableDocument)
                and reads_zone(source.document)
            ):
                return f"times in {source.path}"
        return next(filter(None, map(zone_reader_in_text, texts)), None)

    for each in relations.values():
        if isinstance(each.document, ViewDocument):
            find = partial(find_zone_reader, each.document)
            warn_of_run_settings(spark, f"the view {each.path}", each.document.settings, find)


def _analyze(spark: SparkSession, document: ViewDocument, path: ObjectPath) -> DataFrame:
    home = path[:2]
    whole = _in_full(document, path)
    if document.plan is not None or not spark.catalog.databaseExists(quote_name(home)):
        return analyze(spark, whole)
    with inside(spark, home):  # functions that Spark keeps read what is current for their caller
        return analyze(spark, whole)


def open_sources(catalogs: object, paths: Iterable[Sequence[str]], spark: SparkSession) -> None:
    """Creates these tables and views in the session if they are missing, as ``open_view`` does.

    Raises:
        MissingSourceError: one of them can be found neither in the catalogs nor in the session.
    """
    manager = _manager(catalogs)
    for path in paths:
        dependency = Dependency(kind="table", name=tuple(path))
        relation = _find(manager, dependency)
        if relation is None:
            _require(spark, dependency)
            continue
        for source in [*_sources(spark, manager, relation), relation]:
            _register(spark, manager, source)


def analyze(
    spark: SparkSession, document: ViewDocument, called: Iterable[Sequence[str]] | None = None
) -> DataFrame:
    """Returns the view's text as a DataFrame; its sources must be in the session already.

    Args:
        spark: the session.
        document: the view.
        called: names of functions that were looked at; by default of those that it depends on.
    """
    meant = settings_of_text(document.sql, document.settings)
    is_kept = is_classic(spark) or not differing_settings(spark, document.settings)
    ask = analyze_query if is_kept else partial(_keep_settings, document=document)
    with settings(spark, meant):
        text = _admit(spark, document, called)
        try:
            frame = with_functions(spark, lambda: ask(spark, text))
        except SPARK_ERRORS as error:
            raise CatalogError(
                f"Spark does not accept the text of view {document.database}.{document.name}: "
                f"{first_line(error)}",
                hint="show the text with: viewscribe sql",
            ) from error
        names = [column.name for column in document.columns]
        if len(names) != len(frame.columns):
            raise CatalogError(
                f"view {document.database}.{document.name} has {len(names)} columns, and its text "
                f"gives {len(frame.columns)}"
            )
        return frame if frame.columns == names else frame.toDF(*names)


def _keep_settings(spark: SparkSession, text: str, document: ViewDocument) -> DataFrame:
    """The query of a view as a DataFrame that keeps the settings in force over Connect, too.

    There a DataFrame is analyzed when it runs, under what the session has by then. A temporary view
    remembers the settings of its making.
    """
    path = (document.database, document.name, document.fingerprint)
    return spark.table(_make_temporary_view(spark, path, document, text))


def _make_temporary_view(
    spark: SparkSession, path: Sequence[str], document: ViewDocument, text: str
) -> str:
    """Makes the temporary view of a path from a text that was admitted; returns its name in SQL."""
    name = quote_name([".".join(path)])
    listed = ", ".join(quote_identifier(column.name) for column in document.columns)
    with stand_ins(spark).giving_name(path, spark):
        made = f"CREATE OR REPLACE TEMPORARY VIEW {name} ({listed}) AS\n{text}"
        run_statement(spark, made, f"view {'.'.join(path[:2])}")
    return name


def _in_full(document: ViewDocument, path: ObjectPath) -> ViewDocument:
    """Returns the view with full table names; unqualified ones belong to its own database.

    A text that is not read stays as it is: the gate says whether Spark may be given it.
    """
    try:
        return in_full(document, path.catalog)
    except ValidationError:
        return document


def _admit(
    spark: SparkSession, document: ViewDocument, called: Iterable[Sequence[str]] | None = None
) -> str:
    """Returns the text as the session can run it, under the settings in force.

    Raises:
        ForbiddenSourceError: it is no query, or reads or calls something that was not allowed.
    """
    text = with_stand_ins(document.sql, spark, document.settings)
    view = (document.database, document.name)
    known = _functions_of(document) if called is None else called
    return gate_of(spark, known=known).admit(text, _label(document), view=view)


def require_admitted(
    spark: SparkSession, document: ViewDocument, called: Iterable[Sequence[str]]
) -> None:
    """Asks the gate for a view's text as ``analyze`` does, and makes nothing of it.

    Raises:
        ForbiddenSourceError: it is no query, or reads or calls something that was not allowed.
    """
    with settings(spark, settings_of_text(document.sql, document.settings)):
        _admit(spark, document, called)


def _label(document: ViewDocument) -> str:
    return f"the view {document.database}.{document.name}"


def _functions_of(document: ViewDocument) -> list[tuple[str, ...]]:
    """The functions of catalogs that a view calls; whatever a document says, none is temporary."""
    named = (each.name for each in document.dependencies if each.kind == "function")
    return [name for path in named if len(path) > 1 for name in (path, (".".join(path),))]


def _manager(catalogs: Any) -> CatalogManager:
    if isinstance(catalogs, CatalogManager):
        return catalogs
    inner = getattr(catalogs, "catalogs", None)
    return inner if isinstance(inner, CatalogManager) else CatalogManager(catalogs)


def _relation(manager: CatalogManager, parts: Sequence[str]) -> Relation:
    found = manager.relation(parts)
    if isinstance(found, Temporary):
        raise CatalogError(f"`{found.name}` is a temporary view", hint="it is not stored")
    return found


def _sources(
    spark: SparkSession,
    manager: CatalogManager,
    root: Relation,
    opened: OpenedSources | None = None,
) -> list[Relation | Dependency]:
    """Returns a view's sources, direct and indirect, each before its readers."""
    order: list[Relation | Dependency] = []
    done: set[str] = set()
    trail: dict[str, str] = {}
    stack: list[tuple[Relation | Dependency, bool]] = [(root, False)]
    while stack:
        source, finished = stack.pop()
        name = _name_of(source)
        key = f"{'function' if _is_function(source) else 'relation'} {name}".lower()
        if finished:
            del trail[key]
            done.add(key)
            if source is not root:
                order.append(source)
            continue
        if key in trail:
            raise _cycle(trail, key, name)
        if key in done:
            continue
        trail[key] = name
        stack.append((source, True))
        for dependency in reversed(_read_by(spark, manager, source)):
            stack.append((_find(manager, dependency, opened) or dependency, False))
    return order


def _name_of(source: Relation | Dependency) -> str:
    return str(source.path) if isinstance(source, Relation) else ".".join(source.name)


def _is_function(source: Relation | Dependency) -> bool:
    return isinstance(source, Dependency) and source.kind == "function"


def _read_by(
    spark: SparkSession, manager: CatalogManager, source: Relation | Dependency
) -> Sequence[Dependency]:
    """Returns what a view, or the body of a function that the session may lack, names."""
    if isinstance(source, Relation):
        return _dependencies(source)
    if is_there(spark, manager, source.name[0] if source.name else ""):
        return ()
    function = _function(manager, source)
    if function is None:
        return ()
    what = f"the function {function!r}"
    raise_first(gate_of(spark).refused_in_function(what, function.source))
    try:
        tables, functions = sources_of_function(function.source, source.name[:2])
    except ValidationError as error:
        raise CatalogError(f"{what}: {error.message}", hint=error.hint) from error
    return [
        *(Dependency("table", path) for path in tables),
        *(Dependency("function", path) for path in functions),
    ]


def _dependencies(relation: Relation) -> Sequence[Dependency]:
    document = relation.document
    return document.dependencies if isinstance(document, ViewDocument) else ()


def _find(
    manager: CatalogManager, dependency: Dependency, opened: OpenedSources | None = None
) -> Relation | None:
    """Returns the document of a source; None if only the session can have it."""
    if dependency.kind == "function":
        return None
    known = None if opened is None else opened.find(dependency.name)
    if known is not None:
        return known
    try:
        found = _relation(manager, dependency.name)
    except ObjectNotFoundError:
        return None
    if opened is not None:
        opened.keep(dependency.name, found)
    return found


def _cycle(trail: Mapping[str, str], key: str, name: str) -> ViewCycleError:
    start = list(trail).index(key)
    shown = " -> ".join([*list(trail.values())[start:], name])
    kind = "function" if key.startswith("function ") else "view"
    return ViewCycleError(
        f"the {kind} `{name}` depends on itself: {shown}",
        hint="replace one of these with one that does not read the others",
    )


def _register(
    spark: SparkSession,
    manager: CatalogManager,
    source: Relation | Dependency,
    options: Mapping[str, str] | None = None,
) -> None:
    """Creates a source in the session; ``options`` are settings for calling functions."""
    if isinstance(source, Dependency):
        function = _function_to_register(spark, manager, source)
        if function is None or is_of_catalog(function):
            if source.kind == "function" and not (
                len(source.name) < 3 or source.name[0].lower() == SPARKS_OWN
            ):
                what = "what is opened"
                permissions_in_force().require_catalog_function(what, source.name)
            _require(spark, source)
        else:
            what = f"the function {function!r}"
            raise_first(gate_of(spark).refused_in_function(what, function.source))
            with authored():  # it has been looked at
                register_function(as_planned(function, async_settings(options or {})), spark)
        return
    stand_ins(spark).forget_view(source.path)
    if any(map(partial(_is_stood_in_for, spark=spark), _dependencies(source))):
        assert isinstance(source.document, ViewDocument)
        _let_stand_in(spark, source.path, source.document)
    elif _has_relations(spark, manager, source.path.catalog):
        return
    elif isinstance(source.document, ViewDocument):
        _register_view(spark, source.path, source.document)
    else:
        register_table(spark, source.path, source.document)


def _function_to_register(
    spark: SparkSession, manager: CatalogManager, source: Dependency
) -> UserFunction | None:
    """Returns the function of a catalog that the session lacks; None where there is none."""
    home = source.name[0] if source.name else ""
    if not is_there(spark, manager, home):
        return _function(manager, source)
    if not needs_stand_ins(home, spark):
        return None
    found = _function(manager, source)
    return found if found is not None and found.source.language is Language.PYTHON else None


def _is_stood_in_for(source: Relation | Dependency, spark: SparkSession) -> bool:
    if isinstance(source, Relation):
        return stand_ins(spark).has("table", source.path)
    return stand_ins(spark).has(source.kind, source.name)


def _let_stand_in(spark: SparkSession, path: ObjectPath, document: ViewDocument) -> None:
    """Makes the temporary view that stands for one which calls what has a stand-in itself."""
    document = _in_full(document, path)
    with settings(spark, settings_of_text(document.sql, document.settings)):
        _make_temporary_view(spark, path, document, _admit(spark, document))
    stand_ins(spark).add_view(path)


def is_there(spark: SparkSession, manager: CatalogManager, catalog: str) -> bool:
    """Whether the catalog belongs to the session, so its objects need not be created there."""
    try:
        found = manager.catalog(catalog)
    except CatalogNotFoundError:
        return False
    return isinstance(found, SessionCatalog) and found.session is spark


def _has_relations(spark: SparkSession, manager: CatalogManager, catalog: str) -> bool:
    """Whether the session has the catalog's tables and views: its own, or of one server."""
    if is_there(spark, manager, catalog):
        return True
    return is_of_session(spark, manager.catalog(catalog))


def _function(manager: CatalogManager, dependency: Dependency) -> UserFunction | None:
    """Returns the stored function that a dependency names, if any."""
    if dependency.kind != "function":
        return None
    if len(dependency.name) != 3:
        name = ".".join(dependency.name)
        raise CatalogError(
            f"the dependencies name the function `{name}`, which is no full name",
            hint="store the view again",
        )
    catalog, database, name = dependency.name
    return StoredFunctions(manager).find(FunctionIdentifier(name, database, catalog))


def _require(spark: SparkSession, dependency: Dependency) -> None:
    """Raises if the session lacks a dependency that no catalog here has."""
    name = quote_path(dependency.name)
    ask = (
        spark.catalog.functionExists if dependency.kind == "function" else spark.catalog.tableExists
    )
    try:
        with silence_errors():
            known = ask(name)
    except SPARK_ERRORS as error:
        place = f"spark.sql.catalog.{dependency.name[0]}"
        raise MissingSourceError(
            f"the session cannot look for the {dependency.kind} {'.'.join(dependency.name)}: "
            f"{first_line(error)}",
            hint=f"configure its catalog in the session ({place}), with --conf {place}=… on the "
            "command line"
            if len(dependency.name) >= 3 and dependency.name[0].lower() != SPARKS_OWN
            else "name it in full: catalog, database and name",
        ) from error
    if not known:
        raise MissingSourceError(
            f"neither the catalogs nor the session have the {dependency.kind} "
            f"{'.'.join(dependency.name)}",
            hint="store its document in the catalog, or register it in the session",
        )


def _register_view(spark: SparkSession, path: ObjectPath, document: ViewDocument) -> None:
    name = quote_path(path)
    document = _in_full(document, path)
    if spark.catalog.tableExists(name):
        known = describe_table(spark, path).get("table_properties", {}).get(SEAL)
        if known is None:
            raise MissingSourceError(
                f"the session has an object {path} that does not come from this catalog",
                hint="drop it there, or open the view in another session",
            )
        if known == document.fingerprint:
            return
    columns = ", ".join(quote_path([column.name]) for column in document.columns)
    seal = quote_string(document.fingerprint)
    with settings(spark, settings_of_text(document.sql, document.settings)):
        gate = gate_of(spark, known=_functions_of(document))
        admitted = gate.admit(document.sql, _label(document), view=path)
        create_database(spark, path)
        text = (
            f"CREATE OR REPLACE VIEW {name} ({columns}) "
            f"TBLPROPERTIES ({quote_string(SEAL)} = {seal}) AS\n{admitted}"
        )
        run_statement(spark, text, f"view {path}")
