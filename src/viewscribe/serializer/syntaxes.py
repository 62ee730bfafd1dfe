"""How each call syntax is written: one unparser a syntax, ``dict[type, function]``.

An unparser gets the call and its operands as fragments and gives a fragment with its binding
strength. Operands are put between parentheses where they bind less tightly than their place wants.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.functions import syntax as s
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.syntax import Binding, Quantified
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import Call, Literal, ResolvedExpression, SubqueryExpression
from viewscribe.expressions.properties import is_foldable
from viewscribe.serializer.literals import (
    NEVER_BROKEN,
    Fragment,
    at_least,
    identifier,
    join,
    parenthesize,
    pieces,
    print_call,
    print_connected,
    print_list,
)
from viewscribe.types import STRING, StringType

Args = Sequence[ResolvedExpression]
Operands = Sequence[Fragment]


def unparse_negated(
    function: FunctionDefinition, args: Args, operands: Operands
) -> Fragment | None:
    """NOT of the call, where its syntax has a form of its own (``IS NOT NULL``), else None."""
    negate = _NEGATED.get(type(function.syntax))
    return negate(function.syntax, function, args, operands) if negate else None


def may_negate(function: FunctionDefinition) -> bool:
    """Whether calls of the function may have a form of their own for NOT."""
    return type(function.syntax) in _NEGATED


def has_opposite(expression: ResolvedExpression) -> bool:
    """Whether NOT of the call reads as another call: ``x IS NULL`` and ``x IS NOT NULL``."""
    if type(expression) is not Call:
        return False
    syntax = expression.function.syntax
    if type(syntax) is s.Postfix:
        return syntax.negated is not None
    return type(syntax) is s.DistinctFrom


def _function(syntax: Any, function: FunctionDefinition, args: Args, ops: Operands) -> Fragment:
    return print_call(f"{function.sql_name}(", ops)


def _inline(syntax: Any, function: FunctionDefinition, args: Args, ops: Operands) -> Fragment:
    raise inline_error(function)


def inline_error(function: FunctionDefinition) -> NotSerializableError:
    """The error for a function that no text can call."""
    return NotSerializableError(
        f"the function {function.name} is used without being registered, so no SQL text can call "
        "it",
        hint=f'register it (env.create_temporary_system_function("{function.name}", …)) and '
        "call it by its name, or give the environment inline_functions=…",
    )


def _named_arguments(
    syntax: s.NamedArguments, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    shown: list[Fragment] = []
    given = zip(args, ops, function.parameters, strict=False)
    for place, (arg, operand, parameter) in enumerate(given):
        if isinstance(parameter, str):
            name = parameter
        else:
            name, default = parameter
            if type(arg) is Literal and arg.value == default:
                continue
        shown.append(operand if len(shown) == place else pieces([f"{name} => ", operand]))
    return print_call(f"{function.sql_name}(", shown)


def _infix(syntax: s.Infix, function: FunctionDefinition, args: Args, ops: Operands) -> Fragment:
    left, right = ops
    binding = syntax.binding
    if left.binding < binding or (left.binding == binding and not syntax.left_associative):
        left = parenthesize(left)
    if right.binding <= binding:
        right = parenthesize(right)
    if left.text is not None and right.text is not None:
        text = f"{left.text} {syntax.operator} {right.text}"
        if len(text) < NEVER_BROKEN:
            return Fragment(text, binding)
    return join(left, syntax.operator, right, binding)


def _connective(
    syntax: s.Connective, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    binding = syntax.binding
    return print_connected(syntax.operator, [at_least(op, binding + 1) for op in ops], binding)


def _prefix(syntax: s.Prefix, function: FunctionDefinition, args: Args, ops: Operands) -> Fragment:
    word = syntax.operator if syntax.operator in "-~+" else f"{syntax.operator} "
    # A second minus would start a comment, so the operand of one never starts with a sign.
    if word == "-" and _is_zero(args[0]):  # which the parser makes of -0
        return ops[0]
    floor = syntax.binding + (0 if word.endswith(" ") else 1)
    operand = at_least(ops[0], floor)
    if word == "-" and _is_rounded_by_minus(args[0]):
        operand = parenthesize(operand)
    return pieces([word, operand], syntax.binding)


def _is_zero(operand: ResolvedExpression) -> bool:
    """Whether the operand is a zero that has no sign."""
    return (
        isinstance(operand, Literal) and type(operand.value) in (int, Decimal) and not operand.value
    )


def _is_rounded_by_minus(operand: ResolvedExpression) -> bool:
    """Whether ``-(x)`` is another value than the literal ``-x``: Spark negates with 34 digits."""
    if not isinstance(operand, Literal) or not isinstance(operand.value, Decimal):
        return False
    return len(operand.value.as_tuple().digits) > _DIGITS_OF_MINUS


_DIGITS_OF_MINUS = 34


def _postfix(
    syntax: s.Postfix, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    return _suffix(ops[0], syntax.words, syntax.binding)


def _not_postfix(
    syntax: s.Postfix, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment | None:
    return _suffix(ops[0], syntax.negated, syntax.binding) if syntax.negated else None


def _suffix(operand: Fragment, words: str, binding: int) -> Fragment:
    if operand.layout is None and operand.binding >= Binding.BIT_OR:
        return Fragment(f"{operand.text} {words}", binding)
    return pieces([at_least(operand, Binding.BIT_OR), " " + words], binding)


def _predicate(
    syntax: s.Predicate, function: FunctionDefinition, args: Args, ops: Operands, word: str = ""
) -> Fragment:
    left, right = at_least(ops[0], Binding.BIT_OR), at_least(ops[1], Binding.BIT_OR)
    made = join(left, word + syntax.words, right, Binding.PREDICATE)
    if len(ops) == 3:
        return pieces([made, " ESCAPE ", ops[2]], Binding.PREDICATE)
    return made


def _not_predicate(
    syntax: s.Predicate, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    return _predicate(syntax, function, args, ops, "NOT ")


def _between(
    syntax: s.Between, function: FunctionDefinition, args: Args, ops: Operands, word: str = ""
) -> Fragment:
    value, low, high = (at_least(op, Binding.BIT_OR) for op in ops)
    bounds = join(low, "AND", high, Binding.PREDICATE)
    return join(value, f"{word}BETWEEN", bounds, Binding.PREDICATE)


def _not_between(
    syntax: s.Between, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    return _between(syntax, function, args, ops, "NOT ")


def _in_list(
    syntax: s.InList, function: FunctionDefinition, args: Args, ops: Operands, word: str = ""
) -> Fragment:
    left = at_least(ops[0], Binding.BIT_OR)
    if left.text is None:
        return pieces([left, f" {word}IN ", print_call("(", ops[1:])], Binding.PREDICATE)
    return print_list(f"{left.text} {word}IN", ops[1:], Binding.PREDICATE)


def _not_in_list(
    syntax: s.InList, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    return _in_list(syntax, function, args, ops, "NOT ")


def _not_infix(
    syntax: s.Infix, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment | None:
    if syntax.operator != "=":
        return None
    left, right = (at_least(op, syntax.binding + 1) for op in ops)
    return join(left, "<>", right, syntax.binding)


def _distinct_from(
    syntax: s.DistinctFrom, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    word = "IS NOT DISTINCT FROM" if syntax.negated else "IS DISTINCT FROM"
    left, right = (at_least(op, Binding.BIT_OR) for op in ops)
    return join(left, word, right, Binding.PREDICATE)


def _not_distinct_from(
    syntax: s.DistinctFrom, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    return _distinct_from(s.DistinctFrom(not syntax.negated), function, args, ops)


def _print_quantified(
    syntax: s.Quantified, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    left = at_least(ops[0], Binding.BIT_OR)
    if left.layout is None:
        return print_list(f"{left.text} {syntax.words}", ops[1:], Binding.PREDICATE)
    return pieces([left, " ", print_call(f"{syntax.words} (", ops[1:])], Binding.PREDICATE)


def _case(
    syntax: s.SearchedCase, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    return case(None, ops)


def case(subject: Fragment | None, ops: Operands) -> Fragment:
    """``CASE WHEN``, or ``CASE subject WHEN`` with the values it is compared to in ``ops``."""
    branches = [(ops[place], ops[place + 1]) for place in range(0, len(ops) - 1, 2)]
    otherwise = ops[-1] if len(ops) % 2 else None
    items: list[str | Fragment] = ["CASE"] if subject is None else ["CASE ", subject]
    for condition, value in branches:
        items += [" WHEN ", condition, " THEN ", value]
    if otherwise is not None:
        items += [" ELSE ", otherwise]
    flat = pieces([*items, " END"])

    def layout(indent: int) -> str:
        pad = "\n" + " " * (indent + 2)
        lines = ["CASE" if subject is None else f"CASE {subject.render(indent + 2, 5)}"]
        for condition, value in branches:
            when = condition.render(indent + 4, 12)
            then = value.render(indent + 4, 5)
            if len(when) + len(then) + indent + 13 <= 88 and "\n" not in when + then:
                lines.append(f"{pad}WHEN {when} THEN {then}")
            else:
                lines.append(f"{pad}WHEN {when}{pad}  THEN {then}")
        if otherwise is not None:
            lines.append(f"{pad}ELSE {otherwise.render(indent + 2, 5)}")
        return "".join(lines) + "\n" + " " * indent + "END"

    return Fragment(flat.text, Binding.PRIMARY, layout)


def _subscript(
    syntax: s.Subscript, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    index = at_least(ops[1], Binding.COMPARISON)
    return pieces([at_least(ops[0], Binding.PRIMARY), "[", index, "]"])


def _field(
    syntax: s.FieldAccess, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    name = args[1].value if isinstance(args[1], Literal) else None
    if not isinstance(name, str):
        raise NotSerializableError("the name of a struct's field is not a literal")
    base = ops[0]
    if base.text is None or not DOTTED.fullmatch(base.text):
        base = at_least(base, Binding.PRIMARY)
        if base.text is not None and not base.text.endswith((")", "]", "`")):
            base = pieces(["(", base, ")"])
    return pieces([base, f".{identifier(name)}"])


def _collate(
    syntax: s.Collate, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    name = args[1].value if isinstance(args[1], Literal) else None
    if not isinstance(name, str) or not name.isidentifier():
        return _function(syntax, function, args, ops)
    return pieces([at_least(ops[0], Binding.PRIMARY), f" COLLATE {name}"])


DOTTED = re.compile(r"(?:\w+|`[^`]*`)(?:\.(?:\w+|`[^`]*`))*", re.ASCII)
_PLACE = re.compile(r"\{(\d+)(!?)\}")


def _template(
    syntax: s.Template, function: FunctionDefinition, args: Args, ops: Operands
) -> Fragment:
    for template in syntax.templates:
        places = _PLACE.findall(template)
        if len(places) == len(ops):
            made = _fill(template, args, ops)
            if made is not None:
                return made
    return _function(syntax, function, args, ops)


def _fill(template: str, args: Args, ops: Operands) -> Fragment | None:
    items: list[str | Fragment] = []
    position = 0
    for match in _PLACE.finditer(template):
        items.append(template[position : match.start()])
        place = int(match.group(1))
        if match.group(2):
            given = args[place]
            word = given.value if isinstance(given, Literal) else None
            if not isinstance(word, str) or not word.isidentifier():
                return None
            items.append(word.upper())
        else:
            # Words of the template stand around the operand, so it must hold by itself.
            items.append(at_least(ops[place], Binding.BIT_OR))
        position = match.end()
    items.append(template[position:])
    return pieces(items)


_Unparser = Callable[[Any, FunctionDefinition, Args, Operands], Any]

UNPARSERS: dict[type[s.CallSyntax], _Unparser] = {
    s.FunctionCall: _function,
    s.InlineCall: _inline,
    s.CallInFrom: _function,
    s.NamedArguments: _named_arguments,
    s.Infix: _infix,
    s.Connective: _connective,
    s.Prefix: _prefix,
    s.Postfix: _postfix,
    s.Predicate: _predicate,
    s.Between: _between,
    s.InList: _in_list,
    s.Quantified: _print_quantified,
    s.SearchedCase: _case,
    s.Subscript: _subscript,
    s.FieldAccess: _field,
    s.Collate: _collate,
    s.Template: _template,
    s.DistinctFrom: _distinct_from,
}
"""How a call of each syntax is written, from the call and its operands as fragments."""

_NEGATED: dict[type[s.CallSyntax], _Unparser] = {
    s.Postfix: _not_postfix,
    s.Predicate: _not_predicate,
    s.Between: _not_between,
    s.InList: _not_in_list,
    s.DistinctFrom: _not_distinct_from,
    s.Infix: _not_infix,
}


# ``LIKE ANY (…)`` and its kin where Spark's parser evaluates the patterns, and fails over them.
#
# Where all patterns are constants, the parser works them out before anything is resolved: a NULL is
# a NullPointerException in ILIKE, a collation or a time zone that is not known yet an internal
# error in LIKE, too. Literals are safe, and a bare NULL, which has no type there, is not worked
# out. What is left is written as Spark's parser writes it where a pattern is a column: one LIKE a
# pattern.

_NULL = Fragment("NULL")


def quantify(printer: Any, node: Call, env: Any) -> Fragment | None:
    """The call of ``like_any`` or one of its kin; None where it is written as any other.

    Raises:
        NotSerializableError: the operand would have to be written more than once, and must not.
    """
    operand, *patterns = node.args
    if not all(map(is_foldable, patterns)):
        return None
    syntax = node.function.syntax
    assert isinstance(syntax, Quantified)
    if all(map(_is_plain, patterns)):
        # Whether it is a NULL of STRING; one of another collation is not looked into.
        shown = [
            _NULL
            if (type(each) is Literal and each.value is None and each.type.same_type(STRING))
            else printer.print(each, env)
            for each in patterns
        ]
        operands = [printer.print(operand, env), *shown]
        written: Fragment = UNPARSERS[Quantified](syntax, node.function, node.args, operands)
        return written
    if len(patterns) > 1 and not is_repeatable(operand):
        raise NotSerializableError(
            f"{syntax.words} with constants that are computed is one comparison for each, and what "
            "is compared gives another value each time",
            hint="compute it with add_columns(…) first, or write the patterns as literals",
        )
    shown = [printer.print(pattern, env) for pattern in patterns]
    return _spell_out(syntax, printer.print(operand, env), shown)


def is_repeatable(operand: ResolvedExpression) -> bool:
    """Whether looking at it several times gives what looking at it once gives."""
    return not any(
        isinstance(part, SubqueryExpression)
        or (type(part) is Call and not part.function.deterministic)
        for part in preorder(operand)
    )


def _spell_out(syntax: Quantified, operand: Fragment, patterns: list[Fragment]) -> Fragment:
    word, quantifier = syntax.words.rsplit(" ", 1)
    left = at_least(operand, Binding.BIT_OR)
    terms = [
        join(left, word, at_least(pattern, Binding.BIT_OR), Binding.PREDICATE)
        for pattern in patterns
    ]
    if len(terms) == 1:
        return terms[0]
    if quantifier == "ANY":
        return print_connected("OR", terms, Binding.OR)
    return print_connected("AND", terms, Binding.AND)


def _is_plain(pattern: ResolvedExpression) -> bool:
    """Whether it is a literal whose text is one: a collation would stand behind it."""
    if type(pattern) is not Literal:
        return False
    return not isinstance(pattern.type, StringType) or pattern.type.same_type(STRING)
