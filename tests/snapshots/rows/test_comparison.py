"""Comparing rows: what is missing, unexpected or different is found, whatever the rows are."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from viewscribe.snapshots.rows.comparison import SHOWN, compare_rows

VALUES = st.sampled_from([None, 0, 1, True, 1.0, float("nan"), "1", "a", b"", (1, None), ()])
ROWS = st.lists(st.tuples(VALUES, VALUES), max_size=8)
COLUMNS = ("a", "b")


def shown(rows):
    return Counter(map(repr, rows))


@given(ROWS, st.randoms(use_true_random=False))
def test_the_same_rows_in_any_order_are_the_same(rows, random):
    mixed = random.sample(rows, len(rows))
    assert compare_rows(COLUMNS, rows, mixed, ordered=False) is None
    assert compare_rows(COLUMNS, rows, rows, ordered=True) is None
    found = compare_rows(COLUMNS, rows, mixed, ordered=True)
    same = [repr(row) for row in rows] == [repr(row) for row in mixed]
    assert (found is None) == same
    if found is not None:
        assert found.order is not None
        assert found.lines()


@given(ROWS, ROWS, st.booleans())
def test_every_other_row_is_told(expected, there, ordered):
    found = compare_rows(COLUMNS, expected, there, ordered=ordered)
    missing, unexpected = shown(expected) - shown(there), shown(there) - shown(expected)
    if found is None or found.order is not None:
        assert not missing
        assert not unexpected
        return
    assert shown([*found.missing, *(one for one, _ in found.changed)]) == missing
    assert shown([*found.unexpected, *(other for _, other in found.changed)]) == unexpected
    assert found.summary()
    assert all(len(line) < 200 for line in found.lines())


@given(ROWS, ROWS)
def test_with_a_tolerance_it_is_the_same_where_nothing_is_near(expected, there):
    exact = compare_rows(COLUMNS, expected, there, ordered=False)
    nearly = compare_rows(COLUMNS, expected, there, ordered=False, tolerance=1e-9)
    assert (exact is None) == (nearly is None)


def test_many_rows_are_cut():
    found = compare_rows(("a",), [], [(n,) for n in range(50)], ordered=False)
    assert found is not None
    lines = found.lines()
    assert len(lines) == 1 + SHOWN + 1
    assert lines[-1] == f"  … and {50 - SHOWN} more"


def test_what_nobody_sees_is_shown():
    found = compare_rows(("a",), [("\u202ex",)], [("x\n",)], ordered=False)
    assert found is not None
    assert "\u202e" not in "".join(found.lines())
