"""Verifies in Spark that SQL text means the same as its tree: schema, plans and rows.

The witnesses are independent: the text goes through Spark's parser, the tree through the
interpreter, which never reads the text. Both are from our reading where the tree was read from what
an author wrote; then Spark is asked what that means, too.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from viewscribe.catalog_store.circle import NOT_READ_BACK, read_back
from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.documents.normalization import is_edited
from viewscribe.catalog_store.gate import Gate, names_in_text
from viewscribe.catalog_store.permissions import (
    ForbiddenSourceError,
    Permissions,
    authored,
    permissions_in_force,
    raise_first,
)
from viewscribe.errors import VerificationError, ViewscribeError
from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.python_modules import PythonModules, modules_in_force
from viewscribe.expressions.node import preorder
from viewscribe.expressions.properties import functions_of
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.time_zones import find_zoned
from viewscribe.operations.unique_keys import is_sorted
from viewscribe.operations.user_functions import stored_parts, user_functions
from viewscribe.parser.author_texts import with_names_in_full
from viewscribe.serializer import to_sql
from viewscribe.serializer.plan_document import from_plan
from viewscribe.serializer.targets import session_target, settings_of, target_of
from viewscribe.spark.compare import (
    SQL,
    TREE,
    RowComparison,
    Rows,
    compare_plans,
    is_deterministic,
    row_types,
)
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.functions import register_functions
from viewscribe.spark.gate import gate_of, own_gate_of, require_of_catalogs
from viewscribe.spark.interpreter import to_dataframe
from viewscribe.spark.missing_functions import attach_to, with_functions
from viewscribe.spark.order import compare_order
from viewscribe.spark.python_functions import zone_reader_in_tree
from viewscribe.spark.read_texts import in_full, read_in_session
from viewscribe.spark.report import (
    AUTHOR,
    NO_SOURCE,
    NOT_ASKED_FOR,
    NOT_NEEDED,
    Check,
    VerificationReport,
    compare_columns,
    compare_schemas,
    with_nulls_found,
)
from viewscribe.spark.run_settings import TIME_ZONE, run_settings_told
from viewscribe.spark.session import (
    SPARK_ERRORS,
    analyze_query,
    first_line,
    settings,
    settings_of_text,
)
from viewscribe.spark.sources import open_table, with_tables_alone
from viewscribe.spark.stand_ins import with_stand_ins
from viewscribe.spark.timing import log_duration
from viewscribe.spark.types import schema_from_spark
from viewscribe.types import Field
from viewscribe.types.arguments import checks_flags
from viewscribe.types.ddl import parse_type
from viewscribe.types.lexemes import SPARK_SQL, AuthorText, Witness
from viewscribe.types.nested_types import deeply_nullable, value_type
from viewscribe.types.policy import coercion, coercion_of

# Which tables and views are no longer what a tree was built over: why its proof fails.


def changed_sources(operation: QueryOperation, spark: SparkSession) -> tuple[str, ...]:
    """Returns a line for each column that has another type in the session, or that is missing."""
    sources = {
        each.path: each
        for each in preorder(operation)
        if isinstance(each, n.CatalogSource) and each.as_of is None
    }
    return tuple(line for path in sorted(sources) for line in _changes(sources[path], spark))


def _changes(source: n.CatalogSource, spark: SparkSession) -> Iterator[str]:
    name = ".".join(source.path)
    try:
        with silence_errors():
            found = schema_from_spark(open_table(spark, source.path).schema)
    except (*SPARK_ERRORS, ViewscribeError):
        return  # whoever needs it says why it cannot be opened
    types = {field.name.lower(): value_type(field.type) for field in found}
    for field in source.schema:
        now, then = types.get(field.name.lower()), value_type(field.type)
        if now is None:
            yield f"{name} has changed: it has no column `{field.name}` any more"
        elif deeply_nullable(now) != deeply_nullable(then):
            yield f"{name} has changed: `{field.name}` is {now.ddl}, it was {then.ddl}"


_LOG = logging.getLogger(__name__)

_IN_MEMORY = 10_000
_NOT_RUN = "the other side could not be made"


@dataclass(frozen=True, slots=True)
class _Subject:
    """The subject of a verification: a text, its tree and the settings of both."""

    name: str
    sql: str
    operation: QueryOperation
    fields: Sequence[Field]
    settings: Mapping[str, str]
    is_stored: bool = False  # whether it is a document, which anybody may have written
    is_own: bool = False  # whether the text was printed here, from the tree of the user
    is_read: bool = False  # whether the tree is what the text is read as, as there is no plan
    witnesses: Sequence[tuple[QueryOperation, Witness]] = ()  # what authors wrote, by their trees
    path: Sequence[str] = ()  # the database and name of a document


@dataclass(frozen=True, slots=True)
class _Wishes:
    """What the caller wants compared, and allows.

    Args:
        rows: when rows are compared.
        permissions: what the view may read and call.
        modules: where its Python functions may come from.
        in_memory: how many rows are compared in this process.
        original: the DataFrame to compare the text with, instead of with the tree.
    """

    rows: Literal["always", "where needed", "never"]
    permissions: Permissions
    modules: PythonModules
    in_memory: int = _IN_MEMORY
    original: DataFrame | None = None


@checks_flags
def verify(
    subject: object,
    spark: SparkSession,
    *,
    sql: str | None = None,
    rows: bool = True,
    in_memory: int = _IN_MEMORY,
    original: DataFrame | None = None,
    python_modules: PythonModules | Iterable[str] | None = None,
    formats: Iterable[str] = (),
    locations: Iterable[str] = (),
    functions: Iterable[str] = (),
    opaque: Iterable[str] = (),
) -> VerificationReport:
    """Compares SQL text with the tree it came from.

    Args:
        subject: a ``Table``, an operation, or the document of a stored view (already opened in
        this session with ``open_view``, so that its sources exist).
        spark: the session that has the tables.
        sql: the text, if it is not the subject's own. A pipeline's own text is the one for its
        environment's target, or for the session's version.
        rows: whether to compare rows; comparing only schema and plans runs no Spark job.
        in_memory: the number of rows up to which results are compared in this process; larger
        ones are compared in Spark.
        original: the DataFrame that the tree was captured from; the text is then compared with it
            instead of with the interpreted tree.
        python_modules: further modules that Python functions of catalogs may be imported from;
            functions attached to the session need none.
        formats: formats that a stored view may read beyond files, as for ``open_view``.
        locations: directories allowed for its paths and for jars of its functions.
        functions: allowed functions that reach outside the query.
        opaque: views whose text is given to Spark even where nobody here can read it.

    Raises:
        VerificationError: there is nothing to compare: the view was written by another tool, so
        it has no plan, and its text cannot be parsed.
        ForbiddenModuleError: it calls a Python function whose module was not allowed.
        ForbiddenSourceError: a stored view reads or calls something that was not allowed.
    """
    named = Permissions.of(formats, locations, functions, opaque)
    given = permissions_in_force().and_also(named)
    allowed = modules_in_force().and_also(python_modules)
    wishes = _Wishes("always" if rows else "never", given, allowed, in_memory, original)
    return _verify(subject, _subject(subject, sql, spark, given), spark, wishes)


def verify_at_least(document: ViewDocument, spark: SparkSession) -> VerificationReport:
    """Verifies a stored view as ``verify`` does; rows are compared only where plans prove nothing.

    Raises:
        VerificationError, ForbiddenModuleError, ForbiddenSourceError: as ``verify``.
    """
    allowed = permissions_in_force()
    wishes = _Wishes("where needed", allowed, modules_in_force())
    return _verify(document, _subject(document, None, spark, allowed), spark, wishes)


def _verify(
    subject: object, what: _Subject, spark: SparkSession, wishes: _Wishes
) -> VerificationReport:
    late = tuple(_late_settings(what, spark))
    report = replace(_in_zone(_report(subject, what, spark, wishes), what), late=late)
    if report.ok or what.is_read:
        return report
    if report.schema.status != "equal":
        report = replace(report, changed=changed_sources(what.operation, spark))
    return replace(report, edited=isinstance(subject, ViewDocument) and is_edited(subject))


def _late_settings(what: _Subject, spark: SparkSession) -> Iterator[str]:
    """What opening the view in this session warns of."""
    whose = f"the view {what.name}" if what.is_stored else "the pipeline"
    find = partial(zone_reader_in_tree, what.operation)
    return run_settings_told(spark, whose, what.settings, find)


def _in_zone(report: VerificationReport, what: _Subject) -> VerificationReport:
    """The report with the time zone that it holds for, where the pipeline depends on that."""
    zoned = find_zoned(what.operation)
    zone = what.settings.get(TIME_ZONE)
    return replace(report, zone=zone, zoned=zoned) if zone and zoned else report


def _report(
    subject: object, what: _Subject, spark: SparkSession, wishes: _Wishes
) -> VerificationReport:
    original = wishes.original
    meant = settings_of_text(what.sql, what.settings)
    with settings(spark, meant):
        gate = _gate(spark, what, wishes.permissions)
        if not what.is_stored:
            require_of_catalogs(what.operation, spark)
        else:
            raise_first(gate.refused_in_view(f"the view {what.name}", what.operation))
        admitted = _admit(gate, what.sql, spark, what, f"the view {what.name}")
    allowed = wishes.modules.with_given(attach_to(spark))
    with allowed.in_force(), wishes.permissions.in_force() if what.is_stored else authored():
        register_functions(what.operation, spark, what.settings)
    with allowed.in_force(), settings(spark, meant):
        text, text_problem, _ = _attempt(
            SQL, lambda: with_functions(spark, lambda: _query(spark, what, admitted))
        )
        tree, tree_problem, unsayable = _attempt(TREE, lambda: original or _interpret(spark, what))
        if text is None or (tree is None and not unsayable):
            problems = [problem for problem in (text_problem, tree_problem) if problem]
            failed = Check("different", "; ".join(problems))
            skipped = Check("not compared", _NOT_RUN)
            return VerificationReport(what.name, failed, skipped, skipped)
        if tree is None:  # the text may say what no DataFrame can
            schema = compare_schemas(
                text.schema, text.schema, what.operation.schema.fields, what.fields
            )
            skipped = Check("not compared", tree_problem)
            report = VerificationReport(what.name, schema, skipped, skipped)
            source = _ask_authors(spark, what, (text, None), wishes)
            return replace(report, read_back=_read_back(subject, what), source=source)
        report = replace(_compare(what, text, tree), read_back=_read_back(subject, what))
        report = _with_rows(report, what, (text, tree), wishes)
        report = replace(report, source=_ask_authors(spark, what, (text, tree), wishes))
        if what.is_read:
            return report.beside("the tree that it is read as")
        return report if original is None else report.beside("the DataFrame")


def _interpret(spark: SparkSession, what: _Subject) -> DataFrame:
    with authored():  # the tree of a document was looked at with its text
        return to_dataframe(what.operation, spark, what.settings)


def _gate(spark: SparkSession, what: _Subject, permissions: Permissions) -> Gate:
    """Returns the gate for the texts of a subject, under the settings in force."""
    if what.is_own:
        return own_gate_of(spark)
    gate = gate_of(spark, permissions, names_in_text(user_functions(what.operation)))
    is_document = what.is_stored or any(True for _ in stored_parts(what.operation))
    return replace(gate, is_typed=not is_document)


def _admit(gate: Gate, text: str, spark: SparkSession, what: _Subject, whose: str) -> str:
    """Returns a text as the session can run it; a stored view may have other text in its plan.

    Raises:
        ForbiddenSourceError: a text is no query, or reads or calls something that was not allowed.
    """
    whole = with_stand_ins(with_tables_alone(text, spark, what.settings), spark, what.settings)
    return gate.admit(whole, whose, view=what.path)


def _query(spark: SparkSession, what: _Subject, admitted: str) -> DataFrame:
    found = analyze_query(spark, admitted)
    if not what.is_read or len(found.columns) != len(what.fields):
        return found
    return found.toDF(*[field.name for field in what.fields])  # CREATE VIEW v (a, b) AS …


def _subject(
    subject: Any, sql: str | None, spark: SparkSession, permissions: Permissions
) -> _Subject:
    if isinstance(subject, ViewDocument):
        has_plan = subject.plan is not None
        return _document(subject, sql) if has_plan else _text(subject, spark, permissions)
    operation = getattr(subject, "operation", subject)
    if not isinstance(operation, QueryOperation):
        raise VerificationError(
            f"a {type(subject).__name__} cannot be verified",
            hint="give a Table, or the document of a stored view: env.get_view(…)",
        )
    env = getattr(subject, "env", None)
    env_settings = getattr(env, "settings", {})
    is_own = sql is None
    witnesses = [
        (node, node.witness)
        for node in preorder(operation)
        if isinstance(node, QueryOperation) and node.witness is not None
    ]
    if sql is None:
        wanted = getattr(env, "target", None) or session_target(spark.version)
        sql = to_sql(operation, target=wanted)
    meant = settings_of(operation, env_settings)
    fields = operation.schema.fields
    return _Subject("pipeline", sql, operation, fields, meant, is_own=is_own, witnesses=witnesses)


def _document(document: ViewDocument, sql: str | None) -> _Subject:
    name = f"{document.database}.{document.name}"
    text = document.sql if sql is None else sql
    assert document.plan is not None
    with coercion(coercion_of(document.settings)):
        operation = from_plan(document.plan)
    witnesses = [] if document.source is None else [(operation, Witness(document.source))]
    return _Subject(
        *(name, text, operation, _fields(document), document.settings),
        is_stored=True,
        witnesses=witnesses,
        path=(document.database, document.name),
    )


def _text(document: ViewDocument, spark: SparkSession, permissions: Permissions) -> _Subject:
    """Returns the subject for a view of another tool: its text and the tree parsed from it.

    The session is asked for what the text reads, so the text must be admitted before.
    """
    whole, path = in_full(document), (document.database, document.name)
    name, meant = ".".join(path), document.settings
    with settings(spark, settings_of_text(whole.sql, meant)):
        gate_of(spark, permissions).admit(whole.sql, f"the view {name}", view=path)
    tree = read_in_session(whole, spark)
    return _Subject(
        *(name, whole.sql, tree, _fields(document), meant),
        is_stored=True,
        is_read=True,
        path=path,
    )


def _fields(document: ViewDocument) -> list[Field]:
    return [
        Field(column.name, parse_type(column.type).with_nullability(column.nullable))
        for column in document.columns
    ]


def _read_back(subject: Any, what: _Subject) -> Check:
    """Compares the tree parsed from a stored view's text with what Spark makes of the text."""
    if not isinstance(subject, ViewDocument):
        return Check("not compared", NOT_ASKED_FOR)
    if what.is_read:
        return Check("not compared", "the view has no plan but what its text is read as")
    found = read_back(what.operation, what.sql, what.settings)
    if found.different is not None:
        return Check("different", found.different)
    if found.unread is not None:
        return Check("not compared", subject.properties.get(NOT_READ_BACK, found.unread))
    return Check("equal", "viewscribe reads the text as the tree")


