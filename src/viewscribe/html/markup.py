"""HTML, built from elements: every text that is put into one is escaped, whatever it holds.

Nothing but this module makes ``Html``, so no stored text can become markup. Addresses are a type of
their own (``Address``), so no stored text can become the target of a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape as _escape_text
from typing import NamedTuple

from viewscribe.errors import INVISIBLE, printable
from viewscribe.types.identifiers import RESERVED_WORDS


class Address(str):
    """A relative URL that was made by us, never of stored text but in encoded form."""

    __slots__ = ()


class Html(str):
    """Markup. A sum or format of it is plain text again, and would be escaped."""

    __slots__ = ()


Child = Html | str | int | None | Iterable["Html | str | None"]
Attribute = str | int | bool | None

_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})
_ADDRESSES = frozenset({"href", "src", "action", "formaction", "xlink:href", "data", "srcset"})
_NAME = re.compile(r"[a-z][a-z0-9-]*")
_PLAIN = re.compile(r"[A-Za-z0-9 _.,:;=#()/+*~-]*")
_KNOWN_NAMES: dict[str, str] = {}

NOTHING = Html("")


def element(tag: str, *children: Child, **attributes: Attribute) -> Html:
    """Returns an element.

    Args:
        tag: its name.
        children: what is in it; text is escaped.
        attributes: by name, with ``_`` for ``-`` and at the end where Python has the word
            (``class_``). None and False leave one out, True writes it without a value.
    """
    opened = [f"<{tag}"]
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        known = _KNOWN_NAMES.get(name) or _attribute_name(name)
        if known in _ADDRESSES and not isinstance(value, Address):
            raise TypeError(f"{known} of <{tag}> takes an Address, not {type(value).__name__}")
        if known.startswith("on") or known == "style":
            raise TypeError(f"<{tag}> takes no {known}")
        opened.append(f" {known}" if value is True else f' {known}="{_escape_attribute(value)}"')
    opened.append(">")
    if tag in _VOID:
        return Html("".join(opened))
    for child in children:
        opened.append(child if isinstance(child, Html) else _markup(child))
    opened.append(f"</{tag}>")
    return Html("".join(opened))


def join(*children: Child) -> Html:
    """Returns several things one after the other, without an element around them."""
    return Html("".join(map(_markup, children)))


def concatenate(pieces: Iterable[Html]) -> Html:
    """Returns many pieces of markup as one; the fast way."""
    return Html("".join(pieces))


def raw_text_element(tag: str, text: str) -> Html:
    """Returns a ``<style>`` element, whose text is not escaped but must not end it.

    Raises:
        ValueError: the text would end the element.
    """
    if re.search(r"</|<!--", text):
        raise ValueError(f"this text would end <{tag}>")
    return Html(f"<{tag}>{text}</{tag}>")


def text(content: str) -> Html:
    """Returns text as it is read: what nobody can see is shown, and steers nothing."""
    if _PLAIN.fullmatch(content) is not None:  # most texts: one look is enough
        return Html(content)
    escaped = _escape_text(content, quote=False)
    if INVISIBLE.search(escaped) is None:
        return Html(escaped)
    return Html(INVISIBLE.sub(_show_invisible, escaped))


def document(root: Html) -> str:
    """Returns a whole page."""
    return f"<!doctype html>\n{root}\n"


def _markup(child: Child) -> str:
    if isinstance(child, Html):
        return child
    if child is None:
        return ""
    if isinstance(child, str):
        return text(child)
    if isinstance(child, int):
        return f"{child:,}"
    return "".join(map(_markup, child))


def _show_invisible(found: re.Match[str]) -> str:
    """The escape of a character, with its number, so that a copy of the text is exact."""
    character = found[0]
    shown = printable(character)
    # A line end of Windows is shown to nobody, but copied.
    kind = "invisible cr" if character == "\r" else "invisible"
    return f'<i class="{kind}" data-char="{ord(character):x}">{shown}</i>'


def _escape_attribute(value: str | int) -> str:
    shown = str(value)
    if _PLAIN.fullmatch(shown) is not None:
        return shown
    return _escape_text(printable(shown, lines=True), quote=True)


def _attribute_name(name: str) -> str:
    known = name.rstrip("_").replace("_", "-")
    if _NAME.fullmatch(known) is None:
        raise TypeError(f"no name of an attribute: {name!r}")
    _KNOWN_NAMES[name] = known
    return known


# SQL with colours: the tokens of Spark's lexer as markup.
#
# The pattern finds the tokens of ``parser/tokens.py`` and everything between them, and takes a name
# with its dots, and a name with the parenthesis after it, for one. It never fails: what begins no
# token is text. Looking up a whole token in a table is several times as fast as a call for each.

# What has no end reaches to the end of the text, so that no text takes more than one pass.
_PARTS = r"(?:\w+|`(?:[^`]|``)*(?:`|\Z))"
_TOKEN = re.compile(
    rf"""
    \s+
  | --[^\r\n]*
  | /\*(?!\+)(?:[^*]|\*(?!/))*(?:\*/|\Z)
  | [rR]'[^']*(?:'|\Z) | [rR]"[^"]*(?:"|\Z)
  | '(?:[^'\\]|\\.|'')*(?:'|\\?\Z) | "(?:[^"\\]|\\.|"")*(?:"|\\?\Z)
  | (?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?(?:BD|bd|Bd|bD|[lLsSyYfFdD])?(?!\w)
  | {_PARTS}(?:\.{_PARTS})*\(?
  | /\*\+ | \*/ | \|>
  | .
    """,
    re.VERBOSE | re.DOTALL,
)

_MORE_WORDS = """
aggregate asc between by cube cast date day days desc distinct div drop exists extend explode first
following groups hour hours if ilike interval last like limit lookup map month months not nulls of
over overwrite partition percent pivot preceding qualify range regexp rename replace respect ignore
rlike rollup row rows second seconds set sets sort struct table tablesample timestamp timestamp_ltz
timestamp_ntz to try_cast unbounded unpivot values view window year years
"""
_CLAUSES = (
    *("cluster", "distribute", "limit", "pivot", "qualify"),
    *("setminus", "sort", "tablesample", "unpivot", "window"),
)
_HARD = frozenset({*RESERVED_WORDS, *_CLAUSES}) - {"user", "time", "unknown"}
_SOFT = frozenset(map(str.upper, _MORE_WORDS.split()))
_LARGEST = 50_000


class _Markup(dict[str, Html]):
    """The markup of each token, made once."""

    def __missing__(self, token: str) -> Html:
        if len(self) > _LARGEST:
            self.clear()
        made = self[token] = _colour(token)
        return made


_MARKUP = _Markup()


def highlight(sql: str, links: Mapping[str, Html] | None = None) -> Html:
    """Returns SQL as markup, whose text is exactly the SQL.

    Args:
        sql: the text.
        links: the markup of names that lead somewhere, by their text in the SQL.
    """
    tokens = _TOKEN.findall(sql)
    made = _MARKUP
    if not links:
        return concatenate([made[each] for each in tokens])
    return concatenate([links[each] if each in links else made[each] for each in tokens])


def _colour(token: str) -> Html:
    first = token[0]
    if first.isspace():
        return text(token)
    if token.startswith("--") or (token.startswith("/*") and len(token) > 3):
        return element("i", token, class_="c")
    if first in "'\"" or (first in "rR" and len(token) > 2 and token[1] in "'\""):
        return element("i", token, class_="s")
    if first.isdigit() or (first == "." and len(token) > 1):
        return element("i", token, class_="n")
    if token == "|>":
        return element("i", token, class_="k")
    if first == "`" or "." in token or not (first.isalnum() or first == "_"):
        return text(token)
    if token.endswith("("):
        word = token[:-1]
        return join(element("i", word, class_="k" if _is_keyword(word) else "f"), "(")
    return element("i", token, class_="k") if _is_keyword(token) else text(token)


def _is_keyword(word: str) -> bool:
    # A column may be called ``first`` or ``date``; as keywords, these are in capitals.
    return word in _SOFT or word.lower() in _HARD


# What notebooks show: blocks of HTML that need nothing but themselves, in light and in dark.

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
