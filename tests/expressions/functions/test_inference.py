"""Calls that do not fit say so, with the signature; types are found once for equal arguments."""

from __future__ import annotations

import pytest

from tests.expressions.functions.palette import SCHEMA
from viewscribe import call, col, lit
from viewscribe.errors import ArityError, TypeMismatchError, UnknownFunctionError
from viewscribe.expressions.dsl import Expression
from viewscribe.expressions.functions.casts import cast_type, implicit_cast, is_up_cast
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.validators import either
from viewscribe.expressions.nodes import FieldReference
from viewscribe.expressions.resolve import resolve
from viewscribe.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    STRING,
    TIMESTAMP,
    VOID,
    LogicalType,
    VarcharType,
    array,
    decimal,
)


def type_of(made: Expression) -> LogicalType:
    return resolve(made, SCHEMA).type


@pytest.mark.parametrize(
    ("made", "takes"),
    [
        (call("upper"), "upper takes 1 argument, not 0"),
        (call("upper", col("s"), col("s")), "upper takes 1 argument, not 2"),
        (call("substring", col("s")), "substring takes 2 to 3 arguments, not 1"),
        (call("coalesce"), "coalesce takes at least 1 argument, not 0"),
        (call("pi", 1), "pi takes 0 arguments, not 1"),
    ],
)
def test_a_wrong_number_of_arguments(made: Expression, takes: str) -> None:
    with pytest.raises(ArityError) as caught:
        type_of(made)
    assert caught.value.message == takes


def test_a_mismatch_shows_what_was_given_and_the_signature() -> None:
    with pytest.raises(TypeMismatchError) as caught:
        type_of(call("substring", col("ai"), 1))
    assert caught.value.message == (
        "substring(ARRAY<INT>, INT): argument 1 is ARRAY<INT>, not STRING or BINARY"
    )
    assert caught.value.hint == (
        "expected: substring(STRING or BINARY, INT, [INT])\n"
        "  nearest: substring(CAST(ai AS STRING), 1)"
    )


def test_signatures_show_optional_and_repeated_arguments() -> None:
    assert built_in("concat_ws").signature == "concat_ws(STRING, [STRING or ARRAY<STRING>], …)"
    assert built_in("lag").signature == "lag(<any>, [INT], [<any>])"


def test_a_constant_is_demanded() -> None:
    with pytest.raises(TypeMismatchError, match="argument 2 must be a constant"):
        type_of(call("percentile", col("d"), col("d")))
    assert type_of(call("percentile", col("d"), lit(1) / 2)) == DOUBLE


def test_an_unknown_function_shows_the_nearest() -> None:
    with pytest.raises(UnknownFunctionError) as caught:
        type_of(call("uper", col("s")))
    assert caught.value.hint is not None
    assert "upper" in caught.value.hint


def test_an_unknown_method_shows_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"did you mean: .*upper"):
        _ = col("s").uper  # type: ignore[attr-defined]


def test_types_are_found_once_for_equal_argument_types() -> None:
    calls: list[int] = []

    def returns(context: CallContext) -> LogicalType:
        calls.append(1)
        return INT

    once = scalar("once(INT)").where(returns=returns)
    reference = SCHEMA.references[SCHEMA.find("i")]
    assert once.infer((reference,)) == once.infer((reference,)) == INT
    assert len(calls) == 1


def test_types_that_depend_on_values_are_found_each_time() -> None:
    def returns(context: CallContext) -> LogicalType:
        return DOUBLE if context.literal(0) else INT

    chosen = scalar("chosen(literal(BOOLEAN))").where(returns=returns)
    yes, no = (resolve(lit(value), SCHEMA) for value in (True, False))
    assert (chosen.infer((yes,)), chosen.infer((no,))) == (DOUBLE, INT)


def test_an_integer_literal_beside_a_decimal_counts_its_digits() -> None:
    assert type_of(col("e_n") + 1) == decimal(11, 2)
    assert type_of(col("e_n") + 1000) == decimal(11, 2)
    assert type_of(col("e_n") * 100) == decimal(14, 2)
    assert type_of(col("e_n") + col("i_n")) == decimal(13, 2).not_null()


@pytest.mark.parametrize(
    ("given", "wanted", "read_as"),
    [
        (INT.not_null(), STRING, STRING.not_null()),
        (STRING.not_null(), DOUBLE, DOUBLE),
        (DATE.not_null(), TIMESTAMP, TIMESTAMP.not_null()),
        (VOID, BINARY, BINARY),
        (INT, BOOLEAN, None),
        (array(INT), STRING, None),
        (array(INT.not_null()), array(STRING), array(STRING.not_null())),
    ],
)
def test_implicit_casts(
    given: LogicalType, wanted: LogicalType, read_as: LogicalType | None
) -> None:
    assert implicit_cast(given, wanted) == read_as


def test_one_of_several_types_is_the_closest() -> None:
    number_or_text = either(BIGINT, BINARY, STRING)
    assert number_or_text.coerce(INT) == BIGINT
    assert number_or_text.coerce(BINARY) == BINARY
    assert number_or_text.coerce(DATE) == STRING
    assert number_or_text.coerce(VOID) == BIGINT
    assert number_or_text.coerce(array(INT)) is None


def test_char_and_varchar_are_strings_in_expressions() -> None:
    word = resolve(lit("a"), SCHEMA)
    column = FieldReference(0, "word", VarcharType(length=3))
    for name in ("max", "upper", "coalesce", "nullif"):
        args = (column, word) if name == "nullif" else (column,)
        assert built_in(name).infer(args) == STRING


def test_a_cast_may_make_null_of_a_value_that_is_not() -> None:
    assert cast_type(STRING.not_null(), INT) == INT
    assert cast_type(INT.not_null(), BIGINT) == BIGINT.not_null()
    assert cast_type(BIGINT.not_null(), INT) == INT.not_null()
    assert cast_type(BIGINT.not_null(), INT, lenient=True) == INT
    assert is_up_cast(array(INT), array(BIGINT))
    assert not is_up_cast(array(INT), array(BIGINT.not_null()))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (call("zip_with", col("ai"), col("ai"), lambda x: x), "has 1 parameters, not 2"),
        (call("transform", col("ai"), lambda x, y, z: x), "has 3 parameters, not 1 to 2"),
        (call("upper", lambda x: x), "argument 1 cannot be a function"),
        (call("aggregate", col("i"), 0, lambda acc, x: acc), "argument 1 is INT, not ARRAY"),
    ],
)
def test_lambdas_that_do_not_fit(made: Expression, message: str) -> None:
    with pytest.raises(TypeMismatchError, match=message):
        type_of(made)
