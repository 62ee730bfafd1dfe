"""Calls of process table functions as Spark reads them.

    CountWithTimeout(
      input => TABLE(
        SELECT …
      ) PARTITION BY (user_id) ORDER BY (ts),
      on_time => 'ts',
      keys => array('user_id')
    )

Spark has table arguments with PARTITION BY and ORDER BY, each in parentheses, and none of
DESCRIPTOR, COPARTITION and PASS THROUGH. Nor does it tell the function what stands there, so
``keys`` says it again, and ``order_keys`` does where the order is not by time alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from viewscribe.expressions.functions.process.context import signature_of
from viewscribe.expressions.functions.process.inference import (
    KEYS,
    LAST,
    NULL_TIMES,
    ON_TIME,
    ORDER_KEYS,
    TABLES,
    UID,
)
from viewscribe.expressions.functions.syntax import InlineCall
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.operations.build.process.call import empty_error
from viewscribe.operations.nodes import Process
from viewscribe.serializer.blocks import Env
from viewscribe.serializer.expressions import ExpressionPrinter, sort_fragment
from viewscribe.serializer.literals import identifier, quote_string
from viewscribe.serializer.syntaxes import inline_error


def process_call(
    call: Process, inner: str, printer: ExpressionPrinter, env: Env, indent: int
) -> str:
    """The call over a query, its further lines indented.

    Args:
        call: the operation.
        inner: the query that is its input, indented by four more.
        printer: prints keys and arguments.
        env: what references to the input's columns mean.
        indent: spaces before each line after the first.

    Raises:
        NotSerializableError: the function has no name that SQL text can call, or keeps a table
            without rows.
    """
    if isinstance(call.function.syntax, InlineCall):
        raise inline_error(call.function)
    _refuse_empty(call)
    pad = "\n" + " " * (indent + 2)
    lines = []
    if call.tables:
        table = TABLES if call.is_tagged else identifier(call.tables[0])
        lines.append(f"{table} => TABLE({pad}  {inner}{pad}){_clauses(call, printer, env)}")
    for name, value in zip(call.arguments, call.args, strict=True):
        shown = printer.print(value, env).render(indent + 2)
        lines.append(f"{identifier(name)} => {shown}")
    if call.on_time:
        lines.append(f"{ON_TIME} => {_names(call.on_time)}")
    if call.keeps_null_times:
        lines.append(f"{NULL_TIMES} => {quote_string(LAST)}")
    if call.said_keys:
        lines.append(f"{KEYS} => {_array(call.said_keys)}")
    if call.said_order_keys:
        lines.append(f"{ORDER_KEYS} => {_array(call.said_order_keys)}")
    if call.uid is not None:
        lines.append(f"{UID} => {quote_string(call.uid)}")
    if not call.tables:
        return f"{call.function.table_name}({', '.join(lines)})"
    listed = ",".join(pad + line for line in lines)
    return f"{call.function.table_name}({listed}\n{' ' * indent})"


def _refuse_empty(call: Process) -> None:
    """Refuses a call that may give rows for a table without any, where Spark calls nothing."""
    function = call.function
    implementation = function.source.implementation if isinstance(function, UserFunction) else None
    if call.keys or call.by_row or implementation is None:
        return
    signature = signature_of(implementation)
    if signature.keeps_empty:
        raise empty_error(signature)


def _clauses(call: Process, printer: ExpressionPrinter, env: Env) -> str:
    if call.by_row:
        return ""
    keys = [printer.print(key, env).render() for key in call.keys]
    clauses = f" PARTITION BY ({', '.join(keys)})" if keys else " WITH SINGLE PARTITION"
    order = [sort_fragment(printer.print(key.child, env), key).render() for key in call.order]
    return f"{clauses} ORDER BY ({', '.join(order)})" if order else clauses


def _names(names: Sequence[str]) -> str:
    return quote_string(names[0]) if len(names) == 1 else _array(names)


def _array(names: Sequence[str]) -> str:
    return f"array({', '.join(map(quote_string, names))})"
