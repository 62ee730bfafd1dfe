"""Results as JSON on stdout, errors too."""

from __future__ import annotations

import json
import sys
from typing import Any

from viewscribe.cli.output.pages import Page
from viewscribe.cli.output.safe_text import escape
from viewscribe.errors import ViewscribeError


class JsonOutput:
    """Writes the data of a page, indented; nothing else goes to stdout."""

    def show(self, page: Page) -> None:
        _write(page.data)

    def error(self, error: ViewscribeError) -> None:
        _write({"error": error_data(error)})


def error_data(error: ViewscribeError) -> dict[str, Any]:
    """An error as every command writes it; ``others`` are those that were found with it."""
    data: dict[str, Any] = {
        "code": error.code,
        "message": error.message,
        "location": error.location,
        "hint": error.hint,
    }
    if error.others:
        data["others"] = [error_data(each) for each in error.others]
    return data


def _write(data: Any) -> None:
    # In JSON an escaped character is the same character, and steers no terminal.
    text = escape(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False))
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(data, indent=2, allow_nan=False)
    print(text, flush=True)
