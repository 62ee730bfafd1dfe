"""Input strategies: what NULLs of no type, and arguments beside others, are cast to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.expressions.functions.test_output_strategies import call_of
from tests.types.strategies import types
from viewscribe.errors import TypeMismatchError
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.inference import to_common_type, to_first_known
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.nodes import FieldReference
from viewscribe.types import BIGINT, DATE, INT, STRING, VOID, LogicalType, VoidType, array
from viewscribe.types.coercion import LEGACY, coercion, common_type_of, merged_type_of
from viewscribe.types.nested_types import value_type

FEW = st.lists(st.one_of(types().map(value_type), st.just(VOID)), min_size=1, max_size=4)


@given(FEW)
def test_nulls_become_the_first_type_that_is_known(given: list[LogicalType]) -> None:
    got = to_first_known()(call_of(given))
    known = [each for each in given if not isinstance(each, VoidType)]
    for before, after in zip(given, got, strict=True):
        if not isinstance(before, VoidType):
            assert after == before
        elif known:
            assert after.same_type(known[0])
            assert after.nullable == before.nullable
        else:
            assert after == before
    assert [VOID, *got] == to_first_known(1)(call_of([VOID, *given]))


def test_nulls_become_the_default_where_no_type_is_known() -> None:
    assert to_first_known(1, default=DATE)(call_of([INT, VOID, VOID])) == [INT, DATE, DATE]
    assert to_first_known(1, default=DATE)(call_of([VOID, VOID, INT])) == [VOID, INT, INT]


@given(FEW)
def test_all_become_the_type_they_have_in_common(given: list[LogicalType]) -> None:
    found = common_type_of(given)
    if found is None:
        with pytest.raises(TypeMismatchError, match="no common type"):
            to_common_type()(call_of(given))
        return
    got = to_common_type()(call_of(given))
    assert all(each.same_type(found) for each in got)
    merged = merged_type_of(given)
    assert merged is not None
    assert any(each.nullable for each in got) == merged.nullable
    assert [DATE, *got] == to_common_type(1)(call_of([DATE, *given]))


def test_the_type_in_common_is_that_of_the_coercion_in_force() -> None:
    given = [INT.not_null(), STRING.not_null()]
    assert to_common_type()(call_of(given)) == [BIGINT.not_null(), BIGINT]
    with coercion(LEGACY):
        assert to_common_type()(call_of(given)) == [STRING.not_null()] * 2


def test_the_output_strategy_sees_what_the_arguments_become() -> None:
    first = scalar("first_there(ANY, ANY) -> exactly_argument(0)").where(inputs=to_first_known())
    columns = [FieldReference(0, "a", VOID), FieldReference(1, "b", array(INT))]
    assert first.infer(columns) == array(INT)
    widest = scalar("widest(ANY...) -> $0").where(inputs=to_common_type())
    both = [FieldReference(0, "a", INT.not_null()), FieldReference(1, "b", BIGINT.not_null())]
    assert widest.infer(both) == BIGINT.not_null()


def test_the_registry_says_which_arguments_are_cast_together() -> None:
    together = ("coalesce", "nvl", "greatest", "least", "nanvl", "time_bucket")
    assert all(built_in(name).inference.inputs is not None for name in together)
