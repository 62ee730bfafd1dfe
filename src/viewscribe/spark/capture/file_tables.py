"""Tables over files that are read with a schema of their own, which SQL on a file cannot hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec

from viewscribe.catalog_store import TableDocument
from viewscribe.catalog_store.columns import columns_of_fields
from viewscribe.errors import CaptureError
from viewscribe.operations.nodes import CatalogSource
from viewscribe.types import Field
from viewscribe.types.ddl import parse_type
from viewscribe.version import __version__

_ABSOLUTE = re.compile(r"([a-z][a-z0-9+.-]*:)?/")


class FileTables:
    """The tables that a view needs beside it, called after the view and the files.

    Args:
        view: the full name of the view.
    """

    def __init__(self, view: Sequence[str]) -> None:
        self.view = tuple(view)
        self.documents: list[TableDocument] = []

    @property
    def catalog(self) -> str:
        """The catalog of the view, which has the tables, too."""
        return self.view[0]

    @property
    def paths(self) -> list[tuple[str, ...]]:
        """The full names of the tables."""
        return [(*self.view[:-1], each.name) for each in self.documents]

    def read(self, table: TableDocument) -> CatalogSource:
        """The read of files as that of a table; of one definition there is one table.

        Raises:
            CaptureError: the path is relative, to Spark's working directory here and to that of
                the database in a table.
        """
        if not is_absolute(table.location or ""):
            raise CaptureError(
                f"the path `{table.location}` is relative, and that of a table means another place",
                location="read",
                hint="read the files by their whole path",
            )
        name = self._name_of(table)
        fields = [Field(each.name, parse_type(each.type)) for each in table.columns]
        return CatalogSource.of((*self.view[:-1], name), tuple(fields))

    def _name_of(self, table: TableDocument) -> str:
        for each in self.documents:
            if msgspec.structs.replace(each, name="", database="") == table:
                return each.name
        name = self._free_name(table.location or "")
        named = msgspec.structs.replace(table, name=name, database=self.view[-2])
        self.documents.append(named)
        return name

    def _free_name(self, location: str) -> str:
        file = location.rstrip("/").rpartition("/")[2].partition(".")[0]
        words = [
            re.sub(r"\W+", "_", each, flags=re.ASCII).strip("_") for each in (self.view[-1], file)
        ]
        stem = "_".join(each.lower() or "files" for each in words)
        taken = {each.name for each in self.documents}
        names = (f"{stem}_{number}" for number in range(2, len(taken) + 3))
        return next(name for name in (stem, *names) if name not in taken)


def is_absolute(path: str) -> bool:
    """Whether a path means the same wherever it is read."""
    return _ABSOLUTE.match(path) is not None


def table_of_files(
    form: str, path: str, options: Mapping[str, str], fields: Sequence[Field]
) -> TableDocument:
    """A table without a name that has the rows of files as they are read with a schema."""
    nullable = [Field(each.name, each.type.as_nullable()) for each in fields]
    return TableDocument(
        database="",
        name="",
        columns=columns_of_fields(nullable),
        format=form,
        location=path,
        options=dict(options),
        viewscribe_version=__version__,
    )


@contextmanager
def file_tables(view: Sequence[str]) -> Iterator[FileTables]:
    """In the block, files that are read with a schema of their own are read as tables."""
    tables = FileTables(view)
    token = _IN_FORCE.set(tables)
    try:
        yield tables
    finally:
        _IN_FORCE.reset(token)


def file_tables_in_force() -> FileTables | None:
    """The tables that files are read as; None where there are none."""
    return _IN_FORCE.get()


_IN_FORCE: ContextVar[FileTables | None] = ContextVar("file tables", default=None)
