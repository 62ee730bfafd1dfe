"""The registry has every function of the running Spark, and docs/functions.md lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.functions_page import PAGE, functions_page
from viewscribe import functions as F
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import all_built_ins

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NOT_HERE = {
    "cast": "a form of its own: call('cast', x, 'INT') and col('x').cast('INT')",
    "timestamp_nanos": "its type TIMESTAMP_LTZ(9) has no counterpart in PySpark 4.3",
    "unix_nanos": "its argument TIMESTAMP_LTZ(9) has no counterpart in PySpark 4.3",
}
"""Functions of Spark that the registry leaves out, and why."""

NOT_LISTED = {
    "get_field": "the dot of `struct.field`",
    "get_item": "the subscript of `array[0]`",
    "is_true": "IS TRUE",
    "is_not_true": "IS NOT TRUE",
    "is_false": "IS FALSE",
    "is_not_false": "IS NOT FALSE",
    "is_unknown": "IS UNKNOWN",
    "is_not_unknown": "IS NOT UNKNOWN",
    **{
        f"{negation}{word}_{which}": f"{negation}{word} {which}".upper().replace("_", " ")
        for negation in ("", "not_")
        for word in ("like", "ilike")
        for which in ("any", "all")
    },
    "is_distinct_from": "IS DISTINCT FROM",
    "timestampadd": "TIMESTAMPADD(unit, …)",
    "timestampdiff": "TIMESTAMPDIFF(unit, …)",
}
"""What the registry has and SHOW FUNCTIONS does not: forms of the grammar, and why."""

NOT_OURS = {
    **dict.fromkeys(("years", "months", "days", "hours", "bucket"), "partition transforms"),
    **dict.fromkeys(("udf", "udtf", "pandas_udf", "arrow_udf", "arrow_udtf"), "make functions"),
    **dict.fromkeys(("expr", "call_udf", "unwrap_udt", "broadcast"), "no function of SQL"),
    **dict.fromkeys(("timestamp_nanos", "unix_nanos"), "PySpark 4.3 has no TIMESTAMP_LTZ(9)"),
    "product": "no function of SQL: an aggregate that only the DataFrame API has",
}
"""Functions of ``pyspark.sql.functions`` that have no place in SQL text, and why."""


def test_the_page_is_current(request: pytest.FixtureRequest) -> None:
    page = functions_page()
    if request.config.option.update_snapshots:
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page, "make snapshots rewrites the page"


def test_every_function_of_spark_is_known_and_no_other(spark: SparkSession) -> None:
    theirs = {row[0] for row in spark.sql("SHOW SYSTEM FUNCTIONS").collect()}
    ours = set(all_built_ins())
    assert theirs - ours == NOT_HERE.keys()
    extra = {
        name
        for name, each in all_built_ins().items()
        if each.kind is not FunctionKind.DECLARATIVE
        and not ({name, each.name, each.sql_name, *each.aliases} & theirs)
    }
    assert extra == NOT_LISTED.keys()


def test_the_module_has_every_function_of_pyspark() -> None:
    import inspect

    from pyspark.sql import functions as theirs

    known = {
        name
        for name in theirs.__all__
        if inspect.isfunction(getattr(theirs, name)) and name not in NOT_OURS
    }
    assert known - {name for name in known if hasattr(F, name)} == set()
