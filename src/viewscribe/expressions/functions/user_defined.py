"""User-defined functions: a definition together with its implementation.

A user function is a ``FunctionDefinition`` like any other, so everything built on definitions
(inference, DSL, serializer, plan documents) accepts it. It adds an identifier and a source: SQL
text, the name of a class, or a Python function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions.functions.bodies import typed_by_body
from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.families import ANY, ARRAY_NOT_NULL
from viewscribe.expressions.functions.iceberg import inference_of
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.inference import TypeInference
from viewscribe.expressions.functions.outputs import always_nullable, from_type
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.functions.sources import (
    FunctionSource,
    Language,
)
from viewscribe.expressions.functions.syntax import (
    FUNCTION,
    IN_FROM,
    INLINE,
    CallSyntax,
    FunctionCall,
    Template,
)
from viewscribe.expressions.functions.validators import as_argument, castable
from viewscribe.expressions.marks import IS_USERS
from viewscribe.types import LogicalType

if TYPE_CHECKING:
    from viewscribe.expressions.nodes import ResolvedExpression


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
        from viewscribe.types.identifiers import quote_name

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
    from viewscribe.types.identifiers import quote_identifier, quote_name

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
