"""The pages in a browser, opened from the disk: headless Chromium, one for all of these tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import viewscribe as vs
from tests.site.pages import build
from viewscribe import col
from viewscribe import functions as F
from viewscribe.catalog_store import MemoryCatalog, open_catalog
from viewscribe.catalog_store.documents.model import (
    Column,
    DatabaseDocument,
    Dependency,
    TableDocument,
    ViewDocument,
)
from viewscribe.environments.migration.columns import ColumnChange
from viewscribe.environments.migration.model import Place, Plan, Problem, Step
from viewscribe.html.markup import show, sql_block
from viewscribe.site import plan_html

playwright = pytest.importorskip(
    "playwright.sync_api", reason="needs Playwright: pip install viewscribe[browser]"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium"),
    pytest.mark.xdist_group("browser"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


Open = Callable[..., Any]


@pytest.fixture
def open_page(browser: Any) -> Iterator[Open]:
    """Opens a page of a site; what the console says in the meantime fails the test."""
    contexts, said = [], []

    def note_request(request: Any) -> None:
        if not request.url.startswith("file:"):
            said.append(request.url)

    def open_(folder: Path, file: str, **options: Any) -> Any:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(f"dialog: {dialog.message}"))
        page.on("request", note_request)
        page.goto(f"file://{folder}/{file}")
        return page

    yield open_
    for each in contexts:
        each.close()
    assert said == []


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Query 5 of TPC-H over its tables, and a view over it."""
    place = tmp_path_factory.mktemp("tpch")
    env = vs.TableEnvironment(f"file:{place / 'views'}")
    env.create_table(
        "lineitem",
        "l_orderkey BIGINT, l_extendedprice DECIMAL(15, 2), l_discount DECIMAL(15, 2)",
    )
    env.create_table("orders", "o_orderkey BIGINT, o_nation STRING COMMENT 'of the customer'")
    lines = env.from_path("lineitem")
    joined = lines.join(env.from_path("orders"), col("l_orderkey") == col("o_orderkey"))
    revenue = F.sum(col("l_extendedprice") * (1 - col("l_discount"))).alias("revenue")
    q05 = joined.group_by("o_nation").agg(revenue)
    env.create_view("q05", q05, comment="Local supplier volume")
    env.create_view("best", env.from_path("q05").filter(col("revenue") > 10).select("revenue"))
    build(open_catalog(f"file:{place / 'views'}"), place / "site", title="TPC-H")
    return place / "site"


def test_from_the_search_to_what_a_column_comes_from(open_page, orders):
    page = open_page(orders, "index.html")
    page.keyboard.press("/")
    page.keyboard.type("q05")
    page.get_by_role("option").first.click()  # the first click
    page.wait_for_url("**/view/default/q05.html")
    page.get_by_role("link", name="revenue", exact=True).first.click()  # the second
    assert page.url.endswith("#column=revenue")
    path = page.locator(".graph .path")
    path.wait_for()
    assert "lineitem.l_extendedprice" in path.inner_text()
    assert "lineitem.l_discount" in path.inner_text()
    assert page.locator(".graph .edge.on").count() == 3  # and one to the view that reads it
    assert page.locator(".graph .column.chosen text").text_content() == "revenue"


def test_the_keyboard_alone(open_page, orders):
    page = open_page(orders, "view/default/best.html")
    page.locator(".graph .column").first.wait_for()
    page.keyboard.press("/")
    page.keyboard.type("customer")
    playwright.expect(page.get_by_role("option")).to_have_count(2)  # q05 has it from orders
    assert "o_nation" in page.get_by_role("option").first.inner_text()
    page.keyboard.press("Escape")
    assert not page.locator("dialog.search").is_visible()
    page.locator('.graph [tabindex="0"][data-focus]').focus()
    page.keyboard.press("ArrowDown")
    label = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(label).startswith("column revenue of best")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(label).startswith("column revenue of q05")
    page.keyboard.press("Enter")
    page.locator(".graph .path").wait_for()
    assert "lineitem.l_discount" in page.locator(".graph .path").inner_text()
    page.keyboard.press("Escape")
    assert not page.locator(".graph .path").is_visible()


