"""Results of verifying views: for the terminal, for programs, for continuous integration."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from viewscribe.catalog_store.documents.model import TableDocument
from viewscribe.catalog_store.errors import CatalogError
from viewscribe.catalog_store.line_files import LineFile
from viewscribe.cli.catalogs import full_name
from viewscribe.cli.causes import cause_blocks
from viewscribe.cli.command import DIFFERENT, DONE, FAILED, as_viewscribe_error
from viewscribe.cli.junit import Case
from viewscribe.cli.output.pages import Block, Cell, Grid, Paragraph, Style
from viewscribe.cli.progress import Terminal
from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.schemas.strict_json import loads
from viewscribe.spark.report import CHECKS, NO_SOURCE, Proof, VerificationReport
from viewscribe.version import __version__

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, ObjectId
    from viewscribe.spark.environments import OpenedView
    from viewscribe.spark.report import Check, VerificationReport


Status = Proof | Literal["failed"]
STATUSES: tuple[Status, ...] = ("proven", "rows equal", "schema only", "different", "failed")

_MOST_ROWS = 50
"""How many views are listed one by one."""

_STYLES: dict[str, Style] = {
    "equal": "good",
    "proven": "good",
    "rows equal": "good",
    "schema only": "warning",
    "different": "bad",
    "failed": "bad",
}
_CASES: dict[Status, str] = {"schema only": "skipped", "different": "failed", "failed": "error"}
"""What views are that are not ok, in JUnit's words."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of verifying one view: a report, or the error that prevented it.

    Args:
        id: the view.
        seconds: the duration.
        names: the names of the checks, which are fields of the report.
        report: the results of the checks.
        error: the reason why there is no report.
        is_recorded: whether it is of an earlier run, and nothing it depends on has changed.
    """

    id: ObjectId
    seconds: float
    names: Sequence[str]
    report: VerificationReport | OpenedView | None = None
    error: ViewscribeError | None = None
    is_recorded: bool = False

    @property
    def status(self) -> Status:
        """How far equality is known; ``failed`` without a report."""
        return "failed" if self.report is None else self.report.proof

    @property
    def ok(self) -> bool:
        """Whether everything that was asked for is so."""
        return self.report is not None and self.report.ok

    @property
    def verdict(self) -> str:
        """How far equality is known, in words for people."""
        return self.status if self.report is None else self.report.verdict

    def checks(self) -> Iterator[tuple[str, Check]]:
        """The checks by name; empty without a report."""
        for name in self.names if self.report is not None else ():
            yield name, getattr(self.report, name)

    @property
    def changed(self) -> Sequence[str]:
        """What has changed in the tables that the view reads, where nothing else is the cause."""
        edited = getattr(self.report, "edited", False)
        return () if edited else getattr(self.report, "changed", ())

    def lines(self) -> Iterator[str]:
        """The lines that say what differs, what is unproven, or why there is no report."""
        if self.ok:
            yield from self._unread()
            return
        if self.error is not None:
            yield f"{self.error.code}: {self.error}"
        yield from self._reasons()
        for field, check in self.checks():
            name = field.replace("_", " ")
            if check.status != "equal" and check.detail != NO_SOURCE:
                told = f"{name} {check.status}: {check.detail}" if check.detail else ""
                yield told or f"{name} differs"
                yield from (f"  {each}" for each in check.differences)

    def _reasons(self) -> Iterator[str]:
        notes = getattr(self.report, "notes", None)
        if notes is not None:
            yield from notes()

    def _unread(self) -> Iterator[str]:
        """The reason why viewscribe could not parse a view that Spark proves."""
        for name, check in self.checks():
            if name == "read_back" and check.status == "not compared":
                yield f"not read back: {check.detail}"


def verify_each(
    terminal: Terminal,
    views: Sequence[ObjectId],
    names: Sequence[str],
    verify: Callable[[ObjectId], VerificationReport | OpenedView],
    *,
    jobs: int = 1,
    then: Callable[[Outcome], None] | None = None,
    in_turns: Callable[[Sequence[ObjectId]], Iterator[ObjectId]] = iter,
) -> list[Outcome]:
    """Verifies the views; a failure does not stop the others.

    Args:
        terminal: shows the progress.
        views: the views.
        names: the names of the checks.
        verify: verifies one.
        jobs: how many are verified at the same time.
        then: is told each outcome when it is there, one at a time.
        in_turns: the order in which they are verified.

    Returns:
        The outcomes, in the order of ``views``.
    """
    one_by_one = threading.Lock()
    outcomes: dict[ObjectId, Outcome] = {}
    stopped = threading.Event()

    def run(view: ObjectId) -> Outcome:
        with one_by_one:
            progress.start(full_name(view))
        started = time.monotonic()
        report, problem = None, None
        try:
            report = verify(view)
        except Exception as error:  # whatever it is, go on with the other views
            problem = as_viewscribe_error(error)
        seconds = round(time.monotonic() - started, 3)
        outcome = Outcome(view, seconds, names, report, problem)
        took = f" in {seconds:.1f} s" if terminal.verbose else ""
        with one_by_one:
            if then is not None:
                then(outcome)
            progress.done(full_name(view), f"{outcome.verdict}{took}")
        return outcome

    def run_until_done() -> None:
        while not stopped.is_set():
            with next_one:
                view = next(waiting, None)
            if view is None:
                return
            outcomes[view] = run(view)

    waiting, next_one = in_turns(views), threading.Lock()
    with terminal.progress("Verifying", len(views)) as progress:
        if jobs == 1:
            run_until_done()
        else:
            with ThreadPoolExecutor(jobs) as pool:
                # What is in force, such as which modules may be imported, is so in every thread.
                running = [pool.submit(copy_context().run, run_until_done) for _ in range(jobs)]
                try:
                    for each in running:
                        each.result()
                finally:
                    stopped.set()
    return [outcomes[view] for view in views]


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """Returns the exit code of the command."""
    if any(outcome.status == "failed" for outcome in outcomes):
        return FAILED
    return DONE if all(outcome.ok for outcome in outcomes) else DIFFERENT


def verified_data(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Returns the outcomes as JSON data."""
    counts = counted_statuses(outcomes)
    return {
        "ok": all(outcome.ok for outcome in outcomes),
        "counts": {"views": len(outcomes), **{str(each): counts[each] for each in STATUSES}},
        "views": [outcome_data(each) for each in outcomes],
    }


