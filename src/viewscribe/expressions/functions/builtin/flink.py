"""Methods of Flink's Table API that no function of Spark is, said with several of them."""

from __future__ import annotations

import re
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.dsl import Expression, ValueExpression, function_call
from viewscribe.expressions.functions.declarative import declarative
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.nodes import Literal
from viewscribe.types import STRING


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


SUM0 = declarative("""sum0(NUMERIC)
    The sum, 0 where there is nothing to add.
    """).expand_to(lambda value: _call("coalesce", _call("sum", value), 0))
LIST_AGG = declarative("""list_agg(STRING, text(literal(STRING))?)
    The texts joined by a separator, a comma by default.
    """).expand_to(lambda value, delimiter=",": _call("listagg", value, delimiter))
SPLIT_INDEX = declarative("""split_index(STRING, text(literal(STRING)), INT)
    The n-th part (from 0) between delimiters; NULL where there is none.""").expand_to(_split_index)
ELEMENT = declarative("""element(ARRAY)
    The only element; NULL of an empty array; fails where there are several.""").expand_to(_element)
ARRAY_SLICE = declarative("""array_slice(ARRAY, literal(INT), literal(INT)?)
    The elements from one place (from 1) to another, both included.""").expand_to(_array_slice)
SIMILAR = declarative("""similar(STRING, text(literal(STRING)))
    Whether all of the text matches a pattern of SIMILAR TO.""").expand_to(_similar)
FROM_BASE64 = declarative("""from_base64(STRING)
    The text of a Base64 text.""").expand_to(lambda value: _call("unbase64", value).cast(STRING))
SHA224 = declarative("""sha224(BINARY)
    The SHA-224 hash as hexadecimal text.""").expand_to(lambda value: _call("sha2", value, 224))
SHA256 = declarative("""sha256(BINARY)
    The SHA-256 hash as hexadecimal text.""").expand_to(lambda value: _call("sha2", value, 256))
SHA384 = declarative("""sha384(BINARY)
    The SHA-384 hash as hexadecimal text.""").expand_to(lambda value: _call("sha2", value, 384))
SHA512 = declarative("""sha512(BINARY)
    The SHA-512 hash as hexadecimal text.""").expand_to(lambda value: _call("sha2", value, 512))
