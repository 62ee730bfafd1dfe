"""What is typed here is typed so by Spark: of the tree, the texts and the frame made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from tests.spark.capture.ways import columns, multiset
from viewscribe.errors import ViewscribeError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CALLS = """
'x' LIKE ANY ('a', 'b') | 'x' NOT LIKE ANY ('a') | 'x' LIKE ALL ('a', name) | name LIKE ANY ('a')
'x' ILIKE ANY ('a', 'X') | 'x' LIKE ANY ('a', upper('b')) | 'ab' NOT LIKE ALL ('a%', 'b%')
CASE WHEN true THEN 1 ELSE salary END | CASE WHEN true THEN 1 END | CASE WHEN false THEN 1 END
CASE WHEN salary = 1 THEN 1 WHEN true THEN 2 END | if(true, 1, salary) | if(false, salary, 1)
CASE WHEN salary = 1 THEN 1 WHEN true THEN 2 ELSE salary END | if(NULL, 1, salary)
CASE WHEN true THEN salary ELSE 1 END | CASE WHEN true THEN 1 WHEN salary = 1 THEN salary END
lpad(CAST(name AS BINARY), 3) | rpad(X'00', 3, CAST(name AS BINARY)) | lpad(X'00', 3, X'01')
lpad(CAST(name AS BINARY), 3, 'a') | rpad(name, 3, X'61') | to_timestamp_ltz(CAST(3 AS BIGINT))
"""

QUERIES = {
    "grouping of an expression in ROLLUP": "SELECT salary + 1 AS g, grouping(salary + 1) AS h "
    "FROM world.people GROUP BY ROLLUP(salary + 1)",
    "grouping of an expression in CUBE": "SELECT grouping(upper(dept)) AS h, "
    "grouping_id(upper(dept), salary) AS i, count(*) AS n FROM world.people "
    "GROUP BY CUBE(upper(dept), salary)",
    "groups by a query": "SELECT count(*) AS n FROM world.people AS p "
    "GROUP BY EXISTS (SELECT 1 FROM world.depts AS d WHERE d.dept = p.dept)",
    "groups by two queries": "SELECT count(*) AS n FROM world.people AS p "
    "GROUP BY EXISTS (SELECT 1 FROM world.depts AS d WHERE d.dept = p.dept), "
    "EXISTS (SELECT 1 FROM world.sales AS s WHERE s.dept = p.dept)",
    "casts by functions": "SELECT upper(date(CAST(born AS TIMESTAMP))) AS a, "
    "int(score) + score AS b, "
    "coalesce(int(score), score) AS c, sqrt(tinyint(score)) AS d, "
    "length(string(date(born))) AS e, "
    "if(salary > 1, float(score), score) AS f, score + decimal(score) AS g, "
    "score = int(score) AS h, array(int(score), score) AS i, concat(bigint(score), name) AS j, "
    "double(salary) + score AS k, "
    "CASE WHEN salary > 1 THEN int(score) ELSE score END AS l, score IN (int(score), 3) AS m "
    "FROM (SELECT name, salary, born, if(isnan(score), 2.7D, score) AS score FROM world.people)",
    "text that is read as BOOLEAN": "SELECT boolean(name) OR boolean(dept) AS a, "
    "name AND (dept AND (name AND salary > 1)) AS b, dept OR (dept OR salary < 1) AS c "
    "FROM world.people WHERE false",
    "HAVING of no groups": "SELECT 1 AS a FROM range(10) HAVING true",
    "a lateral over a lateral": "SELECT * FROM range(2) t, LATERAL (SELECT * FROM "
    "(SELECT t.id AS i), LATERAL (SELECT i + 1 AS j))",
}


def calls(spark: Any) -> Any:
    listed = [each.strip() for each in CALLS.replace("\n", "|").split("|") if each.strip()]
    return spark.table("world.people").selectExpr(
        *[f"{each} AS x{place}" for place, each in enumerate(listed)]
    )


def no_values(spark: Any) -> Any:
    return spark.table("world.people").where("false").groupBy("dept").pivot("name").sum("salary")


PIPELINES = {
    "calls": calls,
    "a pivot over no values": no_values,
    **{
        name: (lambda spark, query=query: spark.sql(query))  # type: ignore[misc]
        for name, query in QUERIES.items()
    },
}


@pytest.mark.parametrize("name", PIPELINES)
def test_types_and_rows_in_every_form(name: str, spark: SparkSession, world: vs.TableEnvironment):
    frame = PIPELINES[name](spark)
    tables = [vs.capture(frame)]
    if name == "calls":
        tables.append(vs.record(calls, spark))
    for table in tables:
        assert [(each.name, each.type) for each in table.schema.fields] == columns(frame)
        made = [spark.sql(table.to_sql(style)) for style in ("readable", "pipe", "nested")]
        for each in (*made, table.to_dataframe(spark)):
            assert columns(each) == columns(frame)
            assert multiset(each) == multiset(frame)


@pytest.mark.parametrize("name", ["to_timestamp", "try_to_timestamp", "to_timestamp_ltz"])
@pytest.mark.parametrize("format_", ["3", "'yyyy'"])
def test_a_number_has_no_format(
    name: str, format_: str, spark: SparkSession, world: vs.TableEnvironment
):
    call = f"{name}(CAST(salary AS BIGINT), {format_}) AS x"
    with pytest.raises(Exception, match=r"An error occurred|INTERNAL_ERROR|MatchError"):
        spark.table("world.people").selectExpr(call).collect()
    with pytest.raises(ViewscribeError, match="a number has no format"):
        vs.record(lambda session: session.table("world.people").selectExpr(call), spark)
