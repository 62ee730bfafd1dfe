"""The command line: ``viewscribe list | show | sql | lineage | log | verify | check`` and more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and exits: 0 done, 1 failed, 2 usage, 3 differences or findings."""
    import gc
    import sys
    import warnings

    from viewscribe.cli.app import app

    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # deprecation warnings of libraries are not for our users
    # Documents are many small values without reference cycles; the cycle collector would scan them
    # over and over for nothing.
    gc.set_threshold(100_000)
    app.main(arguments)
