"""Python functions as sources of user functions: what they are, from how they are written.

==============================================  ============================================
a Python function                               is
==============================================  ============================================
of values                                       scalar, called with the values of a row
that gives ``Iterator[…]``                      a table function, which yields rows
of ``pyarrow.Array``, gives one                 scalar, called with batches of rows
of ``Iterator[pyarrow.Array]``, gives one       scalar, called once with all batches
of ``pyarrow.Array``, gives anything else       aggregate, called with the arrays of a group
a class with ``accumulate`` and its sisters     aggregate, called row by row
``async def``, a class with ``async def eval``  scalar, awaited for many rows at once
the same that yields, an ``AsyncTableFunction`` a table function, awaited for many rows at once
a ``ProcessTableFunction``                      an operator over whole tables (``process/``)
==============================================  ============================================

Types come from annotations (``annotations.py``), or are given.
"""

from __future__ import annotations

import datetime as dt
import inspect
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Protocol, TypeVar

from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.expressions.functions.annotations import (
    Hints,
    arrow_columns,
    as_columns,
    as_type,
    is_arrow,
    is_iterator,
    item_of,
    type_of_annotation,
)
from viewscribe.expressions.functions.asynchronous.author import AsyncShape, is_asynchronous
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.process.context import is_process_function, signature_of
from viewscribe.expressions.functions.python_parameters import placed_parameters
from viewscribe.expressions.functions.user_defined import (
    Convention,
    FunctionParameter,
    FunctionSource,
    Language,
    UserFunction,
)
from viewscribe.expressions.literals import literal, text_of
from viewscribe.expressions.user_calls import is_same_in_python
from viewscribe.types import ArrayType, IntegralType, LogicalType
from viewscribe.types.nested_types import DecimalType, DoubleType, FloatType

# Defaults of Python parameters, as the SQL text that is stored with a function.
#
# A call that leaves the argument out gets it as a literal: the trees and texts of stored views say
# the value, and keep it when the function changes.

_PLAIN = (type(None), bool, int, float, str, bytes, Decimal, dt.date)


def parameters_with_defaults(
    placed: Sequence[inspect.Parameter], types: Sequence[LogicalType]
) -> tuple[FunctionParameter, ...]:
    """The parameters of a function that is called with the values of a row.

    Args:
        placed: the parameters as Python has them.
        types: their types.
    """
    return tuple(
        FunctionParameter(each.name, type_, _text(each, type_))
        for each, type_ in zip(placed, types, strict=True)
    )


def _text(parameter: inspect.Parameter, type_: LogicalType) -> str | None:
    """The default as SQL text; None where there is none that the function would get unchanged."""
    if parameter.default is parameter.empty or type(parameter.default) not in _PLAIN:
        return None
    try:
        value = literal(parameter.default)
    except ViewscribeError:  # a number that no type of Spark holds
        return None
    return text_of(value) if _passes(value.type, type_) else None


def _passes(given: LogicalType, wanted: LogicalType) -> bool:
    """Whether a function declared with one type gets a value of the other, or one equal to it."""
    fraction = isinstance(wanted, DecimalType | DoubleType | FloatType)
    return is_same_in_python(given, wanted) or (isinstance(given, IntegralType) and fraction)


# Aggregate functions with an accumulator, as users write them in Python.
#
# After ``AggregateFunction`` of Flink, to whose methods the FLIP-51 document leaves aggregates. It
# is a protocol: a class needs the methods, not the base, so that it needs no viewscribe where Spark
# runs it.

Accumulator = TypeVar("Accumulator")
Value = TypeVar("Value", covariant=True)


