"""Python functions of catalogs: what can be stored, what is imported, and what is reported."""

from __future__ import annotations

import functools
import hashlib
import importlib
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import viewscribe as vs
from viewscribe import call, col
from viewscribe.errors import NotSerializableError, ValidationError
from viewscribe.expressions.functions.python import python_source
from viewscribe.expressions.functions.python_modules import (
    ChangedFunctionError,
    ChangedFunctionWarning,
    ForbiddenModuleError,
    MissingPythonFunctionError,
    PythonModules,
    modules_in_force,
    source_hash,
    stored_reference,
)
from viewscribe.expressions.functions.user_defined import FunctionParameter, FunctionSource
from viewscribe.types import STRING

TENTH = """
def tenth(x: float) -> float:
    return x / 10
"""


def shout(text: str) -> str:
    return text.upper()


class Shouting:
    def create_accumulator(self) -> list[str]:
        return []

    def accumulate(self, accumulator: list[str], text: str) -> None:
        accumulator.append(text)

    def get_value(self, accumulator: list[str]) -> str:
        return "".join(accumulator).upper()

    @staticmethod
    def twice(text: str) -> str:
        return text * 2

    def method(self, text: str) -> str:
        return text


def renamed(text: str) -> str:
    return text


hidden, renamed = renamed, shout


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Writes the text of a module ``shop.text``, which is imported anew then."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text("")

    def forget() -> None:
        for name in [each for each in sys.modules if each.partition(".")[0] == "shop"]:
            del sys.modules[name]

    def write(text: str) -> None:
        (tmp_path / "shop" / "text.py").write_text(textwrap.dedent(text))
        forget()

    yield write
    forget()


def stored(name: str = "tenth", **types: Any) -> FunctionSource:
    """What a catalog says of a function of the module."""
    import importlib

    found = getattr(importlib.import_module("shop.text"), name)
    source = python_source(found, **types)
    noted = msgspec.structs.replace(source, source_hash=source_hash(found), implementation=None)
    del sys.modules["shop.text"]
    return noted


# -- what can be stored ----------------------------------------------------------------------------


def test_a_reference_leads_back() -> None:
    here = __name__
    assert stored_reference(shout) == f"{here}:shout"
    assert stored_reference(Shouting) == f"{here}:Shouting"
    assert stored_reference(Shouting.twice) == f"{here}:Shouting.twice"


def nested() -> Any:
    def inner(text: str) -> str:
        return text

    return inner


class Local:
    @staticmethod
    def make() -> Any:
        class Inner(Shouting):
            pass

        return Inner


def of_main(text: str) -> str:
    return text


of_main.__module__ = "__main__"


@pytest.mark.parametrize(
    ("function", "reason", "way_out"),
    [
        (lambda text: text, "is a lambda", "write it with def"),
        (nested(), "is made inside another function", "at the top of a module"),
        (Local.make(), "is made inside another function", "at the top of a module"),
        (of_main, r"is of the running program \(__main__\)", "move it into a module"),
        (Shouting(), "is an object without a name", "a class that can be made without arguments"),
        (functools.partial(shout), "is an object without a name", "write a function"),
        (Shouting().method, "is not what its module has", "give what the module has"),
        (hidden, "is not what its module has", "give what the module has"),
    ],
)
def test_what_nobody_finds_again_is_refused(function: Any, reason: str, way_out: str) -> None:
    with pytest.raises(NotSerializableError, match=f"(?s){reason}.*{way_out}"):
        stored_reference(function)
    with pytest.raises(NotSerializableError, match=f"(?s)cannot be stored: .*{reason}"):
        vs.TableEnvironment().create_function(
            "f", python_source(function, parameters=["STRING"], returns="STRING")
        )


def test_a_function_without_source_is_refused() -> None:
    env = vs.TableEnvironment()
    with pytest.raises(NotSerializableError, match=r"(?s)no Python source.*of your own"):
        env.create_function("f", python_source(abs, parameters=["INT"], returns="INT"))


