"""The examples in PySpark's own documentation, read from the PySpark that is installed."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from doctest import DocTestParser, Example
from importlib import import_module
from typing import Any

CORPORA = {
    "DataFrame": "pyspark.sql.dataframe",
    "DataFrameNaFunctions": "pyspark.sql.dataframe",
    "DataFrameStatFunctions": "pyspark.sql.dataframe",
    "Column": "pyspark.sql.column",
    "GroupedData": "pyspark.sql.group",
    "Window": "pyspark.sql.window",
    "functions": "pyspark.sql.functions.builtin",
}
"""What is documented, and the module whose names its examples use."""


@dataclass(frozen=True, slots=True)
class Documented:
    """The examples of one method or function, which are run one after the other.

    Args:
        name: the method or function.
        steps: the examples.
        names: what the examples can use without importing it.
    """

    name: str
    steps: tuple[Example, ...]
    names: dict[str, Any] = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.name


def documented(corpus: str) -> list[Documented]:
    """What has examples, each text once: an alias shows those of what it stands for."""
    module = import_module(CORPORA[corpus])
    found: dict[str, Documented] = {}
    for name, text in _docstrings(corpus, module):
        steps = tuple(DocTestParser().get_examples(inspect.cleandoc(text)))
        if steps and text not in found:
            found[text] = Documented(f"{corpus}.{name}", steps, vars(module))
    return list(found.values())


def _docstrings(corpus: str, module: Any) -> Iterator[tuple[str, str]]:
    owner = module if corpus == "functions" else getattr(module, corpus)
    if owner is not module and owner.__doc__:
        yield "class", owner.__doc__
    for name, value in vars(owner).items():
        public = not name.startswith("_") or (name.startswith("__") and owner is not module)
        text = getattr(value, "__doc__", None)
        if public and _is_own(value, owner, module) and isinstance(text, str):
            yield name, text


def _is_own(value: Any, owner: Any, module: Any) -> bool:
    """Whether the module has it, and does not just import it."""
    if owner is not module:
        return callable(value) or isinstance(value, property | classmethod | staticmethod)
    return inspect.isfunction(value) and value.__module__ == module.__name__
