"""The pages of the repository as pages of a site: where each goes, and where its links lead then.

README.md becomes the first page. Files that pages link to and that are no pages get one with their
text, so that every link works without a repository. Notes to the tests, such as
``<!-- not run: shell -->``, are left out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]

ROOT_PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
"""Pages that lie beside ``docs/``, with the name of each in the site."""

SOURCES = "source/"
"""The folder of the site for the files that pages link to."""

_FENCE = re.compile(r"^(```+|~~~+).*?^\1\s*?$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
_NOTE = re.compile(r"^<!-- (?:not run: [^\n]+|the examples need Spark) -->\n+", re.MULTILINE)
_ROW = re.compile(r"^\|.*", re.MULTILINE)
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_LANGUAGES = {".json": "json", ".py": "python", ".sql": "sql", ".yaml": "yaml", ".yml": "yaml"}


def site_page(markdown: str, page: str) -> str:
    """Returns a page of the repository as the site shows it.

    Args:
        markdown: its text.
        page: its name in the site.
    """
    file = repository_file(page)

    def redirect(match: re.Match[str]) -> str:
        target = _site_target(match["target"], file)
        if target is None:
            return match[0]
        relative = posixpath.relpath(target, posixpath.dirname(page) or ".")
        return f"{match['before']}{relative}{match['anchor'] or ''})"

    def change(prose: str) -> str:
        return _ROW.sub(_without_escaped_bars, _LINK.sub(redirect, prose))

    return _change_prose(_NOTE.sub("", markdown), change)


def linked_sources(markdown: str, page: str) -> Iterator[str]:
    """Yields the files of the repository that a page links to and that are no pages."""
    targets: list[str | None] = []
    file = repository_file(page)

    def note(prose: str) -> str:
        targets.extend(_site_target(match["target"], file) for match in _LINK.finditer(prose))
        return prose

    _change_prose(markdown, note)
    for target in targets:
        if target is not None and target.startswith(SOURCES):
            yield target.removeprefix(SOURCES).removesuffix(".md")


def source_page(path: str) -> str:
    """Returns the page for a file of the repository: its text as one block of code."""
    text = (ROOT / path).read_text(encoding="utf-8")
    language = _LANGUAGES.get(PurePosixPath(path).suffix, "text")
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text) or [""]))
    return f"# {path}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"


def repository_file(page: str) -> str:
    """Returns the path in the repository of a page of the site."""
    names = {in_site: name for name, in_site in ROOT_PAGES.items()}
    return names.get(page, f"docs/{page}")


def _site_target(target: str, file: str) -> str | None:
    """Returns the page of the site for a link in a file; None if no file of ours is meant."""
    if ":" in target or target.startswith("/"):
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(file), target))
    if path in ROOT_PAGES:
        return ROOT_PAGES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"{SOURCES}{path}.md" if (ROOT / path).is_file() else None


def _change_prose(markdown: str, change: Callable[[str], str]) -> str:
    """Returns the page with a change of all that is not in blocks of code."""
    pieces, end = [], 0
    for fence in _FENCE.finditer(markdown):
        pieces += [change(markdown[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*pieces, change(markdown[end:])])


def _without_escaped_bars(row: re.Match[str]) -> str:
    r"""GitHub needs ``\|`` for a bar in the code of a cell; Python-Markdown shows the backslash."""
    return _CODE.sub(lambda code: code[0].replace(r"\|", "|"), row[0])
