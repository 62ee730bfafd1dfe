"""Operators: arithmetic, comparison, logic, predicates, access to parts of values."""

from __future__ import annotations

from viewscribe.expressions.functions.collation_groups import every_text
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.families import ANY, INTEGRAL, PATTERN, SEARCHED
from viewscribe.expressions.functions.newer_forms import with_null_added, with_null_subtracted
from viewscribe.expressions.functions.operand_pairs import (
    ADDED,
    BITS,
    COMPARED,
    DIVIDED,
    ITEMS,
    MULTIPLIED,
    NUMBERS,
    SUBTRACTED,
    WHOLE_QUOTIENT,
)
from viewscribe.expressions.functions.operator_types import (
    SIGNED,
    TRUTH,
    arithmetic,
    between,
    bits,
    equality,
    equality_of_nulls,
    field_of,
    item,
    membership,
    order,
    quantify,
    some_truth,
)
from viewscribe.expressions.functions.outputs import argument
from viewscribe.expressions.functions.syntax import (
    Between,
    Binding,
    Connective,
    DistinctFrom,
    FieldAccess,
    InList,
    Predicate,
    Quantified,
    Subscript,
    infix,
    postfix,
    prefix,
)
from viewscribe.expressions.functions.validators import literal
from viewscribe.types import (
    BOOLEAN,
    STRING,
)


def _define_quantified(name: str, doc: str) -> FunctionDefinition:
    return scalar(
        name,
        args=(SEARCHED, PATTERN),
        variadic=True,
        required=2,
        returns=quantify,
        syntax=Quantified(name.upper().replace("_", " ")),
        catalyst=(),
        doc=doc,
    )


PLUS = scalar(
    "plus",
    args=(ANY, ANY),
    returns=arithmetic("+"),
    syntax=infix("+", Binding.ADDITIVE),
    sql_name="+",
    monotone="increasing",
    commutative=True,
    associative=True,
    catalyst="Add",
    operands=ADDED,
    newer_form=with_null_added("4.1.0"),
    doc="The sum; also a date or timestamp moved by an interval.",
)
MINUS = scalar(
    "minus",
    args=(ANY, ANY),
    returns=arithmetic("-"),
    syntax=infix("-", Binding.ADDITIVE),
    sql_name="-",
    monotone="increasing",
    catalyst="Subtract",
    operands=SUBTRACTED,
    newer_form=with_null_subtracted("4.1.0"),
    doc="The difference; also the interval between two dates or timestamps.",
)
TIMES = scalar(
    "times",
    args=(ANY, ANY),
    returns=arithmetic("*"),
    syntax=infix("*", Binding.MULTIPLICATIVE),
    sql_name="*",
    commutative=True,
    associative=True,
    catalyst="Multiply",
    operands=MULTIPLIED,
    doc="The product.",
)
DIVIDE = scalar(
    "divide",
    args=(ANY, ANY),
    returns=arithmetic("/"),
    syntax=infix("/", Binding.MULTIPLICATIVE),
    sql_name="/",
    methods=("divided_by",),
    operands=DIVIDED,
    doc="The quotient, never truncated.",
)
MODULO = scalar(
    "mod",
    args=(ANY, ANY),
    returns=arithmetic("%"),
    syntax=infix("%", Binding.MULTIPLICATIVE),
    catalyst="Remainder",
    operands=NUMBERS,
    since="2.3.0",
    sql_name="%",
    doc="The remainder, with the sign of the dividend.",
)
INTEGER_DIVIDE = scalar(
    "div",
    args=(ANY, ANY),
    returns=arithmetic("div"),
    syntax=infix("DIV", Binding.MULTIPLICATIVE),
    catalyst="IntegralDivide",
    operands=WHOLE_QUOTIENT,
    since="3.0.0",
    doc="The quotient truncated towards zero, a BIGINT.",
)
NEGATIVE = scalar(
    "negative",
    args=(SIGNED,),
    returns=argument(0),
    syntax=prefix("-"),
    methods=("negate",),
    monotone="decreasing",
    catalyst="UnaryMinus",
    doc="The value with its sign turned.",
)

