"""The steps of ``action.yml``, run as GitHub runs them: bash, its variables, files for outputs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}

_EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")


@dataclass
class Result:
    """What a step did."""

    code: int
    log: str
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""


@dataclass
class Job:
    """A job that uses the action.

    Args:
        checkout: the root of its repository.
        temporary: a directory that is not in it.
        inputs: the inputs that are given.
        github: the values of expressions that begin with ``github.``.
    """

    checkout: Path
    temporary: Path
    inputs: dict[str, str] = field(default_factory=dict)
    github: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)

    def run(self, name: str) -> Result:
        """Runs a step, whatever its condition."""
        step = STEPS[name]
        files = {kind: self.temporary / kind for kind in ("output", "summary", "path")}
        for file in files.values():
            file.write_text("")
        given = {key: self._evaluate(value) for key, value in step.get("env", {}).items()}
        script = self.temporary / "script.sh"
        script.write_text(step["run"], encoding="utf-8")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=self.checkout / self._evaluate(step.get("working-directory", ".")),
            env={**_outside(), **given, **self._variables(files)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        lines = files["output"].read_text(encoding="utf-8").splitlines()
        outputs = dict(line.split("=", 1) for line in lines)
        self.outputs[step.get("id", name)] = outputs
        summary = files["summary"].read_text(encoding="utf-8")
        return Result(done.returncode, done.stdout, outputs, summary)

    def _variables(self, files: dict[str, Path]) -> dict[str, str]:
        tools = [str(self.temporary / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
        return {
            "GITHUB_OUTPUT": str(files["output"]),
            "GITHUB_PATH": str(files["path"]),
            "GITHUB_STEP_SUMMARY": str(files["summary"]),
            "PATH": os.pathsep.join(tools),
            "RUNNER_TEMP": str(self.temporary),
        }

    def _evaluate(self, text: str) -> str:
        return _EXPRESSION.sub(lambda match: self._value(match[1]), text)

    def _value(self, expression: str) -> str:
        """The first of the values between ``||`` that is not empty."""
        for name in expression.split(" || "):
            kind, _, rest = name.partition(".")
            if kind == "inputs":
                value = self.inputs.get(rest, str(ACTION["inputs"][rest].get("default", "")))
                value = self._evaluate(value)
            elif kind == "github":
                value = self.github.get(rest, "")
            else:
                step, output = re.fullmatch(r"steps\.(\w+)\.outputs\.(\w+)", name).groups()  # type: ignore[union-attr]
                value = self.outputs[step].get(output, "")
            if value:
                return value
        return ""


def _outside() -> dict[str, str]:
    """The variables of this process, without those of a real run on GitHub."""
    return {key: value for key, value in os.environ.items() if not key.startswith("GITHUB_")}
