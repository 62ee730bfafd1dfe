"""All documents of a catalog at once, found by name, and what tells whether two are the same."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeVar

import msgspec

from viewscribe.catalog_store.circle import mean_the_same
from viewscribe.catalog_store.documents.model import (
    SCHEMA_VERSION,
    Column,
    Dependency,
    Document,
    DocumentKind,
    FunctionDocument,
    ObjectKind,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.documents.normalization import content_hash
from viewscribe.catalog_store.lineage import LineageGraph
from viewscribe.catalog_store.protocol import Catalog, Loaded, Unreadable, fold
from viewscribe.catalog_store.view_checks import read_plan
from viewscribe.environments import Environment, Translation
from viewscribe.environments.migration.columns import (
    ColumnChange,
    Reading,
    column_use,
    readings,
    unmet,
)
from viewscribe.environments.migration.model import Problem, ProblemCode
from viewscribe.environments.migration.widening import is_wider
from viewscribe.errors import ValidationError, ViewscribeError, did_you_mean
from viewscribe.parser.names import read_names
from viewscribe.types.ddl import parse_type
from viewscribe.types.policy import coercion, coercion_of

# How long runs tell how far they are, to whoever wants to know.


class Progress(Protocol):
    """A run of steps, entered when it begins."""

    def start(self, step: str) -> None:
        """A step begins."""

    def done(self, step: str, outcome: str | None = None) -> None:
        """A step is done; an outcome is worth a line of its own."""

    def __enter__(self) -> Progress: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


Watch = Callable[[str, int | None], Progress]
"""Begins a run: what is done, and how many steps it has where that is known."""


class _Silence:
    def start(self, step: str) -> None: ...

    def done(self, step: str, outcome: str | None = None) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


def silent(what: str, total: int | None) -> Progress:
    """Tells nobody."""
    return _Silence()


D = TypeVar("D", bound=Document)


class Key(NamedTuple):
    """An object by its namespace and its folded names; of a database the name is empty."""

    space: Literal["relation", "function", "database"]
    database: str
    name: str


def key_of(kind: DocumentKind, database: str, name: str) -> Key:
    """The key of an object of a kind."""
    if kind == "database":
        return Key("database", fold(database), "")
    space: Literal["relation", "function"] = "function" if kind == "function" else "relation"
    return Key(space, fold(database), fold(name))


class Snapshot:
    """What a catalog holds.

    Args:
        entries: what was loaded, and what could not be.
    """

    def __init__(self, entries: Iterator[Loaded | Unreadable] | tuple[()] = ()) -> None:
        self.loaded: dict[Key, Loaded] = {}
        self.unreadable: dict[Key, Unreadable] = {}
        self.clashes: list[tuple[Loaded, Loaded]] = []
        for entry in entries:
            key = key_of(entry.id.kind, entry.id.database, entry.id.name)
            if isinstance(entry, Unreadable):
                self.unreadable[key] = entry
            elif key in self.loaded:
                self.clashes.append((self.loaded[key], entry))
            else:
                self.loaded[key] = entry

    def __contains__(self, key: Key) -> bool:
        return key in self.loaded or key in self.unreadable

    def document(self, key: Key) -> Document | None:
        """The document of a key, where there is one that can be read."""
        found = self.loaded.get(key)
        return None if found is None else found.document

    def entry(self, key: Key) -> Loaded | Unreadable | None:
        """What is there, whether it can be read or not."""
        return self.loaded.get(key) or self.unreadable.get(key)

    def of_kind(self, *kinds: DocumentKind) -> list[Loaded]:
        """The entries of some kinds, sorted by name."""
        found = [each for each in self.loaded.values() if each.id.kind in kinds]
        return sorted(found, key=lambda each: key_of(each.id.kind, each.id.database, each.id.name))


def read(catalog: Catalog, what: str, watch: Watch = silent) -> Snapshot:
    """Everything a catalog holds, in one pass. Raises ``CatalogError`` where it goes away."""
    with watch(what, None) as progress:

        def entries() -> Iterator[Loaded | Unreadable]:
            for entry in catalog.load_all():
                progress.done(str(entry.id))
                yield entry

        return Snapshot(entries())


_OWN = ("fingerprint", "viewscribe_version", "spark_version")
"""Fields that say how a document was stored and not what it means."""


def same(one: Document, other: Document) -> bool:
    """Whether two documents mean the same, whoever stored them."""
    if type(one) is not type(other):
        return False
    return _bare(one) == _bare(other) or _differ_in_plans_alone(one, other)


def _differ_in_plans_alone(one: Document, other: Document) -> bool:
    """Whether views with one text have plans that mean the same: its names may be read anew."""
    if not isinstance(one, ViewDocument) or not isinstance(other, ViewDocument):
        return False
    if one.plan is None or other.plan is None:
        return False
    if _bare(msgspec.structs.replace(one, plan=other.plan)) != _bare(other):
        return False
    try:
        with coercion(coercion_of(one.settings)):
            return mean_the_same(read_plan(one), read_plan(other), one.settings)
    except ViewscribeError:
        return False


def as_plain(document: Document) -> dict[str, Any]:
    """What ``to_plain`` gives of a document that was read or made from one, and faster."""
    fields = msgspec.to_builtins(document)
    return {"schema_version": SCHEMA_VERSION, "kind": document.kind, **fields}


def content(document: Document) -> str:
    """A hash of what a document means."""
    plain = as_plain(_bare(document))
    return content_hash({key: value for key, value in plain.items() if key not in _OWN})


def _bare(document: D) -> D:
    fields: dict[str, Any] = {"viewscribe_version": None}
    if isinstance(document, ViewDocument | FunctionDocument):
        fields.update(fingerprint="")
    if isinstance(document, ViewDocument):
        fields.update(spark_version=None, source=None)  # the same query in other words
    return msgspec.structs.replace(document, **fields)


def owner_kept(document: D, current: Document) -> D:
    """``document`` with the owner that the target has: owners do not travel."""
    return msgspec.structs.replace(document, owner=current.owner)


# Checking that the target has what the objects of a plan need: dependencies, columns, settings.

Path = tuple[str, ...]


class Desired(NamedTuple):
    """The desired state of an object in the target.

    ``origin`` is its name in the source; ``dependencies`` have their names in the target.
    ``fits_wider`` says that it is a text which also works on columns of wider types.
    """

    key: Key
    origin: tuple[str, str]
    document: ViewDocument | FunctionDocument
    dependencies: tuple[Dependency, ...]
    fits_wider: bool = False

    @property
    def label(self) -> str:
        """Its name in the target."""
        return f"{self.document.database}.{self.document.name}"


class Needs:
    """Looks up what exists in the target after the plan.

    Args:
        source: the source environment.
        target: the target environment.
        sources: the documents of the source.
        targets: the documents of the target.
    """

    def __init__(
        self, source: Environment, target: Environment, sources: Snapshot, targets: Snapshot
    ) -> None:
        self._source = source
        self._target = target
        self._sources = sources
        self._targets = targets
        self._back = Translation(target.names, source.names)
        self._desired: Mapping[Key, Desired] = {}
        self._gone: Collection[Key] = ()
        self._read: dict[Key, tuple[Key, ...]] = {}

    def final(self, desired: Mapping[Key, Desired], gone: Collection[Key]) -> None:
        """Sets what the plan creates and what it removes."""
        self._desired = desired
        self._gone = gone

    # -- the state after the plan -----------------------------------------------------------------

    def after(self, key: Key) -> Document | None:
        """Returns the document of a key after the plan."""
        wanted = self._desired.get(key)
        if wanted is not None:
            return wanted.document
        return None if key in self._gone else self._targets.document(key)

    def before(self, key: Key) -> Document | None:
        """Returns the document of a key before the plan."""
        return self._targets.document(key)

    def remaining(self) -> Iterator[tuple[Key, ViewDocument | FunctionDocument]]:
        """Yields the views and functions of the target that the plan does not touch."""
        for key, entry in self._targets.loaded.items():
            document = entry.document
            if key in self._desired or key in self._gone:
                continue
            if isinstance(document, ViewDocument | FunctionDocument):
                yield key, document

    def kind(self, dependency: Dependency) -> ObjectKind:
        """Returns the kind of a dependency after the plan; its own claim if it is unknown."""
        key = self._key(dependency)
        found = None if key is None else self.after(key)
        if isinstance(found, ViewDocument | TableDocument):
            return "view" if isinstance(found, ViewDocument) else "table"
        return dependency.kind

    def read_by(self, wanted: Desired) -> tuple[Key, ...]:
        """Returns what an object of the plan reads and calls in the target's own catalog."""
        keys = (self._key(each) for each in wanted.dependencies)
        return tuple(dict.fromkeys(key for key in keys if key is not None))

    def read_by_target(self, key: Key) -> tuple[Key, ...]:
        """Returns what an object of the target currently reads there."""
        found = self._read.get(key)
        if found is None:
            found = self._read[key] = tuple(
                keys_read(self._targets.loaded[key], self._target.catalog_name)
            )
        return found

    def graph(self) -> dict[Key, tuple[Key, ...]]:
        """Returns the dependency graph of all views and functions after the plan."""
        graph = {key: self.read_by_target(key) for key, _ in self.remaining()}
        graph.update({key: self.read_by(wanted) for key, wanted in self._desired.items()})
        return graph

    def lineage(self) -> LineageGraph:
        """The lineage of the target's views before the plan, computed lazily."""
        found = self._targets.loaded.values()
        return LineageGraph(
            ((self._target.catalog_name, document.database, document.name), document)
            for document in (each.document for each in found)
            if isinstance(document, ViewDocument | TableDocument | FunctionDocument)
        )

    def path(self, key: Key) -> Path:
        """The full name of an object of the target's own catalog."""
        return (self._target.catalog_name, key.database, key.name)

    def label(self, key: Key) -> str:
        """The object's name as it is spelled."""
        found = self.after(key) or self.before(key)
        if found is None or key.space == "database":
            return ".".join(part for part in key[1:] if part)
        return f"{getattr(found, 'database', '')}.{found.name}"

    def _key(self, dependency: Dependency) -> Key | None:
        """The key of an object of the target's own catalog; None for one of another."""
        return _key_in(self._target.catalog_name, dependency)

    # -- what is missing --------------------------------------------------------------------------

    def check(self, wanted: Desired) -> Iterator[Problem]:
        """Yields what is missing in the target for an object of the plan."""
        for dependency in wanted.dependencies:
            yield from self._check_one(wanted, dependency)
        if isinstance(wanted.document, ViewDocument):
            yield from self._check_columns(wanted, wanted.document)
            yield from self._check_settings(wanted.document)

    def check_deleted(self) -> Iterator[Problem]:
        """Yields problems for kept views and functions that read what the plan removes."""
        if not self._gone:
            return
        for key, document in self.remaining():
            for read in self.read_by_target(key):
                if read in self._gone:
                    kind = "function" if read.space == "function" else "view"
                    code: ProblemCode = f"missing-{kind}"  # type: ignore[assignment]
                    cause = f"needs the {kind} `{self.label(read)}`, which the plan takes away"
                    hint = "it is not part of the plan: change it or drop it first"
                    label = f"{document.database}.{document.name}"
                    yield Problem(code=code, object=label, message=cause, hint=hint)

    def _check_one(self, wanted: Desired, dependency: Dependency) -> Iterator[Problem]:
        key = self._key(dependency)
        name = ".".join(dependency.name)
        if key is None:
            yield from self._check_catalog(dependency)
        elif self.after(key) is not None:
            return
        elif key in self._targets.unreadable and key not in self._gone:
            cause = f"needs `{name}`, whose document in the target cannot be read"
            yield Problem(
                code="unreadable",
                object=wanted.label,
                message=cause,
                hint=self._targets.unreadable[key].error.message,
            )
        else:
            yield self._describe_missing(wanted, dependency, key, name)

    def _describe_missing(
        self, wanted: Desired, dependency: Dependency, key: Key, name: str
    ) -> Problem:
        origin = self._origin(dependency)
        kind = dependency.kind if origin is None else origin.id.kind
        near = [k.name for k in self._targets.loaded if k[:2] == key[:2]]
        if origin is None:
            cause = f"reads the {kind} `{name}`, which neither environment's catalog knows"
            hint = "make sure that Spark knows it there"
            return Problem(code="unchecked", object=wanted.label, message=cause, hint=hint)
        if kind == "table":
            hint = did_you_mean(key.name, near) or "create the table in the target first"
        else:
            hint = f"select {origin.id} too, and mend what stops it"
        code: ProblemCode = f"missing-{kind}"  # type: ignore[assignment]
        cause = f"needs the {kind} `{name}`, which is missing in the target"
        return Problem(code=code, object=wanted.label, message=cause, hint=hint)

    def _origin(self, dependency: Dependency) -> Loaded | Unreadable | None:
        """What the source has where the dependency comes from."""
        path = dependency.name
        try:
            old = self._back((path[0], path[1], path[2]))
        except ViewscribeError:
            return None
        if fold(old[0]) != fold(self._source.catalog_name):
            return None
        return self._sources.entry(key_of(dependency.kind, old[1], old[2]))

    def _check_catalog(self, dependency: Dependency) -> Iterator[Problem]:
        """A dependency in another catalog: only Spark's settings can tell whether it is there."""
        catalog = dependency.name[0]
        setting = f"spark.sql.catalog.{catalog}"
        if setting in self._target.spark:
            return
        if setting in self._source.spark or self._target.spark:
            cause = f"has no setting `{setting}`, and views read `{'.'.join(dependency.name)}`"
            code: ProblemCode = "missing-setting"
            hint = "add it under spark: in the environments file"
        else:
            cause = f"`{'.'.join(dependency.name)}` is in another catalog, where nobody looked"
            code, hint = "unchecked", "verify the target after applying the plan"
        yield Problem(code=code, object=self._target.name, message=cause, hint=hint)

    def _check_columns(self, wanted: Desired, view: ViewDocument) -> Iterator[Problem]:
        used: Mapping[Path, frozenset[str] | None] | None = None
        for reading in readings(view):
            key = self._key(Dependency("table", reading.path))
            now = None if key is None else columns_of(self.after(key))
            if now is None or len(reading.path) > 3:
                continue
            believed = reading if reading.columns else self._assume_reading(reading)
            if believed.columns is None or not unmet(believed, now, None):
                continue
            if used is None:
                used = column_use(view, columns_of=self._believed_columns(view).get)
            for change in unmet(believed, now, used.get(reading.path)):
                if wanted.fits_wider and _is_widening(change):
                    continue
                yield _column_problem(wanted.label, reading.path, change)

    def _believed_columns(self, view: ViewDocument) -> dict[Path, Sequence[Column] | None]:
        """What a view takes for the columns of what it reads."""
        found = {each.path: self._assume_reading(each).columns for each in readings(view)}
        known = {each.path: each.columns for each in readings(view) if each.columns}
        return {**found, **known}

    def _assume_reading(self, reading: Reading) -> Reading:
        """For a view that does not say which columns it was made for: those in the source."""
        origin = self._origin(Dependency("table", reading.path))
        columns = columns_of(origin.document) if isinstance(origin, Loaded) else None
        return Reading(reading.path, None if columns is None else tuple(columns))

    def _check_settings(self, view: ViewDocument) -> Iterator[Problem]:
        for key, value in view.settings.items():
            there = self._target.spark.get(key)
            if there is None or there == value or "${" in there:
                continue
            cause = f"sets `{key}` otherwise than views that were made with {value!r}"
            hint = "views opened by viewscribe keep their own settings; other readers may not"
            yield Problem(code="setting", object=self._target.name, message=cause, hint=hint)


