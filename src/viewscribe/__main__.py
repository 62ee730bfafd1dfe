"""``python -m viewscribe``: the command line."""

from __future__ import annotations

from viewscribe.cli import main

if __name__ == "__main__":
    main()