EQUALS = scalar(
    "equals",
    never_fails=True,
    args=(ANY, ANY),
    returns=equality,
    syntax=infix("=", Binding.COMPARISON, left_associative=False),
    sql_name="=",
    aliases=("==",),
    methods=("is_equal",),
    commutative=True,
    catalyst="EqualTo",
    collated=every_text,
    operands=COMPARED,
    doc="Whether both are equal.",
)
NOT_EQUALS = scalar(
    "not_equals",
    never_fails=True,
    args=(ANY, ANY),
    returns=equality,
    syntax=infix("<>", Binding.COMPARISON, left_associative=False),
    sql_name="<>",
    aliases=("!=",),
    methods=("is_not_equal",),
    commutative=True,
    catalyst=(),
    collated=every_text,
    operands=COMPARED,
    doc="Whether both differ.",
)
LESS = scalar(
    "less_than",
    never_fails=True,
    args=(ANY, ANY),
    returns=order,
    syntax=infix("<", Binding.COMPARISON, left_associative=False),
    sql_name="<",
    methods=("is_less",),
    collated=every_text,
    operands=COMPARED,
    doc="Whether the first is less.",
)
LESS_OR_EQUAL = scalar(
    "less_than_or_equal",
    never_fails=True,
    args=(ANY, ANY),
    returns=order,
    syntax=infix("<=", Binding.COMPARISON, left_associative=False),
    sql_name="<=",
    methods=("is_less_or_equal",),
    collated=every_text,
    operands=COMPARED,
    doc="Whether the first is not greater.",
)
GREATER = scalar(
    "greater_than",
    never_fails=True,
    args=(ANY, ANY),
    returns=order,
    syntax=infix(">", Binding.COMPARISON, left_associative=False),
    sql_name=">",
    methods=("is_greater",),
    collated=every_text,
    operands=COMPARED,
    doc="Whether the first is greater.",
)
GREATER_OR_EQUAL = scalar(
    "greater_than_or_equal",
    never_fails=True,
    args=(ANY, ANY),
    returns=order,
    syntax=infix(">=", Binding.COMPARISON, left_associative=False),
    sql_name=">=",
    methods=("is_greater_or_equal",),
    collated=every_text,
    operands=COMPARED,
    doc="Whether the first is not less.",
)
NULL_SAFE_EQUALS = scalar(
    "equal_null",
    never_fails=True,
    args=(ANY, ANY),
    parameter_names=("col1", "col2"),
    returns=equality_of_nulls,
    syntax=infix("<=>", Binding.COMPARISON, left_associative=False),
    aliases=("<=>",),
    methods=("eq_null_safe", "is_not_distinct_from"),
    collated=every_text,
    operands=COMPARED,
    since="3.4.0",
    commutative=True,
    doc="Whether both are equal or both are NULL; never NULL.",
)
IS_DISTINCT_FROM = scalar(
    "is_distinct_from",
    never_fails=True,
    args=(ANY, ANY),
    returns=equality_of_nulls,
    syntax=DistinctFrom(),
    commutative=True,
    catalyst=(),
    collated=every_text,
    operands=COMPARED,
    doc="Whether the values differ, NULL counting as a value; never NULL.",
)

AND = scalar(
    "and",
    never_fails=True,
    args=(BOOLEAN, BOOLEAN),
    variadic=True,
    required=2,
    returns=BOOLEAN,
    strict=False,
    check=some_truth,
    syntax=Connective("AND", Binding.AND),
    methods=("and_",),
    commutative=True,
    associative=True,
    doc="Whether all hold.",
)
OR = scalar(
    "or",
    never_fails=True,
    args=(BOOLEAN, BOOLEAN),
    variadic=True,
    required=2,
    returns=BOOLEAN,
    strict=False,
    check=some_truth,
    syntax=Connective("OR", Binding.OR),
    methods=("or_",),
    commutative=True,
    associative=True,
    doc="Whether any holds.",
)
NOT = scalar(
    "not",
    never_fails=True,
    args=(BOOLEAN,),
    returns=BOOLEAN,
    syntax=prefix("NOT", Binding.NOT),
    aliases=("!",),
    methods=("not_",),
    doc="The opposite.",
)

IS_NULL = scalar(
    "is_null",
    never_fails=True,
    args=(ANY,),
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS NULL", "IS NOT NULL"),
    sql_name="isnull",
    aliases=("isnull",),
    doc="Whether the value is NULL.",
)
IS_NOT_NULL = scalar(
    "is_not_null",
    never_fails=True,
    args=(ANY,),
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS NOT NULL", "IS NULL"),
    sql_name="isnotnull",
    aliases=("isnotnull",),
    doc="Whether the value is not NULL.",
)
IS_TRUE = scalar(
    "is_true",
    never_fails=True,
    args=(TRUTH,),
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS TRUE", "IS NOT TRUE"),
    catalyst=(),
    doc="Whether the condition holds; NULL counts as not.",
)
IS_NOT_TRUE = scalar(
    "is_not_true",
    never_fails=True,
    args=(TRUTH,),
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS NOT TRUE", "IS TRUE"),
    catalyst=(),
    doc="Whether the condition is false or NULL.",
)
IS_FALSE = scalar(
    "is_false",
    never_fails=True,
    args=(TRUTH,),
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS FALSE", "IS NOT FALSE"),
    catalyst=(),
    doc="Whether the condition is false; NULL counts as not.",
)
IS_NOT_FALSE = scalar(
    "is_not_false",
    never_fails=True,
    args=(TRUTH,),
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS NOT FALSE", "IS FALSE"),
    catalyst=(),
    doc="Whether the condition holds or is NULL.",
)


