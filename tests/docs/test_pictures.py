"""The pictures of the documentation are what their commands show now, and load nothing."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tools.pictures import PICTURES, WINDOW, record_terminal, without_fonts
from tools.site_checks import find_network_loads


@pytest.mark.slow("runs commands that start Spark")
@pytest.mark.usefixtures("spark")
def test_the_terminal_is_recorded_from_what_commands_write_now(tmp_path: Path):
    shown = (PICTURES / "terminal.svg").read_text(encoding="utf-8")
    assert record_terminal(tmp_path) == shown, "make pictures"


def test_the_page_is_a_picture():
    """Its bytes depend on the fonts of the machine; its size does not."""
    head = (PICTURES / "lineage.png").read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert ",".join(map(str, struct.unpack(">II", head[16:]))) == WINDOW


def test_a_picture_loads_no_fonts():
    face = '<style>@font-face { src: url("https://a.b/c.woff2") }\n.a { font: Fira Code }</style>'
    assert without_fonts(face) == "<style>\n.a { font: ui-monospace, Menlo, Consolas }</style>"
    assert not list(find_network_loads(PICTURES))
