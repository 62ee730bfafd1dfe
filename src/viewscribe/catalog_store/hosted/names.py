"""Names that a metastore can store: lower-case ASCII letters, digits and underscores."""

from __future__ import annotations

import hashlib
import re

from viewscribe.catalog_store.errors import InvalidNameError
from viewscribe.catalog_store.protocol import check_name, fold

MAX_NAME = 128

# Objects of our own, which nobody else sees: a replaced function, and what a probe tries on.
UNFINISHED = "viewscribe_new_"
PROBE = "viewscribe_probe_"
# Those of a live session, in the same database: what is noted of a function, and a lock.
NOTE = "viewscribe_function_"
LOCK = "viewscribe_lock"
_OURS = (UNFINISHED, PROBE, NOTE, LOCK)

_FIT = re.compile("[A-Za-z0-9_]+")


def hive_name(name: str, what: str, holder: str = "a Hive metastore") -> str:
    """How the metastore (or the ``holder``) calls it.

    Raises:
        InvalidNameError: it cannot hold the name.
    """
    check_name(name, what)
    if not _FIT.fullmatch(name):
        raise InvalidNameError(
            f"{holder} cannot hold the name `{name}` of a {what}",
            hint="use only letters a to z, digits and underscores",
        )
    if len(name) > MAX_NAME:
        raise InvalidNameError(
            f"the name of a {what} has {len(name)} characters: {name[:40]}...",
            hint=f"{holder} holds at most {MAX_NAME}",
        )
    if fold(name).startswith(_OURS):
        raise InvalidNameError(
            f"the name `{name}` is one that viewscribe uses itself", hint="use another name"
        )
    return fold(name)


def unfinished_name(name: str) -> str:
    """Where the new state of a function waits while the old one goes."""
    return UNFINISHED + hashlib.sha256(fold(name).encode()).hexdigest()[:32]


def is_ours(name: str) -> bool:
    """Whether it is one of our own objects."""
    return name.startswith(_OURS)


def place_of(kind: str, database: str, name: str) -> tuple[str, str]:
    """The names of an object and its database in the metastore. Raises ``InvalidNameError``."""
    return hive_name(database, "database"), hive_name(name, kind)
