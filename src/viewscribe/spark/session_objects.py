"""What only one session has, so that no stored view may use it: temporary functions and views, and
variables.

The plan of a classic DataFrame says what a name means. Where only a text or a name is known, as
over Connect, the session is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import pyspark
from pyspark.errors import PySparkException

from viewscribe.errors import CaptureError
from viewscribe.operations.reach import Parts
from viewscribe.operations.spark_names import is_system_function
from viewscribe.spark.compare import TEXT_OF_PLANS
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.session import (
    SPARK_ERRORS,
    run_as_written,
    session_settings,
    settings,
    settings_of_text,
)
from viewscribe.types.identifiers import fold_name, quote_name

# Which PySpark is installed, for the few places where its versions differ.


def is_at_least(major: int, minor: int) -> bool:
    """Whether the installed PySpark is that version or a later one."""
    parts = pyspark.__version__.split(".")
    return (int(parts[0]), int(parts[1])) >= (major, minor)


OF_SESSIONS = (
    "it is a variable of this session, which a stored view outlives",
    "write its value: F.lit(…)",
)
"""What is wrong with a variable, and the way out."""

_ORDER = "spark.sql.functionResolution.sessionOrder"
_PATH = "spark.sql.path.enabled"
_GLOBAL = "spark.sql.globalTempDatabase"
_HOMES = ((), ("session",), ("system", "session"))
_PART = re.compile(r"`((?:[^`]|``)*)`")
_VIEW = re.compile(r"View \(((?:`(?:[^`]|``)*`\.?){1,2}), \[")
_VARIABLE = "variablereference("
_WHOLE_PLAN = "onerowrelation"


class SessionObjects:
    """The temporary functions and views, and the variables, of a session.

    Args:
        session: the session, classic or Connect.
    """

    def __init__(self, session: Any) -> None:
        self._session = session

    def has_function(self, parts: Sequence[str]) -> bool:
        """Whether Spark takes a call by this name for one of a temporary function."""
        if tuple(map(fold_name, parts[:-1])) not in _HOMES:
            return False
        home, name = parts[:-1], parts[-1].lower()
        if not home and is_system_function(name) and self._prefers_built_in:
            return False
        if not is_classic(self._session):
            if "." in name:  # as in the list of functions those of catalogs have, under their paths
                return bool(self._session.catalog.functionExists(quote_name([name])))
            return name in self._functions
        java = self._session._jvm.org.apache.spark.sql.catalyst
        known = self._session._jsparkSession.sessionState().catalog()
        if known.isTemporaryFunction(java.FunctionIdentifier(parts[-1])):
            return True
        # Before Spark 4.2 it took the place of Spark's own, and is not told from that.
        found = known.lookupBuiltinOrTempFunction(name) if is_system_function(name) else None
        return found is not None and found.isDefined() and found.get().getSource() != "built-in"

    def identify_function(self, name: str) -> int | None:
        """A number of the temporary function that has a name now; None where there is none.

        Over Connect, one in Python is not known from another.
        """
        if not self.has_function([name]):
            return None
        if not is_classic(self._session):
            told = self._session.catalog.getFunction(quote_name([name]))
            return hash((told.className, told.description))  # of one in SQL, when it was made
        known = self._session._jsparkSession.sessionState().catalog()
        for look in (known.lookupBuiltinOrTempFunction, known.lookupBuiltinOrTempTableFunction):
            found = look(name)
            if found.isDefined():
                return int(self._session._jvm.System.identityHashCode(found.get()))
        return None

    def has_view(self, parts: Sequence[str]) -> bool:
        """Whether Spark takes a name for one of a temporary view."""
        if len(parts) > 1:
            return len(parts) == 2 and fold_name(parts[0]) == self._global_database
        return self._has_view(parts[0])

    @cached_property
    def _global_database(self) -> str:
        """The database of the temporary views of all sessions."""
        return fold_name(str(self._session.conf.get(_GLOBAL, "global_temp")))

    def _has_view(self, name: str) -> bool:
        if is_classic(self._session):
            known = self._session._jsparkSession.sessionState().catalog()
            return bool(known.getRawTempView(name).isDefined())
        try:
            with silence_errors():
                return bool(self._session.catalog.getTable(quote_name([name])).isTemporary)
        except PySparkException as error:
            if error.getCondition() == "TABLE_OR_VIEW_NOT_FOUND":
                return False
            raise

    def refuse_function(self, parts: Sequence[str]) -> None:
        """Raises ``CaptureError`` for the name of a temporary function."""
        if self.has_function(parts):
            raise CaptureError(
                f"`{parts[-1]}` is a temporary function of this session, which a stored view "
                "outlives",
                location="call",
                hint="create it in a catalog: CREATE FUNCTION, or env.create_function(…)",
            )

    def are_read(self, query: str, is_lent: Callable[[str], bool]) -> bool:
        """Whether Spark takes a name in a query for one of a variable or of a temporary view.

        Args:
            query: the query, which is analyzed.
            is_lent: says which views are none of the user's.
        """
        try:
            with silence_errors(), settings(self._session, {}, own=TEXT_OF_PLANS, whole=False):
                plan = _plan_of(run_as_written(self._session, query))
        except SPARK_ERRORS:  # nobody can say
            return True
        paths = [_PART.findall(path) for path in _VIEW.findall(plan)]
        is_users = any(len(path) == 2 or not is_lent(path[-1].replace("``", "`")) for path in paths)
        return is_users or self._find_variable(query) is not None

    def find_variables(self, columns: Iterable[Parts]) -> list[Parts]:
        """Those among the names of columns that are names of variables as well.

        All are asked for at once; the error shows in its plan for which names there is one.
        """
        of_name = {name: each for each in columns for name in _first_names(each)}
        asked = " + ".join(quote_name(("system", "session", name)) for name in of_name)
        try:
            with silence_errors():
                if asked:
                    self._session.sql(f"SELECT {asked}").schema  # noqa: B018
        except SPARK_ERRORS as error:
            told = str(error).lower()
            if _WHOLE_PLAN in told:
                return [each for name, each in of_name.items() if _is_in_plan(name, told)]
        return list(of_name.values())

    def refuse_variables(self, text: str) -> None:
        """Raises ``CaptureError`` where Spark takes a name in a query for a variable."""
        found = self._find_variable(text)
        if found is not None:
            raise CaptureError(
                f"{found} is a variable of this session, which a stored view outlives",
                location="sql",
                hint="write its value, or a parameter: args={…}",
            )

    def _find_variable(self, query: str) -> str | None:
        """What stands for a variable in a query that the session analyzes; None where nothing does.

        A copy of the session has all that it has but these. Its plan would not tell: where Spark
        needs a value at once, as in VALUES, the name is gone.
        """
        whole: Any = self._session
        session = whole._jsparkSession if is_classic(whole) else whole
        try:
            with silence_errors(), settings(whole, settings_of_text(query, {}), whole=False):
                session.cloneSession().sql(query).schema  # noqa: B018
        except PySparkException as error:
            return (error.getMessageParameters() or {}).get("objectName", "a name in the query")
        except AttributeError:  # before Spark 4.1
            return "a name in the query" if _VARIABLE in _plan_of(whole.sql(query)) else None
        return None

    @cached_property
    def _functions(self) -> frozenset[str]:
        """Their names, and the paths of those of the current database."""
        found = self._session.sql("SHOW USER FUNCTIONS").collect()
        return frozenset(str(row[0]).lower() for row in found)

    @cached_property
    def _prefers_built_in(self) -> bool:
        """Whether Spark's own functions go before temporary ones, which versions do differently."""
        settings = session_settings(self._session)
        if settings.get(_PATH, "false").lower() != "false":  # SET PATH says which goes first
            return False
        chosen = settings.get(_ORDER)
        if chosen is None and is_classic(self._session):
            return is_at_least(4, 2)
        try:
            return str(chosen or self._session.conf.get(_ORDER)).lower() != "first"
        except SPARK_ERRORS:  # before Spark 4.2 a temporary function took the place of the other
            return False


def _plan_of(frame: Any) -> str:
    if hasattr(frame, "_jdf"):
        return str(frame._jdf.queryExecution().analyzed())
    return str(frame._explain_string(extended=True))


def _first_names(parts: Parts) -> Iterator[str]:
    """The names in that of a column that may be of a variable, which has a home, and fields."""
    for part in map(str.lower, parts):
        yield part
        if fold_name(part) not in ("system", "session"):
            return


def _is_in_plan(variable: str, plan: str) -> bool:
    names = (variable, quote_name([variable]))
    return any(f"{_VARIABLE}system.session.{name}=" in plan for name in names)