def _is_widening(change: ColumnChange) -> bool:
    if change.change != "type" or change.before is None or change.after is None:
        return False
    return is_wider(parse_type(change.before), parse_type(change.after))


def _column_problem(label: str, path: Path, change: ColumnChange) -> Problem:
    table = ".".join(path)
    if change.change == "removed":
        cause = f"needs the column `{change.name}` of `{table}`, which the target's has not"
        return Problem(code="missing-column", object=label, message=cause)
    if change.change == "type":
        cause = (
            f"needs the column `{change.name}` of `{table}` as {change.before}, "
            f"and the target's is {change.after}"
        )
        hint = "save the view against such a table, or change the table"
        return Problem(code="column-type", object=label, message=cause, hint=hint)
    cause = f"takes the column `{change.name}` of `{table}` for NOT NULL, and the target's is not"
    return Problem(code="column-null", object=label, message=cause)


def columns_of(document: Document | None) -> Sequence[Column] | None:
    """The columns of a view or table."""
    if isinstance(document, ViewDocument | TableDocument):
        return document.columns
    return None


def columns_hash(document: Document) -> str:
    """A hash of what readers of an object see of it: of a function, all of it."""
    columns = columns_of(document)
    if columns is None:
        return content(document)
    return content_hash([[each.name.lower(), each.type, each.nullable] for each in columns])


