"""What the replacement of a single view breaks, seen as a plan of one step sees it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from viewscribe.catalog_store.documents.history import find_version, roll_back
from viewscribe.catalog_store.documents.model import ObjectKind, ViewDocument
from viewscribe.catalog_store.documents.versions import Change
from viewscribe.catalog_store.errors import BreakingChangeError
from viewscribe.catalog_store.manager import CatalogManager, ObjectPath
from viewscribe.catalog_store.protocol import Catalog, Token
from viewscribe.catalog_store.view_circles import refuse_circle
from viewscribe.environments import environment_of
from viewscribe.environments.migration.breaking_changes import with_breaks
from viewscribe.environments.migration.columns import column_changes
from viewscribe.environments.migration.dependencies import Desired, Needs
from viewscribe.environments.migration.model import Break, Step
from viewscribe.environments.migration.snapshot import key_of, read
from viewscribe.errors import CatalogError

SHOWN = 5
"""How many views an error names."""


def find_breaks(
    catalog: Catalog, catalog_name: str, before: ViewDocument, after: ViewDocument
) -> tuple[Break, ...]:
    """The views and functions of a catalog that read a view and no longer fit it.

    Nothing is read where no column changes that a reader may notice.

    Args:
        catalog: the catalog that holds the view.
        catalog_name: what views call it.
        before: the view as its readers know it.
        after: the view as it is to be.
    """
    changes = column_changes(before.columns, after.columns)
    if not any(each.breaking for each in changes):
        return ()
    key = key_of("view", before.database, before.name)
    targets = read(catalog, "Looking for readers")
    present = targets.loaded.get(key)
    if present is None:
        raise CatalogError(
            f"{before.database}.{before.name} is not among what the catalog lists, so its readers "
            "cannot be told",
            hint="`viewscribe check` says what is damaged",
        )
    targets.loaded[key] = msgspec.structs.replace(present, document=before)
    environment = environment_of(catalog, catalog_name=catalog_name)
    needs = Needs(environment, environment, targets, targets)
    origin = (after.database, after.name)
    needs.final({key: Desired(key, origin, after, after.dependencies)}, ())
    step = Step(
        operation="change", kind="view", database=origin[0], name=origin[1], columns=tuple(changes)
    )
    (found,) = with_breaks([step], needs)
    return found.breaks


def roll_back_object(
    catalogs: CatalogManager,
    kind: ObjectKind,
    parts: Sequence[str],
    number: int,
    *,
    change: Change | None = None,
    allow_breaking: bool = False,
) -> Token:
    """Makes version ``number`` of an object the present one, as a new version.

    Raises:
        BreakingChangeError: views that read it no longer fit, and ``allow_breaking`` is not given.
        NotSerializableError: it would read views that read it by now.
        ConcurrentUpdateError: somebody else changed it meanwhile.
    """
    path = catalogs.resolve(parts)
    home = catalogs.catalog(path.catalog)
    history = home.history(kind, path.database, path.name)
    now, wanted = history[-1], find_version(history, number).document
    if isinstance(wanted, ViewDocument) and isinstance(now.document, ViewDocument):
        refuse_rollback(catalogs, path, now.document, wanted, allow_breaking=allow_breaking)
    return roll_back(
        home, kind, path.database, path.name, number, expected=now.token, change=change
    )


def refuse_rollback(
    catalogs: CatalogManager,
    path: ObjectPath,
    now: ViewDocument,
    wanted: ViewDocument,
    *,
    allow_breaking: bool,
) -> None:
    """Refuses to go back to a version of a view that what is built on it does not fit.

    Raises:
        BreakingChangeError: views that read it no longer fit.
        NotSerializableError: it would read views that read it by now.
    """
    refuse_circle(catalogs, path, wanted.dependencies)
    if not allow_breaking:
        after = msgspec.structs.replace(wanted, database=path.database, name=path.name)
        before = msgspec.structs.replace(now, database=path.database, name=path.name)
        refuse_breaks(
            find_breaks(catalogs.catalog(path.catalog), path.catalog, before, after),
            "change those views too, or allow it: --allow-breaking, allow_breaking=True",
        )


def refuse_breaks(breaks: tuple[Break, ...], hint: str) -> None:
    """Refuses a change that breaks something.

    Raises:
        BreakingChangeError: it does.
    """
    if breaks:
        more = f", and {len(breaks) - SHOWN} more" if len(breaks) > SHOWN else ""
        shown = "; ".join(map(str, breaks[:SHOWN]))
        raise BreakingChangeError(f"views that read it would break: {shown}{more}", hint=hint)
