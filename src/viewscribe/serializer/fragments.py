"""Pieces of SQL text that know how tightly they bind and how to break over lines.

A fragment has its one-line text (None where it holds a query, which never is one line) and,
where it can be broken, a layout: a function from the column it starts in to the broken text.
Whether a line is broken depends on its width alone, so equal trees give equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from viewscribe.expressions.functions.syntax import Binding

WIDTH = 88
NEVER_BROKEN = 30
"""An operation of fewer characters stays on its line, however deep the indentation."""

Layout = Callable[[int], str]


class Fragment(msgspec.Struct, eq=False):
    """A printed expression.

    Args:
        text: the expression on one line, or None where it cannot be.
        binding: how tightly it holds together.
        layout: the broken form, from the indentation (in spaces) of the line it starts on.
    """

    text: str | None
    binding: int = Binding.PRIMARY
    layout: Layout | None = None

    def render(self, indent: int = 0, reserve: int = 0) -> str:
        """The text for a line indented by ``indent``, ``reserve`` characters of it taken."""
        text, layout = self.text, self.layout
        if text is not None and (layout is None or indent + reserve + len(text) <= WIDTH):
            return text
        assert layout is not None
        return layout(indent)


def parenthesize(fragment: Fragment) -> Fragment:
    """The fragment between parentheses."""
    text = None if fragment.text is None else f"({fragment.text})"
    if fragment.layout is None:
        return Fragment(text)
    return Fragment(
        text,
        Binding.PRIMARY,
        lambda indent: f"(\n{' ' * (indent + 2)}{fragment.render(indent + 2)}\n{' ' * indent})",
    )


def at_least(fragment: Fragment, binding: int) -> Fragment:
    """The fragment, between parentheses if it binds less tightly than ``binding``."""
    return fragment if fragment.binding >= binding else parenthesize(fragment)


def follow(fragment: Fragment, tail: str) -> Fragment:
    """The fragment and a tail on its last line, which counts when it is broken."""
    text = None if fragment.text is None else fragment.text + tail
    if fragment.layout is None:
        return Fragment(text)
    taken = len(tail) + 1
    return Fragment(text, Binding.PRIMARY, lambda indent: fragment.render(indent, taken) + tail)


def print_call(head: str, operands: Sequence[Fragment], tail: str = ")") -> Fragment:
    """``head`` (with its opening parenthesis), operands separated by commas, ``tail``."""
    texts = [operand.text for operand in operands]
    if None in texts:
        text = None
    else:
        text = f"{head}{', '.join(texts)}{tail}"  # type: ignore[arg-type]
        if len(text) < 40:
            return Fragment(text)

    def layout(indent: int) -> str:
        if len(operands) == 1 and operands[0].text is None:
            return f"{head}{operands[0].render(indent)}{tail}"
        pad = " " * (indent + 2)
        lines = [pad + operand.render(indent + 2, 1) for operand in operands]
        return head + "\n" + ",\n".join(lines) + "\n" + " " * indent + tail

    return Fragment(text, Binding.PRIMARY, layout if operands else None)


def print_list(head: str, operands: Sequence[Fragment], binding: int) -> Fragment:
    """``head (a, b, c)``: a list of values, filled into lines where it is long."""
    texts = [operand.text for operand in operands]
    flat = None if None in texts else f"{head} ({', '.join(texts)})"  # type: ignore[arg-type]

    def layout(indent: int) -> str:
        lines: list[str] = []
        line = ""
        for place, operand in enumerate(operands):
            piece = operand.render(indent + 2, 1) + ("," if place + 1 < len(operands) else "")
            if line and indent + 3 + len(line) + len(piece) > WIDTH:
                lines.append(line)
                line = piece
            else:
                line = f"{line} {piece}" if line else piece
        lines.append(line)
        pad = "\n" + " " * (indent + 2)
        return f"{head} (" + "".join(pad + each for each in lines) + "\n" + " " * indent + ")"

    return Fragment(flat, binding, layout)


def join(left: Fragment, middle: str, right: Fragment, binding: int) -> Fragment:
    """``left middle right``, broken before the middle where it is too long."""
    if left.text is None or right.text is None:
        text = None
    else:
        text = f"{left.text} {middle} {right.text}"
        if len(text) < NEVER_BROKEN:
            return Fragment(text, binding)

    def layout(indent: int) -> str:
        first = left.render(indent)
        if right.text is None:
            return f"{first} {middle} {right.render(indent)}"
        rest = right.render(indent + 2, len(middle) + 1)
        if "\n" not in first and indent + len(first) + len(middle) + len(rest) + 2 <= WIDTH:
            return f"{first} {middle} {rest}"
        return f"{first}\n{' ' * (indent + 2)}{middle} {rest}"

    return Fragment(text, binding, layout)


def print_connected(word: str, terms: Sequence[Fragment], binding: int) -> Fragment:
    """``a AND b AND c``: a term a line where it is too long, the ANDs within an OR indented."""
    texts = [term.text for term in terms]
    text = None if None in texts else f" {word} ".join(texts)  # type: ignore[arg-type]

    def layout(indent: int) -> str:
        lead = f"\n{' ' * indent}{word} "
        return lead.join(
            term.render(indent + 2 * (term.binding == Binding.AND), len(word) + 1) for term in terms
        )

    return Fragment(text, binding, layout)


def pieces(items: Sequence[str | Fragment], binding: int = Binding.PRIMARY) -> Fragment:
    """Words and fragments one after the other."""
    texts: list[str | None] = []
    broken = False
    for item in items:
        if isinstance(item, str):
            texts.append(item)
        else:
            texts.append(item.text)
            broken = broken or item.layout is not None
    text = None if None in texts else "".join(texts)  # type: ignore[arg-type]
    if not broken:
        return Fragment(text, binding)
    return Fragment(
        text,
        binding,
        lambda indent: "".join(
            item if isinstance(item, str) else item.render(indent) for item in items
        ),
    )
