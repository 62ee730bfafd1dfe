"""The Spark settings that a query's meaning depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from viewscribe.catalog_store.settings import ALLOWED_SETTINGS, DEFAULT_SETTINGS, is_allowed
from viewscribe.errors import VerificationError
from viewscribe.expressions.functions.asynchronous.options import sparks_own
from viewscribe.operations.required_settings import TIME_TYPE
from viewscribe.secrets import mask_text
from viewscribe.spark.java_classes import Py4JError, frame_of, is_classic
from viewscribe.spark.session_state import state_of
from viewscribe.types.identifiers import quote_name

CAPTURED_SETTINGS: tuple[str, ...] = tuple(DEFAULT_SETTINGS)
"""What is always noted beside a view, because a reader's session may well differ in it."""

_SUBSTITUTION = "spark.sql.variable.substitute"


_defaults: WeakKeyDictionary[
    SparkSession, dict[frozenset[tuple[str, str]], dict[str, str | None]]
] = WeakKeyDictionary()
"""Of each session, by what is set in it, the values of what is not."""
_MOST_KNOWN = 8

_OWN = "spark_catalog"
_own_catalogs: WeakKeyDictionary[SparkSession, Any] = WeakKeyDictionary()


def captured_settings(spark: SparkSession | None = None) -> dict[str, str]:
    """Returns the session's settings that the meaning of a view depends on.

    The usual ones are always included, the others only if they were set. Without a session,
    Spark's defaults are returned. Spark itself stores nearly every setting (``view.sqlConfig``);
    settings that affect only execution are left out here.
    """
    if spark is None:
        return dict(DEFAULT_SETTINGS)
    given = session_settings(spark)
    in_force = _InForce(spark, given)
    found = {name: str(in_force(name)) for name in CAPTURED_SETTINGS}
    found |= {name: value for name, value in given.items() if is_meant(name)}
    return dict(sorted(found.items()))


def session_settings(spark: SparkSession) -> Mapping[str, str]:
    """Returns the settings of the session, without Spark's defaults."""
    state = state_of(spark)
    if state.settings is None:
        state.settings = _ask_settings(spark)
    return state.settings


def settings_of_texts(spark: SparkSession) -> dict[str, str]:
    """Returns what decides how the session reads a text, whether it was set or is Spark's default.

    A view that needs TIME carries the setting, so elsewhere the default does not matter.
    """
    found = _InForce(spark, session_settings(spark))(TIME_TYPE)
    return {} if found is None else {TIME_TYPE: found}  # an older version has no TIME


def is_meant(name: str) -> bool:
    """Whether a setting can change the meaning of a query, and so is stored with a view."""
    return name in ALLOWED_SETTINGS and name != _SUBSTITUTION


@contextmanager
def settings(
    spark: SparkSession,
    wanted: Mapping[str, str],
    *,
    own: Mapping[str, str] | None = None,
    whole: bool = True,
) -> Iterator[None]:
    """Applies Spark SQL settings inside the ``with`` block and restores them afterwards.

    Settings in ``wanted`` that say how viewscribe calls functions are not Spark's and are skipped.

    Args:
        spark: the session.
        wanted: settings of a document, which may only set what the meaning of a query depends on.
        own: settings that viewscribe itself needs temporarily.
        whole: whether settings that the document does not name have Spark's defaults, as far as
            the meaning of a query depends on them, whatever the session has.

    Raises:
        VerificationError: a session of this Spark cannot change a setting, or a stored view may
        not set it.
    """
    given = sparks_own(wanted)
    before = session_settings(spark)
    for name, value in given.items():
        if before.get(name) != value:
            require_allowed(name, value)
    in_force = _InForce(spark, before)
    changed: list[str] = []
    try:
        for name in _not_named(before, given) if whole else ():
            spark.conf.unset(name)
            _keep(spark, name, None)
            changed.append(name)
        for name, value in {**given, **(own or {})}.items():
            if in_force(name) != value:
                _set(spark, name, value)
                changed.append(name)
        yield
    finally:
        for name in reversed(changed):
            _restore(spark, name, before)


def _not_named(before: Mapping[str, str], given: Mapping[str, str]) -> list[str]:
    """The settings that a session was given and a document does not name, but is meant without."""
    return [name for name in before if name not in given and is_meant(name)]


