"""Finding the views of the target that a plan breaks, and their readers.

Works column by column: lineage tells which columns of a view are derived from a changed column. It
is only computed for views downstream of a change, each once and after those that it reads.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from viewscribe.catalog_store.documents.model import Column, FunctionDocument, ViewDocument
from viewscribe.catalog_store.lineage import ColumnId, Influence, ViewLineage
from viewscribe.environments.migration.columns import (
    GONE,
    ColumnChange,
    ColumnChangeKind,
    Reading,
    column_use,
    fold_name,
    names_in_text,
    readings,
    unmet,
)
from viewscribe.environments.migration.model import Break, BrokenColumn, Step
from viewscribe.environments.migration.snapshot import Key, Needs, Watch, columns_of, key_of, silent

# The order of steps: what is read before what reads it.


def in_order(reads: Mapping[Key, Collection[Key]]) -> list[Key]:
    """The keys, each after those it reads, as far as possible in the order of their names.

    What is in a circle comes last: circles are told of elsewhere.
    """
    waiting = {key: {each for each in found if each in reads} for key, found in reads.items()}
    readers: dict[Key, list[Key]] = {key: [] for key in reads}
    for key, found in waiting.items():
        for each in found:
            readers[each].append(key)
    ready = [key for key, found in waiting.items() if not found]
    heapq.heapify(ready)
    ordered: list[Key] = []
    while ready:
        key = heapq.heappop(ready)
        ordered.append(key)
        for reader in readers[key]:
            waiting[reader].discard(key)
            if not waiting[reader]:
                heapq.heappush(ready, reader)
    if len(ordered) < len(reads):
        ordered += sorted(set(reads) - set(ordered))
    return ordered


def find_circle(reads: Mapping[Key, Collection[Key]]) -> Sequence[Key]:
    """Keys of which each reads the next and the last the first, the first repeated at the end."""
    from graphlib import CycleError, TopologicalSorter

    try:
        TopologicalSorter(reads).prepare()
    except CycleError as error:
        # graphlib goes from what is read to its reader.
        circle: list[Key] = error.args[1][:0:-1]
        start = circle.index(min(circle))
        ordered = [*circle[start:], *circle[:start]]
        return [*ordered, ordered[0]]
    return ()


SHOWN = 10
"""The maximum number of columns of a path to show."""


def with_breaks(steps: Sequence[Step], needs: Needs, watch: Watch = silent) -> list[Step]:
    """Returns the steps, each with the views that it breaks.

    Views that the plan itself adapts are not included. Views that the plan creates and that do not
    fit are problems of the plan.
    """
    changed = {
        key_of(step.kind, step.database, step.name): step
        for step in steps
        if any(each.breaking for each in step.columns)
    }
    if not changed:
        return list(steps)
    made = {key_of(step.kind, step.database, step.name) for step in steps}
    reads = _below(changed, made, needs)
    spreading = _Spreading(changed, needs)
    with watch("Looking for what breaks", len(reads)) as progress:
        for reader in in_order(reads):
            spreading.reach(reader, [each for each in reads[reader] if each != reader])
            progress.done(needs.label(reader))
    return [spreading.told(step) for step in steps]


def _below(changed: Iterable[Key], made: set[Key], needs: Needs) -> dict[Key, tuple[Key, ...]]:
    """Returns the read dependencies of everything downstream that the plan leaves unchanged."""
    graph = needs.graph()
    readers: dict[Key, list[Key]] = {}
    for reader, read in graph.items():
        for each in read if reader not in made else ():
            readers.setdefault(each, []).append(reader)
    found: dict[Key, tuple[Key, ...]] = {}
    waiting = list(changed)
    while waiting:
        for reader in readers.get(waiting.pop(), ()):
            if reader not in found:
                found[reader] = graph[reader]
                waiting.append(reader)
    return found


class _Hit(NamedTuple):
    """A column that a change has reached, and its predecessor on the path."""

    shown: str
    change: ColumnChangeKind
    root: Key
    start: str
    before: _Hit | None = None
    steps: int = 0

    def then(self, shown: str) -> _Hit:
        return _Hit(shown, self.change, self.root, self.start, self, self.steps + 1)

    def path(self) -> tuple[str, ...]:
        shown: list[str] = []
        hit: _Hit | None = self
        while hit is not None and len(shown) < SHOWN:
            shown.append(hit.shown)
            hit = hit.before
        if hit is not None:
            shown[-2:] = ["…", self.start]
        return tuple(reversed(shown))


class _Damage(NamedTuple):
    """The damage that a broken view passes on; ``root`` is the change, ``steps`` the distance."""

    opens: bool
    root: Key
    steps: int


Hits = dict[ColumnId, _Hit]


class _Spreading:
    """Propagates changes downstream; views must be visited in dependency order."""

    def __init__(self, changed: Mapping[Key, Step], needs: Needs) -> None:
        self._changed = changed
        self._needs = needs
        self._lineage = needs.lineage()
        self._damage: dict[Key, _Damage] = {}
        self._hits: dict[Key, Hits] = {}
        self._breaks: dict[Key, list[Break]] = {key: [] for key in changed}
        self._fits: dict[Key, list[str]] = {key: [] for key in changed}

    def told(self, step: Step) -> Step:
        """Returns the step with the views that it breaks, direct readers first."""
        key = key_of(step.kind, step.database, step.name)
        if key not in self._changed:
            return step
        breaks = sorted(self._breaks[key], key=lambda each: not each.changes)
        return msgspec.structs.replace(step, breaks=tuple(breaks), fits=tuple(self._fits[key]))

    def reach(self, reader: Key, read: Sequence[Key]) -> None:
        """Works out the effect of the changes on ``reader``."""
        lineage = self._known_lineage(reader, read)
        changes = {}
        for key in read:
            if key in self._changed:
                changes[key] = self._changes(reader, key, lineage)
                if not changes[key]:
                    self._fits[key].append(self._needs.label(reader))
        direct = {key: found for key, found in changes.items() if found}
        above = {key: self._damage[key] for key in read if key in self._damage}
        if not direct and not above:
            return
        reached = self._find_reached(direct, above)
        opens = _opens(direct, above, reached, lineage)
        columns = self._columns(reader, reached, lineage)
        if direct:
            self._note_direct(reader, direct, opens, reached, lineage)
            damage = _Damage(opens, next(iter(direct)), 1)
        elif columns or not opens:
            through = min(above, key=lambda key: (above[key].steps, key))
            damage = _Damage(opens, above[through].root, above[through].steps + 1)
            self._note_indirect(reader, through, damage, columns)
        else:
            return
        self._damage[reader], self._hits[reader] = damage, columns

    def _known_lineage(self, reader: Key, read: Sequence[Key]) -> ViewLineage | None:
        if reader.space != "relation":
            return None
        path = self._needs.path(reader)
        found = self._lineage.view(path)
        if found is None or found.unknown:
            return None
        harmed = {
            ColumnId(fold_name(self._needs.path(key)), each.name.lower())
            for key in read
            if key in self._changed
            for each in self._changed[key].columns
            if each.breaking
        }
        if harmed.isdisjoint(map(_same, found.carried)):
            return found
        return self._lineage.view_with_text(path)

    # -- what reaches a view -----------------------------------------------------------------------

    def _changes(self, reader: Key, key: Key, lineage: ViewLineage | None) -> list[ColumnChange]:
        """Returns the changes of its sources that affect it and are not yet accounted for."""
        renamed = {c.name.lower(): c for c in self._changed[key].columns if c.change == "renamed"}
        found = _newly_unmet(reader, key, self._needs, lineage)
        return [
            renamed.get(each.name.lower(), each) if each.change == "removed" else each
            for each in found
        ]

    def _find_reached(
        self, direct: Mapping[Key, Sequence[ColumnChange]], above: Iterable[Key]
    ) -> Hits:
        """Returns the columns that it reads and that a change has reached."""
        reached: Hits = {}
        for key, changes in direct.items():
            path, label = fold_name(self._needs.path(key)), self._needs.label(key)
            for each in changes:
                shown = f"{label}.{each.name}"
                column = ColumnId(path, each.name.lower())
                reached[column] = _Hit(shown, each.change, key, shown)
        for key in above:
            reached.update(self._hits[key])
        return reached

    def _columns(self, reader: Key, reached: Hits, lineage: ViewLineage | None) -> Hits:
        """Returns its own columns derived from those, by the shortest path."""
        found: Hits = {}
        if lineage is None:
            return found
        label, path = self._needs.label(reader), fold_name(lineage.path)
        document = self._needs.before(reader)
        never_null = {c.name for c in columns_of(document) or () if not c.nullable}
        for name, origins in (*lineage.columns.items(), (None, lineage.rows)):
            ways = [reached[each] for each in map(_same, origins) if each in reached]
            if name not in never_null:  # it was nullable before
                ways = [each for each in ways if each.change != "nullable"]
            if ways:
                way = min(ways, key=lambda each: (each.steps, each.shown))
                shown = f"{label} (rows)" if name is None else f"{label}.{name}"
                found[ColumnId(path, name and name.lower())] = way.then(shown)
        return found

    # -- what is told ------------------------------------------------------------------------------

    def _note_direct(
        self,
        reader: Key,
        direct: Mapping[Key, Sequence[ColumnChange]],
        opens: bool,
        reached: Hits,
        lineage: ViewLineage | None,
    ) -> None:
        first = next(iter(direct))
        for key, changes in direct.items():
            # What comes from elsewhere is told with the first.
            told = {
                column: hit
                for column, hit in reached.items()
                if hit.root == key or (key == first and hit.root not in direct)
            }
            mine = self._broken(reader, self._columns(reader, told, lineage))
            label, through = self._needs.label(reader), self._needs.label(key)
            self._breaks[key].append(Break(label, through, tuple(changes), mine, opens))

    def _note_indirect(self, reader: Key, through: Key, damage: _Damage, columns: Hits) -> None:
        label, shown = self._needs.label(reader), self._needs.label(through)
        told = Break(label, shown, (), self._broken(reader, columns), damage.opens)
        self._breaks[damage.root].append(told)

    def _broken(self, reader: Key, columns: Hits) -> tuple[BrokenColumn, ...]:
        """Returns the columns in their own spelling, each with its path."""
        spelled = {c.name.lower(): c.name for c in columns_of(self._needs.before(reader)) or ()}
        return tuple(
            BrokenColumn(each.column and spelled.get(each.column, each.column), hit.path())
            for each, hit in columns.items()
        )


def _opens(
    direct: Mapping[Key, Sequence[ColumnChange]],
    above: Mapping[Key, _Damage],
    reached: Hits,
    lineage: ViewLineage | None,
) -> bool:
    """Returns whether a view certainly opens: no column is gone, and types only pass through."""
    if lineage is None or not all(each.opens for each in above.values()):
        return False
    if any(each.change in GONE for changes in direct.values() for each in changes):
        return False
    typed = {column for column, hit in reached.items() if hit.change == "type"}
    used = [*lineage.carried, *lineage.rows]
    for origins in lineage.columns.values():
        used += [each for each, how in origins.items() if how != Influence.IDENTITY]
    return typed.isdisjoint(map(_same, used))


def _newly_unmet(
    reader: Key, key: Key, needs: Needs, lineage: ViewLineage | None
) -> list[ColumnChange]:
    document = needs.after(reader)
    before, after = columns_of(needs.before(key)), columns_of(needs.after(key))
    if before is None or after is None:
        return []
    if isinstance(document, FunctionDocument):
        return unmet(Reading(needs.path(key), tuple(before)), after, _find_named(document))
    if not isinstance(document, ViewDocument):
        return []
    reading = _find_reading(document, key, before)
    if not unmet(reading, after, None):
        return []
    used = {fold_name(path): names for path, names in column_use(document, lineage).items()}
    names = used.get(fold_name(reading.path))
    earlier = unmet(reading, before, names)
    return [each for each in unmet(reading, after, names) if each not in earlier]


def _find_named(function: FunctionDocument) -> frozenset[str] | None:
    body = function.body or ""
    return names_in_text(body if function.function_kind == "table" else f"SELECT {body}")


def _find_reading(view: ViewDocument, key: Key, before: Sequence[Column]) -> Reading:
    for reading in readings(view):
        if fold_name(reading.path)[-2:] == (key.database, key.name):
            return reading if reading.columns else Reading(reading.path, tuple(before))
    return Reading((key.database, key.name), tuple(before))


def _same(column: ColumnId) -> ColumnId:
    """Returns the case-folded column, for comparison."""
    return ColumnId(fold_name(column.path), column.column and column.column.lower())
