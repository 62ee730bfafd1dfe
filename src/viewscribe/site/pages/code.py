"""SQL on pages: one text, or several in tabs, each to be copied; and diffs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from viewscribe.catalog_store.documents.model import ObjectDocument
from viewscribe.catalog_store.documents.normalization import History, differences
from viewscribe.catalog_store.documents.versions import Version
from viewscribe.catalog_store.protocol import Stored
from viewscribe.html.markup import NOTHING, Child, Html, element, highlight, join
from viewscribe.secrets import mask_text
from viewscribe.site.pages.layout import name, section


class Tab(NamedTuple):
    """A text in one of several tabs."""

    identity: str
    title: str
    text: str
    note: str = ""


def code(text: str, links: Mapping[str, Html] | None = None, *, plain: bool = False) -> Html:
    """Returns a text to be copied, as SQL unless it is plain."""
    copy = element("button", "Copy", type="button", class_="copy", hidden=True)
    shown: Child = text if plain else highlight(text, links)
    return element(
        "div",
        copy,
        element("pre", element("code", shown), tabindex=0, translate="no", dir="ltr"),
        class_="code",
    )


def tabs(label: str, group: str, several: Sequence[Tab], links: Mapping[str, Html]) -> Html:
    """Returns texts of which one is seen at a time; without scripts, one below the other."""
    panels = [
        element(
            "div",
            element("h3", each.title, class_="tab-title"),
            element("p", each.note, class_="note") if each.note else None,
            code(each.text, links),
            class_="panel",
            id=f"{group}={each.identity}",
            data_title=each.title,
        )
        for each in several
    ]
    return element("div", panels, class_="tabs", data_label=label, data_group=group)


def diff(lines: Sequence[str]) -> Html:
    """Returns a unified diff, with the kind of each line."""
    rows = [_diff_line(each) for each in lines if not each.startswith(("---", "+++"))]
    pre = element("pre", element("code", rows), tabindex=0, translate="no", dir="ltr")
    return element("div", pre, class_="code diff")


_KINDS = {"+": ("ins", "added"), "-": ("del", "removed")}


def _diff_line(line: str) -> Html:
    sign, rest = line[:1], line[1:]
    if line.startswith("@@"):
        return join(element("span", line, class_="hunk"), "\n")
    if sign in _KINDS:
        tag, word = _KINDS[sign]
        hidden = element("span", f"{word}: ", class_="for-readers")
        return join(element(tag, hidden, element("b", sign), rest), "\n")
    return join(element("span", element("b", " "), rest), "\n")


# The versions of an object, each with what it changed.

_MOST_DIFFS = 50
_LONGEST = 2000


def history_section(history: History) -> Html:
    """Returns the section of versions, the newest first."""
    versions = [each for each in history if each.version is not None]
    if not versions:
        return NOTHING
    items = [_first(versions[0])]
    for number, (before, after) in enumerate(pairwise(versions)):
        shown = len(versions) - number <= _MOST_DIFFS
        items.append(_later(before, after, with_diff=shown))
    listed = element("ol", list(reversed(items)), class_="versions", reversed=True)
    return section("History", "history", listed, count=len(versions))


def when(version: Version) -> Html:
    """Returns the time of a version, to the minute."""
    shown = version.at[:16].replace("T", " ")
    return element("time", f"{shown} UTC", datetime=version.at)


def _first(stored: Stored[ObjectDocument]) -> Html:
    return element("li", _head(stored), id=_identity(stored))


def _later(
    before: Stored[ObjectDocument], after: Stored[ObjectDocument], *, with_diff: bool
) -> Html:
    if not with_diff:
        return element("li", _head(after), id=_identity(after))
    found = list(_differences(before.document, after.document))
    if not found:
        found = [element("p", "Nothing that is shown here changed.", class_="empty")]
    title = element("summary", _head(after))
    return element("li", element("details", title, found), id=_identity(after))


def _identity(stored: Stored[ObjectDocument]) -> str:
    assert stored.version is not None
    return f"version={stored.version.number}"


def _head(stored: Stored[ObjectDocument]) -> Html:
    version = stored.version
    assert version is not None
    by = join("by ", name(version.author)) if version.author else None
    source = join("from ", name(mask_text(version.source))) if version.source else None
    parts = [element("span", each) for each in (when(version), by, source) if each]
    reason = (
        element("span", mask_text(version.reason), class_="reason", dir="auto")
        if version.reason
        else None
    )
    return join(
        element("span", f"Version {version.number}", class_="version"),
        element("span", version.operation, class_=f"badge {version.operation}"),
        element("span", parts, class_="dotted"),
        reason,
    )


def _differences(before: ObjectDocument, after: ObjectDocument) -> Iterator[Html]:
    found = differences(before, after)
    if found.sql:
        yield diff(found.sql)
    if found.columns:
        yield element("h4", "Columns")
        yield diff([_signed(str(each)) for each in found.columns])
    if found.fields:
        yield element("h4", "Other")
        yield diff(list(_fields(found.fields)))


def _signed(line: str) -> str:
    """A changed column as a line of a diff; what is neither added nor removed keeps its sign."""
    return line if line[:1] in "+-" else f" {line}"


def _fields(fields: dict[str, tuple[Any, Any]]) -> Iterator[str]:
    for field, (before, after) in fields.items():
        for sign, value in (("-", before), ("+", after)):
            if value is not None:
                yield f"{sign}{field}: {shorten(value)}"


def shorten(value: Any) -> str:
    """Returns a value as one line of text, not too long."""
    import json

    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]} …"
