"""The types we infer, nullability included, are Spark's; what Spark refuses, we refuse.

What Spark says was recorded once (``recorded.py``); ``test_running_spark.py`` asks it again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.expressions.functions.calls import AGGREGATES, GENERATORS, SCALARS, WINDOWS, calls
from tests.expressions.functions.calls_formats import JOINED, NOT_LOADED
from tests.expressions.functions.calls_times import TABLES
from tests.expressions.functions.matrix import GROUPS, Question, questions, without_hints
from tests.expressions.functions.recorded import FILE, MODES, OTHERS, Answers, recorded, texts_of
from tests.expressions.functions.special_calls import LAMBDAS, NAMED
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import all_built_ins
from viewscribe.types.coercion import ANSI, LEGACY, Coercion, coercion

# Functions no test compares, and why.
NOT_COMPARED = {
    **dict.fromkeys(NOT_LOADED, "Spark's package of the format is not there: see test_bytes.py"),
    "grouping": "only inside GROUP BY … WITH ROLLUP, CUBE or GROUPING SETS",
    "grouping_id": "only inside GROUP BY … WITH ROLLUP, CUBE or GROUPING SETS",
}

POLICIES = {"ansi": ANSI, "legacy": LEGACY}
LISTED = Path(__file__).with_name("differs_without_ansi.txt")
MOST_SHOWN = 40


def listed(mode: str) -> set[str]:
    """The calls that are known to differ, by their SQL."""
    if mode == "ansi":
        return set()
    lines = LISTED.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


@pytest.mark.slow("compares 80,000 types")
@pytest.mark.parametrize("group", GROUPS)
def test_types_are_those_recorded_of_spark(group: str) -> None:
    for mode in MODES:
        _compare(questions(group), recorded(group, mode), listed(mode), POLICIES[mode])


def _compare(asked: list[Question], theirs: Answers, known: set[str], policy: Coercion) -> None:
    wrong, exact = [], []
    with coercion(policy), without_hints():
        for name, text, ours in [(each.name, each.text, each.answer) for each in asked]:
            assert text in theirs, f"Spark was never asked for {text}: run `make types`"
            if ours != theirs[text] and text not in known:
                wrong.append(f"{name}: {text}\n    Spark {theirs[text]}, we {ours}")
            if ours == theirs[text] and text in known:
                exact.append(text)
    assert not wrong, f"{len(wrong)} of {len(theirs)} differ:\n" + "\n".join(wrong[:MOST_SHOWN])
    assert not exact, f"no longer different, take out of {LISTED.name}: {exact}"


@pytest.mark.slow("every function")
def test_nothing_is_recorded_or_listed_that_is_not_compared() -> None:
    asked = {group: texts_of(group) for group in (*GROUPS, *OTHERS)}
    for group, texts in asked.items():
        left = recorded(group, "ansi").keys() - texts
        assert not left, f"recorded, but no longer asked: run `make types`: {sorted(left)[:5]}"
    assert listed("legacy") <= set().union(*asked.values())


def test_the_record_is_small() -> None:
    assert FILE.stat().st_size < 1_000_000
    assert sum(len(recorded(group, "ansi")) for group in GROUPS) > 40_000


def test_every_function_is_compared() -> None:
    tables = (SCALARS, AGGREGATES, WINDOWS, GENERATORS, JOINED)
    compared = {name for table in tables for name, _ in calls(table)}
    compared |= {name for name, _ in TABLES}
    compared |= LAMBDAS.keys() | NAMED.keys() | NOT_COMPARED.keys() | {"window_time"}
    ours = {each for each in all_built_ins().values() if each.kind is not FunctionKind.DECLARATIVE}
    assert {definition.name for definition in ours} == compared