def differing_settings(
    spark: SparkSession, wanted: Mapping[str, str]
) -> dict[str, tuple[str, str | None]]:
    """Returns the settings that the session has otherwise than a document.

    Args:
        spark: the session.
        wanted: the document's settings; the others have Spark's defaults in it.

    Returns:
        What the document and what the session has, by name.
    """
    before, given = session_settings(spark), sparks_own(wanted)
    in_force = _InForce(spark, before)
    found = {name: (value, in_force(name)) for name, value in given.items()}
    found = {name: values for name, values in found.items() if values[0] != values[1]}
    others = {name: ("Spark's default", before[name]) for name in _not_named(before, given)}
    return {**found, **others}


def require_allowed(name: str, value: str) -> None:
    """Refuses a setting that does not affect the meaning of queries, or an invalid value.

    Settings come with stored views, which anybody may have written. Other settings can name
    programs and classes, or say where credentials are sent.

    Raises:
        VerificationError: the setting is refused.
    """
    if is_allowed(name, value):
        return
    if name in ALLOWED_SETTINGS:
        raise VerificationError(
            f"the setting {name} of a view cannot be {value!r}",
            hint=f"it may be {ALLOWED_SETTINGS[name].pattern.replace('|', ', ')}",
        )
    raise VerificationError(
        f"the setting {name} is not taken from a view: it says more than what a query means",
        hint=f"where you want it so, set it in the session: spark.conf.set({name!r}, …)",
    )


