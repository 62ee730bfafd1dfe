"""Methods of Flink's Table API that no function of Spark is, said with several of them."""

from __future__ import annotations

import re
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.dsl import Expression, ValueExpression, function_call
from viewscribe.expressions.functions.declarative import DeclarativeFunction, declarative
from viewscribe.expressions.functions.families import ARRAY, NUMERIC
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.validators import literal, text
from viewscribe.expressions.nodes import Literal
from viewscribe.types import BINARY, INT, STRING


def _call(name: str, *args: Any) -> Expression:
    return function_call(built_in(name), args)


def _constant(expression: Expression) -> Any:
    """The value of an argument that only literals pass for."""
    found = expression.resolved if isinstance(expression, ValueExpression) else None
    if isinstance(found, Literal):
        return found.value
    raise ValidationError("the argument must be a literal")


def _split_index(value: Expression, delimiter: Expression, index: Expression) -> Expression:
    given = _constant(delimiter)
    pattern = None if given is None else re.sub(r"([\\.^$|?*+()\[\]{}])", r"\\\1", given)
    return _call("get", _call("split", value, pattern), index)


def _element(array: Expression) -> Expression:
    many = _call("raise_error", "element: the array has several elements")
    return _call("case", _call("size", array) > 1, many, _call("get", array, 0))


def _array_slice(array: Expression, start: Expression, end: Expression | None = None) -> Expression:
    first = _constant(start)
    last = None if end is None else _constant(end)
    if first is None or first < 1 or (last is not None and last < 1):
        raise ValidationError(
            "array_slice counts from the start here: both places are 1 or more",
            hint="slice(start, length) takes a negative start",
        )
    if last is None:
        return _call("slice", array, first, _call("size", array))
    return _call("slice", array, first, max(last - first + 1, 0))


def _similar(value: Expression, pattern: Expression) -> Expression:
    given = _constant(pattern)
    return _call("rlike", value, None if given is None else _regex(given))


def _regex(pattern: str) -> str:
    """A pattern of SIMILAR TO as a regular expression of Java's."""
    if "[:" in pattern:
        raise ValidationError("similar: classes such as [:ALPHA:] have no counterpart here")
    made, inside = "", False
    for character in pattern:
        if inside:
            made += "\\\\" if character == "\\" else character
            inside = character != "]"
            continue
        inside = character == "["
        made += {"%": ".*", "_": "."}.get(character) or (
            f"\\{character}" if character in ".^$\\" else character
        )
    return rf"(?s)\A(?:{made})\z"


def _sha(bits: int) -> DeclarativeFunction:
    return declarative(
        f"sha{bits}",
        args=(BINARY,),
        expansion=lambda value: _call("sha2", value, bits),
        doc=f"The SHA-{bits} hash as hexadecimal text.",
    )


SUM0 = declarative(
    "sum0",
    args=(NUMERIC,),
    expansion=lambda value: _call("coalesce", _call("sum", value), 0),
    doc="The sum, 0 where there is nothing to add.",
)
LIST_AGG = declarative(
    "list_agg",
    args=(STRING, text(literal(STRING))),
    optional=1,
    expansion=lambda value, delimiter=",": _call("listagg", value, delimiter),
    doc="The texts joined by a separator, a comma by default.",
)
SPLIT_INDEX = declarative(
    "split_index",
    args=(STRING, text(literal(STRING)), INT),
    expansion=_split_index,
    doc="The n-th part (from 0) between delimiters; NULL where there is none.",
)
ELEMENT = declarative(
    "element",
    args=(ARRAY,),
    expansion=_element,
    doc="The only element; NULL of an empty array; fails where there are several.",
)
ARRAY_SLICE = declarative(
    "array_slice",
    args=(ARRAY, literal(INT), literal(INT)),
    optional=1,
    expansion=_array_slice,
    doc="The elements from one place (from 1) to another, both included.",
)
SIMILAR = declarative(
    "similar",
    args=(STRING, text(literal(STRING))),
    expansion=_similar,
    doc="Whether all of the text matches a pattern of SIMILAR TO.",
)
FROM_BASE64 = declarative(
    "from_base64",
    args=(STRING,),
    expansion=lambda value: _call("unbase64", value).cast(STRING),
    doc="The text of a Base64 text.",
)
SHA224, SHA256, SHA384, SHA512 = map(_sha, (224, 256, 384, 512))
