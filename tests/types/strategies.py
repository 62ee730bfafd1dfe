"""Hypothesis strategies for types and fields."""

from __future__ import annotations

from hypothesis import strategies as st

from viewscribe.types import logical
from viewscribe.types.identifiers import RESERVED_WORDS
from viewscribe.types.logical import Field, LogicalType

SIMPLE = (
    logical.VOID,
    logical.BOOLEAN,
    logical.TINYINT,
    logical.SMALLINT,
    logical.INT,
    logical.BIGINT,
    logical.FLOAT,
    logical.DOUBLE,
    logical.STRING,
    logical.BINARY,
    logical.DATE,
    logical.TIME,
    logical.TIMESTAMP,
    logical.TIMESTAMP_NTZ,
    logical.CALENDAR_INTERVAL,
    logical.VARIANT,
)

COLLATIONS = ("UTF8_BINARY", "UTF8_LCASE", "UNICODE", "UNICODE_CI_AI_RTRIM", "sr_Cyrl_SRB_CI_AI")


def decimals() -> st.SearchStrategy[LogicalType]:
    """DECIMAL of any precision and scale."""
    return st.integers(1, 38).flatmap(
        lambda precision: st.integers(0, precision).map(
            lambda scale: logical.decimal(precision, scale)
        )
    )


def _intervals(
    kind: type[logical.YearMonthIntervalType] | type[logical.DayTimeIntervalType],
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
        st.builds(logical.StringType, collation=collations),
        st.builds(logical.CharType, length=lengths, collation=collations),
        st.builds(logical.VarcharType, length=lengths, collation=collations),
    )


def atoms() -> st.SearchStrategy[LogicalType]:
    """Nullable types without types inside."""
    return st.one_of(
        st.sampled_from(SIMPLE),
        decimals(),
        strings(),
        st.builds(logical.TimeType, precision=st.integers(0, 9)),
        _intervals(logical.YearMonthIntervalType),
        _intervals(logical.DayTimeIntervalType),
        st.builds(logical.GeometryType, srid=st.sampled_from(["0", "3857", "4326", "ANY"])),
        st.builds(logical.GeographyType, srid=st.sampled_from(["4326", "ANY"])),
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
        st.builds(logical.ArrayType, element=inner),
        st.builds(logical.MapType, key=inner, value=inner),
        st.builds(
            logical.StructType,
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
