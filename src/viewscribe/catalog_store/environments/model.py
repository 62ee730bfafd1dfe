"""Environments: a catalog, what objects are called there, and the settings of Spark there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import msgspec

from viewscribe.catalog_store.environments.errors import UnsetVariableError
from viewscribe.catalog_store.environments.names import OWN, NameMapping
from viewscribe.catalog_store.environments.variables import (
    with_process_variables,
)
from viewscribe.catalog_store.factory import open_catalog
from viewscribe.catalog_store.protocol import Catalog
from viewscribe.catalog_store.url_secrets import without_secrets

if TYPE_CHECKING:
    from viewscribe.catalog_store.permissions import Permissions


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """Where views live.

    Args:
        name: what it is called.
        url: its catalog's URL; may hold ``${env:NAME}``, whose values are never shown or stored.
        names: what objects are called there.
        spark: settings of Spark there; may hold ``${env:NAME}``.
        variables: the values that the file's texts refer to.
        python_modules: the modules that Python functions of the catalog may be imported from.
        changed_functions: what to do of those whose source changed since they were stored.
        formats: formats of tables that are allowed there beyond those of files.
        locations: where paths in texts may lead, and jars of functions; may hold ``${env:NAME}``.
        functions: functions that reach out of a query and are allowed there.
        file: the file that describes it; None for one made of a catalog alone.
        catalog: the catalog itself, where the program has it open already.
    """

    name: str
    url: str
    names: NameMapping = NameMapping()
    spark: Mapping[str, str] = {}
    variables: Mapping[str, str] = {}
    python_modules: tuple[str, ...] = ()
    changed_functions: Literal["refuse", "warn"] = "refuse"
    formats: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    file: str | None = None
    catalog: Catalog | None = None

    def open(self, *, create: bool = False) -> Catalog:
        """The catalog. Raises ``CatalogNotFoundError``, ``UnsetVariableError``."""
        if self.catalog is not None:
            return self.catalog
        return open_catalog(self._filled(self.url, "the catalog"), create=create)

    @property
    def shown_url(self) -> str:
        """The URL without secrets."""
        return without_secrets(self.url)

    @property
    def catalog_name(self) -> str:
        """What the catalog is called in the views there."""
        return self.names.catalog_name

    def spark_settings(self) -> dict[str, str]:
        """The settings with everything filled in. Raises ``UnsetVariableError``."""
        return {key: self._filled(value, f"`{key}`") for key, value in self.spark.items()}

    def permissions(self) -> Permissions:
        """What its documents may reach. Raises ``UnsetVariableError``."""
        from viewscribe.catalog_store.permissions import Permissions

        locations = [self._filled(each, "a location") for each in self.locations]
        return Permissions.of(self.formats, locations, self.functions)

    def _filled(self, text: str, what: str) -> str:
        try:
            return with_process_variables(text)
        except UnsetVariableError as error:
            message = f"{error.message}, which {what} of {self.name} needs"
            raise UnsetVariableError(message, hint=error.hint) from None

    def __repr__(self) -> str:
        return f"Environment({self.name!r}, {self.shown_url!r})"


def environment_of(place: str | Catalog, *, catalog_name: str = OWN) -> Environment:
    """The environment that a catalog alone makes: no mapping, no settings."""
    names = NameMapping(catalog_name)
    if isinstance(place, str):
        return Environment(name=without_secrets(place), url=place, names=names)
    shown = without_secrets(place.url)
    return Environment(name=shown, url=shown, names=names, catalog=place)
