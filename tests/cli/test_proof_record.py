"""What the proof of a view depends on."""

from __future__ import annotations

import msgspec
import pytest

import viewscribe as vs
from viewscribe import col
from viewscribe.catalog_store import ObjectId
from viewscribe.cli.verification import ViewStates

DEEP = 3_000


@pytest.fixture
def env():
    env = vs.TableEnvironment()
    env.create_table("t", "id INT")
    env.create_view("v0", env.from_path("t"))
    return env


def state(env, name):
    return ViewStates(env.catalogs).state_of(ObjectId("default", name, "view"))


def test_a_view_depends_on_all_that_it_reads(env):
    env.create_view("v1", env.from_path("v0"))
    before = state(env, "v1")
    assert before == state(env, "v1")
    env.create_view("other", env.from_path("t"))
    assert before == state(env, "v1")
    env.create_view("v0", env.from_path("t").filter(col("id") > 1), or_replace=True)
    changed = state(env, "v1")
    assert changed != before
    env.create_table("t", "id INT, name STRING", or_replace=True)
    assert state(env, "v1") != changed


def test_a_deep_chain_of_views_has_a_state(env):
    document = env.get_view("v0")
    for number in range(1, DEEP):
        dependency = vs.catalog_store.Dependency(
            "view", ("spark_catalog", "default", f"v{number - 1}")
        )
        changes = {"name": f"v{number}", "dependencies": (dependency,)}
        env.catalogs.save(msgspec.structs.replace(document, **changes))
    before = state(env, f"v{DEEP - 1}")
    env.create_table("t", "id BIGINT", or_replace=True)
    assert state(env, f"v{DEEP - 1}") != before


def test_views_that_read_each_other_have_a_state(env):
    document = env.get_view("v0")
    for name, other in (("a", "b"), ("b", "a")):
        read = vs.catalog_store.Dependency("view", ("spark_catalog", "default", other))
        changes = {"name": name, "dependencies": (read,)}
        env.catalogs.save(msgspec.structs.replace(document, **changes))
    assert state(env, "a")
    assert state(env, "b")
