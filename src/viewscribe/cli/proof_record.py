"""A file of what was verified, so that a run goes on where it stopped, or leaves out the rest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from viewscribe.catalog_store.documents.model import TableDocument
from viewscribe.catalog_store.errors import CatalogError
from viewscribe.catalog_store.line_files import LineFile
from viewscribe.cli.catalogs import full_name
from viewscribe.cli.verification import Outcome, outcome_data
from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.schemas.strict_json import loads
from viewscribe.version import __version__

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, ObjectId

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
    from viewscribe.spark.report import CHECKS, VerificationReport

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