def _attempt(side: str, make: Callable[[], DataFrame]) -> tuple[DataFrame | None, str, bool]:
    """Returns the side's DataFrame, or the error and whether no DataFrame says what SQL does."""
    try:
        with silence_errors(), log_duration(_LOG, "analyzed %s", side):
            return make(), "", False
    except (*SPARK_ERRORS, ViewscribeError) as error:
        return None, f"{side} does not analyze: {first_line(error)}", _is_unsayable(error)


def _is_unsayable(error: Exception) -> bool:
    """Whether Spark's API does not say it: a query that looks at the row around it, in most places.

    It refuses some of them, and finds the names of this side, which begin so, nowhere in others.
    """
    if isinstance(error, ViewscribeError):
        return isinstance(error, NotInterpretableError)
    condition = error.getCondition() if isinstance(error, PySparkException) else None
    return (condition or "").startswith("UNSUPPORTED_SUBQUERY_EXPRESSION") or "`_vs" in str(error)


def _compare(what: _Subject, text: DataFrame, tree: DataFrame) -> VerificationReport:
    with log_duration(_LOG, "compared the plans of %s", what.name):
        plan = compare_plans(text, tree)
    schema = compare_schemas(
        text.schema,
        tree.schema,
        what.operation.schema.fields,
        what.fields,
        same_plan=plan.status == "equal",
    )
    return VerificationReport(what.name, schema, plan, Check("not compared", NOT_ASKED_FOR))


