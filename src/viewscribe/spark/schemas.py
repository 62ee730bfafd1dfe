"""Compares schemas: those of the SQL text and the interpreted tree, and the tree's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pyspark.sql.types import StructType as SparkStruct

from viewscribe.spark.report import Check
from viewscribe.spark.types import schema_from_spark
from viewscribe.types import Field, LogicalType
from viewscribe.types.ddl import type_text
from viewscribe.types.nested_types import deeply_nullable, is_within, value_type

_MOST_SHOWN = 10
AUTHOR = "the author's text"


def compare_schemas(
    sql: SparkStruct,
    tree: SparkStruct,
    said: Sequence[Field],
    promised: Sequence[Field],
    *,
    same_plan: bool = False,
) -> Check:
    """Compares names, types and nullability, column by column.

    A column may be NOT NULL in the text alone where that is known to be so: Spark has one plan for
    both, or the tree, too, says that it never is NULL.

    Args:
        sql: Spark's schema of the SQL text.
        tree: Spark's schema of the interpreted tree, or of the DataFrame it was captured from.
        said: the schema of the tree itself.
        promised: the columns that are stored beside the text; ``said`` for a pipeline.
        same_plan: whether the plans were proven equal.
    """
    text, made = _fields(sql), _fields(tree)
    known, stored = _plain(said), _plain(promised)
    stricter = _stricter(text, made, text if same_plan else known)
    alike = [made[place] if place in stricter else each for place, each in enumerate(text)]
    found = [
        *_differences("the SQL text", alike, "the tree", made, with_nullability=True),
        *_differences("Spark", made, "the inferred schema", known),
        *_differences("Spark", made, "the stored columns", stored),
    ]
    found = list(dict.fromkeys(found))
    if found:
        more = f"; the first {_MOST_SHOWN} are shown" if len(found) > _MOST_SHOWN else ""
        return Check("different", f"{len(found)} differences{more}", found[:_MOST_SHOWN])
    notes = list(_nullability_notes(made, stored))
    if stricter:
        names = ", ".join(text[place].name for place in sorted(stricter))
        notes.append(f"NOT NULL in the SQL text alone: {names}")
    columns = f"{len(made)} column{'' if len(made) == 1 else 's'}"
    return Check("equal", columns + (f"; {'; '.join(notes)}" if notes else ""))


def compare_columns(author: SparkStruct, other: SparkStruct) -> list[str]:
    """Returns how names and types of the author's text differ from those of another side.

    What may be NULL decides no row; that is compared between the other sides.
    """
    return list(_differences(AUTHOR, _fields(author), "the tree", _fields(other)))


def compare_with_promised(made: SparkStruct, promised: Sequence[Field]) -> Check:
    """The schema of an opened view beside the columns that are stored with it."""
    found = list(_differences("Spark", _fields(made), "the stored columns", _plain(promised)))
    if found:
        more = f"; the first {_MOST_SHOWN} are shown" if len(found) > _MOST_SHOWN else ""
        return Check("different", f"{len(found)} differences{more}", found[:_MOST_SHOWN])
    count = len(made.fields)
    return Check("equal", f"{count} column{'' if count == 1 else 's'}")


def with_nulls_found(
    check: Check, nulls: frozenset[int] | None, promised: Sequence[Field], tree: SparkStruct
) -> Check:
    """Reports NOT NULL columns that are NULL in some row as differences."""
    if nulls is None or len(promised) != len(tree.fields):
        return check
    broken = [
        f"column {place + 1} `{field.name}` is NOT NULL by the inferred schema, and NULL in a row"
        for place, field in enumerate(promised)
        if place in nulls and not field.nullable
    ]
    if not broken:
        return check
    return Check("different", "NULL where there must not be any", [*check.differences, *broken])


def _fields(schema: SparkStruct) -> list[Field]:
    return _plain(schema_from_spark(schema))


def _plain(fields: Iterable[Field]) -> list[Field]:
    """Replaces CHAR and VARCHAR by STRING, as Spark reports table columns."""
    return [Field(field.name, value_type(field.type)) for field in fields]


def _stricter(
    text: Sequence[Field], made: Sequence[Field], known: Sequence[Field]
) -> frozenset[int]:
    """The columns that lack a NULL in the text alone, where ``known`` says that it is so."""
    if not len(text) == len(made) == len(known):
        return frozenset()
    return frozenset(
        place
        for place, (a, b, c) in enumerate(zip(text, made, known, strict=True))
        if (a.name, a.type) != (b.name, b.type)
        and a.name == b.name
        and is_within(a.type, b.type)
        and is_within(c.type, a.type)
    )


def _differences(
    left: str,
    one: Sequence[Field],
    right: str,
    other: Sequence[Field],
    *,
    with_nullability: bool = False,
) -> Iterator[str]:
    if len(one) != len(other):
        yield f"{left} has {len(one)} columns, {right} {len(other)}"
        return
    for place, (a, b) in enumerate(zip(one, other, strict=True), 1):
        column = f"column {place}"
        if a.name != b.name:
            yield f"{column} is `{a.name}` in {left}, `{b.name}` in {right}"
        elif deeply_nullable(a.type) != deeply_nullable(b.type):
            yield f"{column} `{a.name}` is {a.type.ddl} in {left}, {b.type.ddl} in {right}"
        elif with_nullability and a.type != b.type:
            yield f"{column} `{a.name}` is {_full(a.type)} in {left}, {_full(b.type)} in {right}"


def _full(type_: LogicalType) -> str:
    """The type with what may be NULL in it."""
    return f"{type_text(type_.as_nullable())} {'NULL' if type_.nullable else 'NOT NULL'}"


def _nullability_notes(made: Sequence[Field], said: Sequence[Field]) -> Iterator[str]:
    """Where the tree and Spark know different things about NULL; neither need be wrong."""
    pairs = list(zip(made, said, strict=True))
    unproven = [b.name for a, b in pairs if a.nullable and not b.nullable]
    stricter = [b.name for a, b in pairs if b.nullable and not a.nullable]
    if unproven:
        yield f"NOT NULL by the inferred schema alone: {', '.join(unproven)}"
    if stricter:
        yield f"NOT NULL by Spark alone: {', '.join(stricter)}"
