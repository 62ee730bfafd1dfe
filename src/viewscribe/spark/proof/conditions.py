"""Conditions that others already say."""

from __future__ import annotations

from collections.abc import Iterator

from viewscribe.operations.normal_form.terms import Term, Terms

_NULL_FAILS = {
    *("EqualTo", "LessThan", "LessThanOrEqual", "Like", "RLike"),
    *("StartsWith", "EndsWith", "Contains"),
}
"""Comparisons that are not true where an operand is NULL."""

_NULL_STAYS = {
    *("Cast", "WideCast", "Add", "Subtract", "Multiply", "UnaryMinus", "Abs"),
    *("Upper", "Lower", "Substring", "Year", "Month", "DayOfMonth"),
}
"""Functions that give NULL where an operand is NULL."""


def without_implied(terms: Terms, conditions: frozenset[Term]) -> frozenset[Term]:
    """The conditions without each ``x IS NOT NULL`` that another one of them implies."""
    known = {each for condition in conditions for each in _never_null(terms, condition)}
    return frozenset(
        each
        for each in conditions
        if terms.kind(each) != "IsNotNull" or terms.below(each)[0] not in known
    )


def _never_null(terms: Terms, condition: Term) -> Iterator[Term]:
    """What is not NULL where the condition is true."""
    if terms.kind(condition) == "Not":
        (condition,) = terms.below(condition)
    if terms.kind(condition) in ("In", "InSet"):
        value, *items = terms.below(condition)
        # NULL IN () is false, or NULL, as a setting has it.
        pending = [value] if items or terms.kind(condition) == "InSet" else []
    elif terms.kind(condition) in _NULL_FAILS:
        pending = [*terms.below(condition)]
    else:
        return
    while pending:
        term = pending.pop()
        yield term
        if terms.kind(term) in _NULL_STAYS:
            pending += terms.below(term)
