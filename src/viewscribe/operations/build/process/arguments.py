"""Arguments of a call, and which parameter each belongs to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from viewscribe.errors import TypeMismatchError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.constant_folding import fold_constant
from viewscribe.expressions.constructors import col
from viewscribe.expressions.functions.process.hints import ArgumentTrait
from viewscribe.expressions.functions.process.inference import (
    IMPLICIT,
    KEYS,
    NULL_TIME_POLICIES,
    NULL_TIMES,
    ON_TIME,
    REFUSE,
    TABLES,
    UID,
    Signature,
    StaticArgument,
)
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    Cast,
    FieldReference,
    Literal,
    ResolvedExpression,
)
from viewscribe.expressions.properties import is_foldable
from viewscribe.expressions.resolve import Scope, resolve_in
from viewscribe.expressions.schema import Schema
from viewscribe.expressions.user_calls import Descriptor, NamedArgument
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.build.checks import forbid
from viewscribe.operations.nodes.combinations import path_of
from viewscribe.types import (
    STRING,
    ArrayType,
    CharType,
    DoubleType,
    FloatType,
    LogicalType,
    MapType,
    StringType,
    VarcharType,
    VariantType,
)
from viewscribe.types.identifiers import quote_identifier
from viewscribe.types.nested_types import change_inside, contains

__all__ = ["Bound", "NamedArgument", "TableArgument", "bind"]


@dataclass(frozen=True)
class TableArgument:
    """A table as a call passes it.

    Args:
        operation: the table.
        partition_by: the columns of PARTITION BY; None where there is none.
        order_by: the keys of ORDER BY.
        copartition: the argument that it is partitioned together with.
    """

    operation: QueryOperation
    partition_by: tuple[Any, ...] | None = None
    order_by: tuple[Any, ...] = ()
    copartition: str | None = None


@dataclass
class Bound:
    """The arguments of a call by the parameters they belong to."""

    tables: dict[str, TableArgument] = field(default_factory=dict)
    scalars: dict[str, Literal] = field(default_factory=dict)
    on_time: tuple[str, ...] = ()
    null_times: str = REFUSE
    uid: str | None = None


def texts_of(value: object) -> tuple[str, ...] | None:
    """The text, or the texts of an array, that an argument is in SQL; None where it is none."""
    parts: Sequence[object] = (value,)
    if isinstance(value, Call) and value.function.built_in_name == "array":
        parts = value.args
    folded = [fold_constant(part) for part in parts if isinstance(part, ResolvedExpression)]
    texts = [part.value for part in folded if part is not None]
    if len(texts) < len(parts):
        return None
    found = tuple(text for text in texts if isinstance(text, str))
    return found if len(found) == len(parts) else None


def bind(signature: Signature, given: Sequence[Any], named: Mapping[str, Any]) -> Bound:
    """What belongs to which parameter: by name where there is one, the others in order.

    Raises:
        ValidationError: an argument is unknown, of the wrong kind, missing or given twice.
    """
    bound, positional = Bound(), []
    pairs: list[tuple[str, Any]] = []
    for each in given:
        if isinstance(each, NamedArgument):
            pairs.append((each.name, each.value))
        else:
            positional.append(each)
    pairs += named.items()
    taken = _list_names(signature, pairs, bound)
    # A constant has the place at which it stands; the others of the tables are those without names.
    free = [
        each for each in signature.arguments if not (each.is_table and each.name.lower() in taken)
    ]
    for value in positional:
        if isinstance(value, Descriptor):
            _put_time(bound, value, taken)
            continue
        parameter = _next(signature, free, value)
        if parameter.name.lower() in taken:
            raise ValidationError(
                f"{signature.name} is given the argument `{parameter.name}` twice, at its place "
                "and by its name",
                location=signature.text,
            )
        free.remove(parameter)
        _put(signature, bound, parameter, value)
    free = [each for each in free if each.name.lower() not in taken]
    for parameter in free:
        if not parameter.is_optional:
            raise _missing_error(signature, parameter)
    if signature.tables and not bound.tables:
        raise ValidationError(
            f"{signature.name} is called without a table",
            location=signature.text,
            hint="it is called for rows: give it one of them, though all are optional",
        )
    if bound.null_times != REFUSE and not bound.on_time:
        raise ValidationError(
            f"{signature.name} is called with {NULL_TIMES}, and the call names no time",
            hint='write on_time=descriptor("ts")',
        )
    return bound


def _list_names(signature: Signature, pairs: Sequence[tuple[str, Any]], bound: Bound) -> set[str]:
    taken: set[str] = set()
    for name, value in pairs:
        folded = name.lower()
        if folded in taken:
            raise ValidationError(f"{signature.name} is given the argument `{name}` twice")
        if folded == ON_TIME:
            _put_time(bound, value, taken)
        elif folded == UID:
            text = _constant_of(value)
            if not isinstance(text, str) or not text.strip():
                raise ValidationError(
                    f"uid is {text!r}, and not a name",
                    hint='write uid="main"',
                )
            bound.uid = text
        elif folded == NULL_TIMES:
            bound.null_times = check_null_times(_constant_of(value))
        elif folded in IMPLICIT:
            raise ValidationError(
                f"the argument `{name}` of {signature.name} is only written in SQL that is printed "
                "for Spark",
                location=signature.text,
                hint=_instead_of(signature, folded),
            )
        else:
            _put(signature, bound, signature.argument(name), value)
        taken.add(folded)
    return taken


def _instead_of(signature: Signature, name: str) -> str:
    """What a call says in place of an argument that only Spark's SQL has."""
    if not signature.tables:
        return "leave it out: it takes no table"
    if name == TABLES:
        tables = (f"{each.name} => TABLE(…)" for each in signature.tables)
        return f"give each table by its own name: {', '.join(tables)}"
    clause = "PARTITION BY" if name == KEYS else "ORDER BY"
    return f"leave it out, and say {clause} beside the table"


