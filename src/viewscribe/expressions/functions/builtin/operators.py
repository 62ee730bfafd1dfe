"""Operators: arithmetic, comparison, logic, predicates, access to parts of values."""

from __future__ import annotations

from viewscribe.expressions.functions.definition import scalar
from viewscribe.expressions.functions.families import (
    ANY,
    INTEGRAL,
)
from viewscribe.expressions.functions.inference import (
    argument,
    literal,
)
from viewscribe.expressions.functions.operator_types import (
    SIGNED,
    arithmetic,
    between,
    bits,
    comparison,
    comparison_of_nulls,
    field_of,
    item,
    membership,
    order,
)
from viewscribe.expressions.functions.syntax import (
    Between,
    Binding,
    Connective,
    DistinctFrom,
    FieldAccess,
    InList,
    Predicate,
    Subscript,
    infix,
    postfix,
    prefix,
)
from viewscribe.types import (
    BOOLEAN,
    STRING,
)

PLUS = scalar(
    "plus",
    args=(ANY, ANY),
    returns=arithmetic("+"),
    syntax=infix("+", Binding.ADDITIVE),
    sql_name="+",
    monotone="increasing",
    doc="The sum; also a date or timestamp moved by an interval.",
)
MINUS = scalar(
    "minus",
    args=(ANY, ANY),
    returns=arithmetic("-"),
    syntax=infix("-", Binding.ADDITIVE),
    sql_name="-",
    monotone="increasing",
    doc="The difference; also the interval between two dates or timestamps.",
)
TIMES = scalar(
    "times",
    args=(ANY, ANY),
    returns=arithmetic("*"),
    syntax=infix("*", Binding.MULTIPLICATIVE),
    sql_name="*",
    doc="The product.",
)
DIVIDE = scalar(
    "divide",
    args=(ANY, ANY),
    returns=arithmetic("/"),
    syntax=infix("/", Binding.MULTIPLICATIVE),
    sql_name="/",
    doc="The quotient, never truncated.",
)
MODULO = scalar(
    "mod",
    args=(ANY, ANY),
    returns=arithmetic("%"),
    syntax=infix("%", Binding.MULTIPLICATIVE),
    since="2.3.0",
    sql_name="%",
    doc="The remainder, with the sign of the dividend.",
)
INTEGER_DIVIDE = scalar(
    "div",
    args=(ANY, ANY),
    returns=arithmetic("div"),
    syntax=infix("DIV", Binding.MULTIPLICATIVE),
    since="3.0.0",
    doc="The quotient truncated towards zero, a BIGINT.",
)
NEGATIVE = scalar(
    "negative",
    args=(SIGNED,),
    returns=argument(0),
    syntax=prefix("-"),
    methods=("negate",),
    doc="The value with its sign turned.",
)

EQUALS = scalar(
    "equals",
    args=(ANY, ANY),
    returns=comparison,
    syntax=infix("=", Binding.COMPARISON, left_associative=False),
    sql_name="=",
    aliases=("==",),
    methods=("is_equal",),
    doc="Whether both are equal.",
)
NOT_EQUALS = scalar(
    "not_equals",
    args=(ANY, ANY),
    returns=comparison,
    syntax=infix("<>", Binding.COMPARISON, left_associative=False),
    sql_name="<>",
    aliases=("!=",),
    methods=("is_not_equal",),
    doc="Whether both differ.",
)
LESS = scalar(
    "less_than",
    args=(ANY, ANY),
    returns=order,
    syntax=infix("<", Binding.COMPARISON, left_associative=False),
    sql_name="<",
    methods=("is_less",),
    doc="Whether the first is less.",
)
LESS_OR_EQUAL = scalar(
    "less_than_or_equal",
    args=(ANY, ANY),
    returns=order,
    syntax=infix("<=", Binding.COMPARISON, left_associative=False),
    sql_name="<=",
    methods=("is_less_or_equal",),
    doc="Whether the first is not greater.",
)
GREATER = scalar(
    "greater_than",
    args=(ANY, ANY),
    returns=order,
    syntax=infix(">", Binding.COMPARISON, left_associative=False),
    sql_name=">",
    methods=("is_greater",),
    doc="Whether the first is greater.",
)
GREATER_OR_EQUAL = scalar(
    "greater_than_or_equal",
    args=(ANY, ANY),
    returns=order,
    syntax=infix(">=", Binding.COMPARISON, left_associative=False),
    sql_name=">=",
    methods=("is_greater_or_equal",),
    doc="Whether the first is not less.",
)
NULL_SAFE_EQUALS = scalar(
    "equal_null",
    args=(ANY, ANY),
    returns=comparison_of_nulls,
    syntax=infix("<=>", Binding.COMPARISON, left_associative=False),
    aliases=("<=>",),
    methods=("eq_null_safe", "is_not_distinct_from"),
    since="3.4.0",
    doc="Whether both are equal or both are NULL; never NULL.",
)
IS_DISTINCT_FROM = scalar(
    "is_distinct_from",
    args=(ANY, ANY),
    returns=comparison_of_nulls,
    syntax=DistinctFrom(),
    doc="Whether the values differ, NULL counting as a value; never NULL.",
)