def _with_rows(
    report: VerificationReport,
    what: _Subject,
    sides: tuple[DataFrame, DataFrame],
    wishes: _Wishes,
) -> VerificationReport:
    """Returns the report with the rows of the two sides compared, if they are wanted."""
    if wishes.rows == "never":
        return report
    if wishes.rows == "where needed" and report.ok:
        return replace(report, rows=Check("not compared", NOT_NEEDED))
    text, tree = sides
    with log_duration(_LOG, "compared the rows of %s", what.name):
        rows = _rows(what.operation, text, tree, wishes.in_memory)
    schema = with_nulls_found(report.schema, rows.nulls, what.fields, tree.schema)
    return replace(report, schema=schema, rows=rows.check)


# -- the author's text -------------------------------------------------------------------------


def _ask_authors(
    spark: SparkSession,
    what: _Subject,
    sides: tuple[DataFrame, DataFrame | None],
    wishes: _Wishes,
) -> Check:
    """Compares what Spark makes of the texts of authors with the other witnesses."""
    if wishes.original is not None:  # in which Spark itself has read them
        return Check("not compared", NO_SOURCE)
    asked = _Authors(spark, what, sides, wishes)
    checks = [asked.ask(operation, witness) for operation, witness in what.witnesses]
    if not checks:
        return Check("not compared", NO_SOURCE)
    return min(checks, key=lambda each: ("different", "not compared", "equal").index(each.status))


