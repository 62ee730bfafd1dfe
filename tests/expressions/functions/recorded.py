"""What Spark says of every call of the matrix, recorded once: ``make types`` writes it anew.

A line is the call, its type with ANSI on and, where it is another one, its type with ANSI off. Of
the properties, it is whether the call is foldable and deterministic.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.expressions.functions import clause_calls, constant_calls
from tests.expressions.functions.matrix import GROUPS, REFUSED, questions, shown
from tests.expressions.functions.nearest_calls import proposed
from tests.expressions.functions.property_calls import calls
from viewscribe.spark.session import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from viewscribe.types import LogicalType

FILE = Path(__file__).with_name("spark_types.txt.xz")

MODES = {"ansi": "true", "legacy": "false"}
"""How a mode of coercion is named here, and the value of ``spark.sql.ansi.enabled`` it is."""

OTHERS: dict[str, Callable[[], Iterable[str]]] = {
    "clauses": clause_calls.texts,
    "constants": constant_calls.texts,
    "nearest calls": proposed,
    "properties": calls,
}
"""The calls of groups beside those of the matrix."""

_NEEDED = {
    "spark.sql.timeType.enabled": "true",
    "spark.sql.pyspark.worker.logging.enabled": "true",
}

_NEW_LINE = "⏎"

Answers = dict[str, str]
"""Types by the SQL of the call."""


@cache
def recorded(group: str, mode: str) -> Answers:
    """Spark's types of a group's calls, as ``matrix.shown`` writes them."""
    return {text: answers[mode] for text, answers in _read()[group].items()}


def ask(spark: SparkSession, group: str, mode: str, texts: Iterable[str]) -> Answers:
    """The types that the running Spark gives calls of a group."""
    from tests.expressions.functions.oracle import SparkOracle

    with settings(spark, {"spark.sql.ansi.enabled": MODES[mode]}, own=_NEEDED):
        oracle = SparkOracle(spark)
        asks: dict[str, Callable[[Iterable[str]], Mapping[str, LogicalType | None]]] = {
            "clauses": oracle.checked,
            "generators": oracle.columns,
            "joined": oracle.joined,
            "lambdas": oracle.checked,
            "tables": oracle.tables,
        }
        if group == "properties":
            known = oracle.properties(texts).items()
            return {text: shown_properties(*found) if found else REFUSED for text, found in known}
        found = asks.get(group, oracle.types)(texts)
    return {text: shown(type_) for text, type_ in found.items()}


def shown_properties(foldable: bool, deterministic: bool) -> str:
    """The properties as they are recorded."""
    return f"foldable {foldable}, deterministic {deterministic}".lower()


def texts_of(group: str) -> set[str]:
    """The calls of a group that Spark is asked for."""
    return set(OTHERS[group]()) if group in OTHERS else {each.text for each in questions(group)}


def record(spark: SparkSession) -> None:
    """Asks the running Spark for everything and writes it down."""
    lines: list[str] = []
    for group in (*GROUPS, *OTHERS):
        texts = sorted(texts_of(group))
        ansi, legacy = (ask(spark, group, mode, texts) for mode in MODES)
        lines.append(f"# {group}")
        lines += [_line(text, ansi[text], legacy[text]) for text in texts]
        print(f"{group}: {len(texts)} calls")
    # No check sum and no time: equal answers make equal bytes.
    packed = lzma.compress("\n".join(lines).encode(), check=lzma.CHECK_CRC32, preset=9)
    FILE.write_bytes(packed)


def _line(text: str, ansi: str, legacy: str) -> str:
    assert not {"\t", _NEW_LINE} & set(text), text
    text = text.replace("\n", _NEW_LINE)
    return f"{text}\t{ansi}" if ansi == legacy else f"{text}\t{ansi}\t{legacy}"


@cache
def _read() -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = {}
    group: dict[str, dict[str, str]] = {}
    for line in lzma.decompress(FILE.read_bytes()).decode().splitlines():
        if line.startswith("# "):
            group = found[line[2:]] = {}
            continue
        text, ansi, *legacy = line.split("\t")
        group[text.replace(_NEW_LINE, "\n")] = {
            "ansi": ansi,
            "legacy": legacy[0] if legacy else ansi,
        }
    return found


def main() -> None:
    """Records with a Spark of its own."""
    from viewscribe.spark.local import local_session

    with local_session(master="local[1]", settings={"spark.sql.session.timeZone": "UTC"}) as spark:
        record(spark)
    print(f"{FILE}: {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
