"""Problems in SARIF 2.1.0, which code scanning services read."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from viewscribe.cli.output.as_json import JsonOutput
from viewscribe.cli.output.pages import Page, Problem
from viewscribe.errors import ViewscribeError
from viewscribe.version import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class SarifOutput:
    """Writes one run with a result for each problem."""

    def show(self, page: Page) -> None:
        JsonOutput().show(Page(_log(page.problems, None), []))

    def error(self, error: ViewscribeError) -> None:
        JsonOutput().show(Page(_log((), error), []))


def _log(problems: Any, failure: ViewscribeError | None) -> dict[str, Any]:
    rules = sorted({each.code for each in problems})
    invocation: dict[str, Any] = {"executionSuccessful": failure is None}
    if failure is not None:
        told = {"level": "error", "message": {"text": str(failure)}}
        invocation["toolExecutionNotifications"] = [told]
    driver = {
        "name": "viewscribe",
        "version": __version__,
        "rules": [{"id": each, "name": each} for each in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": [_result(each, rules.index(each.code)) for each in problems],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(problem: Problem, rule: int) -> dict[str, Any]:
    text = problem.message if problem.hint is None else f"{problem.message}\n{problem.hint}"
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(problem.file)}}
    if problem.line is not None:
        place["region"] = {"startLine": problem.line}
        if problem.column is not None:
            place["region"]["startColumn"] = problem.column
    return {
        "ruleId": problem.code,
        "ruleIndex": rule,
        "level": problem.level,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }


def _uri(file: str) -> str:
    """The file as a URI: relative to where the command ran, or absolute."""
    path = PurePath(file)
    return Path(path).as_uri() if path.is_absolute() else quote(os.fsencode(path))
