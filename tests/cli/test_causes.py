"""What is told of many views: by cause, and no more of it than somebody reads."""

from __future__ import annotations

import pytest

from viewscribe.catalog_store import ObjectId
from viewscribe.cli.causes import causes_of
from viewscribe.cli.output.pages import Grid, Heading, Paragraph
from viewscribe.cli.verification import Outcome, verified_blocks, verified_data
from viewscribe.errors import ViewscribeError
from viewscribe.spark.report import Check, VerificationReport

NAMES = ("schema", "plan", "rows", "read_back")
EQUAL = Check("equal")


def view(number, database="shop"):
    return ObjectId(database, f"v{number:04d}", "view")


def failed(number, message):
    return Outcome(view(number), 0.1, NAMES, None, ViewscribeError(message, code="SomeError"))


def reported(number, schema=EQUAL, **more):
    report = VerificationReport(f"shop.v{number:04d}", schema, EQUAL, EQUAL, EQUAL, **more)
    return Outcome(view(number), 0.1, NAMES, report)


def groups(outcomes):
    return [[int(each.name[1:]) for each in cause.views] for cause in causes_of(outcomes)]


@pytest.mark.parametrize(
    "text",
    [
        "no table shop.gone",
        "the view {} cannot be opened",
        "the view spark_catalog.{} cannot be opened; line 3 pos 7",
        "`shop`.`{name}` is not there (line 1, pos 2)",
    ],
)
def test_names_and_places_make_no_other_cause(text):
    outcomes = [
        failed(
            number,
            text.format(f"shop.v{number:04d}", name=f"v{number:04d}").replace("3", str(number)),
        )
        for number in (1, 2)
    ]
    assert groups(outcomes) == [[1, 2]]


def test_other_causes_stay_apart():
    outcomes = [
        failed(1, "no table shop.gone"),
        failed(2, "no table shop.lost"),
        failed(3, "the view shop.v0001 is gone"),
        failed(4, "the view shop.v00041 is gone"),
        failed(5, "the view shop.v00051 is gone"),
        reported(6, Check("different", "no table shop.gone")),
    ]
    assert groups(outcomes) == [[1], [2], [3], [4], [5], [6]]
    assert causes_of(outcomes)[2].lines == ["SomeError: the view shop.v0001 is gone"]


def test_a_changed_table_is_one_cause_whatever_differs():
    changed = ("shop.orders has changed: `day` is STRING, it was DATE",)
    outcomes = [
        reported(1, Check("different", "1 differences", ["column 1"]), changed=changed),
        reported(2, Check("different", "2 differences", ["column 3"]), changed=changed),
        reported(3, Check("different", "2 differences", ["column 3"])),
        reported(4, Check("different", "1 differences"), changed=changed, edited=True),
    ]
    assert groups(outcomes) == [[1, 2], [3], [4]]
    assert causes_of(outcomes)[0].lines == changed
    alone = causes_of(outcomes)[2].lines
    assert alone == [
        "the stored view was edited by hand: its fingerprint does not match",
        *changed,
        "schema different: 1 differences",
    ]
    assert causes_of(outcomes[:1])[0].lines == [
        *changed,
        "schema different: 1 differences",
        "  column 1",
    ]


def test_a_large_catalog_lists_what_is_not_equal():
    outcomes = [reported(number) for number in range(1000)]
    assert list(verified_blocks(outcomes)) == []
    for number in range(100, 112):
        outcomes[number] = failed(number, "no table shop.gone")
    grid, heading, paragraph = verified_blocks(outcomes)
    assert isinstance(grid, Grid)
    assert len(grid.rows) == 12
    assert isinstance(heading, Heading)
    assert heading.text.startswith("12 views: shop.v0100, shop.v0101, ")
    assert heading.text.endswith("shop.v0109 and 2 more")
    assert paragraph == Paragraph("SomeError: no table shop.gone")
    assert len(verified_data(outcomes)["views"]) == 1000


def test_a_catalog_of_failures_is_told_on_a_page():
    outcomes = [failed(number, "no table shop.gone") for number in range(5000)]
    grid, more, heading, _ = verified_blocks(outcomes)
    assert isinstance(grid, Grid)
    assert len(grid.rows) == 50
    assert more == Paragraph("and 4,950 more; --json has all of them")
    assert isinstance(heading, Heading)
    assert heading.text.startswith("5,000 views: ")


def test_hostile_names_are_only_names():
    odd = ["a`b", "(", "x" * 300, "\\1", "v|w", "\u202e"]
    outcomes = [
        Outcome(ObjectId("shop", name, "view"), 0.1, NAMES, None, ViewscribeError(f"no {name}"))
        for name in odd
    ]
    assert len(causes_of(outcomes)) == len(odd)
