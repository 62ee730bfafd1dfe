"""Where two forms differ, in words."""

from __future__ import annotations

from viewscribe.operations.normal_form.terms import Term, Terms

_WORDS = {
    "#table": "the table it reads",
    "#values": "the rows that are written in it",
    "#text": "the SQL text in it",
    "#function": "the arguments of a table function",
    "#recursion": "the recursive query",
    "#round": "the recursive query",
    "#joined": "the tables that are joined, or the conditions of WHERE and ON",
    "#beside": "an outer, semi or anti join",
    "#lateral": "a LATERAL query",
    "#grouped": "the keys of GROUP BY or DISTINCT",
    "#sorted": "the order of the rows",
    "#slice": "LIMIT and OFFSET, or the order that they count in",
    "#sample": "the sample",
    "#drawn": "what is drawn by chance",
    "#chosen": "the rows that are chosen by chance",
    "#generated": "the rows of a generator",
    "#windowed": "a time window",
    "#unpivoted": "the columns of UNPIVOT",
    "#union": "the parts of a UNION",
    "#set": "the parts of INTERSECT or EXCEPT",
    "#processed": "a process table function",
}


def difference(terms: Terms, one: Term, other: Term) -> str:
    """What differs between the rows of two forms, which are not the same."""
    word = "what it is made of"
    while True:
        word = _WORDS.get(terms.kind(one), word)
        below, others = terms.below(one), terms.below(other)
        same_head = terms.kind(one) == terms.kind(other) and terms.data(one) == terms.data(other)
        if not same_head or len(below) != len(others) or terms.kind(one) == "{}":
            return word
        one, other = next((a, b) for a, b in zip(below, others, strict=True) if a != b)
