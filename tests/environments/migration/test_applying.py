"""Applying plans: what is promised holds whatever fails, wherever it fails."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import msgspec
import pytest

import viewscribe as vs
from tests.catalog_store.samples import view
from tests.catalogs import MAKERS, needs_described_tables
from tests.corpus import WHOLE
from tests.environments.migration.worlds import (
    Failing,
    KilledError,
    environment,
    full,
    shop,
    state,
    tables_alone,
    two,
    views,
)
from tests.opaque import opaque
from viewscribe import col
from viewscribe.catalog_store import (
    CatalogError,
    ConcurrentUpdateError,
    Dependency,
    FileCatalog,
    MemoryCatalog,
    UnknownOutcomeError,
)
from viewscribe.environments.migration import (
    ApplyFailedError,
    JournalError,
    OutdatedPlanError,
    PlanBlockedError,
    PlanBusyError,
    apply_plan,
    journal_of,
    make_plan,
    rollback_plan,
)
from viewscribe.environments.migration.journal import Journal
from viewscribe.environments.migration.states import GOING

WRITES = 4  # a function and three views


def planned(source, target, **options):
    return make_plan(environment(source, "dev"), environment(target, "prod"), **options)


def faults(writes: Iterable[int]) -> pytest.MarkDecorator:
    """Each write fails, before it is carried out and after it, in memory.

    In the catalogs that test_model.py shows to be like memory, one does; all of them where
    VIEWSCRIBE_CORPUS is ``all``.
    """
    points = list(product(writes, [False, True]))
    kinds = [*(each for each in MAKERS if each != "iceberg"), "hive"]
    everywhere = kinds if WHOLE else ["memory"]
    cases = [(kind, *point) for kind in everywhere for point in points]
    cases += [(kind, 3, True) for kind in kinds if kind not in everywhere]
    ids = [f"{kind}-{at}-{'after' if after else 'before'}" for kind, at, after in cases]
    return pytest.mark.parametrize(("empty", "at", "after"), cases, indirect=["empty"], ids=ids)


@pytest.fixture
def journal(tmp_path):
    return tmp_path / "plan.json.journal"


@pytest.fixture
def target(empty):
    needs_described_tables(empty)  # test_lakehouse.py is about those without
    return tables_alone(empty)


@pytest.fixture
def source():
    catalog = MemoryCatalog()
    shop(catalog)
    return catalog


def test_what_is_applied_is_there_with_its_origin(source, target, journal):
    plan = planned(source, target)
    outcome = apply_plan(plan, target, journal=journal, reason="release 7")
    assert outcome.done == (
        "create function sales.net",
        "create view sales.open",
        "create view sales.totals",
        "create view sales.names",
    )
    assert state(target) == state(source)
    version = target.get("view", "sales", "open").version
    assert version.source == f"migration {plan.id} from dev"
    assert version.reason == "release 7"
    again = planned(source, target)
    assert (again.steps, again.problems, again.unchanged) == ((), (), WRITES)


def test_applying_twice_does_nothing_more(source, target, journal):
    plan = planned(source, target)
    apply_plan(plan, target, journal=journal)
    before = [each.token for each in target.load_all()]
    outcome = apply_plan(plan, target, journal=journal)
    assert outcome.done == ()
    assert len(outcome.already) == WRITES
    assert [each.token for each in target.load_all()] == before


@faults(range(1, WRITES + 1))
def test_a_step_that_fails_takes_back_what_was_done(source, target, journal, at, after):
    plan, before = planned(source, target), state(target)
    failing = Failing(target, at, full, after=after)
    with pytest.raises(ApplyFailedError, match="failed: no space left") as caught:
        apply_plan(plan, failing, journal=journal)
    assert state(target) == before
    assert caught.value.standing == ()
    # The cause is gone: the very same plan still fits.
    apply_plan(plan, target, journal=journal)
    assert state(target) == state(source)
    rollback_plan(plan, target, journal=journal)
    assert state(target) == before


@faults(range(1, WRITES + 1))
def test_a_run_that_was_killed_is_continued_or_taken_back(source, target, journal, at, after):
    plan, before = planned(source, target), state(target)
    with pytest.raises(KilledError):
        apply_plan(plan, Failing(target, at, KilledError, after=after), journal=journal)
    assert state(target) != before or at == 1
    outcome = apply_plan(plan, target, journal=journal)
    assert len(outcome.done) + len(outcome.already) == WRITES
    assert state(target) == state(source)
    rollback_plan(plan, target, journal=journal)
    assert state(target) == before


@faults(range(2, WRITES + 1))
def test_a_run_that_was_killed_can_be_taken_back_at_once(source, target, journal, at, after):
    plan, before = planned(source, target), state(target)
    with pytest.raises(KilledError):
        apply_plan(plan, Failing(target, at, KilledError, after=after), journal=journal)
    rollback_plan(plan, target, journal=journal)
    assert state(target) == before
    assert rollback_plan(plan, target, journal=journal).done == ()


def test_a_catalog_that_vanishes_leaves_what_is_said_to_stand(source, target, journal):
    plan, before = planned(source, target), state(target)
    with pytest.raises(ApplyFailedError, match="could not all be taken back") as caught:
        apply_plan(plan, Failing(target, 3, full, for_ever=True), journal=journal)
    assert caught.value.undone == ()
    assert caught.value.standing == (
        "create view sales.open: no space left",
        "create function sales.net: no space left",
    )
    assert "stands: create view sales.open: no space left" in str(caught.value)
    assert set(state(target)) - set(before) == {"view sales.open", "function sales.net"}
    apply_plan(plan, target, journal=journal)
    assert state(target) == state(source)
    rollback_plan(plan, target, journal=journal)
    assert state(target) == before


def test_a_write_whose_outcome_is_unknown_is_looked_at(source, target, journal):
    def unknown():
        return UnknownOutcomeError("the disk went away")

    plan = planned(source, target)
    apply_plan(plan, Failing(target, 2, unknown, after=True), journal=journal)
    assert state(target) == state(source)
    other = tables_alone(MemoryCatalog())
    with pytest.raises(ApplyFailedError, match="the disk went away"):
        apply_plan(planned(source, other), Failing(other, 2, unknown))
    assert "view sales.open" not in state(other)


@pytest.mark.parametrize("missing", ["view", "function"])
def test_a_plan_that_no_longer_fits_is_refused(source, target, journal, missing):
    plan = planned(source, target)
    document = source.get("view", "sales", "open").document
    target.create(msgspec.structs.replace(document, comment="mine"))
    before = state(target)
    with pytest.raises(OutdatedPlanError, match=r"sales\.open is there by now"):
        apply_plan(plan, target, journal=journal)
    assert state(target) == before


def test_a_change_since_the_plan_is_refused(source, target, journal):
    apply_plan(planned(source, target), target)
    env = vs.TableEnvironment(source)
    env.use_database("sales")
    views(env, or_replace=True, comment="better")
    plan = planned(source, target)
    stored = target.get("view", "sales", "names")
    mine = msgspec.structs.replace(stored.document, comment="mine")
    token = target.replace(mine, expected=stored.token)
    with pytest.raises(OutdatedPlanError, match=r"sales\.names was changed since"):
        apply_plan(plan, target, journal=journal)
    # Taken back, it fits again: what counts is the content.
    target.replace(stored.document, expected=token)
    apply_plan(plan, target, journal=journal)
    assert target.get("view", "sales", "names").document.comment == "better"
    assert [each.version.operation for each in target.history("view", "sales", "names")] == [
        "create",
        "replace",
        "replace",
        "replace",
    ]


def test_a_table_that_lost_a_column_since_is_refused(source, target):
    plan = planned(source, target)
    stored = target.get("table", "sales", "orders")
    less = msgspec.structs.replace(stored.document, columns=stored.document.columns[:1])
    target.replace(less, expected=stored.token)
    with pytest.raises(OutdatedPlanError, match=r"sales\.orders, which it reads, has"):
        apply_plan(plan, target)


def test_rollback_is_refused_where_something_changed_since(source, target, journal):
    plan = planned(source, target)
    apply_plan(plan, target, journal=journal)
    stored = target.get("view", "sales", "names")
    mine = msgspec.structs.replace(stored.document, comment="mine")
    target.replace(mine, expected=stored.token)
    before = state(target)
    with pytest.raises(OutdatedPlanError, match=r"cannot be taken back: sales\.names"):
        rollback_plan(plan, target, journal=journal)
    assert state(target) == before


def test_rollback_is_refused_where_others_built_on_it(source, target, journal):
    before = state(target)
    plan = planned(source, target)
    apply_plan(plan, target, journal=journal)
    env = vs.TableEnvironment(target)
    env.create_view("sales.mine", env.from_path("sales.names"))
    with pytest.raises(PlanBlockedError, match=r"sales\.mine reads sales\.names"):
        rollback_plan(plan, target, journal=journal)
    assert set(state(source)) < set(state(target))
    env.drop_view("sales.mine")
    rollback_plan(plan, target, journal=journal)
    assert state(target) == before


def test_a_migration_with_everything_in_it_is_taken_back(empty, journal):
    needs_described_tables(empty)
    source = MemoryCatalog()
    env = shop(source)
    target = empty
    shop(target)
    env.create_view("fresh", env.from_path("orders").select("id"))
    stored = source.get("view", "sales", "names")
    source.rename("view", "sales", "names", ("sales", "numbers"), expected=stored.token)
    changed = env.from_path("orders").filter(col("status") == "new").select("id", "amount")
    env.create_view("open", changed, or_replace=True)
    target.create(view("leftover", columns=stored.document.columns))
    before = state(target)
    plan = planned(source, target, delete_foreign=True)
    assert [str(step) for step in plan.steps] == [
        "create view sales.fresh",
        "change view sales.open",
        "rename view sales.names to sales.numbers",
        "delete view sales.leftover",
    ]
    apply_plan(plan, target, journal=journal)
    assert state(target) == state(source)
    history = target.history("view", "sales", "numbers")
    assert [each.version.operation for each in history] == ["create", "rename"]
    rollback_plan(plan, target, journal=journal)
    assert state(target) == before
    assert target.get("view", "sales", "open").version.operation == "rollback"


@pytest.mark.slow("a fault at every step")
@faults(range(1, 7))
@pytest.mark.parametrize("error", [full, KilledError])
def test_a_rename_with_a_change_fails_anywhere(empty, journal, at, after, error):
    source, target = MemoryCatalog(), empty
    env = shop(source)
    shop(target)
    source.rename("view", "sales", "names", ("sales", "numbers"))
    env.create_view("numbers", env.from_path("open").select("id"), or_replace=True)
    views_of_open = env.from_path("orders").filter(col("status") == "x").select("id", "amount")
    env.create_view("open", views_of_open, or_replace=True)
    before = state(target)
    plan = planned(source, target)
    assert [step.operation for step in plan.steps] == ["change", "rename"]
    failing = Failing(target, at, error, after=after)
    try:
        apply_plan(plan, failing, journal=journal)
    except ApplyFailedError:
        assert state(target) == before
    except KilledError:
        pass
    apply_plan(plan, target, journal=journal)
    assert state(target) == state(source)
    rollback_plan(plan, target, journal=journal)
    assert state(target) == before


def test_a_database_that_is_missing_is_made_and_taken_back(empty, journal):
    source = MemoryCatalog()
    env = vs.TableEnvironment(source)
    env.create_database("hr", comment="People")
    env.create_view("hr.one", opaque(env, "SELECT 1 AS one", schema="one INT"))
    plan = planned(source, empty)
    assert [str(step) for step in plan.steps] == ["create database hr", "create view hr.one"]
    apply_plan(plan, empty, journal=journal)
    assert empty.get_database("hr").document.comment == "People"
    assert planned(source, empty).steps == ()
    rollback_plan(plan, empty, journal=journal)
    assert empty.list_databases() == []


def test_two_apply_the_same_plan_at_once(source, tmp_path):
    target = tables_alone(FileCatalog(tmp_path / "target"))
    plan = planned(source, target)
    # As on two machines: each has its own journal.
    with ThreadPoolExecutor(4) as pool:
        runs = [
            pool.submit(
                apply_plan, plan, FileCatalog(tmp_path / "target"), journal=tmp_path / str(n)
            )
            for n in range(4)
        ]
        outcomes = [run.result() for run in runs]
    assert state(target) == state(source)
    done = [step for outcome in outcomes for step in outcome.done]
    assert sorted(done) == sorted(str(step) for step in plan.steps)


def test_two_plans_at_once_one_wins_and_nothing_is_mixed(tmp_path):
    target = tables_alone(FileCatalog(tmp_path / "target"))
    sources = []
    for n in range(3):
        source = MemoryCatalog()
        env = shop(source)
        views(env, or_replace=True, comment=str(n))
        sources.append(source)
    before = state(target)
    plans = [planned(source, target) for source in sources]

    def run(n):
        try:
            apply_plan(plans[n], FileCatalog(tmp_path / "target"), journal=tmp_path / str(n))
        except (ApplyFailedError, OutdatedPlanError) as error:
            return error
        return None

    with ThreadPoolExecutor(3) as pool:
        errors = list(pool.map(run, range(3)))
    now = state(target)
    won = [n for n, error in enumerate(errors) if error is None]
    assert len(won) <= 1
    # All three bring the same function: who loses leaves it to those who read it, and says so.
    standing = [each for e in errors for each in getattr(e, "standing", ())]
    assert all(each.startswith("create function sales.net: ") for each in standing)
    if won:
        assert now == state(sources[won[0]])
    else:
        assert set(now) - set(before) <= ({"function sales.net"} if standing else set())


def test_what_others_came_to_read_stays(source, target, journal):
    """Somebody builds on a function before the plan that brought it fails."""
    plan = planned(source, target)

    def built_upon():
        read = (Dependency("function", ("spark_catalog", "sales", "net")),)
        target.create(view("mine", dependencies=read))
        return full()

    with pytest.raises(ApplyFailedError, match="could not all be taken back") as caught:
        apply_plan(plan, Failing(target, 3, built_upon), journal=journal)
    assert caught.value.undone == ("create view sales.open",)
    assert caught.value.standing == ("create function sales.net: sales.mine reads it by now",)
    assert target.get("function", "sales", "net").document.properties == {}
    assert "view sales.open" not in state(target)
    apply_plan(plan, target, journal=journal)
    assert set(state(target)) == {*state(source), "view sales.mine"}


def test_another_plan_marks_what_this_one_is_unmarking(source, target, journal):
    """Two plans that brought the same function are taken back at once, while somebody reads it."""
    plan = planned(source, target)
    read = (Dependency("function", ("spark_catalog", "sales", "net")),)
    target.create(view("mine", dependencies=read))
    failing: Any = Failing(target, 3, full)
    real, marks = failing.replace, list[Any]()

    def replace(document, **named):
        if not marks and document.properties == {} and named["change"].operation == "rollback":
            marks.append(msgspec.structs.replace(document, properties={GOING: "0" * 16}))
            target.replace(marks[0], expected=named["expected"])
        return real(document, **named)

    failing.replace = replace
    with pytest.raises(ApplyFailedError, match="could not all be taken back"):
        apply_plan(plan, failing, journal=journal)
    assert len(marks) == 1
    assert target.get("function", "sales", "net").document.properties == {}


def test_what_is_about_to_go_is_taken_over(source, target):
    """Another plan marked the function as going, and ends before it goes."""
    plan = planned(source, target)
    document = source.get("function", "sales", "net").document
    going = msgspec.structs.replace(document, properties={GOING: "0" * 16})
    token = target.create(going)
    apply_plan(plan, target)
    assert state(target) == state(source)
    with pytest.raises(ConcurrentUpdateError):
        target.delete("function", "sales", "net", expected=token)


def test_one_process_at_a_time_has_the_journal(source, target, journal):
    plan = planned(source, target)
    with Journal(journal, plan.id), pytest.raises(PlanBusyError, match="another process"):
        apply_plan(plan, target, journal=journal)
    assert "view sales.open" not in state(target)


def test_journals_that_are_no_use(source, target, journal):
    plan = planned(source, target)
    with pytest.raises(JournalError, match="nothing to take back"):
        rollback_plan(plan, target, journal=journal)
    journal.write_text("- a\n- b\n")
    with pytest.raises(JournalError, match="not a journal"):
        apply_plan(plan, target, journal=journal)
    journal.unlink()
    apply_plan(plan, target, journal=journal)
    other = msgspec.structs.replace(plan, id="0" * 16)
    with pytest.raises(JournalError, match="is the journal of the plan"):
        rollback_plan(other, target, journal=journal)


def test_a_torn_last_line_is_as_if_it_had_not_been_written(source, target, journal):
    plan, before = planned(source, target), state(target)
    apply_plan(plan, target, journal=journal)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-2]) + lines[-2][:5])
    outcome = apply_plan(plan, target, journal=journal)
    assert outcome.done == ()
    rollback_plan(plan, target, journal=journal)
    assert state(target) == before


def test_a_journal_that_is_lost_is_made_up_for_by_the_histories(source, target, journal):
    before = state(target)
    plan = planned(source, target)
    with pytest.raises(KilledError):
        apply_plan(plan, Failing(target, 3, KilledError), journal=journal)
    journal.unlink()
    apply_plan(plan, target, journal=journal)
    rollback_plan(plan, target, journal=journal)
    assert state(target) == before


def test_a_journal_without_room_stops_before_anything_is_written(source, target, monkeypatch):
    plan, before = planned(source, target), state(target)
    with pytest.raises(JournalError, match="cannot be opened"):
        apply_plan(plan, target, journal="/nowhere/at/all/plan.journal")
    assert state(target) == before


def test_an_error_of_the_journal_takes_back_the_step(source, target, journal, monkeypatch):
    plan, before = planned(source, target), state(target)
    real, calls = Journal.done, []

    def done(self, step, token):
        calls.append(step)
        if len(calls) == 3:
            raise JournalError("no room")
        real(self, step, token)

    monkeypatch.setattr(Journal, "done", done)
    with pytest.raises(ApplyFailedError, match="no room"):
        apply_plan(plan, target, journal=journal)
    assert state(target) == before


def test_the_journal_is_beside_the_plan():
    assert str(journal_of("plans/a.json")) == "plans/a.json.journal"


def test_a_target_that_cannot_be_read_is_an_error(source, target):
    plan = planned(source, target)
    with pytest.raises(CatalogError, match="no space left"):
        apply_plan(plan, Failing(target, 0, full, for_ever=True))


def test_two_worlds_are_what_the_other_tests_take_them_for():
    source, target = two()
    assert set(state(source)) - set(state(target)) == {
        "function sales.net",
        "view sales.open",
        "view sales.totals",
        "view sales.names",
    }
