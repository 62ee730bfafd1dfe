"""Entries: what their texts say, and the errors for texts that say nothing."""

from __future__ import annotations

import pytest

from tests.expressions.functions.test_definitions import definitions
from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import FLAGS, NOTES, aggregate, scalar
from viewscribe.expressions.functions.inference import ANY, TEXT_OR_BINARY, exactly_argument
from viewscribe.expressions.functions.signatures import read_signature
from viewscribe.expressions.functions.validators import exactly
from viewscribe.expressions.nodes import FieldReference
from viewscribe.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    INT,
    STRING,
    TIMESTAMP,
    LogicalType,
    array,
    decimal,
)

ONCE = """once(str: TEXT_OR_BINARY, pos: literal(INT),
        len: INT = 2147483647, pad: text(STRING) = ' ') -> $0
    What a sentence of two lines
    says.
    since 2.1.0, alias one, method first_of, class A B, try-class C, sql ONCE, collated 0 3,
    receiver 1, never fails, random"""


def result_of(result: str, *given: LogicalType) -> LogicalType:
    function = scalar(f"f(ANY?...) -> {result}")
    return function.infer([FieldReference(i, "c", type_) for i, type_ in enumerate(given)])


def test_all_that_a_text_says() -> None:
    once = scalar(ONCE)
    assert (once.name, once.sql_name, once.aliases, once.methods) == (
        *("once", "ONCE"),
        *(("one",), ("first_of",)),
    )
    assert once.doc == "What a sentence of two lines says."
    assert once.parameter_names == ("str", "pos", "len", "pad")
    assert once.defaults == ("2147483647", " ")
    assert (once.inference.required, once.inference.most) == (2, 4)
    assert once.inference.arguments[0] is TEXT_OR_BINARY
    assert [each.literal_only for each in once.inference.arguments] == [False, True, False, False]
    assert [each.text for each in once.inference.arguments] == [False, True, False, True]
    assert (once.since, once.catalyst, once.catalyst_try) == ("2.1.0", ("A", "B"), "C")
    assert (once.receiver, once.never_fails, once.deterministic) == (1, True, False)
    assert once.collated is not None
    assert list(once.collated(4)) == [[0, 3]]
    assert once.signature == "ONCE(STRING or BINARY, INT, [INT], [STRING])"


def test_what_it_leaves_out_is_the_default() -> None:
    plain = aggregate("plain_one(ANY) -> INT")
    assert (plain.doc, plain.since, plain.catalyst) == ("", "1.0.0", ("PlainOne",))
    assert (plain.parameter_names, plain.defaults, plain.aliases) == ((), (), ())


def test_how_many_arguments() -> None:
    counts = {
        "f()": (0, 0, False),
        "f(INT)": (1, 1, False),
        "f(INT, INT?)": (1, 2, False),
        "f(INT, INT = 1)": (1, 2, False),
        "f(INT...)": (1, 1, True),
        "f(INT, INT?...)": (1, 2, True),
    }
    for text, expected in counts.items():
        read = read_signature(text)
        assert (read.required, len(read.arguments), read.variadic) == expected, text


@pytest.mark.parametrize(
    ("type_", "passes", "fails"),
    [
        ("STRING | BINARY", [STRING, BINARY], [array(INT)]),
        ("exactly(INT, BIGINT)", [INT, BIGINT], [STRING]),
        ("ARRAY<STRING>", [array(STRING), array(DATE)], [STRING]),
        ("array_shape(STRING)", [array(STRING)], [array(DATE)]),
        ("DECIMAL(18, 6)", [INT, decimal(3, 1)], [BOOLEAN]),
        ("NUMERIC", [INT, decimal(3, 1)], [DATE]),
    ],
)
def test_types_in_a_signature(
    type_: str, passes: list[LogicalType], fails: list[LogicalType]
) -> None:
    (argument,) = read_signature(f"f({type_})").arguments
    assert all(map(argument.accepts, passes))
    assert not any(map(argument.accepts, fails))


def test_validators_in_python_take_the_places_of_underscores() -> None:
    one, two = exactly(DATE), exactly(TIMESTAMP)
    read = read_signature("f(a: _, INT, _?)", (one, two))
    assert read.arguments[0] is one
    assert read.arguments[2] is two
    assert read.names == ("a",)


