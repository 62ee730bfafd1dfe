"""A crash or a refused system call at any moment leaves the old or the new document."""

from __future__ import annotations

import errno
import os
import random
import signal
import time
from contextlib import suppress
from multiprocessing.process import BaseProcess
from typing import BinaryIO, NamedTuple

import pytest

from tests.catalog_store.samples import database, view
from tests.catalog_store.workers import write_for_ever
from tests.corpus import WHOLE
from tests.forked import server
from viewscribe.catalog_store import (
    CatalogError,
    Change,
    DatabaseNotFoundError,
    FileCatalog,
    ObjectNotFoundError,
    StorageError,
    UnknownOutcomeError,
    check,
)
from viewscribe.catalog_store.stores.files import catalog, storage

KILLS = 450 if WHOLE else 30


@pytest.mark.slow("writers are killed and started again")
def test_kill_9_at_any_moment_loses_nothing(files):
    """Writers are killed again and again; what they said they stored is there afterwards."""
    names = ["a", "b", "c"]
    for name in names:
        files.create(view(name, comment="0"))
    chance = random.Random(0)
    told = dict.fromkeys(names, 0)
    kills = acknowledged = 0
    while kills < KILLS:
        writers = {name: start_writer(files.url, name) for name in names}
        for writer in writers.values():
            writer.told.readline()  # it is at work
        for name, writer in writers.items():
            numbers = _kill_somewhen(writer, chance)
            kills += 1
            acknowledged += len(numbers)
            told[name] = max([told[name], *numbers])
        for name in names:
            stored = files.get("view", "sales", name)
            assert int(stored.document.comment) >= told[name], "an acknowledged write is gone"
            told[name] = int(stored.document.comment)
    assert acknowledged > kills
    for name in names:
        # Every version was counted up from the one before, and each is still known.
        history = [int(each.document.comment) for each in files.history("view", "sales", name)]
        assert history == list(range(told[name] + 1))
    assert check(files, name="other") == []


class Writer(NamedTuple):
    process: BaseProcess
    told: BinaryIO

    def kill(self) -> list[int]:
        """Kill it with signal 9; what it said it had stored and nobody has read yet."""
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.join()
        with self.told as told:
            return [int(line) for line in told.read().split(b"\n")[:-1] if line]


def start_writer(url: str, name: str) -> Writer:
    """A process that counts up in one view."""
    reading, writing = server().Pipe(duplex=False)
    process = server().Process(target=write_for_ever, args=(url, name, writing), daemon=True)
    process.start()
    writing.close()
    told = os.fdopen(os.dup(reading.fileno()), "rb")
    reading.close()
    return Writer(process, told)


def _kill_somewhen(writer: Writer, chance: random.Random) -> list[int]:
    """Kill it at a random moment; the numbers that it said were stored."""
    for _ in range(chance.randrange(4)):
        writer.told.readline()
    until = time.perf_counter() + chance.random() * 0.008
    while time.perf_counter() < until:
        pass  # a write takes about 5 ms: any moment of it is as likely
    return writer.kill()


class FaultyOs:
    """The ``os`` module, with one call that fails."""

    CALLS = ("open", "write", "fsync", "link", "rename", "unlink", "mkdir", "stat", "read",
             "listdir", "fstat", "fchmod", "rmdir")  # fmt: skip

    def __init__(self, fail_at: int, code: int, *, after: bool = False) -> None:
        self.left = fail_at
        self.code = code
        self.after = after
        self.failed: str | None = None

    def __getattr__(self, name):
        real = getattr(os, name)
        return self._guard(name, real) if name in self.CALLS else real

    def _guard(self, name, real):
        def call(*args, **kwargs):
            self.left -= 1
            if self.left != 0:
                return real(*args, **kwargs)
            self.failed = name
            if self.after:
                real(*args, **kwargs)
            raise OSError(self.code, os.strerror(self.code), "x")

        return call


class Crash(BaseException):
    """Stands for the end of the process: nobody may catch it."""


class CrashingOs(FaultyOs):
    """The ``os`` module until the k-th call, after which every call fails: nothing is tidied."""

    def _guard(self, name, real):
        def call(*args, **kwargs):
            self.left -= 1
            if self.left <= 0:
                self.failed = name
                raise Crash
            return real(*args, **kwargs)

        return call


