"""Reading two texts alike: the same tables, functions and settings for both."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from viewscribe.errors import UnknownFunctionError, ViewscribeError
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.operations.base import QueryOperation
from viewscribe.parser.read import read_sql
from viewscribe.parser.settings import make_reading, refuse_settings
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from viewscribe.table_api.environment import TableEnvironment


class Unread(NamedTuple):
    """A text that was not read, and why."""

    why: str


class World(Protocol):
    """Where the names in a text are looked up."""

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """Returns the table of a name. Raises ``ViewscribeError``."""

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """Returns the user function of a name; None where there is none."""

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """Returns what a call of a process table function gives. Raises ``ViewscribeError``."""


class TextReader:
    """Reads texts in worlds that are asked one after the other, the first of them first.

    Args:
        worlds: where names are looked up.
        settings: the Spark settings that the texts are read under.
        env: the environment whose user functions the texts may call.
    """

    def __init__(
        self,
        worlds: Sequence[World],
        settings: Mapping[str, str],
        env: TableEnvironment | None = None,
    ) -> None:
        self.settings = settings
        self.env = env
        self._worlds = worlds

    def read(self, text: str) -> QueryOperation | Unread:
        """Returns the tree of a text, or why it is not read."""
        try:
            refuse_settings(self.settings, text)
            with coercion(coercion_of(self.settings)), warnings.catch_warnings():
                # A changed view is what `check` tells of; here it is the same for both texts.
                warnings.simplefilter("ignore")
                return self._read(text)
        except ViewscribeError as error:
            return Unread(_describe(error))

    def _read(self, text: str) -> QueryOperation:
        reading = make_reading(self.settings)
        try:
            return read_sql(text, self, reading)
        except ViewscribeError as error:
            unknown = any(isinstance(each, UnknownFunctionError) for each in error.every)
            if self.env is None or not unknown:
                raise
        with self.env.functions.in_force():  # which lists those of all catalogs: rarely needed
            return read_sql(text, self, reading)

    def table(self, parts: Sequence[str]) -> QueryOperation:
        """Returns the table of a name, from the first world that has it."""
        return self._first(lambda world: world.table(parts))

    def function(self, parts: Sequence[str]) -> UserFunction | None:
        """Returns the user function of a name, from the first world that has it."""
        found = (world.function(parts) for world in self._worlds)
        return next((each for each in found if each is not None), None)

    def process(
        self, parts: Sequence[str], args: Sequence[Any], named: Mapping[str, Any]
    ) -> QueryOperation:
        """Returns the result of a call, from the first world that knows it."""
        return self._first(lambda world: world.process(parts, args, named))

    def _first(self, ask: Callable[[World], QueryOperation]) -> QueryOperation:
        problem: ViewscribeError = UnknownFunctionError("there are no tables and functions here")
        for world in self._worlds:
            try:
                return ask(world)
            except ViewscribeError as error:
                problem = error
        raise problem


def _describe(error: ViewscribeError) -> str:
    """The error in one line; where in the text, not the text around it."""
    where = f", {error.location.splitlines()[0].rstrip(':')}" if error.location else ""
    return f"{error.message}{where}"
