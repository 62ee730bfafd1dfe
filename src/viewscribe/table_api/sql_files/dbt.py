"""A dbt project after ``dbt compile``: its manifest says what the compiled queries are called.

The manifest is data: names, descriptions and compiled SQL are read, and nothing of it is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import msgspec

from viewscribe.catalog_store.protocol import fold
from viewscribe.catalog_store.settings import ALLOWED_SETTINGS
from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.parser.grammar.statements import ColumnOf, TableDefinition, ViewOf, split_statements
from viewscribe.parser.names import split_at_tables
from viewscribe.parser.settings import make_reading
from viewscribe.schemas.strict_json import OUTER_DEPTH, loads
from viewscribe.table_api.sql_files.folder import FileTable, FileView, SqlFolder, change_settings
from viewscribe.types import Field
from viewscribe.types.ddl import parse_type
from viewscribe.types.identifiers import quote_name

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment

MANIFEST = "manifest.json"

_TABLES = frozenset(("table", "incremental", "materialized_view", "streaming_table"))
"""Materializations whose rows are kept as a table."""


def is_dbt(place: Path) -> bool:
    """Whether a folder is the ``target`` of a dbt project."""
    return (place / MANIFEST).is_file()


class DbtFolder(SqlFolder):
    """The models of a dbt project: views, and the tables that views read.

    Args:
        env: where tables and views are that the project does not define.
        place: the folder with ``manifest.json``.
        dialect: the engine that the queries are written for, where it is not Spark.
    """

    def __init__(self, env: TableEnvironment, place: Path, dialect: str | None = None) -> None:
        super().__init__(env, place, dialect)
        self._manifest = _read_manifest(place / MANIFEST)
        self._models = dict(_models(self._manifest))
        self.files = [str(place / name) for name in self._models]
        nodes = [*self._models.values(), *_sources(self._manifest)]
        self._databases = {fold(name) for each in nodes if (name := _text(each, "database"))}

    def define(self, defined: FileTable | FileView) -> None:
        super().define(defined)
        if isinstance(defined, FileView) and self._databases:
            key = self.key(defined.definition.name)
            with suppress(ViewscribeError):  # which is told where the view is read
                self.views[key] = self._in_catalog(self.views[key])

    def _in_catalog(self, view: FileView) -> FileView:
        """A view without the one database that all of the project is in, before names of tables."""
        reading = make_reading(self.env_of(view).settings)
        pieces = split_at_tables(view.text, self._own, reading)
        text = "".join(each if isinstance(each, str) else quote_name(each[1:]) for each in pieces)
        return msgspec.structs.replace(view, text=text)

    def _own(self, parts: Sequence[str]) -> tuple[str, ...] | None:
        """The full name of a table in the database of the project, if no catalog is called so."""
        if len(parts) != 3 or {fold(parts[0])} != self._databases:
            return None
        try:
            self.env.catalogs.resolve(parts)
        except ViewscribeError:
            return tuple(parts)
        return None

    def _define_all(self) -> None:
        for source in _sources(self._manifest):
            table = _source_table(str(self.place / MANIFEST), source)
            if table is not None and not self._has_table(table):
                self._check(table.file, partial(self.define, table))
        for name, model in self._models.items():
            self._check(str(self.place / name), partial(self._define_model, name, model))

    def _define_model(self, name: str, model: Mapping[str, Any]) -> None:
        view = _view(str(self.place / name), model)
        if not (view.is_table and self._has_table(view)):
            self.define(view)

    def _has_table(self, defined: FileTable | FileView) -> bool:
        """Whether the catalog has a table of that name: its document knows more than dbt does."""
        try:
            path = self.env.catalogs.resolve(defined.definition.name)
            return self.env.catalogs.kind_of(path) == "table"
        except ViewscribeError:
            return False


def _read_manifest(place: Path) -> Mapping[str, Any]:
    try:
        data = loads(place.read_bytes(), limit=None, depth=OUTER_DEPTH)
    except (OSError, ValueError) as error:
        raise ValidationError(f"{place} cannot be read: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("nodes"), dict):
        raise ValidationError(f"{place} is no manifest of dbt", hint="run dbt compile")
    return data


def _models(manifest: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The models by the paths of their compiled files; ephemeral ones are in those of others."""
    for _, node in sorted(manifest["nodes"].items()):
        if not isinstance(node, dict) or node.get("resource_type") != "model":
            continue
        if _materialized(node) == "ephemeral" or node.get("language", "sql") != "sql":
            continue
        parts = [_text(node, "package_name"), *Path(_text(node, "original_file_path")).parts]
        safe = [part for part in parts if part not in ("", ".", "..", "/")]
        yield "/".join(["compiled", *safe]), node


