"""Constants that are computed without Spark have the value and the type that Spark gives them."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import viewscribe as vs
from viewscribe.errors import ViewscribeError
from viewscribe.expressions.constant_folding import fold_constant
from viewscribe.serializer.literals import print_literal

OPERANDS = (
    "0", "-7", "3", "127Y", "-128Y", "2147483647", "9223372036854775807", "-9223372036854775808L",
    "1.5", "-0.25BD", "99999999999999999999999999999999999999", "2e0", "-0D", "1e308", "0.1F",
    "DATE'2024-02-28'", "DATE'9999-12-31'", "TIMESTAMP'2024-03-30 12:00:00'",
    "TIMESTAMP_NTZ'2024-03-30 12:00:00'", "INTERVAL '1' DAY", "INTERVAL '90' MINUTE",
    "double('NaN')", "double('-Infinity')", "float('Infinity')",
    "INTERVAL '1' MONTH", "NULL", "CAST(NULL AS INT)", "'12'", "true",
)  # fmt: skip
OPERATORS = ("+", "-", "*", "/", "div", "%", "||")
TYPES = (
    "TINYINT", "INT", "BIGINT", "DECIMAL(3, 1)", "DECIMAL(38, 6)", "DOUBLE", "FLOAT", "STRING",
    "DATE", "BOOLEAN", "TIMESTAMP", "TIMESTAMP_NTZ", "INTERVAL HOUR", "INTERVAL DAY TO SECOND",
)  # fmt: skip
TEXTS = (
    "' 12 '", "'+07'", "'1.50'", "'1e2'", "'2024-2-9'", "'2024-02-30'", "'٣'", "''",
    "'yes'", "'NaN'", "'-Infinity'", "'+inf'",
)  # fmt: skip

CALLED = (
    "boolean",
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "decimal",
    "double",
    "float",
    "string",
    "date",
)

SAMPLES = (
    '{"a":1}', '[1, 2]', '[{"a":1}, {"b":2}]', "1", "null", "[]", "{}", '{"a":{}}', '{"o":[{}]}',
    '{"b":1, "a":[1, 2.5], "c":null, "d":"x", "e":true, "f":{"z":1, "y":[]}}',
    '{"g":[{"a":1}, {"b":"x", "a":null}], "h":12345678901234567890, "i":1e3, "k":[1, "a"]}',
    '{"j":12345678901234567890123456789012345678901, "l":[1, null], "m":[[1], [2.5]]}',
    '{"q":[12345678901234567890, 1], "r":[12345678901234567890, 1.5], "s":[{"a":1}, 2]}',
    '{"a b":1, "A":2, "a`":3, "1x":4, "é":5, "select":6, "B":7}', '{"n":[true, 1], "t":[[], 1]}',
    '{"a":1, "a":"x"}', "{a:1}", '{"a":01}', '{"a":NaN}', "", '{"a":1} x',
)  # fmt: skip
LINES = (
    "1,abc", "1,abc,2.5,true,2020-01-01,,12345678901,12345678901234567890,x y", "", "a", ",",
    "2020-01-01 10:00:00", "1e3", "1d", "NaN", "Infinity", "inf", "nan x", "-1,-2.50,+3", '"a,b"',
    "TRUE,False,t,null", "2020-02-30", " a,b ", "00,01.5", "2147483648,-2147483649",
)  # fmt: skip

XML = (
    "<p><a>1</a></p>", "<p><b>x</b><a>1</a></p>", '<p id="1"><a>1</a><a>2</a></p>',
    '<p><a x="1">1</a></p>', "<p><a>1</a><a>x</a></p>", "<p><a/><b></b></p>", "<p>5</p>", "<p/>",
    "<p><a></a><b>1.5</b><c>true</c><d>2020-01-01</d></p>", "<p>x<a>1</a></p>", "<p>x</p>",
    "<p><a><b>1</b></a><a><c>1</c></a></p>", "<p><a>99999999999</a><b> 1 </b></p>", '<p x="a"/>',
    "<p><a>1.0</a><a>1</a></p>", "<p><B>1</B><a>1</a><_c>1</_c></p>", "<p><a x='true'/></p>",
    "<p><a>1</a><b><a>2</a><a>3</a></b></p>", "<p><a>1</a><a/></p>",
    "<p><a>12:00:00</a></p>", "<p><n:a>1</n:a></p>", "<p><a>1</a>x</p>", "<p><a>1</p>", "a",
    "<p><a>1</a><!-- c --></p>", "<p><a>&lt;</a></p>", "<p><a><b>1</b></a><a><b>x</b></a></p>",
)  # fmt: skip
OPTIONS = (
    ("json", '{"a":1.5,"b":[1,2.5],"c":0.01,"d":100.0,"e":[0.5,10.25]}', "prefersDecimal"),
    ("json", '{"a":1.5,"b":true,"c":null,"d":[1,true],"e":{"x":1}}', "primitivesAsString"),
    ("json", '{"a":1e2}', "prefersDecimal"), ("json", '{"a":1}', "allowComments"),
    ("json", '{"a":"2020-01-01T00:00:00"}', "inferTimestamp"),
    ("json", "{a:1}", "allowUnquotedFieldNames"),
    ("xml", '<p><a x="1">1</a></p>', "excludeAttribute"), ("csv", "1,a", "header"),
)  # fmt: skip
SEPARATORS = (("sep", "|"), ("delimiter", ";"), ("sep", "||"), ("sep", "x"), ("dateFormat", "yyyy"))

EXPRESSIONS = [
    *[f"{left} {sign} {right}" for left, sign, right in product(OPERANDS, OPERATORS, OPERANDS)],
    *[f"CAST({each} AS {type_})" for each, type_ in product((*OPERANDS, *TEXTS), TYPES)],
    *[f"-({each})" for each in OPERANDS],
    *[f"{type_}({each})" for each, type_ in product((*OPERANDS, *TEXTS), CALLED)],
    "concat('a', 'b', 'ä')", "'a' || CAST(1 + 2 AS STRING)", "(1 + 2) * 3 - 10 div 4",
    *[f"{name}({each})" for name, each in product(("length", "abs"), OPERANDS)],
    *[f"{name}({left}, {right})" for name in ("greatest", "least")
      for left, right in product(OPERANDS, OPERANDS)],
    *[f"schema_of_json('{each}')" for each in SAMPLES],
    *[f"schema_of_csv('{each}')" for each in LINES],
    *[f"schema_of_xml({each!r})" for each in XML if "'" not in each],
    *[f"schema_of_{kind}('{each}', map('{name}', 'true'))" for kind, each, name in OPTIONS],
    *[f"schema_of_csv('1|a;2.5', map('{name}', '{value}'))" for name, value in SEPARATORS],
    "CAST(0.1F AS DOUBLE) + 0.1F", "CAST(1.5F AS INT)",
    "CAST(2.9 * 2 AS INT)", "-(99999999999999999999999999999999999999 - 1)",
]  # fmt: skip


def folded(env: vs.TableEnvironment) -> dict[str, Any]:
    found = {}
    for text in EXPRESSIONS:
        try:
            item = env.sql_query(f"SELECT {text} AS x").operation.expressions[0]  # type: ignore[attr-defined]
        except ViewscribeError:  # no expression of Spark's
            continue
        literal = fold_constant(item)
        if literal is not None:
            found[text] = literal
    return found


@pytest.mark.slow("Spark analyzes two comparisons for each of several hundred expressions")
def test_what_is_folded_is_what_spark_computes(spark: Any) -> None:
    values = folded(vs.TableEnvironment())
    assert len(values) > 200
    items = [
        f"(({text}) <=> ({print_literal(literal).render()})) AND "
        f"typeof({text}) = '{literal.type.as_nullable().ddl.lower().replace(', ', ',')}'"
        for text, literal in values.items()
    ]
    row = spark.sql("SELECT " + ",\n".join(f"{each} AS c{n}" for n, each in enumerate(items)))
    same = dict(zip(values, row.collect()[0], strict=True))
    assert not [text for text, is_same in same.items() if not is_same]


@pytest.mark.parametrize(
    "text",
    [
        "2147483647 + 1",  # an error, or a wrapped number
        "1 div 0",
        "current_date()",
        "CAST(DATE'2024-01-01' AS TIMESTAMP)",  # by the zone of the session
        "TIMESTAMP'2024-03-30 12:00:00' + INTERVAL '1' DAY",
        "CAST(INTERVAL '90' MINUTE AS INTERVAL HOUR)",
        "0.1F + 0.1F",
        "CAST('x' AS INT)",
    ],
)
def test_the_rest_is_left_to_spark(text: str) -> None:
    item = vs.TableEnvironment().sql_query(f"SELECT {text} AS x").operation.expressions[0]  # type: ignore[attr-defined]
    assert fold_constant(item) is None
