"""Examples of Spark's documentation: as SQL text and interpreted they give what it says."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from tests.expressions.functions.values import wrong_values
from viewscribe import call, lit
from viewscribe.expressions.dsl import Expression
from viewscribe.spark.session import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SECONDS = Decimal("45.887")
_TIME = time(6, 30, 45, 887000)
_DATE = date(2014, 12, 28)
_PARTS = (2014, 12, 28, 6, 30, _SECONDS)
_MOMENT = "2014-12-28 06:30:45.887"
_POINT = bytes.fromhex("0101000000000000000000F03F0000000000000040")
_POINT_TEXT = _POINT.hex().upper()
_BIG_ENDIAN = "00000000013FF00000000000004000000000000000"
_UUID = "a5cf6c42-0c85-418f-af6c-3e4e5b1328f2"
_KEY = "0000111122223333"
_SECRET = bytes.fromhex("83F16B2AA704794132802D248E6BFD4E380078182D1544813898AC97E709B28A94")
_HALF_PAST_TWO = time(14, 30, 0, 500000)
_AT = datetime(2024, 1, 1, 11, 27, tzinfo=UTC)


def _hex(name: str, *args: object) -> Expression:
    return call("hex", call(name, *args))


def _text(name: str, *args: object) -> Expression:
    return call(name, *args).cast("STRING")


def _shape(name: str, *args: object) -> Expression:
    return _hex("st_asbinary", call(name, *args))


CASES: list[tuple[Expression, str | None]] = [
    (call("current_time", 0) >= time(0), "true"),
    (call("localtime").is_null(), "false"),
    (_text("make_time", 6, 30, _SECONDS), "06:30:45.887"),
    (_text("make_time", None, 30, 0), None),
    (_text("time_bucket", timedelta(minutes=15), _AT), "2024-01-01 11:15:00"),
    (_text("time_bucket", timedelta(hours=1), _AT.replace(tzinfo=None)), "2024-01-01 11:00:00"),
    (
        _text(
            "time_bucket",
            lit(1, "INTERVAL YEAR TO MONTH"),
            datetime(2024, 7, 20, 14, 30),
            datetime(2024, 6, 15, 9),
        ),
        "2024-07-15 09:00:00",
    ),
    (_text("time_diff", "HOUR", time(20, 30, 29), time(21, 30, 28)), "0"),
    (_text("time_diff", "HOUR", time(20, 30, 29), time(12)), "-8"),
    (_text("time_from_seconds", Decimal("52200.5")), "14:30:00.5"),
    (_text("time_from_millis", 52200500), "14:30:00.5"),
    (_text("time_from_micros", 52200500000), "14:30:00.5"),
    (_text("time_to_seconds", _HALF_PAST_TWO), "52200.500000"),
    (_text("time_to_millis", _HALF_PAST_TWO), "52200500"),
    (_text("time_to_micros", _HALF_PAST_TWO), "52200500000"),
    (_text("time_trunc", "HOUR", time(9, 32, 5, 359000)), "09:00:00"),
    (_text("to_time", "12.10.05", "HH.mm.ss"), "12:10:05"),
    (_text("try_to_time", "00:12:00.001"), "00:12:00.001"),
    (_text("try_to_time", "foo", "HH:mm:ss"), None),
    (_text("hour", _TIME), "6"),
    (_text("extract", "SECOND", _TIME), "45.887000"),
    ((lit(_TIME) + timedelta(hours=1)).cast("STRING"), "07:30:45.887"),
    ((lit(time(7)) - lit(time(6))).cast("STRING"), "INTERVAL '01:00:00' HOUR TO SECOND"),
    (_text("to_char", _TIME, "HH:mm"), "06:30"),
    (_text("make_timestamp", *_PARTS), _MOMENT),
    (_text("make_timestamp", _DATE), "2014-12-28 00:00:00"),
    (_text("make_timestamp", _DATE, _TIME, "CET"), "2014-12-28 05:30:45.887"),
    (_text("make_timestamp_ltz", *_PARTS, "CET"), "2014-12-28 05:30:45.887"),
    (_text("make_timestamp_ltz", _DATE, _TIME), _MOMENT),
    (_text("make_timestamp_ntz", _DATE, _TIME), _MOMENT),
    (_text("try_make_timestamp", *_PARTS), _MOMENT),
    (_text("try_make_timestamp", _DATE, _TIME), _MOMENT),
    (_text("try_make_timestamp_ltz", 2024, 13, 22, 15, 30, 0), None),
    (_text("try_make_timestamp_ltz", _DATE, _TIME), _MOMENT),
    (_text("try_make_timestamp_ntz", 2019, 6, 30, 23, 59, 60), "2019-07-01 00:00:00"),
    (_text("try_make_timestamp_ntz", _DATE, _TIME), _MOMENT),
    (
        _text("make_interval", 100, 11, 1, 1, 12, 30, Decimal("1.001001")),
        "100 years 11 months 8 days 12 hours 30 minutes 1.001001 seconds",
    ),
    (_text("try_make_interval", 2147483647), None),
    (_text("bigint", "1"), "1"),
    (_text("binary", "Spark"), "Spark"),
    (_text("boolean", "yes"), "true"),
    (_text("date", "2014-12-28"), "2014-12-28"),
    (_text("decimal", 5.4), "5"),
    (_text("double", "1"), "1.0"),
    (_text("float", "1"), "1.0"),
    (_text("int", "1"), "1"),
    (_text("smallint", "1"), "1"),
    (call("string", 1), "1"),
    (_text("time", "06:30:45.887"), "06:30:45.887"),
    (_text("timestamp", _MOMENT), _MOMENT),
    (_text("tinyint", "1"), "1"),
    (_text("cast", "10", "INT"), "10"),
    (_text("when", lit(1) > 0, 1, 2), "1"),
    (_text("!", True), "false"),
    (_text("!=", 1, 2), "true"),
    (_text("==", 1, 2), "false"),
    (_text("<=>", None, None), "true"),
    (_text("<<", 2, 1), "4"),
    (_text(">>", 4, 1), "2"),
    (_text(">>>", 4, 1), "2"),
    (call("||", "Spark", "SQL"), "SparkSQL"),
    (call("collation", call("collate", "Spark SQL", "UTF8_LCASE")), "SYSTEM.BUILTIN.UTF8_LCASE"),
    (call("collate", "a", "UTF8_LCASE") == "A", "true"),
    (call("contains", call("current_path"), "system.builtin"), "true"),
    (call("mask", "abcd-EFGH-8765-4321"), "xxxx-XXXX-nnnn-nnnn"),
    (call("mask", "AbCD123-@$#", None, "q", "d", "o"), "AqCDdddoooo"),
    (call("uniform", 10, 20, 0) > 0, "true"),
    (call("randstr", 3, 0), "ceV"),
    (_text("sentences", "Hi there! Good morning."), "[[Hi, there], [Good, morning]]"),
    (_text("sentences", "Hi there!", "en", "US"), "[[Hi, there]]"),
    (_text("jaro_winkler_similarity", "MARTHA", "MARHTA"), "0.9611111111111111"),
    (call("is_valid_utf8", b"\x80"), "false"),
    (call("make_valid_utf8", b"\x61\xc2\x62"), "a\ufffdb"),
    (call("validate_utf8", "Spark"), "Spark"),
    (call("try_validate_utf8", b"\x80"), None),
    (call("to_base32", "foobar"), "MZXW6YTBOI======"),
    (_text("from_base32", "MZXW6YTBOI======"), "foobar"),
    (_text("try_to_binary", "abc", "utf-8"), "abc"),
    (_text("try_to_binary", "a!", "base64"), None),
    (_text("try_to_number", "$78.12", "$99.99"), "78.12"),
    (
        _hex("hmac", "key", "message"),
        "6E9EF29B75FFFC5B7ABAE527D58FDADB2FE42E7219011976917343065F58ED4A",
    ),
    (
        call("base64", call("aes_encrypt", "Spark SQL", "1234567890abcdef", "ECB", "PKCS")),
        "3lmwu+Mw0H3fi5NDvcu9lg==",
    ),
    (_text("aes_decrypt", _SECRET, _KEY), "Spark"),
    (_text("try_aes_decrypt", _SECRET[1:], _KEY), None),
    (call("try_url_decode", "https%3A%2F%2Fspark.apache.org"), "https://spark.apache.org"),
    (call("try_parse_url", "http://spark.apache.org/path?query=1", "HOST"), "spark.apache.org"),
    (call("try_parse_url", "inva lid://spark.apache.org/path?query=1", "QUERY"), None),
    (call("java_method", "java.util.UUID", "fromString", _UUID), _UUID),
    (call("reflect", "java.util.UUID", "fromString", _UUID), _UUID),
    (call("try_reflect", "java.net.URLDecoder", "decode", "%"), None),
    (_text("input_file_block_start"), "-1"),
    (_text("input_file_block_length"), "-1"),
    (_shape("st_geogfromwkb", _POINT), _POINT_TEXT),
    (_shape("st_geomfromwkb", _POINT, 4326), _POINT_TEXT),
    (_hex("st_asbinary", call("st_geomfromwkb", _POINT), "XDR"), _BIG_ENDIAN),
    (_text("st_srid", call("st_geomfromwkb", _POINT, 4326)), "4326"),
    (_text("st_srid", call("st_setsrid", call("st_geomfromwkb", _POINT), 3857)), "3857"),
]


def test_values(spark: SparkSession) -> None:
    with settings(spark, {"spark.sql.timeType.enabled": "true"}):
        assert wrong_values(spark, [(made.cast("STRING"), value) for made, value in CASES]) == []
