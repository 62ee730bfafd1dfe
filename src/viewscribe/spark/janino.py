"""Small Java classes of ours, made in the driver.

For the newest Spark they come compiled, beside their sources: ``compiled.json``, which a test
compares byte by byte with what Janino makes of these. For every other Spark, and where a source was
changed, Janino compiles them in the driver, as Spark does for nearly every query it runs. That
takes half a second once for each JVM.

It is worth it: a plan of 1,000 operators is read in about 50 ms, where Spark's own
``toJSON`` takes ten times as long and loses local data, maps and binary literals, and a walk over
Py4J about a hundred times.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

from viewscribe.spark.classic import Py4JError

SOURCES: Final = {
    "PlanDump": "viewscribe.spark.capture.classic",
    "PlanTerms": "viewscribe.spark.proof",
    "QueryReach": "viewscribe.spark",
}
"""The packages of all classes of which there are objects."""

HELPERS: Final[Mapping[str, Sequence[str]]] = {
    "PlanDump": ("CatalogFunctions",),
    "PlanTerms": ("SessionSymbols",),
}
"""The classes of the same package that a class uses."""

_STORED = "compiled.json"
_compiled: dict[tuple[int, str], Any] = {}


class NotCompiledError(Exception):
    """The driver has no compiler, or does not let one use it."""


def java_object(jvm: Any, package: str, name: str) -> Any:
    """An object of the class in ``<package>/<name>.java``, the same one for each JVM.

    Args:
        jvm: Py4J's view of the driver.
        package: the Python package that the file is in.
        name: the simple name of the class; its Java package is ``viewscribe``.

    Raises:
        NotCompiledError: the driver does not let one compile, or has no Janino.
    """
    key = (id(jvm), name)
    if key not in _compiled:
        source, class_name = source_of(package, name), f"viewscribe.{name}"
        try:
            code = _stored_code(source, _spark_version(jvm))
            _compiled[key] = (
                _compile(jvm, source, class_name)
                if code is None
                else _define(jvm, code, class_name)
            )
        except Py4JError as error:
            raise NotCompiledError(str(error)) from error
    return _compiled[key]


def unpack(text: str) -> str:
    """The text that ``Packing.java`` has packed, if it was long."""
    return text if text.startswith("{") else zlib.decompress(b64decode(text)).decode()


def source_of(package: str, name: str) -> str:
    """The text that is compiled for a class."""
    own = [_source(package, each) for each in (name, *HELPERS.get(name, ()))]
    return "".join(own) + _source(__package__, "Packing")


def _source(package: str, name: str) -> str:
    return files(package).joinpath(f"{name}.java").read_text(encoding="utf-8")


def _spark_version(jvm: Any) -> str:
    return str(jvm.org.apache.spark.package.SPARK_VERSION())


def _compile(jvm: Any, source: str, class_name: str) -> Any:
    return _cook(jvm, source).getClassLoader().loadClass(class_name).newInstance()


def _cook(jvm: Any, source: str) -> Any:
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(_parent(jvm))
    compiler.cook(source)
    return compiler


def _define(jvm: Any, code: Mapping[str, bytes], class_name: str) -> Any:
    """An object of a class that was compiled before; ``code`` has all classes that it needs."""
    classes = jvm.java.util.HashMap()
    for name, each in code.items():
        classes.put(name, bytearray(each))
    loader = jvm.org.codehaus.commons.compiler.util.reflect.ByteArrayClassLoader
    return loader(classes, _parent(jvm)).loadClass(class_name).newInstance()


def _parent(jvm: Any) -> Any:
    return jvm.java.lang.Thread.currentThread().getContextClassLoader()


# -- what is compiled before -----------------------------------------------------------------------


def compiled_code(jvm: Any, source: str) -> dict[str, bytes]:
    """What Janino makes of a source, by the names of the classes."""
    code = _cook(jvm, source).getBytecodes()
    return {str(name): bytes(code[name]) for name in sorted(code)}


def dump_code(jvm: Any) -> str:
    """The text of ``compiled.json``: all classes as the Spark of this JVM needs them."""
    classes = {}
    for name, package in SOURCES.items():
        source = source_of(package, name)
        code = compiled_code(jvm, source)
        classes[_hash(source)] = {each: b64encode(code[each]).decode() for each in code}
    return json.dumps({"spark": _spark_version(jvm), "classes": classes}, indent=1) + "\n"


def _stored_code(source: str, version: str) -> dict[str, bytes] | None:
    """The compiled classes of a source; None for a Spark or a source that they are not made for.

    The methods that they call are found by their exact types, which another Spark may not have.
    """
    stored = json.loads(files(__package__).joinpath(_STORED).read_text(encoding="utf-8"))
    code = stored["classes"].get(_hash(source))
    if code is None or stored["spark"] != version:
        return None
    return {name: b64decode(each) for name, each in code.items()}


def _hash(source: str) -> str:
    return sha256(source.encode()).hexdigest()