class AggregateFunction(Protocol[Accumulator, Value]):
    """What a class is that ``create_temporary_system_function`` takes as an aggregate function.

        class Mean:
            def create_accumulator(self) -> list[float]:
                return [0.0, 0]

            def accumulate(self, accumulator: list[float], x: float) -> None:
                if x is not None:
                    accumulator[0] += x
                    accumulator[1] += 1

            def get_value(self, accumulator: list[float]) -> float | None:
                return accumulator[0] / accumulator[1] if accumulator[1] else None

    The annotations of ``accumulate`` after the accumulator are the types of the arguments, that of
    ``get_value`` is the type of the result. NULL is None. A group without rows has the value of a
    new accumulator.

    A class may have a method ``merge(self, accumulator, accumulators)`` too, which brings further
    accumulators of a group into the first. Where it is there, each batch of a group's rows has an
    accumulator of its own; else all rows go into one.
    """

    def create_accumulator(self) -> Accumulator:
        """An accumulator of no rows."""

    def accumulate(self, accumulator: Accumulator, *values: object) -> None:
        """Takes in the values of one row, changing the accumulator."""

    def get_value(self, accumulator: Accumulator) -> Value:
        """The value of the function for the rows taken in."""


_NEEDED = ("create_accumulator", "accumulate", "get_value")


def is_accumulating(function: object) -> bool:
    """Whether this is meant as an ``AggregateFunction``: a class or an object with one of them."""
    # Many things have a method accumulate, a function of NumPy for one.
    names = ("create_accumulator", "get_value")
    return any(callable(getattr(function, name, None)) for name in names)


def check_accumulators(function: object, what: str) -> None:
    """Raises what an aggregate function with an accumulator lacks."""
    lacking = [name for name in _NEEDED if not callable(getattr(function, name, None))]
    if lacking:
        raise ValidationError(
            f"the aggregate function {what} has no method {' and no '.join(lacking)}",
            hint=f"it needs {', '.join(_NEEDED)}; merge is optional",
        )
    if isinstance(function, type):
        try:
            inspect.signature(function).bind()
        except TypeError as error:
            raise ValidationError(
                f"{what} cannot be made without arguments: {error}",
                hint=f"give an object of it: {function.__name__}(…)",
            ) from error


_INLINE = "inline"


def python_source(
    function: Any,
    *,
    returns: LogicalType | str | None = None,
    parameters: Sequence[LogicalType | str] | None = None,
    kind: FunctionKind | None = None,
    deterministic: bool = True,
    vectorized: bool | None = None,
) -> FunctionSource:
    """What a Python function is as a user function.

    Args:
        function: a function, or a class (or an object) with the methods of ``AggregateFunction``;
            annotations say the types that are not given.
        returns: the type of its result, a STRUCT of the columns for a table function.
        parameters: the types of its parameters, in order.
        kind: scalar, aggregate (called with a list of each argument's values in a group), or
            generator (yields rows); by default what the annotations say, else scalar.
        deterministic: whether equal arguments give equal results.
        vectorized: whether it is called with arrays of Arrow; by default what its annotations say.

    Raises:
        ValidationError: a type is neither annotated nor given, or has no counterpart; or the
            function cannot be called as it says.
    """
    if is_process_function(function):
        return _process_source(function)
    if is_asynchronous(function):
        awaited = AsyncShape(function, kind is FunctionKind.GENERATOR)
        _refuse_otherwise(awaited, kind, vectorized)
        return _async_source(awaited, returns, parameters, deterministic)
    number = None if parameters is None else len(parameters)
    shape = _Shape(function, kind=kind, vectorized=vectorized, given=number)
    names, given = shape.parameters(parameters)
    result = as_type(returns) if returns is not None else shape.result.type_of("return")
    if shape.kind is FunctionKind.GENERATOR:
        result = as_columns(result)
    return FunctionSource(
        kind=shape.kind,
        language=Language.PYTHON,
        parameters=parameters_with_defaults(shape.placed, given)
        if shape.takes_values_of_a_row
        else tuple(map(FunctionParameter, names, given)),
        returns=result,
        reference=reference_of(function),
        deterministic=deterministic,
        comment=_first_line(function),
        convention=shape.convention,
        annotated=parameters is None and returns is None,
        implementation=function,
    )


