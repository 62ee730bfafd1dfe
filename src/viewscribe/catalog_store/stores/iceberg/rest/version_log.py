"""Who of several writers won, told by the version log of a view.

A commit to a view can require that the view is still the same one, but not that it still has the
version that the writer read (apache/iceberg#14334). Two writers that read the same version both
succeed, one after the other. The log shows in which order: each of our versions names in its
summary the version that it follows, so the first of several that follow the same one has won, for
every reader of the log and for ever. The others are passed over, and whoever wrote one of them
repairs what other engines see: he writes the winner's text again, as a version that says so.

A version without such a summary is another engine's, which asks nobody: it counts, whatever was
there before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from viewscribe.catalog_store.hosted.embedded_document import PREFIX, whole_number

COMMIT, AFTER, NUMBER = "viewscribe.commit", "viewscribe.after", "viewscribe.version"
REPAIRS = "viewscribe.repairs"
DROPS = "viewscribe.drops"

_FOREIGN = "@"

CREATED = f"{PREFIX}created"
"""The property that has the COMMIT of the first version: some servers give it another summary."""

KEPT_VERSIONS = "100"
VERSIONS_PROPERTY = "version.history.num-entries"
"""How many versions a server keeps; without it 10, and as many writers can get into each other's
way within a moment."""


class Step(NamedTuple):
    """A version that counts.

    Args:
        key: stands for this step of this view.
        ours: whether viewscribe wrote it.
        version: the version of the metadata.
        timestamp_ms: when it became the current one.
        drops: whether its writer is about to drop the view.
    """

    key: str
    ours: bool
    version: Mapping[str, Any]
    timestamp_ms: int
    drops: bool = False


class _Entry(NamedTuple):
    step: Step
    after: str | None
    number: int
    repairs: str | None


def steps_of(metadata: Mapping[str, Any]) -> list[Step]:
    """The versions of a view that count, the oldest first; the last is its present state."""
    entries = _entries(metadata)
    steps: list[Step] = []
    first, gone = _first_of_ours(entries), _last_gone(entries)
    if gone is not None and (first is None or gone.number >= first.number):
        key = str(gone.repairs)
        steps.append(gone.step._replace(key=key, ours=_FOREIGN not in key))
    for each in entries:
        if each.repairs is not None:
            continue
        if not each.step.ours or (each is first if not steps else each.after == steps[-1].key):
            steps.append(each.step)
    return steps or [entries[-1].step._replace(ours=False)]  # what follows itself follows nothing


def shows(metadata: Mapping[str, Any], step: Step) -> bool:
    """Whether the version that other engines see is that of ``step``, or a repair of it."""
    last = _entries(metadata)[-1]
    return step.key in (last.step.key, last.repairs)


def _entries(metadata: Mapping[str, Any]) -> list[_Entry]:
    versions = {each["version-id"]: each for each in metadata["versions"]}
    log = [each for each in metadata["version-log"] if each["version-id"] in versions]
    current = metadata["current-version-id"]
    if not log or log[-1]["version-id"] != current:
        log.append({"version-id": current, "timestamp-ms": versions[current]["timestamp-ms"]})
    created = (metadata.get("properties") or {}).get(CREATED)
    seen: set[int | str] = set()
    entries = []
    for each in log:
        number = each["version-id"]
        commit = versions[number]["summary"].get(COMMIT, number)
        # Somebody went back to a version, or copied its summary to another one.
        again = number in seen or commit in seen
        entries.append(_entry(versions[number], each, created, again=again))
        seen.update((number, commit))
    return entries


def _entry(
    version: Mapping[str, Any], told: Mapping[str, Any], created: str | None, *, again: bool
) -> _Entry:
    summary = version["summary"]
    moment = int(told["timestamp-ms"])
    commit = summary.get(COMMIT) or (created if version["version-id"] == 1 else None)
    if commit is None or again:
        key = f"{version['version-id']}{_FOREIGN}{moment}"
        return _Entry(Step(key, ours=False, version=version, timestamp_ms=moment), None, 0, None)
    step = Step(commit, True, version, moment, drops=DROPS in summary)
    return _Entry(
        step,
        summary.get(AFTER),
        whole_number(summary.get(NUMBER)) or 0,
        summary.get(REPAIRS),
    )


def _last_gone(entries: Sequence[_Entry]) -> _Entry | None:
    """The repair that tells of the newest version that counted and is gone from the log.

    What is gone was there before everything that the log still has. The repair itself may have come
    late, behind versions that follow the one it repairs.
    """
    known = {each.step.key for each in entries}
    told = [each for each in entries if each.repairs is not None and each.repairs not in known]
    return max(told, key=lambda each: each.number, default=None)


def _first_of_ours(entries: Sequence[_Entry]) -> _Entry | None:
    """The oldest of our versions that counts, where the log begins with ours.

    What it follows may be gone from the log. Of several that follow what is gone, the one with the
    highest number does: everybody follows a version that counts.
    """
    known = {each.step.key for each in entries}
    best = None
    for each in entries:
        if not each.step.ours:
            break
        is_root = each.repairs is None and each.after not in known
        if is_root and (best is None or each.number > best.number):
            best = each
    return best
