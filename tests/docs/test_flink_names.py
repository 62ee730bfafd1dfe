"""``docs/flink-names.md`` is current, and its SQL is Spark's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.docs.flink_names import entries, page, sql_of
from tests.docs.pages import ROOT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = ROOT / "docs" / "flink-names.md"


def test_the_page_is_current(pytestconfig: pytest.Config) -> None:
    if pytestconfig.option.update_snapshots:
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_method_is_named_once() -> None:
    methods = [method for _, method, _, _ in entries()]
    assert len(methods) == len(set(methods))
    assert len(methods) > 170
    assert all(example or note for _, _, example, note in entries())


def test_spark_reads_the_sql(spark: SparkSession) -> None:
    parser: Any = spark._jsparkSession.sessionState().sqlParser()
    for _, method, example, _ in entries():
        if example and method in ("asc", "desc"):
            continue
        if example:
            parser.parsePlan(f"SELECT {sql_of(example)}")


# Flink's documentation says what these give; Spark's function of another name would not.
VALUES = [
    ("lit([10, 20]).at(1)", 10),
    ("lit([10, 20]).at(3)", None),
    ('lit({"a": 1}).at("a")', 1),
    ('lit({"a": 1}).at("b")', None),
    ('lit("a.b.").split_index(".", 1)', "b"),
    ('lit("a.b.").split_index(".", 2)', ""),
    ('lit("a.b.").split_index(".", 3)', None),
    ('lit("a||b").split_index("||", 1)', "b"),
    ('lit("a").split_index(".", -1)', None),
    ("lit([1, 2, 3]).array_slice(2, 3)", [2, 3]),
    ("lit([1, 2, 3]).array_slice(2)", [2, 3]),
    ("lit([1, 2, 3]).array_slice(3, 2)", []),
    ("lit([1, 2, 3]).array_slice(2, 9)", [2, 3]),
    ("lit([7]).element()", 7),
    ('lit([None], "ARRAY<INT>").element()', None),
    ('lit([], "ARRAY<INT>").element()', None),
    ('lit("hello").to_base64().from_base64()', "hello"),
    ('lit("abc").similar("a%")', True),
    ('lit("abc").similar("b")', False),
    ('lit("abc").similar("(x|a)_c")', True),
    ('lit("a.c").similar("a.c")', True),
    ('lit("abc").similar("a.c")', False),
    ('lit("ab\\nc").similar("a%c")', True),
    ('lit("a5").similar("[a-c][0-9]+")', True),
    ('lit("a\\\\").similar("a\\\\")', True),
    ('lit(None, "STRING").similar("a")', None),
    ("lit(8.0).log(2)", 3.0),
    ("lit(1.0).log()", 0.0),
    ('lit("abc").sha256() == lit("abc").sha2(256)', True),
    ('lit("a").position("cba")', 3),
    ('lit("a").locate("aba", 2)', 3),
    ('lit("abc").instr("c")', 3),
    ('lit("abcdef").overlay("x", 2, 3)', "axef"),
    ('lit("xxaxx").btrim("x")', "a"),
    ('lit("2024-05-06").cast("DATE").extract("MONTH")', 5),
    ('lit("2024-05-06 07:08").cast("TIMESTAMP").floor("DAY").hour()', 0),
    ('lit("2024-05-06 07:08").cast("TIMESTAMP").ceil("HOUR").hour()', 8),
    ("lit([None, 2, 1]).sort_array()", [None, 1, 2]),
    ("lit([2, 3]).array_position(3)", 2),
    ("lit([2]).array_concat([3])", [2, 3]),
    ("lit([2, 3]).array_reverse()", [3, 2]),
    ("lit(True).then(1, 2)", 1),
    ('lit("%s-%d").printf("a", 1)', "a-1"),
    ('lit("xax").trim_leading("x")', "ax"),
    ('lit("xax").trim_trailing("x")', "xa"),
]


def test_values(spark: SparkSession) -> None:
    items = ", ".join(f"{sql_of(example)} AS c{place}" for place, (example, _) in enumerate(VALUES))
    row = spark.sql(f"SELECT {items}").collect()[0]
    wrong = [
        f"{example}: {found!r}, not {expected!r}"
        for found, (example, expected) in zip(row, VALUES, strict=True)
        if found != expected
    ]
    assert not wrong, "\n".join(wrong)


REPLACED = [
    ("[$1]", "a[1]b"),
    ("[$0]", "a[12]b"),
    ("[${n}]", "a[2]b"),
    ("[\\$1]", "a[$1]b"),
    ("[\\1]", "a[1]b"),
    ("[\\n]", "a[n]b"),
    ("[\\\\1]", "a[\\1]b"),
]
"""What a dollar and a backslash mean in the text that a match is replaced by."""


def test_replacements_are_as_the_note_says(spark: SparkSession) -> None:
    from viewscribe import functions as F
    from viewscribe import lit

    items = [
        F.regexp_replace(lit("a12b"), lit(r"(\d)(?<n>\d)"), lit(text)).as_serializable_string()
        for text, _ in REPLACED
    ]
    row = spark.sql(f"SELECT {', '.join(items)}").collect()[0]
    assert list(row) == [expected for _, expected in REPLACED]


def test_aggregates(spark: SparkSession) -> None:
    from viewscribe import TableEnvironment, col

    rows = [(1, "a", 1.5), (None, "b", None)]
    table = TableEnvironment().from_values(rows, "i INT, s STRING, x DOUBLE")
    none = table.filter(col("s") == "z")
    totals = (col("i").sum0().alias("i"), col("x").sum0().alias("x"))
    assert spark.sql(table.select(*totals).to_sql()).collect() == [(1, 1.5)]
    assert spark.sql(none.select(*totals).to_sql()).collect() == [(0, 0.0)]
    joined = table.select(col("s").list_agg().within_group("s").alias("s"))
    assert spark.sql(joined.to_sql()).collect() == [("a,b",)]
    assert joined.to_dataframe(spark).collect() == [("a,b",)]
