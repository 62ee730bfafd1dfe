"""The options that control which Python functions of catalogs a command may import."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    from viewscribe.environments import Environment
    from viewscribe.expressions.functions.python_modules import PythonModules


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