def test_the_hash_is_of_the_source_wherever_it_stands(module: Any) -> None:
    module("class Home:\n    @staticmethod\n    def f(x):\n        return x\n")
    from shop.text import Home  # type: ignore[import-not-found]

    expected = hashlib.sha256(b"@staticmethod\ndef f(x):\n    return x").hexdigest()
    assert source_hash(Home.f) == expected
    module("def f(x):\n    return x\n\n\n# a comment behind it\n")
    from shop.text import f

    assert source_hash(f) == hashlib.sha256(b"def f(x):\n    return x").hexdigest()


def test_the_hash_of_a_class_is_of_all_its_methods(module: Any) -> None:
    text = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return {}\n"
    hashes = []
    for number in (1, 2):
        module(text.format(number))
        from shop.text import A

        hashes.append(source_hash(A))
    assert hashes[0] != hashes[1]


# -- what is imported ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("allowed", "module", "allows"),
    [
        ((), "shop.text", False),
        (("shop",), "shop.text", True),
        (("shop",), "shop", True),
        (("shop.text",), "shop.text", True),
        (("shop.text",), "shop", False),
        (("shop",), "shopping", False),
        (("shop",), "my.shop", False),
        (("other", "shop"), "shop.text.deep", True),
    ],
)
def test_a_package_allows_what_is_in_it(allowed: Any, module: str, allows: bool) -> None:
    assert PythonModules(allowed).allows(module) is allows


@pytest.mark.parametrize("wrong", ["shop", [""], ["shop.*"], ["shop."], ["."], ["shop:f"]])
def test_what_is_no_list_of_modules(wrong: Any) -> None:
    with pytest.raises(ValidationError, match="python_modules"):
        PythonModules(wrong)
    with pytest.raises(ValidationError, match="python_modules"):
        vs.TableEnvironment(python_modules=wrong)


def test_nothing_is_imported_that_was_not_allowed(module: Any) -> None:
    module(TENTH)
    source = stored()
    expected = (
        r"(?s)sales.f is the Python function shop.text:tenth, and nobody has allowed the module "
        r'shop.text .*python_modules=\["shop.text"\].*--python-module shop.text'
    )
    for modules in (PythonModules(), PythonModules(["shop.other", "sho"])):
        with pytest.raises(ForbiddenModuleError, match=expected):
            modules.loaded("sales.f", source)
        assert "shop.text" not in sys.modules
    loaded = PythonModules(["shop"]).loaded("sales.f", source)
    assert loaded.implementation(5.0) == 0.5
    assert loaded.identity == source.identity


def test_what_the_program_has_needs_no_import(module: Any) -> None:
    module(TENTH)
    source = stored()
    from shop.text import tenth

    modules = PythonModules()
    modules.give(tenth)
    assert modules.loaded("f", source).implementation is tenth
    assert modules.and_also(["other"]).loaded("f", source).implementation is tenth
    given = PythonModules().with_given({"shop.text:tenth": tenth})
    assert given.loaded("f", source).implementation is tenth
    with pytest.raises(ForbiddenModuleError):
        PythonModules().loaded("f", source)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "AttributeError: module 'shop.text' has no attribute 'tenth'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("raise SystemError('no licence')", "SystemError: no licence"),
        ("raise SystemExit(0)", "SystemExit: 0"),
    ],
)
def test_an_import_that_fails_is_told(module: Any, text: str, cause: str) -> None:
    module(TENTH)
    source = stored()
    module(text)
    with pytest.raises(
        MissingPythonFunctionError, match=f"(?s)importing it fails: {cause}.*PYTHONP"
    ):
        PythonModules(["shop"]).loaded("f", source)