def _async_source(
    shape: AsyncShape,
    returns: LogicalType | str | None,
    parameters: Sequence[LogicalType | str] | None,
    deterministic: bool,
) -> FunctionSource:
    placed, types, result = shape.types(parameters, returns)
    return FunctionSource(
        kind=_kind_of(shape),
        language=Language.PYTHON,
        parameters=parameters_with_defaults(placed, types),
        returns=result,
        reference=reference_of(shape.function),
        deterministic=deterministic and shape.deterministic,
        comment=_first_line(shape.implementation),
        convention=Convention.ASYNC,
        annotated=parameters is None and returns is None,
        implementation=shape.implementation,
    )


def _kind_of(shape: AsyncShape) -> FunctionKind:
    return FunctionKind.GENERATOR if shape.gives_rows else FunctionKind.SCALAR


def _refuse_otherwise(
    shape: AsyncShape, kind: FunctionKind | None, vectorized: bool | None
) -> None:
    if kind not in (None, _kind_of(shape)) or vectorized:
        said = "vectorized" if vectorized else f"of the kind {kind.value}" if kind else ""
        raise ValidationError(
            f"{shape.what} is async and cannot be {said}",
            hint="an asynchronous function takes the values of a row, and gives rows where it "
            "yields them or is decorated with @vs.async_udtf, else one value",
        )


def _process_source(function: Any) -> FunctionSource:
    """A process table function; what it takes and gives follows from the call."""
    signature = signature_of(function)  # what is wrong with it is said here, not at a call
    kind = function if isinstance(function, type) else type(function)
    return FunctionSource(
        kind=FunctionKind.PROCESS_TABLE,
        language=Language.PYTHON,
        reference=reference_of(kind),
        comment=_first_line(kind),
        signature=signature.text,
        implementation=function,
    )


