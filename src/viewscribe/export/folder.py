"""The output folder: only files that an export wrote are ever replaced or removed.

A record in the folder lists them with their hashes. A file that is not in it, or has been changed
since, belongs to somebody else.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from viewscribe.catalog_store.whole_files import Folder
from viewscribe.errors import ViewscribeError
from viewscribe.schemas.strict_json import loads

# Errors of exports.


class ExportRefusedError(ViewscribeError):
    """A view cannot be exported exactly; nothing was written."""


class ForeignFilesError(ViewscribeError):
    """Files of somebody else are where an export would write."""


RECORD = ".viewscribe-export.json"
"""The record of what was written."""

Hashes = Mapping[str, list[str]]
"""What files may hold, by their paths: two hashes each while they are written."""

_SHOWN = 5


class Written(NamedTuple):
    """What happened to the files of an export.

    Args:
        files: all files of the export.
        changed: those that were written, as they were not there or different.
        removed: those of the export before that are no longer in it.
    """

    files: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


def write_folder(folder: str | os.PathLike[str], target: str, files: Mapping[str, str]) -> Written:
    """Makes a folder hold these files, beside those of others.

    Args:
        folder: the folder, which is made where it is missing.
        target: what the files are for; another target's export is not replaced.
        files: texts by path.

    Raises:
        ForeignFilesError: other files are in the way, or the folder cannot be written; unless
            writing itself failed, nothing was written.
    """
    root = Path(folder)
    data = {path: text.encode() for path, text in sorted(files.items())}
    try:
        known = _read_record(root, target)
        _refuse_foreign(root, data, known)
        return _write(root, target, data, known)
    except OSError as error:
        place = error.filename or root
        raise ForeignFilesError(f"cannot write {place}: {error.strerror}") from error


def _write(root: Path, target: str, data: Mapping[str, bytes], known: Hashes) -> Written:
    """Writes the files; meanwhile the record allows both states, so a stopped export can go on."""
    folder = Folder(root)
    hashes = {path: [_hash(each)] for path, each in data.items()}
    changed = [path for path, each in data.items() if folder.read(path) != each]
    removed = [path for path in known if path not in data and folder.read(path) is not None]
    if not changed and not removed and known == hashes:
        return Written(tuple(data), (), ())
    root.mkdir(parents=True, exist_ok=True)
    both = {path: [*known.get(path, ()), *hashes.get(path, ())] for path in (*known, *hashes)}
    folder.write(RECORD, _record(target, both))
    for path in changed:
        folder.write(path, data[path])
    for path in removed:
        folder.remove(path)
    folder.write(RECORD, _record(target, hashes))
    return Written(tuple(data), tuple(changed), tuple(removed))


def _refuse_foreign(root: Path, data: Mapping[str, bytes], known: Hashes) -> None:
    """Refuses files in the way that are not as an export left them, and ways through links."""
    foreign = []
    for path in dict.fromkeys((*data, *known)):
        found = Folder(root).read(path)
        if found is None:
            if path in data:
                foreign += _blocking(root, path)
        elif found != data.get(path) and _hash(found) not in known.get(path, ()):
            foreign.append(path)
    if foreign:
        names = list(dict.fromkeys(foreign))
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        shown = ", ".join(names[:_SHOWN])
        raise ForeignFilesError(
            f"{root} has files that no export wrote, or that were changed since: {shown}{more}",
            hint="move them away, or export to another folder; nothing was written",
        )


def _blocking(root: Path, path: str) -> list[str]:
    """What stands where a file is to be, or one of its folders."""
    places = [path, *map(str, PurePosixPath(path).parents)][:-1]
    there = [each for each in places if os.path.lexists(root / each)]
    return [each for each in there if each == path or _is_no_folder(root / each)]


def _is_no_folder(place: Path) -> bool:
    return place.is_symlink() or not place.is_dir()


def _hash(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _record(target: str, hashes: Hashes) -> bytes:
    data = {
        "written_by": "viewscribe export",
        "target": target,
        "files": dict(sorted(hashes.items())),
    }
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()


def _read_record(root: Path, target: str) -> Hashes:
    """The hashes of the files that the export before wrote.

    Raises:
        ForeignFilesError: the record is damaged, or of an export to something else.
    """
    place = root / RECORD
    text = Folder(root).read(RECORD)
    if text is None and not os.path.lexists(place):
        return {}
    try:
        data = loads("" if text is None else text.decode())
        made_for, hashes = data["target"], data["files"]
        sound = isinstance(hashes, dict) and all(
            isinstance(each, list) and _is_inside(path) for path, each in hashes.items()
        )
    except (ValueError, TypeError, KeyError):
        made_for, hashes, sound = target, {}, False
    if not sound:
        raise ForeignFilesError(
            f"{place} is no record of an export", hint="export to another folder"
        )
    if made_for != target:
        raise ForeignFilesError(
            f"{root} holds an export to {made_for}", hint="export to another folder"
        )
    found: Hashes = hashes
    return found


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\\" not in path
