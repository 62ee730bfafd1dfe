"""Results as JSON on stdout, errors too."""

from __future__ import annotations

import json
import sys
from typing import Any

from viewscribe.cli.output.pages import Page
from viewscribe.cli.output.texts import escaped
from viewscribe.errors import ViewscribeError


class JsonOutput:
    """Writes the data of a page, indented; nothing else goes to stdout."""

    def show(self, page: Page) -> None:
        _write(page.data)

    def error(self, error: ViewscribeError) -> None:
        _write({"error": error_data(error)})


def error_data(error: ViewscribeError) -> dict[str, str | None]:
    """An error as every command writes it."""
    return {
        "code": error.code,
        "message": error.message,
        "location": error.location,
        "hint": error.hint,
    }


def _write(data: Any) -> None:
    # In JSON an escaped character is the same character, and steers no terminal.
    text = escaped(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(data, indent=2, allow_nan=False)
    print(text, flush=True)
