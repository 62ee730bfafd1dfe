"""The page of a migration plan: one file that holds all it needs, for reviewers of a change."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.resources import files

from viewscribe.environments.migration.columns import ColumnChange
from viewscribe.environments.migration.model import Break, FieldChange, Place, Plan, Problem, Step
from viewscribe.errors import printable
from viewscribe.html.markup import NOTHING, Child, Html, document, element, join, raw_text_element
from viewscribe.site.addresses import link
from viewscribe.site.pages.code import code, diff
from viewscribe.site.pages.layout import contents_list, facts, icon, name, notice, section, table

_SHOWN_NAMES = 200
_SENTENCES = {
    "removed": "is removed",
    "type": "changes its type",
    "nullable": "may be NULL",
    "not null": "is never NULL",
}


def plan_html(plan: Plan) -> str:
    """Returns the page of a plan: its steps in order, what each changes, and what breaks and why.

    The page has no scripts, and loads nothing: it can be sent, and kept with a build.
    """
    title = f"{plan.source.name} → {plan.target.name}"
    style = (files("viewscribe.site") / "assets/site.css").read_text(encoding="utf-8")
    digest = base64.b64encode(sha256(style.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content="viewscribe"),
        element("title", printable(f"Plan {title}")),
        raw_text_element("style", style),
    )
    parts = [each for each in _parts(plan) if each[2]]
    listed = contents_list([(identity, label) for identity, label, _ in parts])
    body = element("div", [markup for _, _, markup in parts], class_="sections")
    whole = element("div", listed, element("div", _head(plan, title), body), class_="with-toc")
    main = element("main", whole, id="main", tabindex=-1)
    foot = element("footer", "Made by viewscribe.", class_="foot")
    skip = element("a", "Skip to content", href=link("", "", "main"), class_="skip")
    return document(element("html", head, element("body", skip, main, foot), lang="en"))


def _parts(plan: Plan) -> Iterator[tuple[str, str, Html]]:
    yield "problems", "Problems", _problems(plan.problems)
    yield "breaks", "What breaks", _all_breaks(plan)
    yield "steps", "Steps", _overview(plan.steps)
    for number, step in enumerate(plan.steps, 1):
        yield f"step={number}", f"{number}. {_shorten(step.target)}", _step(number, step)
    yield "kept", "Kept", _kept(plan)


def _shorten(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


def _head(plan: Plan, title: str) -> Html:
    line = element("p", _counts(plan), class_="dotted facts-line")
    places = facts(
        [
            ("From", _place(plan.source)),
            ("To", _place(plan.target)),
            ("Only", [element("div", element("code", each)) for each in plan.select]),
            ("Plan", element("code", plan.id)),
        ]
    )
    return element(
        "div", element("h1", "Plan ", name(title)), line, _verdict(plan), places, class_="head"
    )


def _place(place: Place) -> Html:
    if place.name == place.url:
        return element("code", place.url)
    return join(name(place.name), " ", element("code", place.url, class_="faint"))


def _counts(plan: Plan) -> Iterator[Html]:
    counts = plan.counts()
    for key, word in (
        ("create", "to create"),
        ("change", "to change"),
        ("rename", "to rename"),
        ("delete", "to delete"),
        ("unchanged", "unchanged"),
    ):
        if counts[key]:
            yield element("span", counts[key], f" {word}")


def _verdict(plan: Plan) -> Html:
    if plan.blocking:
        what = element("p", "It cannot be applied until its problems are solved.")
        return notice("bad", "The plan is blocked.", what)
    if plan.breaking:
        what = element("p", "Applying it needs a word of yours; read why below.")
        return notice("bad", "The plan breaks views of the target.", what)
    if not plan.steps:
        return notice("good", "There is nothing to do.")
    found = []
    if not all(step.compatible for step in plan.steps):
        found.append(notice("warning", "Columns change; no view of the target uses what breaks."))
    if any(each.is_setting for step in plan.steps for each in step.fields):
        what = element("p", "With other settings the same SQL may have other results.")
        found.append(notice("warning", "Settings change.", what))
    return join(*found) if found else notice("good", "No reader breaks.")


def _problems(problems: Sequence[Problem]) -> Html:
    if not problems:
        return NOTHING
    rows = [
        element(
            "tr",
            element("th", element("span", each.code, class_=_problem_style(each)), scope="row"),
            element("td", name(each.object)),
            element(
                "td", each.message, element("p", each.hint, class_="note") if each.hint else None
            ),
        )
        for each in problems
    ]
    made = table(("Problem", "Where", "What"), rows, label="Problems")
    return section("Problems", "problems", made, count=len(problems))


def _problem_style(problem: Problem) -> str:
    return "badge delete" if problem.blocking else "badge change"


def _all_breaks(plan: Plan) -> Html:
    if not plan.breaking:
        return NOTHING
    items = [
        join(
            element(
                "h3",
                "Step ",
                element(
                    "a",
                    f"{plan.steps.index(step) + 1}",
                    href=link("", "", f"step={plan.steps.index(step) + 1}"),
                ),
                " ",
                name(str(step)),
            ),
            _breaks(step.breaks),
        )
        for step in plan.breaking
    ]
    count = sum(len(step.breaks) for step in plan.breaking)
    return section("What breaks", "breaks", items, count=count)


def _breaks(several: Sequence[Break]) -> Html:
    return element("ul", [_break(each) for each in several], class_="breaks")


def _break(each: Break) -> Html:
    if each.changes:
        shown = [
            join(element("code", one.name), f" {_SENTENCES.get(one.change, one.word)}")
            for one in each.changes
        ]
        listed = [element("span", one) for one in shown]
        why = join(
            " because of ", name(each.through), ": ", element("span", listed, class_="dotted")
        )
    else:
        why = join(" because it reads ", name(each.through), ", which breaks")
    opens = element("p", "It still opens.", class_="note") if each.opens else None
    columns = [element("li", element("bdi", str(one), class_="way")) for one in each.columns]
    return element(
        "li",
        element("strong", name(each.view)),
        why,
        opens,
        element("ul", columns) if columns else None,
    )


def _overview(steps: Sequence[Step]) -> Html:
    if not steps:
        return NOTHING
    rows = [
        element(
            "tr",
            element("td", number, class_="number"),
            element("td", element("span", step.operation, class_=f"badge {step.operation}")),
            element(
                "th",
                element(
                    "a",
                    icon(step.kind),
                    name(step.target),
                    href=link("", "", f"step={number}"),
                    class_="object",
                ),
                scope="row",
            ),
            element("td", name(_origin(step))),
            element("td", _effect(step)),
        )
        for number, step in enumerate(steps, 1)
    ]
    made = table(("", "Step", "Object", "From", "Effect"), rows, "overview", label="Steps")
    return section("Steps", "steps", made, count=len(steps))


def _origin(step: Step) -> str:
    origin = ".".join(step.former or step.origin or ())
    return "" if origin == step.target else origin


def _effect(step: Step) -> Child:
    if step.breaks:
        count = len(step.breaks)
        return element(
            "span", f"breaks {count:,} view{'s' if count > 1 else ''}", class_="bad-word"
        )
    if step.drift and step.drift.foreign:
        return "goes over what no plan brought"
    if step.drift:
        return "overwrites an edit" if step.operation != "delete" else "deletes an edit"
    if step.operation in ("change", "rename"):
        return step.effect
    return None


def _step(number: int, step: Step) -> Html:
    heading = element(
        "h2",
        element("span", f"{number}.", class_="number"),
        element("span", step.operation, class_=f"badge {step.operation}"),
        icon(step.kind),
        name(step.target),
        id=f"step-{number}-title",
    )
    return element(
        "section",
        heading,
        list(_details(step)),
        id=f"step={number}",
        class_="step",
        aria_labelledby=f"step-{number}-title",
    )


def _details(step: Step) -> Iterator[Html]:
    origin = _origin(step)
    if origin:
        yield element(
            "p", "renamed from " if step.former else "from ", name(origin), class_="faint"
        )
    if step.breaks:
        yield element("h3", "Breaks")
        yield _breaks(step.breaks)
    if step.drift:
        yield notice("warning", f"It {step.drift}.")
        if step.drift.sql_diff:
            yield element("h4", "What was edited since the last apply")
            yield diff(step.drift.sql_diff.split("\n"))
        if step.drift.columns:
            yield _columns(step.drift.columns)
        if step.drift.fields:
            yield _fields(step.drift.fields)
    if step.columns and step.operation != "create":
        yield element("h3", "Columns")
        yield _columns(step.columns)
    if step.fields:
        yield element("h3", "Settings, comment and properties")
        yield _fields(step.fields)
    if step.operation in ("change", "rename") and step.sql_diff:
        yield element("h3", "SQL")
        yield diff(step.sql_diff.split("\n"))
    yield from _text(step)
    if step.fits:
        yield element("p", "Uses no changed column: ", _names(step.fits), class_="note")
    if step.reads:
        yield element("p", "Reads ", _names(step.reads), class_="note")


def _text(step: Step) -> Iterator[Html]:
    """The whole text that the object will have; folded where there is a diff to read first."""
    content = (step.document or {}).get("sql") or (step.document or {}).get("body")
    if not isinstance(content, str):
        return
    if step.operation == "create":
        yield code(content)
    else:
        yield element("details", element("summary", "The whole text"), code(content))


def _columns(changes: Sequence[ColumnChange]) -> Html:
    rows = [
        element(
            "tr",
            element("th", element("code", each.name), scope="row"),
            element("td", element("span", each.change, class_=_change_style(each))),
            element("td", element("code", each.before) if each.before is not None else None),
            element("td", element("code", each.after) if each.after is not None else None),
        )
        for each in changes
    ]
    return table(("Column", "Change", "Before", "After"), rows, label="Changes of columns")


def _fields(changes: Sequence[FieldChange]) -> Html:
    rows = [
        element(
            "tr",
            element("th", element("code", each.name), scope="row"),
            element("td", element("code", each.before) if each.before is not None else None),
            element("td", element("code", each.after) if each.after is not None else None),
        )
        for each in changes
    ]
    return table(("Field", "Before", "After"), rows, label="Changes of other fields")


def _change_style(change: ColumnChange) -> str:
    if change.change == "added":
        return "badge create"
    return "badge delete" if change.breaking else "badge"


def _names(several: Sequence[str]) -> Html:
    shown = [element("span", name(each)) for each in several[:_SHOWN_NAMES]]
    rest = len(several) - len(shown)
    if rest:
        shown.append(element("span", f"{rest:,} more"))
    return element("span", shown, class_="dotted")


def _kept(plan: Plan) -> Html:
    if not plan.extra:
        return NOTHING
    foreign = set(plan.foreign)
    brought = [each for each in plan.extra if each not in foreign]
    rows: list[tuple[str, Child]] = []
    if brought:
        rows.append(("Stay; --delete deletes them", _names(brought)))
    if plan.foreign:
        rows.append(("Stay; --delete-foreign deletes them", _names(plan.foreign)))
    return section(f"Only in {plan.target.name}", "kept", facts(rows), count=len(plan.extra))
