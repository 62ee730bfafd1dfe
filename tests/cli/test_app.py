"""What all commands share: usage, errors, formats, colours, start."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress

import click
import pytest

import viewscribe
from tests.forked import CommandLine
from viewscribe.cli.app import app

COMMANDS = (
    *("list", "show", "sql", "lineage", "log", "save", "verify", "check", "accept"),
    *(
        "diff",
        "plan",
        "apply",
        "rollback",
        "export",
        "import",
        "environments",
        "test",
        "init",
        "site",
    ),
)


def start(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "viewscribe", *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        check=False,
    )


def test_version(run):
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"viewscribe {viewscribe.__version__}\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_the_common_options(run, command):
    result = run(command, "--help")
    assert result.exit_code == 0
    for option in ("--format", "--json", "--verbose", "--quiet"):
        assert option in result.stdout
    assert run(command, "-h").stdout == result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_where_the_list_of_all_says(name):
    found = app.get_command(click.Context(app), name)
    assert found is not None
    assert found.name == name


def test_help_names_every_command(run):
    assert set(app.list_commands(click.Context(app))) == set(COMMANDS)
    text = run("--help").stdout
    assert all(f"\n  {name} " in text for name in COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["lst"],
        ["list"],
        ["list", "views", "too-much"],
        ["list", "views", "--format", "xml"],
        ["show"],
        ["show", "sales.young"],
        ["show", "views", "a", "b"],
        ["sql", "views", "a", "--style", "fancy"],
        ["check"],
        ["verify"],
        ["verify", "views", "--conf", "novalue"],
        ["--nonsense"],
    ],
)
def test_wrong_usage(run, views, arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage: viewscribe" in result.stderr
    if arguments[0] in COMMANDS:
        result = run(*arguments, "--json")
        assert result.exit_code == 2
        assert json.loads(result.stdout)["error"]["code"] == "UsageError"
        assert result.stderr == ""


def test_a_command_that_is_not_one(run):
    assert "no command 'chekc'; did you mean: check" in run("chekc").stderr
    assert "no command 'xyz'; commands: list, show" in run("xyz").stderr


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("nowhere", "CatalogNotFoundError"),
        ("file:./nowhere", "CatalogNotFoundError"),
        ("fiel:./views", "UnknownSchemeError"),
        ("views/sales/young.view.yaml", "CatalogError"),
    ],
)
@pytest.mark.parametrize("command", ["list", "check", "verify"])
def test_no_such_catalog(run, run_json, views, where, code, command):
    result = run(command, where)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"{code}: ")
    error = run_json(command, where, code=1)["error"]
    assert error["code"] == code
    assert error["hint"]


def test_a_directory_that_looks_like_a_url(run, views):
    views.rename(views.parent / "prod:views")
    assert run("list", "prod:views").exit_code == 0


def test_the_unexpected_is_told_without_a_traceback(run, run_json, views, monkeypatch):
    def fail(*_):
        raise RuntimeError("the disk\nis on fire")

    monkeypatch.setattr("viewscribe.cli.commands.list._entries", fail)
    hint = "run it again with -vv for the traceback"
    result = run("list", "views", "-v")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"RuntimeError: the disk\n  {hint}\n"
    assert run_json("list", "views", code=1)["error"]["hint"] == hint
    assert "Traceback" in run("list", "views", "-vv").stderr


def test_json_is_json_for_every_command(run_json, views):
    for arguments in (["list"], ["check"], ["show", "sales.young"], ["sql", "sales.young"]):
        command, *names = arguments
        assert run_json(command, "views", *names)["catalog"] == "file:views"


def test_format_json_and_json_are_the_same(run, views):
    assert run("list", "views", "--json").stdout == run("list", "views", "--format=json").stdout


def test_as_a_module(views):
    listed = start("list", "views")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "\x1b" not in listed.stdout
    assert start("show", "views", "nothing").returncode == 1
    assert start("show").returncode == 2
    (views / "sales" / "customers.table.yaml").unlink()
    checked = start("check", "views", "--json")
    assert (checked.returncode, checked.stderr) == (3, "")
    assert json.loads(checked.stdout)["counts"]["findings"] == 1


def test_help_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from viewscribe.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: print(*sorted(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "viewscribe.cli.app" in loaded
    assert not loaded & {"viewscribe.cli.commands.verify", "viewscribe.catalog_store", "msgspec"}
    assert not loaded & {"pyspark", "py4j", "sqlglot", "yaml", "jsonschema", "rich", "json"}


def test_a_reader_that_goes_away(views):
    command = f"{sys.executable} -m viewscribe sql views sales.young | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_an_encoding_that_lacks_letters(views):
    shown = start("show", "views", "sales.young", "--json", PYTHONIOENCODING="ascii")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert json.loads(shown.stdout)["name"] == "young"
    listed = start("list", "views", PYTHONIOENCODING="ascii")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "Those who told us \\u2026" in listed.stdout


@pytest.fixture
def in_a_terminal(tmp_path_factory, monkeypatch):
    """What the command writes where a person looks."""

    def in_a_terminal_(*arguments, **environment):
        main, side = pty.openpty()
        with monkeypatch.context() as patch:
            for name, value in {"TERM": "xterm-256color", "COLUMNS": "100", **environment}.items():
                patch.setenv(name, value)
            place = tmp_path_factory.mktemp("terminal")
            process = CommandLine(*arguments, place=place, terminal=os.ttyname(side))
        # What is written stays readable as long as one end is open; nobody writes 4 KB here.
        code, _, _ = process.wait()
        os.set_blocking(main, False)
        read = b""
        with suppress(BlockingIOError):
            while part := os.read(main, 65536):
                read += part
        os.close(side)
        os.close(main)
        return code, read.decode()

    return in_a_terminal_


def test_colours_in_a_terminal_only(views, in_a_terminal):
    code, text = in_a_terminal("list", "views")
    assert code == 0
    assert "\x1b[36msales.young" in text
    for name in ("NO_COLOR", "CI"):
        code, text = in_a_terminal("list", "views", **{name: "1"})
        assert "\x1b" not in text
        assert "sales.young" in text
    assert "\x1b" in in_a_terminal("list", "views", CI="false")[1]


def test_sql_and_errors_in_a_terminal(views, in_a_terminal):
    code, text = in_a_terminal("sql", "views", "sales.young")
    assert code == 0
    assert "\x1b" in text
    code, text = in_a_terminal("check", "views")
    assert code == 0
    code, text = in_a_terminal("show", "views", "sales.yuong")
    assert code == 1
    assert "\x1b[1;31mObjectNotFoundError" in text


def test_a_narrow_terminal_folds_and_loses_nothing(views, in_a_terminal):
    _, text = in_a_terminal("list", "views", NO_COLOR="1", COLUMNS="40")
    assert all(len(line) <= 40 for line in text.splitlines())
    assert "…" in text.splitlines()[-3]
