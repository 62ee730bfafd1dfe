"""What import-linter must see: no room reaches another by the text of its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import viewscribe

ROOT = Path(viewscribe.__file__).parent


def test_no_room_imports_another_by_a_string() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in ROOT.rglob("*.py")
        if path.parent != ROOT  # what the package offers lazily stands under TYPE_CHECKING, too
        for name in _imported_by_string(path)
        if not name.startswith(f"viewscribe.{path.relative_to(ROOT).parts[0]}.")
    ]
    assert not found


def _imported_by_string(path: Path) -> Iterator[str]:
    """Names of modules of ours, or how they begin, that are given to ``import_module``."""
    text = path.read_text(encoding="utf-8")
    if "import_module" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            name = node.args[0]
            first = name.values[0] if isinstance(name, ast.JoinedStr) else name
            if isinstance(first, ast.Constant) and str(first.value).startswith("viewscribe"):
                yield str(first.value)