@dataclass(frozen=True, slots=True)
class _Authors:
    """Asks Spark what the texts of authors mean, in the session and under the settings in force.

    Args:
        spark: the session.
        what: what is verified.
        sides: the DataFrames of the SQL text and of the tree, where there is one.
        wishes: what is compared.
    """

    spark: SparkSession
    what: _Subject
    sides: tuple[DataFrame, DataFrame | None]
    wishes: _Wishes

    def ask(self, operation: QueryOperation, witness: Witness) -> Check:
        """Compares one text with the tree that it was read as."""
        if witness.unasked or witness.text.language != SPARK_SQL:
            why = witness.unasked or f"it is written for {witness.text.language}"
            return Check("not compared", f"{AUTHOR} cannot be asked of Spark: {why}")
        try:
            author = self._read(operation, witness.text)
        except ForbiddenSourceError:
            raise
        except ViewscribeError as error:
            return Check("not compared", f"{AUTHOR} cannot be asked of Spark: {error.message}")
        except SPARK_ERRORS as error:
            is_newest = target_of(session_target(self.spark.version)).is_newest
            return Check(
                "different" if is_newest else "not compared",  # it may be for a newer version
                f"{AUTHOR} does not analyze: {first_line(error)}",
            )
        return self._compare(operation, author)

    def _read(self, operation: QueryOperation, author: AuthorText) -> DataFrame:
        called = list(user_functions(operation))
        meant = {**self.what.settings, **author.settings}
        with settings(self.spark, settings_of_text(author.text, meant)):
            gate = own_gate_of(self.spark)  # the user has typed it
            if self.what.is_stored:
                gate = _gate(self.spark, self.what, self.wishes.permissions)
            whose = f"the source of {self.what.name}"
            try:
                text = with_names_in_full(author, called, meant)
            except ViewscribeError:
                gate.admit(author.text, whose)  # what is no query is refused as that
                raise
            admitted = _admit(gate, text, self.spark, self.what, whose)
            found = with_functions(self.spark, lambda: analyze_query(self.spark, admitted))
        named = author.columns and len(author.columns) == len(found.columns)
        return found.toDF(*author.columns) if named else found

    def _compare(self, operation: QueryOperation, author: DataFrame) -> Check:
        text, tree = self.sides
        if operation is not self.what.operation:
            part = to_dataframe(operation, self.spark, self.what.settings)
            found = self._agree(operation, author, part)
            return replace(found, detail=f"of a part: {found.detail}")
        if tree is None:
            return self._agree(operation, author, text).reworded(TREE, SQL)
        found = self._agree(operation, author, tree)
        if found.status != "different":
            return found
        other = self._agree(operation, author, text)
        agrees = "agrees with" if other.status == "equal" else "is not known to agree with"
        return replace(found, detail=f"{found.detail}; it {agrees} {SQL}")

    def _agree(self, operation: QueryOperation, author: DataFrame, other: DataFrame) -> Check:
        columns = compare_columns(author.schema, other.schema)
        if columns:
            return Check("different", f"{AUTHOR} has other columns", columns)
        found = compare_plans(author, other)
        if found.status != "equal" and self.wishes.rows != "never":
            rows = _rows(operation, author, other, self.wishes.in_memory)
            found = rows.check.reworded(SQL, AUTHOR)
        if found.status != "equal":
            return found
        return replace(found, detail=f"agrees with {TREE}: {found.detail}")


