"""``docs/functions.md``, made from the registry."""

from __future__ import annotations

from pathlib import Path

from viewscribe.errors import ViewscribeError
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.registry import FAMILIES, all_built_ins
from viewscribe.expressions.nodes import FieldReference, Literal
from viewscribe.serializer.literals import Fragment
from viewscribe.serializer.syntaxes import UNPARSERS
from viewscribe.types import STRING

PAGE = Path(__file__).resolve().parents[2] / "docs" / "functions.md"

# ruff: noqa: E501 (the text of a page has the width of a page)
HEAD = """# Functions

Every built-in function of Spark 4.3 that viewscribe knows: {functions} functions under {names} names, operators included. A test compares
the list with the running Spark's own and fails where one is missing or too many.

- `functions.name(…)` takes PySpark's arguments, `call("name", …)` Spark SQL's, `col("x").name(…)` the first one as the column.
- A declarative function is none of Spark's: it is said with Spark's own when the call is resolved.
- **written** is how a call looks in the SQL text.
- In a signature, arguments in brackets may be left out, and `…` says that the last one may be repeated.

This page is generated: `make snapshots` rewrites it.
"""

_KINDS = {
    FunctionKind.SCALAR: "scalar",
    FunctionKind.AGGREGATE: "aggregate",
    FunctionKind.WINDOW: "window",
    FunctionKind.GENERATOR: "generator",
    FunctionKind.TABLE: "table",
    FunctionKind.DECLARATIVE: "declarative",
}


def functions_page() -> str:
    """The whole page."""
    found = all_built_ins()
    definitions = {id(each): each for each in found.values()}.values()
    by_family: dict[str, list[FunctionDefinition]] = {}
    for each in definitions:
        by_family.setdefault(_family(each), []).append(each)
    parts = [HEAD.format(functions=len(definitions), names=len(found))]
    for family in sorted(by_family):
        parts.append(f"\n## {family.replace('_', ' ').capitalize()}\n\n")
        parts.append("| function | kind | written | what it gives | since |\n")
        parts.append("| --- | --- | --- | --- | --- |\n")
        parts += [_row(each) for each in sorted(by_family[family], key=lambda f: f.name)]
    return "".join(parts)


def _family(definition: FunctionDefinition) -> str:
    return _FAMILY_OF[id(definition)]


def _families() -> dict[int, str]:
    from importlib import import_module

    all_built_ins()
    found: dict[int, str] = {}
    for name in FAMILIES:
        module = import_module(f"viewscribe.expressions.functions.builtin.{name}")
        for value in vars(module).values():
            for each in value if isinstance(value, list | tuple) else [value]:
                if isinstance(each, FunctionDefinition):
                    found.setdefault(id(each), name)
    for each in all_built_ins().values():
        found.setdefault(id(each), "misc")
    return found


_FAMILY_OF = _families()


def _row(definition: FunctionDefinition) -> str:
    names = f"`{definition.signature}`"
    if definition.aliases:
        names += "; also " + ", ".join(f"`{alias}`" for alias in definition.aliases)
    kind = _KINDS[definition.kind] + ("" if definition.deterministic else ", by chance")
    written = _written(definition)
    shown = written if definition.kind is FunctionKind.DECLARATIVE else f"`{written}`"
    cells = (names, kind, shown, definition.doc, definition.since)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _written(definition: FunctionDefinition) -> str:
    """A call of it over columns named a, b, c …"""
    if definition.kind is FunctionKind.DECLARATIVE:
        return "with Spark's own functions"
    inference = definition.inference
    count = max(inference.required, 1 if inference.arguments else 0)
    if inference.variadic and count < 2:
        count = 2
    for wanted in (count, inference.required):
        columns = [FieldReference(place, "abcdefghij"[place], STRING) for place in range(wanted)]
        literals = [Literal(column.name, STRING) for column in columns]
        for args in (columns, literals):
            operands = [Fragment(column.name) for column in columns]
            syntax = definition.syntax
            try:
                made = UNPARSERS[type(syntax)](syntax, definition, args, operands)
                return str(made.render()).replace("\n", " ")
            except (ViewscribeError, AttributeError, IndexError, TypeError, ValueError):
                continue
    return f"{definition.sql_name}(…)"
