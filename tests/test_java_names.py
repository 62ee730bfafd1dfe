"""Names of Java that are asked for once: those that stay what they are."""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import JavaClass, JavaPackage

from tests.java_names import _remembering


class Names:
    """Says of each name what it stands for, and counts the questions."""

    def __init__(self, **kinds: type[JavaClass | JavaPackage]) -> None:
        self._kinds = kinds
        self.asked: list[str] = []

    def _find(self, name: str) -> Any:
        self.asked.append(name)
        return object.__new__(self._kinds[name])

    def __getattr__(self, name: str) -> Any:
        return _ask_once(self, name)


_ask_once = _remembering(Names._find)


def test_packages_and_classes_are_asked_for_once() -> None:
    names = Names(org=JavaPackage, SparkContext=JavaClass, functions=JavaClass)
    for name in ("org", "SparkContext", "functions"):
        assert getattr(names, name) is getattr(names, name)
    assert names.asked == ["org", "SparkContext", "functions"]


def test_what_may_become_a_class_is_asked_for_again() -> None:
    names = Names(Unknown=JavaPackage)
    assert names.Unknown is not names.Unknown
    assert names.asked == ["Unknown", "Unknown"]