def _view(file: str, model: Mapping[str, Any]) -> FileView:
    text = model.get("compiled_code")
    if not isinstance(text, str) or not text.strip():
        raise ValidationError(
            f"the model {_text(model, 'name')} is not compiled", hint="run dbt compile first"
        )
    # What the hooks before a model set. Raises: ValidationError: that is not known.
    found: dict[str, str] = {}
    for hook in _hooks(model):
        if _JINJA.search(hook):  # which the manifest does not render
            raise _unknown_hook(hook)
        for stretch in split_statements(hook):
            statement = hook[stretch.start : stretch.end]
            if not _SET.match(statement) or _is_irrelevant(statement):
                continue
            try:
                if not change_settings(found, statement):
                    raise _unknown_hook(statement)
            except ValidationError:
                raise _unknown_hook(statement) from None
    settings = found
    name = (_text(model, "schema"), _text(model, "alias") or _text(model, "name"))
    definition = ViewOf(0, name, 0, comment=_text(model, "description") or None)
    columns = model.get("columns")
    comments = {
        fold(key): each["description"]
        for key, each in (columns.items() if isinstance(columns, dict) else ())
        if isinstance(each, dict) and _text(each, "description")
    }
    is_table = _materialized(model) in _TABLES
    return FileView(
        file, text, definition, settings=settings, is_table=is_table, column_comments=comments
    )


def _is_irrelevant(statement: str) -> bool:
    """Whether the meaning of no view depends on what a SET names."""
    named = _NAMED.fullmatch(statement)  # a name without dots is one of an engine, not Spark's
    return named is not None and "." in named[1] and named[1] not in ALLOWED_SETTINGS


def _unknown_hook(hook: str) -> ValidationError:
    return ValidationError(
        f"what the pre_hook `{shorten(hook, 80)}` sets is not known",
        hint="write SET name = value with names and values of Spark, in a pre_hook without Jinja",
    )


_JINJA = re.compile(r"\{[{%]")
_SET = re.compile(r"(?:SET|RESET)\b", re.IGNORECASE)
_NAMED = re.compile(r"\w+\s+`?([\w.]+)`?\s*(?:=.*)?", re.DOTALL)


def _materialized(node: Mapping[str, Any]) -> str:
    config = node.get("config")
    found = config.get("materialized") if isinstance(config, dict) else None
    return found if isinstance(found, str) else "view"


def _hooks(model: Mapping[str, Any]) -> list[str]:
    """What runs before a model."""
    config = model.get("config")
    hooks = config.get("pre-hook") if isinstance(config, dict) else None
    every = hooks if isinstance(hooks, list) else [hooks]
    found = [each.get("sql") if isinstance(each, dict) else each for each in every]
    return [each for each in found if isinstance(each, str)]


def _sources(manifest: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    sources = manifest.get("sources")
    for _, source in sorted(sources.items() if isinstance(sources, dict) else ()):
        if isinstance(source, dict):
            yield source


def _source_table(file: str, source: Mapping[str, Any]) -> FileTable | None:
    """A table whose columns dbt knows with their types; None for another one."""
    columns = source.get("columns")
    if not isinstance(columns, dict) or not columns:
        return None
    found = []
    for column in columns.values():
        type_ = column.get("data_type") if isinstance(column, dict) else None
        if not isinstance(type_, str):
            return None
        comment = _text(column, "description") or None
        found.append(ColumnOf(0, Field(_text(column, "name"), parse_type(type_), comment)))
    name = (_text(source, "schema"), _text(source, "identifier") or _text(source, "name"))
    comment = _text(source, "description") or None
    return FileTable(file, "", TableDefinition(0, name, tuple(found), comment=comment))


def _text(node: Mapping[str, Any], key: str) -> str:
    found = node.get(key)
    return found if isinstance(found, str) else ""
