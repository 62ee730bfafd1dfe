"""The page of a migration plan: what changes, what breaks, and why."""

from __future__ import annotations

import base64
import re
from hashlib import sha256

import pytest

from tests.html.test_markup import HOSTILE
from tests.site.pages import Page
from viewscribe.environments.migration.columns import ColumnChange
from viewscribe.environments.migration.model import (
    Break,
    BrokenColumn,
    Drift,
    FieldChange,
    Place,
    Plan,
    Problem,
    Step,
)
from viewscribe.site import plan_html

DEV = Place(name="dev", url="file:dev", catalog_name="spark_catalog")
PROD = Place(name="prod", url="file:prod", catalog_name="spark_catalog")


def plan_of(*steps: Step, **fields) -> Plan:
    return Plan(id="0123", source=DEV, target=PROD, steps=steps, **fields)


def change(text: str = "x") -> Step:
    changed = ColumnChange(text, "type", text, "DOUBLE")
    return Step(
        operation="change",
        kind="view",
        database="sales",
        name=text,
        document={"sql": f"SELECT {text}"},
        sql_diff=f"--- a\n+++ b\n@@ -1 +1 @@\n-SELECT {text}\n+SELECT 2",
        columns=(changed,),
        fields=(FieldChange(text, text, text),),
        breaks=(
            Break(text, f"sales.{text}", (changed,), (BrokenColumn("total", (text, "total")),)),
        ),
        reads=(text,),
        drift=Drift(author=text, reason=text, sql_diff=f"-{text}\n+{text}"),
    )


def create() -> Step:
    return Step(
        operation="create", kind="view", database="sales", name="open", document={"sql": "SELECT 1"}
    )


def test_steps_in_order_with_what_breaks_and_why():
    page = Page(plan_html(plan_of(create(), change("amount"))))
    assert {"step=1", "step=2", "breaks", "steps"} <= set(page.ids())
    assert len(page.ids()) == len(set(page.ids()))
    for target in page.links():
        assert target[0] == "#"
        assert target[1:] in page.ids()
    assert "amount because of sales.amount: amount changes its type" in page.text
    assert "total <- amount" in page.text
    assert "removed: -SELECT amount" in page.text
    assert "The plan breaks views of the target." in page.text


def test_settings_that_change_are_shown():
    setting = FieldChange("settings.spark.sql.ansi.enabled", "true", "false")
    step = Step(operation="change", kind="view", database="s", name="v", fields=(setting,))
    page = Page(plan_html(plan_of(step)))
    assert "Settings change." in page.text
    assert "No reader breaks." not in page.text
    assert "settings.spark.sql.ansi.enabledtruefalse" in page.text


def test_problems_block():
    problem = Problem(code="missing-table", object="sales.v", message="needs t", hint="make it")
    page = Page(plan_html(plan_of(problems=(problem,), extra=("a", "b"), foreign=("b",))))
    assert "The plan is blocked." in page.text
    assert "needs t" in page.text
    assert "--delete-foreign deletes themb" in page.text


def test_nothing_to_do():
    assert "There is nothing to do." in Page(plan_html(plan_of())).text


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_plans_stay_text(hostile):
    markup = plan_html(plan_of(change(hostile)))
    markup.encode("utf-8")
    page = Page(markup)
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "img", "svg", "iframe", "form"}
    for _, known in page.elements:
        assert not [each for each in known if each.startswith("on") or each == "style"]
    assert hostile in page.text


def test_the_page_needs_nothing_and_allows_only_its_own_style():
    markup = plan_html(plan_of(create()))
    (style,) = re.findall(r"<style>(.*?)</style>", markup, re.DOTALL)
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    assert f"style-src &#x27;sha256-{digest}&#x27;" in markup
    assert "<link" not in markup
    assert markup == plan_html(plan_of(create()))
