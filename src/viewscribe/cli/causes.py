"""Views that fail for one cause, told together: a table that is gone breaks all that read it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from viewscribe.cli.catalogs import full_name
from viewscribe.cli.output.pages import Block, Heading, Paragraph
from viewscribe.cli.output.safe_text import describe_count

if TYPE_CHECKING:
    from viewscribe.catalog_store import ObjectId
    from viewscribe.cli.verification import Outcome

_MOST_NAMES = 10
_PLACE = re.compile(r";? line \d+,? pos \d+;?")


@dataclass(frozen=True, slots=True)
class Cause:
    """What some views have to say, and the views.

    Args:
        lines: what is said of one view alone; of several, what they have in common: the change of
            a table that they read, or what they say without their names and places.
        views: the views that say so, in order.
    """

    lines: Sequence[str]
    views: Sequence[ObjectId]


def causes_of(outcomes: Sequence[Outcome]) -> list[Cause]:
    """Returns the causes of what is told of the views, each where its first view stands."""
    found: dict[tuple[str, ...], list[Outcome]] = {}
    for outcome in outcomes:
        lines = tuple(outcome.lines())
        if lines:
            cause = tuple(outcome.changed or _without_name(outcome.id, lines))
            found.setdefault((outcome.status, *cause), []).append(outcome)
    return [
        Cause(
            key[1:] if len(alike) > 1 else list(alike[0].lines()),
            [each.id for each in alike],
        )
        for key, alike in found.items()
    ]


def cause_blocks(outcomes: Sequence[Outcome]) -> Iterator[Block]:
    """Returns what is told of the views, by cause."""
    for cause in causes_of(outcomes):
        yield Heading(_heading(cause.views), 2)
        yield Paragraph("\n".join(cause.lines))


def _heading(views: Sequence[ObjectId]) -> str:
    if len(views) == 1:
        return full_name(views[0])
    names = ", ".join(map(full_name, views[:_MOST_NAMES]))
    more = len(views) - _MOST_NAMES
    rest = f" and {more:,} more" if more > 0 else ""
    return f"{describe_count(len(views), 'view')}: {names}{rest}"


def _without_name(view: ObjectId, lines: Sequence[str]) -> Iterator[str]:
    """The lines without what differs from view to view although the cause is one."""
    parts = (rf"`?{re.escape(part)}`?" for part in (view.database, view.name))
    name = re.compile(
        r"(?:the )?(?:view )?(?<![\w.`])(?:`?\w+`?\.)?" + r"\.".join(parts) + r"(?![\w`])"
    )
    for line in lines:
        yield _PLACE.sub("", name.sub("the view", line))