def _next(signature: Signature, free: Sequence[StaticArgument], value: Any) -> StaticArgument:
    """The first parameter that takes such a value."""
    is_table = isinstance(value, TableArgument)
    for parameter in free:
        if parameter.is_table == is_table:
            return parameter
        if not parameter.is_optional and not is_table and parameter.is_table:
            continue  # tables may come by name, after scalars
    what = "another table" if is_table else f"another value, {value!r}"
    raise ValidationError(
        f"{signature.name} is given {what} than it takes", location=signature.text
    )


def _put(signature: Signature, bound: Bound, parameter: StaticArgument, value: Any) -> None:
    where = f"the argument `{parameter.name}` of {signature.name}"
    if isinstance(value, TableArgument) != parameter.is_table:
        wanted = "a table" if parameter.is_table else "a constant"
        raise ValidationError(
            f"{where} is {wanted}, and not {_show(value)}", location=signature.text
        )
    if isinstance(value, TableArgument):
        bound.tables[parameter.name] = value
    else:
        bound.scalars[parameter.name] = _scalar(where, parameter, value)


def _scalar(where: str, parameter: StaticArgument, value: Any) -> Literal:
    assert parameter.type is not None
    if isinstance(value, Descriptor):
        if not parameter.type.as_nullable().same_type(_NAMES):
            raise ValidationError(
                f"{where} is {parameter.type.as_nullable().ddl}, and not {value!r}",
                hint="names of columns are texts: declare list[str]; those of times are given as "
                'descriptor("ts").as_argument("on_time")',
            )
        value = list(value.names)
    found = resolve_in(dsl.operand(value), Scope(Schema(())))
    if isinstance(found, Literal) and found.type.same_type(parameter.type):
        return found
    try:
        return literal(_value_of(where, found), parameter.type)
    except TypeMismatchError as error:
        raise TypeMismatchError(
            f"{where} is {found.as_summary_string()} of the type {found.type.ddl}, and takes "
            f"{parameter.type.as_nullable().ddl}",
            hint="write a value of that type, or cast it: lit(…)",
        ) from error


_NAMES = ArrayType(element=STRING)
"""The type of an argument that names columns, as DESCRIPTOR does."""


