"""Environments such as development and production: their catalogs, settings and names."""

from __future__ import annotations

from viewscribe.catalog_store.environments.errors import (
    AmbiguousNameError,
    EnvironmentFileError,
    UnknownEnvironmentError,
    UnsetVariableError,
)
from viewscribe.catalog_store.environments.file import (
    FILE_NAME,
    EnvironmentFile,
    find_environments,
    load_environments,
    seen_from,
)
from viewscribe.catalog_store.environments.model import Environment, environment_of
from viewscribe.catalog_store.environments.names import NameMapping, Translation, matches

__all__ = [
    "FILE_NAME",
    "AmbiguousNameError",
    "Environment",
    "EnvironmentFile",
    "EnvironmentFileError",
    "NameMapping",
    "Translation",
    "UnknownEnvironmentError",
    "UnsetVariableError",
    "environment_of",
    "find_environments",
    "load_environments",
    "matches",
    "seen_from",
]
