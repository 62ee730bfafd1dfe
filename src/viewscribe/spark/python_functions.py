"""Wraps Python functions as Spark functions, for each kind and calling convention."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Final

from pyspark import cloudpickle
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.catalog_store.documents.model import TableDocument
from viewscribe.errors import ViewscribeError
from viewscribe.expressions import nodes as e
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.python_modules import with_implementation
from viewscribe.expressions.functions.user_defined import Convention, UserFunction
from viewscribe.expressions.node import preorder
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.reach import Part
from viewscribe.operations.user_functions import user_functions
from viewscribe.parser.reach import read_reach
from viewscribe.spark.arrow import INSTALL
from viewscribe.spark.errors import NotInterpretableError
from viewscribe.spark.types import to_spark
from viewscribe.types import YearMonthIntervalType
from viewscribe.types.nested_types import contains

# What in a query reads the session's time zone when it runs, whatever that was when it was read.
#
# Nearly all of Spark's functions keep the time zone that they were analyzed with. These do not, and
# neither do tables whose times are texts without a zone.

CURRENT: Final = "current_timezone"
CONVERT: Final = "convert_timezone"
"""With two arguments: the zone that is left out is the current one."""

FILES_OF_TEXT: Final = frozenset(("csv", "json", "xml"))
_WITH_ZONE = re.compile(r"\bTIMESTAMP\b", re.IGNORECASE)


def zone_reader_in_text(text: str) -> str | None:
    """Returns the first such call in the text of a query or a function; None without one."""
    if CURRENT not in text.lower() and CONVERT not in text.lower():
        return None
    try:
        calls = read_reach(text, Part.BODY).calls
    except ViewscribeError:  # which is said where it is opened
        return None
    for call in calls:
        name = call.name[-1].lower()
        if name == CURRENT or (name == CONVERT and len(call.arguments) == 2):
            return f"{name}()"
    return None


def zone_reader_in_tree(operation: QueryOperation) -> str | None:
    """Returns the first such call in a tree, or in a SQL function that it calls."""
    return next(_calls(operation), None)


def reads_zone(table: TableDocument) -> bool:
    """Returns whether a table has times that Spark reads from text, in files or their paths."""
    in_files = (table.format or "").lower() in FILES_OF_TEXT
    if any(name.lower() == "timezone" for name in table.options):
        return False
    paths = {name.lower() for name in table.partitioned_by}
    return any(
        _WITH_ZONE.search(column.type) is not None
        for column in table.columns
        if in_files or column.name.lower() in paths
    )


def _calls(operation: QueryOperation) -> Iterator[str]:
    for node in preorder(operation):
        if isinstance(node, e.Call):
            name = node.function.built_in_name
            if name == CURRENT or (name == CONVERT and len(node.args) == 2):
                yield f"{name}()"
    for function in user_functions(operation):
        found = zone_reader_in_text(function.source.body or "")
        if found is not None:
            yield found


def python_function(function: UserFunction) -> Any:
    """Returns the Spark function that wraps a Python function.

    A scalar function is called with the values of a row, with the arrays of a batch, or with an
    iterator over all batches. An aggregate function is called with the lists or the arrays of a
    group, NULLs as None, or row by row through its accumulator. A table function is called with
    the values of a row and gives rows.

    Raises:
        NotInterpretableError: Spark cannot call it.
        ForbiddenModuleError: it must be imported, and its module was not allowed.
        ChangedFunctionError: it differs from what was stored.
    """
    function = with_implementation(function)
    source = function.source
    _refuse_months(function)
    made = _MAKERS[source.kind, source.convention, source.collected](function)
    if source.deterministic or source.call_kind is FunctionKind.GENERATOR:
        return made
    return made.asNondeterministic()


def _refuse_months(function: UserFunction) -> None:
    source = function.source
    assert source.returns is not None
    assert source.parameters is not None

    for type_ in (source.returns, *[each.type for each in source.parameters]):
        if contains(type_, YearMonthIntervalType):
            raise NotInterpretableError(
                f"{function!r} takes or gives {type_.ddl}, and Spark hands no Python function an "
                "interval of months",
                hint="cast it to INT, the number of months",
            )


# -- values ----------------------------------------------------------------------------------------


def _of_rows(function: UserFunction) -> Any:
    implementation = function.source.implementation

    def of_a_row(*values: Any) -> Any:  # without hints, of which Spark would make its own sense
        return implementation(*values)

    return F.udf(of_a_row, _returns(function))


def _table(function: UserFunction) -> Any:
    implementation, returns = function.source.implementation, _returns(function)
    single = len(returns.fields) == 1

    class Rows:
        def eval(self, *args: Any) -> Iterator[Any]:
            for made in implementation(*args):
                yield (made,) if single and not isinstance(made, tuple) else tuple(made)

    return F.udtf(Rows, returnType=returns)


def _returns(function: UserFunction) -> Any:
    assert function.source.result is not None
    return to_spark(function.source.result)


# -- Arrow -----------------------------------------------------------------------------------------


def _arrow(wrap: str) -> Callable[[UserFunction], Any]:
    """Makes the functions that ``wrap`` of the runtime makes of an implementation."""

    def make(function: UserFunction) -> Any:
        runtime = _runtime(function)
        called = function.source.implementation
        run = _RUNS.get(function.source.convention) if _aggregates(function) else None
        if run is not None:
            called = getattr(runtime, run)(called)
        return _arrow_udf(getattr(runtime, wrap)(called, gives(function)), function)

    return make


def _aggregates(function: UserFunction) -> bool:
    return function.source.collected or function.kind is FunctionKind.AGGREGATE


_RUNS = {
    Convention.VALUES: "with_lists",
    Convention.ARROW: "with_arrays",
    Convention.ACCUMULATOR: "accumulate",
}


def _runtime(function: UserFunction) -> ModuleType:
    """The runtime, which workers get by value: they need no viewscribe."""
    try:
        from viewscribe.spark import arrow_runtime
    except ImportError as error:
        raise _needs_arrow(function, error) from error
    cloudpickle.register_pickle_by_value(arrow_runtime)  # type: ignore[no-untyped-call]
    return arrow_runtime


def gives(function: UserFunction) -> tuple[str, str, Any]:
    """What a function must give: its name for messages, the type in SQL, and that in Arrow."""
    from viewscribe.spark.arrow_types import to_arrow

    returns = function.source.result
    assert returns is not None
    return repr(function), returns.as_nullable().ddl, to_arrow(returns)


def _arrow_udf(called: Callable[..., Any], function: UserFunction) -> Any:
    make = getattr(F, "arrow_udf", None)
    if make is None:
        raise _needs_arrow(function, "pyspark.sql.functions.arrow_udf")
    return make(called, _returns(function))


def _needs_arrow(function: UserFunction, missing: Any) -> NotInterpretableError:
    return NotInterpretableError(
        f"the Python function {function!r} is called through Arrow, and that lacks: {missing}",
        hint=f"{INSTALL}, with Spark 4.1 or newer",
    )


def _asynchronous(function: UserFunction) -> Any:
    _runtime(function)
    from viewscribe.spark.async_functions import how_of, is_guarded, runtime

    called = runtime(function).over_batches(
        function.source.implementation,
        how_of(function),
        gives(function),
        guarded=is_guarded(function),
    )
    return _arrow_udf(called, function)


_SCALAR, _AGGREGATE = FunctionKind.SCALAR, FunctionKind.AGGREGATE
_COLLECTED = _arrow("over_collected")
_GROUPED = _arrow("over_group")

_MAKERS: dict[tuple[FunctionKind, Convention, bool], Callable[[UserFunction], Any]] = {
    (_SCALAR, Convention.VALUES, False): _of_rows,
    (_SCALAR, Convention.ARROW, False): _arrow("vectorize"),
    (_SCALAR, Convention.ARROW_BATCHES, False): _arrow("over_batches"),
    (_SCALAR, Convention.ASYNC, False): _asynchronous,
    (_AGGREGATE, Convention.VALUES, False): _GROUPED,
    (_AGGREGATE, Convention.ARROW, False): _GROUPED,
    (_AGGREGATE, Convention.ACCUMULATOR, False): _GROUPED,
    (_SCALAR, Convention.VALUES, True): _COLLECTED,
    (_SCALAR, Convention.ARROW, True): _COLLECTED,
    (_SCALAR, Convention.ACCUMULATOR, True): _COLLECTED,
    (FunctionKind.GENERATOR, Convention.VALUES, False): _table,
    (FunctionKind.GENERATOR, Convention.ASYNC, False): _asynchronous,
}
"""By kind, calling convention, and whether an aggregate is called with collected rows."""
