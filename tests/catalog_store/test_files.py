"""The files of a file catalog: where they are, who may read them, and what is not followed."""

from __future__ import annotations

import os
import re
import shutil
import stat

import pytest

from tests.catalog_store.samples import NASTY_NAMES, database, table, view
from viewscribe.catalog_store import (
    AlreadyExistsError,
    DamagedDocumentError,
    DatabaseNotEmptyError,
    FileCatalog,
    Loaded,
    NewerDocumentError,
    ObjectId,
    ObjectNotFoundError,
    StorageError,
    Unreadable,
    check,
)
from viewscribe.catalog_store.protocol import fold


def tree(root):
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_the_layout(files, root):
    files.create(view("Young Ones"))
    files.create(table())
    assert tree(root) == [
        ".viewscribe.lock",
        "sales",
        "sales/_database.yaml",
        "sales/customers.table.yaml",
        "sales/young%20ones.view.yaml",
    ]


def test_names_cannot_leave_the_root(files, root):
    for name in NASTY_NAMES:
        try:
            files.create_database(database(name))
            files.create(view(name, name))
        except AlreadyExistsError:
            continue
    for path in root.rglob("*"):
        assert path.resolve().is_relative_to(root.resolve())
        assert len(path.relative_to(root).parts) <= 2
    assert check(files, name="other") == []
    assert sorted(os.listdir(root.parent)) == ["views"]


def test_a_long_name_is_listed_as_the_user_gave_it(files):
    name = "Größe " * 60
    files.create(view(name))
    assert files.list_objects("sales") == [ObjectId("sales", name, "view")]
    assert files.get("view", "sales", name.upper().replace("SS", "ß")).document.name == name


def test_nothing_is_made_before_the_first_write(tmp_path):
    catalog = FileCatalog(tmp_path / "a" / "b")
    assert catalog.list_databases() == []
    assert list(catalog.load_all()) == []
    with pytest.raises(ObjectNotFoundError):
        catalog.create(view())
    assert os.listdir(tmp_path) == []
    catalog.create_database(database())
    assert catalog.list_databases() == ["sales"]


def test_an_identical_replace_keeps_the_layout_of_an_edited_file(files, root):
    files.create(view())
    path = root / "sales" / "young.view.yaml"
    path.write_text("# mine\n" + path.read_text())
    stored = files.get("view", "sales", "young")
    assert files.replace(view(), expected=stored.token) == stored.token
    assert path.read_text().startswith("# mine\n")


def test_a_replacement_keeps_the_permissions(files, root):
    token = files.create(view())
    path = root / "sales" / "young.view.yaml"
    path.chmod(0o640)
    files.replace(view(sql="SELECT 2"), expected=token)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_an_edit_by_hand_is_a_concurrent_update(files, root):
    token = files.create(view())
    path = root / "sales" / "young.view.yaml"
    path.write_text(path.read_text().replace("id >= 1", "id >= 2"))
    stored = files.get("view", "sales", "young")
    assert stored.token != token
    assert "id >= 2" in stored.document.sql


# --- damage ---


def test_a_damaged_document_does_not_hide_the_others(files, root):
    for name in ("a", "b", "c"):
        files.create(view(name))
    (root / "sales" / "b.view.yaml").write_text("schema_version: 1\nkind: view\nname: B\nsql: [\n")
    entries = list(files.load_all())
    assert [type(each) for each in entries].count(Loaded) == 3
    (bad,) = (each for each in entries if isinstance(each, Unreadable))
    assert isinstance(bad.error, DamagedDocumentError)
    assert (bad.id, bad.error.line) == (ObjectId("sales", "B", "view"), 5)
    assert [each.name for each in files.list_objects("sales")] == ["a", "B", "c"]
    assert files.get("view", "sales", "c").document.name == "c"
    with pytest.raises(DamagedDocumentError, match=r"sales/b\.view\.yaml:5: not valid YAML"):
        files.get("view", "sales", "b")
    with pytest.raises(AlreadyExistsError):
        files.create(view("b"))
    files.delete("view", "sales", "b")
    files.create(view("b"))


