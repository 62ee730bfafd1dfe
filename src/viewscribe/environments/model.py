"""The model of an environment: a catalog, the names of objects in it, and Spark settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import msgspec

from viewscribe.catalog_store.factory import open_catalog
from viewscribe.catalog_store.manager import name_in_session
from viewscribe.catalog_store.protocol import Catalog
from viewscribe.environments.errors import UnsetVariableError
from viewscribe.environments.names import NameMapping, with_process_variables
from viewscribe.secrets import mask_value, remember_settings

if TYPE_CHECKING:
    from viewscribe.catalog_store.permissions import Permissions


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """An environment that views live in.

    Args:
        name: its name.
        url: its catalog's URL; may contain ``${env:NAME}``, whose values are never shown or stored.
        names: the names of objects in it.
        spark: its Spark settings; may contain ``${env:NAME}``.
        variables: the values of variables in the file.
        python_modules: the modules that Python functions of the catalog may be imported from.
        changed_functions: what to do about functions whose source has changed.
        formats: allowed table formats in addition to file formats.
        locations: allowed locations of paths in texts and of jars; may contain ``${env:NAME}``.
        functions: allowed functions that reach outside a query.
        opaque: views whose text is given to Spark although viewscribe does not read it.
        file: the file that defines it; None for an ad-hoc environment over a catalog.
        catalog: the catalog itself, if the program has already opened it.
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
    opaque: tuple[str, ...] = ()
    file: str | None = None
    catalog: Catalog | None = None

    def open(self, *, create: bool = False) -> Catalog:
        """Opens the catalog. Raises ``CatalogNotFoundError``, ``UnsetVariableError``."""
        if self.catalog is not None:
            return self.catalog
        return open_catalog(self._fill(self.url, "the catalog"), create=create)

    @property
    def shown_url(self) -> str:
        """The URL without secrets."""
        return mask_value(self.url)

    @property
    def catalog_name(self) -> str:
        """The name of the catalog in its views."""
        return self.names.catalog_name

    def spark_settings(self) -> dict[str, str]:
        """Returns the settings with variables resolved. Raises ``UnsetVariableError``."""
        filled = {key: self._fill(value, f"`{key}`") for key, value in self.spark.items()}
        remember_settings(filled)
        return filled

    def permissions(self) -> Permissions:
        """Returns the permissions of its documents. Raises ``UnsetVariableError``."""
        from viewscribe.catalog_store.permissions import Permissions

        locations = [self._fill(each, "a location") for each in self.locations]
        return Permissions.of(self.formats, locations, self.functions, self.opaque)

    def _fill(self, text: str, what: str) -> str:
        try:
            return with_process_variables(text)
        except UnsetVariableError as error:
            message = f"{error.message}, which {what} of {self.name} needs"
            raise UnsetVariableError(message, hint=error.hint) from None

    def __repr__(self) -> str:
        return f"Environment({self.name!r}, {self.shown_url!r})"


def environment_of(place: str | Catalog, *, catalog_name: str | None = None) -> Environment:
    """Returns an ad-hoc environment over a catalog, without mapping or settings."""
    names = NameMapping(catalog_name or name_in_session(place))
    if isinstance(place, str):
        return Environment(name=mask_value(place), url=place, names=names)
    shown = mask_value(place.url)
    return Environment(name=shown, url=shown, names=names, catalog=place)