def test_a_deep_link_leads_down_to_the_tables(open_page, orders):
    page = open_page(orders, "view/default/best.html#column=revenue")
    path = page.locator(".graph .path")
    path.wait_for()
    assert [each.split()[0] for each in path.locator(".chip").all_inner_texts()] == [
        "lineitem.l_extendedprice",
        "lineitem.l_discount",
        "q05.revenue",
    ]
    assert page.locator("tr.selected .column-name").inner_text() == "revenue"


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ("over_damaged", ["unknown", "damaged.id cannot be read"]),
        ("over_gone", ["unknown", "gone.id is not there"]),
        ("over_unclear", ["unknown", "unclear.id has unknown lineage"]),
        ("over_shorter", ["unknown", "shorter.id has no such column"]),
        ("over_loop", ["unknown: views read each other in a circle"]),
        ("shorter", ["t.other identity"]),
        ("over_one", ["no column: it is a value of its own"]),
    ],
)
def test_the_picture_says_where_lineage_ends_before_tables(open_page, gaps, view, words):
    column = "other" if view == "shorter" else "id"
    page = open_page(gaps, f"view/default/{view}.html#column={column}")
    page.wait_for_selector(".path dd")
    said = page.locator(".path dd").all_inner_texts()
    assert [" ".join(each.split()) for each in said[: len(words)]] == words


@pytest.mark.parametrize(
    ("view", "column", "words"),
    [
        ("cond", "flag", ["no column", "o.status conditional"]),
        ("top", "f2", ["no column", "o.status conditional", "cond.flag transformation"]),
        ("top", "mixed", ["o.id transformation", "o.d conditional", "cond.mixed identity"]),
        ("cnt", "n", ["no column: it is a value of its own, or of the rows"]),
    ],
)
def test_the_picture_says_what_a_column_depends_on(open_page, indirect, view, column, words):
    page = open_page(indirect, f"view/default/{view}.html#column={column}")
    page.wait_for_selector(".path dd")
    said = page.locator(".path dd").all_inner_texts()
    assert [" ".join(each.split()) for each in said[: len(words)]] == words


@pytest.mark.parametrize("system", ["light", "dark"])
@pytest.mark.parametrize(
    ("body", "is_dark"),
    [
        ("<body>", None),
        ('<body data-jp-theme-light="true">', False),
        ('<body data-jp-theme-light="false">', True),
        ('<body class="vscode-light">', False),
        ('<body class="vscode-dark">', True),
        ('<body class="vscode-high-contrast">', True),
        ('<body class="vscode-high-contrast vscode-high-contrast-light">', False),
        ('<body data-theme="light">', False),
        ('<body data-theme="dark">', True),
    ],
)
def test_notebooks_have_the_colours_of_their_own_theme(open_page, tmp_path, system, body, is_dark):
    shown = show("", sql_block("SELECT 1"))["text/html"]
    (tmp_path / "notebook.html").write_text(f"<!doctype html>{body}{shown}")
    page = open_page(tmp_path, "notebook.html", color_scheme=system)
    colour = page.locator("i.k").evaluate("each => getComputedStyle(each).color")
    wanted = system == "dark" if is_dark is None else is_dark
    assert colour == ("rgb(201, 165, 255)" if wanted else "rgb(109, 40, 184)")


def test_the_styles_of_sql(open_page, orders):
    page = open_page(orders, "view/default/q05.html")
    assert page.get_by_role("tab", selected=True).inner_text() == "Readable"
    page.get_by_role("tab", name="Pipe").click()
    assert (
        page.locator("pre:visible").inner_text().startswith("FROM spark_catalog.default.lineitem")
    )
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tab", selected=True).inner_text() == "Nested"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone(open_page, orders, scheme):
    for file in (
        "index.html",
        "view/default/q05.html",
        "table/default/lineitem.html",
        "lineage.html",
    ):
        page = open_page(orders, file, viewport={"width": 360, "height": 740}, color_scheme=scheme)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 360, file
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, ground[4:-1].split(","))) < 200) == (scheme == "dark")


def test_paper_shows_what_is_folded(open_page, orders):
    page = open_page(orders, "view/default/q05.html")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.get_by_text("spark.sql.session.timeZone").is_visible()
    assert not page.locator(".bar").is_visible()
    assert not page.locator(".tablist").is_visible()
    for each in page.locator(".panel").all():
        assert each.is_visible()
        assert each.locator(".tab-title").is_visible()


def test_going_back_leaves_no_way_of_a_column(open_page, orders):
    page = open_page(orders, "view/default/q05.html")
    page.locator(".graph .node").nth(3).wait_for()
    page.locator("a.column-name").first.click()
    page.locator(".path h3").wait_for()
    page.go_back()
    page.wait_for_function("!location.hash")
    page.locator(".path h3").wait_for(state="detached")
    assert page.locator("tr.selected").count() == 0


