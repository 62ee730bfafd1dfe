"""What a plan breaks: the views of the target that read what it changes, and their readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viewscribe.catalog_store.documents import Column, ViewDocument
from viewscribe.catalog_store.migration.columns import (
    ColumnChange,
    ColumnUse,
    Reading,
    readings,
    unmet,
)
from viewscribe.catalog_store.migration.model import Break, Step
from viewscribe.catalog_store.migration.needs import Needs, columns_of
from viewscribe.catalog_store.migration.snapshot import Key, key_of
from viewscribe.catalog_store.migration.watching import Watch, silent
from viewscribe.catalog_store.names import fold


def find_breaks(
    steps: Sequence[Step], needs: Needs, column_use: ColumnUse, watch: Watch = silent
) -> Mapping[str, tuple[Break, ...]]:
    """For the target's name of a step: the views that were whole before it and are not after.

    Views that the plan itself makes fit are not among them; views that the plan brings and that
    do not fit are problems of the plan.
    """
    changed = {
        key_of(step.kind, step.database, step.name): step
        for step in steps
        if any(each.breaking for each in step.columns)
    }
    if not changed:
        return {}
    graph = needs.graph()
    readers: dict[Key, list[Key]] = {}
    for reader, read in graph.items():
        for each in read:
            readers.setdefault(each, []).append(reader)
    made = {key_of(step.kind, step.database, step.name) for step in steps}
    found: dict[str, tuple[Break, ...]] = {}
    with watch("Looking for what breaks", len(changed)) as progress:
        for key, step in changed.items():
            direct = {
                reader: changes
                for reader in readers.get(key, ())
                if reader not in made and (changes := _newly_unmet(reader, key, needs, column_use))
            }
            found[step.target] = tuple(_all_breaks(key, direct, readers, needs))
            progress.done(step.target)
    return {name: breaks for name, breaks in found.items() if breaks}


def _all_breaks(
    key: Key,
    direct: Mapping[Key, Sequence[ColumnChange]],
    readers: Mapping[Key, Sequence[Key]],
    needs: Needs,
) -> list[Break]:
    """The direct ones, and everything that reads those."""
    found = [
        Break(needs.label(reader), needs.label(key), tuple(changes))
        for reader, changes in sorted(direct.items())
    ]
    seen = {*direct, key}
    waiting = sorted(direct)
    while waiting:
        broken = waiting.pop(0)
        for reader in sorted(readers.get(broken, ())):
            if reader not in seen:
                seen.add(reader)
                waiting.append(reader)
                found.append(Break(needs.label(reader), needs.label(broken)))
    return found


def _newly_unmet(reader: Key, key: Key, needs: Needs, column_use: ColumnUse) -> list[ColumnChange]:
    view = needs.after(reader)
    before, after = columns_of(needs.before(key)), columns_of(needs.after(key))
    if not isinstance(view, ViewDocument) or before is None or after is None:
        return []
    reading = _reading(view, key, before)
    now = unmet(reading, after, None)
    if not now:
        return []
    used = {_folded(path): names for path, names in column_use(view).items()}
    names = used.get(_folded(reading.path))
    earlier = unmet(reading, before, names)
    return [each for each in unmet(reading, after, names) if each not in earlier]


def _reading(view: ViewDocument, key: Key, before: Sequence[Column]) -> Reading:
    for reading in readings(view):
        if _folded(reading.path)[-2:] == (key.database, key.name):
            return reading if reading.columns else Reading(reading.path, tuple(before))
    return Reading((key.database, key.name), tuple(before))


def _folded(path: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(fold, path))
