"""Operators: arithmetic, comparison, logic, predicates, access to parts of values."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
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

PLUS = scalar("""plus(ANY, ANY)
    The sum; also a date or timestamp moved by an interval.
    class Add, sql +, increasing, commutative, associative""").where(
    returns=arithmetic("+"),
    syntax=infix("+", Binding.ADDITIVE),
    operands=ADDED,
    newer_form=with_null_added("4.1.0"),
)
MINUS = scalar("""minus(ANY, ANY)
    The difference; also the interval between two dates or timestamps.
    class Subtract, sql -, increasing""").where(
    returns=arithmetic("-"),
    syntax=infix("-", Binding.ADDITIVE),
    operands=SUBTRACTED,
    newer_form=with_null_subtracted("4.1.0"),
)
TIMES = scalar("""times(ANY, ANY)
    The product.
    class Multiply, sql *, commutative, associative""").where(
    returns=arithmetic("*"), syntax=infix("*", Binding.MULTIPLICATIVE), operands=MULTIPLIED
)
DIVIDE = scalar("""divide(ANY, ANY)
    The quotient, never truncated.
    method divided_by, sql /
    """).where(returns=arithmetic("/"), syntax=infix("/", Binding.MULTIPLICATIVE), operands=DIVIDED)
MODULO = scalar("""mod(ANY, ANY)
    The remainder, with the sign of the dividend.
    since 2.3.0, class Remainder, sql %
    """).where(returns=arithmetic("%"), syntax=infix("%", Binding.MULTIPLICATIVE), operands=NUMBERS)
INTEGER_DIVIDE = scalar("""div(ANY, ANY)
    The quotient truncated towards zero, a BIGINT.
    since 3.0.0, class IntegralDivide""").where(
    returns=arithmetic("div"), syntax=infix("DIV", Binding.MULTIPLICATIVE), operands=WHOLE_QUOTIENT
)
NEGATIVE = scalar("""negative(col: _) -> $0
    The value with its sign turned.
    method negate, class UnaryMinus, decreasing""").where(args=(SIGNED,), syntax=prefix("-"))

EQUALS = scalar("""equals(ANY, ANY)
    Whether both are equal.
    alias ==, method is_equal, class EqualTo, sql =, collated, commutative, never fails
    """).where(
    returns=equality,
    syntax=infix("=", Binding.COMPARISON, left_associative=False),
    operands=COMPARED,
)
NOT_EQUALS = scalar("""not_equals(ANY, ANY)
    Whether both differ.
    alias !=, method is_not_equal, no class, sql <>, collated, commutative, never fails
    """).where(
    returns=equality,
    syntax=infix("<>", Binding.COMPARISON, left_associative=False),
    operands=COMPARED,
)
LESS = scalar("""less_than(ANY, ANY)
    Whether the first is less.
    method is_less, sql <, collated, never fails""").where(
    returns=order, syntax=infix("<", Binding.COMPARISON, left_associative=False), operands=COMPARED
)
LESS_OR_EQUAL = scalar("""less_than_or_equal(ANY, ANY)
    Whether the first is not greater.
    method is_less_or_equal, sql <=, collated, never fails""").where(
    returns=order, syntax=infix("<=", Binding.COMPARISON, left_associative=False), operands=COMPARED
)
GREATER = scalar("""greater_than(ANY, ANY)
    Whether the first is greater.
    method is_greater, sql >, collated, never fails""").where(
    returns=order, syntax=infix(">", Binding.COMPARISON, left_associative=False), operands=COMPARED
)
GREATER_OR_EQUAL = scalar("""greater_than_or_equal(ANY, ANY)
    Whether the first is not less.
    method is_greater_or_equal, sql >=, collated, never fails""").where(
    returns=order, syntax=infix(">=", Binding.COMPARISON, left_associative=False), operands=COMPARED
)
NULL_SAFE_EQUALS = scalar("""equal_null(col1: ANY, col2: ANY)
    Whether both are equal or both are NULL; never NULL.
    since 3.4.0, alias <=>, method eq_null_safe is_not_distinct_from, collated, commutative,
    never fails, own collations""").where(
    returns=equality_of_nulls,
    syntax=infix("<=>", Binding.COMPARISON, left_associative=False),
    operands=COMPARED,
)
IS_DISTINCT_FROM = scalar("""is_distinct_from(ANY, ANY)
    Whether the values differ, NULL counting as a value; never NULL.
    no class, collated, commutative, never fails
    """).where(returns=equality_of_nulls, syntax=DistinctFrom(), operands=COMPARED)

AND = scalar("""and(BOOLEAN, BOOLEAN...) -> BOOLEAN
    Whether all hold.
    method and_, commutative, associative, never fails, lazy
    """).where(check=some_truth, syntax=Connective("AND", Binding.AND))
OR = scalar("""or(BOOLEAN, BOOLEAN...) -> BOOLEAN
    Whether any holds.
    method or_, commutative, associative, never fails, lazy
    """).where(check=some_truth, syntax=Connective("OR", Binding.OR))
NOT = scalar("""not(col: BOOLEAN) -> BOOLEAN
    The opposite.
    alias !, method not_, never fails""").where(syntax=prefix("NOT", Binding.NOT))

IS_NULL = scalar("""is_null(col: ANY) -> BOOLEAN!
    Whether the value is NULL.
    alias isnull, sql isnull, never fails""").where(syntax=postfix("IS NULL", "IS NOT NULL"))
IS_NOT_NULL = scalar("""is_not_null(col: ANY) -> BOOLEAN!
    Whether the value is not NULL.
    alias isnotnull, sql isnotnull, never fails""").where(syntax=postfix("IS NOT NULL", "IS NULL"))
IS_TRUE = scalar("""is_true(col: _) -> BOOLEAN!
    Whether the condition holds; NULL counts as not.
    no class, never fails""").where(args=(TRUTH,), syntax=postfix("IS TRUE", "IS NOT TRUE"))
IS_NOT_TRUE = scalar("""is_not_true(col: _) -> BOOLEAN!
    Whether the condition is false or NULL.
    no class, never fails""").where(args=(TRUTH,), syntax=postfix("IS NOT TRUE", "IS TRUE"))
IS_FALSE = scalar("""is_false(col: _) -> BOOLEAN!
    Whether the condition is false; NULL counts as not.
    no class, never fails""").where(args=(TRUTH,), syntax=postfix("IS FALSE", "IS NOT FALSE"))
IS_NOT_FALSE = scalar("""is_not_false(col: _) -> BOOLEAN!
    Whether the condition holds or is NULL.
    no class, never fails""").where(args=(TRUTH,), syntax=postfix("IS NOT FALSE", "IS FALSE"))


def _no_other_constant(context: CallContext) -> None:
    """Spark looks at the type of what is UNKNOWN only where it is a constant."""
    value = context.literal(0)
    if value is not None and not isinstance(value, bool):
        raise context.mismatch("a constant that is UNKNOWN or not is a BOOLEAN")


IS_UNKNOWN = scalar("""is_unknown(col: ANY) -> BOOLEAN!
    Whether the condition is NULL.
    no class, never fails
    """).where(check=_no_other_constant, syntax=postfix("IS UNKNOWN", "IS NOT UNKNOWN"))
IS_NOT_UNKNOWN = scalar("""is_not_unknown(col: ANY) -> BOOLEAN!
    Whether the condition is true or false.
    no class, never fails
    """).where(check=_no_other_constant, syntax=postfix("IS NOT UNKNOWN", "IS UNKNOWN"))

BETWEEN = scalar("""between(ANY, ANY, ANY)
    Whether the first lies between the other two, both included.
    collated, never fails, own collations""").where(
    returns=between, syntax=Between(), operands=COMPARED
)
IN = scalar("""in(ANY, ANY...)
    Whether the first equals one of the others.
    method isin, collated, never fails
    """).where(returns=membership, syntax=InList(), operands=COMPARED)
LIKE = scalar("""like(str: SEARCHED, pattern: PATTERN, escapeChar: literal(STRING)?) -> BOOLEAN
    Whether the text matches a pattern of `%` and `_`; the third argument escapes.
    own collations
    """).where(syntax=Predicate("LIKE", escape=True))
ILIKE = scalar("""ilike(str: SEARCHED, pattern: PATTERN, escapeChar: literal(STRING)?) -> BOOLEAN
    LIKE without regard to case.
    since 3.3.0, no class, own collations""").where(syntax=Predicate("ILIKE", escape=True))
RLIKE = scalar("""rlike(str: SEARCHED, regexp: PATTERN) -> BOOLEAN
    Whether a part of the text matches a regular expression.
    alias regexp regexp_like, class RLike, own collations""").where(
    syntax=Predicate("RLIKE"),
    spelled={name: name.upper() for name in ("rlike", "regexp", "regexp_like")},
)
LIKE_ANY = scalar("""like_any(SEARCHED, PATTERN...)
    Whether the text matches one of several patterns.
    no class""").where(returns=quantify, syntax=Quantified("like_any".upper().replace("_", " ")))
LIKE_ALL = scalar("""like_all(SEARCHED, PATTERN...)
    Whether the text matches every one of several patterns.
    no class""").where(returns=quantify, syntax=Quantified("like_all".upper().replace("_", " ")))
NOT_LIKE_ANY = scalar("""not_like_any(SEARCHED, PATTERN...)
    Whether the text fails to match one of the patterns.
    no class
    """).where(returns=quantify, syntax=Quantified("not_like_any".upper().replace("_", " ")))
NOT_LIKE_ALL = scalar("""not_like_all(SEARCHED, PATTERN...)
    Whether the text matches none of several patterns.
    no class
    """).where(returns=quantify, syntax=Quantified("not_like_all".upper().replace("_", " ")))
ILIKE_ANY = scalar("""ilike_any(SEARCHED, PATTERN...)
    like_any without regard to case.
    no class""").where(returns=quantify, syntax=Quantified("ilike_any".upper().replace("_", " ")))
ILIKE_ALL = scalar("""ilike_all(SEARCHED, PATTERN...)
    like_all without regard to case.
    no class""").where(returns=quantify, syntax=Quantified("ilike_all".upper().replace("_", " ")))
NOT_ILIKE_ANY = scalar("""not_ilike_any(SEARCHED, PATTERN...)
    not_like_any without regard to case.
    no class
    """).where(returns=quantify, syntax=Quantified("not_ilike_any".upper().replace("_", " ")))
NOT_ILIKE_ALL = scalar("""not_ilike_all(SEARCHED, PATTERN...)
    not_like_all without regard to case.
    no class
    """).where(returns=quantify, syntax=Quantified("not_ilike_all".upper().replace("_", " ")))


BIT_AND = scalar("""bitwise_and(ANY, ANY)
    The bits that both have.
    since 1.4.0, method bitwiseAND, sql &, commutative, associative, never fails
    """).where(returns=bits, syntax=infix("&", Binding.BIT_AND), operands=BITS)
BIT_OR = scalar("""bitwise_or(ANY, ANY)
    The bits that either has.
    since 1.4.0, method bitwiseOR, sql |, commutative, associative, never fails
    """).where(returns=bits, syntax=infix("|", Binding.BIT_OR), operands=BITS)
BIT_XOR = scalar("""bitwise_xor(ANY, ANY)
    The bits that exactly one has.
    since 1.4.0, method bitwiseXOR, sql ^, commutative, associative, never fails
    """).where(returns=bits, syntax=infix("^", Binding.BIT_XOR), operands=BITS)
BIT_NOT = scalar("""bitwise_not(col: INTEGRAL) -> $0
    Every bit turned.
    since 1.4.0, sql ~, never fails""").where(syntax=prefix("~"))


GET_ITEM = scalar("""get_item(ANY, ANY)
    The element at a position from 0, or the value of a key.
    class GetArrayItem GetMapValue""").where(returns=item, syntax=Subscript(), operands=ITEMS)
GET_FIELD = scalar("""get_field(ANY, literal(STRING))
    A field of a struct, or of every struct in an array.
    no class, never fails""").where(returns=field_of, syntax=FieldAccess())
