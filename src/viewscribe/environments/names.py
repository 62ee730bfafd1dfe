"""Name mappings: rules from logical names to the names in an environment.

A rule maps a path of catalog, database and object to another one. Each part is a name or a pattern
with one ``*``, which stands for the same text on both sides. Rules work in both directions, so that
any two environments can be compared: names are translated via their logical form.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping

import msgspec

from viewscribe.catalog_store.protocol import fold
from viewscribe.environments.errors import AmbiguousNameError, UnsetVariableError
from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.secrets import is_secret_name, remember_settings, secrets_in
from viewscribe.types.identifiers import parse_name

# Variables in texts: ``${name}`` of the environments file, ``${env:NAME}`` of the process.
#
# Secrets are only ever of the process: the file and all that is made from it hold ``${env:NAME}``,
# and the value is looked up when a catalog is opened or Spark starts.

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


Path = tuple[str, str, str]
"""Catalog, database and object."""

OWN = "spark_catalog"
"""The name of the environment's own catalog in logical names."""


class Rule(msgspec.Struct, frozen=True):
    """Maps ``before``, a pattern of logical paths, to ``after``."""

    before: Path
    after: Path

    def forward(self, path: Path) -> Path | None:
        """Returns the path in the environment; None if the rule does not match."""
        return _translate(self.before, self.after, path)

    def back(self, path: Path) -> Path | None:
        """Returns the logical path; None if the rule does not match."""
        return _translate(self.after, self.before, path)

    def __str__(self) -> str:
        return f"{'.'.join(self.before)}: {'.'.join(self.after)}"


class NameMapping:
    """The rules of an environment; the first match wins.

    Args:
        catalog_name: the name of the environment's own catalog in its views.
        catalogs: rules for catalogs.
        databases: rules for databases, ``database`` or ``catalog.database``.
        objects: rules for objects, ``database.object`` or ``catalog.database.object``.

    Raises:
        ValidationError: a rule is not reversible.
    """

    def __init__(
        self,
        catalog_name: str = OWN,
        *,
        catalogs: Mapping[str, str] | None = None,
        databases: Mapping[str, str] | None = None,
        objects: Mapping[str, str] | None = None,
    ) -> None:
        self.catalog_name = catalog_name
        given = ((objects, 3), (databases, 2), (catalogs, 1))
        rules = [
            rule_of(before, after, width, catalog_name)
            for mapping, width in given
            for before, after in (mapping or {}).items()
        ]
        if fold(catalog_name) != OWN:
            rules.append(Rule((OWN, "*", "*"), (catalog_name, "*", "*")))
        self.rules = tuple(rules)

    def physical(self, path: Path) -> Path:
        """Returns the name in the environment for a logical path."""
        return next((new for rule in self.rules if (new := rule.forward(path))), path)

    def logical(self, path: Path) -> Path:
        """Returns the logical path of an object of the environment, by the first matching rule.

        Raises:
            AmbiguousNameError: no logical path maps to this name.
        """
        wanted = _fold(path)
        for candidate in (*(old for rule in self.rules if (old := rule.back(path))), path):
            if _fold(self.physical(candidate)) == wanted:
                return candidate
        name, other = ".".join(path), ".".join(self.physical(path))
        raise AmbiguousNameError(
            f"the name mapping calls `{name}` `{other}`, so nothing there may have that name",
            hint="rename the object, or give it a rule of its own under names",
        )

    def __repr__(self) -> str:
        rules = ", ".join(map(str, self.rules)) or "every name as it is"
        return f"NameMapping({rules})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NameMapping) and self.rules == other.rules

    def __hash__(self) -> int:
        return hash(self.rules)


class Translation:
    """Translates names of one environment to another; caches its results.

    Args:
        source: the mapping of the source environment.
        target: the mapping of the target environment.
    """

    def __init__(self, source: NameMapping, target: NameMapping) -> None:
        self.source = source
        self.target = target
        self._known: dict[Path, Path] = {}

    def __call__(self, path: Path) -> Path:
        """Returns the object's name in the target; no two objects get the same name.

        Raises:
            AmbiguousNameError: it has no name there, or one that belongs to another object.
        """
        found = self._known.get(path)
        if found is None:
            found = self._known[path] = self._translate(path)
        return found

    def _translate(self, path: Path) -> Path:
        logical = self.source.logical(path)
        found = self.target.physical(logical)
        other = self.target.logical(found)
        if _fold(other) != _fold(logical):
            raise AmbiguousNameError(
                f"the name mapping of the target gives `{'.'.join(found)}` to "
                f"`{'.'.join(other)}` and to `{'.'.join(logical)}`",
                hint="make the rules under names differ",
            )
        return found


def rule_of(before: str, after: str, width: int, catalog_name: str = OWN) -> Rule:
    """Parses a rule.

    Args:
        before: the logical name.
        after: the name in the environment.
        width: the number of parts: 1 for a catalog, 2 for catalog and database, 3 for a full path.
        catalog_name: the environment's own catalog, the default for names without one.

    Raises:
        ValidationError: the names are malformed or do not correspond.
    """
    rule = Rule(_pad(before, width, OWN), _pad(after, width, catalog_name))
    for old, new in zip(rule.before, rule.after, strict=True):
        if old.count("*") > 1 or old.count("*") != new.count("*"):
            raise ValidationError(
                f"`{before}: {after}`: each part has one * on both sides, or none",
                hint="write dev_*: prod_*, for example",
            )
    return rule


def _pad(text: str, width: int, own: str) -> Path:
    parts = parse_name(text)
    if len(parts) == width - 1 and parts[0]:
        parts = (own, *parts)
    if len(parts) != width or not all(parts):
        raise ValidationError(f"`{text}` is not {_SHAPES[width]}")
    catalog, database, name = (*parts, "*", "*")[:3]
    return catalog, database, name


_SHAPES = {
    1: "the name of a catalog",
    2: "`database` or `catalog.database`",
    3: "`database.object` or `catalog.database.object`",
}


def _translate(pattern: Path, result: Path, path: Path) -> Path | None:
    parts = []
    for one, other, name in zip(pattern, result, path, strict=True):
        part = _carried_part(one, other, name)
        if part is None:
            return None
        parts.append(part)
    return parts[0], parts[1], parts[2]


def _carried_part(pattern: str, result: str, name: str) -> str | None:
    if pattern == "*" == result:
        return name
    head, star, tail = pattern.partition("*")
    if not star:
        return result if fold(name) == fold(pattern) else None
    end = len(name) - len(tail)
    if end <= len(head) - 1 or fold(name[: len(head)]) != fold(head):
        return None
    if fold(name[end:]) != fold(tail):
        return None
    middle = name[len(head) : end]
    # A part with nothing left of it is no name: `dev_*` says nothing of `dev_` where `*` is wanted.
    return result.replace("*", middle) or None


def _fold(path: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(fold, path))


def matches(pattern: str, database: str, name: str) -> bool:
    """Returns whether ``database.name`` matches a pattern: ``sales.*``, or ``sales`` for all."""
    parts = parse_name(pattern)
    wanted = (*parts, "*")[:2] if len(parts) == 1 else parts
    if len(wanted) != 2:
        raise ValidationError(f"`{pattern}` is not `database` or `database.object`")
    from fnmatch import fnmatchcase

    return fnmatchcase(fold(database), fold(wanted[0])) and fnmatchcase(fold(name), fold(wanted[1]))
