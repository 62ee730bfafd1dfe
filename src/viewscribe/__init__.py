"""viewscribe turns a data pipeline into a catalog view that outlives its session.

A fluent Table API builds a typed tree. The tree is printed as readable SQL and stored as a view;
later Spark opens the view, and viewscribe proves that it still means the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from viewscribe.table_api.printers import register_printers
from viewscribe.version import __version__

if TYPE_CHECKING:
    from viewscribe import functions, migrate, process
    from viewscribe.expressions.constructors import (
        and_,
        array,
        call,
        col,
        descriptor,
        exists,
        if_then_else,
        in_query,
        interval,
        lit,
        map_,
        not_,
        or_,
        over,
        range_,
        row,
        scalar,
        with_all_columns,
        with_columns,
        without_columns,
    )
    from viewscribe.expressions.dsl import Expression
    from viewscribe.expressions.functions.asynchronous.author import (
        AsyncScalarFunction,
        AsyncTableFunction,
        async_udf,
        async_udtf,
    )
    from viewscribe.expressions.functions.process import (
        ArgumentHint,
        ArgumentTrait,
        ChangelogMode,
        Context,
        ListState,
        MapState,
        OnTimerContext,
        ProcessCallContext,
        ProcessTableFunction,
        ProcessTypeInference,
        Row,
        RowKind,
        StateHint,
        StaticArgument,
    )
    from viewscribe.expressions.functions.python import AggregateFunction
    from viewscribe.expressions.functions.python_modules import (
        ChangedFunctionWarning,
        PythonModules,
    )
    from viewscribe.table_api.dataframes import (
        attach_functions,
        capture,
        open_view,
        record,
        save_view,
        send_modules,
        to_sql,
        verify,
        view,
    )
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.table_api.table import Table

__all__ = [
    "AggregateFunction",
    "ArgumentHint",
    "ArgumentTrait",
    "AsyncScalarFunction",
    "AsyncTableFunction",
    "ChangedFunctionWarning",
    "ChangelogMode",
    "Context",
    "Expression",
    "ListState",
    "MapState",
    "OnTimerContext",
    "ProcessCallContext",
    "ProcessTableFunction",
    "ProcessTypeInference",
    "PythonModules",
    "Row",
    "RowKind",
    "StateHint",
    "StaticArgument",
    "Table",
    "TableEnvironment",
    "__version__",
    "and_",
    "array",
    "async_udf",
    "async_udtf",
    "attach_functions",
    "call",
    "capture",
    "col",
    "descriptor",
    "exists",
    "functions",
    "if_then_else",
    "in_query",
    "interval",
    "lit",
    "map_",
    "migrate",
    "not_",
    "open_view",
    "or_",
    "over",
    "process",
    "range_",
    "record",
    "row",
    "save_view",
    "scalar",
    "send_modules",
    "to_sql",
    "verify",
    "view",
    "with_all_columns",
    "with_columns",
    "without_columns",
]

_PLACES = {
    "expressions.constructors": (
        *("and_", "array", "call", "col", "descriptor", "exists", "if_then_else", "in_query"),
        *("interval", "lit", "map_", "not_", "or_", "over", "range_", "row", "scalar"),
        *("with_all_columns", "with_columns", "without_columns"),
    ),
    "expressions.dsl": ("Expression",),
    "expressions.functions.python": ("AggregateFunction",),
    "expressions.functions.asynchronous.author": (
        "async_udf",
        "async_udtf",
        "AsyncScalarFunction",
        "AsyncTableFunction",
    ),
    "expressions.functions.process": (
        *("ArgumentHint", "ArgumentTrait", "ChangelogMode", "Context", "ListState", "MapState"),
        *("OnTimerContext", "ProcessCallContext", "ProcessTableFunction", "ProcessTypeInference"),
        *("Row", "RowKind", "StateHint", "StaticArgument"),
    ),
    "expressions.functions.python_modules": (
        "ChangedFunctionWarning",
        "PythonModules",
    ),
    "table_api.dataframes": (
        "capture",
        "record",
        "view",
        "attach_functions",
        "open_view",
        "save_view",
        "send_modules",
        "to_sql",
        "verify",
    ),
    "table_api.environment": ("TableEnvironment",),
    "table_api.table": ("Table",),
}
"""Where each name is: it is imported when it is first asked for, as all programs want a quick
start, and ``viewscribe --help`` needs none of them."""

_MODULES = ("functions", "migrate", "process")

register_printers()


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"viewscribe.{name}")
    for place, names in _PLACES.items():
        if name in names:
            found = globals()[name] = getattr(import_module(f"viewscribe.{place}"), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
