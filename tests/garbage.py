"""What the garbage collector of the tests' Python leaves alone."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

YOUNG = 10_000
"""How many objects are made before they are looked at; 700 are too few where trees are built."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Never walks through modules and tests: they stay to the end, and there are millions of them.

    Collecting all tests takes 5 s of processor time instead of 8; running those of large trees, a
    tenth less.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(YOUNG)
        gc.enable()