OLD, NEW = view(comment="old"), view(comment="new")
TO = ("sales", "younger")
VERSIONS = [(OLD, Change(author="ada")), (view(comment="middle"), Change()), (NEW, Change())]
CODES = [errno.ENOSPC, errno.EIO, errno.EINTR]


def state(root):
    try:
        return FileCatalog(root).get("view", "sales", "young").document.comment
    except (ObjectNotFoundError, DatabaseNotFoundError):
        return None


ACTS = {
    "create": (None, "new", lambda catalog, token: catalog.create(NEW)),
    "import": (None, "new", lambda catalog, _: catalog.create_with_history(VERSIONS)),
    "replace": ("old", "new", lambda catalog, token: catalog.replace(NEW, expected=token)),
    "delete": ("old", None, lambda catalog, token: catalog.delete("view", "sales", "young")),
    "rename": ("old", None, lambda catalog, token: catalog.rename("view", "sales", "young", TO)),
    "drop": ("old", None, lambda catalog, token: catalog.drop_database("sales", cascade=True)),
}


def prepare(root, act):
    catalog = FileCatalog(root)
    catalog.create_database(database())
    return catalog.create(OLD) if ACTS[act][0] else None


@pytest.mark.parametrize("after", [False, True], ids=["refused", "done-but-failed"])
@pytest.mark.parametrize("shift", range(len(CODES) if WHOLE else 1))
@pytest.mark.parametrize("act", ACTS)
def test_a_fault_of_any_system_call_leaves_old_or_new(tmp_path, monkeypatch, act, shift, after):
    """Of each with one of the codes in turn; in the corpus with all."""
    before, wanted, run = ACTS[act]
    calls = set()
    for k in range(1, 200):
        root = str(tmp_path / str(k))
        token = prepare(root, act)
        faulty = FaultyOs(k, CODES[(k + shift) % len(CODES)], after=after)
        with monkeypatch.context() as patch:
            patch.setattr(storage, "os", faulty)
            patch.setattr(catalog, "os", faulty)
            outcome = _outcome(run, FileCatalog(root), token)
        found = state(root)
        assert found in (before, wanted), f"{faulty.failed} left {found}"
        if outcome is None:
            assert found == wanted, f"{faulty.failed}: told done, is {found}"
        elif outcome is StorageError and not after:
            assert found == before, f"{faulty.failed}: told undone, is {found}"
        assert _unreadable(root) == []
        if faulty.failed is None:
            break
        calls.add(faulty.failed)
    assert {"open", "fsync"} <= calls
    assert k > 8


def _outcome(run, *args):
    try:
        run(*args)
    except (StorageError, UnknownOutcomeError) as error:
        return type(error)
    return None


def _unreadable(root):
    return [each for each in check(FileCatalog(root), name="other") if each.code == "unreadable"]


@pytest.mark.slow("several processes")
@pytest.mark.parametrize("act", ACTS)
def test_a_crash_at_any_system_call_leaves_old_or_new(tmp_path, monkeypatch, act):
    before, wanted, run = ACTS[act]
    seen = []
    for k in range(1, 200):
        root = str(tmp_path / str(k))
        token = prepare(root, act)
        crashing = CrashingOs(k, 0)
        with monkeypatch.context() as patch:
            patch.setattr(storage, "os", crashing)
            with suppress(Crash):
                run(FileCatalog(root), token)
        seen.append(state(root))
        assert _unreadable(root) == []
        # And the catalog goes on: the same act succeeds unless it was done already.
        if seen[-1] == before:
            run(FileCatalog(root), token)
            assert state(root) == wanted
        if crashing.failed is None:
            break
    assert set(seen) == {before, wanted}
    assert seen == sorted(seen, key=lambda each: each == wanted), "old until new, never back"


def test_a_crash_of_an_import_leaves_all_versions_or_none(tmp_path, monkeypatch):
    for k in range(1, 200):
        root = str(tmp_path / str(k))
        prepare(root, "import")
        crashing = CrashingOs(k, 0)
        with monkeypatch.context() as patch:
            patch.setattr(storage, "os", crashing)
            with suppress(Crash):
                FileCatalog(root).create_with_history(VERSIONS)
        catalog = FileCatalog(root)
        if catalog.list_objects("sales"):
            history = catalog.history("view", "sales", "young")
            assert [each.document.comment for each in history] == ["old", "middle", "new"]
        else:  # what is left of the versions is nobody's
            catalog.create(NEW)
            assert len(catalog.history("view", "sales", "young")) == 1
        if crashing.failed is None:
            return
    pytest.fail("never came to the end")


