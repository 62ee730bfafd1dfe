"""Small Java classes of ours, compiled in the driver by Janino.

Spark compiles Java with the same compiler for nearly every query it runs. It takes half a second
once for each JVM; then a plan of 1,000 operators is read in about 50 ms, where Spark's own
``toJSON`` takes ten times as long and loses local data, maps and binary literals, and a walk over
Py4J about a hundred times.
"""

from __future__ import annotations

import zlib
from base64 import b64decode
from importlib.resources import files
from typing import Any

from py4j.protocol import Py4JError

_compiled: dict[tuple[int, str], Any] = {}


class NotCompiledError(Exception):
    """The driver has no compiler, or does not let one use it."""


def java_object(jvm: Any, package: str, name: str, *helpers: str) -> Any:
    """An object of the class in ``<package>/<name>.java``, the same one for each JVM.

    Args:
        jvm: Py4J's view of the driver.
        package: the Python package that the file is in.
        name: the simple name of the class; its Java package is ``viewscribe``.
        helpers: classes of the same Python package that it uses.

    Raises:
        NotCompiledError: the driver does not let one compile, or has no Janino.
    """
    key = (id(jvm), name)
    if key not in _compiled:
        own = "".join(_source(package, each) for each in (name, *helpers))
        source = own + _source(__package__, "Packing")
        try:
            _compiled[key] = _compile(jvm, source, f"viewscribe.{name}")
        except Py4JError as error:
            raise NotCompiledError(str(error)) from error
    return _compiled[key]


def unpack(text: str) -> str:
    """The text that ``Packing.java`` has packed, if it was long."""
    return text if text.startswith("{") else zlib.decompress(b64decode(text)).decode()


def _source(package: str, name: str) -> str:
    return files(package).joinpath(f"{name}.java").read_text(encoding="utf-8")


def _compile(jvm: Any, source: str, class_name: str) -> Any:
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jvm.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook(source)
    return compiler.getClassLoader().loadClass(class_name).newInstance()
