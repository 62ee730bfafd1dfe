"""Under every setting that a view may have, a text is read as Spark reads it, or refused."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException

from tests.parser.tables import TABLES
from viewscribe import TableEnvironment
from viewscribe.catalog_store.settings import ALLOWED_SETTINGS, DEFAULT_SETTINGS
from viewscribe.errors import NotSerializableError, ViewscribeError
from viewscribe.parser.settings import READ, READING, refuse_settings
from viewscribe.serializer.targets import PRINTED_FOR, as_printed
from viewscribe.spark.compare import compare_plans
from viewscribe.spark.session import settings as settings_of
from viewscribe.spark.types import schema_to_spark
from viewscribe.types.policy import (
    GROUPING_ID_SETTING,
    NOT_FOLLOWED,
    PRECISION_SETTING,
    SETTING,
    TIMESTAMP_SETTING,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType

QUERIES = [
    # What an item of a SELECT is named and typed, all in one analysis.
    """
    SELECT size(arr), size(m), element_at(arr, 1), elt(1, 'a', 'b'), arr[0], m['k'], st.f,
        array(), map(), array(array()), CAST(arr AS STRING), CAST(st AS STRING),
        exists(arr, x -> x > 1), array_sort(arr), array_insert(arr, -1, 1), sequence(1, 3)
    FROM n
    """,
    """
    SELECT lpad(s, 5), rpad(CAST(s AS BINARY), 5), grouping_id(), sum(a), avg(a), stddev(a),
        sum(CAST(a AS DECIMAL(38, 10))), histogram_numeric(a, 2), mode(a), count(*),
        percentile_disc(0.5) WITHIN GROUP (ORDER BY a), first(s, true)
    FROM t GROUP BY s, ROLLUP(a)
    """,
    """
    SELECT a IN (SELECT k FROM u), CAST('x' AS CHAR(3)), CAST(s AS VARCHAR(3)) || 'a', 7 % a,
        CAST(s AS INT), a / 2, 1e3, 1.5e2, 1.23, CAST(s AS DATE), date_add(d, 1), d - d,
        coalesce(a, 'x'), greatest(a, 1.5), CAST(1 AS DECIMAL(38, 18)) * CAST(1 AS DECIMAL(38, 18)),
        CAST(s AS TIMESTAMP), to_timestamp(s), unix_timestamp(s), from_json(s, 'a INT'),
        try_add(a, 1), 'a' 'b', s LIKE 'a', INTERVAL 1 DAY, d + INTERVAL 1 MONTH,
        split(s, 'a', -1), concat(s, CAST(s AS BINARY)), s || a, hash(a), a BETWEEN 1 AND 2,
        a = s, round(x, 1), -a, s COLLATE UNICODE_CI, date_trunc('DAY', d), trunc(d, 'MM'),
        timestampdiff(DAY, d, d), INTERVAL '-1 day -2 hours', current_date, upper(s),
        row_number() OVER (ORDER BY a), (SELECT max(k) FROM u), INTERVAL -'1' DAY,
        decode(CAST(s AS BINARY), 'utf-8'), encode(s, 'utf-8'), chr(a), parse_json(s), 1e3BD,
        10E2BD * 2, CAST(a AS DECIMAL(3, 1)) / 100BD
    FROM t
    """,
    "SELECT a AS v, v + 1 FROM t",
    "SELECT a FROM t UNION SELECT s FROM t",
    "SELECT `a`, T.B FROM t ORDER BY 1",
    "WITH q AS (SELECT 1 AS x) SELECT * FROM (WITH q AS (SELECT '2' AS x) SELECT * FROM q)",
]

SHAPES = [
    "SELECT count(*) FROM t, u RIGHT JOIN c ON w = plain",
    "SELECT t.a FROM t, u LEFT JOIN c ON w = plain, n",
    "SELECT user, current_date FROM (SELECT s AS user, a AS current_date FROM t) AS o",
    "SELECT a FROM t WHERE ! (a > 1) AND NOT a IN (1, 2)",
    "SELECT a FROM t UNION ALL SELECT k FROM u INTERSECT SELECT 1",
    "WITH q AS (SELECT a, a AS a FROM t) SELECT * FROM q",
    "SELECT count(t.a), count(t.*) FROM t",
    'SELECT s <> "a", count(*) FROM t GROUP BY "s", s',
    "SELECT a FROM t WHERE d > '2020' OR at = '2020-01-01' OR a = '1' OR EXISTS (SELECT 1 FROM u)",
    "SELECT a FROM t WHERE a = (SELECT max(k) FROM u WHERE u.a = t.a) AND s IN (SELECT w FROM u)",
]
"""Queries of which names and types do not tell how they were read; plans do."""

_NOT_OF_TEXTS = """
binaryOutputStyle charAsVarchar collation.allowInMapKeys jsonGenerator.ignoreNullFields
jsonGenerator.writeNullIfWithDefaultValue legacy.allowHashOnMapType
legacy.allowNullComparisonResultInArraySort legacy.allowParameterlessCount
legacy.allowStarWithSingleTableIdentifierInCount legacy.allowZeroIndexInFormatString
legacy.bangEqualsNot legacy.castComplexTypesToString.enabled legacy.charVarcharAsString
legacy.codingErrorAction legacy.collationAwareHashFunctions
legacy.csv.enableDateTimeParsingFallback legacy.cteDuplicateAttributeNames
legacy.disableMapKeyNormalization legacy.doLooseUpcast legacy.followThreeValuedLogicInArrayExists
legacy.groupingIdWithAppendedUserGroupBy legacy.inSubqueryNullability legacy.javaCharsets
legacy.json.allowEmptyString.enabled legacy.json.enableDateTimeParsingFallback
legacy.negativeIndexInArrayInsert legacy.noCharPaddingInPredicate legacy.nullInEmptyListBehavior
legacy.percentileDiscCalculation legacy.scalarSubqueryAllowGroupByNonEqualityCorrelatedPredicate
legacy.scalarSubqueryCountBugBehavior legacy.sizeOfNull legacy.statisticalAggregate
legacy.timeParserPolicy legacy.truncateForEmptyRegexSplit
legacy.typeCoercion.datetimeToString.enabled mapKeyDedupPolicy pivotMaxValues readSideCharPadding
storeAssignmentPolicy variable.substitute variant.allowDuplicateKeys
"""
NOT_OF_TEXTS = frozenset(f"spark.sql.{name}" for name in _NOT_OF_TEXTS.split())
"""The settings that say what a query gives or whether it is accepted, however its text is read."""

_OTHERS = ("Asia/Tokyo", "first", "last")
SETTINGS = [
    (name, value)
    for name, values in ALLOWED_SETTINGS.items()
    for value in (*("true", "false", "TIMESTAMP_NTZ", "LEGACY", "LAST_WIN", "HEX"), *_OTHERS)
    if values.fullmatch(value) and DEFAULT_SETTINGS.get(name) != value
    if ("timeZone" in name) == ("/" in value)
]


def _shown(schema: StructType) -> list[str]:
    return [
        f"{field.name}: {field.dataType.simpleString()} {'' if field.nullable else 'NOT NULL'}"
        for field in schema.fields
    ]


FOLLOWED = {
    "spark.sql.orderByOrdinal": ["SELECT a, b FROM t ORDER BY 2, a", "SELECT a FROM t ORDER BY 7"],
    "spark.sql.groupByOrdinal": [
        "SELECT b, count(*) FROM t GROUP BY 1",
        "SELECT 1, count(*) FROM t GROUP BY 1",
        "SELECT count(*) FROM t GROUP BY a, 1 ORDER BY 1",
        "SELECT count(*) FROM t GROUP BY ROLLUP(a, 1)",
        "FROM t |> AGGREGATE count(*) GROUP BY 1",
    ],
    "spark.sql.groupByAliases": [
        "SELECT a + 1 AS z, count(*) FROM t GROUP BY z",
        "SELECT a + 1 AS b, count(*) FROM t GROUP BY b",
        "SELECT a + 1 AS z, count(*) FROM t GROUP BY a + 1 HAVING z > 1 ORDER BY z",
        "SELECT a + 1 AS z, count(*) FROM t GROUP BY ALL",
    ],
    "spark.sql.legacy.ctePrecedencePolicy": [
        "WITH q AS (SELECT 1 AS x) SELECT * FROM (WITH r AS (SELECT 2 AS y) SELECT * FROM q, r)",
        "WITH t AS (SELECT 1 AS x) SELECT (SELECT max(x) FROM t), (SELECT max(a) FROM u)",
        "WITH t AS (SELECT 1 AS x) SELECT (WITH r AS (SELECT * FROM t) SELECT max(x) FROM r)",
        "WITH q AS (SELECT 1 AS x), r AS (WITH s AS (SELECT * FROM q) SELECT * FROM s) "
        "SELECT * FROM r",
    ],
}
"""Settings under which a text is read in another way."""


OTHERWISE_PLANNED = {
    "SELECT 1, count(*) FROM t GROUP BY 1",
    "SELECT count(*) FROM t GROUP BY a, 1 ORDER BY 1",
    "SELECT count(*) FROM t GROUP BY ROLLUP(a, 1)",
    "FROM t |> AGGREGATE count(*) GROUP BY 1",
}
"""Names and types are compared only."""


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> Iterator[SparkSession]:
    for name, ddl in _nullable().items():
        spark.createDataFrame([], ddl).createOrReplaceTempView(name)
    yield spark
    for name in TABLES:
        spark.catalog.dropTempView(name)


def _nullable() -> dict[str, str]:
    return {name: ddl.replace(" NOT NULL", "") for name, ddl in TABLES.items()}


@pytest.mark.slow("every setting, seven queries each: some 500 analyses")
def test_every_setting(tables: SparkSession) -> None:
    other = []
    for name, value in SETTINGS:
        try:
            refuse_settings({name: value}, "".join(QUERIES))
        except NotSerializableError:
            continue
        other += [f"{name} = {value}: {what}" for what in _differences(tables, name, value)]
    assert not other, "\n".join(other)


@pytest.mark.slow("every setting, ten queries each, analyzed twice")
@pytest.mark.parametrize("ansi", ["true", "false"])
def test_every_shape_under_every_setting(tables: SparkSession, ansi: str) -> None:
    """Read under a setting and printed, a query is what Spark makes of it under the setting.

    Some matter with ANSI mode only.
    """
    other = []
    for name, value in SETTINGS:
        meant = {SETTING: ansi, name: value}
        env = TableEnvironment(settings=meant)
        for table, ddl in _nullable().items():
            env.create_table(table, ddl)
        for query in SHAPES:
            try:
                read = env.sql_query(query)
            except ViewscribeError:
                continue
            text = read.to_sql().replace("spark_catalog.default.", "")
            with settings_of(tables, meant):
                theirs = tables.sql(query)
            with settings_of(tables, as_printed(read.operation, meant)):
                status = compare_plans(tables.sql(text), theirs).status
            if status != "equal":
                other.append(f"{name} = {value}: {query} is read as {text}")
    assert not other, "\n".join(other)


@pytest.mark.parametrize("name", PRINTED_FOR)
def test_no_setting_of_the_session_changes_what_is_printed(tables: SparkSession, name: str) -> None:
    """A view is stored with the value that its text is printed for, whatever the session has."""
    env = TableEnvironment()
    for table, ddl in _nullable().items():
        env.create_table(table, ddl)
    for query in SHAPES:
        if ".*" in query:
            continue
        read = env.sql_query(query)
        text = read.to_sql().replace("spark_catalog.default.", "")
        theirs = tables.sql(query)
        for other in ("true", "false", "first", "last", "LEGACY"):
            if not ALLOWED_SETTINGS[name].fullmatch(other):
                continue
            with settings_of(tables, as_printed(read.operation, {name: other})):
                assert compare_plans(tables.sql(text), theirs).status == "equal", text


def test_every_setting_is_followed_or_refused_or_of_no_text() -> None:
    of_types = {SETTING, TIMESTAMP_SETTING, GROUPING_ID_SETTING, PRECISION_SETTING}
    kinds = [{*READ}, {*READING}, of_types, NOT_FOLLOWED, NOT_OF_TEXTS]
    assert set().union(*kinds) == {*ALLOWED_SETTINGS}
    assert not NOT_OF_TEXTS & set().union(*kinds[:-1])


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_a_setting_changes(tables: SparkSession, name: str) -> None:
    values = ("LEGACY", "EXCEPTION") if name.endswith("Policy") else ("false", "true")
    for value, query in product(values, FOLLOWED[name]):
        env = TableEnvironment(settings={name: value})
        for table, ddl in _nullable().items():
            env.create_table(table, ddl)
        with settings_of(tables, {name: value}):
            try:
                theirs = tables.sql(query)
            except AnalysisException:
                theirs = None
        try:
            ours = env.sql_query(query)
        except NotSerializableError:
            assert value == "LEGACY", query
            continue
        except ViewscribeError:
            assert theirs is None, query
            continue
        assert theirs is not None, query
        printed = tables.sql(ours.to_sql().replace("spark_catalog.default.", ""))
        assert _shown(schema_to_spark(ours.schema)) == _shown(theirs.schema)
        if query not in OTHERWISE_PLANNED:
            assert compare_plans(printed, theirs).status == "equal", (query, ours.to_sql())


def _differences(spark: SparkSession, name: str, value: str) -> Iterator[str]:
    before = spark.conf.get(name, None)
    spark.conf.set(name, value)
    try:
        env = TableEnvironment(settings={name: value})
        for table, ddl in _nullable().items():
            env.create_table(table, ddl)
        for query in QUERIES:
            try:
                ours = _shown(schema_to_spark(env.sql_query(query).schema))
            except NotSerializableError as error:
                assert name in str(error)  # noqa: PT017
                continue
            theirs = _shown(spark.sql(query).schema)
            assert len(ours) == len(theirs)
            for one, two in zip(ours, theirs, strict=True):
                if one != two:
                    yield f"{one}, and Spark's is {two}"
    finally:
        if before is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, before)
