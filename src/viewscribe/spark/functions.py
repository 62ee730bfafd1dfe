"""Registers user functions in a session, under exactly the names that the SQL text uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from msgspec.structs import replace
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from viewscribe.catalog_store.permissions import is_authored, raise_first
from viewscribe.expressions.functions.asynchronous.options import async_settings
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.user_defined import (
    FunctionParameter,
    FunctionSource,
    Language,
    UserFunction,
    session_name,
)
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.reach import Part
from viewscribe.operations.user_functions import (
    check_calls,
    find_functions_in_text,
    stored_parts,
    user_functions,
)
from viewscribe.parser.qualify import function_with_full_names
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.async_functions import as_planned
from viewscribe.spark.catalog_functions import require_catalog_function
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.gate import gate_of_stored, own_gate_of
from viewscribe.spark.java_classes import UDAF, JavaClass, aggregator_as_function, is_classic
from viewscribe.spark.missing_functions import (
    another,
    attach_function,
    describe_function,
    ensure_database,
    path_of,
    why_not,
)
from viewscribe.spark.session import SPARK_ERRORS, first_line, run_as_written
from viewscribe.spark.stand_ins import (
    SESSION_CATALOG,
    Origin,
    giving_name,
    needs_stand_ins,
    register_temporary,
)
from viewscribe.spark.types import from_spark, to_spark
from viewscribe.spark.workers import require_on_workers
from viewscribe.types import LogicalType, StructType
from viewscribe.types.ddl import parse_type
from viewscribe.types.identifiers import quote_identifier

# Java functions by the name of their class, for the interfaces that are Spark's own.

_WHAT_THERE_IS = (
    "a Java function is a class of UDF0 … UDF22, or with RETURNS … AGGREGATE one of "
    "UserDefinedAggregateFunction or Aggregator; say LANGUAGE HIVE for a class of Hive's, and "
    "USING JAR '…' for where it is"
)
_LOOKED_AT = "viewscribe looks at a class"


def java_source(
    class_name: str,
    spark: SparkSession,
    *,
    resources: Sequence[str] = (),
    parameters: Sequence[LogicalType | str] | None = None,
) -> FunctionSource:
    """What a class is as a user function, its types as Spark infers them.

    Args:
        class_name: the full name of the class.
        spark: a classic session, whose JVM looks at the class.
        resources: the jars it is in, where the session has them not yet.
        parameters: the types of its parameters, which an ``Aggregator`` of Rows does not say.

    Raises:
        FunctionRegistrationError: there is no such class, it is no function, or it does not say
            its types.
    """
    _add_jars(resources, spark)
    found = JavaClass(class_name, spark)
    types = (
        found.parameter_types()
        if parameters is None
        else [parse_type(each) if isinstance(each, str) else each for each in parameters]
    )
    source = FunctionSource(
        kind=found.kind,
        language=Language.JAVA,
        parameters=tuple(
            FunctionParameter(f"x{place}", type_) for place, type_ in enumerate(types)
        ),
        reference=class_name,
        resources=tuple(resources),
    )
    try:
        _register(source, _LOOKED_AT, spark)
        returns = _result_type(quote_identifier(_LOOKED_AT), source, spark)
    finally:
        spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS {quote_identifier(_LOOKED_AT)}")
    return replace(source, returns=returns)


def register_java(function: UserFunction, name: str, spark: SparkSession) -> None:
    """Gives the session the function under a name.

    Raises:
        FunctionRegistrationError: the class is none of Spark's interfaces, or not to be found.
    """
    source = function.source
    if source.kind is FunctionKind.GENERATOR:
        raise FunctionRegistrationError(
            f"the Java function {function!r} is a table function, and Spark has none in Java",
            hint="say LANGUAGE HIVE for a class of Hive's",
        )
    if not source.deterministic:
        raise FunctionRegistrationError(
            f"Spark takes every Java function for deterministic, and {function!r} is not",
            hint="write it in Python, or as a function of Hive",
        )
    _add_jars(source.resources, spark)
    try:
        _register(source, name, spark)
    except SPARK_ERRORS as error:
        raise FunctionRegistrationError(
            f"Spark does not take the function {function!r}: {first_line(error)}",
            hint=_WHAT_THERE_IS,
        ) from error


def refuse_to_store(function: UserFunction, spark: SparkSession) -> None:
    """Raises where Spark's catalogs would take the function and never find it again."""
    source = function.source
    assert source.reference is not None
    if source.kind is FunctionKind.AGGREGATE:
        _add_jars(source.resources, spark)
        if not is_classic(spark) or JavaClass(source.reference, spark).is_a(UDAF):
            return
    raise FunctionRegistrationError(
        "Spark's catalogs hold no functions in Java but those of UserDefinedAggregateFunction, "
        f"and {function!r} is none",
        hint="register it for the session: create_temporary_function(…); or say LANGUAGE HIVE for "
        "a class of Hive's",
    )


