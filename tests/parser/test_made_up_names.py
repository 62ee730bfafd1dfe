"""Columns that nobody named are called as Spark calls them."""

from __future__ import annotations

import pytest

from tests.parser.tables import read
from viewscribe.errors import ViewscribeError
from viewscribe.serializer import to_sql

ITEMS = [
    ("current_time", "current_time(6)"),
    ("1 > 0.00001", "(1 > 0)"),
    ("1.5 > 5Y", "(2 > 5)"),
    ("100 < 1.5", "(100 < 2)"),
    ("1S <= 0.1", "(1 <= 0)"),
    ("a > 0.5", "(a > 0)"),
    ("1 = 0.25", "(1 = 0.25)"),
    ("1 << 2", "(1 << 2)"),
    ("NULL + TIME '10:00'", "TIME '10:00:00' + NULL"),
    ("TIME '10:00' - INTERVAL '1' HOUR", "TIME '10:00:00' - INTERVAL '01' HOUR"),
    ("try_make_timestamp_ltz(d, TIME '10:00')", "make_timestamp(d, TIME '10:00:00')"),
    (
        "first_value(a) IGNORE NULLS OVER ()",
        "first(a) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
    ),
    ("parse_json(s):p.q::STRING", "q"),
    ("struct(t.*)", "struct(a, b, s, d, at, x)"),
    ("CAST(parse_json(s):p.q AS STRING)", "q"),
    (
        "CAST(parse_json(s):p::STRING AS INT)",
        "CAST(CAST(variant_get(parse_json(s), $.p) AS p AS STRING) AS INT)",
    ),
    ("-0.0", "0.0"),
    ("0.00000012", "1.2E-7"),
    ("1.2F", "1.2"),
    ("INTERVAL '2' SECOND", "INTERVAL '02' SECOND"),
    ("INTERVAL '2' YEAR", "INTERVAL '2' YEAR"),
    ("INTERVAL -'1' DAY", "INTERVAL '-1' DAY"),
    ("INTERVAL '-\t 1' DAY", "INTERVAL '-1' DAY"),
    ("2 * INTERVAL '3' HOUR", "(INTERVAL '03' HOUR * 2)"),
    ("s - INTERVAL '1' DAY", "s - INTERVAL '1' DAY"),
    ("7S + d", "date_add(d, 7)"),
    ("NULL + d", "d + NULL"),
    ("d - NULL", "(d - NULL)"),
    ("TIME '01:02:03.50'", "TIME '01:02:03.5'"),
    ("to_char(d, 'y')", "date_format(d, y)"),
    ("to_varchar(a, '9')", "to_char(a, 9)"),
    ("array_agg(a)", "collect_list(a)"),
    ("datepart('year', d)", "datepart(year FROM d)"),
    ("substr(s FROM 2)", "substring(s, 2, 2147483647)"),
    ("s ILIKE 'a#%' ESCAPE '#'", "ilike(s, a#%)"),
    ("mask(upperChar => 'Q', str => s)", "mask(s, Q, x, n, NULL)"),
    ("unix_date(date('2020-01-01'))", "unix_date(2020-01-01)"),
    ("double('1') + 1", "(1 + 1)"),
    ("CAST(NULL AS ARRAY<INT>)", "NULL"),
    ("lpad(CAST(s AS BINARY), 5)", "lpad(CAST(s AS BINARY), 5, X'00')"),
    ("timestampdiff(DAY, d, d)", "timestampdiff(DAY, d, d)"),
    ("(SELECT max(k) FROM u)", "scalarsubquery()"),
    ("(SELECT max(k) FROM u WHERE u.a = t.a AND k > t.a)", "scalarsubquery(a, a)"),
    ("EXISTS (SELECT 1 FROM u WHERE k = b)", "exists(b)"),
    (
        "sum(a) OVER (ORDER BY b RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)",
        "sum(a) OVER (ORDER BY b ASC NULLS FIRST RANGE BETWEEN (- 1) FOLLOWING AND CURRENT ROW)",
    ),
    (
        "sum(b) OVER (ORDER BY a RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)",
        "sum(b) OVER (ORDER BY a ASC NULLS FIRST RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)",
    ),
]


