"""Printing the texts of views whose plans have the names of the target, many in several processes.

What a text is printed from stands in its document, so that nothing else goes to a process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import msgspec

from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.shared_work import TOGETHER, share_out
from viewscribe.catalog_store.text_comments import COMMENT, with_comments
from viewscribe.errors import ViewscribeError
from viewscribe.serializer import to_sql
from viewscribe.serializer.dialects import to_dialect
from viewscribe.serializer.plan_document import from_plan
from viewscribe.types.policy import coercion, coercion_of


class Unprinted(msgspec.Struct, frozen=True):
    """What the texts of a view of the target are printed from.

    Args:
        plan: with the names of the target.
        style, spark_version, settings: those of the view.
        dialects: the dialects that it has texts in.
        commented: its text and its plan in the source, where the text has comments.
    """

    plan: Mapping[str, Any]
    style: str
    spark_version: str | None
    settings: Mapping[str, str]
    dialects: tuple[str, ...]
    commented: tuple[str, Mapping[str, Any]] | None

    @classmethod
    def of(cls, before: ViewDocument, after: ViewDocument) -> Unprinted:
        """Returns what a view is printed from.

        Args:
            before: as the source has it.
            after: as it is to be, but for its texts.
        """
        assert before.plan is not None
        assert after.plan is not None
        return cls(
            plan=after.plan,
            style=after.style,
            spark_version=after.spark_version,
            settings=after.settings,
            dialects=tuple(after.representations),
            commented=(before.sql, before.plan) if COMMENT in before.sql else None,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Goes to other processes in a fraction of the time that nested dictionaries take."""
        try:
            return _unpacked, (msgspec.msgpack.encode(self),)
        except (OverflowError, ValueError):  # numbers and characters that only a damaged plan has
            return Unprinted, msgspec.structs.astuple(self)


def _unpacked(packed: bytes) -> Unprinted:
    return msgspec.msgpack.decode(packed, type=Unprinted)


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


def print_all(views: Iterable[Unprinted], processes: int = 1) -> Iterator[Printed | Refused]:
    """Yields the texts of views, in their order.

    Other processes print the first ones while the last ones are still made here.

    Args:
        views: the views.
        processes: how many processes may share the work, if there is much of it.
    """
    views = iter(views)
    first = list(islice(views, _WORTH_PROCESSES))
    processes = processes if len(first) == _WORTH_PROCESSES else 1
    groups = _in_groups(chain(first, views))
    for found in share_out(_print, None, groups, documents=len(first), processes=processes):
        yield from found


def _in_groups(views: Iterator[Unprinted]) -> Iterator[list[Unprinted]]:
    while group := list(islice(views, TOGETHER)):
        yield group


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
    with coercion(coercion_of(view.settings)):
        tree = from_plan(view.plan)
        sql = to_sql(tree, view.style, view.spark_version)
        others = {each: to_dialect(tree, each) for each in view.dialects}
        if view.commented is not None:
            text, plan = view.commented
            plain = to_sql(from_plan(plan), view.style, view.spark_version)
            if plain != text:
                found = with_comments(text, plain, sql)
                return Printed(sql if found is None else found, others, found is None)
    return Printed(sql, others)
