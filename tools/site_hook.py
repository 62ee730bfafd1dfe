"""A hook of mkdocs: adds the pages that are not in ``docs/``, and changes links to fit the site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File, Files, InclusionLevel

from tools.page_links import ROOT, ROOT_PAGES, SOURCES, linked_sources, site_page, source_page

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages from beside ``docs/``, and one for each file that any page links to."""
    for name, page in ROOT_PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    linked = {
        path
        for file in files.documentation_pages()
        for path in linked_sources(file.content_string, file.src_uri)
    }
    for path in sorted(linked):
        page = File.generated(config, f"{SOURCES}{path}.md", content=source_page(path))
        page.inclusion = InclusionLevel.NOT_IN_NAV
        files.append(page)
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Changes every page but those that show a file as it is."""
    name = page.file.src_uri
    return markdown if name.startswith(SOURCES) else site_page(markdown, name)