def counted_statuses(outcomes: Sequence[Outcome]) -> Counter[Status]:
    """Returns the number of views by status."""
    return Counter(outcome.status for outcome in outcomes)


def statuses_told(outcomes: Sequence[Outcome]) -> str:
    """Returns ``proven 3, rows equal 1, failed 1``."""
    counts = counted_statuses(outcomes)
    return ", ".join(f"{each} {counts[each]:,}" for each in STATUSES if counts[each])


def verified_blocks(outcomes: Sequence[Outcome]) -> Iterator[Block]:
    """Returns a table with a row per view, followed by the differences, by cause.

    Of a large catalog, only the views that are not ok are in the table.
    """
    listed = outcomes
    if len(outcomes) > _MOST_ROWS:
        listed = [each for each in outcomes if not each.ok]
    if listed:
        titles = [name.replace("_", " ") for name in outcomes[0].names]
        yield Grid(("view", *titles, "verified"), [_row(each) for each in listed[:_MOST_ROWS]])
    if len(listed) > _MOST_ROWS:
        yield Paragraph(f"and {len(listed) - _MOST_ROWS:,} more; --json has all of them")
    yield from cause_blocks(outcomes)


def cases(outcomes: Sequence[Outcome]) -> list[Case]:
    """Returns the outcomes as JUnit test cases."""
    found = []
    for outcome in outcomes:
        lines = list(outcome.lines())
        first = next((each for each in lines if " different: " in each), lines[0] if lines else "")
        status: Any = "passed" if outcome.ok else _CASES[outcome.status]
        home = outcome.id.database
        found.append(Case(home, outcome.id.name, outcome.seconds, status, first, lines))
    return found


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """Returns an outcome as JSON data."""
    from viewscribe.cli.output.as_json import error_data

    return {
        "database": outcome.id.database,
        "name": outcome.id.name,
        "status": outcome.status,
        "seconds": outcome.seconds,
        "report": None if outcome.report is None else outcome.report.to_json(),
        "error": None if outcome.error is None else error_data(outcome.error),
        **({"recorded": True} if outcome.is_recorded else {}),
    }


def _show(check: Check) -> str:
    """The status, or the beginning of the detail that says why there need not be one."""
    if check.detail == NO_SOURCE:
        return "none"
    return "not needed" if check.detail.startswith("not needed") else check.status


def _row(outcome: Outcome) -> tuple[Cell, ...]:
    cells = [Cell(_show(each), _STYLES.get(each.status, "faint")) for _, each in outcome.checks()]
    cells += [Cell("")] * (len(outcome.names) - len(cells))
    status = Cell(outcome.verdict, _STYLES[outcome.status])
    return Cell(full_name(outcome.id), "name"), *cells, status


# A file of what was verified, so that a run goes on where it stopped, or leaves out the rest.

_BEGINNING = b'{"view": "'
DEFAULT_PATH = "viewscribe-verified.jsonl"
Reused = Literal["nothing", "proven", "all"]


class _Error(msgspec.Struct, frozen=True):
    message: str
    code: str
    hint: str | None = None


class _Entry(msgspec.Struct, frozen=True):
    """A line: the outcome of a view in a state."""

    view: str
    state: str
    status: str
    seconds: float
    report: dict[str, Any] | None
    error: _Error | None


