"""What is of the wrong class is refused in our words: no name, no text, no table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import viewscribe as vs
from viewscribe import col, lit
from viewscribe import functions as F
from viewscribe.errors import ValidationError, ViewscribeError

Door = Callable[[vs.TableEnvironment, Any], object]

TEXTS: dict[str, Door] = {
    "sql_query": lambda env, x: env.sql_query(x),
    "execute_sql": lambda env, x: env.execute_sql(x),
    "expr": lambda env, x: F.expr(x),
    "select_expr": lambda env, x: env.from_path("t").select_expr(x),
    "from_path": lambda env, x: env.from_path(x),
    "create_table": lambda env, x: env.create_table(x, "a INT"),
    "create_view": lambda env, x: env.create_view(x, env.from_path("t")),
    "create_temporary_view": lambda env, x: env.create_temporary_view(x, env.from_path("t")),
    "drop_view": lambda env, x: env.drop_view(x),
    "get_view": lambda env, x: env.get_view(x),
    "view_table": lambda env, x: env.view_table(x),
    "history": lambda env, x: env.history(x),
    "create_database": lambda env, x: env.create_database(x),
    "use_database": lambda env, x: env.use_database(x),
    "use_catalog": lambda env, x: env.use_catalog(x),
    "register_catalog": lambda env, x: env.register_catalog(x, "memory:"),
    "save_view": lambda env, x: vs.save_view(env.from_path("t"), x),
    "col": lambda env, x: env.from_path("t").select(col(x)),
    "cast": lambda env, x: env.from_path("t").select(col("a").cast(x)),
}
TABLES: dict[str, Door] = {
    "join": lambda env, x: env.from_path("t").join(x, lit(True)),
    "cross_join": lambda env, x: env.from_path("t").cross_join(x),
    "union_all": lambda env, x: env.from_path("t").union_all(x),
    "minus": lambda env, x: env.from_path("t").minus(x),
    "create_view": lambda env, x: env.create_view("v", x),
}


class Frame:
    """Stands for a DataFrame."""


@pytest.fixture
def env() -> vs.TableEnvironment:
    made = vs.TableEnvironment()
    made.create_table("t", "a INT, s STRING")
    return made


@pytest.mark.parametrize("door", TEXTS)
def test_where_a_text_is_wanted(door: str, env: vs.TableEnvironment) -> None:
    for wrong in (1, 1.5, b"x", Frame(), env.from_path("t"), col("a")):
        with pytest.raises(ViewscribeError):
            TEXTS[door](env, wrong)
    with pytest.raises(ValidationError, match="is a text, and this is of the class Table"):
        env.create_view(env.from_path("t"), "v")  # type: ignore[arg-type]


@pytest.mark.parametrize("door", TABLES)
def test_where_a_table_is_wanted(door: str, env: vs.TableEnvironment) -> None:
    for wrong in (None, "t", Frame(), col("a"), [env.from_path("t")]):
        with pytest.raises(ValidationError, match="a table is wanted here, and this is of the cl"):
            TABLES[door](env, wrong)
