"""The Python functions that Spark misses in a query, as it says itself: attached, and asked again.

===========================  =======================================================================
what Spark says              where a Python function is not attached
===========================  =======================================================================
CANNOT_LOAD_FUNCTION_CLASS   with its name and the text of its entry
NOT_A_TABLE_FUNCTION         for one in FROM, of which it knows no better; the name stands in the
                             piece of the query that it shows
UNRESOLVED_ROUTINE           for an aggregate of collected rows, which only viewscribe knows
===========================  =======================================================================

So nothing is imported that a query does not call, and functions of views behind views, and of those
that somebody made in Spark, are found as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import msgspec
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from viewscribe.catalog_store.columns import PREFIX, class_text, is_same_function, read_class_text
from viewscribe.catalog_store.documents.model import FunctionDocument
from viewscribe.catalog_store.functions import document_of, source_of
from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.python_modules import in_module, with_implementation
from viewscribe.expressions.functions.user_defined import OF_ROWS, UserFunction, session_name
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.arrow import require_arrow
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.python_functions import python_function
from viewscribe.spark.session import current_namespace, first_line, run_as_written
from viewscribe.spark.stand_ins import needs_stand_ins, stand_ins
from viewscribe.types.identifiers import parse_name, quote_identifier, quote_name

# What a session's catalog has of a persistent function: its entry, apart from what it calls.


def path_of(function: UserFunction) -> str:
    """The function's whole name, as SQL."""
    return quote_name(function.identifier.parts)


def ensure_database(function: UserFunction, spark: SparkSession) -> None:
    """Makes the database that the function is to be in, where there is none."""
    database = quote_name(function.identifier.parts[:2])
    run_as_written(spark, f"CREATE DATABASE IF NOT EXISTS {database}")


def describe_function(function: UserFunction, spark: SparkSession) -> dict[str, str] | None:
    """What the session says of a persistent function; None where it has none."""
    if not spark.catalog.functionExists(path_of(function)):
        return None
    lines = run_as_written(spark, f"DESCRIBE FUNCTION EXTENDED {path_of(function)}").collect()
    found: dict[str, str] = {}
    for row in lines:
        label, colon, text = str(row[0]).partition(":")
        if colon:
            found[label.strip()] = text.strip()
    return found


def another(function: UserFunction, what: str) -> FunctionRegistrationError:
    """The error where the session has something else under the function's name."""
    return FunctionRegistrationError(
        f"the session already has a function {function!r}, and it has {what}",
        hint="drop it in Spark, or use a session without it",
    )


# Python functions of catalogs in a session: an entry that stays, and what it calls, attached.

_CARRIERS = (f"viewscribe attaches {number}" for number in count(1))
_CALLED: WeakKeyDictionary[SparkSession, dict[str, Any]] = WeakKeyDictionary()


def attach_function(function: UserFunction, spark: SparkSession) -> None:
    """Makes a Python function of a catalog one that the session's texts and views can call.

    Where the session has no place for it, texts can that ``with_stand_ins`` gives.

    Raises:
        FunctionRegistrationError: the session cannot have it, or has another of its name.
        ForbiddenModuleError: its module was not allowed.
        ChangedFunctionError: it is not what was stored.
    """
    problem = why_not(function, spark)
    if problem is not None:
        raise problem
    if needs_stand_ins(function.identifier.parts[0], spark):
        _let_stand_in(function, spark)
        return
    function, text, known = _beside_entry(function, spark)
    function = with_implementation(function)
    entry = f"FUNCTION {path_of(function)} AS {quote_string(text)}"
    if known is None:
        ensure_database(function, spark)
        run_as_written(spark, f"CREATE {entry}")
    elif known != text:
        run_as_written(spark, f"CREATE OR REPLACE {entry}")
    _attach(function, text, spark)


def why_not(function: UserFunction, spark: SparkSession) -> FunctionRegistrationError | None:
    """Why this session can attach no such function; None where it can."""
    if function.kind not in _ATTACHED:
        return FunctionRegistrationError(
            f"{function!r} is a Python function of the kind {function.kind.value}, and Spark has "
            "no such function in its catalogs"
        )
    if _ATTACHED[function.kind].in_from and _version(spark) < (4, 2):
        return FunctionRegistrationError(
            f"Spark {spark.version} takes no table function with a database in its name, and "
            f"{function!r} is one",
            hint="use Spark 4.2 or newer, or register it for the session alone: "
            "create_temporary_system_function(…)",
        )
    return None


def stands_in_from(function: UserFunction) -> bool:
    """Whether Spark calls it in FROM."""
    return function.kind in _ATTACHED and _ATTACHED[function.kind].in_from


def attach_to(spark: SparkSession) -> Mapping[str, Any]:
    """The Python functions that the session was given, by their references."""
    return _CALLED.get(spark, {})


def function_of_entry(parts: tuple[str, ...], text: str) -> UserFunction:
    """The function that an entry ``cat.db.name`` with the class ``text`` stands for."""
    catalog, database, name = parts
    document = FunctionDocument(database=database, name=name, **read_class_text(text))
    identifier = FunctionIdentifier(name, database, catalog)
    return UserFunction(identifier, source_of(document), temporary=False)


