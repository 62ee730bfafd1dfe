"""Catalogs that tests name: a URL, a directory or an environment of ``viewscribe.yaml``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from viewscribe.snapshots.project import project_root

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog
    from viewscribe.environments import Environment
    from viewscribe.table_api.environment import TableEnvironment

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def find_place(place: str) -> Environment:
    """Returns the environment that a place names; what is relative starts at pytest's rootdir.

    Raises:
        ValidationError: it is neither a catalog nor an environment.
        EnvironmentFileError: the file of environments is invalid.
    """
    from viewscribe.environments import environment_of, find_environments, seen_from
    from viewscribe.errors import ValidationError

    root = project_root()
    if _URL.match(place):
        return environment_of(seen_from(root, place))
    file = find_environments(root)
    if file is not None and place in file:
        return file[place]
    if (root / Path(place).expanduser()).is_dir():
        return environment_of(f"file:{root / Path(place).expanduser()}")
    if file is not None:
        return file[place]  # says which there are
    raise ValidationError(
        f"`{place}` is neither a catalog nor an environment",
        location=str(root),
        hint='name a catalog, "file:./views", a directory, or an environment of a viewscribe.yaml',
    )


def open_environment(place: Environment, catalog: Catalog) -> TableEnvironment:
    """Returns a Table API environment over the catalog of a place, under its name and settings."""
    from viewscribe.catalog_store.settings import allowed_settings
    from viewscribe.table_api.environment import TableEnvironment

    # Others, of memory or of file systems, are for whoever runs a query.
    settings = allowed_settings(place.spark_settings())
    env = TableEnvironment(catalog, settings=settings, python_modules=place.python_modules)
    own = env.catalogs.current_catalog
    if place.catalog_name.casefold() != own.casefold():
        env.register_catalog(place.catalog_name, catalog)
        env.use_catalog(place.catalog_name)
        env.catalogs.unregister(own)
    return env
