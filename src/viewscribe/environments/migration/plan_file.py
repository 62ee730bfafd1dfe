"""Plans as files: JSON, or YAML where the name ends so; checked when they are read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec

from viewscribe.catalog_store.whole_files import replace_own
from viewscribe.environments import (
    Environment,
    environment_of,
    load_environments,
    seen_from,
)
from viewscribe.environments.migration.errors import PlanFileError
from viewscribe.environments.migration.journal import journal_of, journaled_plan
from viewscribe.environments.migration.model import PLAN_VERSION, Plan, Step, plan_id
from viewscribe.schemas import DocumentSchemaError, validate
from viewscribe.schemas.strict_json import OUTER_DEPTH, loads

_YAML = (".yaml", ".yml")
_HEAD = {"schema_version": PLAN_VERSION, "kind": "migration"}


def write_plan(plan: Plan, path: str | os.PathLike[str]) -> None:
    """Write a plan; the file appears as a whole or not at all.

    Raises:
        PlanFileError: the file cannot be written, is no plan, or is a plan that was applied, which
            could not be taken back without it.
        JournalError: there is a journal beside it that cannot be read.
    """
    place = Path(path)
    journal = journal_of(path)
    if journaled_plan(journal) not in (None, plan.id):
        raise PlanFileError(
            f"{path} is another plan, and {journal} tells what it did: both are needed to take it "
            "back",
            hint="name another file; or remove both, where nothing of it is to be taken back",
        )
    plan = _with_base(plan, _relative(plan.base, place.parent))
    data = _yaml(plan) if place.suffix in _YAML else _json(plan)
    try:
        replace_own(place, data, b'"kind": "migration"', b"kind: migration")
    except OSError as error:
        raise PlanFileError(f"{path} cannot be written: {error.strerror}") from None


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """The plan of a file.

    Raises:
        PlanFileError: it cannot be read, is damaged, was edited or is of a newer viewscribe.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise PlanFileError(f"{path} cannot be read: {error.strerror}") from None
    plain = _plain(path, data)
    version = plain.get("schema_version") if isinstance(plain, dict) else None
    if type(version) is int and version > PLAN_VERSION:
        raise PlanFileError(
            f"{path}: schema version {version} is newer than this viewscribe, which reads up to "
            f"version {PLAN_VERSION}",
            hint="upgrade viewscribe to read it",
        )
    try:
        validate(plain, "migration")
        fields = {key: plain[key] for key in plain if key not in _HEAD}
        plan = msgspec.convert(fields, Plan)
    except DocumentSchemaError as error:
        raise PlanFileError(f"{path}: {error.problems[0]}") from None
    except msgspec.ValidationError as error:
        raise PlanFileError(f"{path}: {error}") from None
    for step in plan.steps:
        _check_step(path, step)
    if plan.id != plan_id(plan.source, plan.target, plan.steps):
        raise PlanFileError(
            f"{path} was changed since it was made: its id does not fit its steps",
            hint="make the plan anew",
        )
    return _with_base(plan, _relative(Path(path).parent / plan.base, Path()))


def _check_step(path: str | os.PathLike[str], step: Step) -> None:
    """Refuses a step that writes something else than it says."""
    document = step.document
    if (document is None) != (step.operation == "delete"):
        raise PlanFileError(f"{path}: to {step} a document is missing, or there is one too many")
    if (step.former is None) != (step.operation != "rename"):
        raise PlanFileError(f"{path}: to {step} a former name is missing, or there is one too many")
    if document is None:
        return
    try:
        validate(document, step.kind)
    except DocumentSchemaError as error:
        raise PlanFileError(f"{path}: to {step}: {error.problems[0]}") from None
    named = (document.get("database", document["name"]), document["name"])
    if named != (step.database, step.name):
        raise PlanFileError(f"{path}: to {step} the document of {'.'.join(named)} is given")


def _with_base(plan: Plan, base: str) -> Plan:
    return plan if plan.base == base else msgspec.structs.replace(plan, base=base)


def _relative(directory: str | Path, start: Path) -> str:
    """A directory as it is meant from another one; empty where it is that one."""
    found = os.path.relpath(directory or os.curdir, start)
    return "" if found == os.curdir else found


def target_of(plan: Plan, config: str | None = None) -> Environment:
    """The environment that a plan read from a file is for.

    Args:
        plan: the plan.
        config: the environments file, where it is not where it was.

    Raises:
        PlanFileError: the plan does not say enough to find it.
        EnvironmentFileError: the environments file is not there, or not valid.
    """
    place = plan.target
    file = config or (place.file and os.path.join(plan.base, place.file))
    if file is not None:
        return load_environments(file)[place.name]
    if "***" in place.url or place.url.startswith("memory:"):
        raise PlanFileError(
            f"the plan cannot say how to open its target {place.url}",
            hint="name the target: --target URL",
        )
    url = seen_from(plan.base, place.url)
    return environment_of(url, catalog_name=place.catalog_name)


def _write_step(plan: Plan) -> dict[str, Any]:
    return {**_HEAD, **msgspec.to_builtins(plan)}


def _json(plan: Plan) -> bytes:
    return msgspec.json.format(msgspec.json.encode(_write_step(plan)), indent=2) + b"\n"


def _yaml(plan: Plan) -> bytes:
    from viewscribe.catalog_store.documents.yaml_writer import dump

    return dump(_write_step(plan)).encode()


def _plain(path: str | os.PathLike[str], data: bytes) -> Any:
    if Path(path).suffix in _YAML:
        from viewscribe.catalog_store.documents.yaml_reader import StrictYamlError, load

        try:
            return load(data)
        except StrictYamlError as error:
            raise PlanFileError(f"{path}:{error.line}:{error.column}: {error.cause}") from None
    try:
        return loads(data, limit=None, depth=OUTER_DEPTH)
    except ValueError as error:
        raise PlanFileError(f"{path} is not JSON: {error}") from None
