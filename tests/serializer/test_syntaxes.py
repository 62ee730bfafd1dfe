"""Every special syntax is read back by Spark as the call it was written for.

The same tree is also written with functions alone, ``plus`` as ```+`(a, b)`` for one, where no
operand can be torn apart. Both texts must give the same analyzed plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from viewscribe import TableEnvironment, col, if_then_else, interval, lit, over
from viewscribe import functions as F
from viewscribe.expressions import nodes as n
from viewscribe.expressions.node import Node, fold
from viewscribe.expressions.resolve import resolve

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENV = TableEnvironment()
ENV.create_table(
    "strengths",
    "a INT, b INT, p BOOLEAN, q BOOLEAN, s STRING, r STRING, dt DATE, ts TIMESTAMP, v VARIANT, "
    "xs ARRAY<INT>, m MAP<BOOLEAN, INT>, st STRUCT<f: INT, `a b`: INT>",
)
TABLE = ENV.from_path("strengths")
A, B, P, Q, S, R, DT, TS, V, XS, M, ST = (col(field.name) for field in TABLE.schema.fields)

NUMBERS = [A, lit(-1), -A, A + 1, A * 2, A % 2, A.bitwise_and(1), A.bitwise_or(1), A.bitwise_xor(1)]
NUMBERS += [XS[0], ST["f"], if_then_else(P, A, B), P.cast("INT"), A.bitwise_not()]
TRUTHS = [P, lit(True), ~P, P & Q, P | Q, A == 1, A < B, A.is_null(), P.is_true(), P.is_unknown()]
TRUTHS += [A.between(1, 2), A.in_(1, 2), S.like("x%"), S.like_any("a", R), S.rlike("a")]
TRUTHS += [~A.in_(1, 2), A.is_distinct_from(B), A.eq_null_safe(B), if_then_else(P, P, Q)]
TEXTS = [S, lit("x"), F.concat("s", "r"), if_then_else(P, S, R), A.cast("STRING"), S.trim("x")]
TEXTS += [S.collate("UTF8_LCASE"), lit("x", "STRING COLLATE UTF8_LCASE"), S.substring(1, 2)]
VARIANTS = [V, V["a"], V["a b"], V[0]["b"], S.parse_json(), if_then_else(P, V, V["x"])]
DATES = [DT, lit("2024-01-01").cast("DATE"), if_then_else(P, DT, DT), DT + interval(days=1)]

Kind = list[Any]
FORMS: list[tuple[Callable[..., Any], tuple[Kind, ...]]] = [
    (lambda x, y: x + y, (NUMBERS, NUMBERS)),
    (lambda x, y: x - y, (NUMBERS, NUMBERS)),
    (lambda x, y: x * y, (NUMBERS, NUMBERS)),
    (lambda x, y: x / y, (NUMBERS, NUMBERS)),
    (lambda x, y: x % y, (NUMBERS, NUMBERS)),
    (lambda x, y: x.div(y), (NUMBERS, NUMBERS)),
    (lambda x, y: x.bitwise_and(y), (NUMBERS, NUMBERS)),
    (lambda x, y: x.bitwise_or(y), (NUMBERS, NUMBERS)),
    (lambda x, y: x.bitwise_xor(y), (NUMBERS, NUMBERS)),
    (lambda x: -x, (NUMBERS,)),
    (lambda x: x.bitwise_not(), (NUMBERS,)),
    (lambda x, y: x == y, (TRUTHS, TRUTHS)),
    (lambda x, y: x != y, (NUMBERS, NUMBERS)),
    (lambda x, y: x >= y, (TRUTHS, TRUTHS)),
    (lambda x, y: x < y, (NUMBERS, NUMBERS)),
    (lambda x, y: x.eq_null_safe(y), (TRUTHS, TRUTHS)),
    (lambda x, y: x.is_distinct_from(y), (TRUTHS, TRUTHS)),
    (lambda x, y: ~x.is_distinct_from(y), (NUMBERS, NUMBERS)),
    (lambda x, y: x & y, (TRUTHS, TRUTHS)),
    (lambda x, y: x | y, (TRUTHS, TRUTHS)),
    (lambda x: ~x, (TRUTHS,)),
    (lambda x: x.is_null(), (TRUTHS,)),
    (lambda x: ~x.is_null(), (NUMBERS,)),
    (lambda x: x.is_true(), (TRUTHS,)),
    (lambda x: ~x.is_true(), (TRUTHS,)),
    (lambda x: x.is_not_false(), (TRUTHS,)),
    (lambda x: x.is_unknown(), (TRUTHS,)),
    (lambda x: ~x.is_unknown(), (TRUTHS,)),
    (lambda x, y, z: x.between(y, z), (TRUTHS, TRUTHS, TRUTHS)),
    (lambda x, y, z: ~x.between(y, z), (NUMBERS, NUMBERS, NUMBERS)),
    (lambda x, y: x.in_(y, True), (TRUTHS, TRUTHS)),
    (lambda x, y: ~x.in_(y, 1), (NUMBERS, NUMBERS)),
    (lambda x, y: x.like(y), (TEXTS[:7], TEXTS[:7])),
    (lambda x, y: ~x.like(y, escape="!"), (TEXTS[:7], TEXTS[:7])),
    (lambda x, y: x.ilike(y), (TEXTS[:7], TEXTS[:7])),
    (lambda x, y: x.rlike(y), (TEXTS[:6], TEXTS[:6])),
    (lambda x, y: ~x.rlike(y), (TEXTS[:6], TEXTS[:6])),
    (lambda x, y: x.like_any(y, S), (TEXTS[:6], TEXTS[:6])),
    (lambda x, y: x.like_all(y, S), (TEXTS[:6], TEXTS[:6])),
    (lambda x, y: x.not_like_any(y, S), (TEXTS[:6], TEXTS[:6])),
    (lambda x, y: x.not_like_all(y, S), (TEXTS[:6], TEXTS[:6])),
    (lambda x, y: x.ilike_any(y, S), (TEXTS[:6], TEXTS[:6])),
    (lambda x, y: x.not_ilike_all(y, S), (TEXTS[:6], TEXTS[:6])),
    (lambda x, y, z: if_then_else(x, y, z), (TRUTHS, NUMBERS, NUMBERS)),
    (lambda x, y: F.when(x == 1, y).when(x == y, A), (NUMBERS, NUMBERS)),
    (lambda x, y: F.when(x == P, y).when(x == y, Q).otherwise(P), (TRUTHS, TRUTHS)),
    (lambda x: x.cast("STRING"), (TRUTHS,)),
    (lambda x: x.try_cast("STRING"), (TRUTHS,)),
    (lambda x: F.extract("YEAR", x), (DATES,)),
    (lambda x, y: x.position(y), (TEXTS[:6], TEXTS[:6])),
    (lambda x, y, z: x.overlay(y, z), (TEXTS[:6], TEXTS[:6], NUMBERS)),
    (lambda x, y: x.overlay(S, y, y), (TEXTS[:6], NUMBERS)),
    (lambda x, y: x.trim(y), (TEXTS, TEXTS[:6])),
    (lambda x, y: x.ltrim(y), (TEXTS, TEXTS[:6])),
    (lambda x, y: x.rtrim(y), (TEXTS, TEXTS[:6])),
    (lambda x: F.timestampadd("DAY", x, "ts"), (NUMBERS,)),
    (lambda x: F.timestampdiff("DAY", x, "ts"), (DATES,)),
    (lambda x: F.array(x, B)[0], (NUMBERS,)),
    (lambda x: XS[x], (NUMBERS,)),
    (lambda x: M[x], (TRUTHS,)),
    (lambda x: F.struct(x.alias("k"))["k"], (TRUTHS,)),
    (lambda x: if_then_else(x, ST, ST)["a b"], (TRUTHS,)),
    (lambda x: x["c"], (VARIANTS,)),
    (lambda x: x["c d"][1], (VARIANTS,)),
    (lambda x: x.collate("UNICODE_CI"), (TEXTS,)),
    (lambda x: x.mask("X", "x", "n", "*"), (TEXTS[:6],)),
    (lambda x: x.mask("Q", "x", "0", None), (TEXTS[:6],)),
    (lambda x: x.mask("X", None, "n"), (TEXTS[:6],)),
    (lambda x: F.transform("xs", lambda y: y + x), (NUMBERS,)),
    (lambda x: F.filter("xs", lambda y, i: (y > i) & x), (TRUTHS,)),
]


def cases() -> Iterator[Any]:
    """Each form with each operand at each place, the usual one at the others."""
    for form, kinds in FORMS:
        for place, kind in enumerate(kinds):
            for operand in kind:
                yield form(*[operand if i == place else k[0] for i, k in enumerate(kinds)])


_NAMES = {
    "plus": "+",
    "minus": "-",
    "times": "*",
    "divide": "/",
    "mod": "%",
    "equals": "=",
    "less_than": "<",
    "less_than_or_equal": "<=",
    "greater_than": ">",
    "greater_than_or_equal": ">=",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
    "bitwise_not": "~",
    "is_null": "isnull",
    "is_unknown": "isnull",
    "is_not_null": "isnotnull",
    "is_not_unknown": "isnotnull",
    "case": "when",
    "position": "locate",
    "extract": "date_part",
}


def plain(node: Node, parts: list[str]) -> str:
    """The node with nothing but functions around its parts."""
    if isinstance(node, n.Call):
        return _plain_call(node, node.function.name, parts)
    if isinstance(node, n.Cast):
        return f"{'TRY_' * node.lenient}CAST({parts[0]} AS {node.type.ddl})"
    if isinstance(node, n.Lambda):
        return f"({', '.join(parts[:-1])}) -> {parts[-1]}" if parts[2:] else " -> ".join(parts)
    if isinstance(node, n.Alias):
        return f"{parts[0]} AS {node.name}"
    if isinstance(node, n.LambdaVariable):
        return node.name
    assert isinstance(node, n.Literal | n.FieldReference)
    return node.as_serializable_string()


def _plain_call(node: n.Call, name: str, parts: list[str]) -> str:
    inside = ", ".join(parts)
    if name in ("and", "or"):
        made = parts[0]
        for part in parts[1:]:
            made = f"`{name}`({made}, {part})"
        return made
    if name == "not":  # the negations that have a form of their own
        if inside.startswith("`not`(equal_null("):
            return inside.removeprefix("`not`(")[:-1]
        if inside.startswith("`isnull`("):
            return inside.replace("`isnull`", "`isnotnull`", 1)
    if name == "not_equals":
        return f"`not`(`=`({inside}))"
    if name == "is_distinct_from":
        return f"`not`(equal_null({inside}))"
    if name in ("is_true", "is_false", "is_not_true", "is_not_false"):
        same = f"equal_null({inside}, {'true' in name})"
        return f"`not`({same})" if "not" in name else same
    if "like_" in name:
        return _plain_matches(name, parts)
    if name in ("trim", "ltrim", "rtrim"):
        return f"{name}({', '.join(reversed(parts))})"
    if name == "get_item":
        return f"({parts[0]})[({parts[1]})]"
    if name == "struct":
        return f"struct({inside})"
    if name == "get_field":
        return f"({parts[0]}).`{parts[1][1:-1]}`"
    if name in ("timestampadd", "timestampdiff"):
        return f"{name}({parts[0][1:-1]}, ({parts[1]}), ({parts[2]}))"
    return f"`{_NAMES.get(name, name)}`({inside})"


def _plain_matches(name: str, parts: list[str]) -> str:
    folded, join = "ilike" in name, "or" if name.endswith("any") else "and"
    found = [f"like({parts[0]}, {part})" for part in parts[1:]]
    if folded:
        found = [f"like(lower({parts[0]}), lower({part}))" for part in parts[1:]]
    if name.startswith("not"):
        found = [f"`not`({each})" for each in found]
    made = found[0]
    for each in found[1:]:
        made = f"`{join}`({made}, {each})"
    return made


@pytest.fixture(scope="module")
def strengths(spark: SparkSession) -> Iterator[SparkSession]:
    columns = ", ".join(f"{field.name} {field.type.ddl}" for field in TABLE.schema.fields)
    spark.sql(f"CREATE TABLE default.strengths ({columns}) USING parquet")
    yield spark
    spark.sql("DROP TABLE default.strengths")


@pytest.mark.slow("Spark analyzes more than a thousand pairs")
def test_special_syntax_is_the_plain_call(strengths: SparkSession) -> None:
    pairs = []
    for made in cases():
        resolved = resolve(made, TABLE.schema)
        pairs.append((resolved.as_serializable_string(), fold(resolved, plain)))
    assert len(pairs) > 1000
    different = list(_different(strengths, pairs))
    assert not different, f"{len(different)} of {len(pairs)}:\n" + "\n".join(different[:40])


def _different(spark: SparkSession, pairs: list[tuple[str, str]]) -> Iterator[str]:
    """The pairs that Spark does not read as the same; found by halving."""
    if _same(spark, pairs):
        return
    if len(pairs) == 1:
        yield "\n    ".join(pairs[0])
        return
    step = 60 if len(pairs) > 60 else (len(pairs) + 1) // 2
    for start in range(0, len(pairs), step):
        yield from _different(spark, pairs[start : start + step])


def _same(spark: SparkSession, pairs: list[tuple[str, str]]) -> bool:
    if len(pairs) > 60:
        return False
    from pyspark.errors import PySparkException

    plans = []
    for texts in zip(*pairs, strict=True):
        items = ", ".join(f"{text} AS c{place}" for place, text in enumerate(texts))
        try:
            frame: Any = spark.sql(f"SELECT {items} FROM default.strengths")
        except PySparkException:
            return False
        plans.append(frame._jdf.queryExecution().analyzed())
    return bool(plans[0].sameResult(plans[1]))


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (S.like_any("a%", "b%"), "s LIKE ANY ('a%', 'b%')"),
        (~S.like_any("a%", R), "NOT s LIKE ANY ('a%', r)"),
        (S.not_like_all("a%", "b%"), "s NOT LIKE ALL ('a%', 'b%')"),
        (S.ilike_any("a%", "b%"), "s ILIKE ANY ('a%', 'b%')"),
        (P.is_unknown(), "p IS UNKNOWN"),
        (~P.is_unknown(), "p IS NOT UNKNOWN"),
        (~P.is_not_unknown(), "p IS UNKNOWN"),
        (F.when(A == 1, "x").when(A == 2, "y"), "CASE a WHEN 1 THEN 'x' WHEN 2 THEN 'y' END"),
        (
            F.when(A + 1 == 1, "x").when(A + 1 == B, "y").otherwise("z"),
            "CASE a + 1 WHEN 1 THEN 'x' WHEN b THEN 'y' ELSE 'z' END",
        ),
        (F.when(A == 1, "x").otherwise("y"), "CASE WHEN a = 1 THEN 'x' ELSE 'y' END"),
        (
            F.when(A == 1, "x").when(B == 1, "y"),
            "CASE WHEN a = 1 THEN 'x' WHEN b = 1 THEN 'y' END",
        ),
        (
            F.when(A == 1, "x").when(A > 1, "y"),
            "CASE WHEN a = 1 THEN 'x' WHEN a > 1 THEN 'y' END",
        ),
        (
            F.when(F.rand(1) == 1, "x").when(F.rand(1) == 2, "y"),
            "CASE WHEN rand(1) = 1 THEN 'x' WHEN rand(1) = 2 THEN 'y' END",
        ),
        (V["a"]["b"][0], "variant_get(v, '$.a.b[0]', 'variant')"),
        (V["a b"], "variant_get(v, '$[\\'a b\\']', 'variant')"),
        (V[0], "variant_get(v, '$[0]', 'variant')"),
        (S.parse_json()["a"], "variant_get(parse_json(s), '$.a', 'variant')"),
        (S.collate("UNICODE_CI") == "x", "s COLLATE UNICODE_CI = 'x'"),
        (M[P & Q], "m[(p AND q)]"),
        (M[A == 1], "m[a = 1]"),
        (
            F.first("a", ignorenulls=True).filter(P),
            "first(a) FILTER (WHERE p) IGNORE NULLS",
        ),
        (
            F.first("a", ignorenulls=True).filter(P).over(over(order_by="b")),
            "first(a) FILTER (WHERE p) IGNORE NULLS OVER (ORDER BY b)",
        ),
        (S.mask(), "mask(s)"),
        (S.mask("Q"), "mask(s, 'Q')"),
        (S.mask("X", "x", "n", "*"), "mask(s, otherChar => '*')"),
        (S.mask("Q", "x", "0", None), "mask(s, 'Q', digitChar => '0')"),
        (S.mask("X", None, "n", None), "mask(s, lowerChar => NULL)"),
        (S.substring(1, 2), "substring(s, 1, 2)"),
        (DT.year(), "year(dt)"),
        (F.extract("YEAR", "dt"), "extract(YEAR FROM dt)"),
        (F.current_date(), "current_date()"),
        (F.concat("s", "r"), "concat(s, r)"),
        (A.shiftleft(1), "shiftleft(a, 1)"),
    ],
)
def test_the_form_that_is_chosen(made: Any, text: str) -> None:
    assert resolve(made, TABLE.schema).as_serializable_string() == text


def test_clauses_of_aggregates_come_in_the_order_spark_wants(strengths: SparkSession) -> None:
    table = TABLE.group_by("q").select(
        "q",
        F.first("a", ignorenulls=True).filter(P).alias("first"),
        F.listagg("s", ",").within_group("a").filter(P).alias("list"),
        F.count("a").distinct().filter(P).alias("count"),
    )
    assert strengths.sql(table.to_sql()).columns == ["q", "first", "list", "count"]


def test_paths_stand_wherever_expressions_do(strengths: SparkSession) -> None:
    """Why a path into a VARIANT is not ``v:a.b``: Spark does not find that among grouping keys."""
    from pyspark.errors import AnalysisException

    key_in_text = "CAST(v:a AS STRING)"
    with pytest.raises(AnalysisException, match="UNRESOLVED_COLUMN"):
        strengths.sql(
            f"SELECT {key_in_text} AS k FROM default.strengths "
            f"GROUP BY {key_in_text} HAVING {key_in_text} = 'x'"
        )
    key = V["a"]["b"].cast("STRING")
    grouped = TABLE.group_by(key).select(key.alias("k"), F.count().alias("n"))
    ordered = TABLE.filter(key == "x").order_by(key).select(key.alias("k"), V["a"].alias("v"))
    ranked = TABLE.select(F.rank().over(over(partition_by=key, order_by=key)).alias("n"))
    for table in (grouped, grouped.filter(col("k") == "x"), ordered, ranked):
        assert len(strengths.sql(table.to_sql()).columns) == len(table.schema.fields)


def test_a_bare_word_is_a_column_where_there_is_one(spark: SparkSession) -> None:
    """Why ``current_date()`` keeps its parentheses."""
    source = "FROM VALUES ('mine') AS t (current_date)"
    assert spark.sql(f"SELECT current_date {source}").first() == ("mine",)
    assert spark.sql(f"SELECT current_date() {source}").first() != ("mine",)
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException, match="localtimestamp"):
        spark.sql("SELECT localtimestamp")


@pytest.mark.parametrize(
    "text",
    [
        "floor(ts TO DAY)",
        "ceil(ts TO DAY)",
        "ts AT TIME ZONE 'UTC'",
        "s SIMILAR TO 'x'",
        "s IS JSON",
        "a BETWEEN SYMMETRIC 1 AND 2",
        "json_object('a' VALUE 1)",
    ],
)
def test_what_spark_has_no_syntax_for(spark: SparkSession, text: str) -> None:
    from pyspark.errors import ParseException

    parser = spark._jsparkSession.sessionState().sqlParser()
    with pytest.raises(ParseException):
        parser.parseExpression(text)
