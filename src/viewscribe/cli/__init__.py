"""The command line: ``viewscribe list | show | sql | lineage | log | verify | check`` and more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0 done, 1 failed, 2 usage, 3 differences or findings."""
    import gc
    import sys
    import warnings

    from viewscribe.cli.app import app

    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # what libraries tell their developers
    # Documents are many small values without circles, which a search for circles goes through in
    # vain, again and again.
    gc.set_threshold(100_000)
    app.main(arguments)
