"""A dbt project for dbt-spark: a model for each view, and the tables that they read as sources."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from viewscribe.catalog_store.documents.model import Column
from viewscribe.export.model import (
    ExportedView,
    Files,
    Path,
    Project,
    SharedSettings,
    key_of,
    model_names,
    set_statements,
    slug,
)
from viewscribe.parser.names import split_at_tables
from viewscribe.types.identifiers import needs_quoting, quote_identifier, quote_name

# YAML text of plain data, which every reader of YAML takes for the same data.

# Text in a Jinja template that is rendered as itself.

_CHANGED = re.compile(r"\{(?=[{%#\r]|\n?\Z)|\r|\n\Z")
"""What begins a tag, or may with what follows; ends of lines that Jinja replaces or drops."""


def jinja_text(text: str) -> str:
    """The text as a part of a template."""
    return _CHANGED.sub(lambda found: f"{{{{ {found[0]!r} }}}}", text)


def jinja_string(text: str) -> str:
    """The text as a string inside of ``{{ … }}``.

    dbt's static parser does not read escapes; it leaves what is no mere string to Jinja.
    """
    escaped = "".join(map(_escape, text))
    return f"'{text}'" if escaped == text else f"'{escaped}' ~ ''"


def _escape(character: str) -> str:
    if character.isprintable() and character not in "'\\":
        return character
    return f"\\U{ord(character):08x}"


_MISREAD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
"""What readers take for the end of a line or leave out, where it is not escaped."""


def yaml_text(data: Any, head: str = "") -> str:
    """The data as YAML, in the order that it has."""
    text = _dump(data, allow_unicode=True)
    return head + (_dump(data, allow_unicode=False) if _MISREAD.search(text) else text)


def _dump(data: Any, *, allow_unicode: bool) -> str:
    import yaml

    text: str = yaml.safe_dump(
        data,
        sort_keys=False,
        allow_unicode=allow_unicode,
        default_flow_style=False,
        width=sys.maxsize,
    )
    return text


PROJECT = "views"
"""The name of the project and of its profile."""


class Dbt:
    """``dbt_project.yml``, ``models/<database>/<view>.sql``, ``schema.yml`` and ``sources.yml``."""

    makes_views: ClassVar[bool] = True
    keeps_properties: ClassVar[bool] = False

    def reason_against(self, view: ExportedView) -> str | None:
        for path in (view.path, *view.reads):
            for part in path[1:]:
                if "`" in part:
                    return f"dbt-spark writes no backtick in a name: {part}"
        for part in view.path[1:]:
            if part != part.strip():
                return f"dbt takes blanks off the ends of a name: {part!r}"
        return None

    def files(self, project: Project) -> Files:
        names = _Names(project)
        found = {
            "dbt_project.yml": yaml_text(_project(names.settings), _PROJECT_COMMENT),
            "profiles.yml": yaml_text(_PROFILES, _PROFILES_COMMENT),
            "macros/generate_schema_name.sql": _SCHEMA_NAMES,
        }
        if names.settings.differing:
            found["macros/require_sessions.sql"] = _REQUIRE_SESSIONS
        databases: dict[str, list[ExportedView]] = {}
        for view in project.views:
            databases.setdefault(slug(view.path[1]), []).append(view)
            path = f"models/{slug(view.path[1])}/{names.model(view.path)}.sql"
            config = {"materialized": jinja_string("view"), "schema": jinja_string(view.path[1])}
            if names.model(view.path) != view.path[2]:
                config["alias"] = jinja_string(view.path[2])
            hooks = names.settings.own_statements(view)
            if hooks:
                config["pre_hook"] = f"[{', '.join(map(jinja_string, hooks))}]"
            settings = ", ".join(f"{name}={value}" for name, value in config.items())
            pieces = split_at_tables(view.text, view.table, view.reading)
            text = "".join(
                jinja_text(each) if isinstance(each, str) else _table(each, project, names)
                for each in pieces
            )
            found[path] = f"{{{{ config({settings}) }}}}\n\n{text.rstrip()}\n"
        for database, views in databases.items():
            models = [_description(view, names) for view in views]
            found[f"models/{database}/schema.yml"] = _properties({"models": models})
        if project.sources:
            found["models/sources.yml"] = _properties({"sources": _sources(project, names)})
        return found


class _Names:
    """What views and tables are called in the project, and the settings of its models."""

    def __init__(self, project: Project) -> None:
        self.settings = SharedSettings(project.views)
        self._models = {
            key_of(path): name
            for path, name in model_names(view.path for view in project.views).items()
        }
        self._tables = model_names(project.sources)

    def model(self, path: Path) -> str:
        """The name of the model of a view, for all databases."""
        return self._models[key_of(path)]

    def is_model(self, path: Path) -> bool:
        """Whether a name is that of a model."""
        return key_of(path) in self._models

    def source(self, path: Path) -> str:
        """The name of the source that is a database."""
        return slug(path[1])

    def table(self, path: Path) -> str:
        """The name of a table in its source."""
        return slug(path[2])


def _table(path: Path, project: Project, names: _Names) -> str:
    """A table where it is read; one of another catalog by its full name, which dbt has none for."""
    if not project.is_own(path) or len(path) > 3:
        return jinja_text(quote_name(path))
    if names.is_model(path):
        return f"{{{{ ref({jinja_string(names.model(path))}) }}}}"
    path = project.spelled(path)
    source, table = jinja_string(names.source(path)), jinja_string(names.table(path))
    return f"{{{{ source({source}, {table}) }}}}"


def _project(settings: SharedSettings) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": PROJECT,
        "version": "1.0.0",
        "config-version": 2,
        "profile": PROJECT,
        "model-paths": ["models"],
        "macro-paths": ["macros"],
        "quoting": {"database": False, "schema": True, "identifier": True},
    }
    hooks = set_statements(settings.common)
    if hooks:
        found["models"] = {PROJECT: {"+pre-hook": hooks}}
    if settings.differing:
        found["on-run-start"] = ["{{ require_sessions() }}"]
    return found


def _description(view: ExportedView, names: _Names) -> dict[str, Any]:
    document = view.document
    return {
        "name": names.model(view.path),
        **_described(document.comment),
        **_columns(document.columns),
    }


def _sources(project: Project, names: _Names) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path in project.sources:
        source = found.setdefault(
            names.source(path),
            {
                "name": names.source(path),
                "schema": jinja_text(path[1]),
                "quoting": {"schema": True, "identifier": True},  # the project's is for models
                "tables": [],
            },
        )
        table: dict[str, Any] = {"name": names.table(path)}
        if names.table(path) != path[2]:
            table["identifier"] = jinja_text(path[2])
        document = project.tables.get(path)
        if document is not None:
            table |= _described(document.comment)
            table |= _columns(document.columns)
        source["tables"].append(table)
    return list(found.values())


def _columns(columns: Iterable[Column]) -> dict[str, Any]:
    found, tests = [], []
    for column in columns:
        each: dict[str, Any] = {"name": jinja_text(column.name)}
        if needs_quoting(column.name):
            each["quote"] = True
        each["data_type"] = jinja_text(column.type)
        each |= _described(column.comment)
        if not column.nullable and "`" in column.name:  # which dbt would not double
            tests.append({"not_null": {"column_name": quote_identifier(column.name)}})
        elif not column.nullable:
            each["data_tests"] = ["not_null"]
        found.append(each)
    return {"columns": found, "data_tests": tests} if tests else {"columns": found}


def _described(comment: str | None) -> Mapping[str, str]:
    return {} if comment is None else {"description": jinja_text(comment)}


def _properties(data: Mapping[str, Any]) -> str:
    return yaml_text({"version": 2, **data}, "# Written by viewscribe export.\n")


_PROJECT_COMMENT = """\
# Written by viewscribe export. The hooks set what the meaning of all views depends on: Spark keeps
# with a view the settings of the session that makes it. Models set what is not the same for all.
"""

_PROFILES_COMMENT = """\
# Written by viewscribe export. A local Spark; put your own connection in ~/.dbt/profiles.yml.
"""

_PROFILES = {
    PROJECT: {
        "target": "local",
        "outputs": {
            "local": {
                "type": "spark",
                "method": "session",
                "host": "localhost",
                "schema": "default",
                "threads": 1,
            }
        },
    }
}

_SCHEMA_NAMES = """\
{#- Written by viewscribe export. Views are made in the databases that they are in, by their own
    names; dbt would put the schema of the profile in front. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
  {{ target.schema if custom_schema_name is none else custom_schema_name | trim }}
{%- endmacro %}
"""

_REQUIRE_SESSIONS = """\
{#- Written by viewscribe export. Models have different settings: where threads share a session,
    each view would be made under what another one sets. -#}
{% macro require_sessions() -%}
  {%- set threads = invocation_args_dict.get('threads') or target.threads -%}
  {%- if execute and threads > 1 and adapter.config.credentials.method == 'session' -%}
    {{ exceptions.raise_compiler_error("views have different settings: run with --threads 1") }}
  {%- endif -%}
{%- endmacro %}
"""