WITH_IMPORTS = """
import functools
import json
import os
from os import system

from viewscribe import async_udf

def own(x: str) -> str:
    return x

class Outer:
    @staticmethod
    def inside(x: str) -> str:
        return x

    class Client:
        run = staticmethod(os.system)

    @property
    def value(self):
        raise AssertionError("a property ran")

@functools.cache
def cached(x: str) -> str:
    return x

@async_udf
async def awaited(x: str) -> str:
    return x

again = own
client = Outer()
bound = functools.partial(os.system, "true")
"""

BUILT_IN = "viewscribe.expressions.functions.process.builtin.columns"


def said(reference: str, *names: str) -> FunctionSource:
    """What a catalog says that somebody wrote by hand: types, no hash."""
    parameters = tuple(FunctionParameter(name, STRING) for name in names or ("x",))
    source = python_source(len, parameters=["STRING"], returns="STRING")
    return msgspec.structs.replace(
        source, reference=reference, parameters=parameters, implementation=None
    )


@pytest.mark.parametrize(
    ("reference", "names"),
    [
        ("shop.text:os.system", ["command"]),
        ("shop.text:system", ["command"]),
        ("shop.text:__loader__.set_data", ["path", "data"]),
        (f"{BUILT_IN}:__loader__.set_data", ["path", "data"]),
    ],
)
def test_a_catalog_cannot_call_what_an_allowed_module_uses(
    module: Any, reference: str, names: list[str]
) -> None:
    module(WITH_IMPORTS)
    with pytest.raises(ForbiddenModuleError):
        PythonModules(["shop"]).loaded("f", said(reference, *names))


@pytest.mark.parametrize(
    "path",
    [
        "os.system",
        "system",
        "json.loads",
        "json.codecs.open",
        "functools.partial",
        "bound",
        "bound.func",
        "own.__globals__.get",
        "own.__call__",
        "own.__class__",
        "Outer.Client.run",
        "Outer.mro",
        "Outer.__subclasses__",
        "Outer.__class__",
        "Outer.value.fget",
        "client.value",
        "client.inside",
        "__builtins__.get",
        "__loader__.get_data",
        "__loader__.set_data",
        "__spec__.loader.exec_module",
    ],
)
def test_what_a_module_imports_is_not_its_own(module: Any, path: str) -> None:
    module(WITH_IMPORTS)
    with pytest.raises(
        ForbiddenModuleError, match=r"is said to be the Python function shop\.text:"
    ):
        PythonModules(["shop"]).loaded("f", said(f"shop.text:{path}"))


@pytest.mark.parametrize("path", ["own", "again", "Outer.inside", "cached"])
def test_what_is_its_own(module: Any, path: str) -> None:
    module(WITH_IMPORTS)
    found = PythonModules(["shop"]).loaded("f", said(f"shop.text:{path}"))
    assert found.implementation("x") == "x"


def test_an_asynchronous_function_is_its_modules_own(module: Any) -> None:
    module(WITH_IMPORTS)
    source = stored("awaited")
    assert PythonModules(["shop"]).loaded("f", source).implementation.__name__ == "awaited"


def test_what_another_allowed_module_has_may_be_called_by_either(module: Any) -> None:
    module("from shop.deeper import own\n")
    shop = importlib.import_module("shop")
    assert shop.__file__ is not None
    (Path(shop.__file__).parent / "deeper.py").write_text(WITH_IMPORTS)
    assert PythonModules(["shop"]).loaded("f", said("shop.text:own")).implementation("x") == "x"
    with pytest.raises(ForbiddenModuleError, match=r"of the module shop\.deeper, which nobody"):
        PythonModules(["shop.text"]).loaded("f", said("shop.text:own"))


@pytest.mark.parametrize("name", ["__loader__.set_data", "Any", "annotations", "Field", "Mapping"])
def test_what_needs_no_leave_leads_nowhere_else(name: str) -> None:
    with pytest.raises(ForbiddenModuleError):
        PythonModules().loaded("f", said(f"{BUILT_IN}:{name}"))