def _rows(operation: QueryOperation, text: DataFrame, tree: DataFrame, in_memory: int) -> Rows:
    if row_types(text) != row_types(tree) and not _same_types(text, tree):
        return Rows(Check("not compared", "the columns are of different types"))
    chance = nondeterministic_calls(operation)
    if chance:
        return Rows(Check("not compared", f"the rows change from run to run: {chance}"))
    comparison = RowComparison(text, tree, in_memory=in_memory)
    rows, collected = comparison.compare()
    if rows.check.status == "equal":
        ordered = compare_order(operation, text, tree, collected, in_memory)
        return Rows(ordered(rows.check), rows.nulls)
    if rows.check.status == "different":
        return Rows(_undecided(rows.check, operation, text, tree), rows.nulls)
    return rows


def _same_types(text: DataFrame, tree: DataFrame) -> bool:
    """Whether the types are equal, ignoring nullability inside arrays, maps and structs."""
    pairs = zip(row_types(text), row_types(tree), strict=False)
    return len(text.columns) == len(tree.columns) and all(
        one.simpleString() == other.simpleString() for one, other in pairs
    )


def nondeterministic_calls(operation: QueryOperation) -> str:
    """Returns the non-deterministic functions in the pipeline."""
    names = {each.name for each in functions_of(operation) if not each.deterministic}
    return ", ".join(f"{name}()" for name in sorted(names))


