"""Forms of whole trees, to be compared."""

from __future__ import annotations

from viewscribe.operations.base import QueryOperation
from viewscribe.operations.normal_form.differences import difference
from viewscribe.operations.normal_form.rows import RowReader
from viewscribe.operations.normal_form.rules import RULES
from viewscribe.operations.normal_form.terms import Term, Terms
from viewscribe.operations.normal_form.values import Constants, is_free


class Form:
    """The normal form of a tree; forms of the same ``NormalForms`` can be compared.

    Args:
        rows: which rows there are, in which order.
        columns: what each column holds.
    """

    __slots__ = ("columns", "rows")

    def __init__(self, rows: Term, columns: tuple[Term, ...]) -> None:
        self.rows = rows
        self.columns = columns

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Form):
            return NotImplemented
        return self.rows == other.rows and self.columns == other.columns

    __hash__ = None  # type: ignore[assignment]


class NormalForms:
    """Forms that are compared with each other.

    Args:
        constants: from a literal to an expression that it is the same as, where the trees may
            write constants otherwise.
    """

    def __init__(self, constants: Constants | None = None) -> None:
        self._terms = Terms(is_free)
        self._constants = constants

    def of(self, tree: QueryOperation) -> Form:
        """The form of a tree; equal forms give the same rows, whatever columns are called."""
        rows = RowReader(self._terms, RULES, self._constants).read(tree)
        return Form(rows.sorted_core, tuple(rows.columns))

    def difference(self, one: Form, other: Form) -> str:
        """What differs between the rows of two forms, in words: ``the order of the rows``."""
        return difference(self._terms, one.rows, other.rows)
