"""The JSON functions of the SQL standard, which Spark lacks, over its VARIANT.

A path is ``$``, names and positions: ``$.a[0]."b c"``, after ``lax`` (where nothing at the path is
empty; the default) or ``strict`` (where it is an error). Some things are as Spark's reader of JSON
has them: an object with a key twice is no JSON, fields come in the order of their names, and what
follows a value is not looked at, except by ``is_json``.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from viewscribe.errors import ValidationError
from viewscribe.expressions.dsl import Expression, ValueExpression, function_call, operand
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.declarative import declarative
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.validators import exactly, text
from viewscribe.expressions.functions.validators import literal as constant
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Call, Literal, ResolvedExpression, strip_alias
from viewscribe.types import (
    STRING,
    VARIANT,
    ArrayType,
    LogicalType,
    MapType,
    StringType,
    StructType,
    VariantType,
)
from viewscribe.types.ddl import parse_type
from viewscribe.types.policy import session_ddl

_STEP = r"""(?:\.[A-Za-z_]\w*|\."[^"]*"|\[\d+\]|\['[^']*'\]|\["[^"]*"\])"""
_PATH = re.compile(rf"\s*(?:(lax|strict)\s+)?(\${_STEP}*)\s*", re.ASCII)
_NOT_SCALAR = ("{", "[")


def _call(name: str, *args: Any) -> Expression:
    return function_call(built_in(name), args)


def _case(*branches: Any) -> Expression:
    return _call("case", *branches)


def _resolve(value: Any) -> ResolvedExpression:
    assert isinstance(value, ValueExpression)
    return value.resolved


class _Place(msgspec.Struct):
    """A path in a document: ``parsed`` is the document, ``item`` what lies there, as VARIANTs."""

    function: str
    doc: Expression
    path: str
    strict: bool
    readable: bool

    @classmethod
    def of(cls, function: str, doc: Expression, given: Expression) -> _Place:
        value = getattr(_resolve(given), "value", None)
        match = _PATH.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise ValidationError(
                f"{function}: Spark has no counterpart of the path {value!r}",
                hint="a path is a literal of names and positions, such as '$.a[0].\"b c\"'",
            )
        path = match[2].replace('."', '["')
        path = re.sub(r'(\["[^"]*")(?!\])', r"\1]", path)
        readable = isinstance(_resolve(doc).type, VariantType)
        return cls(function, doc, path, match[1] == "strict", readable)

    @property
    def parsed(self) -> Expression:
        return self.doc if self.readable else _call("try_parse_json", self.doc)

    @property
    def item(self) -> Expression:
        if self.path == "$":
            return self.parsed
        return _call("variant_get", self.parsed, self.path, "variant")

    @property
    def nested(self) -> Expression:
        """Whether the item is an object or array."""
        return _call("left", _call("to_json", self.item), 1).in_(*_NOT_SCALAR)

    def read(self, type_: LogicalType) -> Expression:
        """The item as the type, NULL where it is not of it."""
        return _call("try_variant_get", self.parsed, self.path, session_ddl(type_))

    def fails(self, what: str) -> Expression:
        return _call("raise_error", f"{self.function}: {what} at {self.path}")


def _choose_value(
    at: _Place,
    empty: Expression | None,
    error: Expression | None,
    wrong: Expression | None,
    value: Expression,
) -> Expression:
    """The value, or what stands in for it; None is NULL. ``wrong`` is when an item is an error."""
    branches: list[Expression] = []
    if error is not None and not at.readable:
        branches += [at.doc.is_not_null() & at.parsed.is_null(), error]
    if at.strict:
        empty = error
    if empty is not None:
        there = at.doc if error is not None else at.parsed
        branches += [there.is_not_null() & at.item.is_null(), empty]
    if wrong is None:
        return _case(*branches, value) if branches else value
    if error is None:
        return _case(*branches, _not(wrong), value)
    return _case(*branches, wrong, error, value)


def one_of(function: str, option: str, given: object, allowed: tuple[str, ...]) -> str:
    """The word that an option of a function was given, in upper case."""
    word = given.upper() if isinstance(given, str) else given
    if word in allowed:
        return str(word)
    raise ValidationError(
        f"{function}: {option} is not {given!r}", hint=f"it is one of: {', '.join(allowed)}"
    )


def _json_exists(doc: Expression, path: Expression, *, on_error: str) -> Expression:
    at = _Place.of("json_exists", doc, path)
    word = one_of("json_exists", "on_error", on_error, ("FALSE", "TRUE", "UNKNOWN", "ERROR"))
    found, known = at.item.is_not_null(), doc.is_not_null()
    if word == "FALSE" or (at.readable and not at.strict):
        return _case(known, found)
    if word == "ERROR":
        missing = at.item.is_null() if at.strict else at.parsed.is_null()
        return _case(known & missing, at.fails("no JSON, or nothing"), known, found)
    if word == "UNKNOWN":
        return _case(found if at.strict else at.parsed.is_not_null(), found)
    return _case(known, operand(True) if at.strict else at.parsed.is_null() | found)


def _not(condition: Any) -> Expression:
    opposite: Expression = condition.args[0] if condition.function is op.NOT else ~condition
    return opposite


_NONE: Any = object()


def _json_value(
    doc: Expression,
    path: Expression,
    *,
    returning: Any,
    on_empty: str,
    on_error: str,
    default_on_empty: Any,
    default_on_error: Any,
) -> Expression:
    at, type_ = _Place.of("json_value", doc, path), _type(returning)
    if isinstance(type_, ArrayType | MapType | StructType | VariantType):
        raise ValidationError(
            f"json_value returns a scalar, not {type_.ddl}", hint="use json_query(…)"
        )

    def instead(option: str, given: str, default: Any) -> Expression | None:
        if default is not _NONE:
            made: Expression = _as_literal(default, type_)
            return made
        word = one_of("json_value", option, given, ("NULL", "ERROR"))
        what = "nothing" if option == "on_empty" else f"no JSON, or no {type_.ddl}"
        return at.fails(what) if word == "ERROR" else None

    empty = instead("on_empty", on_empty, default_on_empty)
    error = instead("on_error", on_error, default_on_error)
    value = at.read(type_)
    if isinstance(type_, StringType):
        return _choose_value(at, empty, error, at.nested, value)
    if error is None:
        return _choose_value(at, empty, error, None, value)
    there = at.item.is_not_null() & ~_call("is_variant_null", at.item)
    return _choose_value(at, empty, error, there & value.is_null(), value)


def _type(given: Any) -> LogicalType:
    return given if isinstance(given, LogicalType) else parse_type(given)


def _as_literal(value: Any, type_: LogicalType) -> Any:
    """A Python value as a literal of the type; an expression under a CAST."""
    if isinstance(value, Expression):
        return value.cast(type_)
    return ValueExpression(literal(value, type_))


_EMPTY = ("NULL", "ERROR", "EMPTY ARRAY", "EMPTY OBJECT")
_WRAPPERS = ("WITHOUT", "CONDITIONAL", "UNCONDITIONAL")


def _json_query(
    doc: Expression, path: Expression, *, returning: Any, wrapper: str, on_empty: str, on_error: str
) -> Expression:
    at, type_ = _Place.of("json_query", doc, path), _type(returning)
    if not isinstance(type_, StringType):
        return _typed_query(at, type_, wrapper, on_empty, on_error)
    word = one_of("json_query", "wrapper", wrapper, _WRAPPERS)
    empty = _stand_in(at, "on_empty", on_empty)
    error = _stand_in(at, "on_error", on_error)
    shown = _call("to_json", at.item)
    wrapped = _call("concat", "[", shown, "]")
    if word == "UNCONDITIONAL":
        return _choose_value(at, empty, error, None, wrapped)
    if word == "CONDITIONAL":
        return _choose_value(at, empty, error, None, _case(at.nested, shown, wrapped))
    return _choose_value(at, empty, error, ~at.nested, shown)


def _stand_in(at: _Place, option: str, given: str) -> Any:
    word = one_of("json_query", option, given, _EMPTY)
    if word == "ERROR":
        return at.fails("nothing" if option == "on_empty" else "no JSON, or no object or array")
    return {"NULL": None, "EMPTY ARRAY": operand("[]"), "EMPTY OBJECT": operand("{}")}[word]


def _typed_query(
    at: _Place, type_: LogicalType, wrapper: str, on_empty: str, on_error: str
) -> Expression:
    """An array, map, struct or VARIANT; then only NULL and ERROR can stand in for it."""
    if not isinstance(type_, ArrayType | MapType | StructType | VariantType):
        raise ValidationError(
            f"json_query returns JSON, not {type_.ddl}",
            hint="STRING, VARIANT, an ARRAY, MAP or STRUCT; use json_value(…) for others",
        )
    one_of("json_query", "wrapper", wrapper, ("WITHOUT",))
    for option, given in (("on_empty", on_empty), ("on_error", on_error)):
        one_of("json_query", option, given, ("NULL", "ERROR"))
    empty, error = _stand_in(at, "on_empty", on_empty), _stand_in(at, "on_error", on_error)
    if isinstance(type_, VariantType):
        return _choose_value(at, empty, error, ~at.nested, at.item)
    value = at.read(type_)
    return _choose_value(at, empty, error, None if error is None else value.is_null(), value)


def _is_json(doc: Expression, *, kind: str) -> Expression:
    """Between brackets and between braces: a text that closes one of them early fails the other."""
    word = one_of("is_json", "kind", kind, ("VALUE", "OBJECT", "ARRAY", "SCALAR"))
    listed = _call("try_parse_json", _call("concat", "[", doc, "]"))
    named = _call("try_parse_json", _call("concat", '{"":', doc, "}"))
    holds = listed.is_not_null() & named.is_not_null()
    starts = {"OBJECT": r"^\s*\{", "ARRAY": r"^\s*\[", "SCALAR": r"^\s*[^\s\[{]"}.get(word)
    if starts is not None:
        holds &= _call("rlike", doc, starts)
    return _case(doc.is_not_null(), holds)


def _json_object(*pairs: Expression, on_null: str) -> Expression:
    word = one_of("json_object", "on_null", on_null, ("NULL", "ABSENT"))
    if len(pairs) % 2:
        raise ValidationError("json_object wants a value for every key")
    keys = [_resolve(key) for key in pairs[::2]]
    if not all(isinstance(key, Literal) and isinstance(key.value, str) for key in keys):
        raise ValidationError("the keys of json_object are literal texts")
    if not pairs:
        return ValueExpression(literal("{}"))
    fields: list[Any] = []
    for key, value in zip(keys, pairs[1::2], strict=True):
        fields += [key, embed(value)]
    made = _call("named_struct", *fields)
    if word == "ABSENT":
        return _call("to_json", made)
    return _call("to_json", made, _call("map", "ignoreNullFields", "false"))


def _json_array(*items: Expression, on_null: str) -> Expression:
    word = one_of("json_array", "on_null", on_null, ("NULL", "ABSENT"))
    if not items:
        return ValueExpression(literal("[]"))
    made = [embed(item) for item in items]
    types = [_resolve(item).type for item in items]
    made_of_json = any(each is not item for each, item in zip(made, items, strict=True))
    if made_of_json or not all(type_.same_type(types[0]) for type_ in types):
        made = [_as_variant(each, item) for each, item in zip(made, items, strict=True)]
    listed = _call("array", *made)
    return _call("to_json", listed if word == "NULL" else _call("array_compact", listed))


def embed(value: Expression) -> Expression:
    """What another of these functions made is JSON, not a text."""
    inner = strip_alias(_resolve(value))
    made = isinstance(inner, Call) and inner.function.built_in_name == "to_json"
    return _call("parse_json", value) if made else value


def _as_variant(made: Expression, item: Expression) -> Expression:
    type_ = _resolve(item).type
    if made is not item or isinstance(type_, VariantType):
        return made
    if isinstance(type_, StructType | MapType):
        return _call("to_variant_object", made)
    return made.cast(VARIANT)


def _json_string(value: Expression) -> Expression:
    type_ = _resolve(value).type
    if isinstance(type_, ArrayType | MapType | StructType | VariantType):
        return _call("to_json", value)
    return _call("to_json", value.cast(VARIANT))


_WHERE = text(constant(exactly(STRING)))

JSON_EXISTS = declarative("""json_exists(exactly(STRING, VARIANT), _)
    Whether a JSON text has something at a path; on_error is FALSE, TRUE, UNKNOWN or ERROR.
    """).expand_to(_json_exists, args=(_WHERE,), options={"on_error": "FALSE"})
JSON_VALUE = declarative("""json_value(exactly(STRING, VARIANT), _)
    The scalar at a path of a JSON text; on_empty and on_error are NULL, ERROR or a default.
    """).expand_to(
    _json_value,
    args=(_WHERE,),
    options={
        "returning": STRING,
        "on_empty": "NULL",
        "on_error": "NULL",
        "default_on_empty": _NONE,
        "default_on_error": _NONE,
    },
)
JSON_QUERY = declarative("""json_query(exactly(STRING, VARIANT), _)
    The object or array at a path of a JSON text; wrapper may put it into an array.""").expand_to(
    _json_query,
    args=(_WHERE,),
    options={"returning": STRING, "wrapper": "WITHOUT", "on_empty": "NULL", "on_error": "NULL"},
)
IS_JSON = declarative("""is_json(exactly(STRING))
    Whether a text is JSON, of a kind: VALUE, OBJECT, ARRAY or SCALAR.
    """).expand_to(_is_json, options={"kind": "VALUE"})
JSON_OBJECT = declarative("""json_object(ANY?, ANY?...)
    A JSON object of keys and values; on_null says whether a NULL is NULL or ABSENT.
    """).expand_to(_json_object, options={"on_null": "NULL"})
JSON_ARRAY = declarative("""json_array(ANY?...)
    A JSON array of values; on_null says whether a NULL is NULL or ABSENT.
    """).expand_to(_json_array, options={"on_null": "ABSENT"})
JSON_STRING = declarative("""json_string(ANY)
    The value as JSON, a text between quotes.""").expand_to(_json_string)
