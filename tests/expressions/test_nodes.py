"""Resolved expressions: structural equality, hashes, pickles and summaries, however deep."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from viewscribe import TableEnvironment, col, exists, lit, over
from viewscribe import functions as F
from viewscribe.expressions.node import (
    Node,
    find,
    fold,
    holds,
    is_query,
    marks_in,
    postorder,
    preorder,
    replace,
)
from viewscribe.expressions.nodes import FieldReference, Literal, Over, alias, strip_alias
from viewscribe.expressions.resolve import resolve
from viewscribe.operations.nodes import Project
from viewscribe.types import INT, STRING

ENV = TableEnvironment()
ENV.create_table("t", "a INT NOT NULL, b INT, p BOOLEAN, s STRING, tags ARRAY<STRING>")
T = ENV.from_path("t")
DEEP = 5_000


def resolved(expression: Any) -> Any:
    return resolve(expression, T.schema)


EXPRESSIONS = {
    "column": lambda: col("a"),
    "literal": lambda: lit("x"),
    "call": lambda: F.upper(col("s")),
    "operator": lambda: (col("a") + 1) * col("b"),
    "cast": lambda: col("a").cast("STRING"),
    "lenient": lambda: col("a").try_cast("STRING"),
    "alias": lambda: col("a").alias("x"),
    "aggregate": lambda: F.sum(col("a")).distinct().filter(col("p")),
    "over": lambda: F.sum(col("a")).over(over(partition_by="b", order_by="a").rows_between(-1, 0)),
    "other frame": lambda: F.sum(col("a")).over(
        over(partition_by="b", order_by="a").rows_between(-2, 0)
    ),
    "lambda": lambda: F.transform("tags", lambda x: F.concat(x, lit("!"))),
    "exists": lambda: exists(lambda outer: T.alias("i").filter(col("b") == outer("a"))),
    "other level": lambda: exists(T),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_equal_only_to_itself(name: str) -> None:
    one, same = resolved(EXPRESSIONS[name]()), resolved(EXPRESSIONS[name]())
    assert one == same
    assert hash(one) == hash(same)
    for other in EXPRESSIONS.keys() - {name}:
        assert one != resolved(EXPRESSIONS[other]())


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("as_part", [False, True])
def test_finds_what_a_walk_finds(name: str, as_part: bool) -> None:
    root = resolved(EXPRESSIONS[name]())
    if as_part:
        root = alias(root, "x")
        marks_in(root)
        root = root.copy_with({"child": alias(Literal(1, INT.not_null()), "y")})
    nodes = list(preorder(root))
    met = {base for node in nodes for base in type(node).__mro__ if issubclass(base, Node)}
    kinds: set[type[Node]] = {*met, Literal, Over, Project}
    for kind in kinds - {Node}:
        found = [node for node in nodes if isinstance(node, kind)]
        assert list(find(root, kind)) == found
        assert holds(root, kind) == bool(found)
    outside = [node for node in preorder(root, skip=is_query) if isinstance(node, FieldReference)]
    assert list(find(root, FieldReference, skip=is_query)) == outside


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_pickle_and_copy(name: str) -> None:
    one = resolved(EXPRESSIONS[name]())
    for again in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one)):
        assert again == one
        assert hash(again) == hash(one)
        assert again.type == one.type
        assert again.as_summary_string() == one.as_summary_string()


def test_a_node_is_no_other_thing() -> None:
    assert resolved(col("a")) != "a"
    assert resolved(col("a")) != None  # noqa: E711


def test_nodes_cannot_be_changed() -> None:
    node = resolved(col("a"))
    with pytest.raises(AttributeError):
        node.index = 3


def test_deep_trees_hash_compare_print_pickle() -> None:
    def build(last: int) -> Any:
        expression: Any = col("b")
        for _ in range(DEEP):
            expression = expression + 1
        return resolved(expression + last)

    one, same, other = build(1), build(1), build(2)
    assert hash(one) == hash(same)
    assert one == same
    assert one != other
    assert pickle.loads(pickle.dumps(one)) == one
    assert len(repr(one)) <= 2_100
    assert sum(1 for _ in postorder(one)) == 2 * DEEP + 3


def test_long_connectives_are_flat() -> None:
    condition = col("a") == 0
    for number in range(1, 5_000):
        condition = condition | (col("a") == number)
    node = resolved(condition)
    assert len(node.args) == 5_000
    assert pickle.loads(pickle.dumps(node)) == node


def test_a_tree_that_doubles_is_walked_once() -> None:
    node = resolved(col("a"))
    for _ in range(200):  # 2 ** 200 paths, 201 nodes
        node = resolved(lit(0) + 0).with_children([node, node])
    assert sum(1 for _ in preorder(node)) == 201
    assert fold(node, lambda _, children: 1 + max(children, default=0)) == 201
    assert hash(node) == hash(pickle.loads(pickle.dumps(node)))


def test_replace_keeps_what_stays_the_same() -> None:
    node = resolved(col("a") + col("b"))
    assert replace(node, lambda each: each) is node
    moved = replace(
        node,
        lambda each: (
            FieldReference(each.index + 5, each.name, each.type)
            if isinstance(each, FieldReference)
            else each
        ),
    )
    assert [child.index for child in moved.children()] == [5, 6]  # type: ignore[attr-defined]
    assert hash(moved) != hash(node)


def test_alias_says_nothing_twice() -> None:
    reference = FieldReference(0, "a", INT)
    assert alias(reference, "a") is reference
    renamed = alias(alias(reference, "x"), "y")
    assert strip_alias(renamed) is reference
    assert renamed.as_summary_string() == "a AS y"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((1, INT), (True, INT)),
        ((0.0, INT), (-0.0, INT)),
        ((1, INT), (1, STRING)),
        (("1", STRING), (1, STRING)),
        ((None, INT), (None, STRING)),
    ],
)
def test_literals_that_python_takes_for_equal(one: Any, other: Any) -> None:
    assert Literal(*one) != Literal(*other)


def test_nan_equals_itself() -> None:
    assert Literal(float("nan"), INT) == Literal(float("nan"), INT)
    assert hash(Literal(float("nan"), INT)) == hash(Literal(float("nan"), INT))


def test_summaries() -> None:
    shown = resolved(F.sum(col("a")).filter(col("p")).over(over(order_by=col("b").desc())))
    assert shown.as_summary_string() == "sum(a) FILTER (p) OVER (order: [b DESC])"
    assert "…" in resolved(lit("x" * 500)).as_summary_string()


@pytest.mark.parametrize("name", ["a", "b"])
def test_unequal_is_not_equal(name: str) -> None:
    one = FieldReference(0, "a", INT)
    other = FieldReference(0, name, INT)
    assert (one != other) is (name != "a")
    assert (one != other) is not (one == other)