def check_result(function: UserFunction, spark: SparkSession) -> None:
    """Raises where an aggregate's class gives another type than was declared.

    A scalar function gives what Spark was told.
    """
    source = function.source
    if source.kind is FunctionKind.SCALAR or None in (source.returns, source.parameters):
        return
    assert source.returns is not None
    found = _result_type(function.sql_name, source, spark)
    if not found.same_type(source.returns):
        raise FunctionRegistrationError(
            f"the class of {function!r} gives {found.ddl}, and it is declared to return "
            f"{source.returns.ddl}",
            hint=f"declare it: RETURNS {found.ddl}",
        )


def _result_type(name: str, source: FunctionSource, spark: SparkSession) -> LogicalType:
    return from_spark(_call_with_nulls(name, source, spark).schema.fields[0].dataType)


def _call_with_nulls(name: str, source: FunctionSource, spark: SparkSession) -> DataFrame:
    nulls = [f"CAST(NULL AS {each.type.ddl})" for each in source.parameters or ()]
    return run_as_written(spark, f"SELECT {name}({', '.join(nulls)})")


def _register(source: FunctionSource, name: str, spark: SparkSession) -> None:
    assert source.reference is not None
    if source.kind is FunctionKind.SCALAR:
        returns = None if source.returns is None else to_spark(source.returns)
        spark.udf.registerJavaFunction(name, source.reference, returns)
        return
    made = aggregator_as_function(source, spark)
    if made is None:
        spark.udf.registerJavaUDAF(name, source.reference)
    else:
        session: Any = spark
        session._jsparkSession.udf().register(name, made)


def _add_jars(resources: Sequence[str], spark: SparkSession) -> None:
    for each in resources:
        run_as_written(spark, f"ADD JAR {quote_string(each)}")


def register_functions(
    operation: QueryOperation,
    spark: SparkSession,
    settings: Mapping[str, str] | None = None,
    *,
    for_text: bool = True,
) -> None:
    """Registers every user function that a tree calls in the session.

    Temporary functions are registered anew where they are the caller's own; those of a document
    take the place of none. A catalog function that the session lacks is created there; one that it
    has must say the same. ``settings`` are
    those of the tree's environment: they say how asynchronous functions are called.

    Args:
        operation: the tree.
        spark: the session.
        for_text: whether SQL text is to call them; without, a Python function that the session
            cannot have in its catalog is left out, for a DataFrame calls the function itself.

    Raises:
        FunctionRegistrationError: a function that the session cannot have, or has otherwise.
        MissingOnWorkersError: workers lack what a Python function needs.
    """
    check_calls(operation)
    functions = user_functions(operation)
    _refuse_shared_names(functions)
    require_on_workers(functions, spark)
    in_text = functions if for_text else find_functions_in_text(operation)
    options = async_settings(settings or {})
    stored = {each for part in stored_parts(operation) for each in user_functions(part)}
    for function in functions:
        if function in in_text or not _is_only_called(function, spark):
            register_function(as_planned(function, options), spark, stored=function in stored)


def _is_only_called(function: UserFunction, spark: SparkSession) -> bool:
    """Whether the session can call the function, but not hold it."""
    python = function.source.language is Language.PYTHON and not function.temporary
    if not python or function.identifier.catalog is None:
        return False
    has_no_place = needs_stand_ins(function.identifier.catalog, spark)
    return has_no_place or why_not(function, spark) is not None


def _refuse_shared_names(functions: Sequence[UserFunction]) -> None:
    """A session knows a temporary function by one name, whose dots may be of a path or its own."""
    known: dict[str, UserFunction] = {}
    for function in functions:
        if not function.temporary or function.anonymous:
            continue
        name = session_name(function.identifier).casefold()
        other = known.setdefault(name, function)
        if other != function:
            raise FunctionRegistrationError(
                f"a session would know two functions by the name `{name}`",
                hint="give one of them another name",
            )


def register_function(function: UserFunction, spark: SparkSession, *, stored: bool = False) -> None:
    """Registers one function in the session.

    Args:
        function: the function.
        spark: the session.
        stored: whether it comes from a document.

    Raises:
        FunctionRegistrationError: the session cannot have it, or has another of its name.
        ForbiddenSourceError: it is of a document, and its jar, class or body is not allowed.
    """
    if not is_authored() or function.source.stored:
        raise_first(gate_of_stored(spark).refused_function(function))
    origin = Origin.DOCUMENT if stored else Origin.USER
    named = giving_name(function, spark, origin) if function.temporary else nullcontext()
    try:
        with named:
            _REGISTRARS[function.source.language](function, spark)
    except SPARK_ERRORS as error:
        raise FunctionRegistrationError(
            f"Spark does not take the function {function!r}: {first_line(error)}",
            hint=_hint(error),
        ) from error


_NO_FUNCTIONS = ("NO_HANDLER_FOR_UDAF", "CANNOT_LOAD_FUNCTION_CLASS")
_MISSING = ("ROUTINE_NOT_FOUND", "UNRESOLVED_ROUTINE", "TABLE_OR_VIEW_NOT_FOUND")


def _hint(error: Exception) -> str | None:
    if not isinstance(error, PySparkException) or error.getCondition() not in _MISSING:
        return None
    return "the session needs what its body names: vs.open_view of a view that calls it brings that"


