"""``make quick ROOM=…``: a room and the rooms that stand on it."""

from __future__ import annotations

import pytest

from tests import rooms


def folders(room: str) -> list[str]:
    return [each for each in rooms.arguments(room) if not each.startswith("--")]


def test_a_room_comes_with_those_above_it_the_lowest_first():
    assert folders("cli") == ["tests/cli"]
    from_serializer = folders("serializer")
    assert (from_serializer[0], from_serializer[-1]) == ("tests/serializer", "tests/cli")
    assert folders("types")[-len(from_serializer) :] == from_serializer


def test_every_room_has_tests_of_its_own_or_those_above():
    for room in rooms.layers():
        assert folders(room), room


def test_what_has_no_part_in_the_room_is_left_out():
    crashes = "tests/catalog_store/test_crashes.py"
    assert f"--ignore={crashes}" in rooms.arguments("serializer")
    assert f"--ignore={crashes}" not in rooms.arguments("catalog_store")
    assert all((rooms.TESTS.parent / path).is_file() for path in rooms.BY_THEMSELVES)


def test_a_path_is_itself():
    assert rooms.arguments("tests/test_rooms.py") == ["tests/test_rooms.py"]
    assert rooms.arguments("tests/test_rooms.py::test_one") == ["tests/test_rooms.py::test_one"]


def test_what_is_neither_names_the_rooms():
    with pytest.raises(SystemExit, match=r"kitchen is neither a path nor a room; .*, serializer,"):
        rooms.arguments("kitchen")


def test_each_is_named_once(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["rooms", "cli", "tests/cli", "Makefile"])
    rooms.main()
    assert capsys.readouterr().out == "tests/cli Makefile\n"