def _value_of(where: str, constant: ResolvedExpression) -> Any:
    """The value of a constant, which may be built: row(…), array(…), map_(…)."""
    folded = fold_constant(constant)
    if folded is not None:
        return folded.value
    if isinstance(constant, Alias):
        return _value_of(where, constant.child)
    if isinstance(constant, Cast):
        value = _value_of(where, constant.child)
        with suppress(TypeMismatchError):  # a cast that changes the value is Spark's to compute
            literal(value, constant.type)
            return value
    if isinstance(constant, Call) and constant.function.built_in_name in _BUILDERS:
        made = _BUILDERS[constant.function.built_in_name]
        return made([_value_of(where, each) for each in constant.args])
    shown = constant.as_summary_string()
    raise ValidationError(
        f"{where} is {shown}, a constant that only Spark can compute"
        if is_foldable(constant)
        else f"{where} is {shown}, which is no constant",
        hint="write the value: lit(…), or a Python value",
    )


_BUILDERS: dict[str, Callable[[list[Any]], Any]] = {
    "array": list,
    "struct": tuple,
    "named_struct": lambda values: tuple(values[1::2]),
    "map": lambda values: dict(zip(values[::2], values[1::2], strict=True)),
}
"""What the functions that build values make of constants."""


def _put_time(bound: Bound, value: Any, taken: set[str]) -> None:
    if bound.on_time:
        raise ValidationError("on_time is given twice")
    names = value.names if isinstance(value, Descriptor) else value
    if isinstance(names, str):
        names = (names,)
    is_names = isinstance(names, tuple | list) and names and all(isinstance(n, str) for n in names)
    if not is_names:
        raise ValidationError(
            f"on_time is {value!r}, and not the name of a column",
            hint='write descriptor("ts").as_argument("on_time")',
        )
    bound.on_time = tuple(names)
    taken.add(ON_TIME)


def check_null_times(value: object) -> str:
    """What a call says of rows whose time is NULL.

    Raises:
        ValidationError: it is none of ``NULL_TIME_POLICIES``.
    """
    if value not in NULL_TIME_POLICIES:
        raise ValidationError(
            f"{NULL_TIMES} is {value!r}",
            hint=f"it is one of {', '.join(map(repr, NULL_TIME_POLICIES))}",
        )
    return str(value)


def _constant_of(value: Any) -> object:
    found = resolve_in(dsl.operand(value), Scope(Schema(())))
    folded = fold_constant(found)
    return found.as_summary_string() if folded is None else folded.value


def _missing_error(signature: Signature, parameter: StaticArgument) -> ValidationError:
    if parameter.is_table:
        how = f'table.partition_by("key").as_argument("{parameter.name}")'
        hint = how if parameter.is_set else f'table.as_argument("{parameter.name}")'
    else:
        hint = f"{parameter.name}=…"
    return ValidationError(
        f"{signature.name} is called without the argument `{parameter.name}`",
        location=signature.text,
        hint=f"write {hint}",
    )


def _show(value: Any) -> str:
    return "a table" if isinstance(value, TableArgument) else repr(value)


# PARTITION BY of a table: which keys there may be, and what their columns are called.

_T = ArgumentTrait


def add_key_columns(where: str, given: TableArgument) -> TableArgument:
    """The table with the keys that are computed, ``….alias("day")``, as columns of it.

    Raises:
        ValidationError: it has a column of that name.
    """
    scope = Scope(given.operation.schema)
    keys: list[Any] = []
    made: list[Alias] = []
    for key in given.partition_by or ():
        resolved = resolve_in(dsl.column_or(key), scope)
        if not isinstance(resolved, Alias):
            keys.append(key)
            continue
        if scope.schema.by_name.find_unique(resolved.name.lower()) >= 0:
            raise ValidationError(
                f"{where}: PARTITION BY computes the column `{resolved.name}`, and the table has "
                "one",
                hint="give it another name: ….alias(…)",
            )
        made.append(resolved)
        keys.append(col(quote_identifier(resolved.name)))
    if not made:
        return given
    forbid(scope, "partition_by")
    return replace(
        given,
        operation=n.WithColumns.of(given.operation, tuple(made)),
        partition_by=tuple(keys),
    )


