"""Garbage of tests is collected, and what was there before them is not looked through."""

from __future__ import annotations

import gc
import weakref

import pytest


class Node:
    """What can be part of a cycle."""

    itself: Node


def test_what_was_collected_is_left_alone(request: pytest.FixtureRequest) -> None:
    new = Node()
    looked_at = {id(each) for each in gc.get_objects()}
    assert id(new) in looked_at
    assert id(request.node) not in looked_at


def test_cycles_are_still_found() -> None:
    node = Node()
    node.itself = node
    alive = weakref.ref(node)
    del node
    assert gc.isenabled()
    gc.collect()
    assert alive() is None
