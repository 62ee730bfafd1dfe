"""Calls of the functions of TIME, of conversions, ciphers, collations, random values and shapes.

The tables are those of ``calls``; ``NAMED`` holds calls that need literals a table cannot write.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from viewscribe import call, col, lit
from viewscribe.expressions.dsl import Expression

SCALARS = """
hour: tm | tm3
minute: tm
second: tm
extract: 'HOUR' tm | 'MINUTE' tm3 | 'SECOND' tm | 'SECOND' tm3 | 'SECS' tm
plus: tm ds | ds tm | tm3 ds
minus: tm tm | tm tm3 | tm ds | tm3 ds | tm s
equals: tm tm | tm tm3
less_than: tm tm | tm s
between: tm tm tm
in: tm tm tm3
coalesce: tm tm3
greatest: tm tm3
array: tm tm3
to_char: tm 'HH:mm' | tm3 'HH'
date_format: tm 'HH:mm'
typeof: tm
make_time: i i e | i i 30 | s s s
to_time: s | s s | s 'HH:mm'
try_to_time: s | s s | s 'HH:mm'
time_trunc: s tm | 'HOUR' tm | 'MINUTE' tm3 | 'HOUR' s
time_diff: s tm tm | 'HOUR' tm tm3 | 'SECOND' tm s
time_from_seconds: i | d | e
time_from_millis: i | l
time_from_micros: i | l
time_to_seconds: tm | tm3
time_to_millis: tm
time_to_micros: tm
make_timestamp: dt | dt tm | dt tm3 | dt tm s
make_timestamp_ntz: dt tm | i i
make_timestamp_ltz: i i i i i e | i i i i i e s | dt tm | dt tm s | dt tm3 | dt
try_make_timestamp: i i i i i e | i i i i i e s | dt | dt tm | dt tm s | i i i i
try_make_timestamp_ltz: i i i i i e | i i i i i e s | dt tm | dt tm s
try_make_timestamp_ntz: i i i i i e | dt tm
make_interval: | i | i i | i i i | i i i i | i i i i i | i i i i i i | i i i i i i e
try_make_interval: | i | i i i i i i e

bigint: i | s
binary: s
boolean: i | s
date: dt | s
decimal: i | e
double: i
float: i
int: i | s
smallint: i
string: i | m
time: tm | s
timestamp: ts | s
tinyint: i

collate: s 'UNICODE' | s 'unicode_ci' | s 'UTF8_BINARY' | s 'utf8_lcase' | s s
collation: s
current_path:
mask: s | s 'X' | s 'X' 'y' | s 'X' 'x' 'n' | s 'X' 'x' 'n' 'o' | s 'XX' | s s | s 1
uniform: 1 2 | 1 2.5 | 1.5 2.5 | 1 2 3 | 1 20000000000 | i 2 | 1 i | 1 2 i | 1 2 1.5 | '1' 2
randstr: 3 | 3 0 | '3' | 3.5 | i | 3 i | 3 'a' | -1 | TRUE
sentences: s | s s | s s s | s 'en' 'US'
jaro_winkler_similarity: s s
is_valid_utf8: s
make_valid_utf8: s
validate_utf8: s
try_validate_utf8: s
from_base32: s
to_base32: bin
try_to_binary: s | s 'hex' | s 'utf-8' | s 'nonsense' | s s
try_to_number: s '99.9' | s '$999,999.00' | s 'nonsense' | s s
hmac: bin bin | bin bin s | s s 'SHA-512'
aes_encrypt: bin bin | bin bin s | bin bin s s | bin bin s s bin | bin bin s s bin bin
aes_decrypt: bin bin | bin bin s | bin bin s s | bin bin s s bin
try_aes_decrypt: bin bin | bin bin s | bin bin s s | bin bin s s bin
try_url_decode: s
try_parse_url: s s | s s s
input_file_block_length:
input_file_block_start:

