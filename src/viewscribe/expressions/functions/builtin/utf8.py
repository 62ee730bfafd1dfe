"""Text whose bytes may not be UTF-8."""

from __future__ import annotations

from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.outputs import always_nullable, argument
from viewscribe.types import BOOLEAN, STRING


def _valid(name: str, doc: str, *, catalyst: str) -> FunctionDefinition:
    returns = always_nullable(argument(0))
    return scalar(
        name,
        args=(STRING,),
        parameter_names=("str",),
        returns=returns,
        catalyst=catalyst,
        since="4.0.0",
        doc=doc,
    )


IS_VALID_UTF8 = scalar(
    "is_valid_utf8",
    args=(STRING,),
    parameter_names=("str",),
    returns=always_nullable(BOOLEAN),
    catalyst="IsValidUTF8",
    since="4.0.0",
    doc="Whether the bytes of the text are UTF-8.",
)
MAKE_VALID_UTF8 = _valid(
    "make_valid_utf8", "The text with U+FFFD for what is not UTF-8.", catalyst="MakeValidUTF8"
)
VALIDATE_UTF8 = _valid(
    "validate_utf8", "The text, or an error where it is not UTF-8.", catalyst="ValidateUTF8"
)
TRY_VALIDATE_UTF8 = _valid(
    "try_validate_utf8", "The text, NULL where it is not UTF-8.", catalyst="TryValidateUTF8"
)
