"""What import-linter must see: no room reaches another by the text of its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import grimp

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


def test_no_circle_has_more_than_ten_files() -> None:
    """Imports inside of functions count, those for annotations alone do not."""
    circles = [each for each in _circles(_imports()) if len(each) > 10]
    assert circles == []


def _imports() -> dict[str, set[str]]:
    """The modules that each module of ours imports, wherever it does."""
    graph = grimp.build_graph("viewscribe", exclude_type_checking_imports=True)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def _circles(imports: dict[str, set[str]]) -> list[set[str]]:
    """The strongly connected parts: what reaches a module, and is reached from it."""
    found, left = [], set(imports)
    backwards: dict[str, set[str]] = {module: set() for module in imports}
    for module, others in imports.items():
        for other in others:
            backwards[other].add(module)
    while left:
        module = left.pop()
        circle = _reached(module, imports) & _reached(module, backwards)
        left -= circle
        found.append(circle)
    return found


def _reached(start: str, edges: dict[str, set[str]]) -> set[str]:
    found, pending = {start}, [start]
    while pending:
        fresh = edges[pending.pop()] - found
        found |= fresh
        pending += fresh
    return found
