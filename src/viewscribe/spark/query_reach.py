"""What a text names, as Spark's own parser reads it; the parser runs nothing.

Spark's unresolved plan may hold no other classes than those below, whatever holds them. So a
command, a script, a write and whatever a newer Spark or an extension of the session adds is refused
by its name, until somebody has looked at it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import ParseException, PySparkException
from pyspark.sql import SparkSession

from viewscribe.errors import SqlSyntaxError
from viewscribe.operations.reach import Argument, CallReach, Options, Part, Reach
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.janino import NotCompiledError, java_object, unpack
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.session import first_line, settings, settings_of_text


class QueryParser:
    """Spark's parser in a classic session; it puts nothing in the place of variables, ``${…}``.

    Args:
        spark: the session, under whose settings texts are read.
        reader: the object of ``QueryReach.java``.
    """

    def __init__(self, spark: SparkSession, reader: Any) -> None:
        self._spark: Any = spark
        self._reader = reader

    @classmethod
    def of(cls, spark: SparkSession) -> QueryParser | None:
        """Returns that of a session; None where it cannot be asked, over Connect."""
        if not is_classic(spark):
            return None
        try:
            return cls(spark, java_object(spark._jvm, __package__, "QueryReach"))
        except NotCompiledError:
            return None

    def read_reach(self, text: str, part: Part) -> Reach:
        """Returns what a text names.

        Raises:
            SqlSyntaxError: it is not what it should be, or holds what no query does.
        """
        ways = {Part.QUERY: (False,), Part.EXPRESSION: (True,), Part.BODY: (False, True)}[part]
        found: list[Reach] = []
        problem: SqlSyntaxError | None = None
        for is_expression in ways:
            try:
                found.append(self._read(text, part, is_expression=is_expression))
            except _NotReadError as error:
                problem = problem or SqlSyntaxError(str(error))
        if not found:
            assert problem is not None
            raise problem
        # Where a text can be both, Spark may take it for either.
        return Reach(
            tuple(each for one in found for each in one.relations),
            tuple(each for one in found for each in one.calls),
            tuple(each for one in found for each in one.options),
            any(one.computes_names for one in found),
            tuple(each for one in found for each in one.variables),
        )

    def _read(self, text: str, part: Part, *, is_expression: bool) -> Reach:
        session = self._spark._jsparkSession
        as_written = settings(self._spark, settings_of_text(text, {}), whole=False)
        try:
            with silence_errors(), as_written:
                told = json.loads(unpack(self._reader.read(session, text, is_expression)))
        except ParseException as error:
            said = " ".join(str(error).split())
            raise _NotReadError(f"Spark does not read it as {part.value}: {said[:300]}") from error
        except (PySparkException, Py4JError) as error:
            raise SqlSyntaxError(f"Spark's parser fails: {first_line(error)}") from error
        _require_known(told["root"], told["classes"])
        return Reach(
            tuple(tuple(parts) for parts, _, _ in told["relations"]),
            tuple(
                CallReach(tuple(name), tuple(map(_argument, arguments)))
                for name, arguments in told["calls"]
            ),
            tuple((key, value) for _, options, _ in told["relations"] for key, value in options),
            any(map(_computes_names, told["classes"])),
            tuple(map(tuple, told["variables"])),
        )


class _NotReadError(Exception):
    """Spark's parser does not take a text; says why."""


def _argument(told: Any) -> str | Options | Argument:
    if isinstance(told, list):
        return tuple((key, value) for key, value in told)
    return told if isinstance(told, str) else _ARGUMENTS[told]


_ARGUMENTS = {True: Argument.CONSTANT, False: Argument.COMPUTED, None: Argument.NAMED}


def _computes_names(class_name: str) -> bool:
    return class_name.rpartition(".")[2] in _COMPUTED_NAMES


def _require_known(root: str, classes: Iterable[str]) -> None:
    """Refuses a plan that holds what no query does, by the name of its class."""
    unknown = [each for each in classes if not _is_known(each)]
    if unknown:
        shown = (root if root in unknown else min(unknown)).rpartition(".")[2].rstrip("$")
        raise SqlSyntaxError(f"it may be other than a query: Spark reads {shown} in it")


def _is_known(class_name: str) -> bool:
    if class_name in _VALUES or _computes_names(class_name):
        return True
    name = class_name.removeprefix(_CATALYST)
    package, _, simple = name.rpartition(".")
    # Functions of Scala are part of computed names alone, which are refused.
    if "$$Lambda" in simple or "$$anonfun$" in simple:
        return package == "parser" or simple.startswith("ExpressionWithUnresolvedIdentifier")
    return name in _KNOWN


