"""The type stubs of functions and of the methods of expressions, made from the registry.

``functions.pyi`` and ``expressions/methods.pyi`` tell mypy, pyright and editors every name, how
many arguments it takes, and what it gives.
"""

from __future__ import annotations

import inspect
import keyword
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from viewscribe import functions as F
from viewscribe.expressions.dsl import Expression
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.registry import all_methods, find_built_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SOURCES = Path(__file__).resolve().parents[2] / "src" / "viewscribe"
FUNCTIONS = _SOURCES / "functions.pyi"
METHODS = _SOURCES / "expressions" / "methods.pyi"

_BUILTINS = re.compile(r"\b(bool|bytes|dict|float|int|list|object|str|tuple)\b")
_PYTHON_TYPES = ("float", "int")
"""Functions of these names are there, and a star import leaves Python's types as they are."""


WRITTEN_OUT: frozenset[str] = vars(F)["_WRITTEN_OUT"]
"""Functions whose signature is not the one that the registry tells."""


def functions_stub() -> str:
    """The text of ``functions.pyi``."""
    names = sorted({*F.__dir__(), *_PYTHON_TYPES})
    imported = [name for name in names if _home(name) not in (None, F.__name__)]
    parts = [
        '"""Every Spark built-in under its Spark name. Generated: `make snapshots` rewrites it."""',
        "",
        "import builtins",
        "from collections.abc import Callable, Mapping, Sequence",
        "from typing import Any",
        "",
        *(_import(name) for name in imported),
        "from viewscribe.expressions.dsl import CallExpression, Operand, SortExpression",
        "from viewscribe.types.nested_types import LogicalType",
        "",
        "__all__ = [",
        *(f'    "{name}",' for name in F.__dir__()),
        "]",
        "",
    ]
    here = [name for name in names if name not in imported]
    for name in sorted(here, key=_is_alias):
        parts += _written_out(name) if name in WRITTEN_OUT else _of_registry(name)
    return "\n".join(parts) + "\n"


def methods_stub() -> str:
    """The text of ``methods.pyi``."""
    parts = [
        '"""The functions as methods of expressions. Generated: `make snapshots` rewrites it."""',
        "",
        "import msgspec",
        "",
        "from viewscribe.expressions.dsl import CallExpression, Operand",
        "",
        "class FunctionMethods(msgspec.Struct, eq=False):",
        '    """What ``Expression`` finds in the registry when it is asked for a method."""',
        "",
    ]
    for name, definition in sorted(all_methods().items()):
        if _is_method(name, definition):
            signature = _method_signature(definition)
            parts += [f"    def {name}({signature}) -> CallExpression:", _doc(definition, 8)]
    return "\n".join(parts) + "\n"


def _home(name: str) -> str | None:
    """The module in which a function is written out; None where it comes from the registry."""
    return vars(F)[name].__module__ if name in WRITTEN_OUT else None


def _is_alias(name: str) -> bool:
    """Whether it is another name of a function that is written out; the function comes first."""
    return name in WRITTEN_OUT and vars(F)[name].__name__ != name


def _import(name: str) -> str:
    function = vars(F)[name]
    return f"from {function.__module__} import {function.__name__} as {name}"


def _written_out(name: str) -> list[str]:
    function: Callable[..., Any] = vars(F)[name]
    if function.__name__ != name:
        return [f"{name} = {function.__name__}"]
    shown = ", ".join(
        _BUILTINS.sub(r"builtins.\1", str(each)) if each.annotation is each.empty else _typed(each)
        for each in inspect.signature(function).parameters.values()
    )
    gives = function.__annotations__["return"]
    doc = (function.__doc__ or "").strip().split("\n")[0]
    return [f"def {name}({shown}) -> {gives}:", f'    """{doc}"""']


def _typed(parameter: inspect.Parameter) -> str:
    star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
    type_ = _BUILTINS.sub(r"builtins.\1", str(parameter.annotation))
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    return f"{star}{parameter.name}: {type_}{default}"


def _of_registry(name: str) -> list[str]:
    definition = find_built_in(vars(F)["_OTHER_NAMES"].get(name, name))
    assert definition is not None
    inference = definition.inference
    names = list(vars(F)["_OF_ALIASES"].get(name, definition.parameter_names))
    if names and inference.variadic:
        shown = [*_named(names, inference.required), "*cols: Operand"]
    elif names:
        shown = list(_named(names, inference.required))
    elif inference.variadic:
        first = ["col: Operand", "/"] if inference.required else []
        shown = [*first, "*cols: Operand"]
    else:
        # The key of WITHIN GROUP may be an argument, or what within_group(…) is given.
        required = inference.required - definition.within_group
        shown = _by_place(len(inference.arguments), required)
    return [f"def {name}({', '.join(shown)}) -> CallExpression:", _doc(definition, 4)]


def _method_signature(definition: FunctionDefinition) -> str:
    inference = definition.inference
    required, most = max(inference.required - 1, 0), max(len(inference.arguments) - 1, 0)
    names = [each if isinstance(each, str) else each[0] for each in definition.parameters]
    if inference.variadic:
        shown = [*_by_place(required, required), "*cols: Operand"]
    elif names:
        shown = list(_named(names[1:], required))
    else:
        shown = _by_place(most, required)
    if definition.kind is FunctionKind.DECLARATIVE:
        shown.append("**options: Operand")
    return ", ".join(["self", *shown])


def _named(names: list[str], required: int) -> Iterator[str]:
    for place, name in enumerate(names):
        yield f"{name}: Operand" + (" = None" if place >= required else "")


def _by_place(count: int, required: int) -> list[str]:
    names = ["col"] if count == 1 else [f"col{place}" for place in range(1, count + 1)]
    shown = list(_named(names, required))
    return [*shown, "/"] if shown else []


def _is_method(name: str, definition: FunctionDefinition) -> bool:
    if not name.isidentifier() or keyword.iskeyword(name) or name in dir(Expression):
        return False
    return definition.kind is not FunctionKind.TABLE


def _doc(definition: FunctionDefinition, indent: int) -> str:
    text = f"{definition.signature}: {definition.doc}".replace("\\", "\\\\").replace('"""', "'''")
    return f'{" " * indent}"""{text}"""'


def formatted(text: str) -> str:
    """The text as the linter wants it: the imports that are used, laid out by ruff."""
    for options in (["check", "--fix", "--quiet", "--select", "F401,I001"], ["format"]):
        command = [sys.executable, "-m", "ruff", *options, "--stdin-filename", str(METHODS), "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        text = done.stdout
    return text
