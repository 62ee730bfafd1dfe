"""What notebooks show: blocks of HTML that need nothing but themselves, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from viewscribe.errors import printable
from viewscribe.html.highlight import highlight
from viewscribe.html.markup import Child, Html, element, join, raw_text_element

# Notebooks say in ways of their own whether they are dark; a page on its own asks the system.
_DARK = """
  --vs-keyword: #c9a5ff; --vs-string: #8fdca8; --vs-number: #f3b980; --vs-call: #8fc1ff;
  --vs-soft: #a0a9bd; --vs-good: #67d391; --vs-bad: #ff938c; --vs-warning: #f2c265;
"""
_LIGHT = """
  --vs-keyword: #6d28b8; --vs-string: #17713a; --vs-number: #a85507; --vs-call: #1b5fb4;
  --vs-soft: #586074; --vs-good: #17713a; --vs-bad: #b3261e; --vs-warning: #8a5a00;
"""
_STYLE = f"""
.viewscribe {{ {_LIGHT}
  font-size: 0.95em; max-width: 100%; overflow-x: auto;
}}
@media (prefers-color-scheme: dark) {{
  .viewscribe {{ {_DARK} }}
}}
[data-jp-theme-light="true"] .viewscribe, .vscode-light .viewscribe,
.vscode-high-contrast-light .viewscribe, html[theme="light"] .viewscribe,
[data-theme="light"] .viewscribe {{ {_LIGHT} color-scheme: light; }}
[data-jp-theme-light="false"] .viewscribe, .vscode-dark .viewscribe,
.vscode-high-contrast:not(.vscode-high-contrast-light) .viewscribe,
html[theme="dark"] .viewscribe, [data-theme="dark"] .viewscribe {{ {_DARK} color-scheme: dark; }}
.viewscribe h4 {{ margin: 0.2em 0; font-size: 1em; }}
.viewscribe pre {{ margin: 0.3em 0; padding: 0.5em 0.7em; background: rgb(128 128 128 / 9%);
  border-radius: 6px; overflow-x: auto; line-height: 1.45; }}
.viewscribe pre i {{ font-style: normal; }}
.viewscribe i.k {{ color: var(--vs-keyword); font-weight: 600; }}
.viewscribe i.s {{ color: var(--vs-string); }}
.viewscribe i.n {{ color: var(--vs-number); }}
.viewscribe i.f {{ color: var(--vs-call); }}
.viewscribe i.c, .viewscribe .soft {{ color: var(--vs-soft); }}
.viewscribe i.invisible {{ opacity: 0.6; }}
.viewscribe .good {{ color: var(--vs-good); }}
.viewscribe .bad {{ color: var(--vs-bad); }}
.viewscribe .warning {{ color: var(--vs-warning); }}
.viewscribe table {{ border-collapse: collapse; margin: 0.3em 0; }}
.viewscribe th, .viewscribe td {{ text-align: left; padding: 0.15em 0.9em 0.15em 0;
  vertical-align: top; white-space: pre-wrap; overflow-wrap: break-word; }}
.viewscribe th {{ color: var(--vs-soft); font-weight: 600; }}
.viewscribe summary {{ cursor: pointer; }}
.viewscribe details details {{ margin-left: 1.2em; }}
.viewscribe ul {{ list-style: none; margin: 0; padding-left: 1.2em; }}
"""


class Column(NamedTuple):
    """A column as it is shown."""

    name: str
    type: str
    nullable: bool
    comment: str | None = None


class Node(NamedTuple):
    """A node of a tree, and what is below it."""

    label: Child
    below: Sequence[Node] = ()


def show(text: str, *blocks: Child) -> dict[str, str]:
    """Returns what ``_repr_mimebundle_`` gives: HTML, and text for where there is none.

    Args:
        text: what the object is in plain text.
        blocks: what it is in HTML; texts among them are escaped.
    """
    html = element("div", raw_text_element("style", _STYLE), *blocks, class_="viewscribe")
    return {"text/plain": printable(text, lines=True), "text/html": str(html)}


def heading(*children: Child) -> Html:
    """Returns a heading."""
    return element("h4", *children)


def sql_block(sql: str) -> Html:
    """Returns SQL with colours."""
    return element("pre", element("code", highlight(sql)))


def text_block(text: str) -> Html:
    """Returns text as it is."""
    return element("pre", text)


def marked(text: str, style: str) -> Html:
    """Returns text in a style: ``good``, ``bad``, ``warning`` or ``soft``."""
    return element("span", text, class_=style)


def collapsible(title: Child, *blocks: Child, is_open: bool = False) -> Html:
    """Returns blocks below a title that opens and closes them."""
    return element("details", element("summary", title), *blocks, open=is_open)


def grid(titles: Sequence[str], rows: Iterable[Sequence[Child]]) -> Html:
    """Returns a table."""
    head = element("tr", *[element("th", title, scope="col") for title in titles])
    body = [element("tr", *[element("td", cell) for cell in row]) for row in rows]
    return element("table", element("thead", head), element("tbody", *body))


def column_grid(columns: Iterable[Column]) -> Html:
    """Returns the columns of a table or view."""
    rows = list(columns)
    with_comments = any(column.comment for column in rows)
    titles = ("column", "type", "", *(("comment",) if with_comments else ()))
    return grid(
        titles,
        [
            (
                column.name,
                element("code", column.type),
                "" if column.nullable else marked("NOT NULL", "soft"),
                *((column.comment or "",) if with_comments else ()),
            )
            for column in rows
        ],
    )


def tree(roots: Iterable[Node], *, depth: int = 2) -> Html:
    """Returns nodes that open and close; those of the first levels are open."""
    made: list[Html] = []
    for node in roots:
        if node.below:
            below = tree(node.below, depth=depth - 1)
            made.append(collapsible(node.label, below, is_open=depth > 0))
        else:
            made.append(element("ul", element("li", node.label)))
    return join(*made)


def diff_block(lines: Iterable[str]) -> Html:
    """Returns a unified diff with colours."""
    styles = {"+": "good", "-": "bad", "@": "soft"}
    shown: list[Child] = []
    for line in lines:
        style = styles.get(line[:1])
        shown += [line if style is None else marked(line, style), "\n"]
    return element("pre", *shown)
