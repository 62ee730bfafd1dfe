"""Interprets the tree as a Spark DataFrame, through the DataFrame API and never through SQL text.

This makes comparing the DataFrame with the result of the SQL text a proof. (``SqlText`` is the
exception: its text is the user's own.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from viewscribe.catalog_store.permissions import is_authored
from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.asynchronous.options import async_settings, sparks_own
from viewscribe.expressions.node import Node, preorder
from viewscribe.expressions.properties import is_correlated, is_special
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import HandlerTable, summary_line
from viewscribe.operations.rewrites.asynchronous.schedule import schedule
from viewscribe.operations.rewrites.split import split_large_expressions
from viewscribe.operations.user_functions import user_functions
from viewscribe.spark.arrow import require_arrow
from viewscribe.spark.bridge import Bridge, without_call_sites
from viewscribe.spark.columns import Translator
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.functions import register_functions
from viewscribe.spark.gate import gate_of, require_of_catalogs
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.late_times import cost, times_in_files
from viewscribe.spark.python_functions import zone_reader_in_tree
from viewscribe.spark.run_settings import warn_of_run_settings
from viewscribe.spark.session import differing_settings, settings
from viewscribe.spark.types import HIGHEST, LARGEST, Frame, Names, is_internal, plain, rename
from viewscribe.spark.workers import refuse_sent_in_stream

Handler = Callable[["Interpreter", Any, list[Frame]], Frame]


Sources = Mapping[tuple[str, ...], DataFrame]
"""DataFrames that are read in the place of tables, by the paths of those."""


def to_dataframe(
    operation: QueryOperation,
    spark: SparkSession,
    options: Mapping[str, str] | None = None,
    sources: Sources | None = None,
) -> DataFrame:
    """Returns the pipeline as a DataFrame, under the settings of the session.

    Args:
        operation: the pipeline.
        spark: the session that has the tables.
        options: the environment's settings, which configure asynchronous functions.
        sources: DataFrames to read instead of tables.

    Raises:
        NotInterpretableError: the DataFrame API cannot express a part; names it and the way out.
        ValidationError: the pipeline does not read a table of ``sources``.
        MissingOnWorkersError: workers lack what a Python function needs.
    """
    if sources:
        _check_read(operation, sources)
    if is_authored():
        require_of_catalogs(operation, spark)
    else:
        gate_of(spark).require_tree("the pipeline", operation)
    plan = schedule(operation, async_settings(options or {}))
    for each in plan.refused:
        raise NotInterpretableError(
            f"{each.call.as_summary_string()} cannot be called here: {each.why}",
            location=summary_line(each.operation),
            hint=each.hint,
        )
    register_functions(operation, spark, options, for_text=False)
    with without_call_sites():
        made = Interpreter(spark, sources, options).run(split_large_expressions(plan.operation))
    refuse_sent_in_stream(user_functions(operation), made)
    return made


def to_dataframe_as_meant(
    operation: QueryOperation,
    spark: SparkSession,
    meant: Mapping[str, str],
    sources: Sources | None = None,
) -> DataFrame:
    """Returns the pipeline as a DataFrame that is analyzed under the settings it is meant for.

    Raises:
        NotInterpretableError: as ``to_dataframe``; or the session has other settings, and analyzes
            a DataFrame only when it runs, as over Connect.
        VerificationError: a setting cannot be changed in this session.
    """
    if not sparks_own(meant):
        return to_dataframe(operation, spark, meant, sources)
    if not is_classic(spark):
        for name, (here, there) in differing_settings(spark, meant).items():
            raise NotInterpretableError(
                f"the pipeline is meant for {name} = {here}, and the session has {there}: "
                "over Connect a DataFrame is analyzed when it runs, under the session's settings",
                hint=f"change that, spark.conf.set({name!r}, …), or save the pipeline as a view "
                "and open that: vs.open_view(…) keeps its settings",
            )
    with settings(spark, meant):
        made = to_dataframe(operation, spark, meant, sources)

    def find_zone_reader() -> str | None:
        return zone_reader_in_tree(operation) or times_in_files(made)

    warn_of_run_settings(spark, "the pipeline", meant, find_zone_reader)
    return made


def _check_read(operation: QueryOperation, sources: Sources) -> None:
    read = {each.path for each in preorder(operation) if isinstance(each, n.CatalogSource)}
    for path in sources:
        if path not in read:
            known = sorted(".".join(each) for each in read)
            raise ValidationError(
                f"the pipeline does not read the table {'.'.join(path)}",
                location=f"it reads {', '.join(known) or 'no table'}",
                hint="give a DataFrame for a table that it reads",
            )


class Interpreter:
    """One run over a tree, which builds a ``Frame`` for every operation.

    Args:
        spark: the session that has the tables.
        sources: DataFrames to read in the place of tables.
        written: the settings that its SQL texts were written for.
    """

    def __init__(
        self,
        spark: SparkSession,
        sources: Sources | None = None,
        written: Mapping[str, str] | None = None,
    ) -> None:
        self.spark = spark
        self.written = written or {}
        self.sources: Sources = sources or {}
        self.names = Names()
        self.bridge = Bridge(spark)
        self._outer: tuple[Sequence[str], ...] = ()
        self._frames: dict[int, Frame] = {}

    def run(self, root: QueryOperation) -> DataFrame:
        """Returns the DataFrame of a whole tree, with the column names of its schema."""
        wanted = root.schema.names
        self._name_early(root, wanted)
        frame = self.frame(root)
        if frame.is_plain:
            return frame.base if frame.names == wanted else frame.base.toDF(*wanted)
        return _select(frame, wanted)

    def _name_early(self, root: QueryOperation, wanted: Sequence[str]) -> None:
        """Gives the columns their final names below a final sort, where SQL does it too."""
        node, steps = root, 0
        while isinstance(node, n.Sort | n.Limit | n.Offset):
            if any(is_special(each) for each in node.children() if each is not node.child):
                return
            node, steps = node.child, steps + 1
        if steps and len({name.lower() for name in wanted}) == len(wanted):
            self._frames[id(node)] = Frame.of(_select(self.frame(node), wanted), wanted)

    def frame(self, root: QueryOperation) -> Frame:
        """Returns the frame of an operation; shared operations are built once."""
        frames = self._frames
        stack = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if id(node) in frames:
                continue
            inputs = _inputs(node)
            if inputs and not expanded:
                stack.append((node, True))
                stack.extend((child, False) for child in inputs)
                continue
            frames[id(node)] = self._handle(node, [frames[id(child)] for child in inputs])
        return frames[id(root)]

    def _handle(self, node: QueryOperation, inputs: list[Frame]) -> Frame:
        return handlers()[type(node)](self, node, inputs)

    def plain(self, frame: Frame) -> Frame:
        """Applies everything that the frame has deferred."""
        return plain(frame, self.names)

    def translator(self, *frames: Frame) -> Translator:
        """Returns a translator of expressions over the columns of the frames, in order."""
        cells = [cell for frame in frames for cell in frame.cells]

        def query(operation: QueryOperation) -> DataFrame:
            if is_correlated(operation) and not all(is_internal(cell.name) for cell in cells):
                raise NotInterpretableError(
                    "a sub-query that refers to the row around it cannot stand here for Spark",
                    location=operation.as_summary_string().partition("\n")[0],
                    hint="compute it in a step of its own first: add_columns(…)",
                )
            with self.within([str(cell.name) for cell in cells]):
                return self.plain(self.frame(operation)).base

        return Translator(cells, self._outer, query, self.bridge)

    @contextmanager
    def within(self, names: Sequence[str]) -> Iterator[None]:
        """Returns the scope of a sub-query, whose outer references mean the columns ``names``.

        Frames are not shared with the enclosing query.
        """
        outer, frames = self._outer, self._frames
        self._outer, self._frames = (*outer, names), {}
        try:
            yield
        finally:
            self._outer, self._frames = outer, frames

    def is_correlated(self, operation: QueryOperation) -> bool:
        """Whether the operation is in a sub-query and has outer references."""
        return bool(self._outer) and is_correlated(operation)

    def unmistakable(self, frame: Frame, expressions: Sequence[Node]) -> Frame:
        """The frame, with columns of names of their own if a sub-query refers to its rows.

        Where such a name is also that of a column anywhere in the sub-query, even of one below a
        projection, Spark takes that column, and the sub-query means something else.
        """
        if not any(map(is_correlated, expressions)):
            return frame
        if frame.is_plain and all(map(is_internal, frame.names)):
            return frame
        return rename(frame, self.names)

    def prepared(self, frame: Frame, expressions: Sequence[Node]) -> Frame:
        """The frame, carried out if the expressions over it would be too large or are special."""
        frame = self.unmistakable(frame, expressions)
        if frame.is_plain:
            return frame
        if frame.sealed or frame.session is not None or any(map(is_special, expressions)):
            return self.plain(frame)
        costs = [cost(expression, frame.cells) for expression in expressions]
        height = max((height for height, _ in costs), default=0)
        if height > HIGHEST or sum(size for _, size in costs) > LARGEST:
            return self.plain(frame)
        return frame


def _select(frame: Frame, names: Sequence[str]) -> DataFrame:
    pairs = zip(frame.cells, names, strict=True)
    return frame.rows().select(
        *[cell.column if cell.name == name else cell.column.alias(name) for cell, name in pairs]
    )


def _inputs(node: QueryOperation) -> Sequence[QueryOperation]:
    """What is interpreted before the node; the right side of a lateral join has its own scope."""
    from viewscribe.spark.joins import union_parts

    if isinstance(node, n.LateralJoin):
        return (node.left,)
    if isinstance(node, n.SetOperation) and node.kind is n.SetKind.UNION:
        return union_parts(node)
    return node.inputs()


_handlers: HandlerTable[Handler] = HandlerTable(
    "the counterpart in Spark's DataFrame API", error=NotInterpretableError
)


def handlers() -> HandlerTable[Handler]:
    """Returns the handler of each operation."""
    if not _handlers:
        from viewscribe.spark import groups, joins, order, rows, sources

        for module in (sources, rows, groups, joins, order):
            _handlers.update(module.HANDLERS)
        _handlers[n.Process] = _process
    return _handlers


def _process(run: Interpreter, node: n.Process, inputs: list[Frame]) -> Frame:
    require_arrow(node.function)
    from viewscribe.spark.process.tasks import call_in_batches

    return call_in_batches(run, node, inputs)
