"""SQL on pages: one text, or several in tabs, each to be copied; and diffs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from viewscribe.html.highlight import highlight
from viewscribe.html.markup import Child, Html, element, join


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
