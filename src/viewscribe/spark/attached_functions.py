"""Python functions of catalogs in a session: an entry that stays, and what it calls, attached.

Spark has no persistent Python functions. But its catalog keeps any text as a function's class and
does not load it before a query needs it; and a session asks its registry of functions first. So the
entry holds a reference (``python_classes.py``), which every reader can see, and the function goes
into the registry of the session, under the entry's name:

1. ``CREATE FUNCTION sales.normalize AS 'python:shop.text:normalize|…'``, where it is missing;
2. the function is registered as a temporary one, whose builder is copied from one name in the
   registry to the other by Py4J, and dropped again.

Views and SQL functions that call it are stored as ever. What a session says that has not attached
it, and the answer to that, is in ``missing_functions.py``.

The registry is not a public interface of Spark. Found out by running, with 4.0.5, 4.1.4, 4.2.1 and
4.3.0: entries and registry have names of three parts, in lower case. The temporary function has one
part before Spark 4.2, and is in ``system.session`` since. Before 4.2 Spark's grammar takes no
database in the name of a table function. ``CREATE OR REPLACE`` and ``DROP FUNCTION`` detach; a new
session (``newSession``) has nothing attached. Where the registry cannot be reached, or is not
asked, a temporary function stands for the stored one (``stand_ins.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import msgspec
from pyspark.sql import SparkSession

from viewscribe.catalog_store.documents.model import FunctionDocument
from viewscribe.catalog_store.functions import document_of, source_of
from viewscribe.catalog_store.python_classes import (
    class_text,
    is_same_function,
    read_class_text,
)
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.python_modules import with_implementation
from viewscribe.expressions.functions.references import in_module
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.serializer.literals import quote_string
from viewscribe.spark.arrow import require_arrow
from viewscribe.spark.errors import FunctionRegistrationError
from viewscribe.spark.function_entries import another, describe_function, ensure_database, path_of
from viewscribe.spark.python_functions import python_function
from viewscribe.spark.session import run_as_written
from viewscribe.spark.stand_ins import needs_stand_ins, stand_ins

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
