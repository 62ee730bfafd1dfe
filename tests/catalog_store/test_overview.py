"""Overviews of views in files: what the whole document says, from its head."""

from __future__ import annotations

from hypothesis import given

import viewscribe as vs
from tests.catalog_store.test_regular_yaml import changed_documents, views
from viewscribe import col
from viewscribe.catalog_store import (
    DamagedDocumentError,
    FileCatalog,
    Loaded,
    Unreadable,
    ViewDocument,
)
from viewscribe.catalog_store.documents import model, regular_yaml
from viewscribe.catalog_store.documents.codec import decode
from viewscribe.catalog_store.documents.model import HEAD_BYTES, read_view_head
from viewscribe.catalog_store.protocol import Overview, overviews


def said(data: bytes) -> tuple[object, ...] | None:
    """What the whole document says; None where it is damaged."""
    try:
        view = decode(data, "view", "v.view.yaml").document
    except DamagedDocumentError:
        return None
    assert isinstance(view, ViewDocument)
    return view.database, view.name, view.comment, len(view.columns)


@given(changed_documents())
def test_the_head_of_what_was_edited_says_what_the_whole_says(data):
    head, whole = read_view_head(data), said(data)
    assert head is None or whole is None or tuple(head) == whole


def test_the_head_of_what_we_write_is_enough():
    for data in views():
        assert tuple(read_view_head(data) or ()) == said(data)
        plan = data.index(b"\nplan:\n")
        assert read_view_head(data[:plan]) == read_view_head(data)


def test_a_head_that_ends_within_the_columns_is_none():
    data = next(iter(views()))
    start, end = data.index(b"\ncolumns:\n"), data.index(b"\nsettings:\n")
    assert all(read_view_head(data[:place]) is None for place in range(start, end + 1))


def environment(tmp_path, count=1):
    env = vs.TableEnvironment(f"file:{tmp_path}")
    env.create_table("t", ", ".join(f"a_column_with_a_long_name_{n} INT" for n in range(count)))
    env.create_view("v", env.from_path("t").filter(col("a_column_with_a_long_name_0") > 0))
    return env


def test_overviews_of_files_say_what_the_documents_say(tmp_path):
    env = environment(tmp_path)
    env.create_view("w", env.from_path("v"), comment='two\nlines: "quoted"')
    catalog = FileCatalog(tmp_path)
    loaded = {each.id: each for each in catalog.load_all() if isinstance(each, Loaded)}
    found = list(overviews(catalog))
    assert {each.id for each in found} == loaded.keys()
    for each in found:
        assert isinstance(each, Overview)
        document = loaded[each.id].document
        assert (each.path, each.comment) == (loaded[each.id].path, document.comment)
        assert each.columns == (len(document.columns) if hasattr(document, "columns") else None)


def test_a_view_with_more_columns_than_its_head_holds_is_read_whole(tmp_path):
    environment(tmp_path, 900)
    assert (tmp_path / "default" / "v.view.yaml").stat().st_size > HEAD_BYTES
    found = FileCatalog(tmp_path).overviews()
    columns = {each.id.name: each.columns for each in found if isinstance(each, Overview)}
    assert columns["v"] == 900


def test_a_view_in_the_file_of_another_is_unreadable(tmp_path):
    environment(tmp_path)
    home = tmp_path / "default"
    (home / "v.view.yaml").rename(home / "other.view.yaml")
    found = [each for each in FileCatalog(tmp_path).overviews() if isinstance(each, Unreadable)]
    assert ["belongs in `v.view.yaml`" in each.error.message for each in found] == [True]


def test_the_plan_of_a_view_is_not_read_for_an_overview(tmp_path, monkeypatch):
    environment(tmp_path)
    texts = []

    def noting(data):
        texts.append(data)
        return regular_yaml.read_regular(data)

    monkeypatch.setattr(model, "read_regular", noting)
    assert "v" in [each.id.name for each in FileCatalog(tmp_path).overviews()]
    assert len(texts) == 1
    assert b"plan" not in texts[0]
    assert b"sql" not in texts[0]
