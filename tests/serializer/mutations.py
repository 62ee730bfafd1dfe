"""Plan documents changed at random, as somebody could who does not know what they mean."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

from viewscribe.expressions.functions.registry import all_built_ins

Plan = dict[str, Any]
Mutation = Callable[[random.Random, Plan], None]

TYPES = (
    "INT",
    "INT NOT NULL",
    "BIGINT",
    "STRING NOT NULL",
    "STRING",
    "DOUBLE",
    "DECIMAL(10, 2)",
    "DATE",
    "BOOLEAN",
    "BOOLEAN NOT NULL",
    "ARRAY<INT>",
    "MAP<STRING, INT>",
    "STRUCT<a: INT>",
    "TIMESTAMP",
    "VOID",
    "ARRAY<" * 5000,
    "DECIMAL(99, 99)",
    "INT NOT",
)
NUMBERS = (-1, 0, 1, 2, 3, 7, 31, 2**31, 2**63, 10**400, -(10**6), 1.5, float("inf"))
JUNK: tuple[Any, ...] = (None, True, False, "", "x", "3", "1", "nan", [], [[]], [0], {}, {"a": 1})


def deep(levels: int = 3000) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


def spots(plan: Plan) -> list[tuple[Any, Any]]:
    """Every place of a value in the nodes: what holds it, and under what key."""
    found: list[tuple[Any, Any]] = []
    pending: list[Any] = [plan["nodes"]]
    while pending:
        holder = pending.pop()
        for key in holder if isinstance(holder, dict) else range(len(holder)):
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                pending.append(holder[key])
    return found


def _of(plan: Plan, *kinds: type) -> list[tuple[Any, Any]]:
    return [(holder, key) for holder, key in spots(plan) if type(holder[key]) in kinds]


def _delete(rng: random.Random, plan: Plan) -> None:
    holder, key = rng.choice(spots(plan))
    del holder[key]


def _swap(rng: random.Random, plan: Plan) -> None:
    (one, a), (other, b) = rng.choice(spots(plan)), rng.choice(spots(plan))
    one[a], other[b] = copy.deepcopy(other[b]), copy.deepcopy(one[a])


def _swap_alike(rng: random.Random, plan: Plan) -> None:
    """Two values of the same field: names, types, functions, sub-trees."""
    one, a = rng.choice([spot for spot in spots(plan) if isinstance(spot[1], str)])
    other, b = rng.choice([spot for spot in spots(plan) if spot[1] == a])
    one[a], other[b] = other[b], one[a]


def _number(rng: random.Random, plan: Plan) -> None:
    holder, key = rng.choice(_of(plan, int))
    holder[key] = rng.choice([holder[key] + 1, holder[key] - 1, rng.choice(NUMBERS)])


def _move(rng: random.Random, plan: Plan) -> None:
    """Another sub-tree that is there already."""
    holder, key = rng.choice(_of(plan, int))
    holder[key] = rng.randrange(len(plan["nodes"]))


def _name(rng: random.Random, plan: Plan) -> None:
    texts = _of(plan, str)
    holder, key = rng.choice(texts)
    other, place = rng.choice(texts)
    holder[key] = rng.choice([other[place], holder[key].upper(), holder[key] + "x", "a b", ""])


def _type(rng: random.Random, plan: Plan) -> None:
    typed = [spot for spot in _of(plan, str) if spot[1] in ("type", "returns")]
    if typed:
        holder, key = rng.choice(typed)
        flipped = holder[key].removesuffix(" NOT NULL")
        flipped = flipped if flipped != holder[key] else f"{flipped} NOT NULL"
        holder[key] = rng.choice([flipped, rng.choice(TYPES)])


def _function(rng: random.Random, plan: Plan) -> None:
    called = [node for node in plan["nodes"] if "function" in node]
    if called:
        rng.choice(called)["function"] = rng.choice(sorted(all_built_ins()))


def _junk(rng: random.Random, plan: Plan) -> None:
    holder, key = rng.choice(spots(plan))
    holder[key] = rng.choice((*JUNK, *NUMBERS, deep()))


def _flag(rng: random.Random, plan: Plan) -> None:
    flags = _of(plan, bool)
    if flags:
        holder, key = rng.choice(flags)
        holder[key] = not holder[key]


def _as_text(rng: random.Random, plan: Plan) -> None:
    holder, key = rng.choice(_of(plan, int, bool, str))
    value = holder[key]
    holder[key] = str(value) if not isinstance(value, str) else len(value)


def _kind(rng: random.Random, plan: Plan) -> None:
    from viewscribe.serializer.plan_document import KINDS

    rng.choice(plan["nodes"])["node"] = rng.choice(sorted(KINDS))


def _repeat(rng: random.Random, plan: Plan) -> None:
    lists = _of(plan, list)
    if lists:
        holder, key = rng.choice(lists)
        if holder[key]:
            holder[key].insert(0, copy.deepcopy(rng.choice(holder[key])))


def _reverse(rng: random.Random, plan: Plan) -> None:
    lists = _of(plan, list)
    if lists:
        holder, key = rng.choice(lists)
        holder[key].reverse()


def _wrap(rng: random.Random, plan: Plan) -> None:
    """Another node in between, of the same fields as one that is there."""
    node = copy.deepcopy(rng.choice(plan["nodes"]))
    plan["nodes"].append(node)
    plan["root"] = len(plan["nodes"]) - 1


def _outline(rng: random.Random, plan: Plan) -> None:
    key = rng.choice(("version", "nodes", "root", "other"))
    plan[key] = rng.choice((*JUNK, *NUMBERS, True, deep()))


MUTATIONS: tuple[Mutation, ...] = (
    *(_delete, _swap, _swap_alike, _swap_alike, _number, _number, _move, _move, _name, _name),
    *(_type, _type, _function, _junk, _flag, _flag, _as_text, _kind, _repeat, _reverse, _wrap),
    _outline,
)


def mutated(plan: Plan, rng: random.Random) -> Plan:
    """The document after one to three changes."""
    changed: Plan = json.loads(json.dumps(plan))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not isinstance(changed.get("nodes"), list) or not spots(changed):
            break
        try:
            rng.choice(MUTATIONS)(rng, changed)
        except (IndexError, TypeError, KeyError, AttributeError, RecursionError):
            continue  # an earlier change left nothing for this one
    return changed
