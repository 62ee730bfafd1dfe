"""Entries of the registry: a signature, a sentence and notes, of which everything else is made.

    TRIM = scalar('''trim(col: STRING, trim: STRING?) -> $0
        The text without blanks, or the characters given, on both sides.
        since 1.5.0, class StringTrim, collated, searches text, never fails''')

``signatures.py`` says what a signature holds, ``NOTES`` and ``FLAGS`` which notes there are. What
is a rule in Python follows: ``scalar('''…''').where(returns=_rule)``. The name and its synonyms
are read at once, the rest when the function is first used: most programs need few of them.

After ``BuiltInFunctionDefinition`` of the FLIP-51 document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack

from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.expressions.functions.collations import Groups, every_text, texts_at
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import (
    Clauses,
    Frames,
    FunctionDefinition,
    FunctionKind,
    NewerForm,
    Parameters,
    Texts,
)
from viewscribe.expressions.functions.inference import (
    InputStrategy,
    OutputStrategy,
    TypeInference,
    as_strategy,
)
from viewscribe.expressions.functions.operand_pairs import Pairs
from viewscribe.expressions.functions.signatures import read_signature
from viewscribe.expressions.functions.syntax import CallSyntax
from viewscribe.expressions.functions.validators import ArgumentType
from viewscribe.types import LogicalType

NOTES: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "since": lambda version: {"since": version},
    "alias": lambda names: {"aliases": tuple(names.split())},
    "method": lambda names: {"methods": tuple(names.split())},
    "class": lambda names: {"catalyst": tuple(names.split())},
    "try-class": lambda name: {"catalyst_try": name},
    "sql": lambda name: {"sql_name": name},
    "shown": lambda name: {"spelled": name},
    "collated": lambda places: {"collated": texts_at(*map(int, places.split()))},
    "receiver": lambda place: {"receiver": int(place)},
}
"""Notes of two words or more: the first says which fields of ``FunctionDefinition`` they are."""

FLAGS: Mapping[str, Mapping[str, Any]] = {
    "no class": {"catalyst": ()},
    "never fails": {"never_fails": True},
    "random": {"deterministic": False},
    "lazy": {"strict": False},
    "collated": {"collated": every_text},
    "own collations": {"keeps_collations": True},
    "searches text": {"searches_text": True},
    "commutative": {"commutative": True},
    "associative": {"associative": True},
    "increasing": {"monotone": "increasing"},
    "decreasing": {"monotone": "decreasing"},
    "picks any row": {"picks_any_row": True},
    "within group": {"within_group": True},
    "tells time": {"tells_time": True},
    "step": {"is_step": True},
}
"""Notes that stand alone, likewise."""


class Rules(TypedDict, total=False):
    """What an entry may say in Python, where a text cannot.

    Args:
        args: the validators that ``_`` stands for in the signature, in order.
        returns: the output strategy, where the signature says nothing of the result.
        check: a validator of the call as a whole.
        inputs: what NULLs of no type, or all arguments, are cast to (``inputs.py``).

    The others are those of ``FunctionDefinition``.
    """

    args: tuple[ArgumentType | LogicalType, ...]
    returns: LogicalType | OutputStrategy
    check: Callable[[CallContext], None]
    inputs: InputStrategy
    syntax: CallSyntax
    parameter_names: tuple[str, ...]
    parameters: Parameters
    defaults: tuple[str, ...]
    clauses: Clauses
    frames: Frames
    casts_to: LogicalType
    operands: Pairs
    collated: Groups
    spelled: Mapping[str, str]
    spelled_arguments: Texts
    newer_form: NewerForm


_OF_TYPES = ("args", "returns", "check", "inputs")


class BuiltInFunction(FunctionDefinition):
    """A function of an entry, of which all but the names is read when it is first asked for."""

    __slots__ = ("_notes", "_rules", "_signature")

    def __init__(self, kind: FunctionKind, text: str) -> None:
        lines = [line.strip() for line in text.split("\n")]
        self._signature = lines.pop(0)
        while self._signature.count("(") > self._signature.count(")") and lines:
            self._signature += f" {lines.pop(0)}"
        self._rules: Rules = {}
        self.kind = kind
        self.name = self.built_in_name = self._signature.partition("(")[0]
        self.doc = lines.pop(0) if lines else ""
        while lines and not self.doc.endswith((".", "…")):
            self.doc += f" {lines.pop(0)}"
        self._notes = self._read_notes(" ".join(lines).strip())
        self.sql_name = self._notes.get("sql_name", self.name)
        self.aliases = self._notes.get("aliases", ())
        self.methods = self._notes.get("methods", ())

    def where(self, **rules: Unpack[Rules]) -> Self:
        """Adds what the entry says in Python."""
        self._rules.update(rules)
        return self

    def _read_notes(self, text: str) -> dict[str, Any]:
        notes: dict[str, Any] = {}
        for note in text.split(", ") if text else ():
            flag = FLAGS.get(note)
            if flag is not None:
                notes |= flag
                continue
            word, _, value = note.partition(" ")
            read = NOTES.get(word)
            if read is None or not value:
                raise ValidationError(
                    f"the entry of {self.name} has a note that means nothing: `{note}`",
                    hint=did_you_mean(note, (*FLAGS, *NOTES))
                    or f"notes: {', '.join(NOTES)}, {', '.join(FLAGS)}",
                )
            notes |= read(value)
        return notes

    def _read(self) -> None:
        rules: dict[str, Any] = {**self._rules}
        args, result, check, inputs = [rules.pop(field, None) for field in _OF_TYPES]
        signature = read_signature(self._signature, args or ())
        if (result is None) == (signature.returns is None):
            said = "nothing" if result is None else "two things"
            raise ValidationError(
                f"the entry of {self.name} says {said} of its result",
                hint="`-> TYPE` in the signature, or where(returns=…)",
            )
        inference = TypeInference(
            arguments=signature.arguments,
            returns=signature.returns or as_strategy(result),
            required=signature.required,
            variadic=signature.variadic,
            check=check,
            inputs=inputs,
        )
        said_of_arguments = {
            "parameter_names": signature.names,
            "defaults": signature.defaults or None,
        }
        fields = {**said_of_arguments, **self._notes, **rules}
        super().__init__(self.name, kind=self.kind, inference=inference, doc=self.doc, **fields)

    if not TYPE_CHECKING:

        def __getattr__(self, field: str) -> object:
            """Reads the entry: Python asks here only for what is not there yet."""
            if field not in FunctionDefinition.__slots__:
                raise AttributeError(field)
            self._read()
            return getattr(self, field)


def scalar(text: str) -> BuiltInFunction:
    """A function of one row."""
    return BuiltInFunction(FunctionKind.SCALAR, text)


def aggregate(text: str) -> BuiltInFunction:
    """A function of a group of rows; also usable over a window."""
    return BuiltInFunction(FunctionKind.AGGREGATE, text)


def window(text: str) -> BuiltInFunction:
    """A function that only works over a window, ``rank()`` for one."""
    return BuiltInFunction(FunctionKind.WINDOW, text)


def generator(text: str) -> BuiltInFunction:
    """A function that makes rows, ``explode`` for one; it returns a STRUCT of its columns."""
    return BuiltInFunction(FunctionKind.GENERATOR, text)


def table_function(text: str) -> BuiltInFunction:
    """A function that is a table, ``range`` for one; it returns a STRUCT of its columns."""
    return BuiltInFunction(FunctionKind.TABLE, text)
