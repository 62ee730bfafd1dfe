"""The pages of views, tables and functions, and of documents that cannot be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from viewscribe.catalog_store.documents.model import (
    FunctionDocument,
    TableDocument,
    ViewDocument,
    mask_document,
)
from viewscribe.catalog_store.documents.normalization import History, is_edited
from viewscribe.html.markup import NOTHING, Child, Html, element, join
from viewscribe.site.addresses import HOME, database_page_id, page_file
from viewscribe.site.contents import Entry, Reference
from viewscribe.site.pages.code import Tab, code, history_section, tabs, when
from viewscribe.site.pages.layout import (
    PageFrame,
    Site,
    breadcrumbs,
    columns_section,
    contents_list,
    facts,
    icon,
    name,
    notice,
    object_link,
    prose,
    rows_facts,
    section,
    summary,
    table,
)
from viewscribe.types.identifiers import quote_name

_STYLES = {"readable": "Readable", "pipe": "Pipe", "nested": "Nested"}
_MOST_READERS = 500


def object_page(site: Site, entry: Entry, history: History, tests: str | None = None) -> str:
    """Returns the page of an object.

    Args:
        site: the site.
        entry: the object.
        history: its versions, oldest first.
        tests: the text of the file of tests beside a view.
    """
    frame = PageFrame(site, page_file(entry.page), entry.page)
    sections = [each for each in _sections(frame, entry, history, tests) if each.markup]
    listed = contents_list([(each.identity, each.title) for each in sections])
    head = element("div", _head(frame, entry, history), class_="head")
    body = element("div", [each.markup for each in sections], class_="sections")
    title = quote_name((entry.id.database, entry.name))
    has_graph = entry.kind != "function" and entry.document is not None
    whole = element("div", listed, element("div", head, body), class_="with-toc")
    return frame.page(title, whole, graph=has_graph)


class Part:
    """A section with what the list of sections says of it."""

    def __init__(self, identity: str, title: str, markup: Html) -> None:
        self.identity = identity
        self.title = title
        self.markup = markup


def _sections(
    frame: PageFrame, entry: Entry, history: History, tests: str | None
) -> Iterator[Part]:
    if entry.document is None:
        yield Part("readers", "Read by", _readers(frame, entry))
        return
    document = mask_document(entry.document)
    if not isinstance(document, FunctionDocument):
        yield Part("columns", "Columns", columns_section(frame, entry))
    if isinstance(document, ViewDocument):
        yield Part("sql", "SQL", _sql(frame, entry, document))
    elif isinstance(document, FunctionDocument):
        yield Part("parameters", "Parameters", _parameters(document))
        yield Part("body", "Body", _body(frame, entry, document))
    if not isinstance(document, FunctionDocument):
        yield Part("lineage", "Lineage", _graph(frame, entry))
    if not isinstance(document, TableDocument):
        yield Part("reads", "Reads", _reads(frame, entry))
    yield Part("readers", "Read by", _readers(frame, entry))
    if isinstance(document, TableDocument):
        yield Part("storage", "Storage", _storage(document))
    if isinstance(document, ViewDocument):
        yield Part("proof", "Proof", _proof(frame, entry, document))
        yield Part("tests", "Tests", _tests(tests))
    yield Part("history", "History", history_section(history))
    properties = {
        key: value for key, value in document.properties.items() if key not in _PROOF_PROPERTIES
    }
    yield Part("properties", "Properties", _mapping("Properties", "properties", properties))
    if isinstance(document, ViewDocument):
        yield Part("settings", "Settings", _settings(frame.site, document))


# -- the head -------------------------------------------------------------------------------------


def _head(frame: PageFrame, entry: Entry, history: History) -> Html:
    database = entry.id.database
    way = breadcrumbs(
        frame,
        ("Catalog", frame.to(HOME)),
        (database, frame.to(page_file(database_page_id(database)))),
    )
    badge = element("span", entry.kind, class_=f"badge {entry.kind}")
    title = element("h1", icon(entry.kind), name(entry.name), badge)
    line = element("p", _facts_line(frame, entry, history), class_="dotted facts-line")
    return join(way, title, prose(entry.comment, "lead"), line, _notices(frame, entry))


def _facts_line(frame: PageFrame, entry: Entry, history: History) -> Iterator[Html]:
    if entry.columns:
        yield element("span", _count(len(entry.columns), "column"))
    reads = frame.site.contents.references(entry)
    if reads:
        yield element("span", "reads ", _count(len(reads), "object"))
    readers = frame.site.contents.readers(entry)
    if readers:
        yield element("span", "read by ", _count(len(readers), "object"))
    elif entry.document is not None:
        yield element("span", "read by nothing here")
    version = entry.version
    if version is not None:
        by = join(" by ", name(version.author)) if version.author else None
        yield element("span", f"version {version.number}, ", when(version), by)
    owner = getattr(entry.document, "owner", None)
    if owner:
        yield element("span", "owned by ", name(owner))


def _count(count: int, noun: str) -> Html:
    return join(count, f" {noun}" if count == 1 else f" {noun}s")


def _notices(frame: PageFrame, entry: Entry) -> Iterator[Html]:
    if entry.error is not None:
        yield notice(
            "bad",
            "This document cannot be read.",
            element("p", entry.error.message),
            element("p", entry.error.location or entry.file, class_="faint"),
            element("p", entry.error.hint) if entry.error.hint else None,
        )
    if _is_edited(frame, entry):
        yield notice(
            "warning",
            "Edited by hand.",
            element("p", "The fingerprint does not match: text, columns and plan may differ."),
        )
    gone = [
        each
        for each in frame.site.contents.references(entry)
        if each.entry is None and each.path[:1] == (frame.site.contents.name,)
    ]
    if gone:
        several = [element("li", object_link(frame, each)) for each in gone]
        yield notice("bad", "It reads what is not there.", element("ul", several))
    analysis = frame.site.lineage.analysis(entry)
    if analysis is not None and analysis.unknown:
        reasons = [element("p", each) for each in analysis.unknown]
        yield notice("warning", "The lineage is not complete.", reasons)


# -- SQL ------------------------------------------------------------------------------------------


def _sql(frame: PageFrame, entry: Entry, view: ViewDocument) -> Html:
    analysis = frame.site.lineage.analysis(entry)
    several = list(_tabs(view, analysis.texts if analysis is not None else {}))
    unprinted = None
    if analysis is not None and analysis.unprinted:
        unprinted = element(
            "p", "Other styles cannot be printed: ", analysis.unprinted, class_="note"
        )
    return section(
        "SQL", "sql", tabs("Styles of SQL", "sql", several, _links(frame, entry)), unprinted
    )


def _tabs(view: ViewDocument, texts: Mapping[str, str]) -> Iterator[Tab]:
    """The stored text in its place among the styles; first where it has none of them."""
    if view.plan is None:
        yield Tab("stored", "As written", view.sql, "Another tool wrote this view; it has no plan.")
    for style, title in _STYLES.items():
        if view.plan is not None and style == view.style:
            yield Tab(style, title, view.sql)
        elif style in texts:
            yield Tab(style, title, texts[style])
    if view.source is not None:
        yield Tab("source", "Source", view.source.text, f"As written, in {view.source.language}.")
    for dialect, text in sorted(view.representations.items()):
        yield Tab(dialect, dialect.capitalize(), text, f"The text for {dialect}, as stored.")


def _links(frame: PageFrame, entry: Entry) -> dict[str, Html]:
    """Links for the full names of what the SQL reads, as it is printed."""
    found: dict[str, Html] = {}
    for each in frame.site.contents.references(entry):
        if each.entry is None:
            continue
        for written in {quote_name(each.path), quote_name(each.path[1:])}:
            made = element("a", written, href=frame.to_object(each.entry))
            found[written] = made
            found[f"{written}("] = join(made, "(")
    return found


def _body(frame: PageFrame, entry: Entry, function: FunctionDocument) -> Html:
    rows: list[tuple[str, Child]] = [
        ("Kind", f"{function.function_kind} function in {_LANGUAGES[function.language]}"),
        ("Returns", element("code", function.returns) if function.returns else None),
        ("Deterministic", None if function.deterministic else "no"),
        ("Class", element("code", function.class_name) if function.class_name else None),
        ("Signature", element("code", function.signature) if function.signature else None),
        ("Resources", [element("code", each) for each in function.resources]),
    ]
    shown = [row for row in rows if row[1]]
    body = code(function.body, _links(frame, entry)) if function.body else None
    return section("Definition", "body", facts(shown), body)


_LANGUAGES = {"sql": "SQL", "python": "Python", "java": "Java", "hive": "Hive"}


def _parameters(function: FunctionDocument) -> Html:
    if function.parameters is None:
        return NOTHING
    rows = [
        element(
            "tr",
            element("th", element("bdi", each.name), prose(each.comment or ""), scope="row"),
            element("td", element("code", each.type, class_="type")),
            element("td", element("code", each.default) if each.default is not None else None),
        )
        for each in function.parameters
    ]
    if not rows:
        return section("Parameters", "parameters", element("p", "None.", class_="empty"))
    made = table(("Parameter", "Type", "Default"), rows, label="Parameters")
    return section("Parameters", "parameters", made, count=len(rows))


# -- lineage and dependencies ---------------------------------------------------------------------


def _graph(frame: PageFrame, entry: Entry) -> Html:
    analysis = frame.site.lineage.analysis(entry)
    rows = None
    if analysis is not None and analysis.rows:
        rows = join(element("h3", "What decides the rows"), rows_facts(frame, analysis.rows))
    return section("Lineage", "lineage", graph_place(entry.page), rows)


def graph_place(page: str) -> Html:
    """Returns the place where the graph of an object is drawn."""
    without = element("noscript", element("p", "The picture needs scripts; the table does not."))
    return element("div", without, class_="graph", data_graph=page)


def _reads(frame: PageFrame, entry: Entry) -> Html:
    found = frame.site.contents.references(entry)
    if not found:
        return NOTHING
    return section("Reads", "reads", _object_list(frame, found), count=len(found))


def _readers(frame: PageFrame, entry: Entry) -> Html:
    found = frame.site.contents.readers(entry)
    if not found:
        return NOTHING
    several = [Reference(each.kind, each.path, each) for each in found[:_MOST_READERS]]
    rest = len(found) - len(several)
    more = element("p", f"and {rest:,} more", class_="faint") if rest else None
    return section("Read by", "readers", _object_list(frame, several), more, count=len(found))


def _object_list(frame: PageFrame, several: Sequence[Reference]) -> Html:
    items = [
        element("li", object_link(frame, each), summary(each.entry.comment) if each.entry else None)
        for each in several
    ]
    return element("ul", items, class_="objects")


# -- everything else ------------------------------------------------------------------------------

_PROOF_PROPERTIES = {"viewscribe.verified", "viewscribe.not_read_back"}


def _proof(frame: PageFrame, entry: Entry, view: ViewDocument) -> Html:
    return section("Proof", "proof", facts(_proof_rows(view, _is_edited(frame, entry))))


def _is_edited(frame: PageFrame, entry: Entry) -> bool:
    analysis = frame.site.lineage.analysis(entry)
    if analysis is not None:
        return analysis.edited
    return entry.document is not None and is_edited(entry.document)


def _proof_rows(view: ViewDocument, edited: bool) -> Iterable[tuple[str, Child]]:
    verified = view.properties.get("viewscribe.verified")
    if verified is not None and edited:
        verified += " – before it was edited"
    yield "Verified in Spark", verified or element("span", "not recorded", class_="faint")
    if "viewscribe.not_read_back" in view.properties:
        yield "Not read back", view.properties["viewscribe.not_read_back"]
    if view.plan is None:
        yield "Plan", "none: another tool wrote this view"
    if view.fingerprint:
        state = "does not match: edited by hand" if edited else "matches"
        yield "Fingerprint", join(element("code", view.fingerprint), f" {state}")
    yield "Stored by", f"viewscribe {view.viewscribe_version}" if view.viewscribe_version else None
    yield "Written for", f"Spark {view.spark_version}" if view.spark_version else None


def _tests(tests: str | None) -> Html:
    if tests is None:
        return NOTHING
    return section("Tests", "tests", code(tests, plain=True))


def _storage(document: TableDocument) -> Html:
    rows: list[tuple[str, Child]] = [
        ("Format", document.format),
        ("Location", element("code", document.location) if document.location else None),
        ("Partitioned by", quote_name(document.partitioned_by) or None),
        ("Checks", [_check(each.name, each.condition) for each in document.checks]),
    ]
    rows += [(key, element("code", value)) for key, value in sorted(document.options.items())]
    shown = [row for row in rows if row[1]]
    return section("Storage", "storage", facts(shown)) if shown else NOTHING


def _check(title: str | None, condition: str) -> Html:
    return element("div", f"{title}: " if title else None, element("code", condition))


def _settings(site: Site, view: ViewDocument) -> Html:
    """The settings, which most views have in common."""
    key = ("settings", *sorted(view.settings.items()))
    return site.keep(key, lambda: _mapping("Settings", "settings", view.settings))


def _mapping(title: str, identity: str, values: Mapping[str, str]) -> Html:
    if not values:
        return NOTHING
    rows = [(key, element("code", value)) for key, value in sorted(values.items())]
    folded = element(
        "details", element("summary", f"{len(rows):,} {title.lower()}"), facts(rows, "facts mono")
    )
    return section(title, identity, folded)
