"""Writing a site into a folder that may hold other files, and may be a site already.

The manifest says which files are ours. A file that is not in it is never changed or deleted; a file
of ours is written only where it changes, and deleted where the site has it no longer, unless
somebody has edited it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from viewscribe.catalog_store.whole_files import Folder
from viewscribe.schemas.strict_json import loads
from viewscribe.site.errors import SiteError

MANIFEST = ".viewscribe-site.json"

_OURS = re.compile(r"(?!.*\.\.)[a-z0-9][A-Za-z0-9_.=~/-]*")
_FORMAT = 1


class OutputFolder:
    """The folder of a site while it is written.

    Args:
        folder: the folder, which need not exist.
        planned: the paths of all files that will be written.

    Raises:
        SiteError: it is no folder, or holds files of others under names of ours.
    """

    def __init__(self, folder: str | Path, planned: Iterable[str]) -> None:
        self._folder = Path(folder)
        self._files = Folder(folder, durable=False)  # a site can be built again
        self.written = 0
        self.unchanged = 0
        self.removed = 0
        self.kept: list[str] = []
        self._hashes: dict[str, str] = {}
        planned = list(planned)
        try:
            self._before = self._read_manifest()
            self._refuse_foreign(planned)
            self._folder.mkdir(parents=True, exist_ok=True)
            # If this run is interrupted, the next one has to know what is ours.
            self._write_manifest({**dict.fromkeys(planned, ""), **self._before})
        except OSError as error:
            raise self._failure(error) from None

    def write(self, path: str, text: str) -> None:
        """Writes a file, unless it is there with this content."""
        content = text.encode("utf-8")
        self._hashes[path] = _hash(content)
        try:
            if self._files.read(path) == content:
                self.unchanged += 1
                return
            self._files.write(path, content)
        except OSError as error:
            raise self._failure(error) from None
        self.written += 1

    def finish(self) -> None:
        """Removes what the site has no longer, and writes the manifest."""
        try:
            for path, known in self._before.items():
                if path not in self._hashes:
                    self._remove(path, known)
            self._write_manifest(self._hashes)
        except OSError as error:
            raise self._failure(error) from None

    def _remove(self, path: str, known: str) -> None:
        content = self._files.read(path)
        if content is None:
            return
        if known and _hash(content) != known:
            self.kept.append(path)
            return
        self._files.remove(path)
        self.removed += 1

    def _refuse_foreign(self, planned: Iterable[str]) -> None:
        if self._folder.exists() and not self._folder.is_dir():
            raise SiteError(
                f"{self._folder} is not a folder", hint="name a folder for the site with -o"
            )
        if not self._folder.exists():
            return
        foreign = [
            path
            for path in planned
            if path not in self._before and os.path.lexists(self._folder / path)
        ]
        if foreign:
            more = f" and {len(foreign) - 3:,} more" if len(foreign) > 3 else ""
            raise SiteError(
                f"{self._folder} has files that no site wrote: {', '.join(foreign[:3])}{more}",
                hint="nothing was changed: name an empty or new folder with -o",
            )

    def _read_manifest(self) -> dict[str, str]:
        content = self._files.read(MANIFEST)
        if content is None:
            return {}
        try:
            found = loads(content, limit=None)
            if found["format"] != _FORMAT:
                raise ValueError
            files = {str(path): str(known) for path, known in found["files"].items()}
            if not all(map(_OURS.fullmatch, files)):
                raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError):
            raise SiteError(
                f"{self._folder / MANIFEST} is damaged, or of another viewscribe",
                hint="it lists the files of the site: delete the folder, or name another with -o",
            ) from None
        return files

    def _write_manifest(self, files: dict[str, str]) -> None:
        made = {"format": _FORMAT, "files": dict(sorted(files.items()))}
        content = (json.dumps(made, indent=0) + "\n").encode()
        if self._files.read(MANIFEST) != content:
            self._files.write(MANIFEST, content)

    def _failure(self, error: OSError) -> SiteError:
        return SiteError(f"the site cannot be written: {error}", hint="check the folder of -o")


def _hash(content: bytes) -> str:
    return sha256(content).hexdigest()[:24]
