"""What stands for stored functions and views in a session that cannot have those themselves.

A Python function of a catalog needs a place in the session's registry of functions, which Spark
Connect does not show, and where Spark looks for functions of ``spark_catalog`` alone. Elsewhere a
temporary function stands for it, under one name that is its whole path: `` `lake.sales.tenth` ``.
No permanent view of Spark may call such a function, so temporary views of such names stand for
views that do. The texts that are stored stay as they are: they run with these names in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession

from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.user_defined import OF_ROWS, UserFunction, session_name
from viewscribe.operations.spark_names import is_system_function
from viewscribe.parser.names import with_other_names
from viewscribe.parser.settings import make_reading
from viewscribe.spark.arrow import require_arrow
from viewscribe.spark.errors import FunctionRegistrationError, MissingSourceError
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.python_functions import python_function
from viewscribe.spark.session_objects import SessionObjects
from viewscribe.types.identifiers import quote_identifier

# Python functions as temporary ones of a session, under one name each.


class Origin(Enum):
    """Where a temporary function comes from; only one of the user's own takes the place of his."""

    USER = "a temporary function"
    DOCUMENT = "one of a stored pipeline"
    CATALOG = "one that stands for a stored function"


class _Given(NamedTuple):
    """A temporary function that viewscribe has given a session."""

    function: UserFunction
    origin: Origin
    number: int | None


_GIVEN: WeakKeyDictionary[SparkSession, dict[str, _Given]] = WeakKeyDictionary()
"""Of each session, those that it was given last, by name."""


@contextmanager
def giving_name(function: UserFunction, spark: SparkSession, origin: Origin) -> Iterator[None]:
    """In the ``with`` block, the session is given a temporary function under its name.

    Raises:
        FunctionRegistrationError: it would take the place of one of the user's, of Spark's or of
            one that stands for something else.
    """
    name = session_name(function.identifier)
    given, key = _GIVEN.setdefault(spark, {}), name.casefold()
    before = given.get(key)
    if before is not None and (before.origin is Origin.CATALOG) != (origin is Origin.CATALOG):
        raise FunctionRegistrationError(
            f"the session would know a temporary function and a stored one as "
            f"{quote_identifier(name)}",
            hint="give one of them another name, or use another session for it",
        )
    if origin is not Origin.USER:
        _refuse_taken(name, function, before, origin, spark)
    yield
    given[key] = _Given(function, origin, SessionObjects(spark).identify_function(name))


def _refuse_taken(
    name: str, function: UserFunction, before: _Given | None, origin: Origin, spark: SparkSession
) -> None:
    shown = quote_identifier(name)
    if is_system_function(name):
        raise FunctionRegistrationError(
            f"a stored pipeline brings a temporary function of the name {shown}, which is one of "
            "Spark's own",
            hint="give it another name",
        )
    there = SessionObjects(spark).identify_function(name)
    is_ours = before is not None and (
        before.number == there and (before.origin is not Origin.USER or before.function == function)
    )
    if there is None or is_ours:
        return
    raise FunctionRegistrationError(
        f"the session has a temporary function {shown} of its own, and {origin.value} would take "
        "its place",
        hint=f"drop it, DROP TEMPORARY FUNCTION {shown}, or use another session: "
        "spark.newSession()",
    )


def copy_given(spark: SparkSession, clone: SparkSession) -> None:
    """Notes that a clone of a session has what that was given."""
    _GIVEN[clone] = dict(_GIVEN.get(spark, {}))


def register_temporary(function: UserFunction, spark: SparkSession) -> None:
    """Registers a temporary Python function under its name, or its path as one name."""
    name = session_name(function.identifier)
    if function.source.kind is FunctionKind.PROCESS_TABLE:
        require_arrow(function)
        from viewscribe.spark.process.table_function import table_function

        spark.udtf.register(name, table_function(function, classic=is_classic(spark)))
        return
    registry = spark.udtf if function.kind is FunctionKind.GENERATOR else spark.udf
    registry.register(name, python_function(function))


SESSION_CATALOG = "spark_catalog"

Path = tuple[str, ...]


def needs_stand_ins(catalog: str, spark: SparkSession) -> bool:
    """Whether temporary functions stand for the Python functions of a catalog in a session."""
    return catalog.lower() != SESSION_CATALOG or not is_classic(spark)


