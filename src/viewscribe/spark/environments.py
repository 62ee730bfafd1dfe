"""Views of one environment in Spark: do they open, with the promised columns and the wanted rows?

The two environments need not be in one session, nor their names differ: the rows of the one are
remembered, all of them where they are few and otherwise a digest, and compared later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql import types as t

from viewscribe.catalog_store import CatalogManager
from viewscribe.catalog_store.documents.model import ViewDocument
from viewscribe.catalog_store.protocol import Catalog
from viewscribe.environments import Environment
from viewscribe.errors import ViewscribeError
from viewscribe.spark.compare import (
    MOST_SHOWN,
    all_close,
    canonical_rows,
    frozen,
    is_floating,
    row_types,
    show_row,
)
from viewscribe.spark.report import Check, Proof, compare_with_promised, proof_in_words
from viewscribe.spark.session import first_line, settings
from viewscribe.spark.views import open_view
from viewscribe.types import Field
from viewscribe.types.ddl import parse_type

FEW_ROWS = 1_000
"""Up to how many rows of a view are remembered; of more there is a digest."""

NOT_ASKED = Check("not compared", "not asked for")


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a view in one environment.

    Args:
        labels: the names of the columns.
        types: their types.
        count: how many rows there are.
        rows: the rows themselves, in canonical form, where they are few.
        digest: what stands for them where they are many; does not depend on their order.
        problem: why there are none.
    """

    labels: list[str] = field(default_factory=list)
    types: list[t.DataType] = field(default_factory=list)
    count: int = 0
    rows: Counter[Any] | None = None
    digest: tuple[Any, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class OpenedView:
    """What came of opening a view.

    Args:
        opens: whether Spark accepts it and all that it reads.
        schema: whether it has the columns that are stored with it.
        rows: whether it gives the rows of the source environment.
    """

    opens: Check
    schema: Check
    rows: Check

    @property
    def ok(self) -> bool:
        """Whether everything that was asked for is so."""
        asked = self.rows is NOT_ASKED or self.rows.status == "equal"
        return self.opens.status == self.schema.status == "equal" and asked

    @property
    def proof(self) -> Proof:
        """How far equality is known: there is no plan of the other environment to compare."""
        if "different" in (self.opens.status, self.schema.status, self.rows.status):
            return "different"
        return "rows equal" if self.rows.status == "equal" else "schema only"

    @property
    def verdict(self) -> str:
        """The proof in words for people."""
        return proof_in_words(self.proof, self.rows)

    def to_json(self) -> dict[str, Any]:
        """The report as JSON-able data."""
        return {
            "ok": self.ok,
            "proof": self.proof,
            "opens": self.opens.to_json(),
            "schema": self.schema.to_json(),
            "rows": self.rows.to_json(),
        }


def catalogs_of(environment: Environment, catalog: Catalog) -> CatalogManager:
    """The environment's catalog under the name that its views use."""
    manager = CatalogManager(catalog)
    name = environment.catalog_name
    if name.lower() not in map(str.lower, manager.catalogs()):
        manager.register(name, catalog)
        manager.use_catalog(name)
    return manager


def check_view(
    catalogs: CatalogManager,
    name: tuple[str, str],
    spark: SparkSession,
    wanted: Rows | None = None,
) -> OpenedView:
    """Open a view and compare it with what is promised.

    Args:
        catalogs: where it is.
        name: its database and name.
        spark: the session to open it in.
        wanted: the rows it shall have; None where nobody asked for them.

    Raises:
        CatalogError: there is no such view, or its document cannot be read.
    """
    document = catalogs.get("view", name).document
    assert isinstance(document, ViewDocument)
    try:
        frame = open_view(catalogs, name, spark)
    except ViewscribeError as error:
        skipped = Check("not compared", "it does not open")
        failed = Check("different", error.message)
        return OpenedView(failed, skipped, NOT_ASKED if wanted is None else skipped)
    schema = compare_with_promised(frame.schema, _fields(document))
    rows = NOT_ASKED
    if wanted is not None:
        with settings(spark, document.settings):
            rows = compare_rows(wanted, _rows(frame))
    return OpenedView(Check("equal"), schema, rows)


def rows_of(catalogs: CatalogManager, name: tuple[str, str], spark: SparkSession) -> Rows:
    """The rows of a view, to be compared later; where it does not open, why."""
    try:
        document = catalogs.get("view", name).document
        assert isinstance(document, ViewDocument)
        frame = open_view(catalogs, name, spark)
    except ViewscribeError as error:
        return Rows(problem=error.message)
    with settings(spark, document.settings):
        return _rows(frame)


def compare_rows(wanted: Rows, found: Rows) -> Check:
    """The rows of the source environment beside those of the target, as multisets."""
    if wanted.problem:
        return Check("not compared", f"the source environment gives none: {wanted.problem}")
    if found.problem:
        return Check("different", f"it fails when it runs: {found.problem}")
    if [each.simpleString() for each in wanted.types] != [
        each.simpleString() for each in found.types
    ]:
        return Check("different", "the columns are of other types in the source environment")
    if wanted.rows is None or found.rows is None:
        return _compare_digests(wanted, found)
    surplus, missing = found.rows - wanted.rows, wanted.rows - found.rows
    if not surplus and not missing:
        return Check("equal", _describe_count(found.count))
    if found.count == wanted.count and all_close(surplus, missing, found.types):
        return Check("equal", f"{_describe_count(found.count)}; some floating point numbers nearly")
    lines = [
        f"only in {side}: {show_row(row, found.labels, found.types)}"
        for side, rows in (("the target", surplus), ("the source", missing))
        for row in sorted(rows, key=repr)[:MOST_SHOWN]
    ]
    detail = _describe_counts(found, wanted)
    return Check("different", detail, lines)


def _compare_digests(wanted: Rows, found: Rows) -> Check:
    if wanted.count != found.count:
        detail = _describe_counts(found, wanted)
        return Check("different", detail)
    if wanted.digest == found.digest:
        return Check("equal", f"{_describe_count(found.count)}, by a digest of all")
    if any(map(is_floating, found.types)):
        detail = "the digests differ, and floating point numbers depend on the order of evaluation"
        return Check("not compared", detail)
    return Check("different", f"{_describe_count(found.count)} on both sides, with other values")


def _rows(frame: DataFrame) -> Rows:
    labels, types = list(frame.columns), list(row_types(frame))
    plain = canonical_rows(frame, [f"c{place}" for place in range(len(labels))])
    try:
        collected = [frozen(row) for row in plain.limit(FEW_ROWS + 1).collect()]
        if len(collected) <= FEW_ROWS:
            return Rows(labels, types, len(collected), Counter(collected))
        # As text first: hashes of columns pass NULL over, so (NULL, 'a') would be ('a', NULL).
        hashed = F.xxhash64(F.to_json(F.struct(*plain.columns), {"ignoreNullFields": "false"}))
        found = plain.agg(
            F.count("*"), F.sum(hashed.cast("decimal(38, 0)")), F.bit_xor(hashed)
        ).collect()[0]
    except Exception as error:  # Spark's and Py4J's errors have no common class
        return Rows(labels, types, problem=first_line(error))
    return Rows(labels, types, int(found[0]), None, tuple(found))


def _fields(document: ViewDocument) -> Sequence[Field]:
    return [
        Field(column.name, parse_type(column.type).with_nullability(column.nullable))
        for column in document.columns
    ]


def _describe_counts(found: Rows, wanted: Rows) -> str:
    target, source = _describe_count(found.count), _describe_count(wanted.count)
    return f"the target gives {target}, the source {source}"


def _describe_count(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"
