"""What notebooks show of plans."""

from __future__ import annotations

from viewscribe.environments.migration.model import Plan, Step
from viewscribe.html.markup import Html
from viewscribe.html.notebook import (
    collapsible,
    diff_block,
    grid,
    heading,
    marked,
    show,
    text_block,
)


def show_plan(plan: Plan, text: str) -> dict[str, str]:
    """Returns the problems of a plan, and its steps with what they change and break."""
    problems = [
        (each.object, marked(each.message, "bad" if each.blocking else "warning"), each.hint or "")
        for each in plan.problems
    ]
    return show(
        text,
        heading(f"{plan.source.name} → {plan.target.name}"),
        grid(("object", "problem", ""), problems) if problems else None,
        *map(_step, plan.steps),
        None if plan.steps else marked("nothing to do", "soft"),
    )


def _step(step: Step) -> Html:
    title = [str(step), *([marked("  breaks views", "bad")] if step.breaks else [])]
    blocks = []
    if step.columns or step.fields:
        blocks.append(text_block("\n".join(map(str, (*step.columns, *step.fields)))))
    if step.breaks:
        blocks.append(text_block("\n".join(map(str, step.breaks))))
    if step.sql_diff:
        blocks.append(diff_block(step.sql_diff.splitlines()))
    return collapsible(title, *blocks)
