"""The first page, the page of each database, and the page of the lineage of all objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from viewscribe.catalog_store.names import fold
from viewscribe.html.markup import NOTHING, Html, element, join
from viewscribe.site.addresses import HOME, LINEAGE, database_page_id, page_file
from viewscribe.site.contents import Entry
from viewscribe.site.pages.layout import (
    PageFrame,
    Site,
    breadcrumbs,
    icon,
    name,
    notice,
    prose,
    section,
    summary,
    table,
)

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