def test_a_damaged_database_document_does_not_hide_its_objects(files, root):
    files.create(view())
    (root / "sales" / "_database.yaml").write_text("schema_version: 2\nkind: database\n")
    assert files.list_databases() == ["sales"]
    assert files.get("view", "sales", "young").document.name == "young"
    with pytest.raises(NewerDocumentError):
        files.get_database("sales")
    assert [type(each) for each in files.load_all()] == [Unreadable, Loaded]


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("old.view.yaml", r"for the view `young`, which belongs in `young\.view\.yaml`"),
        ("YOUNG.view.yaml", r"which belongs in `young\.view\.yaml`"),
        ("%79oung.view.yaml", r"which belongs in `young\.view\.yaml`"),
        ("young.table.yaml", "kind is 'view', but the file is a table"),
    ],
)
def test_a_document_in_the_wrong_file_is_told(files, root, file, words):
    files.create(view())
    (root / "sales" / "young.view.yaml").rename(root / "sales" / file)
    (finding,) = check(files, name="other")
    assert finding.path.endswith(file)
    assert re.search(words, finding.cause)


@pytest.mark.parametrize("file", ["copy.view.yaml", "YOUNG.view.yaml", "%79oung.view.yaml"])
def test_a_stray_copy_is_not_taken_for_what_it_is_a_copy_of(files, root, file):
    files.create(view())
    shutil.copy(root / "sales" / "young.view.yaml", root / "sales" / file)
    for entries in (list(files.load_all("sales")), list(files.overviews("sales"))):
        (copy,) = [each for each in entries if isinstance(each, Unreadable)]
        others = [each.id for each in entries if each is not copy]
        assert copy.path.endswith(file)
        assert fold(copy.id.name) not in {fold(each.name) for each in others}
    names = [each.name for each in files.list_objects("sales")]
    assert len(names) == len(set(names))


def test_a_document_of_another_database_is_told(files, root):
    files.create(view())
    files.create_database(database("hr"))
    (root / "sales" / "young.view.yaml").rename(root / "hr" / "young.view.yaml")
    with pytest.raises(DamagedDocumentError, match="for the database `sales`"):
        files.get("view", "hr", "young")


def test_directories_that_are_no_databases(files, root):
    (root / "empty").mkdir()
    (root / ".git").mkdir()
    (root / "README.md").write_text("x")
    (root / "notes").write_text("x")
    (root / "lost").mkdir()
    (root / "lost" / "a.view.yaml").write_text("x")
    (root / "Upper").mkdir()
    (root / "Upper" / "_database.yaml").write_text("x")
    assert files.list_databases() == ["sales"]
    causes = {os.path.basename(each.path): each.cause for each in check(files, name="other")}
    assert sorted(causes) == ["Upper", "lost"]
    assert "no _database.yaml" in causes["lost"]
    assert "no database has a directory named `Upper`" in causes["Upper"]


def test_a_database_with_other_files_is_not_dropped(files, root):
    (root / "sales" / "README.md").write_text("keep me")
    with pytest.raises(DatabaseNotEmptyError, match=r"README\.md"):
        files.drop_database("sales", cascade=True)
    assert (root / "sales" / "README.md").exists()


# --- links and devices ---