AND = scalar(
    "and",
    args=(BOOLEAN, BOOLEAN),
    variadic=True,
    required=2,
    returns=BOOLEAN,
    strict=False,
    syntax=Connective("AND", Binding.AND),
    doc="Whether all hold.",
)
OR = scalar(
    "or",
    args=(BOOLEAN, BOOLEAN),
    variadic=True,
    required=2,
    returns=BOOLEAN,
    strict=False,
    syntax=Connective("OR", Binding.OR),
    doc="Whether any holds.",
)
NOT = scalar(
    "not",
    args=(BOOLEAN,),
    returns=BOOLEAN,
    syntax=prefix("NOT", Binding.NOT),
    aliases=("!",),
    doc="The opposite.",
)

IS_NULL = scalar(
    "is_null",
    args=(ANY,),
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS NULL", "IS NOT NULL"),
    sql_name="isnull",
    aliases=("isnull",),
    doc="Whether the value is NULL.",
)
IS_NOT_NULL = scalar(
    "is_not_null",
    args=(ANY,),
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS NOT NULL", "IS NULL"),
    sql_name="isnotnull",
    aliases=("isnotnull",),
    doc="Whether the value is not NULL.",
)
IS_TRUE = scalar(
    "is_true",
    args=(BOOLEAN,),
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS TRUE", "IS NOT TRUE"),
    doc="Whether the condition holds; NULL counts as not.",
)
IS_NOT_TRUE = scalar(
    "is_not_true",
    args=(BOOLEAN,),
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS NOT TRUE", "IS TRUE"),
    doc="Whether the condition is false or NULL.",
)
IS_FALSE = scalar(
    "is_false",
    args=(BOOLEAN,),
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS FALSE", "IS NOT FALSE"),
    doc="Whether the condition is false; NULL counts as not.",
)
IS_NOT_FALSE = scalar(
    "is_not_false",
    args=(BOOLEAN,),
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS NOT FALSE", "IS FALSE"),
    doc="Whether the condition holds or is NULL.",
)

BETWEEN = scalar(
    "between",
    args=(ANY, ANY, ANY),
    returns=between,
    syntax=Between(),
    doc="Whether the first lies between the other two, both included.",
)
IN = scalar(
    "in",
    args=(ANY, ANY),
    variadic=True,
    required=2,
    returns=membership,
    syntax=InList(),
    methods=("isin",),
    doc="Whether the first equals one of the others.",
)
LIKE = scalar(
    "like",
    args=(STRING, STRING, literal(STRING)),
    optional=1,
    returns=BOOLEAN,
    syntax=Predicate("LIKE", escape=True),
    doc="Whether the text matches a pattern of `%` and `_`; the third argument escapes.",
)
ILIKE = scalar(
    "ilike",
    args=(STRING, STRING, literal(STRING)),
    optional=1,
    returns=BOOLEAN,
    syntax=Predicate("ILIKE", escape=True),
    since="3.3.0",
    doc="LIKE without regard to case.",
)
RLIKE = scalar(
    "rlike",
    args=(STRING, STRING),
    returns=BOOLEAN,
    syntax=Predicate("RLIKE"),
    aliases=("regexp", "regexp_like"),
    doc="Whether a part of the text matches a regular expression.",
)


BIT_AND = scalar(
    "bitwise_and",
    args=(ANY, ANY),
    returns=bits,
    syntax=infix("&", Binding.BIT_AND),
    sql_name="&",
    methods=("bitwiseAND",),
    since="1.4.0",
    doc="The bits that both have.",
)
BIT_OR = scalar(
    "bitwise_or",
    args=(ANY, ANY),
    returns=bits,
    syntax=infix("|", Binding.BIT_OR),
    sql_name="|",
    methods=("bitwiseOR",),
    since="1.4.0",
    doc="The bits that either has.",
)
BIT_XOR = scalar(
    "bitwise_xor",
    args=(ANY, ANY),
    returns=bits,
    syntax=infix("^", Binding.BIT_XOR),
    sql_name="^",
    methods=("bitwiseXOR",),
    since="1.4.0",
    doc="The bits that exactly one has.",
)
BIT_NOT = scalar(
    "bitwise_not",
    args=(INTEGRAL,),
    returns=argument(0),
    syntax=prefix("~"),
    sql_name="~",
    since="1.4.0",
    doc="Every bit turned.",
)


GET_ITEM = scalar(
    "get_item",
    args=(ANY, ANY),
    returns=item,
    syntax=Subscript(),
    methods=("at",),
    doc="The element at a position from 0, or the value of a key.",
)
GET_FIELD = scalar(
    "get_field",
    args=(ANY, literal(STRING)),
    returns=field_of,
    syntax=FieldAccess(),
    doc="A field of a struct, or of every struct in an array.",
)
