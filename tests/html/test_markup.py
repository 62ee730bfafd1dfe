"""Text stays text, whatever is in it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import viewscribe.site
from tests.site.pages import Page
from viewscribe.html.markup import Html, concatenate, element, join, raw_text_element, text
from viewscribe.site.addresses import link

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "]]><!--",
    "&lt;script&gt;",
    "\u202eevil\u202c",
    "a\u2028b\u2029c",
    "\x00\x1b[31m\x7f",
    "\ud800",
    "x" * 10_000,
    "`; DROP TABLE x; --",
    "__proto__",
    "../../etc/passwd",
    "${7*7}{{7*7}}",
)
WILD = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=60))


@given(WILD, WILD)
def test_text_and_attributes_never_become_markup(one, other):
    page = Page(element("p", one, element("b", other, title=one), other, class_=other))
    assert [tag for tag, _ in page.elements if tag != "i"] == ["p", "b"]
    expected = (one + other + other).replace("\r\n", "\r\n")
    assert page.text == expected
    for tag, known in page.elements:
        assert set(known) <= ({"class", "data-char"} if tag == "i" else {"class", "title"})


@pytest.mark.parametrize("hostile", HOSTILE)
def test_nothing_invisible_reaches_a_page(hostile):
    made = element("p", hostile, title=hostile)
    assert made.isprintable() or "\n" in made
    made.encode("utf-8")


def test_sums_of_markup_are_text_again():
    bold = element("b", "x")
    assert element("p", f"{bold}") == "<p>&lt;b&gt;x&lt;/b&gt;</p>"
    assert element("p", bold + bold) == "<p>&lt;b&gt;x&lt;/b&gt;&lt;b&gt;x&lt;/b&gt;</p>"
    assert element("p", join(bold, " ", bold)) == "<p><b>x</b> <b>x</b></p>"
    assert concatenate([bold, bold]) == "<b>x</b><b>x</b>"
    assert type(text("<")) is Html


@pytest.mark.parametrize("name", ["href", "src", "action", "formaction", "srcset"])
def test_addresses_are_never_stored_text(name):
    with pytest.raises(TypeError, match="takes an Address"):
        element("a", "x", **{name: "javascript:alert(1)"})
    assert (
        element("a", "x", **{name: link("", "a.html", "b c")}) == f'<a {name}="a.html#b%20c">x</a>'
    )


@pytest.mark.parametrize("name", ["onclick", "style", "onload"])
def test_elements_have_neither_scripts_nor_styles(name):
    with pytest.raises(TypeError, match="takes no"):
        element("a", "x", **{name: "x"})


def test_a_style_never_ends_early():
    with pytest.raises(ValueError, match="would end"):
        raw_text_element("style", "a{}</style><script>")


def test_only_the_builder_makes_markup_and_addresses():
    makers = {"Html": {"markup.py"}, "Address": {"addresses.py"}}
    for path in Path(viewscribe.site.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert path.name in makers.get(node.func.id, {path.name}), (path, node.lineno)
