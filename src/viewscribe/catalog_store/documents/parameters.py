"""The parameters of functions as the text that Spark keeps: ``x INT, y INT DEFAULT 5``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from viewscribe.catalog_store.documents.model import Parameter
from viewscribe.errors import DataTypeError
from viewscribe.types.ddl import quote_text, type_text
from viewscribe.types.ddl_reader import parse_schema, parse_type
from viewscribe.types.identifiers import quote_identifier

# What a comma or a keyword may hide in, one bracket, a word, and anything else.
_TOKEN = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`|[(<\[{]|[)>\]}]|\w+|\s+|.""",
    re.DOTALL,
)


def parameter_text(parameter: Parameter) -> str:
    """Returns a parameter in Spark's notation."""
    text = f"{quote_identifier(parameter.name)} {type_text(parse_type(parameter.type))}"
    if parameter.default is not None:
        text += f" DEFAULT {parameter.default}"
    if parameter.comment is not None:
        text += f" COMMENT {quote_text(parameter.comment)}"
    return text


def parse_parameters(text: str) -> tuple[Parameter, ...]:
    """Parses a parameter list.

    Raises:
        DataTypeError: the text is not a parameter list.
    """
    return tuple(_parameter(part) for part in _split(text, ",") if part.strip())


def _parameter(text: str) -> Parameter:
    head, *rest = _split(text, "DEFAULT")
    default = comment = None
    if rest:
        default, *told = _split(" DEFAULT ".join(rest), "COMMENT")
        default = default.strip()
        if told:
            comment = parse_schema(f"c INT COMMENT {told[-1]}")[0].comment
    fields = parse_schema(head)
    if len(fields) != 1:
        raise DataTypeError(f"`{text}` is not a parameter")
    field = fields[0]
    type_ = type_text(field.type.as_nullable())
    return Parameter(field.name, type_, default, field.comment if comment is None else comment)


def _split(text: str, at: str) -> list[str]:
    """The text between the commas or words ``at`` that stand in no bracket and no quotes."""
    parts = [""]
    depth = 0
    for token in _tokens(text):
        depth += (token in "(<[{") - (token in ")>]}") if len(token) == 1 else 0
        if depth <= 0 and token.upper() == at:
            parts.append("")
        else:
            parts[-1] += token
    return parts


def _tokens(text: str) -> Iterator[str]:
    return (match[0] for match in _TOKEN.finditer(text))
