"""What Spark's Python workers need to call functions: asked for once, and sent on demand.

Functions travel by reference to their module, as everything that can be imported does. Workers of
another machine have neither the modules of a user nor viewscribe, unless they were installed or
sent there; Spark would say so once a task, in sixty lines each. So a small job asks first, once for
each session and module. Workers of a local master are of this process's own interpreter.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import pickletools
import shutil
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.python_modules import with_implementation
from viewscribe.expressions.functions.user_defined import Convention, Language, UserFunction
from viewscribe.spark.error_logging import silence_errors
from viewscribe.spark.errors import MissingOnWorkersError
from viewscribe.spark.java_classes import is_classic
from viewscribe.spark.session import SPARK_ERRORS, first_line
from viewscribe.version import __version__

_OURS = "viewscribe"
_DRIVER = "viewscribe.spark.process.tasks"
"""The module that runs process table functions on workers."""

_ASKED = 4
"""How many tasks are asked; more executors than that are rarely made in another way."""

_found: WeakKeyDictionary[SparkSession, dict[str, bool]] = WeakKeyDictionary()
"""The modules that the workers of a session are known to have, and whether they were sent."""

_sent: WeakKeyDictionary[SparkSession, set[str]] = WeakKeyDictionary()


def require_on_workers(functions: Iterable[UserFunction], spark: SparkSession) -> None:
    """Asks the workers of a session for the modules that Python functions need.

    Raises:
        MissingOnWorkersError: they lack one, or are of another Python; says what to do.
        ForbiddenModuleError, ChangedFunctionError: a function may not be called at all.
    """
    if _are_own(spark):
        return
    needed = _needed(functions)
    known = _found.setdefault(spark, {})
    asked = sorted(needed.keys() - known)
    if not asked:
        return
    for answer in _ask(spark, asked):
        for module, missing in answer["missing"].items():
            raise _missing(needed[module], module, *missing, spark=spark)
        ours = answer["viewscribe"]
        if ours not in (None, __version__):
            raise MissingOnWorkersError(
                f"the Python workers of this Spark have viewscribe {ours}, and this is "
                f"{__version__}",
                hint=f"send them this one: {_send()}",
            )
        known.update({module: module in answer["sent"] for module in asked})


def refuse_sent_in_stream(functions: Iterable[UserFunction], frame: DataFrame) -> None:
    """Refuses a stream of Spark Connect whose functions are in modules that were sent to workers.

    A query over a stream runs in a session of its own. Spark 4.3 names the files of the first one
    to its workers, which then look for them beside those of no session (tried with 4.3.0).

    Raises:
        MissingOnWorkersError: it is one.
    """
    spark = frame.sparkSession
    sent = {module for module, is_sent in _found.get(spark, {}).items() if is_sent}
    if not sent or is_classic(spark):
        return
    modules = sorted(sent & _needed(functions).keys())
    if modules and frame.isStreaming:
        raise MissingOnWorkersError(
            f"a stream of Spark Connect does not find what was sent to its workers, and "
            f"{', '.join(modules)} was",
            hint="install it where the workers run, or write the stream in a classic session",
        )


def _needed(functions: Iterable[UserFunction]) -> dict[str, UserFunction]:
    """The modules that functions need, each with one that does."""
    python = [each for each in functions if each.source.language is Language.PYTHON]
    return {each: one for one in map(with_implementation, python) for each in _modules_of(one)}


def send_modules(spark: SparkSession, *modules: str) -> None:
    """Sends viewscribe, and modules of one's own, to the workers of a session.

    Args:
        spark: a session, of Spark Connect or of a cluster.
        modules: names of modules or packages, of pure Python: all of a package is sent.

    Raises:
        ValidationError: a module is not found, or is compiled.
    """
    archive = _archive([_OURS, *(each.partition(".")[0] for each in modules)])
    sent = _sent.setdefault(spark, set())
    if archive.name in sent:
        return
    session: Any = spark
    if is_classic(spark):
        session.sparkContext.addPyFile(str(archive))
    else:
        session.addArtifacts(str(archive), pyfile=True)
    sent.add(archive.name)


def _are_own(spark: SparkSession) -> bool:
    """Whether the workers are started by this process, with its own interpreter."""
    if not is_classic(spark):
        return False
    master = spark.sparkContext.master
    return master is None or master == "local" or master.startswith("local[")


# -- what a function needs -------------------------------------------------------------------------


def _modules_of(function: UserFunction) -> Iterator[str]:
    """The modules that a worker must import, but for those that every worker has."""
    if function.source.kind is FunctionKind.PROCESS_TABLE:
        yield _DRIVER
    if function.source.convention is Convention.ASYNC:
        from viewscribe.spark.async_functions import runtime

        runtime(function)  # what it is made of travels by value
    yield from _modules_in(cloudpickle.dumps(function.source.implementation))  # type: ignore[no-untyped-call]


_EVERYWHERE = {*sys.stdlib_module_names, "pyspark", "py4j"}
_STRINGS = ("SHORT_BINUNICODE", "BINUNICODE", "UNICODE")


def _modules_in(pickled: bytes) -> set[str]:
    """The modules of whose contents something is pickled by reference."""
    found: set[str] = set()
    texts: list[str] = []
    memo: list[str | None] = []
    last: str | None = None
    for code, value, _ in pickletools.genops(pickled):
        if code.name in _STRINGS:
            last = str(value)
            texts.append(last)
        elif code.name == "MEMOIZE":
            memo.append(last)
        elif code.name in ("BINGET", "LONG_BINGET") and memo[int(value or 0)] is not None:
            last = memo[int(value or 0)]
            texts.append(str(last))
        elif code.name == "STACK_GLOBAL":
            found.add(texts[-2])
            last = None
        elif code.name not in ("FRAME", "PROTO"):
            if code.name == "TUPLE1" and len(texts) > 1 and texts[-2] == "subimport":
                found.add(texts[-1])
            last = None
    return {each for each in found if each.partition(".")[0] not in _EVERYWHERE}


# -- asking ----------------------------------------------------------------------------------------


def _ask(spark: SparkSession, modules: Sequence[str]) -> list[dict[str, Any]]:
    """What workers say of modules: one answer a task.

    Raises:
        MissingOnWorkersError: they cannot answer.
    """
    names = tuple(modules)

    def look(_: int) -> str:
        import importlib
        import json
        import sys

        from pyspark import SparkFiles

        missing = {}
        for name in names:
            try:
                importlib.import_module(name)
            except Exception as error:  # whatever it is, it is told
                kind = type(error).__name__
                missing[name] = (getattr(error, "name", None), f"{kind}: {error}")
        version = getattr(sys.modules.get("viewscribe.version"), "__version__", None)
        root = SparkFiles.getRootDirectory()
        places = {name: str(getattr(sys.modules.get(name), "__file__", "")) for name in names}
        sent = [name for name, place in places.items() if place.startswith(root)]
        return json.dumps({"missing": missing, "viewscribe": version, "sent": sent})

    asked = F.udf(look, "string", useArrow=False)
    try:
        with silence_errors():
            rows = spark.range(0, _ASKED, 1, _ASKED).select(asked("id")).collect()
    except SPARK_ERRORS as error:
        raise _no_answer(error) from error
    return [json.loads(row[0]) for row in rows]


def _no_answer(error: Exception) -> MissingOnWorkersError:
    lines = [line.strip() for line in str(error).splitlines()]
    version = next((line for line in lines if "PYTHON_VERSION_MISMATCH" in line), None)
    if version is None:
        return MissingOnWorkersError(
            f"the Python workers of this Spark do not run: {first_line(error)}",
            hint="see that it runs a function of Python at all: spark.udf.register(…)",
        )
    told = version[version.index("[PYTHON_VERSION_MISMATCH]") :]
    return MissingOnWorkersError(
        f"functions of this Python cannot be called by the workers of this Spark: {told}",
        hint="run this with the workers' Python, or have them run this one: PYSPARK_PYTHON, or "
        "spark.pyspark.python, where the cluster or the server is started",
    )


def _missing(
    function: UserFunction, module: str, name: str | None, told: str, *, spark: SparkSession
) -> MissingOnWorkersError:
    """The error for a module that workers cannot import; ``name`` is that of a missing one."""
    what = name or module
    top = what.partition(".")[0]
    who = f"which runs {function!r}" if module == _DRIVER else f"for {function!r} of {module}"
    if name is None:
        problem = f"the Python workers of this Spark cannot import {module}: {told}"
    else:
        problem = f"the Python workers of this Spark have no module {what}, {who}"
    if top == _OURS:
        hint = f"send it: {_send()}, or install viewscribe=={__version__} there"
    elif _is_installed(top):
        hint = f"install {top} where the workers run; what is of Python alone can be sent: "
        hint += _send(top)
    else:
        hint = f"send it: {_send(top)}, or {_by_hand(spark, top)}"
    return MissingOnWorkersError(problem, hint=hint)


def _send(*modules: str) -> str:
    listed = "".join(f', "{each}"' for each in modules)
    return f"vs.send_modules(spark{listed})"


def _by_hand(spark: SparkSession, module: str) -> str:
    if is_classic(spark):
        return f'spark.sparkContext.addPyFile("{module}.py"), or --send-module {module}'
    return f'spark.addArtifacts("{module}.py", pyfile=True), or --send-module {module}'


def _is_installed(module: str) -> bool:
    """Whether a module is a package's that was installed, and not the user's own."""
    spec = find_spec(module)
    packages = {sysconfig.get_path(each) for each in ("purelib", "platlib")}
    return spec is not None and any(str(spec.origin).startswith(each) for each in packages)


# -- sending ---------------------------------------------------------------------------------------


def _archive(modules: Sequence[str]) -> Path:
    """A file with the modules, named by its contents, which stays until this process ends."""
    place = Path(tempfile.mkdtemp(prefix="viewscribe-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    draft = place / "modules.zip"
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        for module in dict.fromkeys(modules):
            for name, path in _files_of(module):
                archive.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED)
    digest = hashlib.sha256(draft.read_bytes()).hexdigest()[:16]
    return draft.rename(place / f"modules-{digest}.zip")


def _files_of(module: str) -> Iterator[tuple[str, Path]]:
    """The files of a module or package, and their names in an archive."""
    spec = find_spec(module)
    if spec is None:
        raise ValidationError(
            f"there is no module {module} to send", hint="put its directory on sys.path"
        )
    if not spec.submodule_search_locations:
        yield f"{module}.py", _source(module, Path(str(spec.origin)))
        return
    for place in map(Path, spec.submodule_search_locations):
        for path in sorted(place.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield f"{module}/{path.relative_to(place).as_posix()}", _source(module, path)


def _source(module: str, path: Path) -> Path:
    if path.suffix in (".so", ".pyd") or not path.is_file():
        raise ValidationError(
            f"the module {module} is compiled, or no file: {path}",
            hint="install it where Spark's workers run",
        )
    return path
