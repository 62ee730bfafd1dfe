"""Vectors: arrays of FLOAT, to which Spark casts nothing."""

from __future__ import annotations

from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import aggregate, scalar
from viewscribe.expressions.functions.outputs import always_nullable
from viewscribe.expressions.functions.validators import any_where
from viewscribe.types import FLOAT, ArrayType, FloatType, LogicalType

_SINCE = "4.2.0"
_NUMBER = always_nullable(FLOAT)
_VECTOR = any_where(
    "ARRAY<FLOAT>",
    lambda type_: isinstance(type_, ArrayType) and isinstance(type_.element, FloatType),
)
_DEGREE = any_where("FLOAT", lambda type_: isinstance(type_, FloatType))


def _of_two(name: str, doc: str) -> FunctionDefinition:
    return scalar(
        name,
        args=(_VECTOR, _VECTOR),
        parameter_names=("left", "right"),
        returns=_NUMBER,
        since=_SINCE,
        doc=doc,
    )


def _by_degree(name: str, returns: LogicalType, doc: str) -> FunctionDefinition:
    return scalar(
        name,
        args=(_VECTOR, _DEGREE),
        optional=1,
        parameter_names=("vector", "degree"),
        defaults=("2.0",),
        returns=always_nullable(returns),
        since=_SINCE,
        doc=doc,
    )


def _of_all(name: str, doc: str) -> FunctionDefinition:
    vector = always_nullable(ArrayType(element=FLOAT.not_null()))
    return aggregate(name, args=(_VECTOR,), returns=vector, since=_SINCE, doc=doc)


VECTOR_COSINE_SIMILARITY = _of_two(
    "vector_cosine_similarity", "The cosine of the angle between two vectors."
)
VECTOR_INNER_PRODUCT = _of_two("vector_inner_product", "The inner product of two vectors.")
VECTOR_L2_DISTANCE = _of_two("vector_l2_distance", "The Euclidean distance of two vectors.")
VECTOR_NORM = _by_degree(
    "vector_norm", FLOAT, "The norm of a vector, of degree 1, 2 (as by default) or infinity."
)
VECTOR_NORMALIZE = _by_degree(
    "vector_normalize", ArrayType(element=FLOAT), "The vector divided by its norm of a degree."
)
VECTOR_SUM = _of_all("vector_sum", "The sum of the vectors.")
VECTOR_AVG = _of_all("vector_avg", "The mean of the vectors.")
