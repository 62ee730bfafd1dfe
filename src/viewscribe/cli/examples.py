"""Examples for the help of the commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

FIRST_STEPS = (
    "viewscribe init",
    "viewscribe list ./views",
    "viewscribe sql ./views sales.young --style pipe",
    "viewscribe verify ./views",
)
"""What the help of the whole program shows."""

EXAMPLES: dict[str, Sequence[str]] = {
    "list": ("viewscribe list ./views", "viewscribe list prod --kind view --json"),
    "show": ("viewscribe show ./views sales.young",),
    "sql": (
        "viewscribe sql ./views sales.young",
        "viewscribe sql ./views sales.young --style pipe",
    ),
    "lineage": (
        "viewscribe lineage ./views sales.young.name",
        "viewscribe lineage ./views sales.customers.name --downstream",
        "viewscribe lineage ./views sales.young --mermaid",
    ),
    "log": ("viewscribe log ./views sales.young",),
    "diff": (
        "viewscribe diff ./views sales.young@1 sales.young@2",
        "viewscribe diff dev prod",
    ),
    "site": ("viewscribe site ./views -o site", "viewscribe site prod -o site --title 'The shop'"),
    "init": ("viewscribe init", "viewscribe init my-project"),
    "save": (
        "viewscribe save pipelines:young sales.young --catalog ./views",
        "viewscribe save pipelines:young --dry-run",
    ),
    "import": ("viewscribe import ./queries --into ./views",),
    "export": (
        "viewscribe export ./views --to dbt -o project",
        "viewscribe export ./views sales.young --iceberg young.metadata.json",
    ),
    "accept": ("viewscribe accept ./views sales.young --reason 'a comment corrected'",),
    "check": ("viewscribe check ./views", "viewscribe check ./queries --catalog ./views"),
    "test": (
        "viewscribe test ./views",
        "viewscribe test ./views sales.young --engine duckdb",
    ),
    "verify": (
        "viewscribe verify ./views",
        "viewscribe verify ./views sales.young --all-rows",
        "viewscribe verify prod --jobs 4 --record proofs.json --changed",
    ),
    "environments": ("viewscribe environments",),
    "plan": (
        "viewscribe plan dev prod -o release.json",
        "viewscribe plan dev prod -o release.json --html release.html",
    ),
    "apply": ("viewscribe apply release.json --dry-run", "viewscribe apply release.json"),
    "rollback": (
        "viewscribe rollback release.json",
        "viewscribe rollback ./views sales.young --to 1",
    ),
}
"""Command lines that do something, for each command."""


def write_examples(formatter: click.HelpFormatter, lines: Sequence[str]) -> None:
    """Writes a section of examples, each on a line that can be copied whole."""
    if lines:
        with formatter.section("Examples"):
            indent = " " * formatter.current_indent
            formatter.write("".join(f"{indent}{line}\n" for line in lines))
