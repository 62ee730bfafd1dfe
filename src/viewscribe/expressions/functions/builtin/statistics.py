"""Aggregate functions of statistics: spread, correlation, percentiles."""

from __future__ import annotations

from typing import Unpack

from viewscribe.expressions.functions.builtin.aggregates import mean_type
from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.clauses import Frames
from viewscribe.expressions.functions.constants import (
    UNKNOWN,
    Check,
    constant_value,
    every_check,
    is_number_where,
    number_where,
)
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import Names, aggregate
from viewscribe.expressions.functions.families import (
    ANY_TIME,
    INTEGRAL,
    NUMERIC,
    NUMERIC_OR_INTERVAL,
)
from viewscribe.expressions.functions.newer_forms import with_type
from viewscribe.expressions.functions.outputs import always_nullable
from viewscribe.expressions.functions.validators import ArgumentType, family, literal
from viewscribe.types import (
    BIGINT,
    DAY_TIME_INTERVAL,
    DOUBLE,
    INT,
    YEAR_MONTH_INTERVAL,
    ArrayType,
    DateType,
    DayTimeIntervalType,
    DoubleType,
    Field,
    LogicalType,
    NumericType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    YearMonthIntervalType,
)

_MEASURED = family(
    "<numeric>, <date or timestamp> or INTERVAL",
    NumericType,
    DateType,
    TimeType,
    TimestampType,
    TimestampNtzType,
    YearMonthIntervalType,
    DayTimeIntervalType,
    default=DOUBLE,
    text_as=DOUBLE,
)
# Spark interpolates the times of day of timestamps.
_INTERPOLATED = ArgumentType(
    "<numeric>, INTERVAL or TIME",
    lambda given: NUMERIC_OR_INTERVAL.coerce(given) or ANY_TIME.coerce(given),
)
_NULLABLE_DOUBLE = always_nullable(DOUBLE)
_PERCENTAGE = literal(ArgumentType("DOUBLE or ARRAY<DOUBLE>", lambda given: _percentage(given)))
_MOST_ACCURATE = 2**31 - 1


def _percentage(given: LogicalType) -> LogicalType | None:
    """An array of DOUBLE may hold NULLs; one that Spark casts to it must not."""
    if not isinstance(given, ArrayType):
        return implicit_cast(given, DOUBLE)
    if isinstance(given.element, DoubleType):
        return given
    return implicit_cast(given, ArrayType(element=DOUBLE.not_null()))


def _one(name: str, doc: str, **names: Unpack[Names]) -> FunctionDefinition:
    return aggregate(name, args=(DOUBLE,), returns=_NULLABLE_DOUBLE, doc=doc, **names)


def _two(
    name: str, doc: str, called: tuple[str, str] = ("col1", "col2"), **names: Unpack[Names]
) -> FunctionDefinition:
    return aggregate(
        name,
        args=(DOUBLE, DOUBLE),
        parameter_names=called,
        returns=_NULLABLE_DOUBLE,
        doc=doc,
        **names,
    )


def _percentile(context: CallContext) -> LogicalType:
    return _for_each(context, _interpolate(context.types[0]))


def _interpolate(type_: LogicalType) -> LogicalType:
    if isinstance(type_, YearMonthIntervalType):
        return YEAR_MONTH_INTERVAL
    if isinstance(type_, DayTimeIntervalType):
        return DAY_TIME_INTERVAL
    return type_.as_nullable() if isinstance(type_, TimeType) else DOUBLE


def _percentile_of_sorted(context: CallContext) -> LogicalType:
    percentage, value = context.types
    found = _interpolate(value)
    return ArrayType(element=found.not_null()) if isinstance(percentage, ArrayType) else found


def _percentages_at(place: int) -> Check:
    """A NULL is no percentage, though an array of percentages may hold some."""

    def check(context: CallContext) -> None:
        given = constant_value(context.args[place])
        many = (
            [each for each in given if each is not None]
            if isinstance(given, list | tuple)
            else [given]
        )
        for value in many:
            if value is not UNKNOWN and not is_number_where(value, _is_percentage):
                raise context.mismatch(f"a percentage is from 0 to 1, not {value!r}")

    return check


def _is_percentage(place: float) -> bool:
    return not (place < 0 or place > 1)  # NaN is one, to Spark


def _of_sorted(name: str, doc: str) -> FunctionDefinition:
    return aggregate(
        name,
        args=(_PERCENTAGE, _INTERPOLATED),
        within_group=True,
        frames=Frames.WHOLE,
        check=_percentages_at(0),
        returns=_percentile_of_sorted,
        since="4.0.0",
        newer_form=with_type(TimeType, "4.3.0"),
        doc=doc,
    )


def _histogram(context: CallContext) -> LogicalType:
    bin_ = StructType(fields=(Field("x", context.types[0].as_nullable()), Field("y", DOUBLE)))
    return ArrayType(element=bin_)


def _for_each(context: CallContext, value: LogicalType) -> LogicalType:
    """The value, or an array of it where an array of percentages is wanted."""
    if len(context.types) > 1 and isinstance(context.types[1], ArrayType):
        return ArrayType(element=value.not_null())
    return value


