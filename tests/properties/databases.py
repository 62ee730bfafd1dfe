"""Random views and functions in databases that all have the same names, and what they give.

Every table has one row with a number of its own, so that the number a view gives says which table
each of its names was taken for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from viewscribe import TableEnvironment
from viewscribe.catalog_store import MemoryCatalog

DATABASES = ("one", "two", "home")
"""``home`` is where the views are opened; the others are where they are made."""

TABLES = ("t", "u")
NUMBERS = {
    (database, table): 10 ** (2 * place)
    for place, (database, table) in enumerate((d, t) for d in DATABASES for t in TABLES)
}
FUNCTIONS, TABLE_FUNCTIONS, VIEWS = ("f", "g"), ("r", "q"), ("v", "w")

Path = tuple[str, str]


@dataclass
class World:
    """What there is by now: for each function what it makes of a number, for each view its own.

    ``statements`` make them, each in the database beside it.
    """

    functions: dict[Path, Callable[[int], int]] = field(default_factory=dict)
    table_functions: dict[Path, Callable[[int], int]] = field(default_factory=dict)
    defaults: dict[Path, int] = field(default_factory=dict)
    views: dict[Path, int] = field(default_factory=dict)
    statements: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Term:
    """A text and the number it gives, for each value of ``n``, the parameter around it."""

    text: str
    value: Callable[[int], int]


@st.composite
def worlds(draw: Any) -> World:
    """A few functions, then a few views over all of them, in two databases."""
    world = World()
    for _ in range(draw(st.integers(2, 5))):
        draw(_functions(world) if draw(st.integers(0, 2)) else _table_functions(world))
    for _ in range(draw(st.integers(2, 3))):
        draw(_views(world))
    return world


@st.composite
def _functions(draw: Any, world: World) -> None:
    home, name = draw(st.sampled_from(DATABASES[:2])), draw(st.sampled_from(FUNCTIONS))
    if (home, name) in world.functions:
        return
    parameter = draw(st.sampled_from(["n", "x", "t", "one"]))
    default = draw(_terms(world, home, {}, ["call", "number"]))
    body = draw(_terms(world, home, {parameter: lambda n: n}))
    made = f"{name}({parameter} BIGINT DEFAULT {default.text})"
    world.statements.append((home, f"CREATE FUNCTION {made} RETURNS BIGINT RETURN {body.text}"))
    world.functions[home, name] = body.value
    world.defaults[home, name] = default.value(0)


@st.composite
def _table_functions(draw: Any, world: World) -> None:
    home, name = draw(st.sampled_from(DATABASES[:2])), draw(st.sampled_from(TABLE_FUNCTIONS))
    if (home, name) in world.table_functions:
        return
    parameter = draw(st.sampled_from(["n", "one"]))
    source, _ = draw(_sources(world, home))
    column = draw(_terms(world, home, {parameter: lambda n: n}))
    made = f"{name}({parameter} BIGINT) RETURNS TABLE(x BIGINT)"
    text = f"CREATE FUNCTION {made} RETURN SELECT {column.text} FROM {source}"
    world.statements.append((home, text))
    world.table_functions[home, name] = column.value


@st.composite
def _views(draw: Any, world: World) -> None:
    home, name = draw(st.sampled_from(DATABASES[:2])), draw(st.sampled_from(VIEWS))
    if (home, name) in world.views:
        return
    source, number = draw(_sources(world, home))
    column = draw(_terms(world, home, {"x": lambda n: number}))
    text, total = f"SELECT {column.text} AS x FROM {source}", column.value(0)
    step = draw(st.sampled_from([None, *TABLES, *VIEWS, *DATABASES]))
    if step is not None and f"FROM {step}" not in text.replace(f"FROM {step}.", ""):
        text = (
            f"WITH {step} AS (SELECT 7 AS x) SELECT x + (SELECT x FROM {step}) AS x FROM ({text})"
        )
        total += 7
    world.statements.append((home, f"CREATE VIEW {name} AS {text}"))
    world.views[home, name] = total


@st.composite
def _sources(draw: Any, world: World, home: str) -> tuple[str, int]:
    """A table, a view or a call with one row and one column ``x``, and its number."""
    if world.table_functions and draw(st.booleans()):
        path, number = draw(st.sampled_from(sorted(world.table_functions))), draw(st.integers(0, 9))
        return f"{draw(_names(path, home, 2))}({number})", world.table_functions[path](number)
    known: Mapping[Path, int] = {**NUMBERS, **world.views}
    own = [each for each in sorted(known) if each[0] == home]
    path = draw(st.sampled_from([*own, *sorted(known)]))
    return draw(_names(path, home)), known[path]


@st.composite
def _names(draw: Any, path: Path, home: str, most: int = 3) -> str:
    """A name of an object as it may be written in a database, with so many parts at most."""
    ways = [".".join(path), f"spark_catalog.{'.'.join(path)}"][: most - 1]
    if path[0] == home:
        ways = [path[1], path[1], *ways]
    name: str = draw(st.sampled_from(ways))
    return name


Columns = Mapping[str, Callable[[int], int]]

_KINDS = ("call", "query", "call of the default", "column", "number")


@st.composite
def _terms(
    draw: Any, world: World, home: str, columns: Columns, kinds: Sequence[str] = _KINDS
) -> Term:
    parts = draw(st.lists(_parts(world, home, columns, kinds), min_size=1, max_size=3))
    return Term(
        " + ".join(each.text for each in parts), lambda n: sum(each.value(n) for each in parts)
    )


@st.composite
def _parts(draw: Any, world: World, home: str, columns: Columns, kinds: Sequence[str]) -> Term:
    there = {"column": columns, "call": world.functions, "call of the default": world.functions}
    kind = draw(st.sampled_from([each for each in kinds if there.get(each, True)]))
    if kind == "column":
        name = draw(st.sampled_from(sorted(columns)))
        return Term(name, columns[name])
    number = draw(st.integers(0, 9))
    if kind == "number":
        return Term(str(number), lambda n: number)
    if kind == "query":
        source, found = draw(_sources(world, home))
        alias = draw(st.sampled_from(["", " AS t", " AS one", " AS f"]))
        called = alias[4:] or source.split("(")[0].rsplit(".", 1)[-1]
        column = draw(st.sampled_from(["x", f"{called}.x"]))
        return Term(f"(SELECT max({column}) FROM {source}{alias})", lambda n: found)
    path = draw(st.sampled_from(sorted(world.functions)))
    name = draw(_names(path, home, 2))  # in a body Spark takes no more parts
    made, default = world.functions[path], world.defaults[path]
    if kind == "call":
        return Term(f"{name}({number})", lambda n: made(number))
    return Term(f"{name}()", lambda n: made(default))


def build(world: World) -> TableEnvironment:
    """The environment that has it all, with ``home`` as the current database."""
    env = TableEnvironment(MemoryCatalog())
    for database in DATABASES:
        env.create_database(database)
        for table in TABLES:
            env.create_table(f"{database}.{table}", "x BIGINT")
    run(env, world.statements)
    return env


def run(env: TableEnvironment, statements: Sequence[tuple[str, str]]) -> None:
    """Carries out each statement in its database, and comes home."""
    for database, text in statements:
        env.use_database(database)
        env.execute_sql(text)
    env.use_database("home")
