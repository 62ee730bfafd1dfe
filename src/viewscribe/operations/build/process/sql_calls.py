"""Calls as SQL text has them, checked by what the tree checks.

Text that a tree became says nothing wrong; text that someone wrote may. Spark tells a function the
columns of its tables and the constants, so that is what can be checked before rows come.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from viewscribe.errors import NotSerializableError, ValidationError
from viewscribe.expressions import dsl
from viewscribe.expressions.constructors import col
from viewscribe.expressions.functions.process.hints import ArgumentTrait
from viewscribe.expressions.functions.process.inference import StaticArgument
from viewscribe.expressions.functions.process.signature import Signature
from viewscribe.operations import nodes as n
from viewscribe.operations.build.process.arguments import TableArgument
from viewscribe.operations.build.process.call import check_lasting, check_times
from viewscribe.operations.build.process.keys import check_key
from viewscribe.operations.build.process.tables import Part, check_together, part_of
from viewscribe.types import Field, LogicalType
from viewscribe.types.identifiers import quote_identifier
from viewscribe.types.nested_types import value_type


@dataclass(frozen=True)
class WrittenTable:
    """A table of a call in SQL text.

    Args:
        name: the argument.
        columns: its columns.
        keys: what ``keys`` says of it, as paths.
        key_types: their types.
    """

    name: str
    columns: tuple[Field, ...]
    keys: tuple[tuple[str, ...], ...]
    key_types: tuple[LogicalType, ...]


def empty_error(signature: Signature) -> NotSerializableError:
    """A call in SQL text whose function wants to be called for a table without rows."""
    return NotSerializableError(
        f"{signature.name} keeps a table without rows (KEEP_WHEN_EMPTY), and for one Spark SQL "
        "calls no function in Python: its text would give no row where the table gives one",
        hint="run the table itself, table.to_dataframe(spark), or partition it",
    )


def check_written(
    signature: Signature,
    tables: Sequence[WrittenTable],
    on_time: Sequence[str],
    scalars: Collection[str],
) -> None:
    """Refuses a call that the tree would refuse.

    Args:
        signature: the function.
        tables: the tables that are passed.
        on_time: the time columns.
        scalars: the names of the constants that are passed.

    Raises:
        ValidationError: says what to write.
    """
    passed = {*scalars, *(table.name for table in tables)}
    for argument in signature.arguments:
        if argument.name not in passed and not argument.is_optional:
            raise ValidationError(
                f"{signature.name} is called without the argument `{argument.name}`",
                location=signature.text,
                hint=f"write {argument.name} => …",
            )
    names = {table.name: [field.name for field in table.columns] for table in tables}
    check_times(signature, names, on_time)
    alone = len(tables) < 2
    parts = [
        _part(signature, signature.argument(table.name), table, on_time, alone=alone)
        for table in tables
    ]
    if not alone:
        check_together(signature, parts, [parts[0].name] * len(parts))
    check_lasting(signature, parts)


def _part(
    signature: Signature,
    argument: StaticArgument,
    table: WrittenTable,
    on_time: Sequence[str],
    *,
    alone: bool,
) -> Part:
    where = f"the table `{table.name}` of {signature.name}"
    is_optional = argument.has(ArgumentTrait.OPTIONAL_PARTITION_BY)
    if argument.is_set and not table.keys and not is_optional:
        raise ValidationError(
            f"{where} has set semantics, and `keys` does not say by what it is partitioned",
            hint=f"write {table.name} => TABLE(…) PARTITION BY (k) and keys => array('k'): Spark "
            "tells no function its PARTITION BY",
        )
    for path, type_ in zip(table.keys, table.key_types, strict=False):
        check_key(where, ".".join(path), type_)
    operation = n.Values.of((), table.columns)
    keys = tuple(map(_column, table.keys)) if table.keys and alone else None
    given = TableArgument(operation, keys)  # the keys of several tables are a column beside them
    argument = _as_written(argument) if keys else _without_keys(_as_written(argument))
    part = part_of(signature, argument, given, on_time)
    if part.operation is not operation:
        raise ValidationError(
            f"{where} has columns of other types than the function takes",
            location=", ".join(f"{field.name} {field.type.ddl}" for field in table.columns),
            hint=f"cast them in TABLE(…): it takes {argument.text}",
        )
    return part


def _as_written(argument: StaticArgument) -> StaticArgument:
    """The argument by what analyzing sees: texts without their lengths, and no ORDER BY."""
    return replace(
        argument,
        traits=argument.traits - {ArgumentTrait.REQUIRES_ORDER_BY},
        type=None if argument.type is None else value_type(argument.type),
    )


def _without_keys(argument: StaticArgument) -> StaticArgument:
    return replace(argument, traits=argument.traits | {ArgumentTrait.OPTIONAL_PARTITION_BY})


def _column(path: Sequence[str]) -> dsl.Expression:
    found: dsl.Expression = col(quote_identifier(path[0]))
    for name in path[1:]:
        found = found.get(name)
    return found