_CATALYST = "org.apache.spark.sql.catalyst."
_COMPUTED_NAMES = frozenset(("ExpressionWithUnresolvedIdentifier", "PlanWithUnresolvedIdentifier"))
_VALUES = frozenset(
    (
        "[B",
        "java.lang.Character",
        "java.util.UUID",
        "scala.Enumeration$Val",
        "org.apache.spark.sql.types.Decimal",
        "org.apache.spark.sql.types.Metadata",
        "org.apache.spark.sql.util.CaseInsensitiveStringMap",
        "org.apache.spark.unsafe.types.CalendarInterval",
    )
)


def _listed(package: str, names: str) -> Iterable[str]:
    return (f"{package}{name}" for name in names.split())


_KNOWN = frozenset(
    (
        "AliasIdentifier",
        "FunctionIdentifier",
        *_listed(
            "analysis.",
            "MultiAlias NamedRelation NamedStreamingRelation RelationTimeTravel ResolvedOrdinal "
            "UnresolvedAlias UnresolvedAttribute UnresolvedExtractValue UnresolvedFunction "
            "UnresolvedGenerator UnresolvedHaving UnresolvedInlineTable UnresolvedOrdinal "
            "UnresolvedPipeAggregateOrdinal UnresolvedQualify UnresolvedRegex "
            "UnresolvedRelation UnresolvedStar UnresolvedStarExcept "
            "UnresolvedStarExceptOrReplace UnresolvedSubqueryColumnAliases "
            "UnresolvedTVFAliases UnresolvedTableValuedFunction",
        ),
        *_listed(
            "expressions.",
            "Add Alias And Ascending$ AttributeReference BitwiseAnd BitwiseNot BitwiseOr "
            "BitwiseXor CaseWhen Cast Coalesce Collate Concat CreateNamedStruct Cube "
            "CurrentDate CurrentPath CurrentRow$ CurrentTime CurrentTimestamp CurrentUser "
            "Descending$ Divide EqualNullSafe EqualTo Exists ExprId "
            "FunctionTableSubqueryArgumentExpression GenericInternalRow GreaterThan "
            "GreaterThanOrEqual GroupingSets ILike If In InSubquery IntegralDivide "
            "IsNotNull IsNotUnknown$$anon$1 IsNotUnknown$$anon$2 IsNull IsUnknown$$anon$1 "
            "LambdaFunction LateralSubquery LessThan LessThanOrEqual Like LikeAll LikeAny "
            "ListQuery Literal Lower Multiply NamePlaceholder$ NamedArgumentExpression Not "
            "NotLikeAll NotLikeAny NullsFirst$ NullsLast$ NumericEvalContext Or Overlay "
            "PipeExpression PipeOperator RLike RangeFrame$ Remainder Rollup RowFrame$ "
            "ScalarSubquery SemiStructuredExtract ShiftLeft ShiftRight ShiftRightUnsigned "
            "SortOrder SpecifiedWindowFrame StringLocate StringTrim StringTrimLeft "
            "StringTrimRight Substring Subtract TimestampAdd TimestampDiff UnaryMinus "
            "UnaryPositive UnboundedFollowing$ UnboundedPreceding$ UnresolvedCollation "
            "UnresolvedNamedLambdaVariable UnresolvedWindowExpression UnspecifiedFrame$ "
            "WindowExpression WindowSpecDefinition WindowSpecReference",
        ),
        *_listed(
            "expressions.aggregate.",
            "AggregateExpression AnyValue Complete$ First Last",
        ),
        *_listed(
            "plans.",
            "Cross$ FullOuter$ Inner$ LeftAnti$ LeftOuter$ LeftSemi$ NaturalJoin "
            "NearestByDistance$ NearestBySimilarity$ RightOuter$ UsingJoin",
        ),
        *_listed(
            "plans.logical.",
            "Aggregate Distinct Except Filter Generate GlobalLimit Intersect Join JoinHint "
            "LateralJoin LimitAll LocalLimit LocalRelation NearestByJoin Offset "
            "OneRowRelation Pivot Project RepartitionByExpression Sample "
            "SampleMethod$Bernoulli$ SampleMethod$System$ Sort SubqueryAlias Union Unpivot "
            "UnresolvedHint UnresolvedWith WithWindowDefinition",
        ),
        *_listed("streaming.", "FlowAssigned Unassigned$ UserProvided"),
    )
)
"""What queries and expressions are made of, in the packages of Catalyst."""
