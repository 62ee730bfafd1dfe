"""What every page has: the head, the bar at the top, sections, and the small parts of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from viewscribe.catalog_store.lineage.influence import ColumnId
from viewscribe.errors import printable
from viewscribe.html.markup import NOTHING, Address, Child, Html, document, element
from viewscribe.site.addresses import HOME, LINEAGE, link, page_file, root_of
from viewscribe.site.contents import Contents, Entry, Path, Reference
from viewscribe.site.lineage import SiteLineage
from viewscribe.types.identifiers import quote_name

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""Pages load the scripts and styles of their own folder, and nothing else."""

_SUMMARY = 160
_LONG = 600


@dataclass(frozen=True)
class Site:
    """What the pages of a site have in common.

    Args:
        title: its title.
        contents: what it is about.
        lineage: the lineage of the columns.
        kept: markup that many pages share, by all that it is made of.
    """

    title: str
    contents: Contents
    lineage: SiteLineage
    kept: dict[Hashable, Html] = field(default_factory=dict)

    def keep(self, key: Hashable, make: Callable[[], Html]) -> Html:
        """Returns what ``make`` makes, made once for each key."""
        found = self.kept.get(key)
        if found is None:
            found = self.kept[key] = make()
        return found


class PageFrame:
    """A page in the making: it knows where it is, and so the way to everything else.

    Args:
        site: the site.
        file: the path of the page in it.
        subject: the identity of the object that it is about.
    """

    def __init__(self, site: Site, file: str, subject: str = "") -> None:
        self.site = site
        self.root = root_of(file)
        self._subject = subject

    def page(self, title: str, main: Child, *, graph: bool = False) -> str:
        """Returns the whole page.

        Args:
            title: for the tab of a browser.
            main: what the page says.
            graph: whether it draws lineage.
        """
        scripts = ["vendor/dagre.min.js", "assets/graph.js"] if graph else []
        head = element(
            "head",
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=POLICY),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="referrer", content="no-referrer"),
            element("meta", name="color-scheme", content="light dark"),
            element("meta", name="generator", content="viewscribe"),
            element("title", printable(title if title == self.site.title else self._tab(title))),
            element("link", rel="icon", href=self.to("assets/icon.svg"), type="image/svg+xml"),
            element("link", rel="stylesheet", href=self.to("assets/site.css")),
            [
                element("script", src=self.to(each), defer=True)
                for each in ("assets/site.js", *scripts)
            ],
        )
        body = element(
            "body",
            element("a", "Skip to content", href=link("", "", "main"), class_="skip"),
            self.site.keep(("bar", self.root), self._bar),
            element("main", main, id="main", tabindex=-1),
            self._foot(),
        )
        return document(
            element("html", head, body, lang="en", data_root=self.root, data_page=self._subject)
        )

    def to(self, file: str, fragment: str = "") -> Address:
        """Returns the address of a file of the site."""
        return link(self.root, file, fragment)

    def to_object(self, entry: Entry, column: str | None = None) -> Address:
        """Returns the address of the page of an object, or of a column on it."""
        fragment = "" if column is None else f"column={column}"
        return self.to(page_file(entry.page), fragment)

    def _tab(self, title: str) -> str:
        return f"{title} · {self.site.title}"

    def _bar(self) -> Html:
        search = element(
            "button",
            element("span", "Search", class_="search-word"),
            element("span", " views, columns, comments, SQL", class_="search-what"),
            element("kbd", "/"),
            type="button",
            class_="search-open",
            aria_haspopup="dialog",
            aria_label="Search views, columns, comments and SQL",
            hidden=True,
        )
        return element(
            "header",
            element("a", icon("site"), name(self.site.title), href=self.to(HOME), class_="brand"),
            search,
            element(
                "nav",
                element("a", "Catalog", href=self.to(HOME)),
                element("a", "Lineage", href=self.to(LINEAGE)),
                aria_label="Site",
            ),
            class_="bar",
        )

    def _foot(self) -> Html:
        return element("footer", "Made by viewscribe. Works offline.", class_="foot")


def icon(kind: str) -> Html:
    """Returns the mark of a kind of object; it is drawn by the style sheet."""
    return element("span", class_=f"icon icon-{kind}", aria_hidden="true")


def name(content: str, **attributes: str | None) -> Html:
    """Returns a stored name, whose direction of writing ends with it."""
    return element("bdi", content, **attributes)


