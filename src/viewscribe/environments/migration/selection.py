"""Which objects a plan is about: patterns of the source's names."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from viewscribe.environments import matches
from viewscribe.environments.migration.errors import SelectionError
from viewscribe.environments.migration.snapshot import Snapshot
from viewscribe.errors import did_you_mean
from viewscribe.types.identifiers import parse_name

_FEW = 5


def is_selected(select: Sequence[str], database: str, name: str) -> bool:
    """Whether an object of the source is chosen; without patterns everything is."""
    return not select or any(matches(pattern, database, name) for pattern in select)


def refuse_to_select_nothing(
    select: Sequence[str], sources: Snapshot, name: str, gone: Callable[[str], bool]
) -> None:
    """A pattern that nothing fits is misspelled, or made of names of the other environment.

    Args:
        select: the patterns.
        sources: what the source holds.
        name: what the source is called.
        gone: whether a pattern fits something that only the target still has.

    Raises:
        SelectionError: a pattern chooses nothing; the hint has names that are there.
    """
    if not select:
        return
    ids = [each.id for each in sources.loaded.values()]
    ids += [each.id for each in sources.unreadable.values()]
    movable = {(each.database, each.name) for each in ids if each.kind in ("view", "function")}
    tables = {(each.database, each.name) for each in ids if each.kind == "table"}
    for pattern in select:
        if any(matches(pattern, *each) for each in movable) or gone(pattern):
            continue
        if any(matches(pattern, *each) for each in tables):
            hint = "only tables do, which are data and do not travel"
        else:
            hint = _names_like(pattern, sorted({".".join(each) for each in movable}), name)
        raise SelectionError(f"no view or function of {name} fits `{pattern}`", hint=hint)


def _names_like(pattern: str, names: Sequence[str], source: str) -> str:
    databases = sorted({each.partition(".")[0] for each in names})
    home, *name = parse_name(pattern)
    near = did_you_mean(pattern, names) if name and "*" not in pattern else None
    near = near or did_you_mean(home, databases)
    if near:
        return near
    shown = ", ".join(databases[:_FEW]) + (", …" if len(databases) > _FEW else "")
    return f"patterns are of the names in {source}, whose databases are: {shown or 'none'}"
