"""The output folder: what others put there is never touched."""

from __future__ import annotations

import json
from typing import Any

import pytest

from viewscribe.catalog_store.whole_files import Folder
from viewscribe.export import ForeignFilesError
from viewscribe.export.folder import RECORD, write_folder


def test_only_what_an_export_wrote_is_replaced_or_removed(tmp_path):
    out = tmp_path / "out"
    write_folder(out, "sql", {"a.sql": "1", "b/c.sql": "2"})
    (out / "mine.sql").write_text("mine")
    (out / "b" / "mine.sql").write_text("mine")
    found = write_folder(out, "sql", {"a.sql": "3"})
    assert (found.changed, found.removed) == (("a.sql",), ("b/c.sql",))
    assert (out / "mine.sql").read_text() == (out / "b" / "mine.sql").read_text() == "mine"
    assert (out / "a.sql").read_text() == "3"
    (out / "b" / "mine.sql").unlink()
    write_folder(out, "sql", {"a.sql": "3", "b/c.sql": "2"})
    write_folder(out, "sql", {"a.sql": "3"})
    assert not (out / "b").exists()


def test_files_of_others_in_the_way(tmp_path):
    (tmp_path / "a.sql").write_text("mine")
    with pytest.raises(ForeignFilesError, match=r"a\.sql"):
        write_folder(tmp_path, "sql", {"a.sql": "1", "b.sql": "2"})
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.sql"]
    write_folder(tmp_path, "sql", {"a.sql": "mine"})  # nothing to change


@pytest.mark.parametrize("name", ["b", "b/c", "b/c/d.sql"])
def test_something_else_in_the_place_of_a_file_or_folder(tmp_path, name):
    place = tmp_path / name
    place.parent.mkdir(parents=True, exist_ok=True)
    if name.endswith(".sql"):
        place.mkdir()
    else:
        place.write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ForeignFilesError, match=f"no export wrote.*: {name}\n") as error:
        write_folder(tmp_path, "sql", {"a.sql": "1", "b/c/d.sql": "2"})
    assert "nothing was written" in str(error.value.hint)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("kind", ["folder", "link", "broken link"])
def test_a_record_that_is_no_file(tmp_path, kind):
    out = tmp_path / "out"
    out.mkdir()
    if kind == "folder":
        (out / RECORD).mkdir()
    else:
        (out / RECORD).symlink_to(tmp_path / "away")
    if kind == "link":
        (tmp_path / "away").write_text('{"target": "sql", "files": {}}')
    with pytest.raises(ForeignFilesError, match="no record of an export"):
        write_folder(out, "sql", {"a.sql": "1"})
    assert [each.name for each in out.iterdir()] == [RECORD]


def test_a_file_that_was_changed_since(tmp_path):
    write_folder(tmp_path, "sql", {"a.sql": "1", "b.sql": "1"})
    (tmp_path / "a.sql").write_text("edited")
    for files in ({"a.sql": "2", "b.sql": "2"}, {"b.sql": "2"}):
        with pytest.raises(ForeignFilesError, match=r"a\.sql"):
            write_folder(tmp_path, "sql", files)
        assert (tmp_path / "a.sql").read_text() == "edited"
        assert (tmp_path / "b.sql").read_text() == "1"
    (tmp_path / "a.sql").unlink()
    assert write_folder(tmp_path, "sql", {"a.sql": "2"}).changed == ("a.sql",)


def test_links_are_not_followed(tmp_path):
    away, out = tmp_path / "away", tmp_path / "out"
    away.mkdir()
    out.mkdir()
    (out / "views").symlink_to(away)
    with pytest.raises(ForeignFilesError, match="since: views\n"):
        write_folder(out, "sql", {"views/a.sql": "1"})
    (out / "b.sql").symlink_to(away / "b.sql")
    with pytest.raises(ForeignFilesError, match=r"b\.sql"):
        write_folder(out, "sql", {"b.sql": "1"})
    assert list(away.iterdir()) == []


@pytest.mark.parametrize(
    "record",
    [
        "{",
        "[]",
        '{"target": "sql"}',
        '{"target": "sql", "files": {"../x": ["sha256:0"]}}',
        '{"target": "sql", "files": {"/etc/x": ["sha256:0"]}}',
        '{"target": "sql", "files": {"a": 1}}',
    ],
)
def test_a_damaged_record(tmp_path, record):
    (tmp_path / "x").write_text("kept")
    out = tmp_path / "out"
    out.mkdir()
    (out / RECORD).write_text(record)
    with pytest.raises(ForeignFilesError, match="no record of an export"):
        write_folder(out, "sql", {"a.sql": "1"})
    assert (tmp_path / "x").read_text() == "kept"


def test_an_export_to_something_else(tmp_path):
    write_folder(tmp_path, "sql", {"a.sql": "1"})
    with pytest.raises(ForeignFilesError, match="holds an export to sql"):
        write_folder(tmp_path, "dbt", {"a.sql": "1"})


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ForeignFilesError, match="file"):
        write_folder(tmp_path / "file", "sql", {"a.sql": "1"})


def test_an_export_that_was_stopped_goes_on(tmp_path, monkeypatch):
    write_folder(tmp_path, "sql", {"a.sql": "1", "b.sql": "1"})
    written: list[Any] = []

    write = Folder.write

    def stop(folder, place, data):
        if len(written) == 2:
            raise OSError(28, "no space", place)
        written.append(place)
        write(folder, place, data)

    monkeypatch.setattr(Folder, "write", stop)
    with pytest.raises(ForeignFilesError, match="no space"):
        write_folder(tmp_path, "sql", {"a.sql": "2", "b.sql": "2"})
    monkeypatch.undo()
    write_folder(tmp_path, "sql", {"a.sql": "2", "b.sql": "2"})
    assert (tmp_path / "b.sql").read_text() == "2"
    assert sorted(json.loads((tmp_path / RECORD).read_text())["files"]) == ["a.sql", "b.sql"]
