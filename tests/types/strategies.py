"""Hypothesis strategies for types and fields."""

from __future__ import annotations

from hypothesis import strategies as st

from viewscribe.types import nested_types
from viewscribe.types.identifiers import RESERVED_WORDS
from viewscribe.types.nested_types import Field, LogicalType

SIMPLE = (
    nested_types.VOID,
    nested_types.BOOLEAN,
    nested_types.TINYINT,
    nested_types.SMALLINT,
    nested_types.INT,
    nested_types.BIGINT,
    nested_types.FLOAT,
    nested_types.DOUBLE,
    nested_types.STRING,
    nested_types.BINARY,
    nested_types.DATE,
    nested_types.TIME,
    nested_types.TIMESTAMP,
    nested_types.TIMESTAMP_NTZ,
    nested_types.CALENDAR_INTERVAL,
    nested_types.VARIANT,
)

COLLATIONS = ("UTF8_BINARY", "UTF8_LCASE", "UNICODE", "UNICODE_CI_AI_RTRIM", "sr_Cyrl_SRB_CI_AI")


def decimals() -> st.SearchStrategy[LogicalType]:
    """DECIMAL of any precision and scale."""
    return st.integers(1, 38).flatmap(
        lambda precision: st.integers(0, precision).map(
            lambda scale: nested_types.decimal(precision, scale)
        )
    )


def _intervals(
    kind: type[nested_types.YearMonthIntervalType] | type[nested_types.DayTimeIntervalType],
) -> st.SearchStrategy[LogicalType]:
    spans = [
        kind(start=start, end=end)
        for index, start in enumerate(kind.units)
        for end in kind.units[index:]
    ]
    return st.sampled_from(spans)


def strings() -> st.SearchStrategy[LogicalType]:
    """STRING, CHAR and VARCHAR, collated or not."""
    lengths, collations = st.integers(0, 300), st.sampled_from(COLLATIONS)
    return st.one_of(
        st.builds(nested_types.StringType, collation=collations),
        st.builds(nested_types.CharType, length=lengths, collation=collations),
        st.builds(nested_types.VarcharType, length=lengths, collation=collations),
    )


def atoms() -> st.SearchStrategy[LogicalType]:
    """Nullable types without types inside."""
    return st.one_of(
        st.sampled_from(SIMPLE),
        decimals(),
        strings(),
        st.builds(nested_types.TimeType, precision=st.integers(0, 9)),
        _intervals(nested_types.YearMonthIntervalType),
        _intervals(nested_types.DayTimeIntervalType),
        st.builds(nested_types.GeometryType, srid=st.sampled_from(["0", "3857", "4326", "ANY"])),
        st.builds(nested_types.GeographyType, srid=st.sampled_from(["4326", "ANY"])),
    )


def names() -> st.SearchStrategy[str]:
    """Names of columns: plain ones, reserved words, and any text at all."""
    plain = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
    # Spark's parser refuses lone surrogates, as every UTF-8 text does.
    anything = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10)
    awkward = st.sampled_from(
        ["a b", "a.b", "`", "a`b", "1e5", "1a", "Größe", "名前", "\u0000", "'"]
    )
    return st.one_of(plain, st.sampled_from(sorted(RESERVED_WORDS)), awkward, anything)


def comments() -> st.SearchStrategy[str | None]:
    """Comments of fields, and none."""
    return st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def _may_be_not_null(types: st.SearchStrategy[LogicalType]) -> st.SearchStrategy[LogicalType]:
    return st.builds(LogicalType.with_nullability, types, st.booleans())


def types(max_depth: int = 3) -> st.SearchStrategy[LogicalType]:
    """Any type, nullable or not, with types inside at most ``max_depth`` levels deep."""
    if max_depth == 0:
        return _may_be_not_null(atoms())
    inner = st.deferred(lambda: types(max_depth - 1))
    nested = st.one_of(
        st.builds(nested_types.ArrayType, element=inner),
        st.builds(nested_types.MapType, key=inner, value=inner),
        st.builds(
            nested_types.StructType,
            fields=st.lists(
                fields(inner), max_size=4, unique_by=lambda field: field.name.lower()
            ).map(tuple),
        ),
    )
    return _may_be_not_null(st.one_of(atoms(), nested))


def fields(
    inner: st.SearchStrategy[LogicalType] | None = None,
) -> st.SearchStrategy[Field]:
    """Any field of any type."""
    return st.builds(Field, names(), types() if inner is None else inner, comments())