def test_a_link_to_a_file_is_not_read(files, root, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("password: x")
    (root / "sales" / "young.view.yaml").symlink_to(secret)
    with pytest.raises(DamagedDocumentError, match="links inside a catalog are not followed"):
        files.get("view", "sales", "young")
    (entry,) = (each for each in files.load_all() if isinstance(each, Unreadable))
    assert "password" not in str(entry.error)
    with pytest.raises(AlreadyExistsError):
        files.create(view())
    files.delete("view", "sales", "young")
    assert secret.read_text() == "password: x"


def test_a_link_to_a_directory_is_not_entered(files, root, tmp_path):
    other = FileCatalog(tmp_path / "other")
    other.create_database(database("hr"))
    other.create(view("young", "hr"))
    (root / "hr").symlink_to(tmp_path / "other" / "hr")
    for act in (
        lambda: files.get("view", "hr", "young"),
        lambda: files.create(view("x", "hr")),
        lambda: files.create_database(database("hr")),
        lambda: files.drop_database("hr", cascade=True),
    ):
        with pytest.raises(DamagedDocumentError, match="not a directory"):
            act()
    assert files.list_databases() == ["sales"]
    assert [each.code for each in check(files, name="other")] == ["unreadable"]
    assert check(other, name="other") == []


def test_the_lock_is_no_link(tmp_path):
    root = tmp_path / "views"
    root.mkdir()
    (root / ".viewscribe.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="symbolic links inside a catalog are not followed"):
        FileCatalog(root).create_database(database())
    assert not (tmp_path / "elsewhere").exists()


def test_a_pipe_or_directory_in_the_place_of_a_document_is_not_waited_for(files, root):
    os.mkfifo(root / "sales" / "a.view.yaml")
    (root / "sales" / "b.view.yaml").mkdir()
    for name in ("a", "b"):
        with pytest.raises(DamagedDocumentError, match="not a regular file"):
            files.get("view", "sales", name)
    assert len(check(files, name="other")) == 2


def test_a_huge_file_is_not_read(files, root):
    with open(root / "sales" / "a.view.yaml", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(DamagedDocumentError, match="larger than 16 MiB"):
        files.get("view", "sales", "a")


def test_a_relative_root_stays_where_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    catalog = FileCatalog("views")
    catalog.create_database(database())
    catalog.create(view())
    monkeypatch.chdir("/")
    (entry,) = (each for each in catalog.load_all() if each.id.kind == "view")
    assert entry.path == "views/sales/young.view.yaml"


def test_a_root_that_is_a_link_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    FileCatalog(tmp_path / "link").create_database(database())
    assert FileCatalog(tmp_path / "real").list_databases() == ["sales"]


def test_without_hard_links_creating_is_still_exclusive(files, monkeypatch):
    def no_links(*args, **kwargs):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    files.create(view())
    with pytest.raises(AlreadyExistsError):
        files.create(view())
    assert files.get("view", "sales", "young").document.name == "young"


# --- a catalog that goes away ---


def test_a_part_of_a_catalog_does_not_look_like_the_whole(files, root):
    for number in range(5):
        files.create(view(f"v{number}"))
    entries = files.load_all()
    next(entries)
    shutil.rmtree(root)
    with pytest.raises(StorageError, match="went away while it was used"):
        list(entries)


def test_a_catalog_that_moved_is_told_at_the_end_of_reading(files, root):
    files.create(view())
    entries = files.load_all()
    next(entries)
    root.rename(root.with_name("elsewhere"))
    with pytest.raises(StorageError, match="went away while it was used"):
        list(entries)


def test_a_catalog_that_went_away_is_not_empty_and_not_made_anew(files, root):
    token = files.create(view())
    shutil.rmtree(root)
    for use in (
        lambda: files.list_databases(),
        lambda: list(files.load_all()),
        lambda: files.get("view", "sales", "young"),
        lambda: files.create(view("other")),
        lambda: files.delete("view", "sales", "young", expected=token),
        lambda: files.create_database(database("other")),
    ):
        with pytest.raises(StorageError, match="went away while it was used"):
            use()
    assert not root.exists()
    # Who opens it now finds nothing there, and may begin anew.
    again = FileCatalog(root)
    assert again.list_databases() == []
    again.create_database(database())
    assert again.list_databases() == ["sales"]