def prose(content: str, css: str = "comment") -> Html:
    """Returns a stored comment; a long one is folded."""
    if not content.strip():
        return NOTHING
    if len(content) <= _LONG:
        return element("p", content, class_=css, dir="auto")
    start = content[:_SUMMARY].rstrip() + " …"
    return element(
        "details",
        element("summary", element("span", start, dir="auto")),
        element("p", content, class_=css, dir="auto"),
        class_="long",
    )


def summary(content: str) -> Html:
    """Returns the beginning of a stored comment, for lists."""
    line = " ".join(content[: 4 * _SUMMARY].split())
    if len(line) > _SUMMARY:
        line = line[:_SUMMARY].rstrip() + " …"
    return element("span", line, class_="comment", dir="auto") if line else NOTHING


def section(title: str, identity: str, *content: Child, count: int | None = None) -> Html:
    """Returns a part of a page with its heading, which links lead to."""
    counted = None if count is None else element("span", count, class_="count")
    anchor = element(
        "a", "#", href=link("", "", identity), class_="anchor", aria_label=f"Link to {title}"
    )
    heading = element("h2", title, counted, anchor, id=f"{identity}-title")
    return element("section", heading, *content, id=identity, aria_labelledby=f"{identity}-title")


def contents_list(sections: Sequence[tuple[str, str]]) -> Html:
    """Returns links to the sections of a page, given as identities and titles."""
    items = [
        element("li", element("a", title, href=link("", "", identity)))
        for identity, title in sections
    ]
    return element("nav", element("ul", items), class_="toc", aria_label="On this page")


def notice(kind: str, title: str, *content: Child) -> Html:
    """Returns a box that says what a reader must know: ``bad``, ``warning`` or ``good``."""
    return element("div", element("strong", title), *content, class_=f"notice {kind}", role="note")


def facts(rows: Iterable[tuple[str, Child]], css: str = "facts") -> Html:
    """Returns names and values; those without a value are left out."""
    shown = [
        element("div", element("dt", title), element("dd", value))
        for title, value in rows
        if value is not None and value != "" and value != []
    ]
    return element("dl", shown, class_=css) if shown else NOTHING


def table(titles: Sequence[str], rows: Iterable[Html], css: str = "", label: str = "") -> Html:
    """Returns a table, which scrolls where the window is narrow."""
    head = element("thead", element("tr", [element("th", each, scope="col") for each in titles]))
    return element(
        "div",
        element("table", head, element("tbody", rows), class_=css or None),
        class_="scroll",
        role="region" if label else None,
        aria_label=label or None,
        tabindex=0 if label else None,
    )


def object_link(frame: PageFrame, reference: Reference) -> Html:
    """Returns a link to an object, or its name where the site has no page for it."""
    shown = name(short_name(frame, reference.path))
    if reference.entry is None:
        return element("span", icon(reference.kind), shown, class_="object missing")
    return element(
        "a",
        icon(reference.kind),
        shown,
        href=frame.to_object(reference.entry),
        class_="object",
    )


def column_link(frame: PageFrame, column: ColumnId, word: str = "") -> Html:
    """Returns a link to a column, with what it does in small letters."""
    key = ("column", frame.root, column, word)
    return frame.site.keep(key, lambda: _column_link(frame, column, word))


def _column_link(frame: PageFrame, column: ColumnId, word: str) -> Html:
    entry = frame.site.contents.relation(column.path)
    owner = element("span", f"{short_name(frame, column.path)}.", class_="owner")
    shown = element("bdi", owner, element("span", column.column or "rows", class_="own"))
    mark = element("small", word) if word else None
    if entry is None:
        return element("span", shown, mark, class_="chip missing")
    return element("a", shown, mark, href=frame.to_object(entry, column.column), class_="chip")


def short_name(frame: PageFrame, path: Path) -> str:
    """Returns a name without the parts that all objects of the site share."""
    contents = frame.site.contents
    if path[:1] != (contents.name,):
        return quote_name(path)
    return quote_name(path[2:] if len(contents.databases) == 1 else path[1:])


def breadcrumbs(frame: PageFrame, *ways: tuple[str, Address | None]) -> Html:
    """Returns the way from the first page to this one."""
    items = [
        element("li", name(title) if to is None else element("a", name(title), href=to))
        for title, to in ways
    ]
    return element("nav", element("ol", items), class_="crumbs", aria_label="Where you are")