@pytest.mark.parametrize("to", [TO, ("hr", "younger")])
def test_a_crash_of_a_renaming_can_be_repeated(tmp_path, monkeypatch, to):
    """Until it is done the object is there under one name at least, and its history stays.

    In another database, the text of the view becomes another one, too.
    """
    older = view(sql="SELECT name\nFROM customers", comment="older")
    for k in range(1, 200):
        root = str(tmp_path / str(k))
        token = FileCatalog(root).replace(older, expected=prepare(root, "rename"))
        FileCatalog(root).create_database(database("hr"))
        crashing = CrashingOs(k, 0)
        with monkeypatch.context() as patch:
            patch.setattr(storage, "os", crashing)
            with suppress(Crash):
                FileCatalog(root).rename("view", "sales", "young", to, expected=token)
        catalog = FileCatalog(root)
        assert _names(catalog)
        if ("sales", "young") in _names(catalog):
            catalog.rename("view", "sales", "young", to)
        assert _names(catalog) == [to]
        history = catalog.history("view", *to)
        assert [each.version and each.version.operation for each in history] == [
            "create",
            "replace",
            "rename",
        ]
        assert [each.document.name for each in history] == ["young", "young", "younger"]
        if crashing.failed is None:
            return
    pytest.fail("never came to the end")


def _names(catalog):
    return [(home, each.name) for home in ("hr", "sales") for each in catalog.list_objects(home)]


def test_a_crash_while_a_database_is_made_can_be_repeated(tmp_path, monkeypatch):
    for k in range(1, 60):
        root = str(tmp_path / str(k) / "deep" / "views")
        crashing = CrashingOs(k, 0)
        with monkeypatch.context() as patch:
            patch.setattr(storage, "os", crashing)
            with suppress(Crash):
                FileCatalog(root).create_database(database())
        catalog = FileCatalog(root)
        assert catalog.list_databases() in ([], ["sales"])
        if not catalog.list_databases():
            catalog.create_database(database())
        catalog.create(view())
        if crashing.failed is None:
            return
    pytest.fail("never came to the end")


def test_what_crashes_leave_is_swept_after_an_hour(files, root):
    old, young = root / "sales" / ".tmp-1-old", root / "sales" / ".tmp-2-young"
    trash = root / ".tmp-3-dropped"
    trash.mkdir()
    for each in (old, young, trash / "a.view.yaml"):
        each.write_text("x")
    for each in (old, trash):
        os.utime(each, (0, 0))
    FileCatalog(root).create(view())
    assert young.exists()
    assert not old.exists()
    assert not trash.exists()


def test_errors_of_the_system_are_told_in_words(files, monkeypatch):
    monkeypatch.setattr(storage, "os", FaultyOs(1, errno.EROFS))
    with pytest.raises(StorageError, match="the file system is read-only"):
        files.create(view())


def test_an_unknown_outcome_can_be_repeated(files, monkeypatch):
    token = files.create(OLD)
    with monkeypatch.context() as patch:
        patch.setattr(storage.Directory, "flush", _failing_flush("young.view.yaml"))
        with pytest.raises(UnknownOutcomeError, match="may or may not"):
            files.replace(NEW, expected=token)
    stored = files.get("view", "sales", "young")
    assert files.replace(NEW, expected=stored.token) == stored.token
    assert isinstance(UnknownOutcomeError("x"), CatalogError)


def test_a_version_that_cannot_be_kept_is_not_replaced(files, monkeypatch):
    token = files.create(OLD)
    with monkeypatch.context() as patch:
        patch.setattr(storage.Directory, "flush", _failing_flush("000001.yaml"))
        with pytest.raises(StorageError, match="was left as it is"):
            files.replace(NEW, expected=token)
    assert files.get("view", "sales", "young").token == token
    files.replace(NEW, expected=token)
    kept = [each.document.comment for each in files.history("view", "sales", "young")]
    assert kept == ["old", "new"]


def _failing_flush(wanted):
    real = storage.Directory.flush

    def flush(self, name):
        if name == wanted:
            raise self._unknown(name, OSError(errno.EIO, "Input/output error"))
        real(self, name)

    return flush
