"""Whatever is given for any argument is taken, or refused in our words: no bare error of Python."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

import viewscribe as vs
from viewscribe import col, lit
from viewscribe import functions as F
from viewscribe.errors import ViewscribeError
from viewscribe.table_api.grouped_table import GroupedTable, PivotedTable

Subject = Callable[[vs.TableEnvironment], Any]
Given = tuple[tuple[Any, ...], dict[str, Any]]


class Frame:
    """Stands for an object of another library."""


class Other:
    """Stands for the second table in the arguments."""


OTHER = Other()


def _world() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    env.create_table("t", "a INT, s STRING, w TIMESTAMP, xs ARRAY<INT>")
    env.create_table("u", "b INT, s STRING")
    env.create_view("v", env.from_path("t"))
    env.create_temporary_view("tv", env.from_path("t"))
    return env


def _wrong(env: vs.TableEnvironment) -> list[Any]:
    table = env.from_path("t")
    plain = [None, 1, -1, 1.5, float("nan"), True, 10**400, b"x", "", "nope", "a b", "`", "\ud800"]
    several = [[], [None], [1], {}, {"a": None}, {1: 2}, (), {"a"}, range(3), timedelta(days=1)]
    ours = [col("a"), F.sum("a"), col("a").asc(), vs.over(), vs.range_("a", "s"), table, env]
    return [*plain, *several, *ours, table.group_by("a"), vs.descriptor("a"), object(), Frame()]


def given(*args: Any, **named: Any) -> Given:
    """Arguments that are right, each of which is replaced by wrong ones."""
    return args, named


CHANGE = {"reason": "r", "author": "a"}
TEXT = {"annotate": True, "target": "4.0", "dialect": None, "qualify": "full"}
WINDOW = {"name": "k", "start": "1 hour", "offset": None}
TABLE = {
    "add_columns": given(col("a").alias("z")),
    "add_or_replace_columns": given(col("a").alias("z")),
    "agg": given(F.sum("a")),
    "alias": given("x", "p", "q", "r", "o"),
    "as_argument": given("n"),
    "cross_join": given(OTHER),
    "cube": given("a"),
    "cumulate": given(col("w"), "1 hour", "2 hours", **WINDOW),
    "drop_columns": given("a"),
    "equals": given(OTHER),
    "explode": given("xs", "x", outer=True),
    "fetch": given(1),
    "filter": given(col("a") > 1),
    "from_plan": given({}),
    "full_outer_join": given(OTHER, on=lit(True)),
    "generate": given(F.explode("xs"), "x", outer=False),
    "group_by": given("a"),
    "grouping_sets": given([["a"], []], "a"),
    "hint": given("broadcast", "t"),
    "hop": given(col("w"), "2 hours", "1 hour", **WINDOW),
    "intersect": given(OTHER),
    "intersect_all": given(OTHER),
    "join": given(OTHER, on=lit(True), how="left"),
    "join_lateral": given(F.explode("xs"), on=None),
    "left_outer_join": given(OTHER, using="s"),
    "left_outer_join_lateral": given(F.explode("xs"), on=None),
    "minus": given(OTHER),
    "minus_all": given(OTHER),
    "offset": given(1),
    "order_by": given("a"),
    "partition_by": given("a"),
    "process": given(F.explode("xs")),
    "rename_columns": given(col("a").alias("q")),
    "right_outer_join": given(OTHER, on=lit(True)),
    "rollup": given("a"),
    "sample": given(0.5, 1),
    "select": given("a"),
    "select_expr": given("a"),
    "semi_join": given(OTHER, using="s"),
    "anti_join": given(OTHER, using="s"),
    "session": given(col("w"), "1 hour", name="k"),
    "text_of_view": given("readable", **TEXT),
    "to_dataframe": given(None, sources=None),
    "to_sql": given("readable", **TEXT),
    "tumble": given(col("w"), "1 hour", **WINDOW),
    "union": given(OTHER),
    "union_all": given(OTHER),
    "union_by_name": given(OTHER, allow_missing=True),
    "unpivot": given(["a"], name="n", value="v", include_nulls=True),
    "with_column": given("z", lit(1)),
    "with_column_renamed": given("a", "z"),
    "with_columns": given({"z": lit(1)}),
}
EXPRESSION = {
    "alias": given("a"),
    "as_argument": given("a"),
    "between": given(1, 2),
    "cast": given("INT"),
    "ceil": given(1),
    "filter": given(lit(True)),
    "floor": given(1),
    "get": given(1),
    "in_": given(1, 2),
    "like": given("a", escape="!"),
    "not_between": given(1, 2),
    "over": given(vs.over()),
    "try_cast": given("INT"),
    "within_group": given(col("a")),
}
GROUPED = {"agg": given(F.sum("a")), "pivot": given("s", ["x"]), "select": given(F.sum("a"))}
FUNCTION = given("f", len, if_not_exists=True)
ENVIRONMENT = {
    "accept_view": given("v", allow_breaking=False, **CHANGE),
    "alter_function": given("f", len, if_exists=True),
    "create_database": given("d", comment="c", if_not_exists=False),
    "create_function": FUNCTION,
    "create_temporary_function": FUNCTION,
    "create_temporary_system_function": FUNCTION,
    "create_table": given(
        *("x", "a INT"),
        format="csv",
        location="/x",
        options={"a": "b"},
        comment="c",
        or_replace=True,
        properties={"a": "b"},
        partitioned_by=["a"],
        defaults={"a": "1"},
        checks=[],
    ),
    "create_temporary_view": given("x", OTHER, or_replace=True),
    "create_view": given(
        *("x", OTHER),
        or_replace=True,
        comment="c",
        style="readable",
        properties={"a": "b"},
        column_comments={"b": "x"},
        expected=None,
        outside=(),
        nullable=["b"],
        annotate=True,
        target="4.0",
        dialects=["trino"],
        **CHANGE,
    ),
    "drop_function": given("f", if_exists=True),
    "drop_table": given("t", if_exists=True),
    "drop_temporary_function": given("f", if_exists=True),
    "drop_temporary_system_function": given("f", if_exists=True),
    "drop_temporary_view": given("f", if_exists=True),
    "drop_view": given("f", if_exists=True),
    "execute_sql": given("SHOW TABLES"),
    "from_call": given(None),
    "from_dataframe": given(None),
    "from_function": given("range", 3),
    "from_path": given("t"),
    "from_values": given([(1, 2)], "a INT, b INT"),
    "get_view": given("v"),
    "history": given("v"),
    "list_functions": given(None),
    "list_tables": given(None),
    "list_views": given(None),
    "open": given("memory:", settings={}, target="4.0", python_modules=None),
    "path_of": given("t"),
    "register_catalog": given("c", "memory:"),
    "rename_view": given("v", "w", **CHANGE),
    "rollback": given("v", 1, allow_breaking=True, **CHANGE),
    "sql_query": given("SELECT a FROM t", args={}, schema=None, spark=None, dialect="spark"),
    "use_catalog": given("c"),
    "use_database": given("d"),
    "view_table": given("v"),
    "with_settings": given({}),
}
MODULE = {
    "and_": given(lit(True)),
    "array": given(1),
    "async_udf": given(None, returns="INT", parameters=["INT"], deterministic=True, name="f"),
    "async_udtf": given(None, returns="a INT", parameters=["INT"], name="f"),
    "attach_functions": given(None, "f", catalog="memory:", python_modules=None),
    "call": given("sqrt", 1),
    "capture": given(None),
    "col": given("a"),
    "descriptor": given("a"),
    "exists": given(OTHER),
    "if_then_else": given(lit(True), 1, 2),
    "in_query": given(col("a"), OTHER),
    "interval": given(
        **dict.fromkeys(["years", "months", "days", "hours", "minutes", "seconds"], 1)
    ),
    "lit": given(1, "INT"),
    "map_": given(1, 2),
    "migrate": given(None),
    "not_": given(lit(True)),
    "open_view": given(None, "v", None),
    "or_": given(lit(True)),
    "over": given(partition_by="a", order_by="a"),
    "range_": given("a", "b"),
    "record": given(None),
    "row": given(1),
    "save_view": given(
        *(OTHER, "n"), catalog="memory:", or_replace=True, comment="c", target="4.0", **CHANGE
    ),
    "scalar": given(OTHER),
    "send_modules": given(None, "json"),
    "to_sql": given(OTHER, style="readable", annotate=True, target="4.0", qualify="full"),
    "verify": given(OTHER, None),
    "view": given("n", comment="c"),
    "with_columns": given(lit(1)),
    "without_columns": given(lit(1)),
}
PLACES: dict[str, tuple[Subject, dict[str, Given]]] = {
    "Table": (lambda env: env.from_path("t"), TABLE),
    "Expression": (lambda env: col("a"), EXPRESSION),
    "GroupedTable": (lambda env: env.from_path("t").group_by("s"), GROUPED),
    "TableEnvironment": (lambda env: env, ENVIRONMENT),
    "viewscribe": (lambda env: vs, MODULE),
}
INSIDE = {"with_operation", "named", "resolve_table", "is_table_argument"}
"""Called by other rooms, which know what they give."""


def _use(made: Any, env: vs.TableEnvironment) -> None:
    """Prints what was made, as some mistakes show up only then."""
    table = env.from_path("t")
    if isinstance(made, vs.Expression):
        made = table.select(made)
    elif isinstance(made, type(vs.over())):
        made = table.select(F.sum("a").over(made))
    elif isinstance(made, GroupedTable | PivotedTable):
        made = made.agg(F.count("*"))
    if isinstance(made, vs.Table):
        made.to_sql()
        made.to_plan()


def _bare(error: Exception) -> str | None:
    """What is told of an error of Python's own; None where we, or a caller's mistake, raise it."""
    if isinstance(error, ViewscribeError):
        return None
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/viewscribe/" in frame.filename]
    if not ours:  # Python counts the arguments
        return None
    if frames[-1] is ours[-1] and (ours[-1].line or "").startswith("raise "):
        return None
    return f"{type(error).__name__}: {error} at {ours[-1].filename}:{ours[-1].lineno}"


def _attempts(arguments: Given, env: vs.TableEnvironment) -> Iterator[Given]:
    args, named = arguments
    yield arguments
    for wrong in _wrong(env):
        for place in range(len(args)):
            yield (*args[:place], wrong, *args[place + 1 :]), named
        for key in named:
            yield args, {**named, key: wrong}


METHODS = [(place, each) for place, (_, methods) in PLACES.items() for each in methods]


@pytest.mark.parametrize(("place", "method"), METHODS)
def test_no_bare_error(place: str, method: str) -> None:
    subject, methods = PLACES[place]
    env, found = _world(), []
    for args, named in _attempts(methods[method], env):
        if subject(env) is env:  # what an attempt makes is not there for the next
            env = _world()
        placed = [env.from_path("u") if each is OTHER else each for each in args]
        try:
            _use(getattr(subject(env), method)(*placed, **named), env)
        except Exception as error:
            found += [f"{args} {named}: {told}" for told in [_bare(error)] if told]
    assert found == []


WRITTEN = [each for each in dir(F) if inspect.isfunction(vars(F).get(each))]
"""Functions that are not made from the registry alone."""


@pytest.mark.slow("every function with every wrong value")
@pytest.mark.parametrize("function", WRITTEN)
def test_no_bare_error_of_a_function(function: str) -> None:
    env, found = _world(), []
    for count in (1, 2, 3):
        for wrong in _wrong(env):
            try:
                _use(getattr(F, function)(*[wrong] * count), env)
            except Exception as error:
                found += [f"{count} times {wrong}: {told}" for told in [_bare(error)] if told]
    assert found == []


def _functions(owner: Any) -> dict[str, Any]:
    """What can be called with arguments; of several names one."""
    names = vs.__all__ if owner is vs else [each for each in dir(owner) if each[0] != "_"]
    by_name = {each: getattr(owner, each) for each in names if each not in INSIDE}
    return {
        getattr(found, "__name__", name): found
        for name, found in by_name.items()
        if inspect.isroutine(found) and inspect.signature(found).parameters
    }


@pytest.mark.parametrize("place", PLACES)
def test_every_method_is_tried(place: str) -> None:
    subject, methods = PLACES[place]
    owner = subject(_world())
    tried = {getattr(owner, each).__name__ for each in methods}
    assert _functions(owner).keys() - tried == set()


def test_bare_errors_are_seen() -> None:
    with pytest.raises(TypeError) as caught:
        vs.TableEnvironment().resolve_table(None)  # type: ignore[arg-type]
    assert _bare(caught.value) is not None


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    table = _world().from_path("t")
    drawn = table.sample(numpy.float32(0.5), numpy.int64(3))
    assert drawn.equals(table.sample(0.5, 3))
    assert type(drawn.operation.seed) is int  # type: ignore[attr-defined]


def test_a_target_that_is_a_number_lists_the_versions() -> None:
    with pytest.raises(ViewscribeError, match="no text can be written for Spark 4") as caught:
        _world().from_path("t").to_sql(target=4)  # type: ignore[arg-type]
    assert "the targets are: 4.0" in str(caught.value)
