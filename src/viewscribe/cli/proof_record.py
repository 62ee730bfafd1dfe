"""A file of what was verified, so that a run goes on where it stopped, or leaves out the rest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from viewscribe.catalog_store.documents.model import TableDocument
from viewscribe.catalog_store.errors import CatalogError
from viewscribe.cli.catalogs import full_name
from viewscribe.cli.verification import Outcome, outcome_data
from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.version import __version__

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, ObjectId

_BEGINNING = '{"view": "'
DEFAULT_PATH = "viewscribe-verified.jsonl"
Reused = Literal["nothing", "proven", "all"]


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
        self._known: dict[str, Mapping[str, Any]] = {}
        found = self._read()
        if reused == "nothing":
            self._path.write_text("", encoding="utf-8")
        else:
            self._known = found

    def __str__(self) -> str:
        return str(self._path)

    def find(self, view: ObjectId, state: str) -> Outcome | None:
        """Returns the outcome of a view in that state, if it may be taken over."""
        entry = self._known.get(full_name(view))
        if entry is None or entry["state"] != state:
            return None
        if self._reused == "proven" and entry["status"] != "equal":
            return None
        return _outcome(view, entry)

    def add(self, outcome: Outcome, state: str) -> None:
        """Notes an outcome."""
        line = json.dumps({"view": full_name(outcome.id), "state": state, **outcome_data(outcome)})
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def _read(self) -> dict[str, Mapping[str, Any]]:
        """What the file holds; makes it where it is missing."""
        try:
            with self._path.open("a+b") as file:
                file.seek(0)
                lines = [each.decode() for each in file.read().splitlines(keepends=True)]
                part = "" if not lines or lines[-1].endswith("\n") else lines.pop()
                found = self._entries(lines, part)
                if part:  # a run was killed while it wrote
                    file.truncate(file.tell() - len(part.encode()))
        except (OSError, UnicodeDecodeError) as error:
            raise ValidationError(
                f"the record {self._path} cannot be used: {error}",
                hint="give another --record FILE",
            ) from None
        return found

    def _entries(self, lines: Sequence[str], part: str) -> dict[str, Mapping[str, Any]]:
        """Returns the entries of whole lines; ``part`` is what stands behind the last one."""
        found: dict[str, Mapping[str, Any]] = {}
        begun = part.rstrip("\0")  # which some file systems leave where power failed
        is_record = begun.startswith(_BEGINNING) or _BEGINNING.startswith(begun)
        for line in lines:
            entry = _entry(line)
            if entry is not None:
                found[entry["view"]] = entry
            else:
                is_record &= line.startswith(_BEGINNING)
        if not is_record:
            raise ValidationError(
                f"the file {self._path} is no record of `viewscribe verify`",
                hint="give another --record FILE: this one is left as it is",
            )
        return found


def _entry(line: str) -> Mapping[str, Any] | None:
    """The entry of a line; None for what is none, such as one that is written in part."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    known = isinstance(found, dict) and {"view", "state", "status"} <= found.keys()
    return found if known and isinstance(found["view"], str) else None


def _outcome(view: ObjectId, entry: Mapping[str, Any]) -> Outcome | None:
    from viewscribe.spark.report import CHECKS, VerificationReport

    try:
        error, report = entry["error"], entry["report"]
        return Outcome(
            view,
            float(entry["seconds"]),
            CHECKS,
            None if report is None else VerificationReport.from_json(report),
            None
            if error is None
            else ViewscribeError(error["message"], code=error["code"], hint=error.get("hint")),
            is_recorded=True,
        )
    except (KeyError, TypeError, ValueError):
        return None  # another version wrote it


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
