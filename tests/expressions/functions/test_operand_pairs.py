"""The pairs of types that errors of operators show are those that the operators take."""

from __future__ import annotations

import itertools

import pytest

from viewscribe import TableEnvironment, call, col, lit
from viewscribe.errors import TypeMismatchError
from viewscribe.expressions.functions.operand_pairs import (
    MONTHS,
    NUMBER,
    SAME,
    SECONDS,
    WHOLE,
    describe_operands,
)
from viewscribe.expressions.functions.registry import all_built_ins, built_in
from viewscribe.expressions.functions.syntax import FUNCTION
from viewscribe.expressions.schema import Schema
from viewscribe.types import Field
from viewscribe.types.ddl import parse_type

PAIRS = {each.name: each.operands for each in all_built_ins().values() if each.operands is not None}
FAMILIES = {
    "INT": (NUMBER, WHOLE, "INT"),
    "BIGINT": (NUMBER, WHOLE),
    "DOUBLE": (NUMBER,),
    "DECIMAL(5, 2)": (NUMBER, "DECIMAL"),
    "STRING": ("STRING", "<its key>"),
    "DATE": ("DATE",),
    "TIMESTAMP": ("TIMESTAMP",),
    "TIME": ("TIME",),
    "INTERVAL YEAR TO MONTH": (MONTHS,),
    "INTERVAL DAY TO SECOND": (SECONDS,),
    "BOOLEAN": ("BOOLEAN",),
    "BINARY": ("BINARY",),
    "ARRAY<INT>": ("ARRAY",),
    "MAP<STRING, INT>": ("MAP",),
    "STRUCT<a: INT>": ("STRUCT",),
    "VARIANT": ("VARIANT",),
}


def is_of(type_: str, families: str) -> bool:
    for known in (MONTHS, SECONDS):
        families = families.replace(known, known.replace(" or ", "/"))
    known_as = [each.replace(" or ", "/") for each in FAMILIES[type_]]
    return any(each in known_as for each in families.split(" or "))


def shown(name: str, first: str, other: str) -> bool:
    return any(
        is_of(first, left) and (first == other if right == SAME else is_of(other, right))
        for left, right in PAIRS[name]
    )


def taken(name: str, first: str, other: str) -> bool:
    types = (first, other, other) if name == "between" else (first, other)
    fields = [Field(f"c{at}", parse_type(each)) for at, each in enumerate(types)]
    try:
        built_in(name).infer(Schema(tuple(fields)).references)
    except TypeMismatchError:
        return False
    return True


@pytest.mark.parametrize("name", PAIRS)
def test_shown_pairs_are_the_ones_that_are_taken(name: str) -> None:
    pairs = itertools.product(FAMILIES, repeat=2)
    wrong = [
        (first, other, "shown" if shown(name, first, other) else "taken")
        for first, other in pairs
        if shown(name, first, other) is not taken(name, first, other)
        # A text is read as what stands beside it.
        and ("STRING" not in (first, other) or shown(name, first, other))
    ]
    if name == "get_item":  # keys are cast to the type of the map's
        wrong = [each for each in wrong if each[0] != "MAP<STRING, INT>"]
    assert wrong == []


def test_errors_show_them() -> None:
    env = TableEnvironment()
    env.create_table("t", "d DATE, s BOOLEAN")
    with pytest.raises(TypeMismatchError) as caught:
        env.from_path("t").select((col("d") + col("s")).alias("x"))
    assert describe_operands(built_in("plus")) in (caught.value.hint or "")
    assert "DATE + INT; DATE or TIMESTAMP + INTERVAL of months;" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("get_item", "ARRAY[<whole number>]; MAP[<its key>]"),
        ("between", "<numeric> BETWEEN <numeric> AND <numeric>; "),
        ("in", "<numeric> IN (<numeric>, …); "),
        ("equal_null", "<numeric> <=> <numeric>; "),
        ("pmod", "pmod(<numeric>, <numeric>)"),
    ],
)
def test_they_are_written_as_sql_writes_them(name: str, written: str) -> None:
    assert describe_operands(built_in(name)).startswith(written)


def test_no_operator_shows_a_name_that_sql_does_not_know() -> None:
    for name in PAIRS:
        function = built_in(name)
        shown = describe_operands(function)
        assert f"{function.name} " not in shown or function.syntax == FUNCTION


@pytest.mark.parametrize("name", ["and", "or"])
def test_text_is_true_or_false_only_beside_a_boolean(name: str) -> None:
    """Spark takes the terms from the left, and knows none of ``'t' OR 'f'``."""
    truth, text, nothing = col("b"), col("s"), lit(None)
    env = TableEnvironment()
    env.create_table("t", "b BOOLEAN, s STRING")
    table = env.from_path("t")
    for terms in ((truth, text), (text, truth, text), (nothing, truth), (nothing, nothing, text)):
        assert table.select(call(name, *terms).alias("x")).schema.names == ("x",)
    for terms in ((text, text), (text, text, truth), (nothing, text), (text, nothing, truth)):
        with pytest.raises(TypeMismatchError, match="only beside one"):
            table.select(call(name, *terms).alias("x"))


def test_kin_of_operators_show_them_as_calls() -> None:
    """They showed ``try_subtract(<any>, <any>)``, which says nothing."""
    env = TableEnvironment()
    env.create_table("t", "d DATE, s BOOLEAN")
    for name in ("try_add", "try_subtract", "try_multiply", "try_divide", "try_mod", "pmod"):
        with pytest.raises(TypeMismatchError) as caught:
            env.from_path("t").select(call(name, col("d"), col("s")).alias("x"))
        assert f"expected: {name}(<numeric>, <numeric>)" in (caught.value.hint or "")
        assert "<any>" not in str(caught.value)