@pytest.mark.parametrize(("item", "name"), ITEMS)
def test_items(item: str, name: str) -> None:
    assert read(f"SELECT {item} FROM t").schema.names == (name,)


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ("folded = 'A'", "(folded = 'A' collate UTF8_LCASE)"),
        ("plain = 'A'", "(plain = A)"),
        ("elt(1, folded, 'w')", "elt(1, folded, 'w' collate UTF8_LCASE)"),
        ("encode(folded, 'utf-8')", "encode(folded, utf-8)"),
        ("between(folded, 'b', 'c')", "between(folded, b, c)"),
        ("folded BETWEEN 'b' AND 'c'", "between(folded, b, c)"),
        ("rlike(folded, 'b')", "RLIKE(folded, b)"),
        ("regexp_like(folded, 'b')", "REGEXP_LIKE(folded, b)"),
        ("regexp_extract_all(folded, 'b')", "regexp_extract_all(folded, b, 1)"),
        ("equal_null(folded, 'b')", "equal_null(folded, b)"),
        ("folded <=> 'b'", "(folded <=> 'b' collate UTF8_LCASE)"),
        ("lpad(folded, 3)", "lpad(folded, 3, ' ' collate UTF8_LCASE)"),
        ("replace(folded, 'b')", "replace(folded, 'b' collate UTF8_LCASE, '' collate UTF8_LCASE)"),
        (
            "mask(folded, 'A')",
            "mask(folded, 'A' collate UTF8_LCASE, 'x' collate UTF8_LCASE, "
            "'n' collate UTF8_LCASE, NULL)",
        ),
        (
            "concat_ws(',', folded, 'w' COLLATE UTF8_BINARY)",
            "concat_ws(,, folded, collate(w, UTF8_BINARY))",
        ),
    ],
)
def test_a_string_takes_over_the_collation_beside_it(item: str, name: str) -> None:
    assert read(f"SELECT {item} FROM c").schema.names == (name,)


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ("st.f", "f"),
        ("st.g.h", "h"),
        ("st['f']", "st.f"),
        ("named_struct('a', 1).a", "named_struct(a, 1).a"),
        ("map('a', 1).a", "map(a, 1)[a]"),
    ],
)
def test_fields(item: str, name: str) -> None:
    assert read(f"SELECT {item} FROM n").schema.names == (name,)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (
            "SELECT count(a) AS n, sum(a) + n FROM t GROUP BY ALL",
            "(sum(a) + lateralAliasReference(n))",
        ),
        ("SELECT a AS n, n + 1 FROM t", "(lateralAliasReference(n) + 1)"),
        ("SELECT a, grouping__id FROM t GROUP BY CUBE(a)", "grouping__id"),
        ("SELECT v.z FROM t AS o, LATERAL (SELECT o.a + 1) AS v(z)", "z"),
        ("SELECT * FROM (SELECT 1 AS q) AS o, LATERAL (SELECT o.q + 1)", "(outer(o.q) + 1)"),
    ],
)  # fmt: skip
def test_names_that_depend_on_the_query(query: str, names: str) -> None:
    assert read(query).schema.names[-1] == names


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1e23",
        "SELECT a + 5e-324 FROM t",
        "SELECT 9e9F",
        "SELECT (SELECT struct(q.*) FROM (SELECT 1e23) AS q) AS s",
        "SELECT 1e23 UNION SELECT 1",
        "WITH q(y) AS (SELECT * FROM (SELECT x * 1e23 FROM t)) SELECT y FROM q",
        "SELECT * FROM (SELECT a, x FROM t) PIVOT (max(a) FOR x IN (1e23))",
        "SELECT filter(array(folded), x -> x = 'a') FROM c",
    ],
)
def test_names_that_nobody_can_foretell_are_refused(query: str) -> None:
    with pytest.raises(ViewscribeError, match=r"give it an alias: … AS name"):
        read(query)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT sum(a) AS s FROM t GROUP BY x * 1e23",
        "SELECT x * 1e23 AS y, sum(a) AS s FROM t GROUP BY x * 1e23 HAVING x * 1e23 > 1",
        "SELECT count(*) AS n FROM c GROUP BY filter(array(folded), v -> v = 'a')",
        "SELECT a FROM t WHERE x > 1e23 ORDER BY x + 1e23",
        "SELECT a FROM t WHERE x IN (SELECT x * 1e23 FROM t) OR EXISTS (SELECT 1e23)",
        "SELECT (SELECT max(x) * 1e23 FROM t) AS m",
        "SELECT x FROM t UNION ALL SELECT x * 1e23 FROM t EXCEPT SELECT 1e23",
        "WITH q(y) AS (SELECT x * 1e23 FROM t) SELECT y FROM q",
        "SELECT v.y FROM (SELECT x * 1e23 FROM t) AS v(y)",
    ],
)
def test_names_that_nobody_sees_need_no_alias(query: str) -> None:
    tree = read(query)
    assert read(to_sql(tree)).schema.fields == tree.schema.fields


@pytest.mark.parametrize("item", ["1e15", "1.5e-290", "6e6F", "123456789012.345D", "0e0"])
def test_numbers_that_every_java_shows_alike_have_names(item: str) -> None:
    assert len(read(f"SELECT {item}").schema.names) == 1
