"""Names of files and models: distinct, and made of harmless characters only."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from viewscribe.catalog_store.names import DEVICES, encode, fold
from viewscribe.export.model import Path

_PLAIN = re.compile(r"[a-z_][a-z0-9_]{0,99}")
_LONGEST = 200
_OTHER = re.compile(r"[^a-z0-9_]+")


def slug(*parts: str) -> str:
    """An identifier for a name, which no other name has.

    Identifiers that are no devices on Windows are kept, in small letters; others end in a hash.
    """
    folded = [fold(part) for part in parts]
    joined = "__".join(folded)
    plain = all(_PLAIN.fullmatch(part) and part not in DEVICES for part in folded)
    if plain and "__" not in "".join(folded):
        return joined
    digest = hashlib.sha256("\0".join(folded).encode()).hexdigest()[:8]
    start = _OTHER.sub("_", joined).strip("_")[:80]
    return f"{start or 'view'}_{digest}" if not start[:1].isdigit() else f"_{start}_{digest}"


def model_names(paths: Iterable[Path]) -> Mapping[Path, str]:
    """Names of models, which are unique in a project: the view's, or with its database in front."""
    every = list(paths)
    counts = Counter(slug(path[-1]) for path in every)
    return {
        path: name if counts[name := slug(path[-1])] == 1 else slug(*path[-2:]) for path in every
    }


def file_name(*parts: str) -> str:
    """A file name for a name, with a dot between its parts."""
    name = ".".join(encode(part) for part in parts)
    return name if len(name) <= _LONGEST else slug(*parts)