def test_a_column_with_a_blank_name_can_be_chosen(open_page, tmp_path):
    env = vs.TableEnvironment(f"file:{tmp_path / 'views'}")
    env.create_table("t", "` ` INT, id INT")
    build(open_catalog(f"file:{tmp_path / 'views'}"), tmp_path / "site")
    page = open_page(tmp_path / "site", "table/default/t.html")
    page.locator("a.column-name").first.click()
    assert page.locator("tr.selected").count() == 1


def test_a_link_to_what_is_gone_says_so(open_page, orders):
    page = open_page(orders, "lineage.html#object=view/nope/x")
    page.locator(".graph .node").nth(3).wait_for()
    assert page.locator(".hint").inner_text().startswith("view/nope/x is not in this catalog. ")


def test_the_page_of_a_plan_folds_no_words_on_a_phone(open_page, tmp_path):
    place = Place(name="dev", url="file:dev", catalog_name="spark_catalog")
    change = ColumnChange("a_rather_long_name_of_a_column", "type", "INT", "DOUBLE")
    step = Step(operation="change", kind="view", database="sales", name="v", columns=(change,) * 2)
    problem = Problem(code="missing-table", object="sales.v", message="needs a table", hint="x")
    plan = Plan(id="0", source=place, target=place, steps=(step,), problems=(problem,))
    (tmp_path / "plan.html").write_text(plan_html(plan))
    page = open_page(tmp_path, "plan.html", viewport={"width": 375, "height": 700})
    for each in page.locator(".badge, thead th").all():
        assert each.evaluate("each => each.getBoundingClientRect().height") < 40, each.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_the_whole_catalog_and_one_object_of_it(open_page, orders):
    page = open_page(orders, "lineage.html")
    page.locator(".graph .node").nth(3).wait_for()
    assert page.locator(".graph .node").count() == 4
    page.get_by_label("Choose a view or table").fill("q05")
    page.locator(".graph .column").first.wait_for()
    assert page.url.endswith("#object=view%2Fdefault%2Fq05")


@pytest.mark.slow("builds a site of hostile names and opens its pages in a browser")
def test_hostile_names_do_nothing(open_page, tmp_path):
    attack = "</script><img src=x onerror=alert(1)>\"'><svg onload=alert(2)>"
    catalog = MemoryCatalog()
    catalog.create_database(DatabaseDocument(name=attack, comment=attack))
    columns = (Column("a\u202eb", "INT", comment=attack), Column(attack, "INT", comment=attack))
    catalog.create(TableDocument(database=attack, name="__proto__", columns=columns))
    catalog.create(
        ViewDocument(
            database=attack,
            name=attack,
            sql=f"SELECT 1 -- {attack}",
            columns=columns,
            comment="javascript:alert(3)",
            dependencies=(Dependency("table", ("spark_catalog", attack, "__proto__")),),
        )
    )
    build(catalog, tmp_path / "site", title=attack)
    files = sorted((tmp_path / "site").rglob("*.html"))
    assert len(files) == 5
    for file in files:
        page = open_page(tmp_path / "site", file.relative_to(tmp_path / "site").as_posix())
        page.keyboard.press("/")
        page.keyboard.type("alert")
        page.get_by_role("option").first.wait_for()
        assert page.locator("main img, main svg [onload], dialog img").count() == 0
        assert page.evaluate("({}).polluted") is None
    (view,) = (tmp_path / "site" / "view").rglob("*.html")
    page = open_page(tmp_path / "site", view.relative_to(tmp_path / "site").as_posix())
    page.locator(".column-name").first.click()
    page.locator(".graph .path").wait_for()
    page.evaluate("location.hash = 'column=%E0%A4%A'")  # no valid text


def test_many_readers_do_not_slow_a_picture(open_page, tmp_path):
    catalog = MemoryCatalog()
    catalog.create_database(DatabaseDocument(name="d"))
    columns = tuple(Column(f"c{number}", "INT") for number in range(30))
    catalog.create(TableDocument(database="d", name="t", columns=columns))
    for number in range(60):
        catalog.create(
            ViewDocument(
                database="d",
                name=f"v{number}",
                sql="SELECT " + ", ".join(each.name for each in columns) + " FROM d.t",
                columns=columns,
                dependencies=(Dependency("table", ("spark_catalog", "d", "t")),),
            )
        )
    build(catalog, tmp_path / "site")
    page = open_page(tmp_path / "site", "table/d/t.html")
    page.locator(".graph .node").nth(8).wait_for()
    assert page.locator(".graph .node").count() == 9
    page.get_by_role("button", name="Show 52 more readers of t").click()
    page.locator(".graph .node").nth(20).wait_for()
    assert page.locator(".graph .node").count() == 21
