"""Asks Spark's analyzer for the types of many expressions at once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException, IllegalArgumentException, PySparkException
from pyspark.sql.types import StructType

from tests.expressions.functions.palette import SCHEMA
from tests.versions import has_type
from viewscribe.spark.types import schema_from_spark, schema_to_spark
from viewscribe.types import Field, LogicalType, struct

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Answer = LogicalType | None
_BATCH = 200


class SparkOracle:
    """The types, nullability included, that Spark gives expressions over the palette.

    It looks at analyzed plans inside of the JVM, where one expression that Spark refuses does not
    hide the types of the others.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        fields = [field for field in SCHEMA.fields if has_type(field.type)]
        spark.createDataFrame([], schema_to_spark(fields)).createOrReplaceTempView("palette")
        state = spark._jsparkSession.sessionState()
        self._parser, self._analyzer = state.sqlParser(), state.analyzer()

    def types(self, expressions: Iterable[str]) -> dict[str, Answer]:
        """The type of each expression; None where Spark refuses it."""
        texts = list(dict.fromkeys(expressions))
        found: dict[str, Answer] = {}
        for start in range(0, len(texts), _BATCH):
            self._ask(texts[start : start + _BATCH], found)
        return found

    def properties(self, expressions: Iterable[str]) -> dict[str, tuple[bool, bool] | None]:
        """Whether each expression is foldable and deterministic; None where Spark refuses it."""
        return {text: self._properties(text) for text in expressions}

    def _properties(self, text: str) -> tuple[bool, bool] | None:
        try:
            plan = self._analyzed([f"{text} AS c"])
        except PySparkException:
            return None
        if not plan.resolved():
            return None
        # Many functions are written in terms of others, which is where these answers come from.
        jvm: Any = self._spark._jvm
        rules = jvm.org.apache.spark.sql.catalyst.optimizer
        child = _items(rules.ReplaceExpressions.apply(plan))[0].child()
        return child.foldable(), child.deterministic()

    def columns(self, generators: Iterable[str]) -> dict[str, Answer]:
        """The columns that each generator makes, as a struct; None where Spark refuses it."""
        return {text: self._columns(text) for text in generators}

    def joined(self, generators: Iterable[str]) -> dict[str, Answer]:
        """The columns of each generator that is a table, as a struct; None where it is refused."""
        return {text: self._join(text) for text in generators}

    def _join(self, text: str) -> Answer:
        query = f"SELECT made.* FROM palette JOIN LATERAL {text} AS made"
        try:
            return struct(*schema_from_spark(self._spark.sql(query).schema)).not_null()
        except AnalysisException:
            return None

    def tables(self, functions: Iterable[str]) -> dict[str, Answer]:
        """The columns of each table function, as a struct; None where Spark refuses it."""
        return {text: self._table(text) for text in functions}

    def _table(self, text: str) -> Answer:
        try:
            return struct(*schema_from_spark(self._spark.sql(f"SELECT * FROM {text}").schema))
        except (AnalysisException, IllegalArgumentException):
            return None

    def checked(self, expressions: Iterable[str]) -> dict[str, Answer]:
        """Like ``types``, one by one, with the checks of lambdas that only come at the end."""
        return {text: self._checked(text) for text in expressions}

    def _checked(self, text: str) -> Answer:
        try:
            return schema_from_spark(self._spark.sql(f"SELECT {text} FROM palette").schema)[0].type
        except AnalysisException:
            return None

    def _columns(self, generator: str) -> Answer:
        try:
            plan = self._analyzed([generator])
        except AnalysisException:
            return None
        return struct(*_fields(plan.schema().json())).not_null() if plan.resolved() else None

    def _analyzed(self, texts: Sequence[str]) -> Any:
        items = ", ".join(texts)
        return self._analyzer.execute(self._parser.parsePlan(f"SELECT {items} FROM palette"))

    def _ask(self, texts: Sequence[str], found: dict[str, Answer]) -> None:
        try:
            plan = self._analyzed([f"{text} AS c{place}" for place, text in enumerate(texts)])
        except PySparkException:
            # Some functions stop the analyzer at once: the culprits are found by halving.
            if len(texts) == 1:
                found[texts[0]] = None
                return
            half = len(texts) // 2
            self._ask(texts[:half], found)
            self._ask(texts[half:], found)
            return
        if plan.resolved():
            fields = _fields(plan.schema().json())
            found |= {text: field.type for text, field in zip(texts, fields, strict=True)}
            return
        for text, item in zip(texts, _items(plan), strict=True):
            found[text] = _type_of(item) if item.resolved() else None


def _fields(document: str) -> tuple[Field, ...]:
    return schema_from_spark(StructType.fromJson(json.loads(document)))


def _items(plan: Any) -> list[Any]:
    aggregate = plan.nodeName() == "Aggregate"
    items = plan.aggregateExpressions() if aggregate else plan.projectList()
    return [items.apply(place) for place in range(items.length())]


def _type_of(item: Any) -> LogicalType | None:
    try:
        type_ = item.dataType()
    except IllegalArgumentException:  # of the type itself, a shape's reference system for one
        return None
    field = {
        "name": "c",
        "type": json.loads(type_.json()),
        "nullable": item.nullable(),
        "metadata": {},
    }
    return _fields(json.dumps({"type": "struct", "fields": [field]}))[0].type
