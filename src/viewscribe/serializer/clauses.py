"""Clauses that SELECT blocks and pipe operators have in common, broken where they are too long."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from viewscribe.expressions.functions.syntax import Binding
from viewscribe.operations.nodes import Grouping, Sample
from viewscribe.serializer.expressions import connected_list
from viewscribe.serializer.fragments import (
    WIDTH,
    Fragment,
    parenthesize,
    pieces,
    print_call,
    print_connected,
)


def flat_conditions(terms: Sequence[Fragment]) -> str | None:
    """``a AND b`` on one line, or None where it cannot be."""
    if len(terms) == 1:
        return terms[0].text
    return print_connected("AND", _all_guarded(terms), Binding.AND).text


def conditions(word: str, terms: Sequence[Fragment], indent: int) -> str:
    """``WHERE a AND b``: a term a line where there are several, the ANDs indented."""
    taken = len(word) - 1
    first, *rest = _all_guarded(terms)
    if not rest:
        # A query brings its own indentation; the lines of an OR do not.
        deeper = 0 if first.text is None and first.binding > Binding.AND else 2
        return f"{word} {first.render(indent + deeper, taken)}"
    lead = "\n" + " " * (indent + 2) + "AND "
    shown = [first.render(indent + 2, taken)]
    shown += [term.render(indent + 2, 4) for term in rest]
    return f"{word} {lead.join(shown)}"


def join_condition(head: str, terms: Sequence[Fragment], indent: int) -> str:
    """``JOIN t ON a AND b``: the ON on a line of its own, and a term a line, where it is long."""
    flat = flat_conditions(terms)
    if flat is not None and "\n" not in head and indent + len(head) + len(flat) + 4 <= WIDTH:
        return f"{head} ON {flat}"
    pad = "\n" + " " * (indent + 2)
    shown = [term.render(indent + 2, 4) for term in _all_guarded(terms)]
    return f"{head}{pad}ON " + f"{pad}AND ".join(shown)


def _all_guarded(terms: Sequence[Fragment]) -> Sequence[Fragment]:
    """The terms as AND takes them: an OR among several is between parentheses."""
    if len(terms) == 1:
        return terms
    # Not through guarded(): a filter may have thousands of terms.
    return [term if term.binding > Binding.AND else parenthesize(term) for term in terms]


def guard(term: Fragment) -> Fragment:
    """The term as one of several that are joined by AND."""
    return term if term.binding > Binding.AND else parenthesize(term)


def group_by(
    grouping: Grouping, keys: Sequence[Fragment], sets: Sequence[Sequence[int]]
) -> Fragment:
    """``GROUP BY a, b``, with ROLLUP, CUBE or GROUPING SETS around the keys where there are.

    Keys that no set has, or has in another order, stand before the sets: the first would be no
    keys otherwise, and ``grouping_id()`` another number.
    """
    if grouping is Grouping.SIMPLE:
        once = {key.text or place: key for place, key in enumerate(keys)}
        return connected_list("GROUP BY ", list(once.values()))
    if grouping is not Grouping.SETS:
        return print_call(f"GROUP BY {grouping.value.upper()} (", keys)
    tuples = [print_call("(", [keys[place] for place in places]) for places in sets]
    if list(dict.fromkeys(place for places in sets for place in places)) == [*range(len(keys))]:
        return print_call("GROUP BY GROUPING SETS (", tuples)
    return pieces([connected_list("GROUP BY ", keys), " ", print_call("GROUPING SETS (", tuples)])


def sample_clause(step: Sample) -> str:
    """``TABLESAMPLE (10 PERCENT) REPEATABLE (3)``: every digit, for each decides about a row."""
    percent = f"{Decimal(repr(step.percent)):f}"
    if "." in percent:
        percent = percent.rstrip("0").rstrip(".")
    seed = "" if step.seed is None else f" REPEATABLE ({step.seed})"
    return f"TABLESAMPLE ({percent} PERCENT){seed}"
