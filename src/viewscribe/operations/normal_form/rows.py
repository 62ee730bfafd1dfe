"""The normal form of rows: what rules make of operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from viewscribe.expressions.node import Node, postorder
from viewscribe.expressions.nodes import Literal
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.normal_form.places import placed_parts, tied_parts
from viewscribe.operations.normal_form.terms import Term, Terms
from viewscribe.operations.normal_form.values import Constants, Values
from viewscribe.types import Field
from viewscribe.types.nested_types import deeply_nullable


class Rows:
    """What an operation gives: inner joins of inputs under conditions, in an order.

    Where there is one input, columns and conditions are over it; where there are more, each
    column of an input stands within ``@in`` with the input's number.
    """

    __slots__ = ("columns", "conditions", "inputs", "order", "terms")

    def __init__(
        self,
        terms: Terms,
        inputs: tuple[Term, ...],
        conditions: frozenset[Term],
        columns: Sequence[Term],
        order: tuple[Term, ...] = (),
    ) -> None:
        self.terms = terms
        self.inputs = inputs
        self.conditions = conditions
        self.columns = columns
        self.order = order

    @property
    def core(self) -> Term:
        """The rows as one term, in whatever order."""
        if len(self.inputs) == 1 and not self.conditions:
            return self.inputs[0]
        conditions = self.terms.make("{}", None, self.terms.conditions(self.conditions))
        return self.terms.make("#joined", None, [*self.inputs, conditions])

    @property
    def unfiltered(self) -> Term:
        """The rows as one term, before the conditions."""
        return Rows(self.terms, self.inputs, frozenset(), ()).core

    @property
    def sorted_core(self) -> Term:
        """The rows as one term, in their order."""
        return (
            self.terms.make("#sorted", None, [self.core, *self.order]) if self.order else self.core
        )

    @property
    def settled(self) -> Rows:
        """The same rows, whose order is part of them from here on."""
        if not self.order:
            return self
        return Rows(self.terms, (self.sorted_core,), frozenset(), self.columns)

    @property
    def result(self) -> Term:
        """Rows and columns, as a query gives them."""
        return self.terms.make("#result", None, [self.sorted_core, *self.columns])


Rules = Mapping[type[Any], Callable[["RowReader", Any], Rows]]
"""By the kind of an operation: the rows it gives."""


class RowReader:
    """Reads a tree, inputs first; a part that is there twice is read once."""

    def __init__(self, terms: Terms, rules: Rules, constants: Constants | None) -> None:
        self.terms = terms
        self.rules = rules
        self.rows: dict[int, Rows] = {}
        self.values = Values(terms, self.rows, constants)
        self.placed: frozenset[int] = frozenset()
        self.tied: frozenset[int] = frozenset()

    def read(self, tree: QueryOperation) -> Rows:
        """The rows of a tree."""
        self.placed, self.tied = placed_parts(tree), tied_parts(tree)
        for node in postorder(tree):
            if node.is_query:
                assert isinstance(node, QueryOperation)
                self.values.as_written = self.is_placed(node)
                rows = self.rules[type(node)](self, node)
                empty = self.is_empty(rows)
                self.rows[id(node)] = self.empty(node.schema.fields) if empty else rows
        return self.rows[id(tree)]

    def is_placed(self, node: Node) -> bool:
        """Whether something above reads the order or the partitions of the node's rows."""
        return id(node) in self.placed

    def listed(self, node: Node, terms: Sequence[Term]) -> Term:
        """Keys or conditions, by which rows are divided: in their order where that is read."""
        return self.terms.make("()" if self.is_placed(node) else "{}", None, terms)

    def of(self, node: Node) -> Rows:
        """The rows of an input."""
        return self.rows[id(node)]

    def made(self, kind: str, data: object, below: Sequence[Term], columns: Sequence[Term]) -> Rows:
        """Rows of one input, which is this term."""
        return Rows(self.terms, (self.terms.make(kind, data, below),), frozenset(), columns)

    def source(self, kind: str, data: object, below: Sequence[Term], width: int) -> Rows:
        """Rows that nothing is known of but where they come from."""
        return self.made(kind, data, below, self.numbered(width))

    def is_empty(self, rows: Rows) -> bool:
        """Whether it is certain that there are no rows."""
        nothing = any(self.terms.kind(each) == "#empty" for each in rows.inputs)
        return nothing or any(self.is_literal(each, False) for each in rows.conditions)

    def empty(self, fields: Sequence[Field]) -> Rows:
        """No rows. Of the columns the types are left, which others are cast to beside them."""
        columns = [self.terms.make("@nothing", deeply_nullable(each.type)) for each in fields]
        return self.made("#empty", None, (), columns)

    def numbered(self, width: int) -> list[Term]:
        """Columns that are known by their places."""
        return [self.terms.make("@column", at) for at in range(width)]

    def wrapped(self, columns: Sequence[Term], kind: str, data: object = None) -> list[Term]:
        """Columns as rows that hold theirs have them."""
        return self.terms.lifted(columns, lambda term: self.terms.make(kind, data, [term]))

    def whole(
        self,
        columns: Sequence[Term],
        lifted: Sequence[Term],
        kind: str,
        around: Sequence[Term] = (),
    ) -> list[Term]:
        """Columns of a side that may have no row: what is computed of them is NULL there, too.

        Args:
            columns: as the side has them.
            lifted: as the join has them where there is a row.
            kind: of which side they are.
            around: the columns around the side, where it sees these.
        """
        terms = self.terms
        inside = terms.placed(columns, around) if around else columns
        return [
            term if terms.is_column(own) else terms.make(kind, "whole", [own])
            for own, term in zip(inside, lifted, strict=True)
        ]

    def conjuncts(self, condition: Term) -> list[Term]:
        """The parts of ``a AND b`` in their order, without TRUE."""
        parts = self.terms.conjuncts(condition)
        return [each for each in parts if not self.is_literal(each, True)]

    def is_literal(self, term: Term, value: bool) -> bool:
        """Whether a term is TRUE, or FALSE."""
        literal = self.terms.data(term)
        return isinstance(literal, Literal) and literal.value is value
