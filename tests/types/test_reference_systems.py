"""The reference systems of shapes are exactly those of Spark's registry."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

from viewscribe.errors import DataTypeError
from viewscribe.types import GeographyType, GeometryType
from viewscribe.types.ddl import parse_type
from viewscribe.types.identifiers import is_known

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_REGISTRY = "org/apache/spark/sql/srs_registry.csv"
_BEYOND = 120_000


def registry() -> Iterator[tuple[int, bool]]:
    """Each number of the registry in Spark's jar, and whether it is of the Earth."""
    (jar,) = Path(pyspark.__file__).parent.glob("jars/spark-sql-api_*.jar")
    with zipfile.ZipFile(jar) as archive:
        for line in archive.read(_REGISTRY).decode().splitlines():
            if line[:1].isdigit():
                number, _, geographic = line.split(",")
                yield int(number), geographic == "true"


def test_all_of_sparks_registry_and_no_more() -> None:
    wanted = {0: False, **dict(registry())}
    assert max(wanted) < _BEYOND
    assert {n for n in range(_BEYOND) if is_known(n, of_earth=False)} == wanted.keys()
    of_earth = {number for number, geographic in wanted.items() if geographic}
    assert {n for n in range(_BEYOND) if is_known(n, of_earth=True)} == of_earth
    assert len(of_earth) > 1_000


def test_the_registry_is_all_that_spark_knows(spark: SparkSession) -> None:
    known = spark._jvm.org.apache.spark.sql.internal.types.SpatialReferenceSystemCache  # type: ignore[union-attr]
    assert known.getInstance().getSridToSrs().size() == len(dict(registry())) + 1
    assert not known.getInstance().getSrsInfo(0).isGeographic()


def test_types() -> None:
    assert parse_type("GEOMETRY(2000)") == GeometryType(srid="2000")
    assert parse_type("GEOGRAPHY(4267)") == GeographyType(srid="4267")
    assert parse_type("GEOGRAPHY(ANY)") == GeographyType(srid="ANY")


@pytest.mark.parametrize("text", ["GEOMETRY(99999)", "GEOGRAPHY(2000)", "GEOGRAPHY(0)"])
def test_types_of_no_system(spark: SparkSession, text: str) -> None:
    from pyspark.errors import PySparkException

    with pytest.raises(DataTypeError, match="is no reference system"):
        parse_type(text)
    with pytest.raises(PySparkException, match="ST_INVALID_SRID_VALUE"):
        spark.sql(f"SELECT CAST(NULL AS {text})")
