"""A call that does not fit shows the signature and the nearest call that does."""

from __future__ import annotations

from datetime import date

import pytest

from tests.expressions.functions.matrix import REFUSED
from tests.expressions.functions.nearest_calls import hints, proposed
from tests.expressions.functions.palette import SCHEMA
from tests.expressions.functions.recorded import recorded
from viewscribe import call, col, lit
from viewscribe.errors import ArityError, TypeMismatchError
from viewscribe.expressions.dsl import Expression
from viewscribe.expressions.functions.parameters import nearest_call
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.resolve import resolve
from viewscribe.types.coercion import LEGACY, coercion

DAY = lit(date(2024, 1, 1))

CASES = [
    # one too many: left out
    (call("upper", 1, 2), "upper(1)"),
    (call("pi", 1), "pi()"),
    (call("sum", col("b"), 1), "sum(CAST(b AS INT))"),
    # one too few: a place is held for it, before or behind what is there
    (call("substring", col("s")), "substring(s, <INT>)"),
    (call("date_add", DAY), "date_add(DATE '2024-01-01', <INT>)"),
    (call("date_sub", 5), "date_sub(<DATE>, 5)"),
    (call("coalesce"), "coalesce(<any>)"),
    (call("greatest", col("s")), "greatest(s, <orderable>)"),
    # swapped
    (call("date_add", "x", DAY), "date_add(DATE '2024-01-01', 'x')"),
    (call("array_contains", col("i"), col("ai")), "array_contains(ai, i)"),
    # cast
    (call("sum", col("b")), "sum(CAST(b AS INT))"),
    (call("element_at", col("ai"), col("l")), "element_at(ai, CAST(l AS INT))"),
    (call("if", col("i"), 1, 2), "if(CAST(i AS BOOLEAN), 1, 2)"),
    (call("greatest", col("s"), col("i")), "greatest(CAST(s AS INT), i)"),
    (col("i") + col("b"), "i + CAST(b AS INT)"),
    (col("i") & col("b"), "CAST(i AS BOOLEAN) AND b"),
    (~col("i"), "NOT CAST(i AS BOOLEAN)"),
]


@pytest.mark.parametrize(("made", "nearest"), CASES, ids=[nearest for _, nearest in CASES])
def test_the_nearest_call_is_shown(made: Expression, nearest: str) -> None:
    with pytest.raises((ArityError, TypeMismatchError)) as caught:
        resolve(made, SCHEMA)
    assert caught.value.hint is not None
    expected, _, near = caught.value.hint.partition("\n")
    assert expected.startswith("expected: ")
    assert near == f"  nearest: {nearest}"


@pytest.mark.parametrize(
    "made",
    [
        call("map_keys", col("ai")),
        call("percentile", col("d"), col("d")),
        call("make_timestamp", 1, 2, 3, 4),
    ],
)
def test_where_none_is_near_the_signature_is_shown(made: Expression) -> None:
    with pytest.raises((ArityError, TypeMismatchError)) as caught:
        resolve(made, SCHEMA)
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("expected: ")
    assert "nearest" not in caught.value.hint


def test_what_is_near_depends_on_the_coercion() -> None:
    args = [resolve(col(name), SCHEMA) for name in ("dt_n", "s_n")]
    with coercion(LEGACY):
        assert nearest_call(built_in("date_add"), args) == "date_add(dt_n, CAST(s_n AS INT))"


@pytest.mark.slow("looks for the nearest call of each that is refused")
def test_every_refused_call_shows_the_signature() -> None:
    assert len(hints()) > 300
    assert not [text for text, hint in hints().items() if "expected: " not in (hint or "")]


@pytest.mark.slow("every function")
def test_spark_takes_the_nearest_call() -> None:
    theirs = recorded("nearest calls", "ansi")
    assert len(proposed()) > 300
    assert not {text: near for near, text in proposed().items() if theirs[near] == REFUSED}