def _no_other_constant(context: CallContext) -> None:
    """Spark looks at the type of what is UNKNOWN only where it is a constant."""
    value = context.literal(0)
    if value is not None and not isinstance(value, bool):
        raise context.mismatch("a constant that is UNKNOWN or not is a BOOLEAN")


IS_UNKNOWN = scalar(
    "is_unknown",
    never_fails=True,
    args=(ANY,),
    check=_no_other_constant,
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS UNKNOWN", "IS NOT UNKNOWN"),
    catalyst=(),
    doc="Whether the condition is NULL.",
)
IS_NOT_UNKNOWN = scalar(
    "is_not_unknown",
    never_fails=True,
    args=(ANY,),
    check=_no_other_constant,
    returns=BOOLEAN.not_null(),
    syntax=postfix("IS NOT UNKNOWN", "IS UNKNOWN"),
    catalyst=(),
    doc="Whether the condition is true or false.",
)

BETWEEN = scalar(
    "between",
    never_fails=True,
    args=(ANY, ANY, ANY),
    returns=between,
    syntax=Between(),
    collated=every_text,
    operands=COMPARED,
    doc="Whether the first lies between the other two, both included.",
)
IN = scalar(
    "in",
    never_fails=True,
    args=(ANY, ANY),
    variadic=True,
    required=2,
    returns=membership,
    syntax=InList(),
    methods=("isin",),
    collated=every_text,
    operands=COMPARED,
    doc="Whether the first equals one of the others.",
)
LIKE = scalar(
    "like",
    args=(SEARCHED, PATTERN, literal(STRING)),
    optional=1,
    parameter_names=("str", "pattern", "escapeChar"),
    returns=BOOLEAN,
    syntax=Predicate("LIKE", escape=True),
    doc="Whether the text matches a pattern of `%` and `_`; the third argument escapes.",
)
ILIKE = scalar(
    "ilike",
    args=(SEARCHED, PATTERN, literal(STRING)),
    optional=1,
    parameter_names=("str", "pattern", "escapeChar"),
    returns=BOOLEAN,
    syntax=Predicate("ILIKE", escape=True),
    catalyst=(),
    since="3.3.0",
    doc="LIKE without regard to case.",
)
RLIKE = scalar(
    "rlike",
    args=(SEARCHED, PATTERN),
    parameter_names=("str", "regexp"),
    returns=BOOLEAN,
    syntax=Predicate("RLIKE"),
    aliases=("regexp", "regexp_like"),
    catalyst="RLike",
    spelled={name: name.upper() for name in ("rlike", "regexp", "regexp_like")},
    doc="Whether a part of the text matches a regular expression.",
)
LIKE_ANY = _define_quantified("like_any", "Whether the text matches one of several patterns.")
LIKE_ALL = _define_quantified("like_all", "Whether the text matches every one of several patterns.")
NOT_LIKE_ANY = _define_quantified(
    "not_like_any", "Whether the text fails to match one of the patterns."
)
NOT_LIKE_ALL = _define_quantified(
    "not_like_all", "Whether the text matches none of several patterns."
)
ILIKE_ANY = _define_quantified("ilike_any", "like_any without regard to case.")
ILIKE_ALL = _define_quantified("ilike_all", "like_all without regard to case.")
NOT_ILIKE_ANY = _define_quantified("not_ilike_any", "not_like_any without regard to case.")
NOT_ILIKE_ALL = _define_quantified("not_ilike_all", "not_like_all without regard to case.")


BIT_AND = scalar(
    "bitwise_and",
    never_fails=True,
    args=(ANY, ANY),
    returns=bits,
    syntax=infix("&", Binding.BIT_AND),
    sql_name="&",
    methods=("bitwiseAND",),
    operands=BITS,
    since="1.4.0",
    commutative=True,
    associative=True,
    doc="The bits that both have.",
)
BIT_OR = scalar(
    "bitwise_or",
    never_fails=True,
    args=(ANY, ANY),
    returns=bits,
    syntax=infix("|", Binding.BIT_OR),
    sql_name="|",
    methods=("bitwiseOR",),
    operands=BITS,
    since="1.4.0",
    commutative=True,
    associative=True,
    doc="The bits that either has.",
)
BIT_XOR = scalar(
    "bitwise_xor",
    never_fails=True,
    args=(ANY, ANY),
    returns=bits,
    syntax=infix("^", Binding.BIT_XOR),
    sql_name="^",
    methods=("bitwiseXOR",),
    operands=BITS,
    since="1.4.0",
    commutative=True,
    associative=True,
    doc="The bits that exactly one has.",
)
BIT_NOT = scalar(
    "bitwise_not",
    never_fails=True,
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
    catalyst=("GetArrayItem", "GetMapValue"),
    operands=ITEMS,
    doc="The element at a position from 0, or the value of a key.",
)
GET_FIELD = scalar(
    "get_field",
    never_fails=True,
    args=(ANY, literal(STRING)),
    returns=field_of,
    syntax=FieldAccess(),
    catalyst=(),
    doc="A field of a struct, or of every struct in an array.",
)
