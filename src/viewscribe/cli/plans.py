"""Presentation of migration plans."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.cli.output.pages import Block, Cell, Code, Grid, Heading, Page, Paragraph, Style
from viewscribe.cli.output.safe_text import describe_count

if TYPE_CHECKING:
    from viewscribe.catalog_store import ViewDocument
    from viewscribe.environments import Environment
    from viewscribe.environments.migration import Plan, Step
    from viewscribe.snapshots.verdict import Verdict


# What the changes of a plan mean: a verdict on each view whose SQL or settings change.


def verdicts_of(plan: Plan, target: Environment) -> dict[str, Verdict]:
    """Returns the verdicts on the views that a plan changes, by their names in the target."""
    from viewscribe.catalog_store import CatalogError, DatabaseNotFoundError, ViewDocument
    from viewscribe.environments.migration import open_if_there
    from viewscribe.snapshots.verdict import compare_views
    from viewscribe.table_api.environment import TableEnvironment

    catalog = open_if_there(target)
    if catalog is None:
        return {}
    env = TableEnvironment()
    env.catalogs.register(target.catalog_name, catalog, replace=True)
    found = {}
    for step, after in _changed_views(plan):
        database, name = step.former or (step.database, step.name)
        try:
            before = catalog.get("view", database, name).document
        except (CatalogError, DatabaseNotFoundError):
            continue  # the plan says what is wrong with it
        assert isinstance(before, ViewDocument)
        if before.sql != after.sql or before.settings != after.settings:
            found[step.target] = compare_views(before, after, env, target.catalog_name)
    return found


def _changed_views(plan: Plan) -> Iterator[tuple[Step, ViewDocument]]:
    from viewscribe.catalog_store import ViewDocument
    from viewscribe.catalog_store.documents.normalization import from_plain

    for step in plan.steps:
        if step.kind == "view" and step.operation in ("change", "rename") and step.document:
            document = from_plain(step.document)
            if isinstance(document, ViewDocument):
                yield step, document


_STYLES: dict[str, Style] = {
    "create": "good",
    "change": "warning",
    "rename": "warning",
    "delete": "bad",
}


def plan_page(
    plan: Plan,
    *,
    details: bool,
    next_step: str | None = None,
    verdicts: Mapping[str, Verdict] | None = None,
) -> Page:
    """Returns a plan as a page, for programs and for people.

    Args:
        plan: the plan.
        details: whether to show the changes of SQL and columns.
        next_step: the command to suggest next.
        verdicts: what the changes of views mean, by their names in the target.
    """
    data = plan_data(plan)
    if verdicts is not None:
        for step, each in zip(plan.steps, data["steps"], strict=True):
            verdict = verdicts.get(step.target)
            each["verdict"] = None if verdict is None else verdict.to_json()
    return Page(data, list(_blocks(plan, details, next_step, verdicts or {})))


def plan_data(plan: Plan) -> dict[str, Any]:
    """Returns the plan as JSON data without its documents; keys are the same for every step."""
    import msgspec

    data: dict[str, Any] = {"select": [], "delete": False, "problems": [], "extra": []}
    data |= {"delete_foreign": False, "overwrite_drift": False, "foreign": []}
    data |= msgspec.to_builtins(plan)
    data["steps"] = [_step_data(each) for each in plan.steps]
    data.pop("requires", None)
    data.pop("base", None)
    data.setdefault("unchanged", 0)
    return {**data, "counts": plan.counts(), "ok": not plan.blocking and not plan.breaking}


def _step_data(step: Step) -> dict[str, Any]:
    import msgspec

    data: dict[str, Any] = {"former": None, "origin": None, "sql_diff": None}
    data |= {
        "columns": [],
        "fields": [],
        "breaks": [],
        "reads": [],
        "drift": None,
    } | msgspec.to_builtins(step)
    data.pop("document", None)
    data.pop("expected", None)
    return {**data, "compatible": step.compatible}


def _blocks(
    plan: Plan, details: bool, next_step: str | None, verdicts: Mapping[str, Verdict]
) -> Iterator[Block]:
    if plan.steps:
        yield Grid(("step", "kind", "object", "from", "effect"), [_row(s) for s in plan.steps])
    if details:
        other = _with_other_rows(plan, verdicts)
        for step in plan.steps:
            yield from _details(step, verdicts.get(step.target), other)
    drifted = [f"{step.target} {step.drift}" for step in plan.steps if step.drift]
    if drifted:
        yield Paragraph("\n".join(drifted), "bad")
    broken = [line for step in plan.steps for each in step.breaks for line in each.lines()]
    if broken:
        yield Paragraph("\n".join(broken), "bad")
    fitting = [_fit_text(step) for step in plan.steps if step.fits]
    if fitting:
        yield Paragraph("\n".join(fitting), "good")
    if plan.problems:
        rows = [
            (
                Cell(each.code, "bad" if each.blocking else "warning"),
                Cell(each.object, "name"),
                Cell(each.message),
                Cell(each.hint or ""),
            )
            for each in plan.problems
        ]
        yield Grid(("problem", "where", "what", "what to do"), rows)
    brought = [each for each in plan.extra if each not in plan.foreign]
    for names, way in ((brought, "--delete"), (plan.foreign, "--delete-foreign")):
        if names:
            shown = _some(names)
            yield Paragraph(f"Only in {plan.target.name}: {shown}. They stay; {way} deletes them.")
    yield Paragraph(_summary(plan) + (f" {next_step}" if next_step else ""))


def _row(step: Step) -> tuple[Cell, ...]:
    origin = ".".join(step.former or step.origin or ())
    effect, style = _effect(step)
    return (
        Cell(step.operation, _STYLES[step.operation]),
        Cell(step.kind),
        Cell(step.target, "name"),
        Cell(origin if origin != step.target else ""),
        Cell(effect, style),
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")


def _fit_text(step: Step) -> str:
    use = "uses" if len(step.fits) == 1 else "use"
    return f"fits {_some(step.fits)}: {use} no changed column of {step.target}"


def _effect(step: Step) -> tuple[str, Style]:
    if step.breaks:
        return f"breaks {describe_count(len(step.breaks), 'view')}", "bad"
    if step.drift and step.drift.foreign:
        return "goes over what no plan brought", "warning"
    if step.drift:
        return "overwrites an edit" if step.operation != "delete" else "deletes an edit", "bad"
    if step.operation in ("change", "rename"):
        if step.compatible:
            return step.effect, "good" if step.effect == "compatible" else "warning"
        fits = f", fits {describe_count(len(step.fits), 'view')}" if step.fits else ""
        return f"{step.effect}{fits}", "warning"
    return "", "plain"


def _with_other_rows(plan: Plan, verdicts: Mapping[str, Verdict]) -> set[str]:
    """What may give other rows, by name: what changes, and what reads such a thing in turn."""
    found = {
        step.target
        for step in plan.steps
        if step.kind != "table"
        and step.operation in ("change", "delete")
        and not (step.target in verdicts and verdicts[step.target].is_cosmetic)
    }
    readers: dict[str, list[str]] = {}
    for step in plan.steps:
        for name in _read_by(step):
            readers.setdefault(name, []).append(step.target)
    waiting = list(found)
    while waiting:
        more = [each for each in readers.get(waiting.pop(), ()) if each not in found]
        found.update(more)
        waiting += more
    return found


def _read_by(step: Step) -> list[str]:
    """What it reads, by the names that steps have: without that of the catalog."""
    return [each.partition(".")[2] for each in step.reads]


def _details(step: Step, verdict: Verdict | None, other: Collection[str]) -> Iterator[Block]:
    changed = step.sql_diff or step.columns or step.fields or verdict is not None
    if step.operation not in ("change", "rename") or not changed:
        return
    yield Heading(step.target, 2)
    if verdict is not None:
        yield Paragraph(next(verdict.lines()), "good" if verdict.is_cosmetic else "warning")
        read = [each for each in _read_by(step) if each in other]
        if verdict.is_cosmetic and read:
            yield Paragraph(f"It reads {_some(read)}, and changes with it.", "warning")
    if step.columns:
        yield Code("\n".join(map(str, step.columns)), "text")
    if step.fields:
        yield Code("\n".join(map(str, step.fields)), "text")
    if step.sql_diff:
        yield Code(step.sql_diff, "diff")
    if verdict is not None and verdict.lineage:
        yield Code("\n".join(map(str, verdict.lineage)), "diff")
    if step.drift and step.drift.sql_diff:
        yield Paragraph("What was edited since the last apply:")
        yield Code(step.drift.sql_diff, "diff")
    if step.drift and step.drift.fields:
        yield Paragraph("Edited since the last apply besides:")
        yield Code("\n".join(map(str, step.drift.fields)), "text")


def _summary(plan: Plan) -> str:
    counts = plan.counts()
    words = {"create": "to create", "change": "to change", "rename": "to rename"}
    words |= {"delete": "to delete", "unchanged": "unchanged"}
    found = [f"{counts[key]:,} {word}" for key, word in words.items() if counts[key]]
    text = f"{plan.source.name} -> {plan.target.name}: {', '.join(found) or 'nothing there'}"
    if counts["problems"]:
        text += f"; {describe_count(counts['problems'], 'problem')}"
    if counts["warnings"]:
        text += f"; {describe_count(counts['warnings'], 'warning')}"
    return f"{text}."
