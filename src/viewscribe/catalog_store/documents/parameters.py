"""The parameters of functions as the text that Spark keeps: ``x INT, y INT DEFAULT 5``."""

from __future__ import annotations

from viewscribe.catalog_store.documents.model import Parameter
from viewscribe.errors import DataTypeError, SqlSyntaxError
from viewscribe.parser.tokens import Token, tokenize
from viewscribe.types.ddl import quote_text, type_text
from viewscribe.types.ddl_reader import parse_schema, parse_type
from viewscribe.types.identifiers import quote_identifier

_TYPES_OF_TYPES = frozenset(("ARRAY", "MAP", "STRUCT"))


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
    """The text between the commas or words ``at`` that stand in no bracket."""
    parts, begin, before = [], 0, ""
    brackets: list[str] = []
    for token in _tokens(text):
        word = token.word
        if word in ("(", "[", "{") or (word == "<" and before in _TYPES_OF_TYPES):
            brackets.append(word)
        elif brackets and (word in (")", "]", "}") or (word == ">" and brackets[-1] == "<")):
            brackets.pop()
        elif not brackets and word == at:
            parts.append(text[begin : token.start])
            begin = token.start + len(token.text)
        before = word
    return [*parts, text[begin:]]


def _tokens(text: str) -> list[Token]:
    try:
        return tokenize(text)
    except SqlSyntaxError as error:
        raise DataTypeError(f"`{text}` is no list of parameters: {error.message}") from error