def keys_read(entry: Loaded, catalog_name: str) -> Iterator[Key]:
    """Returns what a stored object reads and calls in its own catalog, ``catalog_name``."""
    for each in _dependencies(entry.document):
        path = each.name
        if len(path) < 3:
            path = (*(catalog_name, entry.id.database)[: 3 - len(path)], *path)
        key = _key_in(catalog_name, Dependency(each.kind, path))
        if key is not None:
            yield key


def _key_in(catalog_name: str, dependency: Dependency) -> Key | None:
    """The object of the catalog that a dependency needs; for metadata, the table that has it."""
    path = dependency.name
    if len(path) < 3 or fold(path[0]) != fold(catalog_name):
        return None
    return key_of(dependency.kind, path[1], path[2])


def _dependencies(document: Document) -> tuple[Dependency, ...]:
    if isinstance(document, ViewDocument):
        if document.dependencies or document.plan is not None:
            return document.dependencies
        return _in_text(document.sql)
    if isinstance(document, FunctionDocument) and document.language == "sql" and document.body:
        query = document.function_kind == "table"
        return _in_text(document.body if query else f"SELECT {document.body}")
    return ()


def _in_text(text: str) -> tuple[Dependency, ...]:
    """Returns the tables named in a text; none if it does not parse."""
    try:
        names = read_names(text)
    except ValidationError:
        return ()
    paths = dict.fromkeys(table.parts for table in names.tables)
    return tuple(Dependency("table", path) for path in paths)
