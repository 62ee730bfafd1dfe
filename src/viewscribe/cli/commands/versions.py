"""``viewscribe log``, and what ``diff`` and ``rollback`` do with the history of an object."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from viewscribe.cli.catalogs import catalog_and_name, catalog_and_names, find, open_catalog
from viewscribe.cli.command import DONE, command
from viewscribe.cli.completion import OBJECT
from viewscribe.cli.output.pages import Block, Cell, Code, Grid, Heading, Page, Paragraph
from viewscribe.cli.progress import Terminal
from viewscribe.secrets import mask_text
from viewscribe.types.identifiers import parse_name, quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, ObjectDocument, ObjectKind, Stored, Version
    from viewscribe.snapshots.verdict import Verdict

_VERSIONED = re.compile(r"(?P<name>.*)@(?P<number>[0-9]+)", re.DOTALL)


@command("log")
@click.argument("arguments", nargs=-1, type=OBJECT, metavar="[CATALOG] NAME")
def log(terminal: Terminal, arguments: Sequence[str]) -> int:
    """List the versions of the view, table or function NAME, the newest first.

    Each with its time in UTC, what was done, who did it, from what, and why.
    """
    from viewscribe.catalog_store import CatalogManager

    place, name = catalog_and_name(arguments)
    catalog = open_catalog(place)
    history = _history(CatalogManager(catalog), name)
    document = history[-1].document
    versions = [each.version for each in reversed(history) if each.version is not None]
    data = {
        "catalog": catalog.url,
        "kind": document.kind,
        "database": document.database,
        "name": document.name,
        "versions": [version_data(each) for each in versions],
    }
    titles = ("version#", "when", "operation", "author", "from", "reason")
    terminal.output.show(Page(data, [Grid(titles, [tuple(_row(each)) for each in versions])]))
    return DONE


def mean_versions(arguments: Sequence[str]) -> bool:
    """Whether the arguments of ``diff`` are about versions, as one of them says with ``@``."""
    return any(_VERSIONED.fullmatch(each) for each in arguments)


def diff_versions(terminal: Terminal, arguments: Sequence[str]) -> int:
    """Show what differs between two versions."""
    from viewscribe.catalog_store import CatalogManager
    from viewscribe.catalog_store.documents.normalization import differences

    place, names = _place_and_names(arguments)
    catalogs = CatalogManager(open_catalog(place))
    before, after = _two(catalogs, names)
    labels = (_label(before), _label(after))
    found = differences(before.document, after.document, labels)
    verdict = _judge(catalogs, before.document, after.document)
    blocks: list[Block] = [Heading(f"{labels[0]} → {labels[1]}")]
    if verdict is not None:
        blocks.append(Paragraph(next(verdict.lines())))
    if found.sql:
        blocks.append(Code("\n".join(found.sql), "diff"))
    if found.columns:
        blocks += [Heading("Columns", 2), Code("\n".join(map(str, found.columns)), "diff")]
    if verdict is not None and verdict.lineage:
        lines = "\n".join(map(str, verdict.lineage))
        blocks += [Heading("Lineage", 2), Code(lines, "diff")]
    if found.fields:
        rows = [
            (Cell(name, "name"), Cell(_show(a)), Cell(_show(b)))
            for name, (a, b) in found.fields.items()
        ]
        blocks += [Heading("Other", 2), Grid(("field", "before", "after"), rows)]
    if not found:
        blocks.append(Paragraph("no differences"))
    data = {
        "catalog": catalogs.catalog().url,
        "before": _side_data(before),
        "after": _side_data(after),
        "sql": list(found.sql),
        "columns": [
            {"name": each.name, "before": _column(each.before), "after": _column(each.after)}
            for each in found.columns
        ],
        "fields": {name: {"before": a, "after": b} for name, (a, b) in found.fields.items()},
        "verdict": None if verdict is None else verdict.to_json(),
    }
    terminal.output.show(Page(data, blocks))
    return DONE


def _judge(
    catalogs: CatalogManager, before: ObjectDocument, after: ObjectDocument
) -> Verdict | None:
    """What a change of a view means; None for other objects, and where its meaning is as it was."""
    from viewscribe.catalog_store import ViewDocument

    if not isinstance(before, ViewDocument) or not isinstance(after, ViewDocument):
        return None
    if all(getattr(before, each) == getattr(after, each) for each in ("sql", "settings")):
        return None
    from viewscribe.catalog_store.manager import name_in_session
    from viewscribe.snapshots.verdict import compare_views
    from viewscribe.table_api.environment import TableEnvironment

    catalog, env = catalogs.catalog(), TableEnvironment()
    name = name_in_session(catalog)
    env.catalogs.register(name, catalog, replace=True)
    return compare_views(before, after, env, name)


def roll_back_object(
    terminal: Terminal,
    arguments: Sequence[str],
    number: int,
    *,
    allow_breaking: bool = False,
    reason: str | None = None,
    author: str | None = None,
) -> int:
    """Make version ``number`` of an object the present one."""
    from viewscribe.catalog_store import CatalogManager, Change
    from viewscribe.environments.migration.steps import roll_back_object

    place, name = catalog_and_name(arguments)
    catalog = open_catalog(place)
    catalogs = CatalogManager(catalog)
    before = _history(catalogs, name)[-1]
    kind = _kind(before.document)
    change = Change(author=author, reason=reason)
    roll_back_object(
        catalogs, kind, parse_name(name), number, change=change, allow_breaking=allow_breaking
    )
    after = _history(catalogs, name)[-1]
    made = after.token != before.token
    text = f"{_label(after)} is version {number} again" if made else "nothing changed: it is equal"
    data = {"catalog": catalog.url, **_side_data(after), "changed": made}
    terminal.output.show(Page(data, [Paragraph(text)]))
    return DONE


def version_data(version: Version) -> dict[str, Any]:
    """A version for programs."""
    return {
        "number": version.number,
        "at": version.at,
        "operation": version.operation,
        "author": version.author,
        "source": version.source and mask_text(version.source),
        "reason": version.reason and mask_text(version.reason),
    }


def _place_and_names(arguments: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    place, names = catalog_and_names(arguments)
    if place is not None and (not names or mean_versions([place])):
        place, names = None, arguments  # there is no catalog of that form
    if not 1 <= len(names) <= 2:
        context = click.get_current_context(silent=True)
        raise click.UsageError("name one object, or two versions of objects", context)
    return place, names


def _two(
    catalogs: CatalogManager, names: Sequence[str]
) -> tuple[Stored[ObjectDocument], Stored[ObjectDocument]]:
    if len(names) == 2:
        return _version(catalogs, names[0]), _version(catalogs, names[1])
    match = _VERSIONED.fullmatch(names[0])
    if match:
        return _version(catalogs, names[0]), _history(catalogs, match["name"])[-1]
    history = _history(catalogs, names[0])
    return history[-2 if len(history) > 1 else -1], history[-1]


def _version(catalogs: CatalogManager, text: str) -> Stored[ObjectDocument]:
    """``NAME@VERSION``, or ``NAME`` for the present version."""
    from viewscribe.catalog_store.documents.normalization import find_version

    match = _VERSIONED.fullmatch(text)
    if match is None:
        return _history(catalogs, text)[-1]
    return find_version(_history(catalogs, match["name"]), int(match["number"]))


def _history(catalogs: CatalogManager, name: str) -> list[Stored[ObjectDocument]]:
    kind = _kind(find(catalogs, name))
    return catalogs.history(kind, parse_name(name))


def _kind(document: ObjectDocument) -> ObjectKind:
    return document.kind  # type: ignore[return-value]


def _label(stored: Stored[ObjectDocument]) -> str:
    number = "" if stored.version is None else f"@{stored.version.number}"
    return f"{quote_name((stored.document.database, stored.document.name))}{number}"


def _side_data(stored: Stored[ObjectDocument]) -> dict[str, Any]:
    document = stored.document
    version = None if stored.version is None else version_data(stored.version)
    return {"database": document.database, "name": document.name, "version": version}


def _row(version: Version) -> Iterator[Cell]:
    yield Cell(str(version.number))
    yield Cell(version.at)
    yield Cell(version.operation)
    told = version_data(version)
    yield from (Cell(told[each] or "") for each in ("author", "source", "reason"))


def _column(column: Any) -> dict[str, Any] | None:
    return None if column is None else {"type": column.type, "nullable": column.nullable}


def _show(value: Any) -> str:
    import json

    return "" if value is None else value if isinstance(value, str) else json.dumps(value)
