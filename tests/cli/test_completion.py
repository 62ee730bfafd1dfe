"""What a shell completes behind ``viewscribe``."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from viewscribe.cli.app import app

CONFIG = """\
schema_version: 1
environments:
  dev:
    catalog: file:./views
  demo:
    catalog: file:./nowhere
"""


@pytest.fixture
def complete(views, monkeypatch):
    """The values that are offered for the last word, which may be empty; no folders and files."""
    from click.shell_completion import ShellComplete

    (views.parent / "viewscribe.yaml").write_text(CONFIG)
    shell = ShellComplete(app, {}, "viewscribe", "_VIEWSCRIBE_COMPLETE")

    def complete_(*words):
        found = shell.get_completions(list(words[:-1]), words[-1])
        return [each.value for each in found if each.type == "plain"]

    return complete_


def test_commands(complete):
    assert complete("li") == ["list", "lineage"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("list", "d"), ["dev", "demo"]),
        (("check", "de"), ["dev", "demo"]),
        (("plan", "dev", "dem"), ["demo"]),
        (("show", "dev", "SALES."), ["sales.customers", "sales.names", "sales.young"]),
        (("show", "./views", "h"), ["hr.twice"]),
        (("sql", "dev", "sales."), ["sales.names", "sales.young"]),
        (("verify", "dev", "sales.names", "sales.y"), ["sales.young"]),
        (("lineage", "dev", "sales.c"), ["sales.customers"]),
        (("rollback", "dev", "sales.y"), ["sales.young"]),
        (("show", "demo", ""), []),
        (("show", "no such place", ""), []),
    ],
)
def test_names(complete, words, found):
    assert complete(*words) == found


def test_names_of_the_catalog_of_the_variable(complete, monkeypatch):
    monkeypatch.setenv("VIEWSCRIBE_CATALOG", "dev")
    assert complete("show", "sales.n") == ["sales.names"]


def test_a_broken_environments_file_completes_nothing(complete, views):
    (views.parent / "viewscribe.yaml").write_text("environments: [")
    assert complete("list", "") == []


AWKWARD = ("$(touch pwned)", "sp ace", "it's", 'a"b', "a\\b", "a;b", "*", "~", "a&b", "a,b")


@pytest.fixture
def awkward(views, complete):
    """The names of views, as commands accept them, that a shell would take for something else."""
    import viewscribe as vs

    env = vs.TableEnvironment(f"file:{views}")
    env.create_database("odd")
    for name in (*AWKWARD, "two\nlines"):
        env.create_view(f"odd.`{name}`", env.sql_query("SELECT 1 AS one"))
    return {f"odd.`{name}`" for name in AWKWARD}


def complete_in_bash(folder, *words):
    """What bash offers for the last word of ``viewscribe``, as they stand on the command line."""
    program = folder / "viewscribe"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m viewscribe "$@"\n')
    program.chmod(0o755)
    script = (
        f'eval "$(_VIEWSCRIBE_COMPLETE=bash_source {program})"\n'
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))\n'
        f'_viewscribe_completion {program}; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    return run_bash(folder, script, "viewscribe", *words).splitlines()


def run_bash(folder, script, *arguments):
    command = ["bash", "--norc", "-c", script, "bash", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow("bash starts the command line")
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(("written", "closing"), [("odd", ""), ("'odd", "'")])
def test_bash_takes_completed_names_for_names(awkward, views, written, closing):
    offered = complete_in_bash(views.parent, "show", "dev", written)
    opening = written.removesuffix("odd")
    script = "; ".join(f"printf '%s\\n' {opening}{each}{closing}" for each in offered)
    found = set(run_bash(views.parent, script).splitlines())
    assert found == {each for each in awkward if not closing or "'" not in each}
    assert not (views.parent / "pwned").exists()


@pytest.mark.slow("bash starts the command line")
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("li",), ["list", "lineage"]),
        (("plan", "d"), ["dev", "demo"]),
        (("plan", "dev", "dem"), ["demo"]),
        (("show", "de"), ["dev", "demo"]),
        (("sql", "de"), ["dev", "demo"]),
        (("show", "sales.n"), ["sales.names"]),
        (("show", "file", ":", "./views", "sales.n"), ["sales.names"]),
        (("show", "file", ":", "./vi"), [""]),
    ],
)
def test_bash_is_offered_environments_and_views(complete, views, monkeypatch, words, found):
    monkeypatch.setenv("VIEWSCRIBE_CATALOG", "dev")
    assert complete_in_bash(views.parent, *words) == found


@pytest.mark.parametrize("written", ['"odd', "odd.\\`", "'odd'.\""])
def test_bash_is_offered_nothing_it_might_run_inside_other_quotes(
    awkward, complete, monkeypatch, written
):
    from viewscribe.cli.completion import QuotingBash

    monkeypatch.setenv("COMP_WORDS", f"viewscribe\nshow\ndev\n{written}")
    monkeypatch.setenv("COMP_CWORD", "3")
    assert QuotingBash(app, {}, "viewscribe", "_VIEWSCRIBE_COMPLETE").complete() == ""


def test_names_of_several_lines_are_not_completed(awkward, complete):
    assert set(complete("show", "dev", "odd")) == awkward
