"""Vectors: arrays of FLOAT, to which Spark casts nothing."""

from __future__ import annotations

from viewscribe.expressions.functions.entries import aggregate, scalar
from viewscribe.expressions.functions.inference import always_nullable
from viewscribe.expressions.functions.validators import any_where
from viewscribe.types import FLOAT, ArrayType, FloatType

_VECTOR = any_where(
    "ARRAY<FLOAT>",
    lambda type_: isinstance(type_, ArrayType) and isinstance(type_.element, FloatType),
)
_DEGREE = any_where("FLOAT", lambda type_: isinstance(type_, FloatType))


VECTOR_COSINE_SIMILARITY = scalar("""vector_cosine_similarity(left: _, right: _) -> FLOAT?
    The cosine of the angle between two vectors.
    since 4.2.0""").where(args=(_VECTOR, _VECTOR))
VECTOR_INNER_PRODUCT = scalar("""vector_inner_product(left: _, right: _) -> FLOAT?
    The inner product of two vectors.
    since 4.2.0""").where(args=(_VECTOR, _VECTOR))
VECTOR_L2_DISTANCE = scalar("""vector_l2_distance(left: _, right: _) -> FLOAT?
    The Euclidean distance of two vectors.
    since 4.2.0""").where(args=(_VECTOR, _VECTOR))
VECTOR_NORM = scalar("""vector_norm(vector: _, degree: _ = 2.0) -> FLOAT?
    The norm of a vector, of degree 1, 2 (as by default) or infinity.
    since 4.2.0""").where(args=(_VECTOR, _DEGREE))
VECTOR_NORMALIZE = scalar("""vector_normalize(vector: _, degree: _ = 2.0) -> ARRAY<FLOAT>?
    The vector divided by its norm of a degree.
    since 4.2.0""").where(args=(_VECTOR, _DEGREE))
VECTOR_SUM = aggregate("""vector_sum(col: _)
    The sum of the vectors.
    since 4.2.0
    """).where(args=(_VECTOR,), returns=always_nullable(ArrayType(element=FLOAT.not_null())))
VECTOR_AVG = aggregate("""vector_avg(col: _)
    The mean of the vectors.
    since 4.2.0
    """).where(args=(_VECTOR,), returns=always_nullable(ArrayType(element=FLOAT.not_null())))
