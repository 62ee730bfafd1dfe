"""Conditions that others already say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from viewscribe.operations.normal_form.terms import Term, Terms

_NULL_FAILS = {
    *("EqualTo", "LessThan", "LessThanOrEqual", "GreaterThan", "GreaterThanOrEqual"),
    *("Like", "RLike"),
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


def without_asked_again(terms: Terms, asked: Sequence[Term]) -> list[Term]:
    """Conditions in their order, without ``x IS NOT NULL`` where the next one asks for ``x``.

    It computes nothing else that is unknown, so it fails where ``x`` does: ``x > 5`` is such a one.
    """
    kept: list[Term] = []
    for each in reversed(asked):
        again = kept and terms.kind(each) == "IsNotNull"
        if not again or terms.below(each)[0] not in _asked_alone(terms, kept[-1]):
            kept.append(each)
    return kept[::-1]


def _asked_alone(terms: Terms, condition: Term) -> Iterator[Term]:
    """What a condition is not true of if it is NULL, and which stands beside constants alone."""
    if terms.kind(condition) not in _NULL_FAILS:
        return
    kinds = _NULL_FAILS | _NULL_STAYS
    while terms.kind(condition) in kinds:
        unknown = [each for each in terms.below(condition) if terms.kind(each) != "Literal"]
        if len(unknown) != 1:
            return
        (condition,) = unknown
        yield condition


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
