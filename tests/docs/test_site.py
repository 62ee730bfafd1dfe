"""The documentation site: its menu, its links and the checks of what `make docs` builds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.page_links import ROOT, ROOT_PAGES, linked_sources, site_page, source_page
from tools.site_checks import compare_page, find_network_loads

CONFIG = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
ELSEWHERE = {"__version__", "functions", "migrate"}
"""``functions`` has a page of its own, ``migrate`` is shown name by name."""
ARTICLE = '<article class="md-content__inner">{}</article>'


def menu(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        for value in entry.values():
            if isinstance(value, str):
                yield value
            else:
                yield from menu(value)


def test_the_menu_names_every_page_once():
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert sorted(menu(CONFIG["nav"])) == sorted([*pages, *ROOT_PAGES.values()])


@pytest.mark.parametrize(
    ("place", "elsewhere"),
    [
        ("viewscribe", ELSEWHERE),
        ("viewscribe.snapshots", set()),
        ("viewscribe.snapshots.rows", set()),
    ],
)
def test_the_reference_has_every_public_name(place: str, elsewhere: set[str]):
    pages = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "reference").glob("*.md")
    )
    found = re.findall(rf"^::: {place}\.([\w.]+)$", pages, re.MULTILINE)
    shown = {name.rpartition(".")[2] for name in found}
    assert set(import_module(place).__all__) - shown == elsewhere


@pytest.mark.parametrize(
    ("page", "before", "after"),
    [
        ("index.md", "[a](docs/history.md#renaming)", "[a](history.md#renaming)"),
        ("index.md", "[a](CONTRIBUTING.md)", "[a](contributing.md)"),
        ("index.md", "![a](docs/pictures/terminal.svg)", "![a](pictures/terminal.svg)"),
        ("contributing.md", "[a](docs/architecture.md)", "[a](architecture.md)"),
        ("history.md", "[a](../README.md)", "[a](index.md)"),
        ("history.md", "[a](#renaming) [b](https://a.b/c.md)", None),
        ("reference/table.md", "[a](../table-api.md)", "[a](../table-api.md)"),
        ("history.md", "[a](../pyproject.toml)", "[a](source/pyproject.toml.md)"),
        ("reference/table.md", "[a](../../Makefile)", "[a](../source/Makefile.md)"),
        ("history.md", "[a](nowhere.txt)", None),
        ("history.md", "```md\n[a](../README.md)\n```\n", None),
        ("history.md", "<!-- not run: shell -->\n```sh\nls\n```\n", "```sh\nls\n```\n"),
        ("history.md", "| `a\\|b` | c\\|d |\n", "| `a|b` | c\\|d |\n"),
    ],
)
def test_a_page_fits_the_site(page: str, before: str, after: str | None):
    assert site_page(before, page) == (before if after is None else after)


def test_a_linked_file_becomes_a_page():
    text = "[a](../pyproject.toml) [b](history.md) [c](nowhere.txt)\n```\n[d](../Makefile)\n```\n"
    assert list(linked_sources(text, "history.md")) == ["pyproject.toml"]


def test_the_page_of_a_file_holds_its_text_whatever_fences_it_has():
    assert "\n````text\n" in source_page("README.md")


@pytest.mark.parametrize(
    "loading",
    [
        '<script src="https://unpkg.com/a.js"></script>',
        "<link rel=stylesheet href='//fonts.example/css'>",
        '<img alt="" src="HTTP://a.b/c.png">',
        '<p style="background: url(https://a.b/c.png)">',
        "<style>@import 'https://a.b/c.css';</style>",
        '<pre class="mermaid">graph LR</pre>',
    ],
)
def test_what_a_page_loads_from_a_network_is_found(tmp_path: Path, loading: str):
    (tmp_path / "a.html").write_text(f"<p><a href='https://a.b'>a</a>{loading}", encoding="utf-8")
    assert len(list(find_network_loads(tmp_path))) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.css", "a { background: url(//a.b/c.png) }"), ("a.svg", '<image href="https://a.b/c"/>')],
)
def test_what_other_files_load_is_found(tmp_path: Path, name: str, text: str):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert len(list(find_network_loads(tmp_path))) == 1


def test_a_link_loads_nothing(tmp_path: Path):
    (tmp_path / "a.html").write_text(
        "<a href='https://a.b'>a</a><script src='b.js'></script><style>a {}</style>", "utf-8"
    )
    assert not list(find_network_loads(tmp_path))


@pytest.mark.parametrize(
    ("markdown", "html", "difference"),
    [
        ("a\n- b\n", "<p>a</p><ul><li>b</li></ul>", ""),
        ("a\n- b\n", "<p>a - b</p>", "0 <ul> instead of 1"),
        ("# a\n", '<h1>a<a class="headerlink" href="#a">¶</a></h1>', ""),
        ("a `b`\n", "<p>a <code>c</code></p>", "'c' instead of 'b'"),
        ("a b\n", "<p>a</p>", "'' instead of 'b'"),
        ("![a](b.png)\n\nc\n", '<p><img alt="a" src="b.png" /></p></i><p>c</p>', ""),
    ],
)
def test_a_page_is_compared_with_its_markdown(markdown: str, html: str, difference: str):
    page = f"<nav><ul><li>menu</li></ul></nav>{ARTICLE.format(html)}<footer>end</footer>"
    assert compare_page(markdown, page) == difference
