"""Each query twice: as Spark takes its text, and as it takes what is printed of its tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from tests.queries.corpus import Corpus, Script
from tests.spark.proof.mutants import Court, mutants
from viewscribe import TableEnvironment
from viewscribe.catalog_store.settings import ALLOWED_SETTINGS
from viewscribe.errors import ViewscribeError
from viewscribe.spark.compare import RowComparison, compare_plans
from viewscribe.spark.session import first_line
from viewscribe.spark.types import schema_from_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from viewscribe import Table
    from viewscribe.types import Field

STYLES = ("readable", "nested", "pipe")

BOTH_REFUSE, READ_ONLY_HERE = "refused by both", "read here, refused by Spark"
REFUSED, OTHER_SCHEMA = "refused here", "read with another schema"
EQUAL, DIFFERENT, FAILED = "equal", "different rows", "the printed text fails"
MISJUDGED = "another query is called equal"

_SETTINGS = {
    "spark.sql.session.timeZone": "America/Los_Angeles",
    "spark.sql.timeType.enabled": "true",
}
"""As Spark's own suite has them."""

_QUERY = re.compile(r"\(*\s*(?:SELECT|WITH|VALUES|FROM|TABLE)\b", re.IGNORECASE)
_DATA = re.compile(r"\b(?:INSERT\s+INTO|INSERT\s+OVERWRITE)\b", re.IGNORECASE)
_SETTING = re.compile(r"(?:SET\s+(?!VAR)|RESET\b)", re.IGNORECASE)
_FUNCTION = re.compile(r"(?:CREATE|DROP)\b[\w\s]*\bFUNCTION\b", re.IGNORECASE)
_TEMPORARY = re.compile(
    r"(CREATE\s+(?:OR\s+REPLACE\s+)?)(?:GLOBAL\s+)?TEMP(?:ORARY)?\s+(?=VIEW\b(?!\s+\S+\s+USING))",
    re.IGNORECASE,
)
_MOST_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a query.

    Args:
        verdict: one of the constants of this module.
        script: the file of the query.
        text: the query.
        reason: what differs, or why it is refused.
    """

    verdict: str
    script: str
    text: str
    reason: str = ""


class World:
    """A Spark session and an environment that know the same tables and functions.

    Args:
        spark: the session, which nobody else uses.
        settings: those of the script.
    """

    def __init__(self, spark: SparkSession, settings: dict[str, str]) -> None:
        self._spark = spark
        self._settings: dict[str, str] = {}
        self._functions: list[str] = []
        self._current = "default"
        self._defaults = {name: spark.conf.get(name, None) for name in ALLOWED_SETTINGS}
        self._known: dict[tuple[str, str], tuple[Field, ...]] = {}
        for name, value in {**_SETTINGS, **settings}.items():
            self._set(name, value)
        self.env = self._environment()

    def execute(self, statement: str) -> None:
        """Runs a statement that is no query, in Spark and, where it makes a function, here.

        Temporary views are made as permanent ones: what is printed calls tables by their full
        names, which temporary views have none of.
        """
        statement = _TEMPORARY.sub(r"\1", statement, count=1)
        with suppress(PySparkException, Py4JError):
            self._spark.sql(statement)
            self._follow(statement)

    def outcome(self, script: str, text: str) -> Outcome:
        """Reads a query, prints it in each style, and compares."""
        theirs, told = self._analyzed(text)
        try:
            table = self.env.sql_query(text)
        except ViewscribeError as error:
            if theirs is None:
                return Outcome(BOTH_REFUSE, script, text)
            return Outcome(REFUSED, script, text, str(error).split("\n")[0])
        if theirs is None:
            return Outcome(READ_ONLY_HERE, script, text, told)
        found = Outcome(*self._compared(table, theirs, script, text))
        return self._judged(found) if found.verdict == EQUAL else found

    def _judged(self, found: Outcome) -> Outcome:
        """The same, unless a judge calls the query equal with one place changed that tells."""
        court, random = Court(self._spark, self.env), Random(found.text)
        pairs = [*mutants(found.text, random, court.values)]
        for pair in random.sample(pairs, min(1, len(pairs))):
            judges = court.equal_to(pair)
            if judges and court.is_steady(pair) and court.differ(pair):
                return replace(found, verdict=MISJUDGED, reason=f"{judges}: {pair.other}")
        return found

    def _compared(
        self, table: Table, theirs: DataFrame, script: str, text: str
    ) -> tuple[str, str, str, str]:
        wanted, found = schema_from_spark(theirs.schema), table.schema.fields
        if tuple(wanted) != tuple(found):
            pairs = zip(wanted, found, strict=False)
            one = next((f"{one} / {other}" for one, other in pairs if one != other), "their number")
            return OTHER_SCHEMA, script, text, one
        for style in STYLES:
            try:
                ours, told = self._analyzed(table.to_sql(style=style))
            except ViewscribeError as error:
                return FAILED, script, text, f"{style}: {first_line(error)}"
            if ours is None:
                return FAILED, script, text, f"{style}: {told}"
            if compare_plans(ours, theirs).status != "equal":
                rows = RowComparison(ours, theirs, in_memory=_MOST_ROWS).compare()[0].check
                if rows.status != "equal":
                    verdict = DIFFERENT if rows.status == "different" else "not compared"
                    return verdict, script, text, f"{style}: {rows.detail}"
        return EQUAL, script, text, ""

    def _analyzed(self, text: str) -> tuple[DataFrame | None, str]:
        try:
            return self._spark.sql(text), ""
        except (PySparkException, Py4JError) as error:
            return None, first_line(error)

    # -- what a script does before it asks -------------------------------------------------------

    def _follow(self, statement: str) -> None:
        if _SETTING.match(statement):
            for name in ALLOWED_SETTINGS:
                value = self._spark.conf.get(name, None)
                if value is not None and value != self._defaults[name]:
                    self._settings[name] = value
                else:
                    self._settings.pop(name, None)
            self.env = self._environment()
        elif _FUNCTION.match(statement):
            self._functions.append(statement)
            self._define_function(self.env, statement)
        elif not _DATA.search(statement):
            self.find_tables()

    def _set(self, name: str, value: str) -> None:
        with suppress(PySparkException, Py4JError):
            self._spark.conf.set(name, value)
        if name in ALLOWED_SETTINGS:
            self._settings[name] = value

    def _environment(self) -> TableEnvironment:
        env = TableEnvironment(settings=self._settings)
        for (database, name), schema in self._known.items():
            self._define_table(env, database, name, schema)
        if self._current != "default":
            with suppress(ViewscribeError):
                env.create_database(self._current)
            env.use_database(self._current)
        for statement in self._functions:
            self._define_function(env, statement)
        return env

    def find_tables(self) -> None:
        """Looks up all tables and views of the session, as a statement may have changed them."""
        current = self._spark.catalog.currentDatabase()
        found = {}
        for (database,) in self._spark.sql("SHOW DATABASES").collect():
            for _, name, temporary in self._spark.sql(f"SHOW TABLES IN `{database}`").collect():
                path = f"`{name}`" if temporary else f"`{database}`.`{name}`"
                frame, _ = self._analyzed(f"TABLE {path}")
                if frame is not None:
                    place = current if temporary else database
                    found[place, name] = schema_from_spark(frame.schema)
        if (found, current) != (self._known, self._current):
            self._known, self._current = found, current
            self.env = self._environment()

    @staticmethod
    def _define_table(
        env: TableEnvironment, database: str, name: str, schema: tuple[Field, ...]
    ) -> None:
        if database != "default":
            with suppress(ViewscribeError):
                env.create_database(database)
        with suppress(ViewscribeError):
            env.create_table(f"`{database}`.`{name}`", schema)

    @staticmethod
    def _define_function(env: TableEnvironment, statement: str) -> None:
        with suppress(ViewscribeError):
            env.execute_sql(statement)


# -- corpora -------------------------------------------------------------------------------------


def try_benchmark(spark: SparkSession, corpus: Corpus, name: str) -> Iterator[Outcome]:
    """The outcomes of the queries of a benchmark, over empty tables."""
    tables, queries = corpus.benchmark(name)
    session = spark.newSession()
    for table, columns in tables.items():
        session.sql(f"CREATE TABLE `{table}` ({columns}) USING parquet")
    world = World(session, {})
    world.find_tables()
    for query in queries:
        yield world.outcome(f"{name} {query.name}", query.statements[0])
    drop_everything(spark)


def try_scripts(
    spark: SparkSession, corpus: Corpus, scripts: Sequence[Script], scratch: Path
) -> Iterator[Outcome]:
    """The outcomes of the queries of ``sql-tests``, each script in a session of its own."""
    for script in scripts:
        session = spark.newSession()
        _create_test_tables(session, corpus, scratch)
        world = World(session, script.settings)
        world.find_tables()
        for statement in script.statements:
            if _QUERY.match(statement) and not _DATA.search(statement):
                yield world.outcome(script.name, statement)
            else:
                world.execute(statement)
        drop_everything(spark)


def drop_everything(spark: SparkSession) -> None:
    """Drops every database and table of the catalog, which all sessions share.

    Args:
        spark: a session in which no script has changed a setting: some change the grammar.
    """
    spark.sql("USE default")
    for (database,) in spark.sql("SHOW DATABASES").collect():
        if database != "default":
            spark.sql(f"DROP DATABASE `{database}` CASCADE")
    for _, name, temporary in spark.sql("SHOW TABLES").collect():
        if not temporary:
            view = (name,) in [(row[1],) for row in spark.sql("SHOW VIEWS").collect()]
            spark.sql(f"DROP {'VIEW' if view else 'TABLE'} IF EXISTS `{name}`")
    for (name,) in spark.sql("SHOW USER FUNCTIONS").collect():
        with suppress(PySparkException):
            spark.sql(f"DROP FUNCTION IF EXISTS {name}")


_TENK = ", ".join(
    f"{name} INT"
    for name in (
        *("unique1", "unique2", "two", "four", "ten", "twenty", "hundred", "thousand"),
        *("twothousand", "fivethous", "tenthous", "odd", "even"),
    )
)
_OF_ROWS = {
    "agg": ("aggtest", "a INT, b FLOAT"),
    "onek": ("onek", f"{_TENK}, stringu1 STRING, stringu2 STRING, string4 STRING"),
    "tenk": ("tenk1", f"{_TENK}, stringu1 STRING, stringu2 STRING, string4 STRING"),
}
_VALUES = {
    "testdata": "SELECT CAST(id + 1 AS INT) AS key, string(id + 1) AS value FROM range(100)",
    "arraydata": "SELECT * FROM VALUES (array(1, 2, 3), array(array(1, 2, 3))), "
    "(array(2, 3, 4), array(array(2, 3, 4))) AS t(arraycol, nestedarraycol)",
    "mapdata": "SELECT map(1, 'a1', 2, 'b1', 3, 'c1', 4, 'd1', 5, 'e1') AS mapcol UNION ALL "
    "SELECT map(1, 'a2', 2, 'b2', 3, 'c2', 4, 'd2') UNION ALL SELECT map(1, 'a3', 2, 'b3')",
}


def _create_test_tables(spark: SparkSession, corpus: Corpus, scratch: Path) -> None:
    """The tables that Spark's ``SQLQueryTestSuite`` makes before it runs a script."""
    for file, (name, schema) in _OF_ROWS.items():
        path = scratch / "test-data" / "postgresql" / f"{file}.data"
        if not path.exists():
            corpus.rows(file, scratch)
        spark.sql(f"CREATE TABLE {name} ({schema}) USING csv OPTIONS (path '{path}', sep '\t')")
    for name, query in _VALUES.items():
        spark.sql(f"CREATE TABLE {name} USING parquet AS {query}")
