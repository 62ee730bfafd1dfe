"""Built-in functions in a catalog: their views are stored, and read again elsewhere."""

from __future__ import annotations

from pathlib import Path

import viewscribe as vs


def test_a_view_of_one_is_stored_and_its_function_found_again(tmp_path: Path) -> None:
    url = f"file:{tmp_path}"
    env = vs.TableEnvironment.open(url)
    env.create_table("clicks", "user_id BIGINT, ts TIMESTAMP, url STRING")
    env.create_function("first_of", vs.process.Deduplicate)
    clicks = env.from_path("clicks").partition_by("user_id")
    made = clicks.process("first_of", on_time="ts")
    assert "FROM spark_catalog.default.first_of(" in made.to_sql()
    env.create_view("firsts", made)

    other = vs.TableEnvironment.open(url)
    assert other.from_path("firsts").schema == made.schema
    assert other.get_view("firsts").sql == env.get_view("firsts").sql
    again = other.from_path("clicks").partition_by("user_id").process("first_of", on_time="ts")
    assert again.to_sql() == made.to_sql()
    assert again.schema == made.schema
