"""Problems as GitHub's workflow commands, which become annotations of a pull request."""

from __future__ import annotations

import sys

from viewscribe.cli.output.pages import Page, Problem
from viewscribe.errors import ViewscribeError


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