def test_no_program_is_run_to_find_a_function(module: Any) -> None:
    module("")
    shop = importlib.import_module("shop")
    assert shop.__file__ is not None
    (Path(shop.__file__).parent / "__main__.py").write_text("raise AssertionError('it ran')")
    with pytest.raises(ForbiddenModuleError, match=r"allowed the module shop\.__main__"):
        PythonModules(["shop"]).loaded("f", said("shop.__main__:f"))


# -- what is reported ------------------------------------------------------------------------------


def test_another_source_is_an_error_or_a_warning(module: Any) -> None:
    module(TENTH)
    source = stored()
    module(TENTH.replace("/ 10", "/ 100"))
    with pytest.raises(ChangedFunctionError, match=r"(?s)f is the .* source has changed .*alter_f"):
        PythonModules(["shop"]).loaded("f", source)
    modules = PythonModules(["shop"], changed="warn")
    with pytest.warns(ChangedFunctionWarning, match="shop.text:tenth, whose source has changed"):
        assert modules.loaded("f", source).implementation(5.0) == 0.05


def test_what_stands_around_a_function_may_change(module: Any) -> None:
    module(TENTH)
    source = stored()
    module(f"import math\n\n{TENTH}\n\ndef other(): ...\n")
    assert PythonModules(["shop"]).loaded("f", source).implementation(5.0) == 0.5


PAIR = """
from typing import NamedTuple

class Pair(NamedTuple):
    a: {}

def pair(x: int) -> Pair:
    return Pair(x)
"""


@pytest.mark.parametrize("changed", ["refuse", "warn"])
@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (TENTH, TENTH.replace("x: float", "x: int"), r"\(x DOUBLE\) .* and is \(x BIGINT\)"),
        (TENTH, TENTH.replace("-> float", "-> str"), r"RETURNS DOUBLE, .*RETURNS STRING"),
        (TENTH, TENTH.replace("x", "y"), r"\(x DOUBLE\) .* and is \(y DOUBLE\)"),
        (TENTH, TENTH.replace("x:", "y: int, x:"), r"and is \(y BIGINT, x DOUBLE\)"),
        (TENTH, TENTH.replace("x: float", "x"), "cannot be called any more .*type of"),
        (PAIR.format("int"), PAIR.format("str"), "<a: BIGINT>.*<a: STRING>"),
    ],
)
def test_another_signature_is_an_error_always(
    module: Any, before: str, after: str, told: str, changed: Any
) -> None:
    """Also where the source of the function itself is the same."""
    module(before)
    source = stored("pair" if "pair" in before else "tenth")
    module(after)
    with pytest.raises(ChangedFunctionError, match=f"(?s){told}"):
        PythonModules(["shop"], changed=changed).loaded("f", source)


def test_types_that_were_given_are_not_compared_with_annotations(module: Any) -> None:
    module(TENTH)
    source = stored(parameters=["INT"], returns="DECIMAL(10, 2)")
    assert PythonModules(["shop"]).loaded("f", source).parameters == source.parameters
    module(TENTH.replace("x: float", "x: float, y: float"))
    with pytest.raises(ChangedFunctionError, match="has 2 parameters, not 1"):
        PythonModules(["shop"], changed="warn").loaded("f", source)


def test_a_function_that_was_stored_without_a_hash_is_compared_by_its_signature(
    module: Any,
) -> None:
    module(TENTH)
    source = msgspec.structs.replace(stored(), source_hash=None)
    module(TENTH.replace("/ 10", "/ 100"))
    assert PythonModules(["shop"]).loaded("f", source).implementation(5.0) == 0.05


def test_a_kind_that_changed(module: Any) -> None:
    module(TENTH)
    source = stored()
    module(TENTH.replace("def tenth", "class tenth:\n  def __init__").replace("    ", "      "))
    with pytest.raises(ChangedFunctionError):
        PythonModules(["shop"], changed="warn").loaded("f", source)


