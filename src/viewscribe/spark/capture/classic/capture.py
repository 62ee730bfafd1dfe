"""From the analyzed plan of a DataFrame to our operations.

The plan is walked in a loop, inputs first, so its depth does not matter. What each of Spark's
operators is to us is said in the tables of the package ``operators``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from viewscribe.errors import CaptureError
from viewscribe.operations import nodes as n
from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.capture.classic.expressions import reader
from viewscribe.spark.capture.classic.expressions.functions import functions_of_classes
from viewscribe.spark.capture.classic.expressions.refusals import HANDLERS as REFUSED_HANDLERS
from viewscribe.spark.capture.classic.expressions.refusals import WITHOUT_SQL
from viewscribe.spark.capture.classic.operators.refusals import REASONS
from viewscribe.spark.capture.classic.operators.shapes import GENERATORS, LISTINGS
from viewscribe.spark.capture.classic.plan import PlanNode, inputs_of, is_operator, refusal
from viewscribe.spark.capture.classic.run import CaptureRun, Fold, Handler, ids_of
from viewscribe.spark.capture.session_functions import all_refused, refusals_in
from viewscribe.types import Field


class Capture(CaptureRun):
    """A run that captures each operator with its handler, or several of them as one."""

    def _step(self, node: PlanNode) -> Fold:
        """What an operator reads, and how it is captured then."""
        from viewscribe.spark.capture.classic.operators.expands import fold_of

        folded = fold_of(node)
        if folded is not None:
            return folded
        return Fold(self._inputs(node), lambda run, captured: self._handle(node, captured))

    def _inputs(self, node: PlanNode) -> list[PlanNode]:
        alone = (
            node.kind in whole()
            or _is_command(node)
            or (node.kind == "View" and not node["isTempView"])
        )
        return [] if alone else inputs_of(node)

    def _handle(self, node: PlanNode, inputs: list[Captured]) -> Captured:
        handler = handlers().get(node.kind)
        if _is_command(node):
            raise refusal(
                node,
                "the rows are the answer of a command, not of a query",
                hint="save it as a table: df.write.saveAsTable(…), and start from spark.table(…)",
            )
        if handler is None:
            raise refusal(
                node,
                f"the operator `{node.kind}` has no counterpart that is known here",
                hint="save its result as a table, and start from spark.table(…)",
            )
        return handler(self, node, inputs)


def _is_command(node: PlanNode) -> bool:
    """Whether it is a command, whose parts are no queries."""
    return "command" in node.extra and node.kind not in handlers()


_handlers: dict[str, Handler] = {}
_whole: set[str] = set()


def handlers() -> dict[str, Handler]:
    """How each operator is captured."""
    if not _handlers:
        from viewscribe.spark.capture.classic.operators import (
            columns,
            expands,
            groups,
            joins,
            loops,
            refusals,
            rows,
            shapes,
            sources,
        )

        families = (
            sources,
            columns,
            rows,
            joins,
            joins,
            groups,
            shapes,
            expands,
            loops,
            refusals,
        )
        for module in families:
            _handlers.update(module.HANDLERS)
        _whole.update(sources.WHOLE, refusals.HANDLERS)
    return _handlers


def whole() -> set[str]:
    """Operators that are captured without looking at what they read."""
    handlers()
    return _whole


# What the capture of analyzed plans makes of every operator and expression of Spark 4.0 to 4.3.
#
# ``operators()`` and ``expressions()`` give a row for each; the page about capturing is made of
# them. Commands are left out: a DataFrame of one is a ``CommandResult``, which is refused.

Status = Literal["supported", "refused", "not reachable"]


class Row(NamedTuple):
    """One class of Spark's.

    Args:
        name: its simple name.
        status: what becomes of it.
        note: what it becomes, or why it does not.
    """

    name: str
    status: Status
    note: str


def operators() -> list[Row]:
    """Every logical operator that is no command, by name."""
    rows = {row.name: row for row in _operators()}
    return [rows[name] for name in sorted(rows)]


def expressions() -> list[Row]:
    """Every expression class, by name."""
    rows = {row.name: row for row in _expressions()}
    return [rows[name] for name in sorted(rows)]


def _operators() -> Iterator[Row]:
    yield from _list_rows(_RESOLVED_OPERATORS)
    for name in handlers():
        if name not in REASONS:
            yield Row(name, "supported", _OPERATOR_NOTES.get(name, ""))
    for name, (reason, hint) in REASONS.items():
        yield Row(name, "refused", f"{reason}; {hint}")


def _expressions() -> Iterator[Row]:
    yield from _list_rows(_INTERNAL_EXPRESSIONS)
    for name in _WITHOUT_SQL.split():
        yield Row(name, "refused", "it has no counterpart in SQL that is known here")
    for name, note in _READ_INSIDE.items():
        yield Row(name, "supported", note)
    called = {name: function.name for name, function in functions_of_classes().items()}
    for name, function in (called | GENERATORS | LISTINGS).items():
        yield Row(name, "supported", f"{function}(…)")
    for name in reader.handlers():
        if name in WITHOUT_SQL:
            yield Row(name, "refused", "; ".join(WITHOUT_SQL[name]))
        elif name in REFUSED_HANDLERS:
            yield Row(name, "refused", "it is known to its session alone")
        else:
            yield Row(name, "supported", "")


def _list_rows(groups: Mapping[str, str]) -> Iterator[Row]:
    for reason, names in groups.items():
        for name in names.split():
            yield Row(name, "not reachable", reason)


_OPERATOR_NOTES = {
    "Expand": "grouping sets, unpivot and time windows are turned back; else rows of an array",
    "Project": "pivots, windows, padding and casts of views are folded away",
    "Aggregate": "with grouping sets and pivots turned back",
    "View": "a permanent view by its name; of a temporary one the body",
    "SubqueryAlias": "names that a user gave stay",
    "LogicalRelation": "a table by its name, files by their path",
    "LocalRelation": "VALUES, up to a number of rows",
    "AttachDistributedSequence": "row_number() in the order of partitions and rows",
    "CollectMetrics": "as its input: what is observed is no part of the rows",
    "Sort": "ORDER BY; within partitions SORT BY",
    "AsOfJoin": "a lateral join that sorts by the distance and takes the first row",
    "NearestByJoin": "a lateral join that sorts by the figure; approximate ones are exact",
    "Sample": "without replacement; parts of randomSplit by the numbers they draw",
    "Deduplicate": "DISTINCT, or one row of each group",
    "EventTimeWatermark": "nothing: it has no effect on a batch query",
    "CTERelationRef": "the query itself, shared",
    "UnionLoop": "a recursive query: WITH RECURSIVE",
    "UnionLoopRef": "a recursive query within itself, by its name",
}

_RESOLVED_OPERATORS = {
    "the analyzer replaces it": """
        DataFrameDropColumns ExecuteImmediateQuery GeneralParameterizedQuery
        NameParameterizedQuery NamedStreamingRelation
        Pivot PlanWithUnresolvedIdentifier PosParameterizedQuery RelationTimeTravel
        ResolvedInlineTable SQLTableFunction TemporaryViewRelation UnresolvedBinBy
        UnresolvedCatalogRelation UnresolvedCteRelationRef UnresolvedDataSource
        UnresolvedDeduplicate UnresolvedEventTimeWatermark UnresolvedExecuteImmediate
        UnresolvedFunctionName UnresolvedHaving UnresolvedHint UnresolvedIdentifier
        UnresolvedInlineTable UnresolvedInsert UnresolvedInsertTarget UnresolvedNamespace
        UnresolvedProcedure UnresolvedQualify UnresolvedRelation UnresolvedSubqueryColumnAliases
        UnresolvedTVFAliases UnresolvedTable UnresolvedTableOrView UnresolvedTableValuedFunction
        UnresolvedTranspose UnresolvedView UnresolvedWith Unpivot WithWindowDefinition
        MetricViewPlaceholder ResolvedMetricView CurrentNamespace""",
    "it is a part of a command": """
        AutoCdcInto Call CreateTable InsertIntoDir InsertIntoStatement MergeRows ResolvedIdentifier
        ResolvedNamespace ResolvedNonPersistentFunc ResolvedPersistentFunc ResolvedPersistentView
        ResolvedProcedure ResolvedTable ResolvedTempView V2ChangelogReference V2TableReference
        WriteFiles""",
    "it is a statement of a script": """
        ErrorCondition ExceptionHandler ForStatement IfElseStatement IterateStatement LeaveStatement
        LoopStatement MultiResult RepeatStatement SearchedCaseStatement SimpleCaseStatement
        SingleStatement WhileStatement""",
    "the optimizer makes it": """
        DataSourceV2ScanRelation DomainJoin EmptyRelation DummyExpressionHolder
        LogicalQueryStage NonGroupingAggregateReference OrderedJoin OffsetHolder ReturnAnswer
        ScanBuilderHolder Subquery WindowGroupLimit""",
    "only a stream has it": """
        MemoryPlan SequentialStreamingUnion StreamingDataSourceV2ScanRelation
        UpdateEventTimeWatermarkColumn WriteToContinuousDataSource WriteToDataSourceV2
        WriteToMicroBatchDataSource WriteToMicroBatchDataSourceV1 WriteToStream
        WriteToStreamStatement""",
}

_READ_INSIDE = {
    "Product": "the values collected and multiplied in order",
    "AttributeReference": "a column, found by its id",
    "CurrentRow": "of a window",
    "CommonExpressionDef": "of what replaced a call, which is read instead",
    "DropField": "of dropFields(…)",
    "ExtractANSIIntervalDays": "of a date moved by an interval of days",
    "KnownNullable": "of a time window",
    "LateralSubquery": "of a lateral join",
    "ListQuery": "of IN (query)",
    "PivotFirst": "of a pivot",
    "ResolvedCollation": "of COLLATE",
    "SpecifiedWindowFrame": "of a window",
    "UnboundedFollowing": "of a window",
    "UnboundedPreceding": "of a window",
    "UnspecifiedFrame": "of a window",
    "V2Aggregator": "an aggregate that a catalog has itself, by its name",
    "WindowSpecDefinition": "of a window",
    "WithField": "of withField(…)",
}

_WITHOUT_SQL = """
    ApproxCountDistinctForIntervals ArrayBinarySearch BinaryPad BloomFilterAggregate
    BloomFilterMightContain Bucket CastTimestampNTZToLong CollationAwareMurmur3Hash
    CollationAwareXxHash64 CollationKey CollectTopK CounterDiffWithStartTime
    CurrentTimestampNanos Days DistributedSequenceID EWM ExternalUserDefinedFunction
    ExtractANSIIntervalHours ExtractANSIIntervalMinutes ExtractANSIIntervalMonths
    ExtractANSIIntervalSeconds ExtractANSIIntervalYears ExtractIntervalDays ExtractIntervalHours
    ExtractIntervalMinutes ExtractIntervalMonths ExtractIntervalSeconds ExtractIntervalYears
    FromAvro FromProtobuf GetTimestamp HiveHash Hours JsonTable KnownNotNull LocalTimestampNanos
    MakeTimestampLTZNanos MakeTimestampNTZNanos MapSort MaxMinByK Months
    NanosToTimestamp NullIndex PandasCovar PandasKurtosis PandasMode PandasProduct PandasSkewness
    PandasStddev PandasVariance PrintToStderr RegrReplacement ReplicateRows
    SchemaOfAvro SecondWithFraction SecondWithFractionNanos StringDecode
    StringSplitSQL ToAvro ToPrettyString ToProtobuf TransformExpression TranspiledPythonUDF
    TranspiledUDFParameter UnixNanos Unnest UserDefinedGenerator
    VariantExplode YearOfWeek Years"""

_INTERNAL_EXPRESSIONS = {
    "the analyzer replaces it": """
        ColumnNodeExpression Cube CurrentBatchTimestamp CursorReference
        ExpressionWithUnresolvedIdentifier FunctionTableSubqueryArgumentExpression GeneratorOuter
        GetColumnByOrdinal GetViewColumnByNameAndOrdinal Grouping GroupingID GroupingSets
        LateralColumnAliasReference LazyExpression MultiAlias NamedArgumentExpression NamedParameter
        OuterScopeReference PipeExpression PosParameter PrettyAttribute PrettyPythonUDF ResolvedStar
        Rollup SQLFunctionExpression ScalarCastHelper SemiStructuredExtract SessionWindow
        TempResolvedColumn TimeWindow UnresolvedAlias UnresolvedAttribute
        UnresolvedCatalystToExternalMap UnresolvedCollation UnresolvedCursor UnresolvedDataFrameStar
        UnresolvedDeserializer UnresolvedExistsPlanId UnresolvedExtractValue UnresolvedFieldName
        UnresolvedFieldPosition UnresolvedFunction UnresolvedGenerator UnresolvedInSubqueryPlanId
        UnresolvedMapObjects UnresolvedNamedLambdaVariable UnresolvedOrdinal UnresolvedPartitionSpec
        UnresolvedPipeAggregateOrdinal UnresolvedPolymorphicPythonUDTF UnresolvedRegex
        UnresolvedScalarSubqueryPlanId UnresolvedStar UnresolvedStarExceptOrReplace
        UnresolvedStarWithColumns UnresolvedStarWithColumnsRenames UnresolvedTableArgPlanId
        UnresolvedTableSpec UnresolvedWindowExpression UpCast WindowTime
        NamePlaceholder UnresolvedSeed UnresolvedWithinGroup""",
    "it is a part of a command": """
        AlterColumnSpec Assignment CdcAssertCommitTimestampNotNull CheckConstraint CheckInvariant
        CheckOverflowInTableInsert ColumnDefinition DefaultValueExpression DeleteAction
        ForeignKeyConstraint GeneratedColumnExpression InsertAction InsertReplaceOn
        InsertReplaceUsing InsertReplaceWhere InsertStarAction OptionList PrimaryKeyConstraint
        QualifiedColType ResolvedFieldName ResolvedFieldPosition ResolvedPartitionSpec
        UniqueConstraint UpdateAction UpdateStarAction Discard Keep Split""",
    "the IF that it stands in is read with it": "TypedNullLiteral",
    "the optimizer or the execution makes it": """
        BoundReference CheckOverflow CheckOverflowInSum
        DecimalAddNoOverflowCheck DecimalDivideWithOverflowCheck DecimalSubtractNoOverflowCheck
        DirectShufflePartitionID DynamicPruningExpression DynamicPruningSubquery Empty2Null
        ExpressionProxy InSet KnownFloatingPointNormalized KnownNotContainsNull MakeDecimal
        MultiCommutativeOp MultiGetJsonObject SortPrefix UnscaledValue
        UnwrapVariantCastError CoalescedHashPartitioning CoalescedNullAwareHashPartitioning
        HashPartitioning InSubqueryExec KeyGroupedPartitioning KeyedPartitioning NoOp
        NormalizeNaNAndZero
        NullAwareHashPartitioning PartitioningCollection RangePartitioning
        ScalarSubqueryReference ShufflePartitionIdPassThrough""",
    "it belongs to Scala's typed Datasets, whose operators are refused": """
        AssertNotNull CatalystToExternalMap CreateExternalRow DecodeUsingSerializer
        EncodeUsingSerializer ExternalMapToCatalyst GetExternalRowField InitializeJavaBean
        LambdaVariable MapObjects ToJavaArray UnwrapOption UnwrapUDT ValidateExternalType
        WrapOption""",
}


# Everything in a plan that cannot be captured, not only the first.

_OF_EXPRESSIONS = frozenset(("Aggregate", "Filter", "Join", "Project", "Sort"))
"""Operators in which several expressions can be refused, each for a reason of its own."""


class WholeCapture(Capture):
    """Goes on past what is refused, with columns of the same types in its place.

    The plan it walks must say the columns of every operator.
    """

    def check(self, root: PlanNode) -> None:
        """Walks over the whole plan.

        Raises:
            CaptureError: all that cannot be captured.
        """
        self.refusals: dict[str, CaptureError] = {}
        self.captured(root)
        if self.refusals:
            raise all_refused(list(self.refusals.values()))

    def _captured(self, node: PlanNode, step: Fold, inputs: list[Captured]) -> Captured:
        try:
            found = super()._captured(node, step, inputs)
        except CaptureError as error:
            self._note(error)
            if node.kind in _OF_EXPRESSIONS and step.inputs == inputs_of(node):
                self._look_further(node, inputs)
            return _placeholder(node)
        for each in refusals_in(found.operation):
            self._note(each)
        return found

    def _inputs(self, node: PlanNode) -> list[PlanNode]:
        """What a refused operator reads is looked at as well."""
        return super()._inputs(node) or inputs_of(node)

    def _look_further(self, node: PlanNode, inputs: list[Captured]) -> None:
        for each in node.expressions():
            if not is_operator(each):
                try:
                    self.expressions(*inputs).read(each)
                except CaptureError as error:
                    self._note(self.placed(error, node))

    def _note(self, error: CaptureError) -> None:
        self.refusals.setdefault(str(error), error)


def _placeholder(node: PlanNode) -> Captured:
    fields = [
        Field(each["name"], each["dataType"].with_nullability(each["nullable"]))
        for each in node.output
    ]
    return Captured(n.CatalogSource.of((node.kind,), tuple(fields)), ids_of(node.output))