def test_results() -> None:
    there = INT.not_null()
    assert result_of("BIGINT", INT) == BIGINT
    assert result_of("BIGINT", there) == BIGINT.not_null()
    assert result_of("BIGINT!", INT) == BIGINT.not_null()
    assert result_of("BIGINT?", there) == BIGINT
    assert result_of("$1", INT, there) == INT
    assert result_of("exactly_argument(1)", INT, there) == there
    assert result_of("$0!", INT) == there
    assert result_of("$0?", there) == INT
    assert result_of("element_of(0)?", array(there)) == INT
    assert result_of("common(1)", DATE, there, BIGINT.not_null()) == BIGINT.not_null()
    assert result_of("nullable_with_arguments(DECIMAL(9, 2)!)", INT) == decimal(9, 2)
    assert result_of("ARRAY<STRING>", there) == array(STRING).not_null()


def test_the_rules_in_python_add_up() -> None:
    function = scalar("f(_)").where(args=(ANY,)).where(returns=exactly_argument(0))
    assert function.infer([FieldReference(0, "c", DATE)]) == DATE


def test_a_text_is_read_when_it_is_first_used() -> None:
    broken = scalar("broken(STRNG) -> INT\n    It cannot be used.\n    alias torn")
    assert (broken.name, broken.aliases, broken.doc) == ("broken", ("torn",), "It cannot be used.")
    for _ in range(2):
        with pytest.raises(ValidationError, match="it knows no `STRNG`"):
            broken.infer(())


@pytest.mark.parametrize(
    ("text", "wrong", "hint"),
    [
        ("f(STRNG) -> INT", "it knows no `STRNG`", "did you mean: STRING"),
        ("f(ANY) -> element(0)", "it knows no `element`", "did you mean: element_of"),
        ("f(litral(INT)) -> INT", "it knows no `litral`", "did you mean: literal"),
        ("f(ANY) -> NUMERIC", "a result is a type", "such as: "),
        ("f(ANY, INT", r"`,` is expected, not the end", "such as: "),
        ("f(ANY INT) -> INT", "`,` is expected, not `INT`", "such as: "),
        ("f(ANY..., INT) -> INT", "only the last argument repeats", "such as: "),
        ("f(INT, b: INT) -> INT", "has a name behind one that has none", "such as: "),
        ("f(ANY) -> INT INT", "the end is expected, not `INT`", "such as: "),
        ("f(ANY) ->", "it ends too early", "such as: "),
        ("f", r"`\(` is expected", "such as: "),
        ("f(_) -> INT", "has no validator for a `_`", "such as: "),
        ("f(exactly(ANY)) -> INT", "`exactly` does not take that", "such as: "),
        ("f(ARRAY<ANY>) -> INT", "the elements of an ARRAY", "such as: "),
        ("f(ANY)", "says nothing of its result", "where"),
    ],
)
def test_a_wrong_signature(text: str, wrong: str, hint: str) -> None:
    with pytest.raises(ValidationError, match=wrong) as error:
        scalar(text).infer(())
    assert error.value.hint is not None
    assert hint in error.value.hint


def test_what_is_said_twice() -> None:
    with pytest.raises(ValidationError, match="says two things of its result"):
        scalar("f(ANY) -> INT").where(returns=exactly_argument(0)).infer(())
    with pytest.raises(ValidationError, match="args= has more validators than it has `_`"):
        scalar("f(ANY) -> INT").where(args=(ANY,)).infer(())


def test_a_wrong_note_is_an_error_at_once() -> None:
    with pytest.raises(ValidationError, match="`never fail`") as error:
        scalar("f() -> INT\n    One.\n    since 1.5.0, never fail")
    assert error.value.hint == "did you mean: never fails"


def test_every_note_is_used() -> None:
    """A note that no entry has is one that nobody needs."""
    fields = {field for flag in FLAGS.values() for field in flag}
    fields |= {field for read in NOTES.values() for field in read("1")}
    plain = scalar("plain(ANY) -> INT\n    Plain.")
    differs = {
        field
        for each in definitions()
        for field in fields - {"spelled", "sql_name", "catalyst"}
        if getattr(each, field) != getattr(plain, field)
    }
    assert differs == fields - {"spelled", "sql_name", "catalyst"}


def test_the_context_knows_the_function() -> None:
    seen: list[str] = []

    def returns(context: CallContext) -> LogicalType:
        seen.append(context.function.name)
        return INT

    scalar("named()").where(returns=returns).infer(())
    assert seen == ["named"]
