"""The gate of a session: texts are read as the session would read them, under its settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pyspark.errors import ParseException, PySparkException
from pyspark.sql import SparkSession

from viewscribe.catalog_store.gate import Gate
from viewscribe.catalog_store.permissions import Permissions, is_authored, permissions_in_force
from viewscribe.errors import SqlSyntaxError, ValidationError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.reach import Argument, CallReach, Options, Part, Parts, Reach
from viewscribe.operations.spark_names import is_system_function
from viewscribe.operations.user_functions import stored_parts
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.java_classes import (
    NotCompiledError,
    Py4JError,
    is_classic,
    java_object,
    unpack,
)
from viewscribe.spark.missing_functions import with_functions
from viewscribe.spark.session import (
    SPARK_ERRORS,
    first_line,
    run_as_written,
    session_settings,
    settings,
    settings_of_text,
)
from viewscribe.spark.session_objects import SessionObjects
from viewscribe.spark.stand_ins import stand_ins, with_stand_ins
from viewscribe.spark.types import schema_from_spark
from viewscribe.types import Field
from viewscribe.types.identifiers import quote_name

# What a text names, as Spark's own parser reads it; the parser runs nothing.
#
# Spark's unresolved plan may hold no other classes than those below, whatever holds them. So a
# command, a script, a write and whatever a newer Spark or an extension of the session adds is
# refused by its name, until somebody has looked at it.


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


SPARKS_OWN = "spark_catalog"


def gate_of(
    spark: SparkSession,
    allowed: Permissions | None = None,
    known: Iterable[Sequence[str]] = (),
    written: Mapping[str, str] | None = None,
) -> Gate:
    """Returns the gate for texts that others may have written.

    Args:
        spark: the session that will be given them, with the settings under which it will read them.
        allowed: what they may read and call; by default the permissions in force.
        known: functions of catalogs that they call and that are looked at by themselves.
        written: the settings that a text was written for, which it is read under where it is the
            user's own: within ``authored`` it may name whatever is seen in it so.
    """
    given = permissions_in_force() if allowed is None else allowed
    return _gate(spark, given, (written or {}) if is_authored() else None).knowing(known)


def own_gate_of(spark: SparkSession) -> Gate:
    """Returns the gate for texts that the user typed: they may name anything, but are queries."""
    return replace(_gate(spark, None, None), is_typed=True)


def gate_of_stored(spark: SparkSession) -> Gate:
    """Returns the gate for what documents say, also within a pipeline of the user's own."""
    return _gate(spark, permissions_in_force(), None)


def require_of_catalogs(operation: QueryOperation, spark: SparkSession) -> None:
    """Rejects a pipeline whose stored parts name what the user has beside the catalogs.

    Raises:
        ForbiddenSourceError: they do; whatever else they name was looked at where they came in.
    """
    gate = _gate(spark, None, None)
    for part in stored_parts(operation):
        gate.require_tree("a stored pipeline", part)


def _gate(
    spark: SparkSession, allowed: Permissions | None, written: Mapping[str, str] | None
) -> Gate:
    settings, parser = session_settings(spark), QueryParser.of(spark)
    return Gate(allowed, settings, parser, SessionNames(spark), written=written)


class SessionNames:
    """What a session has under the names in a text.

    Args:
        spark: the session.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._own = SessionObjects(spark)

    def is_of_databases(self, function: Parts) -> bool:
        """Whether a function is surely of none of Spark's catalogs, whose functions run classes."""
        if len(function) == 1 and is_system_function(function[0]):
            return True
        if len(function) > 2:
            return False
        # Of two parts, the first is a catalog where the session has one of that name.
        place = f"spark.sql.catalog.{function[0]}"
        if function[1:] and self._spark.conf.get(place, None) is not None:
            return False
        return self._spark.catalog.currentCatalog() == SPARKS_OWN

    def has_table(self, name: Parts) -> bool:
        """Whether there is a table, or a view, of this name."""
        return self._spark.catalog.tableExists(quote_name(name))

    def has_temporary_function(self, name: Parts) -> bool:
        """Whether Spark calls a temporary function of the user's by this name."""
        return stand_ins(self._spark).find(name[-1:]) is None and self._own.has_function(name)

    def find_variables(self, columns: Iterable[Parts]) -> Iterable[Parts]:
        """Those among the names of columns that are names of variables as well."""
        return self._own.find_variables(columns)

    def reads_own(self, query: str) -> bool:
        """Whether a query that runs nothing reads a variable or a temporary view of the user's."""
        return self._own.are_read(query, stand_ins(self._spark).lends)

    def has_temporary_view(self, name: Parts) -> bool:
        """Whether the user has a temporary view of this name; one of viewscribe's is none."""
        is_lent = len(name) == 1 and stand_ins(self._spark).lends(name[0])
        return not is_lent and self._own.has_view(name)


# The columns of a query that viewscribe does not read, as a session tells them.

Finder = Callable[[Sequence[str]], UserFunction | None]


def columns_of_text(text: str, spark: SparkSession) -> tuple[Field, ...]:
    """The columns of a query, whose names are full ones.

    Raises:
        ValidationError: it does not run in the session.
        CaptureError: it uses a variable of the session.
    """
    asked = own_gate_of(spark).admit(with_stand_ins(text, spark), "the query")
    try:
        schema = with_functions(spark, lambda: run_as_written(spark, asked).schema)
        SessionObjects(spark).refuse_variables(asked)
    except SPARK_ERRORS as error:
        raise ValidationError(
            f"Spark does not tell the columns of a query: {first_line(error)}",
            hint="see that the query runs in this session, or say its schema=",
        ) from error
    return tuple(schema_from_spark(schema))


def own_functions(find: Finder, spark: SparkSession) -> Finder:
    """``find``, which refuses temporary functions of the session that it does not know itself."""
    own = SessionObjects(spark)

    def found(parts: Sequence[str]) -> UserFunction | None:
        function = find(parts)
        if function is None:
            own.refuse_function(parts)
        return function

    return found