COUNTING = """
from dataclasses import dataclass
from typing import Annotated
from viewscribe import ArgumentHint, ArgumentTrait, ProcessTableFunction, Row, StateHint

@dataclass
class Count:
    count: int = 0

class Counting(ProcessTableFunction[Count]):
    def eval(
        self,
        state: Annotated[Count, StateHint()],
        input: Annotated[Row, ArgumentHint(ArgumentTrait.TABLE_AS_SET)],
    ) -> None:
        self.collect(state)
"""


def test_process_table_functions(module: Any) -> None:
    module(COUNTING)
    source = stored("Counting")
    assert source.signature == (
        "Counting(input TABLE_AS_SET) with state state STRUCT<count: BIGINT>"
    )
    modules = PythonModules(["shop"], changed="warn")
    assert modules.loaded("f", source).implementation.__name__ == "Counting"
    module(COUNTING.replace("count: int", "count: str"))
    with pytest.raises(ChangedFunctionError, match=r"signature has changed .*count: STRING"):
        modules.loaded("f", source)
    module(COUNTING.replace("self.collect(state)", "pass"))
    with pytest.warns(ChangedFunctionWarning):
        modules.loaded("f", source)
    module("def Counting(x: int) -> int: ...")
    with pytest.raises(ChangedFunctionError, match="it is no process table function any more"):
        modules.loaded("f", source)


def test_what_was_compared_is_not_compared_again(module: Any, monkeypatch: Any) -> None:
    module(TENTH)
    source, modules = stored(), PythonModules(["shop"])
    first = modules.loaded("f", source)
    monkeypatch.setattr("inspect.getsource", None)
    assert modules.loaded("f", source) is first


# -- where it is said ------------------------------------------------------------------------------


def test_modules_are_in_force_in_a_block() -> None:
    assert modules_in_force().allowed == ()
    with PythonModules(["shop"]).in_force():
        assert modules_in_force().allowed == ("shop",)
        with PythonModules(["other"], changed="warn").in_force():
            assert modules_in_force().allowed == ("other",)
        assert modules_in_force().allowed == ("shop",)
    assert modules_in_force().allowed == ()


def test_lists_are_put_together() -> None:
    base = PythonModules(["a"], changed="warn")
    assert base.and_also(None) is base
    assert (base.and_also(["b"]).allowed, base.and_also(["b"]).changed) == (("a", "b"), "warn")
    assert base.and_also(PythonModules(["b"])).changed == "refuse"
    with pytest.raises(ValidationError, match="changed"):
        PythonModules(changed="ignore")  # type: ignore[arg-type]


def test_what_an_environment_is_given_does_not_go_to_another(module: Any) -> None:
    module(TENTH)
    from shop.text import tenth

    shared = PythonModules(["nothing"])
    one, other = (vs.TableEnvironment(python_modules=shared) for _ in range(2))
    one.create_function("tenth", tenth)
    source = one.functions.lookup("default.tenth").function.source  # type: ignore[attr-defined]
    assert source.implementation is None
    assert one.python_modules.loaded("f", source).implementation is tenth
    for each in (other.python_modules, shared):
        with pytest.raises(ForbiddenModuleError):
            each.loaded("f", source)


def test_a_function_of_a_statement_has_no_hash(module: Any) -> None:
    module(TENTH)
    env = vs.TableEnvironment(python_modules=["shop"])
    env.execute_sql(
        "CREATE FUNCTION tenth(x DOUBLE) RETURNS DOUBLE LANGUAGE PYTHON AS 'shop.text:tenth'"
    )
    table = env.from_values([(1.0,)], "x DOUBLE").select(call("tenth", col("x")).alias("y"))
    assert "spark_catalog.default.tenth(x) AS y" in table.to_sql()
    assert "shop.text" not in sys.modules
    function: Any = env.functions.lookup("default.tenth").function
    assert function.source.source_hash is None
    assert env.python_modules.loaded("tenth", function.source).implementation(5.0) == 0.5
