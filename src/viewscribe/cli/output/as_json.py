"""Results as JSON on stdout, errors too."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from viewscribe.cli.output.pages import Page, Problem
from viewscribe.cli.output.safe_text import escape
from viewscribe.errors import ViewscribeError
from viewscribe.version import __version__


class JsonOutput:
    """Writes the data of a page, indented; nothing else goes to stdout."""

    def show(self, page: Page) -> None:
        _write(page.data)

    def error(self, error: ViewscribeError) -> None:
        _write({"error": error_data(error)})


def error_data(error: ViewscribeError) -> dict[str, Any]:
    """An error as every command writes it; ``others`` are those that were found with it."""
    data: dict[str, Any] = {
        "code": error.code,
        "message": error.message,
        "location": error.location,
        "hint": error.hint,
    }
    if error.others:
        data["others"] = [error_data(each) for each in error.others]
    return data


def _write(data: Any) -> None:
    # In JSON an escaped character is the same character, and steers no terminal.
    text = escape(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(data, indent=2, allow_nan=False)
    print(text, flush=True)


# Problems in SARIF 2.1.0, which code scanning services read.

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


# Problems as GitHub's workflow commands, which become annotations of a pull request.


class GithubOutput:
    """Writes ``::error file=…,line=…,col=…::message``, or ``::notice``, one line a problem."""

    def show(self, page: Page) -> None:
        for problem in page.printable().problems:
            print(_line(problem))
        sys.stdout.flush()

    def error(self, error: ViewscribeError) -> None:
        print(f"::error title={_property(error.code)}::{_message(str(error))}", flush=True)


def _line(problem: Problem) -> str:
    places = {"file": problem.file, "line": problem.line, "col": problem.column}
    given = [f"{key}={_property(str(value))}" for key, value in places.items() if value is not None]
    title = f"title={_property(problem.code)}"
    text = problem.message if problem.hint is None else f"{problem.message}\n{problem.hint}"
    command = "error" if problem.level == "error" else "notice"
    return f"::{command} {','.join([*given, title])}::{_message(text)}"


def _message(text: str) -> str:
    """The text in one line, as the runner reads it back."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """The same for a value that a colon or comma would end."""
    return _message(text).replace(":", "%3A").replace(",", "%2C")
