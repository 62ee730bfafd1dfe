"""The columns of a view or table, with what they come from and what they feed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from viewscribe.catalog_store.lineage.drawings import words
from viewscribe.catalog_store.lineage.influence import ColumnId, Influence, Origins, parts
from viewscribe.html.markup import NOTHING, Html, element, join
from viewscribe.site.contents import Entry
from viewscribe.site.lineage import values_of
from viewscribe.site.pages.layout import (
    PageFrame,
    column_link,
    facts,
    prose,
    section,
    table,
)

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
