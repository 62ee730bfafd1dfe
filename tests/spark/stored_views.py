"""Views over Python functions of every kind, stored in a catalog of files, and their rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import viewscribe as vs
from tests.spark import stored_functions as functions
from viewscribe import call, col

ROWS = [(1, "a bc", 100.0, 5), (2, "d", 50.0, 7), (2, "d", 50.0, 9), (3, None, None, None)]
KINDS = {
    "tenth": functions.tenth,
    "half": functions.half,
    "halves": functions.halves,
    "words": functions.words,
    "largest": functions.largest,
    "Spread": functions.Spread,
}


def rows(env: vs.TableEnvironment) -> vs.Table:
    """A few rows, NULL among them."""
    return env.from_values(ROWS, "id INT, t STRING, x DOUBLE, n INT")


def store_views(place: Path) -> str:
    """Stores functions of every kind, and views that call them; gives the catalog's URL."""
    url = f"file:{place}"
    env = vs.TableEnvironment.open(url)
    env.create_database("py")
    for name, function in KINDS.items():
        env.create_function(f"py.{name}", function)
    given = rows(env)
    env.create_view("py.scalars", given.select(
        "id",
        call("py.half", col("x")).alias("half"),
        call("py.halves", col("n")).alias("halves"),
    ))  # fmt: skip
    env.create_view("py.tenths", given.select("id", call("py.tenth", col("x")).alias("tenth")))
    env.create_view("py.behind", env.from_path("py.tenths").filter(col("tenth") > 5))
    env.create_view("py.words_of", given.generate(call("py.words", col("t"))).select("id", "word"))
    env.create_view("py.groups", given.group_by("id").agg(
        call("py.Spread", col("n")).alias("spread"), call("py.largest", col("x")).alias("largest")
    ))  # fmt: skip
    whole = given.agg(call("py.Spread", col("n")).distinct().alias("spread"))
    env.create_view("py.whole", whole)
    return url


OPENED: dict[str, list[Any]] = {
    "scalars": [
        (1, 50.0, 2.5),
        (2, 25.0, 3.5),
        (2, 25.0, 4.5),
        (3, None, None),
    ],
    "behind": [(1, 10.0)],
    "groups": [(1, 0, 100.0), (2, 2, 50.0), (3, None, None)],
    "whole": [(4,)],
    "words_of": [(1, "a"), (1, "bc"), (2, "d"), (2, "d")],
}
"""The rows of the views."""