def keys_of(
    where: str, argument: StaticArgument, given: TableArgument
) -> tuple[tuple[ResolvedExpression, ...], tuple[str, ...]]:
    """What a table is partitioned by, and the names of its partition columns.

    Raises:
        ValidationError: there is none, or one that Spark and Python compare in different ways.
    """
    if not argument.is_set:
        if given.partition_by is not None or given.order_by:
            raise ValidationError(
                f"{where} has row semantics, and the call partitions or orders it",
                hint="pass the table as it is: its rows have nothing to do with each other",
            )
        return (), ()
    if given.partition_by is None:
        if not argument.has(_T.OPTIONAL_PARTITION_BY):
            raise ValidationError(
                f"{where} has set semantics, and the call does not partition it",
                hint=f'write table.partition_by("key").as_argument("{argument.name}")',
            )
        return (), ()
    if not given.partition_by:
        raise ValidationError("partition_by() needs at least one column")
    schema = given.operation.schema
    scope = Scope(schema)
    keys = tuple(resolve_in(dsl.column_or(key), scope) for key in given.partition_by)
    forbid(scope, "partition_by")
    nested = argument.has(_T.SUPPORTS_NESTED_PARTITION_BY)
    for key in keys:
        check_path(where, "PARTITION BY", key, nested)
        check_key(where, key.as_summary_string(), key.type)
    names = tuple(_name(where, key, schema) for key in keys)
    return keys, names


def _name(where: str, key: ResolvedExpression, schema: Schema) -> str:
    """The name of a partition column: that of the column, or of the field.

    Tasks and SQL text know a key as a path, ``place.city``, so it must mean one thing.
    """
    path = path_of(key, schema.names)
    dotted = ".".join(path)
    if any("." in part for part in path) or (len(path) > 1 and dotted.lower() in schema.by_name):
        raise ValidationError(
            f"{where}: the key `{dotted}` is not told apart from a field of a struct",
            location=f"({', '.join(schema.names)})",
            hint="rename the column whose name has a dot: rename_columns(…)",
        )
    return path[-1]


def check_path(where: str, clause: str, key: ResolvedExpression, nested: bool) -> None:
    """Refuses what is no column, or where those are allowed no field of one.

    Raises:
        ValidationError: names the key.
    """
    inner = key
    while nested and isinstance(inner, Call) and inner.function.built_in_name == "get_field":
        inner = inner.args[0]
    if not isinstance(inner, FieldReference):
        raise ValidationError(
            f"{where}: {clause} {key.as_summary_string()} is no column",
            hint="compute it first: add_columns(….alias(name)), and name it here"
            if clause == "ORDER BY"
            else "give it a name, ….alias(name), and it becomes a column of the table",
        )


_INEXACT: tuple[type[LogicalType], ...] = (FloatType, DoubleType, MapType, VariantType)


def check_key(where: str, shown: str, type_: LogicalType) -> None:
    """Refuses a key of a type whose values Spark and Python do not tell apart in the same way.

    Raises:
        ValidationError: names the key, and what to write.
    """
    for kind in _INEXACT:
        if contains(type_, kind):
            raise ValidationError(
                f"{where}: the key {shown} is {type_.ddl}, whose values Spark and Python do not "
                "tell apart in the same way",
                hint="partition by a text or a number with a fixed scale: cast it first",
            )
    for collation in sorted(_collations(type_)):
        if collation != "UTF8_BINARY":
            raise ValidationError(
                f"{where}: the key {shown} has the collation {collation}, by which different texts "
                "are one key",
                hint="partition by lower(…) or another text with the collation UTF8_BINARY",
            )


def _collations(type_: LogicalType) -> set[str]:
    """The collations of all texts in the type."""
    found: set[str] = set()

    def look(inner: LogicalType) -> LogicalType:
        if isinstance(inner, StringType | CharType | VarcharType):
            found.add(inner.collation)
        return inner

    change_inside(type_, look)
    return found
