"""Rows and state as functions see them."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import viewscribe as vs
from viewscribe.errors import UnknownColumnError
from viewscribe.expressions.functions.process.rows import MutableRow, row_class

names = st.lists(st.text(min_size=1), min_size=1, max_size=5, unique=True)


@given(names, st.data())
def test_rows_are_tuples_with_names(fields: list[str], data: st.DataObject) -> None:
    values = data.draw(st.tuples(*[st.integers() for _ in fields]))
    row = row_class(fields)(values)
    assert row == values
    assert row.as_dict() == dict(zip(fields, values, strict=True))
    assert [row[name] for name in fields] == list(values)
    assert pickle.loads(pickle.dumps(row)) == row
    assert pickle.loads(pickle.dumps(row)).as_dict() == row.as_dict()


def test_names_are_attributes_even_those_of_tuples() -> None:
    row = vs.Row(count=3, index=4)
    assert [getattr(row, name) for name in ("count", "index")] == [3, 4]
    assert repr(row) == "Row(count=3, index=4)"
    assert row.kind is vs.RowKind.INSERT


def test_unknown_names_say_which_there_are() -> None:
    row = vs.Row(price=3)
    with pytest.raises(UnknownColumnError, match="no column `prise`") as caught:
        row["prise"]
    assert "price" in (caught.value.hint or "")
    with pytest.raises(AttributeError, match="no column `prise`"):
        row.prise  # noqa: B018


def test_kinds_belong_to_rows_of_changelogs() -> None:
    row = row_class(["a"], vs.RowKind.DELETE)([1])
    assert row.kind is vs.RowKind.DELETE
    assert not row.kind.adds
    assert vs.RowKind("+U").adds


def test_state_that_is_a_row_changes_in_place() -> None:
    state = MutableRow(["left", "right"])
    assert state.left is None
    state.left = 1
    state["right"] = 2
    assert list(state) == [1, 2]
    assert state == MutableRow(["left", "right"], [1, 2])
    with pytest.raises(AttributeError, match="no field `lift`"):
        state.lift = 1
    with pytest.raises(UnknownColumnError, match="no field `lift`"):
        state["lift"] = 1


def test_lists_and_maps() -> None:
    kept: vs.ListState[int] = vs.ListState([1])
    kept.add(2)
    kept.add_all([3])
    assert kept.get() == [1, 2, 3] == list(kept)
    kept.update([4])
    assert len(kept) == 1
    kept.clear()
    assert not kept.get()
    by_name: vs.MapState[str, int] = vs.MapState({"a": 1})
    by_name.put("b", 2)
    by_name["c"] = 3
    by_name.remove("a")
    assert by_name.items() == [("b", 2), ("c", 3)]
    assert by_name.get("a", 0) == 0
    assert "b" in by_name
    assert by_name["b"] == 2
