"""Environments such as development and production: their catalogs, settings and names."""

from __future__ import annotations

from viewscribe.environments.errors import (
    AmbiguousNameError,
    EnvironmentFileError,
    UnknownEnvironmentError,
    UnsetVariableError,
)
from viewscribe.environments.file import (
    FILE_NAME,
    EnvironmentFile,
    find_environments,
    load_environments,
    seen_from,
)
from viewscribe.environments.model import Environment, environment_of
from viewscribe.environments.names import NameMapping, Translation, matches

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
