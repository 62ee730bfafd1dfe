"""Validators: what passes, what it is read as, and how signatures show it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.expressions.functions.palette import SCHEMA
from tests.types.strategies import types
from viewscribe import TableEnvironment, call, col, lit
from viewscribe.errors import ArityError, TypeMismatchError
from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import (
    ANY,
    ARRAY,
    INTEGRAL,
    MOMENT,
    NUMBER,
    NUMERIC,
    ORDERED,
)
from viewscribe.expressions.functions.validators import (
    ArgumentType,
    all_of,
    any_where,
    array_shape,
    either,
    exactly,
    family,
    function_of,
    implicitly,
    literal,
    map_shape,
    same_family,
    same_types,
    struct_shape,
)
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
    NumericType,
    array,
    decimal,
    map_of,
    struct,
)
from viewscribe.types.coercion import LEGACY, coercion
from viewscribe.types.nested_types import value_type

PLAIN = types().map(value_type)
VALIDATORS = st.sampled_from(
    [ANY, NUMERIC, NUMBER, INTEGRAL, ORDERED, ARRAY, implicitly(STRING), exactly(INT, DATE)]
)


def takes(*args: ArgumentType | LogicalType, given: tuple[LogicalType, ...]) -> bool:
    """Whether a function of these arguments takes columns of these types."""
    function = scalar(f"f({', '.join('_' for _ in args)}) -> INT").where(args=args)
    columns = [FieldReference(place, "c", type_) for place, type_ in enumerate(given)]
    try:
        function.infer(columns)
    except (ArityError, TypeMismatchError):
        return False
    return True


@given(PLAIN)
def test_any_passes_everything_as_it_is(type_: LogicalType) -> None:
    assert ANY.coerce(type_) == type_


@given(PLAIN)
def test_a_family_passes_its_members_as_they_are_and_reads_null(type_: LogicalType) -> None:
    numbers = family("<numeric>", NumericType, default=DOUBLE)
    passes = isinstance(type_, NumericType)
    assert numbers.accepts(type_) == (passes or type_.same_type(VOID))
    assert not passes or numbers.coerce(type_) == type_
    assert numbers.coerce(VOID) == DOUBLE


def test_a_family_may_read_text() -> None:
    assert NUMERIC.coerce(STRING.not_null()) == DOUBLE
    assert NUMBER.coerce(STRING) is None


@given(PLAIN, PLAIN)
def test_implicitly_is_what_spark_casts_by_itself(type_: LogicalType, wanted: LogicalType) -> None:
    assert implicitly(wanted).coerce(type_) == implicit_cast(type_, wanted.as_nullable())


def test_exactly_takes_a_root_and_nothing_that_would_have_to_be_cast() -> None:
    wanted = exactly(INT, DATE)
    assert wanted.description == "INT or DATE"
    assert wanted.coerce(INT.not_null()) == INT.not_null()
    assert wanted.coerce(BIGINT) is None
    assert wanted.coerce(VOID) == INT


@given(PLAIN, VALIDATORS, VALIDATORS)
def test_or_takes_no_more_than_its_parts(
    type_: LogicalType, a: ArgumentType, b: ArgumentType
) -> None:
    both = either(a, b)
    if both.accepts(type_):
        assert a.accepts(type_) or b.accepts(type_)
        assert both.coerce(type_) in (a.coerce(type_), b.coerce(type_))
    for part in (a, b):
        read_as = part.coerce(type_)
        if read_as is not None and read_as.same_type(type_):
            assert both.accepts(type_)


def test_or_takes_the_closest_and_without_ansi_the_first() -> None:
    number_or_text = either(BIGINT, STRING)
    assert number_or_text.coerce(INT) == BIGINT
    assert MOMENT.coerce(TIMESTAMP) == TIMESTAMP
    with coercion(LEGACY):
        assert either(STRING, BIGINT).coerce(INT) == STRING


@given(PLAIN, VALIDATORS, VALIDATORS)
def test_and_takes_what_both_take_one_after_the_other(
    type_: LogicalType, a: ArgumentType, b: ArgumentType
) -> None:
    first = a.coerce(type_)
    assert all_of(a, b).coerce(type_) == (first and b.coerce(first))
    assert all_of(a).coerce(type_) == first
    assert all_of().coerce(type_) == type_


def test_a_sequence_is_a_validator_for_each_argument() -> None:
    assert takes(INT, DATE, given=(INT, DATE))
    assert not takes(INT, DATE, given=(DATE, INT))
    assert not takes(INT, DATE, given=(INT,))
    assert not takes(INT, DATE, given=(INT, DATE, INT))


def test_one_type_for_all() -> None:
    same = scalar("f(ANY...) -> INT").where(check=same_types())
    column = [FieldReference(place, "c", INT) for place in range(3)]
    assert same.infer(column) == INT
    assert same.infer([*column, FieldReference(3, "c", VOID)]) == INT
    with pytest.raises(TypeMismatchError, match="not of one type"):
        same.infer([*column, FieldReference(3, "c", BIGINT)])


def test_one_kind_of_types() -> None:
    check = same_family(0, 2)
    kind = scalar("f(ANY...) -> INT").where(check=check)

    def of(*given: LogicalType) -> LogicalType:
        return kind.infer([FieldReference(i, "c", type_) for i, type_ in enumerate(given)])

    assert of(INT) == of(INT, DATE) == of(INT, DATE, DOUBLE) == of(DATE, INT, DATE) == INT
    with pytest.raises(TypeMismatchError, match="do not mix: INT, DATE"):
        of(INT, INT, DATE)


def test_a_literal() -> None:
    constant = literal(INT)
    assert constant.literal_only
    assert constant.text
    function = scalar("f(_) -> INT").where(args=(constant,))
    assert function.infer([resolve(lit(1), SCHEMA)]) == INT.not_null()
    assert function.infer([resolve(lit(1) + 1, SCHEMA)]) == INT.not_null()
    with pytest.raises(TypeMismatchError, match="must be a constant"):
        function.infer([resolve(col("i"), SCHEMA)])


@pytest.mark.parametrize(
    ("shape", "shown", "passes", "fails"),
    [
        (array_shape(NUMBER), "ARRAY<numeric>", array(INT), array(STRING)),
        (array_shape(ORDERED), "ARRAY<orderable>", array(STRING), array(map_of(INT, INT))),
        (map_shape(STRING, ANY), "MAP<STRING, any>", map_of(STRING, DATE), map_of(INT, DATE)),
        (struct_shape(ANY, INT), "STRUCT<any, INT>", struct(("x", DATE), ("y", INT)), struct()),
        (array_shape(array_shape(INT)), "ARRAY<ARRAY<INT>>", array(array(INT)), array(INT)),
    ],
)
def test_shapes(shape: ArgumentType, shown: str, passes: LogicalType, fails: LogicalType) -> None:
    assert shape.description == shown
    for nullable in (True, False):
        type_ = passes.with_nullability(nullable)
        assert shape.coerce(type_) == type_
    assert shape.coerce(fails) is None
    assert shape.coerce(INT) is None


@given(PLAIN)
def test_a_shape_takes_exactly_the_elements_that_pass_as_they_are(type_: LogicalType) -> None:
    read_as = NUMERIC.coerce(type_)
    as_it_is = read_as is not None and read_as.same_type(type_)
    assert array_shape(NUMERIC).accepts(array(type_)) == as_it_is


def test_the_shape_of_a_lambda() -> None:
    pair = function_of(lambda context: INT, lambda context: STRING, required=1)
    assert pair.description == "(x, y) -> …"
    assert pair.fewest_parameters == 1
    with pytest.raises(TypeMismatchError, match="has 1 parameters, not 2"):
        resolve(call("zip_with", col("ai"), col("ai"), lambda x: x), SCHEMA)


def test_any_where_takes_what_a_condition_holds_of() -> None:
    wide = any_where("<wide>", lambda type_: type_.same_type(decimal(38, 0)))
    assert wide.accepts(decimal(38, 0).not_null())
    assert not any(wide.accepts(type_) for type_ in (BINARY, BOOLEAN, decimal(37, 0)))


@pytest.mark.parametrize("name", ["timestampadd", "timestampdiff"])
@pytest.mark.parametrize("unit", [lit("nonsense"), lit("a b"), lit(5), lit(b"DAY"), lit(None)])
def test_a_unit_is_a_word_that_sql_has(name: str, unit: Any) -> None:
    other = 1 if name == "timestampadd" else lit(datetime(2024, 1, 1))
    table = TableEnvironment().from_values([(1,)], "a INT")
    with pytest.raises(TypeMismatchError, match="the unit must be one of YEAR"):
        table.select(call(name, unit, other, lit(datetime(2024, 1, 1))).alias("x"))
    assert table.select(
        call(name, "Day", other, lit(datetime(2024, 1, 1))).alias("x")
    ).schema.names == ("x",)


@pytest.mark.parametrize("name", ["is_unknown", "is_not_unknown"])
@pytest.mark.parametrize("value", [1, "t"])
def test_only_a_truth_is_unknown(name: str, value: Any) -> None:
    table = TableEnvironment().from_values([(1,)], "a INT")
    with pytest.raises(TypeMismatchError):
        table.select(call(name, lit(value)).alias("x"))
