"""Reads with options, which have a form in Spark's SQL: ``FROM t WITH ('header' = 'true')``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import takewhile

from viewscribe.errors import CaptureError
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.sources import file_tables_in_force, table_of_files
from viewscribe.spark.registered_tables import create_table_text
from viewscribe.types import Field
from viewscribe.types.ddl import quote_text
from viewscribe.types.identifiers import quote_identifier

_FOUND_BY_NAME = frozenset(("avro", "parquet"))
"""Formats whose files say where each column is, so that a schema may leave some out."""


def with_options(options: Mapping[str, str]) -> str:
    """The clause for the options of a read, with a space before it; empty where there are none."""
    pairs = [f"{quote_text(key)} = {quote_text(options[key])}" for key in sorted(options)]
    return f" WITH ({', '.join(pairs)})" if pairs else ""


MOST_PATHS = 100
_SPECIAL = re.compile(r"[{}\[\]*?,\\]")


def is_pattern(path: str) -> bool:
    """Whether a path may be one of many files' names."""
    return _SPECIAL.search(path) is not None


def escape_path(path: str) -> str:
    """The pattern that names just this path."""
    return _SPECIAL.sub(r"\\\g<0>", path)


def join_patterns(patterns: Sequence[str]) -> str:
    """One pattern for the files of several, as SQL names one: ``/data/{a,b}``.

    Raises:
        CaptureError: there is none.
    """
    if len(patterns) == 1:
        return patterns[0]
    folders = zip(*(each.split("/")[:-1] for each in patterns), strict=False)
    alike = takewhile(lambda names: len(set(names)) == 1, folders)
    shared = "".join(f"{names[0]}/" for names in alike)
    rest = [each.removeprefix(shared) for each in patterns]
    if len(set(rest)) != len(rest) or len(rest) > MOST_PATHS or shared.endswith("://"):
        raise CaptureError(
            f"{len(rest)} paths of files in one read have no form in SQL",
            location="read",
            hint="read a directory or a pattern, or read each and union them",
        )
    return f"{shared}{{{','.join(rest)}}}"


_FIXED = re.compile(r"(?:[^{}\[\]*?\\]|\\.)*", re.DOTALL)
"""What stands before the first sign of a pattern that means more than itself."""


def split_reads(patterns: Sequence[str]) -> list[str]:
    """The patterns that together read what several do: Spark reads twice what two of them name.

    One pattern names each file once, so that those that may share a file are apart.

    Raises:
        CaptureError: the paths have no pattern.
    """
    reads: list[list[str]] = []
    for each in patterns:
        apart = (read for read in reads if not any(_may_share(each, other) for other in read))
        read = next(apart, None)
        if read is None:
            reads.append([each])
        else:
            read.append(each)
    return [*map(join_patterns, reads)]


def _may_share(one: str, other: str) -> bool:
    """Whether two patterns may name the same file or directory."""
    fixed = [_FIXED.match(each)[0] for each in (one, other)]  # type: ignore[index]
    if fixed == [one, other]:
        return one == other
    return fixed[0].startswith(fixed[1]) or fixed[1].startswith(fixed[0])


def select_with_options(names: Sequence[str], place: str, options: Mapping[str, str]) -> str:
    """The query for all columns of what ``place`` names, read with options."""
    columns = ", ".join(map(quote_identifier, names))
    return f"SELECT {columns} FROM {place}{with_options(options)}"


Columns = Callable[[str], Sequence[Field] | None]
"""Tells the columns of a query; None where nobody can be asked."""


def union_reads(
    form: str,
    reads: Sequence[str],
    options: Mapping[str, str],
    given: Sequence[Field],
    columns_of: Columns,
) -> QueryOperation:
    """The rows of several reads of files, each with the columns of all of them.

    Raises:
        CaptureError: SQL would read one of them otherwise; or the files are in partitions, of which
            Spark reads each once, however often it is named.
    """
    made: list[QueryOperation] = []
    for path in reads:
        text = f"SELECT * FROM {quote_identifier(form)}.`{path.replace('`', '``')}`"
        own = columns_of(f"{text}{with_options(options)}") or ()
        made.append(read_with_schema(form, path, options, own, given))
        if reads[1:] and _is_partitioned(text, options, own, columns_of):
            raise CaptureError(
                f"`{path}` has partitions, and is read together with files of its own",
                location="read",
                hint="read each and union them",
            )
    return reduce(lambda left, right: n.SetOperation.of(left, right, n.SetKind.UNION, True), made)


_FLAT = "recursivefilelookup"


def _is_partitioned(
    text: str, options: Mapping[str, str], own: Sequence[Field], columns_of: Columns
) -> bool:
    """Whether the names of folders are columns: those that a search through all folders ignores."""
    if any(name.lower() == _FLAT for name in options):
        return False
    flat = columns_of(f"{text}{with_options({**options, _FLAT: 'true'})}")
    return flat is not None and tuple(flat) != tuple(own)


def read_with_schema(
    form: str, path: str, options: Mapping[str, str], own: Sequence[Field], given: Sequence[Field]
) -> n.SqlText | n.CatalogSource:
    """The read of files with a schema, which SQL on a file cannot say.

    Args:
        form: the format.
        path: where the files are.
        options: the options of the read.
        own: the columns that SQL finds in the files.
        given: the columns that they are read with.

    Raises:
        CaptureError: SQL would read other columns, or the same ones from other places, and nobody
            said to make a table.
    """
    place = f"{quote_identifier(form)}.`{path.replace('`', '``')}`"
    found = [(field.name, field.type.as_nullable()) for field in own]
    wanted = [(field.name, field.type.as_nullable()) for field in given]
    if found == wanted:
        return n.SqlText.of(f"SELECT * FROM {place}{with_options(options)}", tuple(given))
    if form in _FOUND_BY_NAME and set(wanted) <= set(found):
        names = [field.name for field in given]
        return n.SqlText.of(select_with_options(names, place, options), tuple(given))
    table, tables = table_of_files(form, path, options, given), file_tables_in_force()
    if tables is not None:
        return tables.read(table)
    raise CaptureError(
        "SQL text reads files with the schema they have, not with one of its own",
        location="read",
        hint="vs.save_view(…, tables=True) and `viewscribe save --tables` make a table with the "
        f"schema and read that; or create one, and read it: {create_table_text('…', table)}",
    )
