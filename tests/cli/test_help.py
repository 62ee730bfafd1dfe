"""The help: topics, examples, environments."""

from __future__ import annotations

import shlex

import click
import pytest

from viewscribe.cli.app import app
from viewscribe.cli.commands import COMMANDS, TOPICS
from viewscribe.cli.examples import EXAMPLES, FIRST_STEPS


def test_every_command_is_in_one_topic(run):
    text = run("--help").stdout
    assert sum(map(len, TOPICS.values())) == len(COMMANDS)
    for topic, places in TOPICS.items():
        assert f"\n{topic}:\n" in text
        for name, place in places.items():
            assert f"  {name} " in text
            assert len(f"  {name:12}  {place.summary}") <= 78, "is folded in a usual terminal"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_shows_its_examples(run, name):
    text = run(name, "--help").stdout
    assert EXAMPLES[name]
    for line in EXAMPLES[name]:
        assert f"  {line}\n" in text
        assert shlex.split(line)[1] == name


@pytest.mark.parametrize("line", [*FIRST_STEPS, *(each for of in EXAMPLES.values() for each in of)])
def test_examples_are_right_usage(line):
    program, name, *arguments = shlex.split(line)
    assert program == "viewscribe"
    command = app.get_command(click.Context(app), name)
    assert command is not None
    with command.make_context(name, arguments) as context:
        assert not context.args


def test_environments(run, run_json, place, monkeypatch):
    monkeypatch.setenv("SECRET", "hidden")
    (place / "viewscribe.yaml").write_text(
        "schema_version: 1\nenvironments:\n"
        "  dev:\n    catalog: file:./views\n    python_modules: [shop]\n"
        "  prod:\n    catalog: postgresql://me:${env:SECRET}@db/views\n"
        "    spark: {a.b: 1}\n"
    )
    result = run("environments")
    assert result.stdout == (
        "NAME  CATALOG                       CALLED         MORE\n"
        "dev   file:./views                  spark_catalog  1 Python module\n"
        "prod  postgresql://me:***@db/views  spark_catalog  1 Spark setting\n\n"
        "2 environments in viewscribe.yaml.\n"
    )
    data = run_json("environments")
    assert [each["name"] for each in data["environments"]] == ["dev", "prod"]
    assert "hidden" not in str(data)


def test_there_are_no_environments(run):
    result = run("environments")
    assert result.exit_code == 2
    assert "there is no viewscribe.yaml here or above" in result.stderr
