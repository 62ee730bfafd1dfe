"""What every page has: the head, the bar at the top, sections, and the small parts of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from viewscribe.catalog_store.lineage.drawings import words
from viewscribe.catalog_store.lineage.influence import ColumnId, Influence, Origins, parts
from viewscribe.catalog_store.protocol import fold
from viewscribe.errors import printable
from viewscribe.html.markup import NOTHING, Address, Child, Html, document, element, join
from viewscribe.site.addresses import HOME, LINEAGE, database_page_id, link, page_file, root_of
from viewscribe.site.contents import Contents, Entry, Path, Reference, SiteLineage, values_of
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


# The first page, the page of each database, and the page of the lineage of all objects.

_MOST_ON_HOME = 200
_KINDS = ("view", "table", "function")


def home_page(site: Site) -> str:
    """Returns the first page: the databases with their objects, and what cannot be read."""
    frame = PageFrame(site, HOME)
    contents = site.contents
    head = element(
        "div",
        element("h1", name(site.title)),
        element("p", _counts(contents.entries), class_="dotted facts-line"),
        element("p", "from ", element("code", contents.url), class_="faint"),
        class_="head",
    )
    databases = [
        _database_section(frame, database, comment, most=_MOST_ON_HOME)
        for database, comment in contents.databases
        if comment or _objects_in(site, database) or len(contents.databases) == 1
    ]
    if not contents.entries:
        databases.append(
            notice(
                "good",
                "This catalog is empty.",
                element("p", "Pages appear here once it has views, tables or functions."),
            )
        )
    whole = element("div", head, _damaged(frame), databases, class_="page")
    return frame.page(site.title, whole)


def database_page(site: Site, database: str, comment: str) -> str:
    """Returns the page of a database, with all of its objects."""
    frame = PageFrame(site, page_file(database_page_id(database)))
    entries = _objects_in(site, database)
    head = element(
        "div",
        breadcrumbs(frame, ("Catalog", frame.to(HOME))),
        element(
            "h1", icon("database"), name(database), element("span", "database", class_="badge")
        ),
        prose(comment, "lead"),
        element("p", _counts(entries), class_="dotted facts-line"),
        class_="head",
    )
    parts = [
        section(title, kind, _object_table(frame, of_kind, title), count=len(of_kind))
        for kind, title in (("view", "Views"), ("table", "Tables"), ("function", "Functions"))
        if (of_kind := [each for each in entries if each.kind == kind])
    ]
    empty = None if parts else element("p", "Nothing is in this database.", class_="empty")
    return frame.page(database, element("div", head, parts, empty, class_="page"))


def lineage_page(site: Site) -> str:
    """Returns the page with the picture of the whole catalog, or of a part of a large one."""
    frame = PageFrame(site, LINEAGE)
    head = element(
        "div",
        element("h1", "Lineage"),
        element(
            "p",
            "Choose a view or table to see what it reads, what reads it, and where each of its "
            "columns comes from.",
            class_="lead",
        ),
        class_="head",
    )
    without = element("noscript", element("p", "The picture needs scripts."))
    place = element("div", without, class_="graph tall", data_graph="*")
    return frame.page("Lineage", element("div", head, place, class_="page wide"), graph=True)


def _objects_in(site: Site, database: str) -> list[Entry]:
    """The objects of a database: views first, then tables, then functions."""
    wanted = fold(database)
    found = [each for each in site.contents.entries if fold(each.id.database) == wanted]
    return sorted(found, key=lambda each: _KINDS.index(each.kind))


def _counts(entries: Sequence[Entry]) -> Iterator[Html]:
    found = Counter(each.kind for each in entries)
    for kind in _KINDS:
        if found[kind]:
            word = kind if found[kind] == 1 else f"{kind}s"
            yield element("span", found[kind], f" {word}")
    damaged = sum(each.error is not None for each in entries)
    if damaged:
        yield element("span", damaged, " unreadable", class_="bad-word")


def _database_section(frame: PageFrame, database: str, comment: str, most: int) -> Html:
    entries = _objects_in(frame.site, database)
    page = frame.to(page_file(database_page_id(database)))
    shown = entries if len(entries) <= most else entries[:most]
    rest = len(entries) - len(shown)
    more = element("p", element("a", f"All {len(entries):,} objects", href=page)) if rest else None
    heading = element(
        "h2",
        element("a", icon("database"), name(database), href=page),
        element("span", len(entries), class_="count"),
    )
    listed = _object_table(frame, shown, f"Objects of {database}") if shown else NOTHING
    empty = None if shown else element("p", "Nothing is in this database.", class_="empty")
    return element("section", heading, prose(comment), listed, empty, more)


def _object_table(frame: PageFrame, entries: Sequence[Entry], label: str) -> Html:
    rows = [_object_row(frame, each) for each in entries]
    return table(("Name", "Columns", "Comment"), rows, "listing", label=label)


def _object_row(frame: PageFrame, entry: Entry) -> Html:
    named = element(
        "a", icon(entry.kind), name(entry.name), href=frame.to_object(entry), class_="object"
    )
    kind = element("span", entry.kind, class_="for-readers")
    about = summary(entry.comment)
    if entry.error is not None:
        about = element("span", "cannot be read: ", entry.error.message[:300], class_="bad-word")
    count = len(entry.columns) if entry.kind != "function" and entry.error is None else None
    return element(
        "tr",
        element("th", named, " ", kind, scope="row"),
        element("td", count, class_="number"),
        element("td", about),
    )


def _damaged(frame: PageFrame) -> Html:
    entries = [each for each in frame.site.contents.entries if each.error is not None]
    others = frame.site.contents.unreadable
    if not entries and not others:
        return NOTHING
    items = [
        element(
            "li",
            element("a", name(f"{each.id.database}.{each.name}"), href=frame.to_object(each)),
            join(": ", each.error.message[:1000] if each.error else None),
        )
        for each in entries
    ]
    items += [
        element("li", name(each.id.name), f": {each.error.message[:1000]}") for each in others
    ]
    return notice("bad", "Some documents cannot be read.", element("ul", items))


# The columns of a view or table, with what they come from and what they feed.

_MOST = 24


def columns_section(frame: PageFrame, entry: Entry) -> Html:
    """Returns the section of columns: names, types, whether they are NULL, comments, lineage."""
    if not entry.columns:
        return section("Columns", "columns", element("p", "No columns.", class_="empty"))
    is_view = entry.kind == "view"
    titles = ["Column", "Type", "Comes from" if is_view else "Feeds"]
    rows = [_row(frame, entry, index) for index in range(len(entry.columns))]
    return section(
        "Columns",
        "columns",
        table(titles, rows, "columns", label="Columns"),
        count=len(entry.columns),
    )


def rows_facts(frame: PageFrame, rows: Origins) -> Html:
    """Returns what decides the rows of a view: joins, filters, groups and sorting."""
    by_word: dict[str, list[Html]] = {}
    for each, influence in rows.items():
        if each.column is None:
            by_word.setdefault("Rows of", []).append(column_link(frame, each))
            continue
        for one in parts(influence):
            if one in _CAPITAL:
                by_word.setdefault(_CAPITAL[one], []).append(column_link(frame, each))
    shown = [(word, chips(by_word[word])) for word in _ORDER if word in by_word]
    return facts(shown, "rows")


_CAPITAL = {
    Influence.JOIN: "Joined by",
    Influence.FILTER: "Filtered by",
    Influence.GROUP_BY: "Grouped by",
    Influence.SORT: "Sorted by",
    Influence.WINDOW: "Windows over",
    Influence.CONDITIONAL: "Chosen by",
    Influence.ROWS: "Counted from",
}
_ORDER = ("Rows of", *_CAPITAL.values())


def chips(several: list[Html]) -> Html:
    """Returns links side by side; many of them are folded."""
    if len(several) <= _MOST:
        return element("span", several, class_="chips")
    rest = element("span", several[_MOST:], class_="chips")
    more = element("details", element("summary", f"{len(several) - _MOST:,} more"), rest)
    return join(element("span", several[:_MOST], class_="chips"), more)


def _row(frame: PageFrame, entry: Entry, index: int) -> Html:
    column = entry.columns[index]
    nulls = None if column.nullable else element("span", "NOT NULL", class_="not-null")
    default = None
    if column.default is not None:
        default = element("span", "default ", element("code", column.default), class_="default")
    first = element(
        "th",
        element(
            "a",
            element("bdi", column.name),
            href=frame.to_object(entry, column.name),
            class_="column-name",
            data_column=column.name,
        ),
        prose(column.comment or ""),
        scope="row",
    )
    return element(
        "tr",
        first,
        element("td", element("code", column.type, class_="type"), nulls, default),
        element(
            "td",
            _sources(frame, entry, index)
            if entry.kind == "view"
            else _fed(frame, entry, column.name),
        ),
        id=f"column={column.name}",
    )


def _sources(frame: PageFrame, entry: Entry, index: int) -> Html:
    """What a column comes from, one step away, and down to tables where views lie between."""
    lineage = frame.site.lineage
    direct = lineage.direct(entry, index)
    values = values_of(direct)
    others = {each: how for each, how in direct.items() if each not in values}
    if not direct:
        return element("span", _own_value(frame, entry), class_="empty")
    parts = [chips(list(_links(frame, values)))] if values else []
    if others:
        parts.append(
            element(
                "div",
                element("span", "depends on", class_="faint"),
                chips(list(_links(frame, others))),
            )
        )
    leaves = lineage.leaves(entry, index)
    is_view = frame.site.contents.names_view
    tables = {each: how for each, how in leaves.columns.items() if not is_view(each.path)}
    if any(each not in direct for each in tables):
        found = list(_links(frame, tables))
        if leaves.more:
            found.append(element("span", "and more", class_="faint"))
        parts.append(_leaves("in tables", found))
    ends = [each for each in leaves.columns if is_view(each.path)]
    if ends:
        found = [column_link(frame, each, lineage.gap(*each) or "in a circle") for each in ends]
        parts.append(_leaves("unknown beyond", found))
    return join(*parts)


def _own_value(frame: PageFrame, entry: Entry) -> str:
    """What a column is that comes from no column: a literal, say, or a count of rows."""
    analysis = frame.site.lineage.analysis(entry)
    if analysis is None or analysis.unknown:
        return "unknown"
    return "a value of its own, or of the rows" if analysis.rows else "a value of its own"


def _leaves(title: str, found: list[Html]) -> Html:
    return element("div", element("span", title, class_="faint"), chips(found), class_="leaves")


def _links(frame: PageFrame, origins: Mapping[ColumnId, Influence]) -> Iterator[Html]:
    for each, influence in origins.items():
        yield column_link(frame, each, words(influence))


def _fed(frame: PageFrame, entry: Entry, column: str) -> Html:
    found = frame.site.lineage.feeds(entry, column)
    several = list(_links(frame, dict(found[:200])))
    if len(found) > len(several):
        more = f"and {len(found) - len(several):,} more"
        return join(chips(several), element("span", more, class_="faint"))
    return chips(several) if several else NOTHING