class _Shape:
    """How a Python function is called, and where its types are said.

    Args:
        function: the function.
        kind: what the caller says it is.
        vectorized: whether the caller says that it takes Arrow's arrays.
        given: for how many parameters the caller says a type.
    """

    def __init__(
        self,
        function: Any,
        *,
        kind: FunctionKind | None,
        vectorized: bool | None,
        given: int | None = None,
    ) -> None:
        accumulating = is_accumulating(function)
        self.what = name_of(function)
        if accumulating:
            check_accumulators(function, self.what)
        called = function.accumulate if accumulating else function
        calls = f"{self.what}.accumulate" if accumulating else self.what
        self.hints = Hints(called, calls)
        self.result = (
            Hints(function.get_value, f"{self.what}.get_value") if accumulating else self.hints
        )
        skip = _not_arguments(function) if accumulating else 0
        self.placed = placed_parameters(called, calls, skip=skip, given=given)
        self.names = [each.name for each in self.placed]
        if accumulating:
            self.convention = Convention.ACCUMULATOR
        elif self._takes_arrow() if vectorized is None else vectorized:
            batches = any(
                map(is_iterator, self.hints.of_parameters())
            ) or inspect.isgeneratorfunction(function)
            self.convention = Convention.ARROW_BATCHES if batches else Convention.ARROW
        else:
            self.convention = Convention.VALUES
        self.kind = kind or self._kind()
        if not self.names and (accumulating or self.convention is not Convention.VALUES):
            raise ValidationError(
                f"{self.what} takes no argument, and Spark calls such functions with columns only",
                hint="take one argument and ignore it",
            )

    @property
    def takes_values_of_a_row(self) -> bool:
        """Whether an argument is a value, not a list or an array of many."""
        if self.convention is Convention.VALUES:
            return self.kind is not FunctionKind.AGGREGATE
        return self.convention is Convention.ACCUMULATOR

    def parameters(
        self, given: Sequence[LogicalType | str] | None
    ) -> tuple[list[str], list[LogicalType]]:
        """The names and types of the parameters that SQL sees."""
        if self.convention is Convention.ARROW_BATCHES:
            return self._columns_of_batches(given)
        if given is None:
            return self.names, [self._type_of(name) for name in self.names]
        if len(given) != len(self.names):
            raise ValidationError(f"{self.what} has {len(self.names)} parameters, not {len(given)}")
        return self.names, [as_type(each) for each in given]

    def _type_of(self, name: str) -> LogicalType:
        """The type of a column; an aggregate is annotated with lists of its values."""
        found = self.hints.type_of(name)
        listed = self.kind is FunctionKind.AGGREGATE and self.convention is Convention.VALUES
        return found.element if listed and isinstance(found, ArrayType) else found

    def _columns_of_batches(
        self, given: Sequence[LogicalType | str] | None
    ) -> tuple[list[str], list[LogicalType]]:
        """An iterator of arrays is one parameter of SQL, one of tuples of arrays several."""
        if len(self.names) != 1:
            raise ValidationError(
                f"{self.what} has {len(self.names)} parameters, and an iterator over batches is one"
            )
        name = self.names[0]
        columns = arrow_columns(item_of(self.hints.get(name)))
        any_number = not columns or ... in columns
        if given is not None:
            types = [as_type(each) for each in given]
        else:
            types = [each for each in map(type_of_annotation, columns) if each is not None]
        if not types or not (any_number or len(types) == len(columns)):
            wanted = "columns" if any_number else f"{len(columns)} columns"
            raise ValidationError(
                f"{self.what} takes batches of {wanted}, and the types of {len(types)} are said",
                hint='give parameters=["INT", …], a type for each column',
            )
        if len(types) == 1:
            return [name], types
        return [f"{name}_{place}" for place in range(1, len(types) + 1)], types

    def _takes_arrow(self) -> bool:
        return any(
            is_arrow(annotation) or arrow_columns(item_of(annotation))
            for annotation in self.hints.of_parameters()
        )

    def _kind(self) -> FunctionKind:
        gives = self.hints.get("return")
        if self.convention is Convention.ACCUMULATOR:
            return FunctionKind.AGGREGATE
        if self.convention is Convention.VALUES:
            return FunctionKind.GENERATOR if is_iterator(gives) else FunctionKind.SCALAR
        whole = gives in (None, Any) or is_arrow(item_of(gives))
        return FunctionKind.SCALAR if whole else FunctionKind.AGGREGATE


def _not_arguments(function: Any) -> int:
    """How many parameters of ``accumulate`` are none of SQL's: the accumulator, ``self``."""
    method = inspect.getattr_static(function, "accumulate")
    return 2 if isinstance(function, type) and inspect.isfunction(method) else 1


def inline(function: object) -> UserFunction:
    """A function that is used without being registered; a Python function or a source."""
    if is_asynchronous(function) and not is_process_function(function):
        called = FunctionIdentifier(AsyncShape(function).name)
        return UserFunction(called, python_source(function), temporary=True, anonymous=True)
    if not isinstance(function, FunctionSource):
        known = is_accumulating(function) or is_process_function(function)
        if not callable(function) and not known:
            raise ValidationError(
                f"{function!r} is not a function", hint='write call("name", …) or call(function, …)'
            )
        function = python_source(function)
    made_of = function.implementation
    named = is_accumulating(made_of) or is_process_function(made_of)
    unnamed = type(made_of).__name__ if named else _INLINE
    name = getattr(made_of, "__name__", unnamed)
    return UserFunction(FunctionIdentifier(name), function, temporary=True, anonymous=True)


def name_of(function: object) -> str:
    """How messages name a function, a class or an object of one."""
    made: str | None = getattr(function, "__qualname__", None)
    if made is not None:
        return made
    return type(function).__qualname__ if is_accumulating(function) else repr(function)


def reference_of(function: object) -> str | None:
    """``module:name`` of what can be imported again by that name, else None."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if module in (None, "__main__") or not name or "<" in name:
        return None
    return f"{module}:{name}"


def _first_line(function: Callable[..., Any]) -> str | None:
    return (inspect.getdoc(function) or "").partition("\n")[0] or None
