"""Files are written as a whole, and nothing that is no file is replaced."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from viewscribe.catalog_store.whole_files import write_whole


def test_a_file_is_replaced(tmp_path: Path) -> None:
    place = tmp_path / "a"
    write_whole(place, b"one")
    write_whole(place, b"two")
    assert place.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [place]


def test_what_is_no_file_stays_what_it_is(tmp_path: Path) -> None:
    """As root, a file put in the place of ``/dev/null`` breaks the machine."""
    pipe, found = tmp_path / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"text")
    reader.join()
    assert found == [b"text"]
    assert pipe.is_fifo()
    write_whole(os.devnull, b"text")
    assert Path(os.devnull).is_char_device()


def test_what_was_there_stays_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "folder", b"text")
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "none" / "a", b"text")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder"]
