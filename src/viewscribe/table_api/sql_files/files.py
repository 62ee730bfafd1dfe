"""One file of SQL: the tables that it says the columns of, and the view that it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import msgspec

from viewscribe.errors import SqlSyntaxError, ValidationError
from viewscribe.parser.dialects import to_spark
from viewscribe.parser.findings import Findings
from viewscribe.parser.grammar.statements import (
    StatementGrammar,
    Stretch,
    TableDefinition,
    ViewOf,
    split_statements,
)
from viewscribe.parser.settings import make_reading
from viewscribe.parser.tokens import Position, position, show_place
from viewscribe.types.identifiers import parse_name


class FileTable(msgspec.Struct, frozen=True):
    """A CREATE TABLE in a file."""

    file: str
    text: str
    definition: TableDefinition


class FileView(msgspec.Struct, frozen=True):
    """The view of a file: a CREATE VIEW in it, or its query under the file's name.

    ``translated`` is where its query begins, if the text is a translation, and ``original`` what
    was translated. ``settings`` are those that the file sets before it. ``is_table`` is whether
    another tool keeps its rows as a table; ``column_comments`` are by column in small letters.
    """

    file: str
    text: str
    definition: ViewOf
    translated: Position | None = None
    original: str = ""
    settings: Mapping[str, str] = {}
    is_table: bool = False
    column_comments: Mapping[str, str] = {}


def sql_files(place: Path) -> list[Path]:
    """The files of SQL in a folder, hidden ones left out; or the one file."""
    if place.is_file():
        return [place]
    found = [
        each
        for each in place.rglob("*")
        if is_sql(each)
        and each.is_file()
        and not any(part[0] == "." for part in each.relative_to(place).parts)
    ]
    return sorted(found, key=lambda each: each.relative_to(place).parts)


def is_sql(file: Path) -> bool:
    """Whether a file is called like one of SQL."""
    return file.suffix.lower() == ".sql"


def text_of(file: Path) -> str:
    """What is in a file, without a byte order mark.

    Raises:
        SqlSyntaxError: it is not in UTF-8.
        ValidationError: it cannot be read.
    """
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SqlSyntaxError(
            f"the file is not in UTF-8: {error.reason} at byte {error.start}",
            hint="save it as UTF-8",
        ) from error
    except OSError as error:
        raise ValidationError(f"the file cannot be read: {error.strerror}") from error


def name_of(file: Path, root: Path) -> tuple[str, ...]:
    """The name of the view of a file: its own, with the folder that it is in as the database.

    Raises:
        ValidationError: it has more parts than database and view.
    """
    inside = file.relative_to(root) if root.is_dir() else Path(file.name)
    parts = (*inside.parts[:-1], *parse_name(inside.stem))
    if len(parts) > 2:
        raise ValidationError(
            f"the file stands for the name {'.'.join(parts)}, which has {len(parts)} parts",
            hint="a folder inside is a database; or say the name with CREATE VIEW … AS",
        )
    return parts


def read_file(
    file: str,
    text: str,
    name: tuple[str, ...] | ValidationError,
    given: Mapping[str, str],
) -> Iterator[FileTable | FileView]:
    """What a file defines.

    Args:
        file: its path.
        text: what is in it.
        name: what its query is called; or why it has no name, where it needs one.
        given: the settings that texts are read with, beside those that the file sets.

    Raises:
        SqlSyntaxError: statements are not read, or there is more than one view.
    """
    reading = make_reading(given)
    stretches = split_statements(text)
    if not stretches:
        raise SqlSyntaxError(
            "there is no query in the file", hint="write one, or take the file away"
        )
    findings, view = Findings(), False
    settings: dict[str, str] = {}

    def define(stretch: Stretch) -> FileTable | FileView | None:
        part = text[: stretch.end]
        if change_settings(settings, text[stretch.start : stretch.end]):
            return None
        own = make_reading({**given, **settings}) if settings else reading
        grammar = StatementGrammar(part, own, stretch.start)
        if grammar.is_create("TABLE"):
            return FileTable(file, part, grammar.create_table())
        if view:
            raise SqlSyntaxError(
                "a second query or view in one file",
                location=show_place(text, stretch.start),
                hint="put it into a file of its own",
            )
        made = _view(grammar, part, stretch, name)
        return FileView(file, part, made, settings=dict(settings))

    for stretch in stretches:
        found = findings.attempt(partial(define, stretch))
        view = view or isinstance(found, FileView)
        if found is not None and not findings.errors:  # what follows may need what is wrong
            yield found
    findings.raise_all()


def change_settings(settings: dict[str, str], statement: str) -> bool:
    """Carries out a SET or RESET; false for another statement.

    Raises:
        ValidationError: it sets what the meaning of no view depends on.
    """
    found = _SET.fullmatch(statement.strip())
    if found is None:
        return False
    word, name, value = found["word"].upper(), found["name"], found["value"]
    if word == "RESET" and value is None:
        if name is None:
            settings.clear()
        else:
            settings.pop(name, None)
        return True
    if word == "RESET" or name is None or value is None:
        return False
    from viewscribe.catalog_store.settings import is_allowed

    if not is_allowed(name, value):
        raise ValidationError(
            f"the file sets {name} = {value}, and the meaning of no view depends on that",
            hint="take the SET out of the file",
        )
    settings[name] = value
    return True


_SET = re.compile(
    r"(?P<word>SET|RESET)(?:\s+`?(?P<name>[\w.]+)`?)?(?:\s*=\s*`?(?P<value>[^`;]*?)`?)?",
    re.IGNORECASE,
)


def _view(
    grammar: StatementGrammar,
    text: str,
    stretch: Stretch,
    name: tuple[str, ...] | ValidationError,
) -> ViewOf:
    if not grammar.is_create("VIEW"):
        if grammar.word in _STATEMENTS:
            raise grammar.error(
                f"{grammar.word} in a file of views",
                hint="a file has a query or a CREATE VIEW, and the CREATE TABLEs that it reads",
            )
        if isinstance(name, ValidationError):
            raise name
        return ViewOf(stretch.start, name, stretch.start)
    view = grammar.create_view()
    if view.temporary:
        raise SqlSyntaxError(
            "a temporary view in a file of views",
            location=show_place(text, view.at),
            hint="leave TEMPORARY out, or write it as a CTE",
        )
    return view


def translate(view: FileView, dialect: str) -> FileView:
    """A view whose query is that of another engine, with the query in Spark's SQL."""
    start = view.definition.start
    before = re.sub(r"[^\n]", " ", view.text[:start])  # so that errors say the place in the file
    original = view.text[start:]
    text = to_spark(before + original, dialect)
    definition = msgspec.structs.replace(view.definition, at=0, start=0)
    return msgspec.structs.replace(
        view,
        text=text,
        definition=definition,
        translated=position(view.text, start),
        original=original,
    )


_STATEMENTS = frozenset(
    (
        *("CREATE", "ALTER", "DROP", "INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "USE"),
        *("SET", "RESET", "CACHE", "REFRESH", "ANALYZE", "SHOW", "DESCRIBE", "DESC", "EXPLAIN"),
    )
)