class ProofRecord:
    """Outcomes by view, each valid as long as the view and all that it reads stay as they were.

    A line of JSON for each, written when it is there: a run that is killed loses none.

    Args:
        path: the file.
        reused: which of its outcomes are taken over.

    Raises:
        ValidationError: the file is something else, which is left alone, or cannot be written.
    """

    def __init__(self, path: str | Path, reused: Reused = "nothing") -> None:
        self._path = Path(path)
        self._reused = reused
        self._known: dict[str, _Entry] = {}
        try:
            with LineFile(self._path) as file:
                self._begin(file)
        except OSError as error:
            raise ValidationError(
                f"the record {self._path} cannot be used: {error.strerror}",
                hint="give another --record FILE",
            ) from None

    def __str__(self) -> str:
        return str(self._path)

    def find(self, view: ObjectId, state: str) -> Outcome | None:
        """Returns the outcome of a view in that state, if it may be taken over."""
        entry = self._known.get(full_name(view))
        if entry is None or entry.state != state:
            return None
        if self._reused == "proven" and entry.status not in ("proven", "rows equal"):
            return None
        return _outcome(view, entry)

    def add(self, outcome: Outcome, state: str) -> None:
        """Notes an outcome."""
        line = json.dumps({"view": full_name(outcome.id), "state": state, **outcome_data(outcome)})
        with LineFile(self._path) as file:
            file.append(line.encode())

    def _begin(self, file: LineFile) -> None:
        """Learns what the file holds, and leaves in it what will count."""
        lines, part = file.read()
        found = self._entries(lines, part)
        if self._reused == "nothing":
            file.clear()
        else:
            self._known = found
            file.cut(part)  # a run was killed while it wrote

    def _entries(self, lines: Sequence[bytes], part: bytes) -> dict[str, _Entry]:
        """Returns the entries of whole lines; ``part`` is what stands behind the last one."""
        found: dict[str, _Entry] = {}
        begun = part.rstrip(b"\0")  # which some file systems leave where power failed
        is_record = begun.startswith(_BEGINNING) or _BEGINNING.startswith(begun)
        for line in lines:
            entry = _entry(line)
            if entry is not None:
                found[entry.view] = entry
            else:
                is_record &= line.startswith(_BEGINNING)
        if not is_record:
            raise ValidationError(
                f"the file {self._path} is no record of `viewscribe verify`",
                hint="give another --record FILE: this one is left as it is",
            )
        return found


def _entry(line: bytes) -> _Entry | None:
    """The entry of a line; None for what is none, such as that of another version."""
    try:
        return msgspec.convert(loads(line), _Entry)
    except (ValueError, msgspec.ValidationError):
        return None


def _outcome(view: ObjectId, entry: _Entry) -> Outcome | None:
    error, report = None, None
    if entry.error is not None:
        error = ViewscribeError(entry.error.message, code=entry.error.code, hint=entry.error.hint)
    try:
        if entry.report is not None:
            report = VerificationReport.from_json(entry.report)
    except msgspec.ValidationError:
        return None  # another version wrote it
    return Outcome(view, entry.seconds, CHECKS, report, error, is_recorded=True)


def _key(path: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.lower() for part in path)


class ViewStates:
    """What the proof of a view depends on, as a digest: itself, all it reads, and the tools.

    Args:
        catalogs: where the views are.
    """

    def __init__(self, catalogs: CatalogManager) -> None:
        self._catalogs = catalogs
        self._known: dict[tuple[str, ...], str] = {}

    def state_of(self, view: ObjectId) -> str:
        """Returns the digest of a view's state."""
        found = self._digest((self._catalogs.current_catalog, view.database, view.name))
        spark = version("pyspark")
        return sha256(f"{found} {__version__} {spark}".encode()).hexdigest()

    def _digest(self, path: tuple[str, ...]) -> str:
        """The digest of a view or table; what it reads comes first, however deep that goes."""
        stack: list[tuple[Sequence[str], Any]] = [(path, None)]
        while stack:
            at, document = stack.pop()
            if document is not None:
                self._known[_key(at)] = self._of_view(document)
            elif _key(at) not in self._known:
                self._known[_key(at)] = "a circle"  # while it is worked out
                self._begin(at, stack)
        return self._known[_key(path)]

    def _begin(self, path: Sequence[str], stack: list[tuple[Sequence[str], Any]]) -> None:
        """Works out what reads nothing; notes a view, and what it reads to be worked out first."""
        try:
            document: Any = self._catalogs.relation(path).document  # type: ignore[union-attr]
        except CatalogError as error:
            self._known[_key(path)] = f"{error.code}"
            return
        if isinstance(document, TableDocument):
            columns = [f"{each.name} {each.type} {each.nullable}" for each in document.columns]
            self._known[_key(path)] = " ".join(columns)
            return
        stack.append((path, document))
        stack += [(each.name, None) for each in document.dependencies if each.kind != "function"]

    def _of_view(self, document: Any) -> str:
        parts = [document.fingerprint]
        for each in document.dependencies:
            if each.kind == "function":
                parts.append(self._function(each.name))
            else:
                parts.append(self._known[_key(each.name)])
        return sha256(" ".join(parts).encode()).hexdigest()

    def _function(self, name: tuple[str, ...]) -> str:
        try:
            stored: Any = self._catalogs.get("function", name)
        except CatalogError as error:
            return f"{error.code}"
        return str(stored.document.fingerprint)
