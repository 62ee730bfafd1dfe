"""Sites in tests: building one, and reading its pages as a browser does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from viewscribe.catalog_store.protocol import Catalog
from viewscribe.site import SiteReport, build_site

VOID = {"br", "hr", "img", "input", "link", "meta"}


class Silent:
    """Progress that nobody sees."""

    def done(self, step: str, outcome: str | None = None) -> None:
        pass


@contextmanager
def silently(what: str, total: int | None) -> Iterator[Silent]:
    yield Silent()


def build(catalog: Catalog, folder: Path, **options: Any) -> SiteReport:
    return build_site(catalog, folder, watching=silently, **options)


class Page(HTMLParser):
    """A page as a browser reads it: its elements with their attributes, and its text."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self._characters: list[str | None] = []
        self.feed(markup)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        assert len(known) == len(attrs), f"an attribute twice: {attrs}"
        self.elements.append((tag, known))
        if tag not in VOID:
            self.open.append(tag)
            self._characters.append(known.get("data-char"))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self._characters.pop()

    def handle_data(self, data: str) -> None:
        shown = self._characters[-1] if self._characters else None
        self.texts.append(data if shown is None else chr(int(shown, 16)))

    @property
    def text(self) -> str:
        """The text, with each character that is shown by its number as itself."""
        return "".join(self.texts)

    def ids(self) -> list[str]:
        return [known["id"] or "" for _, known in self.elements if "id" in known]

    def links(self) -> list[str]:
        return [
            known[name] or ""
            for _, known in self.elements
            for name in ("href", "src")
            if name in known
        ]


def read_page(folder: Path, file: str) -> Page:
    return Page((folder / file).read_text(encoding="utf-8"))


def pages_of(folder: Path) -> dict[str, Page]:
    """All pages of a site by their paths."""
    found = sorted(folder.rglob("*.html"))
    return {
        each.relative_to(folder).as_posix(): read_page(folder, str(each.relative_to(folder)))
        for each in found
    }


def broken_links(folder: Path) -> list[str]:
    """Links that lead nowhere, as ``page -> target``."""
    pages = pages_of(folder)
    broken = []
    for file, page in pages.items():
        for target in page.links():
            path, _, fragment = target.partition("#")
            place = (folder / file).parent / unquote(path) if path else folder / file
            if not place.is_file():
                broken.append(f"{file} -> {target}")
                continue
            name = place.resolve().relative_to(folder.resolve()).as_posix()
            known = pages[name].ids() if name in pages else []
            followed = fragment.startswith("object=")  # the scripts read it
            if fragment and not followed and unquote(fragment) not in known:
                broken.append(f"{file} -> {target}")
    return broken


_CALL = re.compile(r'"use strict";viewscribe\.(\w+)\((.*)\);\n', re.DOTALL)


def data_of(folder: Path, file: str) -> tuple[str, list[Any]]:
    """The function that a data file calls, and what it hands over."""
    match = _CALL.fullmatch((folder / file).read_text(encoding="ascii"))
    assert match is not None, file
    return match[1], json.loads(f"[{match[2]}]")


def contents_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by its path."""
    return {
        each.relative_to(folder).as_posix(): each.read_bytes()
        for each in sorted(folder.rglob("*"))
        if each.is_file()
    }
