"""Rows as functions are given them, and the columns that pass through beside what they do."""

from __future__ import annotations

import copy
import dataclasses
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import viewscribe as vs
from viewscribe import ArgumentTrait, ChangelogMode, RowKind
from viewscribe.errors import ValidationError

T = ArgumentTrait
COLUMNS = ("visitor", "page", "n", "tags")
SCHEMA = "visitor STRING, page STRING, n BIGINT, tags ARRAY<STRING>"
TYPES = {"visitor": str, "page": str, "n": int, "tags": list[str]}


def function(
    annotation: Any, *traits: ArgumentTrait, output: str = "seen STRING", changes: bool = False
) -> type[vs.ProcessTableFunction[Any]]:
    """One that gives its row as text, and changes what in it can be changed."""

    class Told(vs.ProcessTableFunction[Any]):
        output_type = output

        def input_changelog_mode(self) -> ChangelogMode:
            return ChangelogMode.RETRACT if changes else ChangelogMode.INSERT_ONLY

        def eval(self, input: Any) -> None:
            self.collect((repr(input),))
            for name in COLUMNS:
                if isinstance(getattr(input, name, None), list):
                    getattr(input, name).append("changed")

    Told.eval.__annotations__["input"] = Annotated[annotation, vs.ArgumentHint(*traits)]
    return Told


@st.composite
def row_classes(draw: st.DrawFn) -> Any:
    """A class of rows: any, or one of some columns in any order."""
    names = draw(st.permutations(COLUMNS))[: draw(st.integers(1, 4))]
    kind = draw(st.sampled_from(["row", "dataclass", "keywords", "named tuple"]))
    if kind == "row":
        return vs.Row
    fields: Any = [(name, TYPES[name]) for name in names]
    if kind == "named tuple":
        return NamedTuple("Made", fields)
    return dataclasses.make_dataclass("Made", fields, kw_only=kind == "keywords")


rows = st.lists(
    st.tuples(
        st.text("ab", max_size=2),
        st.none() | st.text("ab", max_size=2),
        st.integers(0, 3),
        st.none() | st.lists(st.sampled_from("xy"), max_size=2),
    ),
    min_size=1,
    max_size=4,
)


@given(row_classes(), rows, st.booleans())
def test_columns_pass_through_as_they_came_whatever_class_the_rows_are_of(
    annotation: Any, given_rows: list[Any], changes: bool
) -> None:
    traits = (T.TABLE_AS_ROW, T.PASS_COLUMNS_THROUGH)
    called = function(annotation, *traits, changes=changes)
    schema, expected = SCHEMA, copy.deepcopy(given_rows)
    if changes:
        schema, given_rows = f"op STRING, {SCHEMA}", [("-D", *row) for row in given_rows]
        expected = [("-D", *row) for row in expected]
    found = vs.process.run(called, {"input": given_rows}, schema=schema)
    assert [tuple(row)[:-1] for row in found] == expected


@given(row_classes(), rows)
def test_a_row_has_its_values_in_the_columns_of_their_names(
    annotation: Any, given_rows: list[Any]
) -> None:
    found = vs.process.run(
        function(annotation, T.TABLE_AS_ROW), {"input": given_rows}, schema=SCHEMA
    )
    for row, given_row in zip(found, given_rows, strict=True):
        values = dict(zip(COLUMNS, given_row, strict=True))
        if annotation is vs.Row:
            assert row.seen == repr(vs.Row(**values))
        else:
            names = getattr(annotation, "_fields", None) or annotation.__dataclass_fields__
            assert row.seen == repr(annotation(**{name: values[name] for name in names}))


@dataclass
class Loud:
    """A row that does something when it is made."""

    name: str
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.name = self.name.upper()


def test_rows_are_made_only_where_there_are_some() -> None:
    class Both(vs.ProcessTableFunction[Any]):
        output_type = "name STRING, size BIGINT"

        def eval(
            self,
            left: Annotated[Loud | None, vs.ArgumentHint(T.TABLE_AS_SET)],
            right: Annotated[Loud | None, vs.ArgumentHint(T.TABLE_AS_SET)],
        ) -> None:
            row = left or right
            assert row is not None
            self.collect((row.name, row.size))

    tables = {"left": [{"name": "a", "size": 1}], "right": [{"name": "a", "size": 2}]}
    found = vs.process.run(Both, tables, partition_by="name")
    assert [tuple(row)[2:] for row in found] == [("A", 1), ("A", 2)]


def test_a_column_named_kind_is_a_column_and_in_a_changelog_the_kind_is_what_the_row_does() -> None:
    class Kinds(vs.ProcessTableFunction[Any]):
        output_type = "kind STRING"

        def eval(self, input: Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_ROW)]) -> None:
            self.collect((str(input.kind),))

    class Changes(Kinds):
        def input_changelog_mode(self) -> ChangelogMode:
            return ChangelogMode.RETRACT

    plain = [{"kind": "click"}, {"kind": "view"}]
    assert [*vs.process.run(Kinds, {"input": plain})] == [("click",), ("view",)]
    changes = [{"op": op, "kind": "click"} for op in ("+I", "-D")]
    found = [tuple(row) for row in vs.process.run(Changes, {"input": changes})]
    assert found == [("RowKind.INSERT",), ("RowKind.DELETE",)]
    named: Any = vs.Row(kind="click")
    assert named.kind == "click"
    assert vs.Row(name="click").kind is RowKind.INSERT


def test_a_copy_of_a_row_does_what_the_row_does() -> None:
    from viewscribe.expressions.functions.process.rows import row_class

    for kind in RowKind:
        row = row_class(("kind", "x"), kind)(("a", [1]))
        assert copy.deepcopy(row).kind is kind
        assert copy.deepcopy(row) == row


@pytest.mark.parametrize("given_kind", [None, "I", ""])
def test_a_row_of_a_changelog_without_an_operation_is_named(given_kind: str | None) -> None:
    called = function(vs.Row, T.TABLE_AS_ROW, changes=True)
    with pytest.raises(ValidationError, match=r"has (NULL|'I'|'') in its column `op`"):
        vs.process.run(called, {"input": [(given_kind, 1)]}, schema="op STRING, x INT")
