"""What mkdocs does not check in the site it built: ``python -m tools.site_checks build/docs``.

No page may load anything from a network, and every page must show what GitHub shows of the same
file, whose Markdown is CommonMark with tables. mkdocs reads another Markdown, in which a list that
follows a line of text is no list, and a bar in the code of a cell needs no backslash.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from markdown_it import MarkdownIt

from tools.page_links import ROOT, ROOT_PAGES

_LOADING = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "image": ("href", "xlink:href"),
    "img": ("src", "srcset"),
    "input": ("src",),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "track": ("src",),
    "use": ("href", "xlink:href"),
    "video": ("src", "poster"),
}
"""The attributes that make a browser load something, by element."""

_NETWORK = re.compile(r"^\s*(?:https?:)?//", re.IGNORECASE)
_IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?\s*(?:https?:)?//[^'\")\s]+", re.IGNORECASE)
_COUNTED = ("table", "tr", "ul", "ol", "li", "pre", "blockquote", "em", "strong", "img")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_VOID = ("br", "hr", "img", "input", "link", "meta", "source", "wbr")


class _Outline(HTMLParser):
    """The text of a page, how many elements of each kind it has, and what it would load.

    Args:
        within: the class of the only element that counts; all of the page by default.
    """

    def __init__(self, within: str | None = None) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.elements: Counter[str] = Counter()
        self._text: list[str] = []
        self._within = within
        self._open: list[tuple[str, bool, bool]] = []

    @property
    def text(self) -> str:
        """The text without white space."""
        return "".join("".join(self._text).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.loads += _network_loads(tag, given)
        classes = (given.get("class") or "").split()
        _, inside, hidden = self._open[-1] if self._open else ("", self._within is None, False)
        inside = inside or self._within in classes
        hidden = hidden or "headerlink" in classes or tag in ("script", "style", "button")
        if inside and not hidden and tag in (*_COUNTED, *_HEADINGS):
            self.elements[tag] += 1
        if tag not in _VOID:
            self._open.append((tag, inside, hidden))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if any(tag == each for each, _, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        tag, inside, hidden = self._open[-1] if self._open else ("", self._within is None, False)
        if tag == "style":
            self.loads += _IN_STYLE.findall(data)
        if inside and not hidden:
            self._text.append(data)


def _network_loads(tag: str, given: dict[str, str | None]) -> Iterator[str]:
    for name in _LOADING.get(tag, ()):
        if _NETWORK.match(given.get(name) or ""):
            yield f"<{tag} {name}={given[name]}>"
    yield from _IN_STYLE.findall(given.get("style") or "")
    if "mermaid" in (given.get("class") or "").split():
        yield f"<{tag} class=mermaid>, whose script is on a network"


def find_network_loads(site: Path) -> Iterator[str]:
    """Yields what pages, pictures and styles of a site would load from a network."""
    for page in sorted([*site.rglob("*.html"), *site.rglob("*.svg")]):
        outline = _outline(page.read_text(encoding="utf-8"))
        yield from (f"{page.relative_to(site)} loads {each}" for each in outline.loads)
    for style in sorted(site.rglob("*.css")):
        found = _IN_STYLE.findall(style.read_text(encoding="utf-8"))
        yield from (f"{style.relative_to(site)} loads {each}" for each in found)


def find_other_pages(site: Path) -> Iterator[str]:
    """Yields where a page of a site shows something else than GitHub shows of its file."""
    beside = [(ROOT / name, site / in_site) for name, in_site in ROOT_PAGES.items()]
    files = sorted((ROOT / "docs").glob("*.md"))
    for file, page in [*beside, *((file, site / file.name) for file in files)]:
        html = page.with_suffix(".html").read_text(encoding="utf-8")
        difference = compare_page(file.read_text(encoding="utf-8"), html)
        if difference:
            yield f"{file.relative_to(ROOT)}: {difference}"


def compare_page(markdown: str, html: str) -> str:
    """Returns how a page differs from its Markdown as GitHub reads it; nothing if it does not."""
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    expected = _outline(reader.render(markdown))
    found = _outline(html, "md-content__inner")
    for tag in (*_HEADINGS, *_COUNTED):
        if expected.elements[tag] != found.elements[tag]:
            return f"{found.elements[tag]} <{tag}> instead of {expected.elements[tag]}"
    if expected.text == found.text:
        return ""
    pairs = zip(expected.text, found.text, strict=False)
    shared = min(len(expected.text), len(found.text))
    start = next((index for index, (a, b) in enumerate(pairs) if a != b), shared)
    return f"{found.text[start : start + 40]!r} instead of {expected.text[start : start + 40]!r}"


def _outline(html: str, within: str | None = None) -> _Outline:
    outline = _Outline(within)
    outline.feed(html)
    outline.close()
    return outline


def main() -> None:
    """Prints what is wrong with the site of the command line, and fails if anything is."""
    site = Path(sys.argv[1])
    problems = [*find_network_loads(site), *find_other_pages(site)]
    print(*problems, sep="\n", end="\n" if problems else "", file=sys.stderr)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
