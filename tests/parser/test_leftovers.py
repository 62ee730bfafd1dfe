"""What reads and prints a query is gone when it is done, without Python's cycle collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.tpch import data
from viewscribe import TableEnvironment

TEXTS = sorted((Path(data.__file__).parent / "sql").glob("q*.sql"))


@pytest.fixture(scope="module")
def env() -> TableEnvironment:
    made = TableEnvironment()
    for name, schema in data.SCHEMAS.items():
        made.create_table(name, schema)
    return made


@pytest.fixture
def _uncollected() -> Iterator[None]:
    """What other tests hold is left alone, or each look walks through all of it."""
    gc.disable()
    gc.collect()
    gc.freeze()
    yield
    gc.enable()


@pytest.mark.usefixtures("_uncollected")
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_nothing_is_left_for_the_collector(env: TableEnvironment, path: Path) -> None:
    """Thousands of views are read and printed one after the other, and cycles took a tenth."""
    text = path.read_text()
    env.sql_query(text).to_sql()  # what is remembered from the first time on
    found = [_left_by(env, text) for _ in range(3)]
    assert 0 in found, found  # threads of other tests may leave something now and then


def _left_by(env: TableEnvironment, text: str) -> int:
    gc.collect()
    env.sql_query(text).to_sql()
    return gc.collect()
