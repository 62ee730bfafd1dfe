"""The source of a user function: SQL text, the name of a class, or a Python function."""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.iceberg import inference_of, references
from viewscribe.types import ArrayType, LogicalType, StructType


class Language(Enum):
    """The language that implements a user function."""

    SQL = "sql"
    PYTHON = "python"
    JAVA = "java"
    HIVE = "hive"
    CATALOG = "catalog"
    """Whatever a catalog of Spark's has it in: only the catalog's own name for it is known."""


class Convention(Enum):
    """How a Python function is called.

    ``VALUES``: with the Python values of a row, or for an aggregate with a list of a group's values
    for each argument. ``ARROW``: with a ``pyarrow.Array`` for each argument, holding a batch of
    rows or a group. ``ARROW_BATCHES``: with an iterator over the batches. ``ACCUMULATOR``: row by
    row, through the methods of ``AggregateFunction``. ``ASYNC``: awaited with the values of a row,
    many rows concurrently; a table function then gives an array of the rows it makes of each.
    """

    VALUES = "values"
    ARROW = "arrow"
    ARROW_BATCHES = "arrow batches"
    ACCUMULATOR = "accumulator"
    ASYNC = "async"


class FunctionParameter(msgspec.Struct, frozen=True):
    """A parameter: its name, its type and the SQL text of its default, if any.

    Spark fills in the defaults of SQL functions; for all others, calls pass them as arguments.
    """

    name: str
    type: LogicalType
    default: str | None = None
    comment: str | None = None


class FunctionSource(msgspec.Struct, frozen=True):
    """The source of a user function; plain data except for ``implementation``.

    Args:
        kind: scalar, aggregate or generator (a table function).
        language: the language that implements it.
        parameters: its parameters; None where only Spark knows them.
        returns: the type of its result, a STRUCT of the columns for a table function; None where
            only Spark knows it.
        reference: the name of a Java class, or ``module:name`` of a Python function; of a catalog's
            own function the library that it is known from, ``iceberg.bucket``.
        body: the SQL text of a SQL function: an expression, or a query for a table function.
        deterministic: whether equal arguments give equal results.
        comment: what it does.
        resources: jars and files it needs.
        convention: how a Python function is called.
        collected: whether a Python aggregate is called with all rows of a group in one array.
        source_hash: the hash of a Python function's source when it was stored; says nothing about
        the functions it calls, so it is not compared.
        signature: of a process table function, in one line; derived, so not compared.
        annotated: whether a Python function's own annotations say its types, so that they can be
            compared with those; not compared.
        stored: whether it is of a document, which anybody may have written; not compared.
        implementation: the Python function itself; not stored, not compared. Of a catalog's own
            function, what gives the ``ToldCall`` for the types of its arguments.
    """

    kind: FunctionKind
    language: Language
    parameters: tuple[FunctionParameter, ...] | None = None
    returns: LogicalType | None = None
    reference: str | None = None
    body: str | None = None
    deterministic: bool = True
    comment: str | None = None
    resources: tuple[str, ...] = ()
    convention: Convention = Convention.VALUES
    collected: bool = False
    source_hash: str | None = None
    signature: str | None = None
    annotated: bool = False
    stored: bool = False
    implementation: Any = None

    def __post_init__(self) -> None:
        if self.kind is FunctionKind.UNKNOWN and self.language is not Language.CATALOG:
            raise ValidationError("only of a catalog's own function the kind may be unknown")
        if self.language is Language.SQL:
            if self.body is None or self.parameters is None or self.returns is None:
                raise ValidationError(
                    "a SQL function needs parameters, a result type and a body",
                    hint="say them all: CREATE FUNCTION f(x INT) RETURNS INT RETURN x + 1",
                )
        elif self.language is Language.CATALOG:
            self._check_catalog()
        elif self.reference is None and self.implementation is None:
            raise ValidationError(f"a {self.language.value} function needs the name of its class")
        if self.kind is FunctionKind.GENERATOR and not isinstance(self.returns, StructType | None):
            raise ValidationError("a table function returns a STRUCT of its columns")
        if self.convention is not Convention.VALUES:
            _check_convention(self)

    def _check_catalog(self) -> None:
        if self.kind not in _KINDS_OF_CATALOGS:
            raise ValidationError(
                "of a catalog's own functions only scalar ones and aggregates can be called"
            )
        known = inference_of(self.reference)
        if self.reference is not None and (known is None or self.kind is not FunctionKind.SCALAR):
            raise ValidationError(
                f"no {self.kind.value} function '{self.reference}' is known",
                hint=f"known are, as scalar functions: {', '.join(references())}; of another one "
                "say RETURNS <type>, without AS",
            )
        if self.returns is None and known is None and self.kind is not FunctionKind.UNKNOWN:
            raise ValidationError(
                "the result of a catalog's own function must be declared",
                hint="CREATE TEMPORARY FUNCTION lake.tools.f(x INT) RETURNS INT LANGUAGE CATALOG",
            )
        if self.body is not None or self.resources:
            raise ValidationError("a catalog's own function has no body and no jar here")

    @property
    def gives_array_of_rows(self) -> bool:
        """Whether it is an asynchronous table function, which Spark calls as a scalar one."""
        return self.kind is FunctionKind.GENERATOR and self.convention is Convention.ASYNC

    @property
    def result(self) -> LogicalType | None:
        """Returns the type of a call; None where only Spark knows it."""
        if self.returns is None or not self.gives_array_of_rows:
            return self.returns
        return ArrayType(element=self.returns.not_null())

    @property
    def call_kind(self) -> FunctionKind:
        """Returns the kind of its calls: those of an asynchronous table function are values."""
        return FunctionKind.SCALAR if self.gives_array_of_rows else self.kind

    @property
    def identity(self) -> tuple[Any, ...]:
        """Returns the fields by which two sources are compared."""
        return tuple(
            getattr(self, name) for name in self.__struct_fields__ if name not in _NOT_COMPARED
        )


_KINDS_OF_CATALOGS = (FunctionKind.SCALAR, FunctionKind.AGGREGATE, FunctionKind.UNKNOWN)
_NOT_COMPARED = ("source_hash", "signature", "annotated", "stored", "implementation")


def _check_convention(source: FunctionSource) -> None:
    if source.language is not Language.PYTHON:
        raise ValidationError(f"a {source.language.value} function has no calling convention")
    kinds, hint = _KINDS[source.convention]
    if source.kind not in kinds and not source.collected:
        raise ValidationError(
            f"a Python function called with {source.convention.value} cannot be of the kind "
            f"{source.kind.value}",
            hint=hint,
        )


_VALUES_ONLY = "a table function is called with the values of a row"
_KINDS: dict[Convention, tuple[tuple[FunctionKind, ...], str]] = {
    Convention.ARROW: ((FunctionKind.SCALAR, FunctionKind.AGGREGATE), _VALUES_ONLY),
    Convention.ARROW_BATCHES: (
        (FunctionKind.SCALAR,),
        "an aggregate function takes a pyarrow.Array for each argument: a group comes whole",
    ),
    Convention.ACCUMULATOR: (
        (FunctionKind.AGGREGATE,),
        "a class with an accumulator is an aggregate function",
    ),
    Convention.ASYNC: (
        (FunctionKind.SCALAR, FunctionKind.GENERATOR),
        "an asynchronous function is called for each row",
    ),
}
"""What kinds of functions are called so, and what to say of the others."""
