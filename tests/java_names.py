"""Names of Java that are asked for once.

Each dot of ``jvm.org.apache.spark.SparkContext`` is a question, and for each but the last Java
looks for a class of that name in all of Spark's 250 jars: a twentieth of all that it did for tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from py4j.java_gateway import JavaClass, JavaPackage, JVMView


def remember_java_names() -> None:
    """Keeps each package and each class where it was found."""
    for kind in (JVMView, JavaPackage):
        if not hasattr(kind.__getattr__, "remembers"):
            kind.__getattr__ = _remembering(kind.__getattr__)


def _remembering(find: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    def remember(self: Any, name: str) -> Any:
        found = find(self, name)
        # What is no class today may be one with the next jar, but no class is named like this.
        if isinstance(found, JavaClass) or (isinstance(found, JavaPackage) and name.islower()):
            vars(self)[name] = found
        return found

    remember.remembers = True  # type: ignore[attr-defined]
    return remember
