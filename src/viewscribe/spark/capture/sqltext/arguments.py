"""What may stand in a node of sqlglot's tree: anything else is something its handler overlooks.

``b NOT LIKE 'x'`` is a ``Like`` with ``negate``; whoever does not look there reads ``b LIKE 'x'``.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from viewscribe.spark.capture.sqltext.dialect import TypedLiteral

_USUAL = frozenset(("this", "expression", "expressions"))

_MORE: dict[type, tuple[str, ...]] = {
    exp.Column: ("table", "db", "catalog"),
    exp.Identifier: ("quoted",),
    exp.Literal: ("is_string",),
    exp.Alias: ("alias",),
    exp.Between: ("low", "high"),
    exp.Case: ("ifs", "default"),
    exp.If: ("true", "false"),
    exp.Window: ("partition_by", "order", "over", "spec"),
    exp.Concat: ("safe", "coalesce"),
    exp.In: ("query", "field"),
    exp.Ordered: ("desc", "nulls_first"),
    exp.Interval: ("unit",),
    exp.Cast: ("to",),
    exp.TryCast: ("to", "safe"),
    TypedLiteral: ("to",),
    exp.Like: ("negate",),
    exp.ILike: ("negate",),
    exp.Div: ("typed", "safe"),
    exp.DPipe: ("safe",),
}


def is_known(node: Any) -> bool:
    """Whether nothing stands in the node that its handler does not look at."""
    known = _USUAL.union(_MORE.get(type(node), ()))
    return all(name in known for name, value in node.args.items() if value)
