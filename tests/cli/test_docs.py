"""The examples of docs/command-line.md do what the page says."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from viewscribe.cli.app import app

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command-line.md"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Shell:
    """As much of a shell as the page needs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self._code = 0

    def run(self, line: str) -> str:
        command, *arguments = shlex.split(line)
        if command == "export":
            self._monkeypatch.setenv(*arguments[0].split("=", 1))
            return ""
        if command == "echo":
            return f"{self._code}\n"
        assert command == "viewscribe"
        result = CliRunner().invoke(app, arguments)
        self._code = result.exit_code
        return result.output


def examples(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with what it writes."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def run_page(text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page with what its examples write now."""
    names: dict[str, Any] = {}
    shell = Shell(monkeypatch)

    def run_block(match: re.Match[str]) -> str:
        language, body = match.groups()
        if language == "python":
            exec(body, names)
            return match[0]
        shown = [f"$ {command}\n{shell.run(command)}" for command, _ in examples(body)]
        return f"```console\n{''.join(shown)}```"

    return BLOCK.sub(run_block, text)


def stable(text: str) -> str:
    """The page without what changes with every version."""
    text = re.sub(r"sha256:[0-9a-f]{64}", "sha256:...", text)
    return re.sub(r'"seconds": [0-9.]+', '"seconds": ...', text)


@pytest.fixture
def shop(spark: Any) -> Iterator[None]:
    """Nothing of the page's catalog stays in the session."""
    yield
    spark.sql("DROP DATABASE IF EXISTS shop CASCADE")


@pytest.mark.slow("runs every command of the page")
@pytest.mark.usefixtures("shop")
def test_the_page_shows_what_the_commands_write(monkeypatch):
    text = PAGE.read_text(encoding="utf-8")
    assert stable(run_page(text, monkeypatch)) == stable(text)
