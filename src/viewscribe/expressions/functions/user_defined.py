"""User-defined functions: a definition together with its implementation.

A user function is a ``FunctionDefinition`` like any other, so everything built on definitions
(inference, DSL, serializer, plan documents) accepts it. It adds an identifier and a source: SQL
text, the name of a class, or a Python function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions.functions.bodies import typed_by_body
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.inference import (
    ANY,
    ARRAY_NOT_NULL,
    TypeInference,
    always_nullable,
    argument,
    from_type,
    never_null,
)
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.functions.syntax import (
    FUNCTION,
    IN_FROM,
    INLINE,
    CallSyntax,
    FunctionCall,
    Template,
)
from viewscribe.expressions.functions.validators import ArgumentType, as_argument, castable
from viewscribe.expressions.node import IS_USERS
from viewscribe.types import (
    DATE,
    INT,
    STRING,
    ArrayType,
    BigIntType,
    BinaryType,
    CharType,
    DateType,
    DecimalType,
    IntType,
    LogicalType,
    SmallIntType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TinyIntType,
    VarcharType,
)
from viewscribe.types.identifiers import quote_identifier, quote_name
from viewscribe.types.nested_types import value_type

if TYPE_CHECKING:
    from viewscribe.expressions.nodes import ResolvedExpression


# Iceberg's own functions, which every catalog of Iceberg's has in its namespace ``system``.
#
# Most are the transforms of hidden partitioning. They take what Iceberg's ``bind`` takes, which is
# less than Spark would cast.

NAMESPACE = "system"
LIBRARY = "iceberg"


def _one_of(description: str, *kinds: type[LogicalType]) -> ArgumentType:
    """Any type of these classes as it is; a NULL without a type is refused."""

    def coerce(given: LogicalType) -> LogicalType | None:
        read_as = value_type(given) if isinstance(given, CharType | VarcharType) else given
        collated = isinstance(read_as, StringType) and read_as.collation != STRING.collation
        return read_as if isinstance(read_as, kinds) and not collated else None

    return ArgumentType(description, coerce)


_SMALL = (TinyIntType, SmallIntType, IntType)
_COUNT = ArgumentType(
    "INT", lambda given: INT.with_nullability(given.nullable) if isinstance(given, _SMALL) else None
)
_CUT = (*_SMALL, BigIntType, DecimalType, StringType, BinaryType)
_TIMES = (TimestampType, TimestampNtzType)
_TIME = _one_of("<timestamp>", *_TIMES)
_DAY = _one_of("<date or timestamp>", DateType, *_TIMES)
_WHOLE = always_nullable(INT)

_FUNCTIONS: dict[str, TypeInference] = {
    "iceberg_version": TypeInference((), never_null(STRING), 0),
    "bucket": TypeInference((_COUNT, _one_of("<hashable>", *_CUT, DateType, *_TIMES)), _WHOLE, 2),
    "truncate": TypeInference(
        (_COUNT, _one_of("<whole number>, DECIMAL, STRING or BINARY", *_CUT)),
        always_nullable(argument(1)),
        2,
    ),
    "years": TypeInference((_DAY,), _WHOLE, 1),
    "months": TypeInference((_DAY,), _WHOLE, 1),
    "days": TypeInference((_DAY,), always_nullable(DATE), 1),
    "hours": TypeInference((_TIME,), _WHOLE, 1),
}


def function_names() -> list[str]:
    """Returns the names of all functions."""
    return sorted(_FUNCTIONS)


def references() -> list[str]:
    """Returns what the functions are referred to by: ``iceberg.bucket``."""
    return [f"{LIBRARY}.{name}" for name in function_names()]


def inference_of(reference: str | None) -> TypeInference | None:
    """Returns the types of a function by its reference, ``iceberg.bucket``; None if unknown."""
    library, _, name = (reference or "").partition(".")
    return _FUNCTIONS.get(name) if library == LIBRARY else None


# The source of a user function: SQL text, the name of a class, or a Python function.


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


class ToldCall(NamedTuple):
    """What a session says of a call of a function that a catalog has itself.

    Args:
        returns: the type of the result.
        deterministic: whether equal arguments give equal results.
        kind: whether it is a scalar function or an aggregate.
    """

    returns: LogicalType
    deterministic: bool
    kind: FunctionKind = FunctionKind.SCALAR


class UserFunction(FunctionDefinition):
    """A function that a user registered.

    Args:
        identifier: its name, with or without catalog and database.
        source: its parameters, types and implementation.
        temporary: whether it is dropped at the end of the session.
        anonymous: whether it is used inline, without being registered.
    """

    __slots__ = ("anonymous", "identifier", "source", "temporary")

    def __init__(
        self,
        identifier: FunctionIdentifier,
        source: FunctionSource,
        *,
        temporary: bool,
        anonymous: bool = False,
    ) -> None:
        if source.language is Language.CATALOG and (temporary or identifier.is_system):
            raise ValidationError(
                f"`{identifier.name}` is a function that a catalog has itself, and it is in none",
                hint="name its catalog and namespace: lake.tools.f",
            )
        _require_home(identifier, temporary=temporary)
        self.anonymous = anonymous
        self.identifier = identifier
        self.source = source
        self.temporary = temporary
        super().__init__(
            identifier.name,
            kind=source.call_kind,
            inference=_inference(identifier, source),
            deterministic=source.deterministic,
            parameter_names=_parameter_names(source),
            since="",
            doc=source.comment or _describe_language(source.language),
            sql_name=spark_name(
                identifier, temporary=temporary, in_lateral_view=_in_lateral_view(source)
            ),
            syntax=_syntax(source, anonymous=anonymous),
        )
        self.built_in_name = ""
        self.marks |= IS_USERS

    @property
    def foldable(self) -> bool:
        """Whether calls can be constants; Spark folds no Python functions."""
        return self.source.language is not Language.PYTHON and super().foldable

    @property
    def is_python_aggregate(self) -> bool:
        """Whether it is a Python aggregate, which Spark allows in fewer places."""
        return self.kind is FunctionKind.AGGREGATE and self.source.language is Language.PYTHON

    def of_collected_rows(self) -> UserFunction:
        """Turns a Python aggregate into a scalar function of a group's rows, collected in an array.

        Spark does not combine Python aggregates with DISTINCT, FILTER or other aggregates, and
        returns no row for empty input. The scalar function has none of these limits.
        """
        source = msgspec.structs.replace(self.source, kind=FunctionKind.SCALAR, collected=True)
        identifier = msgspec.structs.replace(
            self.identifier, name=f"{self.identifier.name}{OF_ROWS}"
        )
        return UserFunction(identifier, source, temporary=self.temporary, anonymous=self.anonymous)

    def of_call(self, args: Sequence[ResolvedExpression]) -> UserFunction:
        """Returns the function with what a session told of the call, where one is asked."""
        if self.kind is not FunctionKind.UNKNOWN:
            return self
        ask = self.source.implementation
        if ask is None:  # of a plan document, where SQL text calls it
            self.infer(args)
        told: ToldCall = ask([each.type for each in args])
        source = msgspec.structs.replace(
            self.source,
            kind=told.kind,
            returns=told.returns,
            deterministic=told.deterministic,
            implementation=None,
        )
        return UserFunction(self.identifier, source, temporary=False)

    def of_author(self, change: Callable[[UserFunction], UserFunction]) -> UserFunction:
        """Returns a copy in which the function that users call is replaced."""
        return change(self)

    @property
    def registered(self) -> FunctionIdentifier:
        """Returns the identifier that users registered, even if this one takes collected rows."""
        if not self.source.collected:
            return self.identifier
        name = self.identifier.name.removesuffix(OF_ROWS)
        return msgspec.structs.replace(self.identifier, name=name)

    @property
    def names_in_text(self) -> tuple[tuple[str, ...], ...]:
        """Returns the names by which SQL text may call it.

        A temporary function has one name in a session, dots and all. So has one of a catalog whose
        functions the session cannot hold, beside its path.
        """
        path = self.registered.parts
        whole = (".".join(path),)
        if self.source.language is Language.CATALOG:
            return (path,)
        return (whole,) if self.temporary else (path, whole)

    @property
    def table_name(self) -> str:
        """Returns its name in FROM, where full paths are allowed."""
        return self.sql_name if self.temporary else quote_name(self.identifier.parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UserFunction) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self.identifier.key)

    @property
    def _identity(self) -> tuple[Any, ...]:
        return (self.identifier.key, self.temporary, self.anonymous, self.source.identity)

    def __repr__(self) -> str:
        if not self.source.collected:
            return str(self.identifier)
        return str(self.registered)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_again, (self.identifier, self.source, self.temporary, self.anonymous))


OF_ROWS = " of rows"
"""What follows the name of an aggregate in that of the same function of collected rows."""


def _require_home(identifier: FunctionIdentifier, *, temporary: bool) -> None:
    """Rejects a name that Spark takes for one of its own functions, or of its temporary ones."""
    if identifier.is_sparks:
        raise ValidationError(
            f"{identifier} is in none of your databases: `system`, `builtin` and `session` are "
            "Spark's own",
            hint="name another catalog and database",
        )
    if identifier.is_system and not temporary:
        raise ValidationError(
            f"the function {identifier} is in no database, and is not temporary",
            hint="name its catalog and database: spark_catalog.default.f",
        )


def _describe_language(language: Language) -> str:
    if language is Language.CATALOG:
        return "A function that the catalog has itself."
    return f"A function in {language.name.title()}."


def _in_lateral_view(source: FunctionSource) -> bool:
    """Whether it is called in LATERAL VIEW, as only Hive's and Java's generators are."""
    in_hive = source.language in (Language.HIVE, Language.JAVA)
    return source.kind is FunctionKind.GENERATOR and in_hive


def _syntax(source: FunctionSource, *, anonymous: bool) -> CallSyntax:
    if anonymous:
        return INLINE
    makes_rows = source.call_kind is FunctionKind.GENERATOR
    return IN_FROM if makes_rows and not _in_lateral_view(source) else FUNCTION


def _parameter_names(source: FunctionSource) -> tuple[str, ...]:
    if source.collected:
        return ("rows",)
    return tuple(parameter.name for parameter in source.parameters or ())


def spark_name(
    identifier: FunctionIdentifier, *, temporary: bool, in_lateral_view: bool = False
) -> str:
    """Returns the name by which Spark finds exactly this function, wherever the text runs.

    Spark looks for a bare name among its built-in functions first, then among the session's, then
    in the current database. Its temporary functions have no namespace, so a temporary catalog
    function is registered there under its whole path as one name. LATERAL VIEW takes names of at
    most two parts, which are then of the session's own catalog.
    """
    if not temporary:
        parts = identifier.parts
        short = in_lateral_view and parts[0] == _SESSION_CATALOG
        return quote_name(parts[1:] if short else parts)
    name = session_name(identifier)
    if identifier.is_system and not is_sparks(name):
        return quote_identifier(name)
    return quote_name(("session", name) if in_lateral_view else ("system", "session", name))


def is_sparks(name: str) -> bool:
    """Whether Spark has a built-in function of that name; ``plus``, for example, is only ours."""
    lowered = name.lower()
    if lowered in _ONLY_SPARK_HAS:
        return True
    found = find_built_in(name)
    if found is None or found.kind is FunctionKind.DECLARATIVE:
        return False
    if lowered == found.name and _is_phrase(found):
        return False
    return lowered == found.sql_name.lower() or lowered in found.aliases


def _is_phrase(function: FunctionDefinition) -> bool:
    """Whether an operator is written in several words, as ``IS TRUE``, and has no other name."""
    named = isinstance(function.syntax, FunctionCall | Template) or bool(function.aliases)
    return "_" in function.name and not named


_ONLY_SPARK_HAS = ("cast", "mod", "timestamp_nanos", "unix_nanos")
"""Names of Spark's without an entry here: syntax, an operator's, and what PySpark cannot use."""

_SESSION_CATALOG = "spark_catalog"


def session_name(identifier: FunctionIdentifier) -> str:
    """Returns the name of a temporary function in the Spark session."""
    return ".".join(identifier.parts)


def _again(
    identifier: FunctionIdentifier, source: FunctionSource, temporary: bool, anonymous: bool
) -> UserFunction:
    return UserFunction(identifier, source, temporary=temporary, anonymous=anonymous)


def _inference(identifier: FunctionIdentifier, source: FunctionSource) -> TypeInference:
    if source.kind is FunctionKind.PROCESS_TABLE:
        return TypeInference((ANY,), _takes_tables, 0, variadic=True)
    if source.language is Language.CATALOG and source.parameters is None:
        return _inference_of_catalog(source)
    result = source.result
    if source.parameters is None or result is None:
        return TypeInference((ANY,), _unknown, 0, variadic=True)
    if source.collected:
        return TypeInference((ARRAY_NOT_NULL,), always_nullable(result), 1)
    takes = castable if source.language is Language.SQL else as_argument
    arguments = tuple(takes(parameter.type) for parameter in source.parameters)
    required = len(arguments)
    if source.language is Language.SQL:  # for all others, calls pass the defaults
        required = sum(parameter.default is None for parameter in source.parameters)
    # A table function returns rows, never NULL; any other may return NULL.
    exact = source.call_kind is FunctionKind.GENERATOR
    known = result.not_null() if exact else result.as_nullable()
    by_body = source.language is Language.SQL
    returns = typed_by_body(identifier, source, known) if by_body else from_type(known)
    return TypeInference(arguments, returns, required)


def _inference_of_catalog(source: FunctionSource) -> TypeInference:
    known = inference_of(source.reference)
    if known is not None:
        return known
    returns = _unknown if source.returns is None else from_type(source.returns.as_nullable())
    return TypeInference((ANY,), returns, 0, variadic=True)


def _takes_tables(context: CallContext) -> LogicalType:
    raise TypeMismatchError(
        f"`{context.function!r}` is a process table function: its call is a table",
        hint='write table.partition_by("key").process("name", …), or env.from_call(call(…))',
    )


def _unknown(context: CallContext) -> LogicalType:
    raise TypeMismatchError(
        f"the types of the function `{context.function!r}` are only known to Spark",
        hint="say them when it is registered: CREATE FUNCTION f(x INT) RETURNS INT AS '…'",
    )