# -- the entry -------------------------------------------------------------------------------------


def _beside_entry(
    function: UserFunction, spark: SparkSession
) -> tuple[UserFunction, str, str | None]:
    """The function, the text of its entry, and the text of the one that the session has.

    A function of a plan document is known without a hash; then that of the entry counts.
    """
    document = document_of(function)
    text = class_text(document)
    told = describe_function(function, spark)
    if told is None:
        return function, text, None
    known = told.get("Class", "")
    if not is_same_function(known, text):
        raise another(function, f"the class {known}" if known else "another body")
    kept = function_of_entry(function.identifier.parts, known)
    if function.source.source_hash is None and kept.source.identity == function.source.identity:
        source = msgspec.structs.replace(kept.source, implementation=function.source.implementation)
        stored = UserFunction(function.identifier, source, temporary=False)
        function, text = function.of_author(lambda called: stored), known
    return function, text, known


def _let_stand_in(function: UserFunction, spark: SparkSession) -> None:
    """Registers what stands for a function, which may be known without a hash, as in an entry."""
    stands = stand_ins(spark)
    kept = stands.find(function.identifier.parts)
    source = function.source
    if source.source_hash is None and kept is not None and kept.source.identity == source.identity:
        known = msgspec.structs.replace(kept.source, implementation=source.implementation)
        stored = UserFunction(function.identifier, known, temporary=False)
        function = function.of_author(lambda called: stored)
    function = with_implementation(function)
    stands.register(function, spark)
    _note_called(function, spark)


def _note_called(function: UserFunction, spark: SparkSession) -> None:
    called = function.source
    _CALLED.setdefault(spark, {})[called.reference or ""] = in_module(called.implementation)


# -- the registry ----------------------------------------------------------------------------------


class _Attached(NamedTuple):
    """How functions of a kind get into a session.

    Args:
        make: gives Spark's function of one of ours.
        register: registers Spark's function: the session, the function, the name that texts show,
            and the name to register it under.
        registry: the part of the session's state that knows them.
        in_from: whether they stand in FROM.
    """

    make: Callable[[UserFunction], Any]
    register: Callable[[SparkSession, Any, str, str], None]
    registry: str
    in_from: bool = False


def _attach(function: UserFunction, text: str, spark: SparkSession) -> None:
    kind = _ATTACHED[function.kind]
    session: Any = spark
    _note_called(function, spark)
    catalog, database, name = (each.lower() for each in function.identifier.parts)
    carrier = next(_CARRIERS)  # its own, for others may attach something at the same time
    kind.register(spark, kind.make(function), ".".join(function.identifier.parts), carrier)
    try:
        registry = getattr(session._jsparkSession.sessionState(), kind.registry)()
        builder = registry.lookupFunctionBuilder(_temporary(spark, carrier))
        expressions = session._jvm.org.apache.spark.sql.catalyst.expressions
        registry.registerFunction(
            _identifier(spark, name, database, catalog),
            expressions.ExpressionInfo(text, database, name),
            builder.get(),
        )
    finally:
        spark.sql(f"DROP TEMPORARY FUNCTION IF EXISTS `{carrier}`")


def _temporary(spark: SparkSession, name: str) -> Any:
    """What the registry calls a temporary function."""
    path = () if _version(spark) < (4, 2) else ("session", "system")
    return _identifier(spark, name, *path)


def _identifier(spark: SparkSession, name: str, *path: str) -> Any:
    """Spark's ``FunctionIdentifier`` of a name, its database and its catalog."""
    jvm: Any = spark._jvm
    database, catalog = path or (None, None)
    option = jvm.scala.Option.apply
    return jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(
        name, option(database), option(catalog)
    )


def _version(spark: SparkSession) -> tuple[int, ...]:
    return tuple(int(part) for part in spark.version.split(".")[:2])


def _register_scalar(spark: SparkSession, made: Any, name: str, carrier: str) -> None:
    """As ``spark.udf.register``, which would call it by the name it is registered as."""
    from pyspark.sql.udf import UserDefinedFunction

    session: Any = spark
    named = _rename_function(UserDefinedFunction, made, name)
    session._jsparkSession.udf().registerPython(carrier, named._judf)


def _register_table(spark: SparkSession, made: Any, name: str, carrier: str) -> None:
    """As ``spark.udtf.register``, which would call it by the name it is registered as."""
    from pyspark.sql.udtf import UserDefinedTableFunction

    session: Any = spark
    named = _rename_function(UserDefinedTableFunction, made, name)
    session._jsparkSession.udtf().registerPython(carrier, named._judtf)


def _rename_function(kind: Any, made: Any, name: str) -> Any:
    """The function of Spark's under another name."""
    return kind(
        made.func,
        returnType=made.returnType,
        name=name,
        evalType=made.evalType,
        deterministic=made.deterministic,
    )


def _process_function(function: UserFunction) -> Any:
    require_arrow(function)
    from viewscribe.spark.process.table_function import table_function

    return table_function(function)


