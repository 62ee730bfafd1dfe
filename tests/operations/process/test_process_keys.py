"""Keys of PARTITION BY that would be another key for Spark than for a task."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

import viewscribe as vs
from viewscribe import col
from viewscribe.errors import ValidationError

T = vs.ArgumentTrait
Set = Annotated[vs.Row, vs.ArgumentHint(T.TABLE_AS_SET, T.SUPPORTS_NESTED_PARTITION_BY)]


class Numbered(vs.ProcessTableFunction[Any]):
    """How many rows a key had so far."""

    output_type = "n INT"

    def eval(self, seen: vs.ListState[int], input: Set) -> None:
        """Counts."""
        seen.add(1)
        self.collect((len(seen),))


class Both(vs.ProcessTableFunction[Any]):
    """The same for two tables."""

    output_type = "n INT"

    def eval(self, seen: vs.ListState[int], left: Set | None, right: Set | None) -> None:
        """Counts."""
        seen.add(1)
        self.collect((len(seen),))


def numbered(schema: str, key: Any, *rows: Any) -> list[Any]:
    return vs.process.run(Numbered, {"input": list(rows)}, schema=schema, partition_by=key)


def test_a_field_of_a_struct_is_no_column_whose_name_has_a_dot() -> None:
    city = col("place").get("city")
    schema = "place STRUCT<city: STRING>, page STRING"
    assert numbered(schema, city, (("x",), "p"), (("x",), "q")) == [("x", 1), ("x", 2)]
    for other in ("place.city", "PLACE.City"):
        with pytest.raises(ValidationError, match="not told apart from a field of a struct"):
            numbered(f"place STRUCT<city: STRING>, `{other}` STRING", city, (("x",), "p"))
    for schema, key in (
        ("`a.b` STRING", "`a.b`"),
        ("s STRUCT<`a.b`: STRING>", col("s").get("a.b")),
    ):
        with pytest.raises(ValidationError, match=r"the key `(s\.)?a\.b` is not told apart"):
            numbered(schema, key, ("x",) if isinstance(key, str) else (("x",),))


def test_two_tables_have_keys_of_different_names() -> None:
    schema = "s STRUCT<x: STRING>, t STRUCT<x: STRING>, `a.b` STRING"
    one, other = col("s").get("x"), col("t").get("x")
    tables: dict[str, Any] = {"left": [(("a",), ("b",), "c")], "right": [(("a",), ("b",), "c")]}
    with pytest.raises(ValidationError, match="two keys of the table `left` are called `x`"):
        vs.process.run(Both, tables, schema=schema, partition_by=[one, other])
    with pytest.raises(ValidationError, match=r"the key `a\.b` is not told apart"):
        vs.process.run(Both, tables, schema=schema, partition_by="`a.b`")
    assert vs.process.run(Both, tables, schema=schema, partition_by=one) == [
        ("a", "a", 1),
        ("a", "a", 2),
    ]


@pytest.mark.parametrize(
    "ddl",
    [
        "STRING COLLATE UTF8_LCASE",
        "STRUCT<a: STRING COLLATE UTF8_LCASE>",
        "ARRAY<STRUCT<a: INT, b: ARRAY<STRING COLLATE UTF8_LCASE>>>",
    ],
)
def test_a_text_with_a_collation_is_no_key_wherever_it_is(ddl: str) -> None:
    env = vs.TableEnvironment()
    env.create_table("t", f"k {ddl}, x INT")
    with pytest.raises(ValidationError, match="collation UTF8_LCASE"):
        env.from_path("t").partition_by("k").process(Numbered)
