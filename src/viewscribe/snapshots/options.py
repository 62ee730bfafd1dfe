"""The options of the pytest plugin."""

from __future__ import annotations

import pytest

ACCEPT = "viewscribe_accept"
PROVE = "viewscribe_prove"

_ACCEPTED: dict[str | None, tuple[str, ...]] = {
    None: (),
    "same-tree": ("same tree",),
    "same-meaning": ("same tree", "same meaning"),
}


def add_options(parser: pytest.Parser) -> None:
    """Adds the options to pytest's command line and its settings."""
    group = parser.getgroup("viewscribe", "snapshots of views")
    group.addoption(
        "--snapshot-accept",
        dest=ACCEPT,
        default=None,
        choices=[each for each in _ACCEPTED if each],
        help="update approved SQL whose change is proven to be cosmetic: of the layout alone "
        "(same-tree), or to another text of the same meaning (same-meaning)",
    )
    group.addoption(
        "--viewscribe-prove",
        dest=PROVE,
        action="store_true",
        help="ask Spark about changed SQL that is not proven to mean the same without it",
    )
    parser.addini(
        "view_tables",
        type="linelist",
        default=[],
        help="tables of view_env, one a line: orders(id INT, amount DOUBLE), a catalog "
        "(file:./views) or an environment of viewscribe.yaml",
    )


def accepted_kinds(choice: str | None) -> tuple[str, ...]:
    """Returns the kinds of verdicts whose change is accepted without a look."""
    return _ACCEPTED[choice]
