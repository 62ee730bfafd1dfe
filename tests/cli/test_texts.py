"""Names and comments of others on the reader's terminal: nothing invisible gets there."""

from __future__ import annotations

import contextlib
import io
import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewscribe.cli.output.as_json import JsonOutput
from viewscribe.cli.output.pages import (
    Block,
    Cell,
    Code,
    Facts,
    Grid,
    Heading,
    Page,
    Paragraph,
    Problem,
)
from viewscribe.cli.output.safe_text import say
from viewscribe.cli.progress import PROBLEM_FORMATS, Format, Terminal
from viewscribe.errors import ViewscribeError, printable

STEERS = [
    "\x1b[2J",
    "\x9b2J",
    "\x7f",
    "a\rb",
    "\u202eevil",
    "\u2066x\u2069",
    "\u061cx",
    "pay\u200bments",
    "pay\u2060ments",
    "\ufeffx",
    "x\U000e0041",
    "\ud800",
]


def is_steering(character: str) -> bool:
    joins = character in "\u200c\u200d\xad"  # which languages and emoji need
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or (
        unicodedata.bidirectional(character) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI")
        or (character in "\u061c\u200b\u200e\u200f\u2060\ufeff" and not joins)
    )


@pytest.mark.parametrize("text", STEERS)
def test_a_terminal_is_not_steered(text: str) -> None:
    assert not any(map(is_steering, printable(text)))


@pytest.mark.parametrize("text", STEERS)
def test_nor_is_it_by_json(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    JsonOutput().show(Page({"name": text, text: ["\n\t"]}, []))
    written = capsys.readouterr().out
    assert not any(is_steering(each) for each in written if each != "\n")
    assert json.loads(written) == {"name": text, text: ["\n\t"]}


@pytest.mark.parametrize("text", STEERS)
@pytest.mark.parametrize("form", PROBLEM_FORMATS)
def test_nor_is_it_in_any_format(
    form: Format, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    cell = Cell(text, "name")
    blocks: list[Block] = [Heading(text), Paragraph(text), Code(text), Facts([(text, cell)])]
    blocks += [Grid(("a", "b"), [[cell, Cell(text)]])]
    file = text.replace("\ud800", "\udc80")  # as Python has names that are no UTF-8
    problem = Problem(text, text, file, 1, 2, text)
    output = Terminal(form).output
    output.show(Page({"a": text}, blocks, [problem, problem._replace(hint=None)]))
    output.error(ViewscribeError(text, hint=text, location=text))
    say(text)
    written = "".join(capsys.readouterr())
    assert not any(is_steering(each) for each in written if each != "\n")


@given(st.text(alphabet="ab:%,\r\n=#[]*`"), st.text(alphabet="ab:%,\r\n=#[]"))
def test_a_problem_is_one_command_of_githubs(text: str, file: str) -> None:
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        Terminal("github").output.show(Page(None, [], [Problem(text, text, file, 1, hint=text)]))
    (line,) = shown.getvalue().split("\n")[:-1]
    head, _, message = line.removeprefix("::error ").partition("::")
    properties = dict(each.split("=", 1) for each in head.split(","))
    unescaped = {
        name: re.sub("%(25|0A|0D|3A|2C)", lambda found: chr(int(found[1], 16)), value)
        for name, value in {**properties, "": message}.items()
    }
    one_line, lines = printable(text), printable(text, lines=True)
    assert unescaped == {
        "file": printable(file),
        "line": "1",
        "title": one_line,
        "": f"{lines}\n{lines}",
    }


@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize("text", ["::add-mask::x", " \t::error::x", "a ##[add-path]x"])
def test_no_text_is_a_command_of_githubs(
    form: Format, text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def written() -> str:
        page = Page(None, [Paragraph(f"a\n{text}"), Facts([(text, Cell(text))])])
        Terminal(form).output.show(page)
        Terminal(form).output.error(ViewscribeError(f"a\n{text}"))
        say(text)
        return "".join(capsys.readouterr())

    is_command = re.compile(r"^\s*::|##\[", re.MULTILINE)
    assert is_command.search(written())
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert not is_command.search(written())


@given(st.text())
def test_json_is_the_same_data(text: str) -> None:
    from viewscribe.cli.output.safe_text import escape

    written = escape(json.dumps([text], indent=2, ensure_ascii=False))
    assert json.loads(written) == [text]
    assert not any(is_steering(each) for each in written if each != "\n")


@given(st.text(st.characters(categories=["L", "N", "P", "S", "M", "Zs"])))
def test_what_can_be_seen_stays(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize("text", STEERS)
def test_nor_is_it_by_an_error_of_the_library(text: str) -> None:
    """A traceback shows names of documents that may be anybody's."""
    inner = ViewscribeError(f"of another: {text}")
    error = ViewscribeError(f"no {text}", location=f"line 1\n\t{text}", hint=text)
    error.others = (inner,)
    assert not any(is_steering(each) for each in str(error) if each not in "\n\t")
    assert error.message == f"no {text}"


def test_an_error_is_no_longer_than_people_read() -> None:
    error = ViewscribeError("a" + "x" * 100_000 + "b", hint="short")
    assert len(str(error)) < 3000
    first, hint = str(error).split("\n")
    assert (first[0], first[-1], "98,002 characters" in first, hint) == ("a", "b", True, "  short")
