"""The site of a catalog: every page, whole and safe, and written only where it changes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import viewscribe as vs
from tests.html.test_markup import HOSTILE
from tests.site.pages import broken_links, build, contents_of, data_of, pages_of, read_page
from viewscribe import col
from viewscribe.catalog_store import MemoryCatalog, open_catalog
from viewscribe.catalog_store.documents.model import (
    Column,
    DatabaseDocument,
    Dependency,
    TableDocument,
    ViewDocument,
)
from viewscribe.site import SiteError
from viewscribe.site.build import MANIFEST


def test_the_pages(site):
    assert sorted(pages_of(site)) == [
        "database/sales.html",
        "function/sales/vat.html",
        "index.html",
        "lineage.html",
        "table/sales/=63on.html",
        "table/sales/customers.html",
        "table/sales/orders.html",
        "view/sales/broken.html",
        "view/sales/foreign.html",
        "view/sales/paid.html",
        "view/sales/revenue.html",
    ]


def test_every_link_leads_somewhere(site):
    assert broken_links(site) == []


def test_identities_are_unique_on_each_page(site):
    for file, page in pages_of(site).items():
        assert len(page.ids()) == len(set(page.ids())), file


def test_pages_load_only_their_own_files(site):
    for file, page in pages_of(site).items():
        policies = [
            known["content"]
            for tag, known in page.elements
            if tag == "meta" and known.get("http-equiv") == "Content-Security-Policy"
        ]
        assert policies == [
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            "base-uri 'none'; form-action 'none'"
        ], file
        for tag, known in page.elements:
            assert tag != "style"
            assert tag != "script" or known.get("src"), file
            assert not [name for name in known if name.startswith("on") or name == "style"]
        assert not [each for each in page.links() if re.match(r"[a-z]+:|//", each)]


def test_styles_and_scripts_name_no_other_place(site):
    for file in ("assets/site.css", "assets/site.js", "assets/graph.js"):
        text = (site / file).read_text(encoding="utf-8")
        assert set(re.findall(r"https?://[^\s\"')]+", text)) <= {"http://www.w3.org/2000/svg"}
        for word in (
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
            "fetch(",
        ):
            assert word not in text, (file, word)


def test_a_view(site):
    page = read_page(site, "view/sales/revenue.html")
    assert {"column=country", "column=revenue", "sql=readable", "sql=pipe", "sql=nested"} <= set(
        page.ids()
    )
    assert "|> AGGREGATE" in page.text
    assert {"version=1", "version=2"} <= set(page.ids())
    assert "+ orders BIGINT NOT NULL" in page.text
    assert "../../view/sales/paid.html#column=net" in page.links()
    assert "../../table/sales/orders.html#column=price" in page.links()
    assert "../../table/sales/orders.html#column=discount" in page.links()


def test_the_data_of_a_picture(site):
    _, (data,) = data_of(site, "data/view/sales/revenue.js")
    assert data["columns"][1][0] == "revenue"
    places = [(data["places"][each[0]][0], each[1]) for each in data["values"] if each[2] == 1]
    assert places == [("view/sales/paid", "net")]
    _, (data,) = data_of(site, "data/view/sales/paid.js")
    assert [each[1] for each in data["values"] if each[2] == 1] == ["price", "discount"]
    assert data["readers"] == ["view/sales/revenue"]


def test_a_proof_is_told(tmp_path):
    catalog = MemoryCatalog()
    catalog.create_database(DatabaseDocument(name="d"))
    view = ViewDocument(
        database="d",
        name="v",
        sql="SELECT 1 AS a",
        columns=(Column("a", "INT"),),
        properties={"viewscribe.verified": "rows"},
    )
    catalog.create(view)
    build(catalog, tmp_path / "site")
    assert "Verified in Sparkrows" in read_page(tmp_path / "site", "view/d/v.html").text


def test_a_view_of_another_tool(site):
    page = read_page(site, "view/sales/foreign.html")
    assert "sql=stored" in page.ids()
    assert "sql=pipe" in page.ids()
    assert "select ID, status\r\nfrom orders where status like 'p%' -- \u202e" in page.text
    assert "\u202e" not in (site / "view/sales/foreign.html").read_text(encoding="utf-8")


def test_tests_beside_a_view_are_shown_as_text(site):
    page = read_page(site, "view/sales/paid.html")
    assert "- name: <b>one</b>" in page.text


def test_a_damaged_document_has_a_page_with_its_error(site):
    assert "kind is 'veiw'" in read_page(site, "view/sales/broken.html").text
    assert "kind is 'veiw'" in read_page(site, "index.html").text


def test_passwords_are_not_told(site):
    assert "hunter2" not in "".join(each.text for each in pages_of(site).values())
    for path, content in contents_of(site).items():
        assert b"hunter2" not in content, path


def test_no_page_tells_a_password_of_any_version(tmp_path):
    """Written into everything that may hold one, then replaced, so that the history has both."""
    env = vs.TableEnvironment(f"file:{tmp_path / 'views'}")
    for secret in ("hunter2", "hunter3"):
        url = f"jdbc:postgresql://u:{secret}@h/db?password={secret}"
        env.create_table(
            "t",
            "id INT",
            format="jdbc",
            options={"url": url, "dbtable": "t", "password": secret},
            location=f"s3://key:{secret}@bucket/t?token={secret}",
            properties={"api_token": secret},
            or_replace=True,
        )
        table = env.from_path("t")
        env.create_view("v", table, properties={"client_secret": secret}, or_replace=True)
    catalog = open_catalog(f"file:{tmp_path / 'views'}")
    assert len(catalog.history("table", "default", "t")) == 2
    assert len(catalog.history("view", "default", "v")) == 2
    build(catalog, tmp_path / "site")
    telling = [path for path, held in contents_of(tmp_path / "site").items() if b"hunter" in held]
    assert not telling


@pytest.mark.parametrize("copy", ["v_backup.view.yaml", "v.table.yaml", "V.view.yaml"])
def test_a_stray_copy_hides_nothing(tmp_path, copy):
    folder = tmp_path / "views"
    env = vs.TableEnvironment(f"file:{folder}")
    env.create_table("t", "id INT")
    env.create_view("v", env.from_path("t"))
    env.create_view("w", env.from_path("v"))
    shutil.copy(folder / "default" / "v.view.yaml", folder / "default" / copy)
    build(open_catalog(f"file:{folder}"), tmp_path / "site")
    page = read_page(tmp_path / "site", "view/default/v.html").text
    assert "SELECT" in page
    assert "cannot be read" not in page
    assert "v.id" in read_page(tmp_path / "site", "view/default/w.html").text
    assert "1 unreadable" in read_page(tmp_path / "site", "index.html").text


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ("over_damaged", "unknown beyonddamaged.idcannot be read"),
        ("over_gone", "unknown beyondgone.idis not there"),
        ("over_unclear", "unknown beyondunclear.idhas unknown lineage"),
        ("over_shorter", "unknown beyondshorter.idhas no such column"),
        ("over_loop", "unknown beyondloop.idin a circle"),
        ("unclear", "INTunknown"),
    ],
)
def test_columns_say_where_lineage_ends_before_tables(gaps, view, words):
    page = read_page(gaps, f"view/default/{view}.html").text
    assert words in page
    assert "a value of its own" not in page
    assert "in tables" not in page


def test_what_a_column_depends_on_is_told_down_to_the_tables(indirect):
    top = read_page(indirect, "view/default/top.html").text
    assert "cond.flagtransformationin tableso.statusconditional" in top
    assert "cond.mixedidentityin tableso.idtransformationo.dconditional" in top
    table = read_page(indirect, "table/default/o.html").text
    assert "statusSTRINGcond.flagconditionalcond.rnwindow" in table
    assert "dDATEcond.mixedconditionalcond.rnwindowcond.rowsfilter" in table


def test_tests_that_are_a_link_are_not_told(tmp_path):
    env = vs.TableEnvironment(f"file:{tmp_path / 'views'}")
    env.create_table("t", "id INT")
    env.create_view("v", env.from_path("t"))
    (tmp_path / "elsewhere").write_text("hunter2")
    (tmp_path / "views" / "default" / "v.test.yaml").symlink_to(tmp_path / "elsewhere")
    build(open_catalog(f"file:{tmp_path / 'views'}"), tmp_path / "site")
    assert "hunter2" not in read_page(tmp_path / "site", "view/default/v.html").text


def test_the_index(site):
    function, (names, files) = data_of(site, "data/search/names.js")
    assert function == "addNames"
    assert ["view/sales/paid", "sales", "paid", "Orders that are paid"] in names
    texts = [row for file in files for row in data_of(site, file)[1][0]]
    assert sorted(row[0] for row in texts) == sorted(row[0] for row in names)
    (paid,) = (row for row in texts if row[0] == "view/sales/paid")
    assert "status = 'paid'" in paid[3]


def test_the_same_catalog_has_the_same_bytes(catalog_folder, site, tmp_path):
    code = (
        "import sys; from pathlib import Path; from tests.site.pages import build;"
        "from viewscribe.catalog_store import open_catalog;"
        "build(open_catalog('file:' + sys.argv[1]), Path(sys.argv[2]), title='Shop')"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(catalog_folder), str(tmp_path / "again")],
        check=True,
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
    )
    assert contents_of(tmp_path / "again") == contents_of(site)


# -- writing --------------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path) -> vs.TableEnvironment:
    env = vs.TableEnvironment(f"file:{tmp_path / 'views'}")
    env.create_table("t", "a INT, b INT")
    env.create_view("one", env.from_path("t").select("a"))
    env.create_view("two", env.from_path("t").select("b"))
    return env


def open_small(tmp_path: Path):
    return open_catalog(f"file:{tmp_path / 'views'}")


def test_only_what_changes_is_written(small, tmp_path):
    folder = tmp_path / "site"
    first = build(open_small(tmp_path), folder)
    assert (first.unchanged, first.removed) == (0, 0)
    times = {each: each.stat().st_mtime_ns for each in folder.rglob("*") if each.is_file()}
    again = build(open_small(tmp_path), folder)
    assert (again.written, again.removed) == (0, 0)
    assert times == {each: each.stat().st_mtime_ns for each in folder.rglob("*") if each.is_file()}
    small.create_view("one", small.from_path("t").select("a", "b"), or_replace=True)
    changed = build(open_small(tmp_path), folder)
    untouched = folder / "view/default/two.html"
    assert 0 < changed.written < first.written
    assert untouched.stat().st_mtime_ns == times[untouched]


def test_what_is_gone_is_removed_and_what_is_of_others_stays(small, tmp_path):
    folder = tmp_path / "site"
    build(open_small(tmp_path), folder)
    foreign = [folder / "CNAME", folder / "view/default/notes.txt", folder / "mine" / "index.html"]
    for each in foreign:
        each.parent.mkdir(exist_ok=True)
        each.write_text("mine")
    small.drop_view("two")
    report = build(open_small(tmp_path), folder)
    assert report.removed == 2
    assert not (folder / "view/default/two.html").exists()
    assert [each.read_text() for each in foreign] == ["mine"] * 3


def test_an_edited_page_that_is_gone_is_kept(small, tmp_path):
    folder = tmp_path / "site"
    build(open_small(tmp_path), folder)
    (folder / "view/default/two.html").write_text("mine")
    small.drop_view("two")
    report = build(open_small(tmp_path), folder)
    assert report.kept == ("view/default/two.html",)
    assert (folder / "view/default/two.html").read_text() == "mine"


def test_files_of_others_are_never_overwritten(small, tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text("mine")
    with pytest.raises(SiteError, match=r"files that no site wrote: index\.html"):
        build(open_small(tmp_path), folder)
    assert contents_of(folder) == {"index.html": b"mine"}


def test_a_file_in_the_place_of_the_folder(small, tmp_path):
    (tmp_path / "site").write_text("mine")
    with pytest.raises(SiteError, match="is not a folder"):
        build(open_small(tmp_path), tmp_path / "site")


@pytest.mark.parametrize(
    "manifest",
    ["", "[]", "{", '{"format": 2, "files": {}}', '{"format": 1, "files": {"../x": ""}}',
     '{"format": 1, "files": {"/etc/passwd": ""}}', '{"format": 1, "files": ["a"]}'],
)  # fmt: skip
def test_a_damaged_manifest_deletes_nothing(small, tmp_path, manifest):
    folder = tmp_path / "site"
    folder.mkdir()
    (tmp_path / "x").write_text("mine")
    (folder / MANIFEST).write_text(manifest)
    with pytest.raises(SiteError, match="is damaged"):
        build(open_small(tmp_path), folder)
    assert (tmp_path / "x").read_text() == "mine"
    assert sorted(contents_of(folder)) == [MANIFEST]


def test_a_run_that_was_interrupted_is_gone_on_with(small, tmp_path, monkeypatch):
    folder = tmp_path / "site"
    with monkeypatch.context() as patched:
        patched.setattr("viewscribe.site.build.home_page", lambda site: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            build(open_small(tmp_path), folder)
    build(open_small(tmp_path), folder)
    assert broken_links(folder) == []


def test_several_processes_build_the_same(small, tmp_path, monkeypatch):
    build(open_small(tmp_path), tmp_path / "one")
    monkeypatch.setattr("viewscribe.catalog_store.shared_work._WORTH_PROCESSES", 1)
    build(open_small(tmp_path), tmp_path / "two", processes=2)
    assert contents_of(tmp_path / "one") == contents_of(tmp_path / "two")


# -- catalogs that nobody expects -----------------------------------------------------------------


def test_an_empty_catalog(tmp_path):
    build(MemoryCatalog(), tmp_path / "site")
    assert "This catalog is empty" in read_page(tmp_path / "site", "index.html").text
    assert broken_links(tmp_path / "site") == []


NAMES = st.one_of(
    st.sampled_from([each for each in HOSTILE if each != "\ud800" and len(each) < 4000]),
    st.sampled_from(["CON", "nul", "index", "a.b", "a b", "Ä", "ä\u0308", "é" * 200, "."]),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
)
TEXTS = st.sampled_from(HOSTILE)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12)
@given(NAMES, NAMES, NAMES, TEXTS, TEXTS)
def test_hostile_documents_stay_text(tmp_path_factory, database, name, column, comment, sql):
    folder = tmp_path_factory.mktemp("hostile") / "site"
    comment, sql = (each.replace("\ud800", "?") for each in (comment, sql))
    catalog = MemoryCatalog()
    catalog.create_database(DatabaseDocument(name=database, comment=comment))
    columns = (Column(column, "STRING", comment=comment, default=sql),)
    catalog.create(
        TableDocument(
            database=database,
            name=name,
            columns=columns,
            comment=comment,
            location=sql,
            options={"a": sql},
        )
    )
    own = ("spark_catalog", database, name)
    view = ViewDocument(
        database=database,
        name=f"{name}2",
        sql=sql,
        columns=(Column(column, "STRING", comment=comment),),
        comment=comment,
        owner=name,
        properties={"key": comment},
        dependencies=(Dependency("table", own), Dependency("table", ("c", comment[:50], sql[:50]))),
    )
    catalog.create(view)
    build(catalog, folder, title=comment[:100])
    assert broken_links(folder) == []
    for file, page in pages_of(folder).items():
        scripts = [str(known["src"]) for tag, known in page.elements if tag == "script"]
        assert all(each.startswith(("assets", "vendor", "../")) for each in scripts), file
        for _, known in page.elements:
            assert not [each for each in known if each.startswith("on")], file
        raw = (folder / file).read_text(encoding="utf-8")
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u2028\u2029\x00\x1b]", raw), file
    for path in contents_of(folder):
        assert all(len(part.encode()) <= 255 for part in path.split("/"))
        assert re.fullmatch(r"[A-Za-z0-9_.=~/-]+", path), path
    for path in folder.rglob("data/**/*.js"):
        data_of(folder, path.relative_to(folder).as_posix())


def test_objects_that_differ_only_in_what_file_systems_fold(tmp_path):
    catalog = MemoryCatalog()
    catalog.create_database(DatabaseDocument(name="d"))
    for name in ("con", "a%b", "a=b", "a=25b", "İ", "ß", "ss", "x" * 4096, "x" * 4095):
        catalog.create(TableDocument(database="d", name=name, columns=(Column("a", "INT"),)))
    build(catalog, tmp_path / "site")
    pages = [each for each in pages_of(tmp_path / "site") if each.startswith("table/")]
    assert len({each.lower() for each in pages}) == 10 or len(pages) == len(
        {p.lower() for p in pages}
    )
    assert not [each for each in pages if Path(each).stem in ("con", "nul", "aux")]


def test_views_that_read_each_other_in_a_circle(tmp_path):
    catalog = MemoryCatalog()
    catalog.create_database(DatabaseDocument(name="d"))
    for one, other in (("a", "b"), ("b", "a"), ("c", "c")):
        catalog.create(
            ViewDocument(
                database="d",
                name=one,
                sql=f"SELECT x FROM spark_catalog.d.{other}",
                columns=(Column("x", "INT"),),
                dependencies=(Dependency("view", ("spark_catalog", "d", other)),),
            )
        )
    build(catalog, tmp_path / "site")
    assert broken_links(tmp_path / "site") == []


@pytest.mark.slow("a long chain")
def test_a_chain_of_views_is_followed_to_its_table(tmp_path):
    env = vs.TableEnvironment(f"file:{tmp_path / 'views'}")
    env.create_table("t", "a INT")
    before = "t"
    for number in range(60):
        env.create_view(f"v{number}", env.from_path(before).select((col("a") + 1).alias("a")))
        before = f"v{number}"
    build(open_small(tmp_path), tmp_path / "site")
    assert (
        "../../table/default/t.html#column=a"
        in read_page(tmp_path / "site", "view/default/v59.html").links()
    )


def test_a_plan_without_sense_is_told_and_stops_nothing(small, tmp_path):
    path = tmp_path / "views" / "default" / "one.view.yaml"
    path.write_text(re.sub(r"root: \d+", "root: 999", path.read_text()))
    build(open_small(tmp_path), tmp_path / "site")
    page = read_page(tmp_path / "site", "view/default/one.html")
    assert "The lineage is not complete." in page.text
    assert "Edited by hand." in page.text
    assert "SELECT" in page.text


def test_the_manifest_lists_every_file(site):
    listed = json.loads((site / MANIFEST).read_text())["files"]
    assert sorted([*listed, MANIFEST]) == sorted(contents_of(site))
