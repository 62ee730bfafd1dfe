"""Arguments by name, and defaults of Python parameters, as arguments by position."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Annotated, Any

import pyarrow as pa
import pytest

import viewscribe as vs
from viewscribe import TableEnvironment, call, col, lit
from viewscribe.catalog_store.columns import class_text, read_class_text
from viewscribe.catalog_store.documents.model import FunctionDocument, Parameter
from viewscribe.errors import ArityError, ValidationError, ViewscribeError
from viewscribe.expressions.functions.declarative import decode, encode
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.python import python_source
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal_of, text_of


def repeated(text: str, times: int = 2, between: str | None = None) -> str:
    return (between or "").join([text] * times)


def halves(x: float, scale: float = 1) -> float:
    raise NotImplementedError


def rows(n: int, start: int = 5) -> Iterator[Annotated[int, "INT"]]:
    raise NotImplementedError


async def awaited(text: str, suffix: str = "!") -> str:
    raise NotImplementedError


def of_arrays(x: pa.Array, y: pa.Array = None) -> pa.Array:
    raise NotImplementedError


def _listed(x: int, more: list[int] = []) -> int:  # noqa: B006 (its default is what is tested)
    raise NotImplementedError


@pytest.fixture
def env() -> TableEnvironment:
    made = TableEnvironment()
    made.create_table("t", "i INT, s STRING, d DOUBLE, xs ARRAY<INT>, v VARIANT")
    for function in (repeated, halves, rows, awaited):
        made.create_temporary_system_function(function.__name__, function)
    made.create_temporary_system_function("listed", _listed)
    made.execute_sql(
        "CREATE FUNCTION summed(low INT, x INT DEFAULT 5, high INT DEFAULT 1 + 8) "
        "RETURNS INT RETURN low + x + high"
    )
    return made


Call = Callable[[], Any]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: call("mask", col("s"), lowerChar="q"), "mask(s, lowerChar => 'q')"),
        (lambda: call("MASK", str=col("s"), OTHERCHAR="*"), "mask(s, otherChar => '*')"),
        (lambda: call("mask", col("s"), upperChar=None), "mask(s, NULL)"),
        (lambda: col("s").mask(digitChar="9"), "mask(s, digitChar => '9')"),
        (lambda: call(built_in("mask"), col("s"), digitChar="9"), "mask(s, digitChar => '9')"),
        (
            lambda: call("count_min_sketch", col("i"), seed=1, confidence=0.5, epsilon=0.1),
            "count_min_sketch(i, 0.1D, 0.5D, 1)",
        ),
        (lambda: call("explode", collection=col("xs")), "explode(xs)"),
        (lambda: call("variant_strip_nulls", v=col("v")), "variant_strip_nulls(v)"),
        (lambda: call("repeated", times=3, text=col("s")), "repeated(s, 3, NULL)"),
        (lambda: call("repeated", col("s")), "repeated(s, 2, NULL)"),
        (lambda: call("repeated", col("s"), between="-"), "repeated(s, 2, '-')"),
        (lambda: call("halves", col("d")), "halves(d, CAST(1 AS DOUBLE))"),
        (lambda: call("awaited", col("s")), "awaited(s, '!')"),
        (lambda: call("awaited", suffix=col("s"), text="x"), "awaited('x', s)"),
        (lambda: call("summed", 1), "default.summed(1)"),
        (lambda: call("summed", x=1, low=2), "default.summed(2, 1)"),
        (lambda: call("summed", 1, high=3), "default.summed(1, 5, 3)"),
        (lambda: call("count_min_sketch", col("i"), 0.1, 0.5, seed=1).over(vs.over()), "OVER ()"),
    ],
)
def test_arguments_by_name_get_the_places_of_their_parameters(
    env: TableEnvironment, made: Call, expected: str
) -> None:
    shown = " ".join(env.from_path("t").select(made().alias("x")).to_sql().split())
    assert expected in shown.replace("spark_catalog.", "").replace("`default`", "default")


@pytest.mark.parametrize(
    ("made", "error", "message", "hint"),
    [
        (
            lambda: call("mask", col("s"), lowerchr="q"),
            ValidationError,
            "mask has no parameter `lowerchr`",
            "str, [upperChar], [lowerChar], [digitChar], [otherChar]; did you mean: lowerChar",
        ),
        (
            lambda: call("mask", col("s"), str="x"),
            ValidationError,
            "mask is given `str` twice",
            "by position comes first; its parameters are: str",
        ),
        (
            lambda: call("mask", col("s"), **{"upperChar": "A", "UPPERCHAR": "B"}),
            ValidationError,
            "mask is given `upperChar` twice",
            "its parameters are: str",
        ),
        (
            lambda: call("mask", lowerChar="q"),
            ArityError,
            "mask is called without `str`",
            "its parameters are: str, [upperChar]",
        ),
        (
            lambda: call("repeated", times=2),
            ArityError,
            "repeated is called without `text`",
            "its parameters are: text, [times], [between]",
        ),
        (
            lambda: call("repeated", col("s"), tims=2),
            ValidationError,
            "repeated has no parameter `tims`",
            "did you mean: times",
        ),
        (
            lambda: call("repeated", col("s"), 1, "-", 4),
            ArityError,
            "repeated takes 3 arguments, not 4",
            "repeated(STRING, BIGINT, STRING)",
        ),
        (
            lambda: call("listed", col("i")),
            ArityError,
            "listed takes 2 arguments, not 1",
            "listed(",
        ),
        (
            lambda: call("concat", str=col("s")),
            ValidationError,
            "concat takes no argument by name, and `str` is given so",
            "by position: concat(",
        ),
    ],
)
def test_what_does_not_fit_is_said_with_the_names_there_are(
    env: TableEnvironment, made: Call, error: type[ViewscribeError], message: str, hint: str
) -> None:
    with pytest.raises(error) as caught:
        env.from_path("t").select(made().alias("x"))
    assert caught.value.message.startswith(message)
    assert hint in (caught.value.hint or "")


def test_an_expression_as_default_is_given_where_another_follows(env: TableEnvironment) -> None:
    env.execute_sql(
        "CREATE TEMPORARY FUNCTION f(a INT, b INT DEFAULT 1 + 1, c INT DEFAULT 2) "
        "RETURNS INT RETURN a + b + c"
    )
    env.from_path("t").select(call("f", 1).alias("x"))
    with pytest.raises(ArityError, match="without `b`, whose default is no plain value"):
        env.from_path("t").select(call("f", 1, c=3).alias("x"))


def test_columns_of_a_star_come_before_defaults_and_names(env: TableEnvironment) -> None:
    env.create_table("two", "text STRING, times INT")
    found = env.from_path("two").select(call("repeated", col("*")).alias("x"))
    assert "repeated(text, times, NULL)" in found.to_sql()
    with pytest.raises(ValidationError, match="given `times` twice"):
        env.from_path("two").select(call("repeated", col("*"), times=1).alias("x"))


def test_tables_take_names_and_defaults_too(env: TableEnvironment) -> None:
    assert "rows(2, 5)" in env.from_function("rows", 2).to_sql()
    assert "rows(2, 1)" in env.from_function("rows", start=1, n=2).to_sql()
    assert "rows(2, 1)" in env.from_call(call("rows", start=1, n=2)).to_sql()
    with pytest.raises(ValidationError, match="range takes no argument by name"):
        env.from_call(call("range", 10, start=1))


def test_deep_arguments_by_name_are_resolved_in_a_loop(env: TableEnvironment) -> None:
    deep = col("s")
    for _ in range(1_500):
        deep = call("repeated", text=deep)
    env.from_path("t").select(deep.alias("x"))


# -- defaults --------------------------------------------------------------------------------------


def default_of(annotation: Any, default: Any) -> str | None:
    def f(x: int, y: Any = default) -> int:
        raise NotImplementedError

    f.__annotations__["y"] = annotation
    parameters = python_source(f).parameters
    assert parameters is not None
    return parameters[1].default


@pytest.mark.parametrize(
    ("annotation", "default", "expected"),
    [
        (int, 2, "2"),
        (int, -(2**40), "-1099511627776L"),
        (int, None, "NULL"),
        (bool, True, "TRUE"),
        (float, 0.5, "0.5D"),
        (float, 1, "1"),
        (str, "it's", r"'it\'s'"),
        (bytes, b"\x01", "X'01'"),
        (Decimal, Decimal("1.50"), "1.50"),
        (dt.date, dt.date(2024, 2, 29), "DATE '2024-02-29'"),
        (str, 0, None),  # a call would give it the text '0'
        (int, "x", None),
        (int, 2**70, None),
        (list[int], [], None),
        (float, float("nan"), None),
    ],
)
def test_defaults_are_plain_literals_that_the_function_gets_unchanged(
    annotation: Any, default: Any, expected: str | None
) -> None:
    found = default_of(annotation, default)
    assert found == expected
    if found is not None:
        value = literal_of(found)
        assert value is not None
        assert value.value == default
        assert text_of(value) == found


def test_defaults_of_lists_and_arrays_are_not_those_of_rows() -> None:
    typed: dict[str, Any] = {"parameters": ["INT", "INT"], "returns": "INT"}
    arrays = python_source(of_arrays, **typed)
    lists = python_source(_listed, kind=FunctionKind.AGGREGATE, **typed)
    for source in (arrays, lists):
        assert [each.default for each in source.parameters or ()] == [None, None]


@pytest.mark.parametrize("written", ["1 + 1", "1.5F", "DATE '2024-02-30'", "99999999999S", "f(1)"])
def test_texts_that_are_no_plain_literal_are_none(written: str) -> None:
    assert literal_of(written) is None


def test_defaults_are_kept_in_documents_and_class_names(env: TableEnvironment) -> None:
    function = env.functions.lookup("repeated").function
    assert decode(encode(function)).source.parameters == function.source.parameters  # type: ignore[arg-type, attr-defined]
    parameters = (
        Parameter("a b", "STRING"),
        Parameter("n", "BIGINT", "2"),
        Parameter("between", "STRING", "', DEFAULT |'"),
    )
    document = FunctionDocument(
        database="d",
        name="f",
        language="python",
        function_kind="scalar",
        class_name="m:f",
        parameters=parameters,
        returns="STRING",
    )
    assert read_class_text(class_text(document))["parameters"] == parameters


def test_a_stored_function_has_its_defaults(env: TableEnvironment) -> None:
    env.create_function("stored", repeated)
    shown = env.from_path("t").select(call("stored", lit("a")).alias("x")).to_sql()
    assert "stored('a', 2, NULL)" in shown