def clock_calls(operation: QueryOperation) -> str:
    """Returns the calls in the pipeline that depend on the time at which a query started."""
    calls = [each for each in preorder(operation) if isinstance(each, e.Call)]
    names = {
        call.function.name
        for call in calls
        if call.function.tells_time and all(isinstance(arg, e.Literal) for arg in call.args)
    }
    return ", ".join(f"{name}()" for name in sorted(names))


def _undecided(check: Check, operation: QueryOperation, text: DataFrame, tree: DataFrame) -> Check:
    """Marks a row difference as undecided if Spark was free to choose the rows, or time passed."""
    clocks = clock_calls(operation)
    free = order_dependent_parts(operation)
    if not free and not (is_deterministic(text) and is_deterministic(tree)):
        free = "a function whose result depends on the order of rows"
    if not (free or clocks) or check.detail.startswith((SQL + " fails", TREE + " fails")):
        return check
    if clocks:
        return Check(
            "not compared", f"the rows change from run to run: {clocks}", check.differences
        )
    detail = f"the rows differ, but Spark is free to choose them: {free}. {check.detail}"
    return Check("not compared", detail, check.differences)


def order_dependent_parts(operation: QueryOperation) -> str:
    """Returns the parts of the pipeline that depend on an unspecified row order."""
    found = []
    for node in preorder(operation):
        if isinstance(node, n.Limit | n.Offset) and not is_sorted(node):
            found.append("limit or offset without an order")
        elif isinstance(node, n.Sample):
            found.append("a sample")
        elif isinstance(node, e.AggregateCall) and not node.order_by:
            found += [f"{node.function.name}()"] if node.function.picks_any_row else []
    return ", ".join(dict.fromkeys(found))
