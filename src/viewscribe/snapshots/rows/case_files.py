"""Files of tests beside the views of a catalog: ``totals.test.yaml`` tests ``totals.view.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from viewscribe.catalog_store import Catalog, FileCatalog, ObjectNotFoundError
from viewscribe.catalog_store.documents.codec import StrictYamlError, find_place, load
from viewscribe.catalog_store.protocol import decode, encode, fold
from viewscribe.catalog_store.whole_files import read_whole
from viewscribe.errors import did_you_mean
from viewscribe.schemas import DocumentSchemaError, validate
from viewscribe.schemas.strict_json import MAX_BYTES
from viewscribe.snapshots.rows.given import Engine, Given
from viewscribe.snapshots.rows.subjects import ViewTestError
from viewscribe.table_api.environment import TableEnvironment
from viewscribe.types.identifiers import parse_name, quote_name

SUFFIX = ".test.yaml"


class Case(NamedTuple):
    """One test of a view.

    Args:
        database: the database of the view.
        view: its name.
        name: the name of the test.
        path: the file it is in.
        given: rows by the names of tables.
        overrides: what the clock and the user are.
        expect: the rows that the view gives.
        ordered: whether their order matters.
        tolerance: by which part of it a number may differ.
    """

    database: str
    view: str
    name: str
    path: str
    given: Mapping[str, Any]
    overrides: Mapping[str, Any]
    expect: list[Any]
    ordered: bool = False
    tolerance: float | None = None

    def run(self, env: TableEnvironment, engine: Engine = "spark", spark: Any = None) -> None:
        """Runs the test.

        Args:
            env: an environment over the catalog.
            engine: where the view runs.
            spark: the session, if it is Spark.

        Raises:
            RowsDifferError: the view gives other rows.
            ViewTestError: the test or the view cannot be run.
        """
        Given(self.given, self.overrides).expect(
            quote_name((self.database, self.view)),
            self.expect,
            ordered=self.ordered,
            tolerance=self.tolerance,
            env=env,
            spark=spark,
            engine=engine,
        )


class BrokenFile(NamedTuple):
    """A file of tests that cannot be read."""

    database: str
    view: str
    path: str
    error: ViewTestError


def find_cases(catalog: Catalog) -> Iterator[Case | BrokenFile]:
    """Yields the tests beside the views of a catalog of files, by the names of the views.

    Raises:
        ViewTestError: the catalog has no files.
    """
    if not isinstance(catalog, FileCatalog):
        raise ViewTestError(
            f"{catalog.url} is no catalog of files, and has no tests beside its views",
            hint="tests in Python run over any catalog: given(…).expect(…, env=…)",
        )
    root = Path(catalog.root)
    for database in catalog.list_databases():
        directory = root / encode(database)
        spelled = {encode(each.name): each.name for each in catalog.list_objects(database, "view")}
        for path in sorted(directory.glob(f"*{SUFFIX}")):
            stem = path.name.removesuffix(SUFFIX)
            yield from _cases_in(path, database, spelled.get(stem) or decode(stem) or stem)


def require_known(
    catalog: Catalog, cases: Sequence[Case | BrokenFile], names: Sequence[str]
) -> None:
    """Refuses a name that neither a view has nor a file of tests.

    Raises:
        ObjectNotFoundError: suggests the nearest name.
    """
    tested = {(each.database, each.view) for each in cases}
    for database in catalog.list_databases() if names else ():
        tested |= {(database, each.name) for each in catalog.list_objects(database, "view")}
    for name in names:
        parts = tuple(map(fold, parse_name(name)))
        whole = [tuple(map(fold, ("spark_catalog", *each))) for each in tested]
        if not any(each[-len(parts) :] == parts for each in whole):
            raise ObjectNotFoundError(
                f"no view `{name}` in {catalog.url}",
                hint=did_you_mean(name, sorted(map(quote_name, tested))),
            )


def is_selected(case: Case | BrokenFile, names: list[tuple[str, ...]]) -> bool:
    """Whether a test is of one of the views of these names; of any where there are none."""
    whole = ("spark_catalog", case.database, case.view)
    folded = tuple(map(fold, whole))
    return not names or any(folded[-len(name) :] == tuple(map(fold, name)) for name in names)


def _cases_in(path: Path, database: str, view: str) -> Iterator[Case | BrokenFile]:
    try:
        plain = _read(path)
    except ViewTestError as error:
        yield BrokenFile(database, view, str(path), error)
        return
    for each in plain["tests"]:
        yield Case(
            database,
            view,
            each["name"],
            str(path),
            {**plain.get("given", {}), **each.get("given", {})},
            {**plain.get("overrides", {}), **each.get("overrides", {})},
            each["expect"],
            each.get("ordered", False),
            each.get("tolerance"),
        )


def _read(path: Path) -> Any:
    try:
        data = read_whole(path, MAX_BYTES)
        plain = load(data)
        validate(plain, "test")
    except OSError as error:
        raise ViewTestError(f"{path} cannot be read: {error.strerror}") from None
    except StrictYamlError as fault:
        place = "" if fault.line is None else f":{fault.line}"
        raise ViewTestError(f"{path}{place}: {fault.cause}") from None
    except DocumentSchemaError as error:
        first = error.problems[0]
        line, _ = find_place(data, first.path) or (1, 1)
        raise ViewTestError(f"{path}:{line}: {first}") from None
    return plain
