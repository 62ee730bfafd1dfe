"""What notebooks show: whole HTML, in which everything of others is text."""

from __future__ import annotations

from dataclasses import replace as replace_report
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import viewscribe as vs
from viewscribe import col
from viewscribe import functions as F
from viewscribe.catalog_store.documents.normalization import differences
from viewscribe.catalog_store.lineage import LineageGraph
from viewscribe.environments.migration.model import Place, Plan, Step
from viewscribe.html.markup import Node, column_grid, show, text_block, tree
from viewscribe.snapshots.verdict import Verdict
from viewscribe.spark.report import Check, VerificationReport
from viewscribe.table_api.view_storage import SavedView

HOSTILE = "</script><img src=x onerror=alert(1)>&amp;\u202e\"'`"
VOID = {"img", "br", "input", "meta", "link"}


class Parsed(HTMLParser):
    """The tags, attributes and texts of a piece of HTML, whose elements must all be closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.texts.append(data)


KNOWN = {
    *("div", "style", "details", "summary", "table", "thead", "tbody", "tr", "th", "td"),
    *("pre", "code", "i", "span", "h4", "ul", "li"),
}


def parsed(bundle: dict[str, str]) -> Parsed:
    found = Parsed(bundle["text/html"])
    assert found.tags <= KNOWN
    assert found.attributes <= {"class", "open", "scope", "data-char"}
    assert "http" not in bundle["text/html"], "nothing is loaded"
    return found


def things() -> dict[str, Any]:
    env = vs.TableEnvironment()
    env.create_table("t", f"id INT NOT NULL, `{HOSTILE.replace('`', '``')}` STRING")
    name = env.from_path("t").columns[1]
    quoted = vs.col(f"`{name.replace('`', '``')}`")
    table = env.from_path("t").filter(quoted == HOSTILE).select("id", F.upper(quoted).alias("x"))
    env.create_view("v", table, comment=HOSTILE)
    first = env.get_view("v")
    env.create_view("v", table.filter(col("id") > 1), or_replace=True)
    graph = LineageGraph.load(env.catalogs)
    report = VerificationReport(
        HOSTILE, Check("equal"), Check("not compared", HOSTILE), Check("different", "", [HOSTILE])
    )
    return {
        "table": table,
        "table without SQL": table.select(F.lit(1).alias("`")),
        "schema": table.schema,
        "view": env.get_view("v"),
        "table's document": env.catalogs.get("table", ("t",)).document,
        "result": env.execute_sql("SHOW VIEWS"),
        "report": report,
        "saved": SavedView(
            HOSTILE, f"SELECT '{HOSTILE}'", replace_report(report, renamed=(("a", "b"),))
        ),
        "trace": graph.upstream(*graph.find(("spark_catalog", "default", "v"))),
        "differences": differences(first, env.get_view("v")),
        "verdict": Verdict("different", HOSTILE, rows=(HOSTILE,)),
    }


@pytest.mark.parametrize("name", things())
def test_everything_is_shown_safely(name):
    thing = things()[name]
    bundle = thing._repr_mimebundle_(include=None, exclude=None)
    assert set(bundle) == {"text/plain", "text/html"}
    assert bundle["text/plain"]
    assert parsed(bundle).texts


def test_a_table_shows_columns_sql_and_operations():
    texts = "".join(parsed(things()["table"]._repr_mimebundle_()).texts)
    assert "NOT NULL" in texts
    assert "spark_catalog.default.t" in texts
    assert "Filter(" in texts
    assert "<img" in texts


def test_texts_are_short_and_steer_no_terminal():
    env = vs.TableEnvironment()
    wide = ", ".join(f"c{number} INT" for number in range(300))
    env.create_table("t", f"`a\x1b[31m\u202e\nb` INT, {wide}", properties={"token": "hunter2"})
    env.create_view("v", env.from_path("t"), properties={"token": "hunter2"})
    view = env.get_view("v")
    stored = env.catalogs.catalog("spark_catalog").history("view", "default", "v")
    for each in (view, env.catalogs.get("table", ("t",)).document, list(stored)):
        assert repr(each).isprintable()
        assert len(repr(each)) < 500
        assert "hunter2" not in repr(each)
    assert repr(env.from_path("t")).isprintable()
    shown: list[Any] = [*things().values(), view, env.from_path("t"), env.from_path("t").schema]
    for thing in shown:
        text = thing._repr_mimebundle_()["text/plain"]
        assert all(line.isprintable() for line in text.split("\n")), text


def test_plans_are_short():
    place = Place(name="dev", url="file:dev", catalog_name="spark_catalog")
    document = {"sql": "SELECT 1"}
    step = Step(operation="create", kind="view", database="s", name="v", document=document)
    plan = Plan(id="0", source=place, target=place, steps=(step,))
    assert repr(plan) == "Plan(dev -> dev: 1 steps, 0 problems)"
    assert repr(step) == "Step(create view s.v)"
    assert plan._repr_mimebundle_()["text/plain"].endswith("create view s.v")


def test_the_text_of_a_difference_tells_all_that_its_html_tells():
    view = things()["view"]
    settings = {**view.settings, "spark.sql.ansi.enabled": "false"}
    for changes, told in (
        ({"settings": settings}, "~ settings.spark.sql.ansi.enabled: true -> false"),
        ({"comment": "another"}, "~ comment: "),
        ({"properties": {"api_token": "hunter2"}}, "~ properties.api_token:  -> ***"),
    ):
        bundle = differences(view, replace(view, **changes))._repr_mimebundle_()
        assert bundle["text/plain"].startswith(told)
        assert "hunter2" not in bundle["text/html"]


def test_a_report_shows_what_its_text_says():
    report = replace_report(things()["report"], changed=("a table changed",), edited=True)
    texts = "".join(parsed(report._repr_mimebundle_()).texts)
    assert "a table changed" in texts
    assert "the stored view was edited by hand" in texts


def test_a_long_pipeline_is_shown():
    env = vs.TableEnvironment()
    env.create_table("t", "id INT")
    table = env.from_path("t")
    for number in range(400):
        table = table.filter(col("id") != number).limit(1000 - number)
    assert parsed(table._repr_mimebundle_()).texts


@given(st.text(), st.text())
def test_texts_come_out_as_they_go_in(name, comment):
    from viewscribe.html.markup import Column

    bundle = show(name, column_grid([Column(name, "INT", True, comment)]), text_block(comment))
    parsed(bundle)
    parsed(show("", tree([Node(name, [Node(comment)])])))
