"""Aggregate functions of statistics: spread, correlation, percentiles."""

from __future__ import annotations

from viewscribe.expressions.functions.builtin.aggregates import mean_type
from viewscribe.expressions.functions.casts import implicit_cast
from viewscribe.expressions.functions.constants import (
    UNKNOWN,
    Check,
    constant_value,
    every_check,
    is_number_where,
    number_where,
)
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import Frames
from viewscribe.expressions.functions.entries import aggregate
from viewscribe.expressions.functions.inference import ANY_TIME, NUMERIC_OR_INTERVAL
from viewscribe.expressions.functions.newer_forms import with_type
from viewscribe.expressions.functions.validators import ArgumentType, family, literal
from viewscribe.types import (
    DAY_TIME_INTERVAL,
    DOUBLE,
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
_PERCENTAGE = literal(ArgumentType("DOUBLE or ARRAY<DOUBLE>", lambda given: _percentage(given)))
_MOST_ACCURATE = 2**31 - 1


def _percentage(given: LogicalType) -> LogicalType | None:
    """An array of DOUBLE may hold NULLs; one that Spark casts to it must not."""
    if not isinstance(given, ArrayType):
        return implicit_cast(given, DOUBLE)
    if isinstance(given.element, DoubleType):
        return given
    return implicit_cast(given, ArrayType(element=DOUBLE.not_null()))


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


STDDEV = aggregate("""stddev(col: DOUBLE) -> DOUBLE?
    The sample standard deviation.
    since 1.6.0, alias std stddev_samp, class StddevSamp""")
STDDEV_POP = aggregate("""stddev_pop(col: DOUBLE) -> DOUBLE?
    The population standard deviation.
    since 1.6.0""")
VARIANCE = aggregate("""variance(col: DOUBLE) -> DOUBLE?
    The sample variance.
    since 1.6.0, alias var_samp, class VarianceSamp""")
VAR_POP = aggregate("""var_pop(col: DOUBLE) -> DOUBLE?
    The population variance.
    since 1.6.0, class VariancePop""")
SKEWNESS = aggregate("""skewness(col: DOUBLE) -> DOUBLE?
    The skewness.
    since 1.6.0""")
KURTOSIS = aggregate("""kurtosis(col: DOUBLE) -> DOUBLE?
    The excess kurtosis.
    since 1.6.0""")
CORR = aggregate("""corr(col1: DOUBLE, col2: DOUBLE) -> DOUBLE?
    Pearson's correlation coefficient.
    since 1.6.0""")
COVAR_POP = aggregate("""covar_pop(col1: DOUBLE, col2: DOUBLE) -> DOUBLE?
    The population covariance.
    since 2.0.0, class CovPopulation""")
COVAR_SAMP = aggregate("""covar_samp(col1: DOUBLE, col2: DOUBLE) -> DOUBLE?
    The sample covariance.
    since 2.0.0, class CovSample""")
MEDIAN = aggregate("""median(col: _)
    The median.
    since 3.4.0""").where(
    args=(_INTERPOLATED,),
    returns=_percentile,
    frames=Frames.WHOLE,
    newer_form=with_type(TimeType, "4.3.0"),
)
PERCENTILE = aggregate("""percentile(_, _, INTEGRAL = 1)
    The exact percentile, interpolated, at one or more places from 0 to 1.
    since 2.1.0""").where(
    args=(_INTERPOLATED, _PERCENTAGE),
    returns=_percentile,
    check=_percentages_at(1),
    newer_form=with_type(TimeType, "4.3.0"),
)
PERCENTILE_APPROX = aggregate("""percentile_approx(_, _, literal(INTEGRAL) = 10000)
    About the percentile at one or more places from 0 to 1; more accuracy costs memory.
    since 2.1.0, alias approx_percentile, class ApproximatePercentile""").where(
    args=(_MEASURED, _PERCENTAGE),
    returns=_approximate,
    check=every_check(
        _percentages_at(1),
        number_where(2, f"from 1 to {_MOST_ACCURATE}", lambda size: 1 <= size <= _MOST_ACCURATE),
    ),
    newer_form=with_type(TimeType, "4.3.0"),
)
PERCENTILE_CONT = aggregate("""percentile_cont(_, _)
    The percentile of sorted values, interpolated, at one or more places from 0 to 1.
    since 4.0.0, within group""").where(
    args=(_PERCENTAGE, _INTERPOLATED),
    returns=_percentile_of_sorted,
    check=_percentages_at(0),
    frames=Frames.WHOLE,
    newer_form=with_type(TimeType, "4.3.0"),
)
PERCENTILE_DISC = aggregate("""percentile_disc(_, _)
    The first of sorted values that is no lower than a percentile, at one or more places.
    since 4.0.0, within group""").where(
    args=(_PERCENTAGE, _INTERPOLATED),
    returns=_percentile_of_sorted,
    check=_percentages_at(0),
    frames=Frames.WHOLE,
    newer_form=with_type(TimeType, "4.3.0"),
)
HISTOGRAM_NUMERIC = aggregate("""histogram_numeric(col: _, nBins: literal(INT))
    The centres and heights of a number of bins that the values fall into.
    since 3.3.0, picks any row""").where(
    args=(_MEASURED,),
    returns=_histogram,
    check=number_where(1, "2 or more", lambda bins: bins >= 2),
    newer_form=with_type(TimeType, "4.3.0"),
)
REGR_COUNT = aggregate("""regr_count(y: DOUBLE, x: DOUBLE) -> BIGINT!
    The number of rows in which both are not NULL.
    since 3.3.0""")
REGR_AVGX = aggregate("""regr_avgx(y: NUMERIC, x: NUMERIC)
    The mean of the second where both are not NULL.
    since 3.3.0, class RegrAvgX""").where(returns=lambda context: mean_type(context.types[1]))
REGR_AVGY = aggregate("""regr_avgy(y: NUMERIC, x: NUMERIC)
    The mean of the first where both are not NULL.
    since 3.3.0, class RegrAvgY""").where(returns=lambda context: mean_type(context.types[0]))
REGR_R2 = aggregate("""regr_r2(y: DOUBLE, x: DOUBLE) -> DOUBLE?
    The coefficient of determination of the linear regression.
    since 3.3.0""")
REGR_SLOPE = aggregate("""regr_slope(y: DOUBLE, x: DOUBLE) -> DOUBLE?
    The slope of the linear regression of the first on the second.
    since 3.4.0""")
REGR_INTERCEPT = aggregate("""regr_intercept(y: DOUBLE, x: DOUBLE) -> DOUBLE?
    The intercept of the linear regression.
    since 3.4.0""")
REGR_SXX = aggregate("""regr_sxx(y: DOUBLE, x: DOUBLE) -> DOUBLE?
    The sum of squares of the second.
    since 3.4.0, class RegrSXX""")
REGR_SXY = aggregate("""regr_sxy(y: DOUBLE, x: DOUBLE) -> DOUBLE?
    The sum of products.
    since 3.4.0, class RegrSXY""")
REGR_SYY = aggregate("""regr_syy(y: DOUBLE, x: DOUBLE) -> DOUBLE?
    The sum of squares of the first.
    since 3.4.0, class RegrSYY""")
