"""QUALIFY means the tree's columns whatever tables, columns and items are called.

Storing a view reads its text back: a name that QUALIFY would take otherwise is an error there.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import viewscribe as vs
from viewscribe import col, lit, over
from viewscribe import functions as F
from viewscribe.errors import ViewscribeError

NAMES = ["t", "u", "a", "b"]


def tables() -> vs.TableEnvironment:
    env = vs.TableEnvironment()
    env.create_table("t", "a INT, b INT, t STRUCT<a: INT, b: INT>")
    env.create_table("u", "a INT, u INT, t INT")
    return env


class Drawn:
    """Draws a pipeline whose names clash: a projection with windows, and a filter of its columns.

    Args:
        draw: hypothesis's.
    """

    def __init__(self, draw: Any) -> None:
        self._draw = draw

    def one(self, *choices: Any) -> Any:
        return self._draw(st.sampled_from(choices))

    def table(self, env: vs.TableEnvironment) -> vs.Table:
        table = env.from_path(self.one("t", "u"))
        return table.alias(self.one("t", "u", "a", "b"))

    def column(self, table: vs.Table) -> Any:
        field = self.one(*table.schema.fields)
        return col(field.name)["a"] if field.type.ddl.startswith("STRUCT") else col(field.name)

    def item(self, table: vs.Table) -> Any:
        column = self.column(table)
        window = over(partition_by=[self.column(table)], order_by=[self.column(table)])
        plain = (-column, F.named_struct(lit("a"), column, lit("b"), -column))
        return self.one(*plain, F.row_number().over(window), F.max(column).over(window))

    def pipeline(self, env: vs.TableEnvironment) -> vs.Table:
        table = self.table(env)
        names = self._draw(st.permutations(NAMES))
        shown = table.select(*[self.item(table).alias(name) for name in names])
        numbers = [each.name for each in shown.schema.fields if each.type.ddl == "INT"]
        if not numbers:
            return shown
        kept = (col(self.one(*numbers)) >= 1) & (col(self.one(*numbers)) < 9)
        return shown.filter(kept)


@pytest.mark.parametrize("style", ["readable", "pipe", "nested"])
@given(st.data())
def test_names_mean_what_they_mean_in_the_tree(style: str, data: Any) -> None:
    env = tables()
    try:
        pipeline = Drawn(data.draw).pipeline(env)
    except ViewscribeError:  # a table that is called like one of its columns
        return
    env.create_view("stored", pipeline, style=style)