_SCALAR = _Attached(python_function, _register_scalar, "functionRegistry")
_TABLE = _Attached(python_function, _register_table, "tableFunctionRegistry", in_from=True)

_ATTACHED: dict[FunctionKind, _Attached] = {
    FunctionKind.SCALAR: _SCALAR,
    FunctionKind.AGGREGATE: _SCALAR,
    FunctionKind.GENERATOR: _TABLE,
    FunctionKind.PROCESS_TABLE: _TABLE._replace(make=_process_function),
}
"""By kind. A kind with a function of Spark's of another make names its maker in its entry."""


T = TypeVar("T")


def with_functions(spark: SparkSession, analyze: Callable[[], T]) -> T:
    """What ``analyze`` gives, once the Python functions are attached that Spark misses in it.

    Raises:
        ForbiddenModuleError: the module of one was not allowed.
        ChangedFunctionError: one is not what was stored.
        FunctionRegistrationError: the session cannot have one.
        PySparkException: whatever else Spark says.
    """
    attached: set[str] = set()
    while True:
        try:
            with silence_errors():
                return analyze()
        except PySparkException as error:
            # The Python function that Spark misses; None where that is not what it says.
            answer = _ANSWERS.get(error.getCondition() or "")
            function = None if answer is None else answer(error, spark)
            if function is None:
                raise
            if str(function.identifier) in attached:
                if needs_stand_ins(function.identifier.parts[0], spark):
                    raise _out_of_reach(function) from error
                raise
            attached.add(str(function.identifier))
            try:
                attach_function(function, spark)
            except PySparkException as refused:
                raise FunctionRegistrationError(
                    f"Spark does not take the function {function!r}: {first_line(refused)}"
                ) from refused


def _out_of_reach(function: UserFunction) -> FunctionRegistrationError:
    """The error for what Spark itself reads: a view of its own, or one that is to be that."""
    name = quote_identifier(session_name(function.identifier))
    return FunctionRegistrationError(
        f"the session has no place for the Python function {function!r}: it has it as {name}, "
        "which views of Spark cannot call",
        hint="open a view that calls it with vs.open_view(…), or name it to vs.attach_functions(…) "
        "first; to store one, use a catalog of viewscribe's, or a classic session",
    )


def _not_loaded(error: PySparkException, spark: SparkSession) -> UserFunction | None:
    told = error.getMessageParameters() or {}
    text = told.get("className", "")
    parts = parse_name(told["functionName"]) if text.startswith(PREFIX) else ()
    return function_of_entry(parts, text) if len(parts) == 3 else None


def _not_a_table(error: PySparkException, spark: SparkSession) -> UserFunction | None:
    for context in error.getQueryContext():
        for parts in _list_called_names(context, spark):
            found = _entry(parts, spark)
            if found is not None and stands_in_from(found):
                return found
    return None


def _unresolved(error: PySparkException, spark: SparkSession) -> UserFunction | None:
    parts = parse_name((error.getMessageParameters() or {}).get("routineName", ""))
    if len(parts) != 3 or not parts[-1].endswith(OF_ROWS):
        return None
    aggregate = _entry((*parts[:2], parts[-1].removesuffix(OF_ROWS)), spark)
    if aggregate is None or not aggregate.is_python_aggregate:
        return None
    return aggregate.of_collected_rows()


_ANSWERS: dict[str, Callable[[PySparkException, SparkSession], UserFunction | None]] = {
    "CANNOT_LOAD_FUNCTION_CLASS": _not_loaded,
    "NOT_A_TABLE_FUNCTION": _not_a_table,
    "UNRESOLVED_ROUTINE": _unresolved,
}


def _entry(parts: tuple[str, ...], spark: SparkSession) -> UserFunction | None:
    """The Python function of an entry of the session's catalog."""
    text = (describe_function(function_of_entry(parts, PREFIX), spark) or {}).get("Class", "")
    return function_of_entry(parts, text) if text.startswith(PREFIX) else None


def _list_called_names(context: Any, spark: SparkSession) -> list[tuple[str, ...]]:
    """The whole names that the call at the start of a piece of a query may mean."""
    try:
        parts = parse_name(_before_arguments(context.fragment()))
    except ValidationError:
        return []
    if len(parts) == 3:
        return [parts]
    catalog, database = _home(context, spark)
    return [(catalog, *parts) if len(parts) == 2 else (catalog, database, *parts)]


def _before_arguments(text: str) -> str:
    """The name of a call, whose parts may be quoted."""
    quoted = False
    for place, character in enumerate(text):
        if character == "`":
            quoted = not quoted
        elif character == "(" and not quoted:
            return text[:place].strip()
    return ""


def _home(context: Any, spark: SparkSession) -> tuple[str, str]:
    """Where short names of a query are meant: where its view was made, or in the current place."""
    if context.objectType() == "VIEW":
        view = quote_name(context.objectName().split("."))
        for row in run_as_written(spark, f"DESCRIBE TABLE EXTENDED {view}").collect():
            if row[0] == "View Catalog and Namespace":
                catalog, database = parse_name(row[1])
                return catalog, database
    return current_namespace(spark)
