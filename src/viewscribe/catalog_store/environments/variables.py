"""Variables in texts: ``${name}`` of the environments file, ``${env:NAME}`` of the process.

Secrets are only ever of the process: the file and all that is made from it hold ``${env:NAME}``,
and the value is looked up when a catalog is opened or Spark starts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

from viewscribe.catalog_store.environments.errors import UnsetVariableError
from viewscribe.errors import did_you_mean

_REFERENCE = re.compile(r"\$\$\{|\$\{([^}]*)\}")
_OF_PROCESS = "env:"


def with_variables(text: str, variables: Mapping[str, str]) -> str:
    """The text with the variables of the file; those of the process are left as they are.

    Raises:
        UnsetVariableError: the file has no such variable.
    """

    def value(name: str) -> str | None:
        if name.startswith(_OF_PROCESS):
            return None
        if name not in variables:
            hint = did_you_mean(name, variables) or "write ${env:NAME} for one of the process"
            raise UnsetVariableError(f"there is no variable `{name}`", hint=hint)
        return variables[name]

    return _replaced(text, value, keep_escapes=True)


def with_process_variables(text: str) -> str:
    """The text with everything filled in. Show the result to nobody: it may hold secrets.

    Raises:
        UnsetVariableError: the process has no such variable.
    """

    def value(name: str) -> str:
        name = name.removeprefix(_OF_PROCESS)
        if name not in os.environ:
            raise UnsetVariableError(
                f"the environment variable `{name}` is not set", hint=f"export {name}=…"
            )
        return os.environ[name]

    return _replaced(text, value, keep_escapes=False)


def _replaced(text: str, value: Callable[[str], str | None], *, keep_escapes: bool) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0] if keep_escapes else "${"
        found = value(match[1].strip())
        return match[0] if found is None else found

    return _REFERENCE.sub(one, text)


_USER = re.compile(r"(?<=//)([^/?#@:]*):([^/?#@]*)@")
_SECRET = re.compile(r"(?i)([?&;](?:[a-z_]*(?:password|passwd|secret|token|pwd|key))=)([^&;#]+)")


def without_secrets(url: str) -> str:
    """A URL that can be shown and stored: passwords in it are replaced by ``***``."""
    return _SECRET.sub(r"\1***", _USER.sub(r"\1:***@", url))
