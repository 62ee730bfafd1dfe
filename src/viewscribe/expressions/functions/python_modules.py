"""Imports the Python functions of catalogs, only from allowed modules, and checks them.

Importing a module runs its code. So a catalog's function is imported only if its module is allowed,
and only when a query that calls it is about to run: trees, SQL text and views need nothing but the
stored signature. The imported function is compared with what was stored.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Any, Literal

import msgspec

from viewscribe.errors import NotSerializableError, ValidationError, ViewscribeError
from viewscribe.expressions.functions.asynchronous.author import AsyncUdf
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.python import name_of, python_source
from viewscribe.expressions.functions.user_defined import Convention, FunctionSource, UserFunction
from viewscribe.types.arguments import as_texts

# Python functions as other processes find them: the name they are imported by, and their source.
#
# A catalog keeps ``module:name`` and a hash of the source, never code. So a function can be stored
# only where that name leads back to it, in every process.

_AT_THE_TOP = "write it with def at the top of a module that others can import"


def stored_reference(function: Any) -> str:
    """``module:name``, by which every process finds the very function.

    Raises:
        NotSerializableError: no process would; says why, and the way out.
    """
    for applies, reason, hint in _REASONS:
        if applies(function):
            raise NotSerializableError(f"{name_of(function)} {reason}", hint=hint)
    return f"{function.__module__}:{function.__qualname__}"


def source_hash(function: Any) -> str:
    """SHA-256 of the source of a function or class, whatever its indentation.

    Raises:
        NotSerializableError: there is no source to be read.
    """
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        raise NotSerializableError(
            f"{name_of(function)} has no Python source, so nobody could tell that it changed",
            hint="call it in a function of your own, and store that",
        ) from None
    return hashlib.sha256(textwrap.dedent(source).rstrip().encode()).hexdigest()


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", ""))


def in_module(function: object) -> Any:
    """What a function's module has under its name; raises ``AttributeError``."""
    path = _name(function)
    found = sys.modules.get(function.__module__)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def _is_another(function: Any) -> bool:
    try:
        found = in_module(function)
    except AttributeError:
        return True
    return (found.function if isinstance(found, AsyncUdf) else found) is not function


_REASONS: tuple[tuple[Callable[[Any], bool], str, str], ...] = (
    (
        lambda function: not _name(function),
        "is an object without a name that it could be imported by",
        "write a function, or give a class that can be made without arguments",
    ),
    (
        lambda function: "<lambda>" in _name(function),
        "is a lambda, which has no name that it could be imported by",
        _AT_THE_TOP,
    ),
    (
        lambda function: "<locals>" in _name(function),
        "is made inside another function: nothing can import it, and it may hold variables of that",
        f"{_AT_THE_TOP}, and pass it as arguments what it takes from around it",
    ),
    (
        lambda function: getattr(function, "__module__", None) in (None, "__main__"),
        "is of the running program (__main__), which another process does not have",
        "move it into a module, and import it from there",
    ),
    (
        _is_another,
        "is not what its module has under that name: another process would find something else",
        "give what the module has, with its decorators, and call it nothing else",
    ),
)
"""What cannot be found again, why, and what to do."""


class ForbiddenModuleError(ViewscribeError):
    """The module of a Python function is not allowed to be imported."""


class MissingPythonFunctionError(ViewscribeError):
    """A Python function is not where its catalog says."""


class ChangedFunctionError(ViewscribeError):
    """A Python function differs from what was stored, in its source or signature."""


class ChangedFunctionWarning(UserWarning):
    """A Python function whose source has changed since it was stored is run anyway."""


_BUILT_IN = "viewscribe.expressions.functions.process.builtin"
"""What comes with viewscribe needs nobody's leave."""


