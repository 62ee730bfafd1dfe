"""Schemas that are made wider column by column share their columns, and never show it."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewscribe.errors import AmbiguousColumnError, UnknownColumnError
from viewscribe.expressions.schema import Schema
from viewscribe.types import Field, IntType

INT = IntType()
NAMES = st.sampled_from(["a", "A", "b", "c", "d", "e"])


def field(name: str) -> Field:
    return Field(name, INT)


@given(
    st.lists(NAMES, max_size=3),
    st.lists(st.tuples(st.integers(0, 50), st.lists(NAMES, min_size=1, max_size=3)), max_size=12),
)
def test_each_is_as_if_it_had_been_made_alone(
    first: list[str], steps: list[tuple[int, list[str]]]
) -> None:
    known = [(Schema([field(name) for name in first], [("t",)] * len(first)), first)]
    for origin, names in steps:
        schema, before = known[origin % len(known)]
        known.append((schema.extended(tuple(map(field, names))), before + names))
    for schema, names in known:
        alone = Schema([field(name) for name in names])
        assert len(schema) == len(alone)
        assert [schema[place] for place in range(len(schema))] == list(alone.fields)
        assert dict(schema.by_name.items()) == dict(alone.by_name.items())
        assert set(schema.by_name) == set(alone.by_name)
        assert len(schema.by_name) == len(alone.by_name)
        assert schema.by_name.copy() == alone.by_name.copy()
        for name in "abcdef":
            assert (name in schema.by_name) == (name in alone.by_name)
            assert schema.by_name.get(name) == alone.by_name.get(name)
            assert schema.by_name.find_unique(name) == alone.by_name.find_unique(name)
            assert find(schema, name) == find(alone, name)
        assert schema == alone
        assert schema.names == alone.names
        assert schema.qualifiers == (("t",),) * len(first) + ((),) * (len(names) - len(first))
        assert schema.references == alone.references


@given(
    st.lists(NAMES, min_size=1, max_size=5),
    st.lists(
        st.tuples(st.integers(0, 50), st.lists(NAMES, max_size=2), st.sets(st.integers(0, 9))),
        max_size=12,
    ),
)
def test_columns_that_are_dropped_were_never_there(
    first: list[str], steps: list[tuple[int, list[str], set[int]]]
) -> None:
    known = [(Schema([field(name) for name in first], [("t",)] * len(first)), first)]
    for origin, names, places in steps:
        schema, before = known[origin % len(known)]
        gone = sorted(place for place in places if place < len(before))
        left = [name for place, name in enumerate(before) if place not in gone]
        known.append((schema.without(tuple(gone)).extended(tuple(map(field, names))), left + names))
        known.append((schema.without(tuple(gone)), left))
    for schema, names in known:
        alone = Schema([field(name) for name in names], schema.qualifiers)
        assert len(schema) == len(alone)
        assert [schema[place] for place in range(len(schema))] == list(alone.fields)
        assert dict(schema.by_name.items()) == dict(alone.by_name.items())
        assert set(schema.by_name) == set(alone.by_name)
        assert len(schema.by_name) == len(alone.by_name)
        assert schema.by_name.copy() == alone.by_name.copy()
        for name in "abcdef":
            assert (name in schema.by_name) == (name in alone.by_name)
            assert schema.by_name.get(name) == alone.by_name.get(name)
            assert schema.by_name.find_unique(name) == alone.by_name.find_unique(name)
            assert find(schema, name) == find(alone, name)
            assert find_qualified(schema, name) == find_qualified(alone, name)
        assert schema == alone
        assert schema.names == alone.names
        assert schema.references == alone.references


@given(st.lists(st.sampled_from("abcdef"), unique=True, min_size=2), st.data())
def test_each_column_that_is_left_keeps_its_qualifier(
    names: list[str], data: st.DataObject
) -> None:
    schema = Schema([field(name) for name in names], [(name,) for name in names])
    while len(schema) > 1:
        place = data.draw(st.integers(0, len(schema) - 1))
        schema = schema.without((place,))
        assert all(schema.find_path((each.name, each.name)) for each in schema)
    assert schema.qualifiers == ((schema[0].name,),)


def test_what_is_left_is_listed_for_nobody() -> None:
    schema = Schema([field(f"c{number}") for number in range(100)])
    for number in range(50):
        schema = schema.without((schema.find(f"c{2 * number}"),))
        assert schema._fields is None
        assert schema._qualifiers is None
        assert schema._references is None
    assert schema.names == tuple(f"c{number}" for number in range(1, 100, 2))


def find_qualified(schema: Schema, name: str) -> object:
    try:
        return schema.find_path(("t", name))
    except (UnknownColumnError, AmbiguousColumnError) as error:
        return type(error)


def find(schema: Schema, name: str) -> object:
    try:
        return schema.find(name)
    except (UnknownColumnError, AmbiguousColumnError) as error:
        return type(error)


def test_what_several_threads_make_of_one() -> None:
    base = Schema([field("a")]).extended((field("b"),))

    def widen(number: int) -> bool:
        schema = base
        for place in range(200):
            schema = schema.extended((field(f"c{number}_{place}"),))
        return schema.names == ("a", "b", *(f"c{number}_{place}" for place in range(200)))

    def read(_: int) -> bool:
        return all(dict(base.by_name.items()) == {"a": 0, "b": 1} for _ in range(500))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            readers = pool.map(read, range(8))
            assert all(pool.map(widen, range(16)))
            assert all(readers)
    finally:
        sys.setswitchinterval(before)


def test_a_name_of_another_schema_is_unknown() -> None:
    narrow = Schema([field("a")]).extended((field("b"),))
    wide = narrow.extended((field("c"),))
    assert wide.find("c") == 2
    with pytest.raises(UnknownColumnError):
        narrow.find("c")
    with pytest.raises(KeyError):
        narrow.by_name["c"]
