"""The clock and the user of a test: what would differ every day is a constant."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

import msgspec

from viewscribe.errors import TypeMismatchError, did_you_mean
from viewscribe.expressions.node import Node, preorder, replace
from viewscribe.expressions.nodes import Call
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.nodes import SqlText
from viewscribe.serializer import to_sql
from viewscribe.snapshots.rows.subjects import Subject, ViewTestError, read_value, time_zone
from viewscribe.types.policy import coercion, coercion_of

NAMES = (
    "current_date",
    "current_timestamp",
    "localtimestamp",
    "current_time",
    "current_user",
    "current_catalog",
    "current_database",
)
"""The functions without arguments that a test may give a value; aliases such as ``now`` follow."""

_CLOCK = ("current_date", "current_timestamp", "localtimestamp", "current_time")
_OTHERS = ("unix_timestamp",)


def with_overrides(subject: Subject, values: Mapping[str, Any], zone: str) -> Subject:
    """Returns a view, tested or read by the tested one, with constants in the place of calls.

    Args:
        subject: the view.
        values: what calls give, by the functions' names.
        zone: the time zone of the tested view, in which a clock without one is read: all views of
            a test have one clock.

    Raises:
        ViewTestError: nobody can say what the view gives then; says what stands against it.
    """
    if not values:
        return subject
    if subject.tree is None:
        raise ViewTestError(
            f"the text of {subject.label} is read by Spark alone, so nothing in it can be "
            "overridden",
            hint="write the test without overrides, or give the rows of that view",
        )
    with coercion(coercion_of(subject.document.settings)):
        tree = override(subject.tree, _at_one_time(values, zone), subject.zone)
        document = msgspec.structs.replace(subject.document, sql=to_sql(tree))
    return subject._replace(tree=tree, document=document)


def _at_one_time(values: Mapping[str, Any], zone: str) -> dict[str, Any]:
    made = {name.lower(): value for name, value in values.items()}
    if "current_timestamp" in made:
        moment = _moment(made["current_timestamp"])
        made["current_timestamp"] = (
            moment if moment.tzinfo is not None else moment.replace(tzinfo=time_zone(zone))
        )
    return made


def override(tree: QueryOperation, values: Mapping[str, Any], zone: str) -> QueryOperation:
    """Returns the tree with constants in the place of calls.

    Args:
        tree: the tree of a view.
        values: what calls give, by the functions' names. ``current_timestamp`` moves the whole
            clock: the date and the local time follow where they are not given themselves.
        zone: the time zone of the view.

    Raises:
        ViewTestError: nobody can say what the tree gives then; says what stands against it.
    """
    if not values:
        return tree
    given = _whole_clock({name.lower(): value for name, value in values.items()}, zone)
    for name in given:
        if name not in NAMES:
            hint = did_you_mean(name, NAMES) or f"these can: {', '.join(NAMES)}"
            raise ViewTestError(f"`{name}` cannot be overridden", hint=hint)
    _require_readable(tree, given)

    def constant(node: Node) -> Node:
        if not isinstance(node, Call) or node.function.name not in given:
            return node
        name = node.function.name
        try:
            return read_value(given[name], node.type, zone)
        except TypeMismatchError as error:
            raise ViewTestError(f"the override of `{name}`: {error.message}") from None

    made = replace(tree, constant)
    assert isinstance(made, QueryOperation)
    return made


def _whole_clock(values: dict[str, Any], zone: str) -> dict[str, Any]:
    if "current_timestamp" not in values:
        return values
    moment = _moment(values["current_timestamp"])
    there = moment.astimezone(time_zone(zone)) if moment.tzinfo is not None else moment
    local = there.replace(tzinfo=None)
    follows = {
        "current_date": local.date(),
        "localtimestamp": local,
        "current_time": local.time(),
    }
    return {**follows, **values}


def _moment(now: Any) -> dt.datetime:
    try:
        moment = dt.datetime.fromisoformat(now) if isinstance(now, str) else now
    except ValueError:
        moment = None
    if not isinstance(moment, dt.datetime):
        raise ViewTestError(f"the override of `current_timestamp`: {now!r} is no timestamp")
    return moment


def _require_readable(tree: QueryOperation, given: Mapping[str, Any]) -> None:
    clock = any(name in given for name in _CLOCK)
    for node in preorder(tree):
        if isinstance(node, SqlText):
            raise ViewTestError(
                "a part of the view is kept as text, so nothing in it can be overridden",
                hint="write the test without overrides",
            )
        if (
            clock
            and isinstance(node, Call)
            and node.function.built_in_name in _OTHERS
            and not node.args
        ):
            raise ViewTestError(
                f"{node.function.name}() reads the clock, too, and cannot be overridden",
                hint="write unix_timestamp(current_timestamp()) in the view",
            )
