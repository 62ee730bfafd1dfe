"""Variables in texts: ``${name}`` of the environments file, ``${env:NAME}`` of the process.

Secrets are only ever of the process: the file and all that is made from it hold ``${env:NAME}``,
and the value is looked up when a catalog is opened or Spark starts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping

from viewscribe.environments.errors import UnsetVariableError
from viewscribe.errors import did_you_mean
from viewscribe.secrets import is_secret_name, remember_settings, secrets_in

_REFERENCE = re.compile(r"\$\$\{|\$\{([^}]*)\}")
_UNCLOSED = re.compile(r"(?<!\$)\$\{[^}]*$")
_OF_PROCESS = "env:"


def with_variables(text: str, variables: Mapping[str, str]) -> str:
    """The text with the variables of the file; those of the process are left as they are.

    Raises:
        UnsetVariableError: the file has no such variable, or a reference is none.
    """
    unclosed = _UNCLOSED.search(text)
    if unclosed is not None:
        hint = "close it with }, or write $${ for the two characters themselves"
        raise UnsetVariableError(f"`{unclosed[0]}` is not closed", hint=hint)

    def value(name: str) -> str | None:
        if name.startswith(_OF_PROCESS):
            if not name.removeprefix(_OF_PROCESS).strip():
                hint = "write ${env:NAME}"
                raise UnsetVariableError(f"`${{{name}}}` names no variable", hint=hint)
            return None
        if name not in variables:
            hint = did_you_mean(name, variables) or "write ${env:NAME} for one of the process"
            raise UnsetVariableError(f"there is no variable `{name}`", hint=hint)
        return variables[name]

    return _replace(text, value, keep_escapes=True)


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
        remember_settings({name: os.environ[name]})
        return os.environ[name]

    return _replace(text, value, keep_escapes=False)


def _replace(text: str, value: Callable[[str], str | None], *, keep_escapes: bool) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0] if keep_escapes else "${"
        found = value(match[1].strip())
        return match[0] if found is None else found

    return _REFERENCE.sub(one, text)


def has_secret(value: str, name: str = "") -> bool:
    """Whether a URL or setting holds a secret itself, and not the name of a process's variable.

    Args:
        value: the URL, or the value of the setting.
        name: the name of the setting.
    """
    if not all(map(is_of_process, secrets_in(value))):
        return True
    return is_secret_name(name) and not any(map(_is_process, _REFERENCE.finditer(value)))


def is_of_process(text: str) -> bool:
    """Whether a text is made of variables of the process alone."""
    return not _REFERENCE.sub(lambda found: "" if _is_process(found) else found[0], text)


def _is_process(found: re.Match[str]) -> bool:
    return found[1] is not None and found[1].strip().startswith(_OF_PROCESS)
