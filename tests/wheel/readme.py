"""Runs README.md as a reader would: its Python in this process, its commands as commands.

For an environment that has no pytest and none of the extras.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import viewscribe
from tests.docs.pages import ROOT, Page

README = ROOT / "README.md"


class Installed(Page):
    """A page whose commands are those that pip has installed beside this Python."""

    def _command(self, line: str) -> str:
        program, *arguments = shlex.split(line)
        if program != "viewscribe":
            return super()._command(line)
        command = [str(Path(sys.executable).with_name(program)), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        # Java and Spark write there, too, and a reader sees it; the page does not show it.
        told = [each for each in done.stderr.splitlines() if each in self._text]
        return "".join(f"{each}\n" for each in told) + done.stdout


def main() -> None:
    """Ends with what README.md should say, where it says something else."""
    assert Path(viewscribe.__file__).is_relative_to(sys.prefix), viewscribe.__file__
    shown = README.read_text(encoding="utf-8")
    found = Installed(shown, README.name).run()
    assert found == shown, found


if __name__ == "__main__":
    main()
