"""The ``--allow-…`` options: what documents may access when a command opens them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from viewscribe.catalog_store.permissions import Permissions
    from viewscribe.environments import Environment
    from viewscribe.expressions.functions.python_modules import PythonModules


# The options that control which Python functions of catalogs a command may import.


@dataclass(frozen=True, slots=True)
class PythonOptions:
    """The values of the options; an environment may add modules.

    Args:
        modules: the modules and packages that may be imported.
        changed: what to do about functions whose source has changed; None if not given.
    """

    modules: Sequence[str] = ()
    changed: Literal["refuse", "warn"] | None = None

    def of(self, environment: Environment) -> PythonModules:
        """Returns the modules that may be imported for an environment's functions.

        The working directory is searched as well.

        Raises:
            ValidationError: a name is not a module.
        """
        from viewscribe.expressions.functions.python_modules import PythonModules

        allowed = [*environment.python_modules, *self.modules]
        if allowed and os.getcwd() not in sys.path:
            sys.path.insert(0, os.getcwd())
        return PythonModules(allowed, changed=self.changed or environment.changed_functions)


def python_options(function: Any) -> Any:
    """Adds ``--python-module`` and ``--changed-functions``."""
    changed = click.option(
        "--changed-functions",
        "changed_functions",
        type=click.Choice(("refuse", "warn")),
        help="What to do of a Python function whose source changed since it was stored.",
    )
    return module_option(changed(function))


def module_option(function: Any) -> Any:
    """Adds ``--python-module``."""
    return click.option(
        "--python-module",
        "python_modules",
        metavar="MODULE",
        multiple=True,
        help="A module or package that Python functions may be imported from; can be repeated.",
    )(function)


@dataclass(frozen=True, slots=True)
class PermissionOptions:
    """The permissions given by options; an environment may grant more.

    Args:
        formats: table formats other than file formats.
        locations: directories that paths in queries, and jars of functions, may be in.
        functions: functions that reach outside the query.
        opaque: views whose text is given to Spark although viewscribe does not read it.
    """

    formats: Sequence[str] = ()
    locations: Sequence[str] = ()
    functions: Sequence[str] = ()
    opaque: Sequence[str] = ()

    def of(self, environment: Environment) -> Permissions:
        """Returns the permissions for an environment's documents.

        Raises:
            UnsetVariableError: an environment variable of the process is missing.
        """
        from viewscribe.catalog_store.permissions import Permissions

        given = Permissions.of(self.formats, self.locations, self.functions, self.opaque)
        return environment.permissions().and_also(given)


def permission_options(function: Any) -> Any:
    """Adds the ``--allow-…`` options, as ``allowed``."""

    @wraps(function)
    def with_allowed(
        *args: Any,
        formats: Sequence[str],
        locations: Sequence[str],
        functions: Sequence[str],
        opaque: Sequence[str],
        **options: Any,
    ) -> Any:
        allowed = PermissionOptions(formats, locations, functions, opaque)
        return function(*args, allowed=allowed, **options)

    for decorate in reversed(_OPTIONS):
        with_allowed = decorate(with_allowed)
    return with_allowed


_OPTIONS = (
    click.option(
        "--allow-format",
        "formats",
        metavar="FORMAT",
        multiple=True,
        help="A format that tables may have beside those of files: jdbc; can be repeated.",
    ),
    click.option(
        "--allow-location",
        "locations",
        metavar="PLACE",
        multiple=True,
        help="Where paths in queries may lead, and jars of functions; can be repeated.",
    ),
    click.option(
        "--allow-function",
        "functions",
        metavar="NAME",
        multiple=True,
        help="A function that reaches out of a query: reflect; can be repeated.",
    ),
    click.option(
        "--allow-opaque",
        "opaque",
        metavar="VIEW",
        multiple=True,
        help="A view whose text Spark is given although it cannot be read here; can be repeated.",
    ),
)
