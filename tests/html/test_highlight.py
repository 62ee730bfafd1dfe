"""SQL with colours is the SQL."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.site.pages import Page
from viewscribe.html.markup import _TOKEN, element, highlight
from viewscribe.parser.tokens import END, tokenize

SNAPSHOTS = Path(__file__).resolve().parents[2] / "snapshots"
PIECES = st.sampled_from(
    ["SELECT", "a", "'b", "`c`.d", "`", "--", "\n", "/*", "*/", "'", '"', "1e", "1.5BD", "f(", "\\"]
)


@given(st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=20).map("".join)))
def test_the_text_is_kept(sql):
    assert Page(highlight(sql)).text == sql


def test_every_token_of_the_parser_is_in_one_of_ours():
    files = sorted(SNAPSHOTS.rglob("*.sql"))[::3]
    assert len(files) > 5
    for file in files:
        sql = file.read_text(encoding="utf-8")
        ours, place = [], 0
        for each in _TOKEN.findall(sql):
            ours.append((place, place + len(each)))
            place += len(each)
        assert place == len(sql)
        tokens = iter(ours)
        here = next(tokens)
        for token in tokenize(sql):
            if token.kind == END or token.kind == "symbol":
                continue
            while here[1] <= token.start:
                here = next(tokens)
            assert here[0] <= token.start, (file, token)
            assert token.start + len(token.text) <= here[1], (file, token)


@pytest.mark.parametrize(
    ("sql", "marked"),
    [
        ("SELECT sum(a)", '<i class="k">SELECT</i> <i class="f">sum</i>(a)'),
        ("select first", '<i class="k">select</i> first'),
        ("DATE '1994-01-01'", '<i class="k">DATE</i> <i class="s">\'1994-01-01\'</i>'),
        ("x -- <b>", 'x <i class="c">-- &lt;b&gt;</i>'),
        ("|> WHERE 1.5e3", '<i class="k">|&gt;</i> <i class="k">WHERE</i> <i class="n">1.5e3</i>'),
        ("`select`.`from`", "`select`.`from`"),
    ],
)
def test_what_is_coloured(sql, marked):
    assert highlight(sql) == marked


def test_names_lead_to_their_pages():
    way = element("b", "c.d.t")
    assert highlight("FROM c.d.t", {"c.d.t": way}) == '<i class="k">FROM</i> <b>c.d.t</b>'
    assert highlight("'c.d.t'", {"c.d.t": way}) == "<i class=\"s\">'c.d.t'</i>"


@pytest.mark.parametrize("piece", ["/*", "'", '"', "`", "`a`.", "1", "a.", "''", "\\'", "r'", "*/"])
def test_no_text_takes_longer_than_its_length(piece):
    start = time.process_time()
    highlight(piece * 60_000)
    assert time.process_time() - start < 5
