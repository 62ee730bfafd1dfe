"""Printing the texts of views whose plans have the names of the target, many in several processes.

What a text is printed from stands in its document, so that nothing else goes to a process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.shared_work import TOGETHER, share_out
from viewscribe.catalog_store.text_comments import COMMENT, with_comments
from viewscribe.errors import ViewscribeError
from viewscribe.serializer import to_sql
from viewscribe.serializer.dialects import to_dialect
from viewscribe.serializer.plan_document import from_plan
from viewscribe.types.policy import coercion, coercion_of


class Unprinted(NamedTuple):
    """A view of the source, and the same with the plan of the target and the texts of the source.

    Args:
        before: as the source has it.
        after: as it is to be, but for its texts.
    """

    before: ViewDocument
    after: ViewDocument


class Printed(NamedTuple):
    """The texts of a view of the target; ``bare`` where it loses the comments of the source."""

    sql: str
    representations: Mapping[str, str]
    bare: bool = False

    def within(self, document: ViewDocument) -> ViewDocument:
        """Returns the document with these texts."""
        return msgspec.structs.replace(document, sql=self.sql, representations=self.representations)


class Refused(NamedTuple):
    """Why there is no such document or text."""

    message: str
    hint: str | None


_WORTH_PROCESSES = 1_500
"""How many views are printed sooner with other processes, which have to start first."""


def print_all(views: Sequence[Unprinted], processes: int = 1) -> Iterator[Printed | Refused]:
    """Yields the texts of views, in their order.

    Args:
        views: the views.
        processes: how many processes may share the work, if there is much of it.
    """
    processes = processes if len(views) >= _WORTH_PROCESSES else 1
    groups = (views[start : start + TOGETHER] for start in range(0, len(views), TOGETHER))
    for found in share_out(_print, None, groups, documents=len(views), processes=processes):
        yield from found


def _print(_: None, views: Sequence[Unprinted]) -> list[Printed | Refused]:
    return [_print_or_refuse(view) for view in views]


def _print_or_refuse(view: Unprinted) -> Printed | Refused:
    try:
        return print_view(view)
    except ViewscribeError as error:
        return Refused(error.message, error.hint)


def print_view(view: Unprinted) -> Printed:
    """Returns the texts of a view in the target.

    Raises:
        ViewscribeError: the plan is damaged, or has no such text.
    """
    before, after = view
    assert before.plan is not None
    assert after.plan is not None
    with coercion(coercion_of(after.settings)):
        tree = from_plan(after.plan)
        sql = to_sql(tree, after.style, after.spark_version)
        others = {each: to_dialect(tree, each) for each in after.representations}
        if COMMENT in before.sql:
            plain = to_sql(from_plan(before.plan), after.style, after.spark_version)
            if plain != before.sql:
                found = with_comments(before.sql, plain, sql)
                return Printed(sql if found is None else found, others, found is None)
    return Printed(sql, others)