# -- Python ----------------------------------------------------------------------------------------


def _python(function: UserFunction, spark: SparkSession) -> None:
    require_on_workers([function], spark)
    register = register_temporary if function.temporary else attach_function
    register(function, spark)


# -- SQL text and classes --------------------------------------------------------------------------


def _sql(function: UserFunction, spark: SparkSession) -> None:
    if function.temporary:
        name = quote_identifier(session_name(function.identifier))
        signature = _signature(function, spark)
        run_as_written(spark, f"CREATE OR REPLACE TEMPORARY FUNCTION {name}{signature}")
        return
    known = _describe(function, spark)
    # A stored SQL function with full names; those without a database are of its own.
    identifier = function.identifier
    assert identifier.catalog is not None
    assert identifier.database is not None
    namespace = (identifier.catalog, identifier.database)
    source = function_with_full_names(function.source, namespace)
    whole = UserFunction(identifier, source, temporary=False)
    if known is None:
        signature = _signature(whole, spark)
        ensure_database(function, spark)
        run_as_written(spark, f"CREATE FUNCTION {path_of(function)}{signature}")
        return
    there = _words(known.get("Body", ""))
    if there == _words(whole.source.body or ""):
        return
    if there != _words(function.source.body or ""):
        raise another(function, "another body")
    raise FunctionRegistrationError(
        f"in the session the body of {function!r} has names without a database, which Spark "
        f"looks up where its caller is: {function.source.body}",
        hint=f"create it again in Spark with full names: RETURN {whole.source.body}",
    )


def _signature(function: UserFunction, spark: SparkSession) -> str:
    """What follows the name; what a document of it may name was looked at before."""
    source, gate = function.source, own_gate_of(spark)
    assert source.parameters is not None
    assert source.returns is not None
    what = f"the function {function!r}"
    parameters = []
    for each in source.parameters:
        parameters.append(f"{quote_identifier(each.name)} {each.type.ddl}")
        if each.default is not None:
            parameters[-1] += f" DEFAULT {gate.admit(each.default, what, Part.EXPRESSION)}"
    body = gate.admit(source.body or "", what, Part.BODY)
    if source.kind is FunctionKind.GENERATOR:
        assert isinstance(source.returns, StructType)
        columns = ", ".join(
            f"{quote_identifier(field.name)} {field.type.ddl}" for field in source.returns.fields
        )
        returns = f"TABLE({columns})"
    else:
        returns = source.returns.ddl
    comment = "" if source.comment is None else f" COMMENT {quote_string(source.comment)}"
    chance = "" if source.deterministic else " NOT DETERMINISTIC"
    return f"({', '.join(parameters)}) RETURNS {returns}{comment}{chance} RETURN {body}"


def _java(function: UserFunction, spark: SparkSession) -> None:
    """Spark's own interfaces; of those only UserDefinedAggregateFunction can stay."""
    if function.temporary:
        register_java(function, session_name(function.identifier), spark)
    else:
        refuse_to_store(function, spark)
        _class(function, spark)
    check_result(function, spark)


def _class(function: UserFunction, spark: SparkSession) -> None:
    source = function.source
    assert source.reference is not None
    jars = ", ".join(f"JAR {quote_string(each)}" for each in source.resources)
    carried_out = f" AS {quote_string(source.reference)}" + (f" USING {jars}" if jars else "")
    _require_function(source, carried_out, spark)
    if function.temporary:
        name = quote_identifier(session_name(function.identifier))
        run_as_written(spark, f"CREATE OR REPLACE TEMPORARY FUNCTION {name}{carried_out}")
    elif (known := _describe(function, spark)) is None:
        ensure_database(function, spark)
        run_as_written(spark, f"CREATE FUNCTION {path_of(function)}{carried_out}")
    elif known.get("Class") != source.reference:
        raise another(function, f"the class {known['Class']}" if "Class" in known else "no class")


def _require_function(source: FunctionSource, carried_out: str, spark: SparkSession) -> None:
    """Raises where the class is no function, which Spark sees no sooner than it is called."""
    name = quote_identifier(_LOOKED_AT)
    try:
        with silence_errors():
            run_as_written(spark, f"CREATE OR REPLACE TEMPORARY FUNCTION {name}{carried_out}")
            _ = _call_with_nulls(name, source, spark).schema
    except PySparkException as error:
        if error.getCondition() in _NO_FUNCTIONS:
            raise
    finally:
        spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS {name}")


def _describe(function: UserFunction, spark: SparkSession) -> dict[str, str] | None:
    """What the session says of a function of a database; other catalogs have just their own."""
    known = describe_function(function, spark)
    if known is not None and function.identifier.key[0] != SESSION_CATALOG:
        raise another(function, "a class of the catalog's own")
    return known


def _words(text: str) -> str:
    return " ".join(text.split())


_REGISTRARS: dict[Language, Callable[[UserFunction, SparkSession], None]] = {
    Language.PYTHON: _python,
    Language.SQL: _sql,
    Language.JAVA: _java,
    Language.HIVE: _class,
    Language.CATALOG: require_catalog_function,
}
