"""What the arguments CATALOG and NAME stand for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from viewscribe.errors import nearest
from viewscribe.types.identifiers import parse_name, quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import (
        Catalog,
        CatalogManager,
        ObjectDocument,
        ObjectId,
        ObjectKind,
    )
    from viewscribe.catalog_store.environments import Environment, EnvironmentFile

VARIABLE = "VIEWSCRIBE_CATALOG"
"""The environment variable that names the catalog where the command does not."""

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def open_catalog(place: str | None) -> Catalog:
    """The catalog of an environment, at a URL or in a directory; it must be there."""
    return environment_at(place).open()


def open_manager(place: str | None) -> CatalogManager:
    """The same, under the name that the environment's views have for it."""
    from viewscribe.catalog_store import DEFAULT_CATALOG, CatalogManager

    environment = environment_at(place)
    catalogs = CatalogManager(environment.open())
    if environment.catalog_name.casefold() != DEFAULT_CATALOG:
        catalogs.register(environment.catalog_name, catalogs.catalog(DEFAULT_CATALOG))
        catalogs.use_catalog(environment.catalog_name)
        catalogs.unregister(DEFAULT_CATALOG)
    return catalogs


def environment_to_save(place: str | None) -> Environment:
    """Where a pipeline is stored, which calls the tables there by Spark's own name."""
    from viewscribe.catalog_store import DEFAULT_CATALOG

    environment = environment_at(place)
    if environment.catalog_name.casefold() != DEFAULT_CATALOG:
        raise click.UsageError(
            f"views of {environment.name} call their catalog `{environment.catalog_name}`: save in "
            "another environment, and bring the view there with viewscribe plan and apply",
            click.get_current_context(silent=True),
        )
    return environment


def environment_at(place: str | None) -> Environment:
    """The environment that CATALOG stands for, or ``VIEWSCRIBE_CATALOG`` where it is left out."""
    from viewscribe.catalog_store.environments import environment_of

    place = place or os.environ.get(VARIABLE)
    if not place:
        raise click.UsageError(
            f"no catalog: name one (file:./views, or a directory) or set {VARIABLE}",
            click.get_current_context(silent=True),
        )
    file = environments_for(place)
    if file is not None and (place in file or not os.path.isdir(place)):
        return file[place]
    return environment_of(url_of(place))


def environments_for(place: str) -> EnvironmentFile | None:
    """The environments file, where ``place`` may be a name in it and there is one."""
    if _is_place(place):
        return None
    from viewscribe.catalog_store.environments import find_environments

    return find_environments()


def url_of(place: str) -> str:
    """The URL of a catalog that is named by its URL or its directory."""
    is_directory = not _URL.match(place) or os.path.isdir(place)
    return f"file:{place}" if is_directory else place


def catalog_and_name(arguments: Sequence[str]) -> tuple[str | None, str]:
    """``[CATALOG] NAME`` taken apart: a single argument is the name."""
    if len(arguments) == 2:
        return arguments[0], arguments[1]
    context = click.get_current_context()
    if len(arguments) > 2:
        raise click.UsageError(f"unexpected argument '{arguments[2]}'", context)
    if not arguments or not os.environ.get(VARIABLE):
        missing = f"CATALOG (or set {VARIABLE})" if arguments else "NAME"
        raise click.UsageError(f"missing argument {missing}", context)
    return None, arguments[0]


def catalog_and_names(arguments: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    """``[CATALOG] [NAME]...`` taken apart.

    The first argument is the catalog; where ``VIEWSCRIBE_CATALOG`` names one, only if it looks like
    a URL or a path, or is an environment.
    """
    if not arguments:
        return None, arguments
    if os.environ.get(VARIABLE) and not _is_place(arguments[0]):
        file = environments_for(arguments[0])
        if file is None or arguments[0] not in file:
            return None, arguments
    return arguments[0], arguments[1:]


def _is_place(argument: str) -> bool:
    unquoted = argument.partition("`")[0]
    return bool(_URL.match(unquoted)) or os.sep in unquoted or argument in (".", "..", "~")


def full_name(id_: ObjectId) -> str:
    """The object's database and name, as a command takes them."""
    return quote_name((id_.database, id_.name))


def find(catalogs: CatalogManager, name: str, kind: ObjectKind | None = None) -> ObjectDocument:
    """The view, table or function (in this order) that a name stands for.

    Raises:
        ObjectNotFoundError: there is none; the hint has the nearest names of the whole catalog.
    """
    from viewscribe.catalog_store import ObjectNotFoundError, WrongKindError

    parts = parse_name(name)
    kinds: Iterable[ObjectKind] = (kind,) if kind else ("view", "table", "function")
    for each in kinds:
        try:
            return catalogs.get(each, parts).document
        except WrongKindError:
            if kind:
                raise
        except ObjectNotFoundError:
            continue
    wanted = kind or "view, table or function"
    hint = _nearest_objects(catalogs, parts, kind)
    raise ObjectNotFoundError(f"no {wanted} `{name}` in {_url_of(catalogs)}", hint=hint)


def find_view(catalogs: CatalogManager, name: str) -> ObjectId:
    """The view of that name, spelled as the catalog does; its document may be damaged."""
    from viewscribe.catalog_store import DamagedDocumentError, ObjectId

    try:
        document = find(catalogs, name, "view")
    except DamagedDocumentError:
        path = catalogs.resolve(parse_name(name))
        return ObjectId(path.database, path.name, "view")
    return ObjectId(document.database, document.name, "view")


def all_objects(catalogs: CatalogManager, kind: ObjectKind | None = None) -> list[ObjectId]:
    """The objects of all databases of the current catalog, damaged ones included."""
    found: list[ObjectId] = []
    for database in catalogs.list_databases():
        found.extend(catalogs.list_objects(kind, database=database))
    return found


def _nearest_objects(
    catalogs: CatalogManager, parts: Sequence[str], kind: ObjectKind | None
) -> str | None:
    names: dict[str, list[str]] = {}
    for each in all_objects(catalogs, kind):
        names.setdefault(each.name.casefold(), []).append(full_name(each))
    near = [full for name in nearest(parts[-1], names) for full in names[name]]
    if near:
        return f"did you mean: {', '.join(near[:3])}"
    return "viewscribe list shows what there is" if names else "the catalog is empty"


def _url_of(catalogs: CatalogManager) -> str:
    return catalogs.catalog().url
