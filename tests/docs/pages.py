"""Pages of documentation whose examples run: what each block prints, put where the page shows it.

A ``python`` block runs; what it prints (the message of an error of viewscribe included) is what
the next ``sql``, ``text``, ``yaml`` or ``json`` block shows. Blocks of one page share their names.
In a ``console`` block, ``$ viewscribe`` runs a command and ``$ cat`` prints a file. In what a page
shows, ``...`` stands for whatever is left out. A comment ``<!-- not run: why -->`` before a block
excludes it. ``<!-- file: path -->`` before a block writes it to that file instead, and ``$ pytest``
in a ``console`` block runs what is there.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from click.testing import CliRunner

from viewscribe.cli.app import app
from viewscribe.errors import ViewscribeError

ROOT = Path(__file__).resolve().parents[2]
NEEDS_SPARK = "<!-- the examples need Spark -->"

_ELSEWHERE = ("command-line.md", "benchmarks.md", "functions.md", "flink-names.md")
_BLOCK = re.compile(
    r"^(?P<excluded><!-- not run: [^\n]+ -->\n\n?)?"
    r"(?:<!-- file: (?P<file>[^\n]+) -->\n\n?)?```(?P<language>\w*)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_ALONE = ("-p", "no:cacheprovider", "--disable-warnings")  # of plugins that are loaded already
_SHOWN = ("sql", "text", "yaml", "json")


def pages() -> list[Path]:
    """Every page whose examples are tested here."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [page for page in found if page.exists() and page.name not in _ELSEWHERE]


class Page:
    """One run of a page.

    Args:
        text: the page as it is.
        title: what the page is called in messages.
        names: what the examples find there; afterwards also what they defined.
    """

    def __init__(self, text: str, title: str, names: dict[str, Any] | None = None) -> None:
        self.names = names or {}
        self.statements: list[str] = []
        self._text = text
        self._title = title
        self._printed: str | None = None
        self._code = 0

    def run(self) -> str:
        """The page as it should be."""
        text = _BLOCK.sub(self._block, self._text)
        self._nothing_unshown(len(self._text))
        return text

    def _block(self, match: re.Match[str]) -> str:
        language = match["language"]
        if match["excluded"]:
            return match[0]
        if match["file"]:
            place = Path(match["file"])
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(match["body"], encoding="utf-8")
        elif language == "python":
            self._nothing_unshown(match.start())
            self._printed = self._python(match) or None
        elif language == "console":
            return self._with_body(match, "".join(self._console(match["body"])))
        elif language in _SHOWN and self._printed is not None:
            printed, self._printed = self._printed, None
            if language == "sql":
                self.statements += printed.strip().split("\n\n")
            return self._with_body(match, _unless_same(match["body"], printed))
        elif language != "text":
            raise AssertionError(f"{self._place(match.start())}: this block shows nothing that ran")
        return match[0]

    def _python(self, match: re.Match[str]) -> str:
        before = "\n" * self._text.count("\n", 0, match.start("body"))
        code = compile(before + match["body"], self._title, "exec")
        with contextlib.redirect_stdout(io.StringIO()) as output:
            try:
                exec(code, self.names)
            except (ViewscribeError, AssertionError) as error:
                print(f"{type(error).__name__}: {error}")
        return output.getvalue()

    def _console(self, body: str) -> Iterator[str]:
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            yield f"$ {command}\n{_unless_same(shown, self._command(command))}"

    def _command(self, line: str) -> str:
        command, *arguments = shlex.split(line)
        match command:
            case "viewscribe":
                result = CliRunner().invoke(app, arguments)
                self._code = result.exit_code
                return result.output
            case "pytest":
                self._code, output = _run_pytest(arguments)
                return output
            case "cat":
                return Path(arguments[0]).read_text(encoding="utf-8")
            case "echo" if arguments == ["$?"]:
                return f"{self._code}\n"
        raise AssertionError(f"{self._title}: `{line}` is not a command that pages may show")

    def _with_body(self, match: re.Match[str], body: str) -> str:
        before = match[0].partition("```")[0]
        return f"{before}```{match['language']}\n{body}```"

    def _nothing_unshown(self, position: int) -> None:
        assert self._printed is None, (
            f"{self._place(position)}: nothing shows what was printed before:\n{self._printed}"
        )

    def _place(self, position: int) -> str:
        return f"{self._title}:{self._text.count(chr(10), 0, position) + 1}"


def _run_pytest(arguments: list[str]) -> tuple[int, str]:
    """Runs pytest as in a project of a user's, which is no part of this run."""
    from tests.forked import PytestRun  # where a page is run without pytest, none runs it

    variables = {"NO_COLOR": "1", "COLUMNS": "80", "CI": ""}
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    with tempfile.TemporaryDirectory() as place, mock.patch.dict(os.environ, clear=True):
        os.environ.update(kept | variables)
        run = PytestRun(*_ALONE, *arguments, place=Path(place))
        code, lines = run.wait()
    return code or 0, "\n".join(lines)


def _unless_same(shown: str, printed: str) -> str:
    """What is shown where it is what was printed, but for what ``...`` leaves out."""
    if printed:
        printed = printed.rstrip("\n") + "\n"
    pieces = [re.escape(piece) for piece in shown.split("...")]
    return shown if re.fullmatch(".*?".join(pieces), printed, re.DOTALL) else printed
