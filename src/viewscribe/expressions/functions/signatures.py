"""Signatures as text: ``substring(str: TEXT_OR_BINARY, pos: INT, len: INT = 2147483647) -> $0``.

An argument is ``name: TYPE``, or its type alone where calls do not name it. ``TYPE?`` may be left
out; so may ``TYPE = value``, and Spark shows the value in a column name; ``TYPE...`` repeats.
A type is one of Spark's, and what Spark casts to it passes; a family of ``families.py``; ``A | B``;
or one of these in ``exactly(…)``, ``literal(…)``, ``text(…)``. ``_`` is one given in Python.

The result is a type, NULL when an argument is; ``$0``, the type of argument 0; or a strategy of
``outputs.py``, ``element_of(0)``. ``!`` behind it means never NULL, ``?`` that it always may be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn, TypeVar

import msgspec

from viewscribe import types
from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.expressions.functions import inference, validators
from viewscribe.expressions.functions.inference import OutputStrategy, as_strategy
from viewscribe.expressions.functions.validators import ArgumentType, as_argument, either
from viewscribe.types import LogicalType, array, decimal

Validator = ArgumentType | LogicalType
T = TypeVar("T")

_TOKEN = re.compile(r"'[^']*'|->|\.\.\.|[A-Za-z_]\w*|-?\d[\d.]*|\S")
_END = ("", "")
"""What stands behind the last token, also for one that looks ahead."""
_WRAPPERS: Mapping[str, Callable[..., ArgumentType]] = {
    each.__name__: each
    for each in (
        *(validators.literal, validators.text, validators.exactly),
        *(validators.array_shape, validators.map_shape, validators.struct_shape),
    )
}
_STRATEGIES: Mapping[str, Callable[..., OutputStrategy]] = {
    each.__name__: each
    for each in (
        *(inference.common, inference.exactly_argument, inference.null_without_ansi),
        *(inference.element_of, inference.key_of, inference.value_of),
        *(inference.nullable_with_arguments, inference.nullable_with_all_arguments),
    )
}


class Signature(msgspec.Struct, frozen=True):
    """A signature as read; ``returns`` is None where the text says nothing of the result."""

    arguments: tuple[ArgumentType, ...]
    names: tuple[str, ...]
    required: int
    variadic: bool
    defaults: tuple[str, ...]
    returns: OutputStrategy | None


class _Argument(NamedTuple):
    name: str
    type: Validator
    optional: bool
    default: str | None
    repeats: bool


@cache
def _vocabulary() -> dict[str, Validator]:
    """The words for types: Spark's own, and the families."""
    return {
        name: value
        for module in (types, inference)
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, ArgumentType | LogicalType)
    }


def read_signature(text: str, given: Sequence[Validator] = ()) -> Signature:
    """Reads a signature; ``given`` are the validators that ``_`` stands for, in order.

    Raises:
        ValidationError: the text is none; shows where, and the nearest words.
    """
    return _Reader(text, given).signature()


class _Reader:
    """Reads one signature, token by token."""

    def __init__(self, text: str, given: Sequence[Validator]) -> None:
        self._text = text
        self._tokens: list[str] = [*_TOKEN.findall(text, text.find("(")), *_END]
        self._place = 0
        self._given: Iterator[Validator] = iter(given)

    def signature(self) -> Signature:
        """Reads all of it."""
        arguments = self._between_brackets(self._argument)
        variadic = bool(arguments) and arguments[-1].repeats
        if any(each.repeats for each in arguments[:-1]):
            self._fail("only the last argument repeats")
        if any(behind.name and not before.name for before, behind in pairwise(arguments)):
            self._fail("an argument has a name behind one that has none")
        returns = self._result() if self._takes("->") else None
        self._expect("")
        if next(self._given, None) is not None:
            self._fail("args= has more validators than it has `_`")
        return Signature(
            arguments=tuple(as_argument(each.type) for each in arguments),
            names=tuple(each.name for each in arguments if each.name),
            required=sum(not each.optional for each in arguments),
            variadic=variadic,
            defaults=tuple(each.default for each in arguments if each.default is not None),
            returns=returns,
        )

    def _argument(self) -> _Argument:
        name = ""
        if self._peek(1) == ":":
            name = self._next()
            self._expect(":")
        type_ = self._type()
        default = self._next().strip("'") if self._takes("=") else None
        optional = default is not None or self._takes("?")
        return _Argument(name, type_, optional, default, self._takes("..."))

    def _type(self) -> Validator:
        options = [self._single_type()]
        while self._takes("|"):
            options.append(self._single_type())
        return options[0] if len(options) == 1 else either(*options)

    def _single_type(self) -> Validator:
        word = self._next()
        if word == "_":
            return next(self._given, None) or self._fail("args= has no validator for a `_`")
        if word == "ARRAY" and self._takes("<"):
            element = self._single_type()
            self._expect(">")
            if not isinstance(element, LogicalType):
                self._fail("the elements of an ARRAY are of one of Spark's types")
            return array(element)
        if self._peek() != "(":
            return self._find(word, _vocabulary())
        if word == "DECIMAL":
            return decimal(*self._between_brackets(lambda: int(self._next())))
        return self._apply(word, _WRAPPERS, self._type)

    def _result(self) -> OutputStrategy:
        found = self._strategy()
        if self._takes("!"):
            plain = isinstance(found, LogicalType)
            return as_strategy(found.not_null()) if plain else inference.never_null(found)
        return inference.always_nullable(found) if self._takes("?") else as_strategy(found)

    def _strategy(self) -> Any:
        if self._takes("$"):
            return inference.argument(int(self._next()))
        if self._peek(1) == "(" and self._peek() != "DECIMAL":
            return self._apply(self._next(), _STRATEGIES, self._operand)
        found = self._type()
        if isinstance(found, LogicalType):
            return found
        self._fail("a result is a type, an argument such as `$0`, or a strategy")

    def _operand(self) -> Any:
        return int(self._next()) if self._peek().isdigit() else self._result()

    def _between_brackets(self, read: Callable[[], T]) -> list[T]:
        self._expect("(")
        found: list[T] = []
        while not self._takes(")"):
            if found:
                self._expect(",")
            found.append(read())
        return found

    def _apply(
        self, word: str, known: Mapping[str, Callable[..., T]], read: Callable[[], Any]
    ) -> T:
        made = self._find(word, known)
        operands = self._between_brackets(read)
        try:
            return made(*operands)
        except (AttributeError, TypeError):
            self._fail(f"`{word}` does not take that")

    def _find(self, word: str, known: Mapping[str, T]) -> T:
        return known.get(word) or self._fail(
            f"it knows no `{word}`", did_you_mean(word, known) or f"one of: {', '.join(known)}"
        )

    def _peek(self, ahead: int = 0) -> str:
        return self._tokens[self._place + ahead]

    def _next(self) -> str:
        token = self._tokens[self._place]
        if not token:
            self._fail("it ends too early")
        self._place += 1
        return token

    def _takes(self, token: str) -> bool:
        if self._tokens[self._place] != token:
            return False
        self._place += 1
        return True

    def _expect(self, token: str) -> None:
        if self._peek() != token:
            self._fail(f"{_show(token)} is expected, not {_show(self._peek())}")
        self._place += bool(token)

    def _fail(self, reason: str, hint: str | None = None) -> NoReturn:
        raise ValidationError(
            f"the signature `{self._text}` cannot be read: {reason}",
            hint=hint or "such as: trim(str: STRING, trim: STRING?) -> $0",
        )


def _show(token: str) -> str:
    return f"`{token}`" if token else "the end"
