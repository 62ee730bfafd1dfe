"""Every catalog does whatever a memory catalog does, over long random histories."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from tests.catalog_store import samples
from tests.catalogs import MAKERS
from tests.fuzzing import examples
from viewscribe.catalog_store import CatalogError, Loaded, MemoryCatalog, Token, check, open_catalog

all_databases = st.sampled_from(["sales", "SALES", "e\u0301", "É", "../up", "con"])
all_names = st.sampled_from(["a", "A", "b/..", "x" * 190, "x" * 191, "漢", "nul", "_database"])
hive_databases = st.sampled_from(["sales", "SALES", "hr"])
hive_names = st.sampled_from(["a", "A", "b_1", "x" * 128, "select"])
kinds = st.sampled_from(["view", "table", "function"])
texts = st.sampled_from(["one", "two\n", " three \n\n"])
makers = {"view": samples.view, "table": samples.table, "function": samples.function}


def _told(stored):
    """A version without its time, which no two catalogs have in common."""
    return stored.document, msgspec.structs.replace(stored.version, timestamp_ms=0)


def like_memory(databases, names, comments=texts, kinds=kinds):
    """The machine for catalogs that can hold such names; a subclass opens the other catalog."""

    class LikeMemory(RuleBasedStateMachine):
        """Runs every step on both and compares answers, errors and the whole content."""

        @initialize()
        def start(self):
            self.other = self.open_new()
            self.memory = MemoryCatalog()
            self.tokens = {}  # memory token -> the other's token of the same state

        def open_new(self):
            raise NotImplementedError

        def open_again(self):
            raise NotImplementedError

        def both(self, act):
            answers: list[tuple[Any, ...]] = []
            for catalog in (self.memory, self.other):
                try:
                    answers.append(("done", act(catalog)))
                except CatalogError as error:
                    answers.append(("failed", type(error), str(error)))
            if answers[0][0] == answers[1][0] == "done":
                return answers[0][1], answers[1][1]
            assert answers[0] == answers[1]
            return None, None

        def expect(self, catalog, token):
            return token if catalog is self.memory else self.tokens.get(token, Token("stale"))

        def present(self, kind, database, name):
            try:
                return self.memory.get(kind, database, name).token
            except CatalogError:
                return Token("stale")

        def learn(self, tokens):
            if tokens[0] is not None:
                self.tokens[tokens[0]] = tokens[1]

        @rule(name=databases, comment=comments)
        def create_database(self, name, comment):
            document = samples.database(name, comment=comment)
            self.learn(self.both(lambda each: each.create_database(document)))

        @rule(name=databases, cascade=st.booleans())
        def drop_database(self, name, cascade):
            self.both(lambda each: each.drop_database(name, cascade=cascade))

        @rule(kind=kinds, database=databases, name=names, comment=comments)
        def create(self, kind, database, name, comment):
            document = makers[kind](name, database, comment=comment)
            self.learn(self.both(lambda each: each.create(document)))

        @rule(kind=kinds, database=databases, name=names, comment=comments, fresh=st.booleans())
        def replace(self, kind, database, name, comment, fresh):
            document = makers[kind](name, database, comment=comment)
            token = self.present(kind, database, name) if fresh else Token("stale")
            self.learn(
                self.both(lambda each: each.replace(document, expected=self.expect(each, token)))
            )

        @rule(
            kind=kinds, database=databases, name=names, fresh=st.sampled_from([True, False, None])
        )
        def delete(self, kind, database, name, fresh):
            token = self.present(kind, database, name) if fresh else Token("stale")

            def act(catalog):
                expected = None if fresh is None else self.expect(catalog, token)
                catalog.delete(kind, database, name, expected=expected)

            self.both(act)

        @rule(
            kind=kinds, place=st.tuples(databases, names), to=st.tuples(databases, names),
            fresh=st.sampled_from([True, False, None]),
        )  # fmt: skip
        def rename(self, kind, place, to, fresh):
            token = self.present(kind, *place) if fresh else Token("stale")

            def act(catalog):
                expected = None if fresh is None else self.expect(catalog, token)
                return catalog.rename(kind, *place, to, expected=expected)

            self.learn(self.both(act))

        @rule(kind=kinds, database=databases, name=names)
        def history(self, kind, database, name):
            one, other = self.both(lambda each: each.history(kind, database, name))
            if one is not None:
                assert [_told(each) for each in one] == [_told(each) for each in other]

        @rule(kind=kinds, database=databases, name=names)
        def get(self, kind, database, name):
            one, other = self.both(lambda each: each.get(kind, database, name))
            if one is not None:
                assert one.document == other.document
                assert self.tokens[one.token] == other.token

        @rule()
        def reopen(self):
            self.other = self.open_again()

        @invariant()
        def same_content(self):
            def content(catalog):
                entries = list(catalog.load_all())
                assert all(isinstance(each, Loaded) for each in entries)
                return {each.id: each.document for each in entries}

            assert content(self.other) == content(self.memory)
            assert self.other.list_databases() == self.memory.list_databases()
            for name in self.memory.list_databases():
                assert self.other.list_objects(name) == self.memory.list_objects(name)

        @invariant()
        def nothing_wrong(self):
            assert check(self.other, name="other") == []

    return LikeMemory


@pytest.mark.slow("long histories, everything looked at after each step")
@pytest.mark.parametrize("kind", [kind for kind in MAKERS if kind not in ("memory", "iceberg")])
def test_it_does_what_memory_does(kind):
    count = 4 if kind == "postgresql" else 16  # it shares its code with SQLite

    class OtherLikeMemory(like_memory(all_databases, all_names)):  # type: ignore[misc]
        def open_new(self):
            self.directory = Path(tempfile.mkdtemp())
            return MAKERS[kind](self.directory)

        def open_again(self):
            return open_catalog(self.other.url)

        def teardown(self):
            shutil.rmtree(self.directory, ignore_errors=True)

    run_state_machine_as_test(
        OtherLikeMemory,
        settings=settings(max_examples=examples(count), stateful_step_count=30, deadline=None),
    )


@pytest.mark.slow("long histories, everything looked at after each step")
def test_an_iceberg_catalog_does_whatever_memory_does(tmp_path):
    names = st.sampled_from(["a", "A", "b.c", "x" * 100, "select", "q'`\"", "no"])
    databases = st.sampled_from(["sales", "SALES", "hr", "é"])

    kinds = st.sampled_from(["view", "function"])  # tables are made by engines

    class IcebergLikeMemory(like_memory(databases, names, kinds=kinds)):  # type: ignore[misc]
        def open_new(self):
            return MAKERS["iceberg"](tmp_path)

        def open_again(self):
            return open_catalog(self.other.url)

    run_state_machine_as_test(
        IcebergLikeMemory, settings=settings(max_examples=4, stateful_step_count=20, deadline=None)
    )


def test_a_metastore_does_whatever_memory_does(metastore):
    class HiveLikeMemory(like_memory(hive_databases, hive_names)):  # type: ignore[misc]
        def open_new(self):
            metastore.wipe()
            return open_catalog(metastore.url)

        def open_again(self):
            return open_catalog(metastore.url)

    run_state_machine_as_test(
        HiveLikeMemory, settings=settings(max_examples=8, stateful_step_count=20, deadline=None)
    )