def settings_of_text(text: str, wanted: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings under which Spark reads a stored text literally.

    Without them, Spark substitutes ``${…}`` with variables of the process and the session.
    """
    return {**wanted, **({_SUBSTITUTION: "false"} if "${" in text else {})}


def run_as_written(
    spark: SparkSession, text: str, args: Sequence[object] | None = None
) -> DataFrame:
    """Runs a statement made from stored documents and returns its result.

    Names, locations, comments and bodies in it are untrusted, so variable substitution is off:
    ``${env:PASSWORD}`` stays plain text.
    """
    given: Any = {} if args is None else {"args": list(args)}
    if "${" not in text:
        return spark.sql(text, **given)
    with settings(spark, settings_of_text(text, {}), whole=False):
        return spark.sql(text, **given)


def execute_as_written(spark: SparkSession, text: str) -> None:
    """Carries out a statement as ``run_as_written`` does; its rows are not asked for."""
    if "${" not in text and is_classic(spark):
        spark._jsparkSession.sql(text)  # PySpark makes a DataFrame of it, in thirty calls
    else:
        run_as_written(spark, text).collect()


def first_value(spark: SparkSession, text: str) -> str:
    """Returns what a statement gives that answers with one text."""
    if "${" not in text and is_classic(spark):
        # ``first`` would plan a query over the answer, which takes longer than the statement.
        answer = spark._jsparkSession.sql(text).queryExecution().commandExecuted()
        return str(answer.rows().head().getUTF8String(0).toString())
    return str(run_as_written(spark, text).collect()[0][0])


def table_type(spark: SparkSession, path: Sequence[str]) -> str | None:
    """Returns what a session's catalog calls a table or view: VIEW, MANAGED, EXTERNAL …

    Args:
        spark: the session.
        path: the catalog, the database and the name, as the catalog spells them.

    Returns:
        None where there is none of that name.
    """
    own = _own_catalog(spark, path)
    if own is not None:
        found = own.getTable(*path[1:]) if own.tableExists(*path[1:]) else None
        return None if found is None else str(found.tableType().name())
    name = quote_name(path)
    return spark.catalog.getTable(name).tableType if spark.catalog.tableExists(name) else None


def has_database(spark: SparkSession, path: Sequence[str]) -> bool:
    """Returns whether a session's catalog has a database; ``path`` is the catalog and its name."""
    own = _own_catalog(spark, path)
    if own is not None:
        return bool(own.databaseExists(path[1]))
    return spark.catalog.databaseExists(quote_name(path))


def _own_catalog(spark: SparkSession, path: Sequence[str]) -> Any:
    """Returns Spark's own catalog in the JVM, which answers without analyzing a statement.

    None for another catalog, also one that was put in the place of Spark's own.
    """
    if path[0].lower() != _OWN or not is_classic(spark):
        return None
    if session_settings(spark).get(f"spark.sql.catalog.{_OWN}", "builtin") != "builtin":
        return None
    if spark not in _own_catalogs:
        _own_catalogs[spark] = spark._jsparkSession.sharedState().externalCatalog()
    return _own_catalogs[spark]


def analyze_query(spark: SparkSession, text: str) -> DataFrame:
    """Returns a query as a DataFrame; nothing runs."""
    if not is_classic(spark):
        return spark.sql(text)
    frame = frame_of(spark._jsparkSession.sql(text), spark)  # PySpark asks five times
    state_of(spark).keep_query(text, frame)
    return frame


def columns_json(spark: SparkSession, text: str) -> str:
    """Returns the columns of a query, in Spark's JSON; nothing runs."""
    known = state_of(spark).find_query(text)
    if known is not None:
        return known.schema.json()
    if is_classic(spark):
        return str(spark._jsparkSession.sql(text).schema().json())
    return spark.sql(text).schema.json()


def _set(spark: SparkSession, name: str, value: str) -> None:
    try:
        spark.conf.set(name, value)
    except PySparkException as error:
        raise VerificationError(
            f"this session cannot have {name} = {value}: {first_line(error)}",
            hint="the view was made under that setting; use a Spark that knows it",
        ) from error
    _keep(spark, name, value)


def _restore(spark: SparkSession, name: str, before: Mapping[str, str]) -> None:
    if name in before:
        spark.conf.set(name, before[name])
    else:
        spark.conf.unset(name)
    _keep(spark, name, before.get(name))


def _keep(spark: SparkSession, name: str, value: str | None) -> None:
    state = state_of(spark)
    if state.settings is not None:
        rest = {key: each for key, each in state.settings.items() if key != name}
        state.settings = rest if value is None else {**rest, name: value}


class _InForce:
    """The current values of settings.

    Args:
        spark: the session.
        before: all that was set. What is not set may depend on what is, but on nothing else.
    """

    def __init__(self, spark: SparkSession, before: Mapping[str, str]) -> None:
        self._spark, self._before = spark, before
        known = _defaults.setdefault(spark, {})
        given = frozenset(before.items())
        if given not in known and len(known) >= _MOST_KNOWN:
            known.clear()
        self._values = known.setdefault(given, {})

    def __call__(self, name: str) -> str | None:
        """The value of one; None where this Spark does not know it."""
        if name in self._before:
            return self._before[name]
        values = self._values
        if name not in values:
            try:
                values[name] = self._spark.conf.get(name)
            except PySparkException:
                values[name] = None
        return values[name]


def _ask_settings(spark: SparkSession) -> dict[str, str]:
    conf: Any = spark.conf
    if not is_classic(spark):
        return dict(conf.getAll)
    # PySpark asks the JVM for each setting by itself, in five calls. A map of Scala 2.13 shows each
    # as ``name -> value``, and no setting of Spark has an arrow in its name.
    end = uuid4().hex
    shown = conf._jconf.getAll().mkString("", end, end)
    pairs = (each.partition(" -> ") for each in shown.split(end)[:-1])
    return {name: value for name, _, value in pairs}


SPARK_ERRORS = (PySparkException, Py4JError)
"""What Spark raises: the errors of PySpark, and Java's for which it has no class."""


def first_line(error: BaseException) -> str:
    """Returns the message of a Spark error, without plans and Java stack traces."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    if text.startswith("An error occurred while calling") and len(lines) > 1:
        text = lines[1].lstrip(": ")
    text = mask_text(text)
    return text if len(text) <= 600 else text[:600] + "…"


def current_namespace(spark: SparkSession) -> tuple[str, str]:
    """Returns the current catalog and database of a session, the latter as SQL text.

    Spark 4.0 fails on ``SHOW CURRENT NAMESPACE`` while the session caches any DataFrame, so the
    session's catalog is asked instead.
    """
    state = state_of(spark)
    if state.namespace is None:
        state.namespace = spark.catalog.currentCatalog(), spark.catalog.currentDatabase()
    return state.namespace


@contextmanager
def inside(
    spark: SparkSession, path: Sequence[str], run: Callable[[str], object] | None = None
) -> Iterator[None]:
    """Names without a database mean this one.

    Spark looks up the names in the bodies of its SQL functions so, those of stored views alike.

    Args:
        spark: the session.
        path: the catalog, and the database in it.
        run: carries out a statement; by default the session does.
    """
    run = run or spark.sql
    catalog, current = current_namespace(spark)
    if (catalog.lower(), current.lower()) == (path[0].lower(), quote_name(path[1:]).lower()):
        yield
        return
    state = state_of(spark)
    run(f"USE {quote_name(path)}")
    state.namespace = None
    try:
        yield
    finally:
        run(f"USE {quote_name([catalog])}" + (f".{current}" if current else ""))
        state.namespace = catalog, current
