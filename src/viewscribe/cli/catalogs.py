"""Resolving the arguments CATALOG and NAME."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from viewscribe.cli.servers import know_servers
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
    from viewscribe.environments import Environment, EnvironmentFile

VARIABLE = "VIEWSCRIBE_CATALOG"
"""The environment variable that names the default catalog."""

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def open_catalog(place: str | None) -> Catalog:
    """Opens the existing catalog of an environment, at a URL or in a directory."""
    return environment_at(place).open()


def open_manager(place: str | None) -> CatalogManager:
    """Opens a catalog under the name that the environment's views use for it."""
    from viewscribe.catalog_store import CatalogManager

    environment = environment_at(place)
    return CatalogManager(environment.open(), environment.catalog_name)


def environment_to_save(place: str | None) -> Environment:
    """Returns the environment to store a pipeline in; views call its catalog what Spark does."""
    from viewscribe.catalog_store.manager import name_in_session

    environment = environment_at(place)
    if environment.catalog_name.casefold() != name_in_session(environment.url).casefold():
        raise click.UsageError(
            f"views of {environment.name} call their catalog `{environment.catalog_name}`: save in "
            "another environment, and bring the view there with viewscribe plan and apply",
            click.get_current_context(silent=True),
        )
    return environment


def environment_at(place: str | None) -> Environment:
    """Returns the environment that CATALOG names; defaults to ``VIEWSCRIBE_CATALOG``."""
    from viewscribe.environments import environment_of

    know_servers()
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
    """Returns the environments file, if there is one and ``place`` may be a name in it."""
    if _is_place(place):
        return None
    from viewscribe.environments import find_environments

    return find_environments()


def url_of(place: str) -> str:
    """Returns the URL of a catalog given by URL or directory."""
    is_directory = not _URL.match(place) or os.path.isdir(place)
    return f"file:{place}" if is_directory else place


def catalog_and_name(arguments: Sequence[str]) -> tuple[str | None, str]:
    """Splits ``[CATALOG] NAME``; a single argument is the name."""
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
    """Splits ``[CATALOG] [NAME]...``.

    The first argument is the catalog. If ``VIEWSCRIBE_CATALOG`` is set, it only is if it looks like
    a URL or a path, or names an environment.
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
    """Returns the object's name as commands accept it, with its database."""
    return quote_name((id_.database, id_.name))


def find(catalogs: CatalogManager, name: str, kind: ObjectKind | None = None) -> ObjectDocument:
    """Finds a view, table or function of this name, in this order.

    Raises:
        ObjectNotFoundError: there is none; the hint lists the nearest names of the whole catalog.
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
    """Returns the view of that name as the catalog spells it; its document may be damaged."""
    from viewscribe.catalog_store import DamagedDocumentError, ObjectId

    try:
        document = find(catalogs, name, "view")
    except DamagedDocumentError:
        path = catalogs.resolve(parse_name(name))
        return ObjectId(path.database, path.name, "view")
    return ObjectId(document.database, document.name, "view")


def all_objects(catalogs: CatalogManager, kind: ObjectKind | None = None) -> list[ObjectId]:
    """Returns the objects of all databases of the current catalog, damaged ones included."""
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