def _approximate(context: CallContext) -> LogicalType:
    return _for_each(context, context.types[0].as_nullable())


STDDEV = _one(
    "stddev",
    "The sample standard deviation.",
    aliases=("std", "stddev_samp"),
    since="1.6.0",
    catalyst="StddevSamp",
)
STDDEV_POP = _one("stddev_pop", "The population standard deviation.", since="1.6.0")
VARIANCE = _one(
    "variance",
    "The sample variance.",
    aliases=("var_samp",),
    since="1.6.0",
    catalyst="VarianceSamp",
)
VAR_POP = _one("var_pop", "The population variance.", since="1.6.0", catalyst="VariancePop")
SKEWNESS = _one("skewness", "The skewness.", since="1.6.0")
KURTOSIS = _one("kurtosis", "The excess kurtosis.", since="1.6.0")
CORR = _two("corr", "Pearson's correlation coefficient.", since="1.6.0")
COVAR_POP = _two("covar_pop", "The population covariance.", since="2.0.0", catalyst="CovPopulation")
COVAR_SAMP = _two("covar_samp", "The sample covariance.", since="2.0.0", catalyst="CovSample")
MEDIAN = aggregate(
    "median",
    args=(_INTERPOLATED,),
    frames=Frames.WHOLE,
    returns=_percentile,
    newer_form=with_type(TimeType, "4.3.0"),
    since="3.4.0",
    doc="The median.",
)
PERCENTILE = aggregate(
    "percentile",
    args=(_INTERPOLATED, _PERCENTAGE, INTEGRAL),
    optional=1,
    check=_percentages_at(1),
    returns=_percentile,
    newer_form=with_type(TimeType, "4.3.0"),
    since="2.1.0",
    defaults=("1",),
    doc="The exact percentile, interpolated, at one or more places from 0 to 1.",
)
PERCENTILE_APPROX = aggregate(
    "percentile_approx",
    args=(
        _MEASURED,
        _PERCENTAGE,
        literal(INTEGRAL),
    ),
    optional=1,
    check=every_check(
        _percentages_at(1),
        number_where(2, f"from 1 to {_MOST_ACCURATE}", lambda size: 1 <= size <= _MOST_ACCURATE),
    ),
    returns=_approximate,
    aliases=("approx_percentile",),
    catalyst="ApproximatePercentile",
    newer_form=with_type(TimeType, "4.3.0"),
    since="2.1.0",
    defaults=("10000",),
    doc="About the percentile at one or more places from 0 to 1; more accuracy costs memory.",
)
PERCENTILE_CONT = _of_sorted(
    "percentile_cont",
    "The percentile of sorted values, interpolated, at one or more places from 0 to 1.",
)
PERCENTILE_DISC = _of_sorted(
    "percentile_disc",
    "The first of sorted values that is no lower than a percentile, at one or more places.",
)
HISTOGRAM_NUMERIC = aggregate(
    "histogram_numeric",
    args=(_MEASURED, literal(INT)),
    parameter_names=("col", "nBins"),
    check=number_where(1, "2 or more", lambda bins: bins >= 2),
    returns=_histogram,
    picks_any_row=True,
    newer_form=with_type(TimeType, "4.3.0"),
    since="3.3.0",
    doc="The centres and heights of a number of bins that the values fall into.",
)
REGR_COUNT = aggregate(
    "regr_count",
    args=(DOUBLE, DOUBLE),
    parameter_names=("y", "x"),
    returns=BIGINT.not_null(),
    since="3.3.0",
    doc="The number of rows in which both are not NULL.",
)
REGR_AVGX = aggregate(
    "regr_avgx",
    args=(NUMERIC, NUMERIC),
    parameter_names=("y", "x"),
    returns=lambda context: mean_type(context.types[1]),
    catalyst="RegrAvgX",
    since="3.3.0",
    doc="The mean of the second where both are not NULL.",
)
REGR_AVGY = aggregate(
    "regr_avgy",
    args=(NUMERIC, NUMERIC),
    parameter_names=("y", "x"),
    returns=lambda context: mean_type(context.types[0]),
    catalyst="RegrAvgY",
    since="3.3.0",
    doc="The mean of the first where both are not NULL.",
)
REGR_R2 = _two(
    "regr_r2",
    "The coefficient of determination of the linear regression.",
    ("y", "x"),
    since="3.3.0",
)
REGR_SLOPE = _two(
    "regr_slope",
    "The slope of the linear regression of the first on the second.",
    ("y", "x"),
    since="3.4.0",
)
REGR_INTERCEPT = _two(
    "regr_intercept", "The intercept of the linear regression.", ("y", "x"), since="3.4.0"
)
REGR_SXX = _two(
    "regr_sxx", "The sum of squares of the second.", ("y", "x"), since="3.4.0", catalyst="RegrSXX"
)
REGR_SXY = _two("regr_sxy", "The sum of products.", ("y", "x"), since="3.4.0", catalyst="RegrSXY")
REGR_SYY = _two(
    "regr_syy", "The sum of squares of the first.", ("y", "x"), since="3.4.0", catalyst="RegrSYY"
)
