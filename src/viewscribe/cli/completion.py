"""What a shell completes: names of environments and folders, and of what a catalog holds."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    split_arg_string,
)

if TYPE_CHECKING:
    from viewscribe.catalog_store import Catalog, ObjectKind


class QuotingBash(BashComplete):
    """Completion for bash, which takes names as they are: quoted so that none of them is code."""

    def get_completion_args(self) -> tuple[list[str], str]:
        words = os.environ["COMP_WORDS"].split("\n")[: int(os.environ["COMP_CWORD"]) + 1]
        whole = "\n".join(words).replace("\n:\n", ":")  # bash breaks words at colons
        before, _, incomplete = whole.rpartition("\n")
        return split_arg_string(before)[1:], "".join(split_arg_string(incomplete))

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        written = _word_at_cursor()
        found = []
        for each in super().get_completions(args, incomplete):
            if each.type != "plain":
                found.append(each)
            elif (text := _quote(each.value, written)) is not None:
                found.append(CompletionItem(text))
        return found

    def format_completion(self, item: CompletionItem) -> str:
        return super().format_completion(item).replace("\\", r"\\")  # its script unescapes


def _word_at_cursor() -> str:
    words = os.environ.get("COMP_WORDS", "").split("\n")
    place = int(os.environ.get("COMP_CWORD", "0"))
    return words[place] if place < len(words) else ""


def _quote(value: str, written: str) -> str | None:
    """The value as it goes behind what is written of the word; None if it cannot."""
    quoted = shlex.quote(value)
    if quoted == value or not _QUOTES.intersection(written):
        return quoted
    opened = written.startswith("'") and not _QUOTES.intersection(written[1:]) - {"`"}
    return value if opened and "'" not in value else None


_QUOTES = frozenset("'\"`\\")

add_completion_class(QuotingBash)


class CatalogArgument(click.types.StringParamType):
    """The argument CATALOG: an environment, a folder or a URL, completed but taken as it is."""

    name = "catalog"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(incomplete, type="dir"), *_environments(incomplete)]


class Place(click.types.StringParamType):
    """The value FILE or FOLDER of an option: a path, which is not empty as an unset variable is."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value:
            self.fail("the path is empty", param, ctx)
        return str(super().convert(value, param, ctx))


class ObjectArguments(click.types.StringParamType):
    """The arguments ``[CATALOG] NAME``: at first a catalog, then what it holds.

    Args:
        kind: which objects are offered; all by default.
        files: whether a file may stand in place of a name.
    """

    name = "object"

    def __init__(self, kind: ObjectKind | None = None, *, files: bool = False) -> None:
        self._kind = kind
        self._files = files

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from viewscribe.cli.catalogs import VARIABLE

        given = ctx.params.get(param.name or "") or ()
        if given:
            return _names(given[0], self._kind, incomplete)
        found = _environments(incomplete)
        if os.environ.get(VARIABLE):
            found += _names(None, self._kind, incomplete)
        # First: bash forgets what comes before it.
        return [CompletionItem(incomplete, type="file" if self._files else "dir"), *found]


CATALOG = CatalogArgument()
PLACE = Place()
OBJECT = ObjectArguments()
VIEW = ObjectArguments("view")
OBJECT_OR_FILE = ObjectArguments(files=True)
VIEW_OR_FILE = ObjectArguments("view", files=True)


def _environments(incomplete: str) -> list[CompletionItem]:
    from viewscribe.environments import find_environments
    from viewscribe.errors import ViewscribeError

    try:
        file = find_environments()
    except ViewscribeError:
        return []  # a shell has no place for the error, which the command will show
    names = [] if file is None else file.names
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _names(place: str | None, kind: ObjectKind | None, incomplete: str) -> list[CompletionItem]:
    from viewscribe.cli.catalogs import open_catalog
    from viewscribe.errors import ViewscribeError

    try:
        found = sorted(_spelled(open_catalog(place), kind))
    except (ViewscribeError, click.UsageError, OSError):
        return []
    wanted = incomplete.casefold()
    return [
        CompletionItem(name)
        for name in found
        if name.casefold().startswith(wanted) and name.isprintable()
    ]


def _spelled(catalog: Catalog, kind: ObjectKind | None) -> Iterable[str]:
    from viewscribe.cli.catalogs import full_name

    for database in catalog.list_databases():
        for each in catalog.list_objects(database, kind):
            yield full_name(each)