class PythonModules:
    """The modules that Python functions of catalogs may come from; none by default.

    Args:
        allowed: names of modules and packages; with ``shop``, ``shop.text`` is allowed too.
        changed: what to do with a function whose source has changed since it was stored: raise
            ``ChangedFunctionError``, or run it with a ``ChangedFunctionWarning``. A changed
            signature is always an error.
    """

    def __init__(
        self, allowed: Iterable[str] = (), *, changed: Literal["refuse", "warn"] = "refuse"
    ) -> None:
        if isinstance(allowed, str):
            raise ValidationError(
                f"python_modules is a list of modules, not the text {allowed!r}",
                hint=f'write python_modules=["{allowed}"]',
            )
        if changed not in ("refuse", "warn"):
            raise ValidationError(f"changed={changed!r}", hint='say "refuse" or "warn"')
        self.allowed = tuple(map(_module_name, as_texts(allowed, "python_modules")))
        self.changed = changed
        self._given: dict[str, Any] = {}
        self._checked: dict[Any, tuple[Any, FunctionSource]] = {}

    @classmethod
    def of(cls, given: PythonModules | Iterable[str] | None) -> PythonModules:
        """Converts the value of a ``python_modules`` argument."""
        return given if isinstance(given, PythonModules) else cls(given or ())

    def and_also(self, more: PythonModules | Iterable[str] | None) -> PythonModules:
        """Merges these modules with others, whose policy for changed functions wins."""
        if more is None:
            return self
        others = PythonModules.of(more)
        changed = others.changed if isinstance(more, PythonModules) else self.changed
        found = PythonModules([*self.allowed, *others.allowed], changed=changed)
        found._given = {**self._given, **others._given}
        return found

    def __repr__(self) -> str:
        return f"PythonModules({list(self.allowed)}, changed={self.changed!r})"

    def give(self, function: object) -> None:
        """Registers a function that the program already has, so that it needs no import.

        Raises:
            NotSerializableError: it has no reference by which a catalog could name it.
        """
        self._given[stored_reference(function)] = in_module(function)

    def with_given(self, functions: Mapping[str, Any]) -> PythonModules:
        """These modules, and functions that the program has already, by their references."""
        found = self.and_also(())
        found._given = {**self._given, **functions}
        return found

    def allows(self, module: str) -> bool:
        """Whether a module, or a package that contains it, is allowed; ``__main__`` never is."""
        if module.endswith(".__main__"):
            return False  # importing it runs the program
        return any(
            module == each or module.startswith(f"{each}.") for each in (*self.allowed, _BUILT_IN)
        )

    def loaded(self, name: str, source: FunctionSource) -> FunctionSource:
        """Returns the source with its Python function, imported if necessary.

        Args:
            name: what the function is called, for messages.
            source: the source as the catalog stores it.

        Raises:
            ForbiddenModuleError: its module is not allowed, or merely imports it from another.
            MissingPythonFunctionError: its module or name cannot be found.
            ChangedFunctionError: it is not what was stored.
        """
        if source.implementation is not None:
            return source
        found = self._given.get(source.reference or "")
        if found is None:
            found = self._import_(name, source.reference or "")
        key = (name, source.identity, source.source_hash, source.annotated)
        known = self._checked.get(key)
        if known is None or known[0] is not found:
            known = self._checked[key] = (found, self._require_same(name, source, found))
        return known[1]

    def _import_(self, name: str, reference: str) -> Any:
        module, _, path = reference.partition(":")
        if not path:
            raise MissingPythonFunctionError(
                f"{name} is said to be the Python function `{reference}`, and that names none",
                hint="store it again, as module:name",
            )
        if not self.allows(module):
            raise ForbiddenModuleError(
                f"{name} is the Python function {reference}, and nobody has allowed the module "
                f"{module} to be imported",
                hint=_how_to_allow(module),
            )
        try:
            found = importlib.import_module(module)
            for part in path.split("."):
                self._require_own(name, reference, found, inside=True)
                found = getattr(found, part)
        except ForbiddenModuleError:
            raise
        except (Exception, SystemExit) as error:  # an import runs whatever the module says
            raise MissingPythonFunctionError(
                f"{name} is the Python function {reference}, and importing it fails: "
                f"{type(error).__name__}: {error}",
                hint=f"{module} must be on PYTHONPATH, here and for Spark's workers",
            ) from error
        self._require_own(name, reference, found)
        return found

    def _require_own(self, name: str, reference: str, found: Any, *, inside: bool = False) -> None:
        """Refuses objects that an allowed module merely imports from elsewhere.

        Args:
            name: what the function is called, for messages.
            reference: what the catalog says.
            found: what a part of the reference leads to.
            inside: whether something in it is looked for: then it must be a module or a class, for
                the attributes of anything else are whatever its methods give.
        """
        if inside and not isinstance(found, type | ModuleType):
            raise ForbiddenModuleError(
                f"{name} is said to be the Python function {reference}, and that is neither in a "
                "module nor in a class",
                hint="write it with def at the top of a module that is allowed",
            )
        home = found.__name__ if isinstance(found, ModuleType) else _home(found)
        if home is None or not self.allows(home):
            raise ForbiddenModuleError(
                f"{name} is said to be the Python function {reference}, and that is of "
                f"{'no module' if home is None else f'the module {home}'}, which nobody has "
                "allowed to be imported",
                hint="write it with def at the top of a module that is allowed",
            )

    def _require_same(self, name: str, source: FunctionSource, found: Any) -> FunctionSource:
        now = _describe_function(name, source, found)
        told = _differences(source, now)
        if told:
            raise ChangedFunctionError(
                f"{name} is the Python function {source.reference}, whose signature has changed "
                f"since it was stored: {told}",
                hint=_STORE_AGAIN,
            )
        if source.source_hash is not None and source.source_hash != _hash(name, source, now):
            cause = (
                f"{name} is the Python function {source.reference}, whose source has changed since "
                "it was stored"
            )
            if self.changed == "refuse":
                raise ChangedFunctionError(
                    cause, hint=f'{_STORE_AGAIN}; or say PythonModules([…], changed="warn")'
                )
            warnings.warn(cause, ChangedFunctionWarning, stacklevel=2)
        # Where the catalog does not say the types, the annotations do.
        parameters = now.parameters if source.parameters is None else source.parameters
        returns = now.returns if source.returns is None else source.returns
        return msgspec.structs.replace(
            source, implementation=now.implementation, parameters=parameters, returns=returns
        )

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Allows imports from these modules, and no others, inside the ``with`` block."""
        token = _IN_FORCE.set(self)
        try:
            yield
        finally:
            _IN_FORCE.reset(token)


def with_implementation(function: UserFunction) -> UserFunction:
    """Returns the user function with its Python function, imported if currently allowed.

    Raises:
        ForbiddenModuleError: its module was not allowed.
        MissingPythonFunctionError: its module or name cannot be found.
        ChangedFunctionError: it is not what was stored.
    """
    if function.source.implementation is not None:
        return function
    modules = modules_in_force()

    def import_(called: UserFunction) -> UserFunction:
        source = modules.loaded(repr(called), called.source)
        return UserFunction(called.identifier, source, temporary=called.temporary)

    return function.of_author(import_)


def modules_in_force() -> PythonModules:
    """Returns the modules that are currently allowed."""
    return _IN_FORCE.get() or PythonModules()


_IN_FORCE: ContextVar[PythonModules | None] = ContextVar("python_modules", default=None)
_STORE_AGAIN = "look at what changed, and store it again: env.alter_function(name, function)"


def _home(found: Any) -> str | None:
    """Returns the module that defines a function, a class or the class of an object."""
    defined = found.function if isinstance(found, AsyncUdf) else found
    home = getattr(defined, "__module__", None)
    return home if isinstance(home, str) else None


def _module_name(text: str) -> str:
    if not all(each.isidentifier() for each in text.split(".")):
        raise ValidationError(
            f"python_modules: {text!r} is not the name of a module",
            hint='a package allows all that is in it: python_modules=["shop"]',
        )
    return text


def _how_to_allow(module: str) -> str:
    return (
        f'if you trust it: python_modules=["{module}"] where the environment or the view is '
        f"opened, --python-module {module} on the command line, or python_modules: [{module}] in "
        "viewscribe.yaml"
    )


def _describe_function(name: str, source: FunctionSource, found: Any) -> FunctionSource:
    """Describes the Python function as it would be stored now."""
    given = not source.annotated and source.parameters is not None
    vectorized = {Convention.ARROW: True, Convention.ARROW_BATCHES: True, Convention.VALUES: False}
    try:
        return python_source(
            found,
            kind=FunctionKind.AGGREGATE if source.collected else source.kind,
            vectorized=vectorized.get(source.convention),
            parameters=[each.type for each in source.parameters or ()] if given else None,
            returns=source.returns if given else None,
        )
    except ValidationError as error:
        raise ChangedFunctionError(
            f"{name} is the Python function {source.reference}, which cannot be called any more as "
            f"it was stored: {error.message}",
            hint=_STORE_AGAIN,
        ) from error


def _hash(name: str, source: FunctionSource, now: FunctionSource) -> str:
    try:
        return source_hash(now.implementation)
    except NotSerializableError as error:
        raise ChangedFunctionError(
            f"{name} is the Python function {source.reference}, and its source cannot be compared "
            f"with what was stored: {error.message}",
            hint=_STORE_AGAIN,
        ) from error


def _differences(source: FunctionSource, now: FunctionSource) -> str:
    """``it was (x BIGINT), and is (x STRING)``; nothing where the signatures are the same."""
    if source.kind is FunctionKind.PROCESS_TABLE:
        if now.signature is None:
            return "it is no process table function any more"
        same = source.signature in (None, now.signature)
        return "" if same else f"it was {source.signature}, and is {now.signature}"
    if source.parameters is None or source.returns is None:
        return ""
    before, after = _signature(source), _signature(now)
    return "" if before == after else f"it was {before}, and is {after}"


def _signature(source: FunctionSource) -> str:
    parameters = ", ".join(f"{each.name} {each.type.ddl}" for each in source.parameters or ())
    returns = "" if source.returns is None else source.returns.as_nullable().ddl
    return f"({parameters}) RETURNS {returns}, called with {source.convention.value}"
