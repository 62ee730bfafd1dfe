"""HTML, built from elements: every text that is put into one is escaped, whatever it holds.

Nothing but this module makes ``Html``, so no stored text can become markup. Addresses are a type of
their own (``Address``), so no stored text can become the target of a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape as _escape_text

from viewscribe.errors import INVISIBLE, printable


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