st_geogfromwkb: bin
st_geomfromwkb: bin | bin i | bin 4326 | bin 3857 | bin 0 | bin '4326' | bin l
st_asbinary: gm | gg | gmx | gm s | gm 'XDR'
st_setsrid: gm i | gg i | gm 4326 | gm 3857 | gg 4326 | gg 3857 | gg 0 | gmx 0 | gm '4326'
st_srid: gm | gg | gmx
"""

AGGREGATES = """
min: tm
max: tm3
median: tm | tm3 | ts
percentile: tm 0.5 | tm3 0.5 l
percentile_approx: tm 0.5 | tm3 0.5 100
"""

_DAY = timedelta(days=1)
_NOON = datetime(2024, 1, 1, 12)
_NOON_UTC = datetime(2024, 1, 1, 12, tzinfo=UTC)
_YEAR = lit(12, "INTERVAL YEAR TO MONTH")


def _buckets() -> list[Expression]:
    times = [col(name) for name in ("ts", "ts_n", "tn", "tn_n", "dt_n", "tm_n", "s_n", "i_n")]
    times.append(lit(None))
    origins = [
        lit(None),
        lit(_NOON),
        lit(_NOON_UTC),
        lit(_NOON.date()),
        lit("2024-01-01"),
        col("ts_n"),
    ]
    sizes = [
        lit(_DAY),
        _YEAR,
        lit(None),
        lit(-_DAY),
        lit(0 * _DAY),
        lit("1 day"),
        lit(1),
        col("ds_n"),
    ]
    sizes.append(lit(_DAY) * 2)
    made = [call("time_bucket", size, time) for size in sizes for time in times]
    return made + [
        call("time_bucket", lit(_DAY), time, origin) for time in times for origin in origins
    ]


_NUMBERS = [
    lit(1),
    lit(1, "TINYINT"),
    lit(1, "SMALLINT"),
    lit(1, "BIGINT"),
    lit(1.5),
    lit(1.5, "FLOAT"),
    lit(Decimal("1.55")),
    lit(Decimal("12345.5")),
    lit(Decimal("2.5")),
    lit(1, "DECIMAL(20, 0)"),
    lit(None),
    lit("1"),
    lit(True),
    call("plus", 1, 1),
]
_METHOD = ("java.lang.Math", "abs")
_PRECISIONS = (0, 3, 9)

NAMED: dict[str, list[Expression]] = {
    "current_time": [call("current_time"), call("localtime")]
    + [call("current_time", precision) for precision in (*_PRECISIONS, -1, 10, None)],
    "time_bucket": _buckets(),
    "uniform": [call("uniform", low, high) for low in _NUMBERS for high in _NUMBERS]
    + [call("uniform", 1, 2, seed) for seed in _NUMBERS],
    "randstr": [call("randstr", length) for length in _NUMBERS]
    + [call("randstr", 1, seed) for seed in _NUMBERS],
    "mask": [
        call("mask", col("s_n"), None, "x", None, "o"),
        call("mask", col("s"), "X", ""),
    ],
    "try_to_number": [call("try_to_number", col("s_n"), None)],
    "try_to_binary": [call("try_to_binary", col("s_n"), None)],
    "extract": [
        call("extract", "SECOND", col("tm_n").cast(f"TIME({digits})")) for digits in _PRECISIONS
    ]
    + [call("extract", unit, col("tm_n")) for unit in ("DAY", "YEAR", "MILLISECOND", "DOW")],
    "java_method": [call("java_method", *_METHOD, col(name)) for name in ("i", "l_n", "f", "d")]
    + [call("java_method", *_METHOD, col(name)) for name in ("e", "dt", "ts", "bin", "ai", "st")]
    + [
        call("java_method", "java.util.UUID", "randomUUID"),
        call("java_method", "java.util.UUID", "fromString", col("s_n")),
        call("java_method", "java.lang.Boolean", "toString", col("b_n")),
        call("java_method", "java.lang.Byte", "toString", col("t_n")),
        call("java_method", "java.lang.Short", "toString", col("sh_n")),
        call("java_method", "java.util.UUID"),
        call("java_method", col("s_n"), "a"),
        call("java_method", "java.util.UUID", None),
        call("reflect", "java.util.UUID", "randomUUID"),
    ],
    "try_reflect": [
        call("try_reflect", "java.util.UUID", "fromString", col("s_n")),
        call("try_reflect", *_METHOD, col("i")),
        call("try_reflect", *_METHOD, col("dt")),
    ],
    "concat": [call("||", col("s"), col("s_n")), call("||", col("an_n"), col("an_n"))],
    "equals": [call("==", col("i_n"), col("l_n"))],
    "not_equals": [call("!=", col("i_n"), col("l_n"))],
    "equal_null": [call("<=>", col("i"), col("l"))],
    "not": [call("!", col("b_n"))],
    "shiftleft": [call("<<", col("i_n"), 1)],
    "shiftright": [call(">>", col("i_n"), 1)],
    "shiftrightunsigned": [call(">>>", col("i_n"), 1)],
    "collate": [
        call("collation", call("collate", col("s_n"), "UNICODE")),
        call("collate", call("collate", col("s_n"), "UNICODE"), "UTF8_LCASE"),
        call("upper", call("collate", col("s"), "de_CI")),
        call("concat", col("s_n"), call("collate", "a", "UTF8_LCASE")),
        call("collate", col("s_n"), None),
    ],
}

TABLES: list[tuple[str, tuple[Any, ...]]] = [
    ("range", (10,)),
    ("range", (1, 10)),
    ("range", (0, 4, 2)),
    ("range", (0, 4, 2, 3)),
    ("range", (lit(1, "SMALLINT"), Decimal("10.5"))),
    ("range", ("10",)),
    ("range", (10.0,)),
    ("range", (call("plus", 1, 1),)),
    ("range", (1, 2, 0)),
    ("range", (None,)),
    ("range", (True,)),
    ("range", (_DAY,)),
    ("range", (_NOON,)),
    ("range", (call("rand"),)),
    ("range", ()),
    ("range", (1, 2, 3, 4, 5)),
    ("sql_keywords", ()),
    ("sql_keywords", (1,)),
    ("collations", ()),
    ("collations", ("UNICODE",)),
    ("python_worker_logs", ()),
]
"""Calls of functions that are tables."""
