"""Files read with a schema of their own: a view of them has a table beside it, or is not stored."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import viewscribe as vs
from viewscribe.catalog_store import TableDocument
from viewscribe.catalog_store.errors import AlreadyExistsError
from viewscribe.errors import CaptureError
from viewscribe.spark.capture.sources import FileTables, table_of_files
from viewscribe.types import STRING, Field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DATABASE = "beside"
OTHERS = "b STRING, a STRING"
TABLE = f"spark_catalog.{DATABASE}.v_people"
QUERY = f"SELECT *\nFROM spark_catalog.{DATABASE}.v_people"


@pytest.fixture(scope="module")
def files(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the columns ``a`` and ``b``, whose names are read in the wrong order."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "people.csv").write_text("a,b\n1,2\n3,4\n")
    (folder / "many").mkdir()
    for number in range(2):
        (folder / "many" / f"{number}.csv").write_text(f"a,b\n{number},x\n")
    (folder / "partitioned" / "p=1").mkdir(parents=True)
    (folder / "partitioned" / "p=1" / "x.csv").write_text("7,8\n")
    (folder / "it's `odd`.csv").write_text("a,b\n5,6\n")
    return folder


@pytest.fixture
def database(spark: Any) -> Iterator[None]:
    spark.sql(f"CREATE DATABASE {DATABASE}")
    yield
    spark.sql(f"DROP DATABASE {DATABASE} CASCADE")


def people(spark: Any, files: Path, *, name: str = "people.csv", schema: str = OTHERS) -> Any:
    return spark.read.schema(schema).option("header", True).csv(f"file:{files}/{name}")


def save_frame(spark: Any, read: Callable[[Any], Any], **options: Any) -> Any:
    return vs.save_view(read(spark), f"{DATABASE}.v", tables=True, **options)


def save_pipeline(spark: Any, read: Callable[[Any], Any], **options: Any) -> Any:
    return vs.view(f"{DATABASE}.v")(read).save(spark, tables=True, **options)


DOORS = {"frame": save_frame, "recorded": save_pipeline}


def rows(frame: Any) -> Counter[Any]:
    return Counter(frame.collect())


def tables(spark: Any) -> list[str]:
    found = spark.sql(f"SHOW TABLES IN {DATABASE}").collect()
    return sorted(each.tableName for each in found if not each.isTemporary)


@pytest.mark.parametrize(
    "session",
    ["spark", pytest.param("connected", marks=pytest.mark.slow("a server of Connect starts"))],
)
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.usefixtures("database")
def test_in_a_session_the_table_is_made(
    door: str, session: str, files: Path, request: pytest.FixtureRequest
) -> None:
    spark = request.getfixturevalue(session)
    saved = DOORS[door](spark, lambda each: people(each, files).select("a"))
    assert f"FROM {TABLE}" in saved.sql
    assert saved.verification.ok
    assert rows(spark.table(f"{DATABASE}.v")) == rows(people(spark, files).select("a"))
    assert tables(spark) == ["v", "v_people"]
    again = DOORS[door](spark, lambda each: people(each, files).select("b"), or_replace=True)
    assert again.verification.ok
    assert rows(spark.table(f"{DATABASE}.v")) == rows(people(spark, files).select("b"))


@pytest.mark.parametrize("scheme", ["file:", "sqlite:"])
@pytest.mark.parametrize("door", DOORS)
def test_in_a_catalog_the_document_is_stored_and_the_session_is_left_alone(
    door: str, scheme: str, spark: Any, files: Path, tmp_path: Path
) -> None:
    place = f"{scheme}{tmp_path / 'views'}"
    env = vs.TableEnvironment.open(place)
    env.create_database(DATABASE)
    saved = DOORS[door](spark, lambda each: people(each, files).where("a > 2"), catalog=place)
    assert saved.verification.ok
    assert not spark.catalog.databaseExists(DATABASE)
    stored = env.catalogs.get("table", (DATABASE, "v_people")).document
    assert isinstance(stored, TableDocument)
    assert [each.name for each in stored.columns] == ["b", "a"]
    assert [each.name for each in env.get_view(f"{DATABASE}.v").dependencies] == [
        ("spark_catalog", DATABASE, "v_people")
    ]
    try:
        opened = vs.open_view(env, f"{DATABASE}.v", spark)
        assert rows(opened) == rows(people(spark, files).where("a > 2"))
    finally:
        spark.sql(f"DROP DATABASE {DATABASE} CASCADE")
    assert (files / "people.csv").exists()


READS: dict[str, Callable[[Any, Path], Any]] = {
    "one file twice": lambda spark, files: people(spark, files).unionAll(people(spark, files)),
    "an odd path": lambda spark, files: people(spark, files, name="it's `odd`.csv"),
    "a pattern": lambda spark, files: people(spark, files, name="many/*.csv"),
    "a directory": lambda spark, files: people(spark, files, name="many"),
    "odd options": lambda spark, files: (
        spark.read.schema("`o'd ``d` STRING").option("sep", "'").csv(f"{files}/people.csv")
    ),
    "partitions": lambda spark, files: spark.read.schema("p INT, c INT, d INT").csv(
        f"{files}/partitioned"
    ),
    "two schemas": lambda spark, files: people(spark, files).join(
        people(spark, files, schema="x STRING, y STRING"), how="cross"
    ),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", READS)
@pytest.mark.usefixtures("database")
def test_whatever_is_read_the_view_has_its_rows(
    name: str, door: str, spark: Any, files: Path
) -> None:
    saved = DOORS[door](spark, lambda each: READS[name](each, files))
    print(saved, tables(spark))
    assert rows(spark.table(f"{DATABASE}.v")) == rows(READS[name](spark, files))
    assert len(tables(spark)) == (3 if name == "two schemas" else 2)


@pytest.mark.usefixtures("database")
def test_a_temporary_view_over_files_is_recorded_with_its_table(spark: Any, files: Path) -> None:
    def pipeline(session: Any) -> Any:
        people(session, files).createOrReplaceTempView("tv")
        return session.sql("SELECT a, count(*) AS n FROM tv GROUP BY a")

    save_pipeline(spark, pipeline)
    assert rows(spark.table(f"{DATABASE}.v")) == rows(pipeline(spark))
    spark.catalog.dropTempView("tv")


@pytest.mark.parametrize("door", DOORS)
def test_without_being_asked_for_no_table_is_made(door: str, spark: Any, files: Path) -> None:
    save = {
        "frame": vs.capture,
        "recorded": lambda _: vs.record(lambda each: people(each, files), spark),
    }
    with pytest.raises(CaptureError, match=r"save_view\(…, tables=True\) .* make a table"):
        save[door](people(spark, files))


OTHER_TABLES = {
    "columns": (
        "(a STRING, b STRING) USING csv OPTIONS (header 'true') LOCATION '{files}/people.csv'",
        "columns: a STRING, b STRING there, b STRING, a STRING here",
    ),
    "place": (
        f"({OTHERS}) USING csv OPTIONS (header 'true') LOCATION '{{files}}/many'",
        "/many there, ",
    ),
    "option": (f"({OTHERS}) USING csv LOCATION '{{files}}/people.csv'", "option header: None"),
    "format": (
        f"({OTHERS}) USING json OPTIONS (header 'true') LOCATION '{{files}}/people.csv'",
        "format: json there, csv here",
    ),
}


@pytest.mark.parametrize("difference", OTHER_TABLES)
@pytest.mark.usefixtures("database")
def test_another_table_of_the_name_is_told_and_left(
    difference: str, spark: Any, files: Path
) -> None:
    definition, told = OTHER_TABLES[difference]
    spark.sql(f"CREATE TABLE {TABLE} {definition.format(files=files)}")
    with pytest.raises(AlreadyExistsError) as refused:
        save_frame(spark, lambda each: people(each, files))
    assert told in str(refused.value)
    assert tables(spark) == ["v_people"]


@pytest.mark.usefixtures("database")
def test_a_table_that_the_user_made_is_used_and_stays(
    spark: Any, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spark.sql(
        f"CREATE TABLE {TABLE} ({OTHERS}) USING csv OPTIONS (HEADER = true) "
        f"LOCATION '{files}/people.csv'"
    )
    save_frame(spark, lambda each: people(each, files))
    assert rows(spark.table(f"{DATABASE}.v")) == rows(people(spark, files))
    monkeypatch.setattr(vs.TableEnvironment, "create_view", fail)
    with pytest.raises(CaptureError, match="it fails"):
        save_frame(spark, lambda each: people(each, files), or_replace=True)
    assert tables(spark) == ["v", "v_people"]


@pytest.mark.usefixtures("database")
def test_a_view_of_the_name_is_told(spark: Any, files: Path) -> None:
    spark.sql(f"CREATE VIEW {TABLE} AS SELECT 1 AS b, 2 AS a")
    with pytest.raises(AlreadyExistsError, match="is a view"):
        save_frame(spark, lambda each: people(each, files))


def fail(env: vs.TableEnvironment, *_: object, **__: object) -> None:
    """Stands for a view that cannot be stored, though its table is there."""
    assert env.catalogs.kind_of((DATABASE, "v_people")) == "table"
    raise CaptureError("it fails")


@pytest.mark.parametrize("place", ["", "file:", "sqlite:"])
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.usefixtures("database")
def test_where_the_view_is_not_stored_no_table_stays(
    door: str, place: str, spark: Any, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"{place}{tmp_path / 'views'}" if place else None
    env = vs.TableEnvironment.open(url or "spark:")
    if url:
        env.create_database(DATABASE)
    monkeypatch.setattr(vs.TableEnvironment, "create_view", fail)
    with pytest.raises(CaptureError, match="it fails"):
        DOORS[door](spark, lambda each: people(each, files), catalog=url)
    assert tables(spark) == []
    assert env.catalogs.list_objects(database=DATABASE) == []
    assert (files / "people.csv").exists()


def test_a_relative_path_is_refused() -> None:
    table = table_of_files("csv", "people.csv", {}, [Field("a", STRING)])
    with pytest.raises(CaptureError, match="by their whole path"):
        FileTables(("spark_catalog", "default", "v")).read(table)