class StandIns:
    """The temporary functions and views of one session that stand for stored ones."""

    def __init__(self) -> None:
        self._functions: dict[Path, UserFunction] = {}
        self._views: set[Path] = set()
        self._made: set[str] = set()
        self._lent: set[str] = set()

    def find(self, parts: Sequence[str]) -> UserFunction | None:
        """Returns the stored function of a full path, or of the name of what stands for it."""
        path = tuple(parts[0].split(".")) if len(parts) == 1 else tuple(parts)
        return self._functions.get(_fold(path))

    def has(self, kind: str, path: Sequence[str]) -> bool:
        """Whether something stands for a ``function``, or else for a view."""
        return _fold(path) in (self._functions if kind == "function" else self._views)

    def name_of_view(self, path: Sequence[str]) -> str | None:
        """Returns what stands for a view, as SQL; None where it stands for itself."""
        return _quote(path) if _fold(path) in self._views else None

    @contextmanager
    def lending(self, name: str) -> Iterator[None]:
        """In the ``with`` block, a temporary view of this name is no view of the user's."""
        self._lent.add(name.casefold())
        try:
            yield
        finally:
            self._lent.discard(name.casefold())

    def lends(self, name: str) -> bool:
        """Whether a temporary view is viewscribe's: it stands for a stored one, or for rows."""
        return name.casefold() in self._lent or self.has("view", name.split("."))

    @contextmanager
    def giving_name(self, path: Sequence[str], spark: SparkSession) -> Iterator[None]:
        """In the ``with`` block, the temporary view of a path is made.

        Raises:
            MissingSourceError: it would take the place of one of the user's.
        """
        name, shown = ".".join(path), _quote(path)
        if name.casefold() not in self._made and SessionObjects(spark).has_view([name]):
            raise MissingSourceError(
                f"the session has a temporary view {shown} of its own, and one that stands for a "
                "stored view would take its place",
                hint=f"drop it, DROP VIEW {shown}, or use another session: spark.newSession()",
            )
        yield
        self._made.add(name.casefold())

    def add_view(self, path: Sequence[str]) -> None:
        """Notes that a view has one that stands for it."""
        self._views.add(_fold(path))

    def forget_view(self, path: Sequence[str]) -> None:
        """Notes that a view stands for itself."""
        self._views.discard(_fold(path))

    def register(self, function: UserFunction, spark: SparkSession) -> None:
        """Registers what stands for a function that can be imported.

        Raises:
            FunctionRegistrationError: the session has a temporary function of that name.
        """
        made = function.of_author(_stand_in)
        with giving_name(made, spark, Origin.CATALOG):
            register_temporary(made, spark)
        self._functions[function.identifier.key] = function

    def speak(self, text: str, spark: SparkSession, settings: Mapping[str, str]) -> str:
        """Returns the text with the names of stand-ins in it."""
        if not self._may_be_named_in(text):
            return text

        def rename(parts: Sequence[str]) -> tuple[Path, Path]:
            path, written = _full(parts), tuple(parts)
            return (path, (".".join(path),)) if _fold(path) in self._views else (written, written)

        def find(parts: Sequence[str]) -> UserFunction | None:
            found = self._called(_full(parts), spark)
            return None if found is None else found.of_author(_stand_in)

        return with_other_names(text, rename, find, make_reading(settings)).text

    def _may_be_named_in(self, text: str) -> bool:
        low = text.casefold()
        return any(path[-1] in low for path in (*self._functions, *self._views))

    def _called(self, path: Path, spark: SparkSession) -> UserFunction | None:
        """Returns the function that a text calls; one of collected rows is made when it is."""
        key = _fold(path)
        found = self._functions.get(key)
        if found is None and key[-1].endswith(OF_ROWS):
            aggregate = self._functions.get((*key[:-1], key[-1].removesuffix(OF_ROWS)))
            if aggregate is not None and aggregate.is_python_aggregate:
                found = aggregate.of_collected_rows()
                self.register(found, spark)
        return found


_OF_SESSIONS: WeakKeyDictionary[SparkSession, StandIns] = WeakKeyDictionary()


def stand_ins(spark: SparkSession) -> StandIns:
    """Returns those of a session."""
    return _OF_SESSIONS.setdefault(spark, StandIns())


def another_session(spark: SparkSession) -> SparkSession:
    """Returns one more session of the same Spark, for another thread.

    A new one of Spark Connect would have neither its settings nor what was sent to its workers; it
    has both as a copy, from Spark 4.1 on, with the temporary functions and views in it.
    """
    clone = None if is_classic(spark) else getattr(spark, "cloneSession", None)
    if clone is None:
        return spark.newSession()
    made: SparkSession = clone()
    copy_given(spark, made)
    stand_ins(made)._made.update(stand_ins(spark)._made)
    return made


def with_stand_ins(
    text: str, spark: SparkSession, settings: Mapping[str, str] | None = None
) -> str:
    """Returns a stored text as the session can run it.

    Args:
        text: one query, with the full names of what it reads and calls.
        spark: the session.
        settings: those that decide how the text is read.

    Raises:
        ValidationError: it names something that has a stand-in, where none can be named.
    """
    return stand_ins(spark).speak(text, spark, settings or {})


def _stand_in(function: UserFunction) -> UserFunction:
    name = FunctionIdentifier(session_name(function.identifier))
    return UserFunction(name, function.source, temporary=True)


def _full(parts: Sequence[str]) -> Path:
    return (SESSION_CATALOG, *parts) if len(parts) == 2 else tuple(parts)


def _quote(path: Sequence[str]) -> str:
    return quote_identifier(".".join(path))


def _fold(path: Sequence[Any]) -> Path:
    return tuple(part.casefold() for part in path)
