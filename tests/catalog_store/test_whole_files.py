"""Files are written as a whole, through no link, and nothing that is no file is replaced."""

from __future__ import annotations

import ast
import os
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import viewscribe
from viewscribe.catalog_store.line_files import LineFile
from viewscribe.catalog_store.stores.files.storage import Directory, NotRegularError
from viewscribe.catalog_store.whole_files import Folder, read_whole, write_whole

SOURCES = Path(viewscribe.__file__).parent


def test_a_file_is_replaced(tmp_path: Path) -> None:
    place = tmp_path / "a"
    write_whole(place, b"one")
    write_whole(place, b"two")
    assert place.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o755])
def test_a_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    place, new, usual = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    place.write_bytes(b"one")
    place.chmod(mode)
    write_whole(place, b"two")
    assert (place.read_bytes(), place.stat().st_mode & 0o777) == (b"two", mode)
    write_whole(new, b"two")
    usual.touch()
    assert new.stat().st_mode == usual.stat().st_mode


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


def test_what_stands_for_an_open_file_stays_a_link(tmp_path: Path) -> None:
    """So does ``/dev/stdout``, which is a file where output is redirected."""
    with (tmp_path / "redirected").open("wb") as file:
        name = f"/dev/fd/{file.fileno()}"
        write_whole(name, b"text")
        assert Path(name).is_symlink()
    assert (tmp_path / "redirected").read_bytes() == b"text"


def test_what_was_there_stays_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "folder", b"text")
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "none" / "a", b"text")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder"]


def test_what_another_process_left_is_neither_used_nor_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In containers the number of a process is often that of the one before."""
    monkeypatch.setattr(secrets, "token_hex", lambda size: "0" * size)
    with Directory.open(str(tmp_path)) as directory, directory.temporary(b"theirs") as name:
        with pytest.raises(FileExistsError):
            write_whole(tmp_path / "a", b"ours")
        monkeypatch.undo()
        write_whole(tmp_path / "a", b"ours")
        assert (tmp_path / name).read_bytes() == b"theirs"
    assert (tmp_path / "a").read_bytes() == b"ours"


# -- links -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("there", [True, False])
def test_a_file_takes_the_place_of_a_link(tmp_path: Path, there: bool) -> None:
    link, other = tmp_path / "link", tmp_path / "other"
    if there:
        other.write_bytes(b"theirs")
    link.symlink_to(other)
    with pytest.raises(NotRegularError):
        read_whole(link)
    write_whole(link, b"ours")
    assert not link.is_symlink()
    assert other.exists() is there
    assert not there or other.read_bytes() == b"theirs"


@pytest.mark.parametrize("path", ["sub/a", "sub/deep/a", "../away/a", "x/../../away/a"])
def test_no_path_leads_out_of_a_folder(tmp_path: Path, path: str) -> None:
    root, away = tmp_path / "root", tmp_path / "away"
    for each in (root / "x", away / "deep"):
        each.mkdir(parents=True)
    (root / "sub").symlink_to(away)
    for each in (away / "a", away / "deep" / "a"):
        each.write_bytes(b"theirs")
    before = sorted(tmp_path.rglob("*"))
    folder = Folder(root)
    assert folder.read(path) is None
    for change in (lambda: folder.write(path, b"ours"), lambda: folder.remove(path)):
        with pytest.raises(NotRegularError):
            change()
    assert sorted(tmp_path.rglob("*")) == before
    assert (away / "a").read_bytes() == (away / "deep" / "a").read_bytes() == b"theirs"


def test_empty_folders_go_with_their_last_file(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "root")
    (tmp_path / "root").mkdir()
    folder.write("a/b/c", b"1")
    folder.write("a/d", b"2")
    folder.remove("a/b/c")
    assert [each.name for each in (tmp_path / "root" / "a").iterdir()] == ["d"]
    folder.remove("a/d")
    assert list((tmp_path / "root").iterdir()) == []


# -- files of lines --------------------------------------------------------------------------------


def test_a_part_of_a_line_is_no_line(tmp_path: Path) -> None:
    with LineFile(tmp_path / "a") as file:
        file.append(b"one", b"two", durable=True)
    with (tmp_path / "a").open("ab") as torn:
        torn.write(b"thr")
    with LineFile(tmp_path / "a") as file:
        lines, part = file.read()
        assert (lines, part) == ([b"one", b"two"], b"thr")
        file.cut(part)
        file.append(b"three")
        assert file.read() == ([b"one", b"two", b"three"], b"")
        file.clear()
        assert file.read() == ([], b"")


def test_lines_go_through_no_link_and_into_no_pipe(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"theirs")
    (tmp_path / "link").symlink_to(tmp_path / "other")
    (tmp_path / "dangling").symlink_to(tmp_path / "none")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "dangling", "pipe", "."):
        with pytest.raises(OSError, match=name):
            LineFile(tmp_path / name)
    assert (tmp_path / "other").read_bytes() == b"theirs"
    assert not (tmp_path / "none").exists()


def test_one_process_has_the_lines_for_itself(tmp_path: Path) -> None:
    with LineFile(tmp_path / "a") as one, LineFile(tmp_path / "a") as other:
        assert one.lock()
        assert not other.lock()


# -- the whole house -------------------------------------------------------------------------------

_WRITERS = {
    "catalog_store/line_files.py": "appends lines",
    "catalog_store/stores/files/catalog.py": "makes a lock",
    "catalog_store/stores/files/storage.py": "writes all files",
    "catalog_store/whole_files.py": "writes to devices and pipes",
    "spark/local.py": "has Spark's log in a directory of its own",
}


def test_nobody_writes_files_in_another_way() -> None:
    found = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if any(_writing_calls(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert found == {*_WRITERS}


def _writing_calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _may_write(ast.unparse(node.func), node.args):
            yield node


def _may_write(called: str, given: list[ast.expr]) -> bool:
    _, _, name = called.rpartition(".")
    texts = [each.value for each in given if isinstance(each, ast.Constant)]
    modes = [each for each in texts if isinstance(each, str) and set(each) & set("wax+")]
    if name == "open":
        return called == "os.open" or bool(modes)
    return name in ("write_text", "write_bytes", "mkstemp") or (
        called in ("os.replace", "os.rename")
    )


def test_no_file_has_a_name_with_a_null_character(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for path in ("a\0b", "a\0/b", "a/\0"):
        assert folder.read(path) is None
        with pytest.raises(OSError, match="no file has such a name"):
            folder.write(path, b"one")
    assert list(tmp_path.iterdir()) == []
