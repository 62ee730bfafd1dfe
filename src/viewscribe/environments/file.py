"""The environments file, ``viewscribe.yaml``: parsed strictly, with the position of every error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from viewscribe.catalog_store.documents.codec import StrictYamlError, find_place, load
from viewscribe.catalog_store.manager import name_in_session
from viewscribe.environments.errors import (
    EnvironmentFileError,
    UnknownEnvironmentError,
    UnsetVariableError,
)
from viewscribe.environments.model import Environment
from viewscribe.environments.names import NameMapping, has_secret, rule_of, with_variables
from viewscribe.errors import ValidationError, did_you_mean
from viewscribe.schemas import DocumentSchemaError, Problem, validate
from viewscribe.schemas.strict_json import MAX_BYTES

FILE_NAME = "viewscribe.yaml"
"""The default name of the file."""

SCHEMA_VERSION = 1
"""The version of the file that this viewscribe reads."""

_FEW = 3
_WIDTHS = {"catalogs": 1, "databases": 2, "objects": 3}
_Place = tuple[str | int, ...]


class EnvironmentFile:
    """The environments defined in a file.

    Args:
        path: the path of the file.
        data: its contents.

    Raises:
        EnvironmentFileError: it is invalid; says where and why.
    """

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self._data = data
        self._plain = self._checked()
        environments = self._plain["environments"]
        self._environments = {name: self._environment(name) for name in environments}

    @property
    def names(self) -> list[str]:
        """The names of the environments, in the order of the file."""
        return list(self._environments)

    def __repr__(self) -> str:
        return f"EnvironmentFile({self.path!r}: {', '.join(self.names)})"

    def __contains__(self, name: str) -> bool:
        return name in self._environments

    def __getitem__(self, name: str) -> Environment:
        found = self._environments.get(name)
        if found is None:
            hint = did_you_mean(name, self._environments) or f"it has: {', '.join(self.names)}"
            raise UnknownEnvironmentError(f"{self.path} has no environment `{name}`", hint=hint)
        return found

    def _checked(self) -> Any:
        try:
            plain = load(self._data)
        except StrictYamlError as fault:
            place = None if fault.line is None else (fault.line, fault.column or 1)
            raise EnvironmentFileError(fault.cause, path=self.path, place=place) from None
        version = plain.get("schema_version") if isinstance(plain, dict) else None
        if type(version) is int and version > SCHEMA_VERSION:
            raise self._fault(
                f"schema version {version} is newer than this viewscribe, which reads up to "
                f"version {SCHEMA_VERSION}",
                ("schema_version",),
                "upgrade viewscribe to read it",
            )
        try:
            validate(plain, "environments")
        except DocumentSchemaError as error:
            first, *others = error.problems
            raise self._fault(str(first), first.path, self._also(others)) from None
        return plain

    def _also(self, problems: Sequence[Problem]) -> str | None:
        """Returns the other problems of the file; one is often the cause of another."""
        lines = []
        for each in problems[:_FEW]:
            line, column = find_place(self._data, each.path) or (1, 1)
            lines.append(f"{line}:{column}: {each}")
        if len(problems) > _FEW:
            lines.append(f"and {len(problems) - _FEW} more")
        return "\n  ".join(lines) or None

    def _fault(self, cause: str, at: _Place, hint: str | None = None) -> EnvironmentFileError:
        place = find_place(self._data, at)
        return EnvironmentFileError(cause, path=self.path, place=place, hint=hint)

    def _environment(self, name: str) -> Environment:
        plain = self._plain["environments"][name]
        at = ("environments", name)
        variables = self._variables(plain)
        url = self._fill(plain["catalog"], variables, (*at, "catalog"))
        if has_secret(url):
            raise self._secret("the catalog's URL", (*at, "catalog"))
        spark = {
            key: self._read_setting(key, value, variables, (*at, "spark", key))
            for key, value in plain.get("spark", {}).items()
        }
        return Environment(
            name=name,
            url=seen_from(Path(self.path).parent, url),
            names=self._names(plain, variables, at),
            spark=spark,
            variables=variables,
            python_modules=tuple(plain.get("python_modules", ())),
            changed_functions=plain.get("changed_functions", "refuse"),
            formats=self._read_permissions("formats", plain, variables, at),
            locations=self._read_permissions("locations", plain, variables, at),
            functions=self._read_permissions("functions", plain, variables, at),
            opaque=self._read_permissions("opaque", plain, variables, at),
            file=self.path,
        )

    def _read_permissions(
        self, kind: str, plain: Mapping[str, Any], variables: Mapping[str, str], at: _Place
    ) -> tuple[str, ...]:
        """Returns the formats, locations, functions or views that are allowed."""
        return tuple(
            self._fill(text, variables, (*at, "allow", kind, place))
            for place, text in enumerate(plain.get("allow", {}).get(kind, ()))
        )

    def _read_setting(
        self, key: str, value: str | float | bool, variables: Mapping[str, str], at: _Place
    ) -> str:
        filled = self._fill(_text(value), variables, at)
        if not isinstance(value, bool) and has_secret(filled, key):
            raise self._secret(f"`{key}`", at)
        return filled

    def _secret(self, what: str, at: _Place) -> EnvironmentFileError:
        """Rejects literal passwords: the file is shared and kept in version control."""
        hint = "write ${env:NAME}, and set NAME where commands run"
        return self._fault(f"{what} holds a secret in the open", at, hint)

    def _variables(self, plain: Mapping[str, Any]) -> dict[str, str]:
        given = {**self._plain.get("variables", {}), **plain.get("variables", {})}
        return {key: _text(value) for key, value in given.items()}

    def _names(
        self, plain: Mapping[str, Any], variables: Mapping[str, str], at: _Place
    ) -> NameMapping:
        own = plain.get("catalog_name") or name_in_session(str(plain.get("catalog", "")))
        given: dict[str, dict[str, str]] = {}
        for kind, mapping in plain.get("names", {}).items():
            for before, after in mapping.items():
                place = (*at, "names", kind, before)
                after_ = self._fill(after, variables, place)
                try:
                    rule_of(before, after_, _WIDTHS[kind], own)
                except ValidationError as error:
                    raise self._fault(error.message, place, error.hint) from None
                given.setdefault(kind, {})[before] = after_
        return NameMapping(own, **given)

    def _fill(self, text: str, variables: Mapping[str, str], at: _Place) -> str:
        try:
            return with_variables(text, variables)
        except UnsetVariableError as error:
            raise self._fault(error.message, at, error.hint) from None


def load_environments(path: str | Path) -> EnvironmentFile:
    """Loads the environments of a file. Raises ``EnvironmentFileError``."""
    place = Path(path)
    try:
        with place.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise EnvironmentFileError(
            f"cannot be read: {error.strerror}",
            path=str(path),
            hint="name the file with --config, or write one: see docs/migration.md",
        ) from None
    return EnvironmentFile(str(path), data)


def find_environments(start: Path | None = None) -> EnvironmentFile | None:
    """Loads the file in the working directory or the nearest one above it; None if none exists."""
    here = (start or Path.cwd()).absolute()
    for directory in (here, *here.parents):
        place = directory / FILE_NAME
        if place.is_file():
            return load_environments(FILE_NAME if directory == Path.cwd() else place)
    return None


def seen_from(directory: str | Path, url: str) -> str:
    """Returns the URL of a catalog with relative paths resolved against ``directory``."""
    scheme, _, place = url.partition(":")
    directory = Path(directory)
    if scheme not in ("file", "sqlite") or directory == Path():
        return url
    if scheme == "sqlite":
        place = place.removeprefix("///")  # sqlite:///views.db is relative, ////srv/views.db is not
    if not place or place.startswith(("/", "~", "${")):
        return url
    return f"{scheme}:{directory / place}"


def _text(value: str | float | bool) -> str:
    """A value as Spark writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
