"""Random pipelines over small tables with nasty names and values, for hypothesis.

Whatever a pipeline draws gives the same rows however Spark runs it: sorts before limits are total,
windows order by unique keys, numbers stay small.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

import viewscribe as vs
from viewscribe import Table, TableEnvironment, col, lit
from viewscribe import functions as F
from viewscribe.types import (
    ArrayType,
    BooleanType,
    DateType,
    DecimalType,
    Field,
    IntegralType,
    IntType,
    LogicalType,
    MapType,
    StringType,
    StructType,
    TimestampType,
)

Draw = Callable[[st.SearchStrategy[Any]], Any]

SCHEMAS = {
    "people": "id INT, name STRING, born DATE, score DECIMAL(8, 2), ok BOOLEAN, tags ARRAY<STRING>",
    "orders": "id INT, person INT, `unit price` DECIMAL(10, 2), `select` STRING, at DATE, n INT",
    "nasty": "`a.b` INT, `it's` STRING, `näme` STRING, `x``y` INT, st STRUCT<p: INT, q: STRING>",
}

ROWS: dict[str, list[tuple[Any, ...]]] = {
    "people": [
        (1, "Ada", dt.date(1980, 1, 1), Decimal("1.50"), True, ["x", "y"]),
        (2, "Bob's", dt.date(1999, 12, 31), Decimal("-2.00"), False, []),
        (3, None, None, None, None, None),
        (4, "Ada", dt.date(2000, 2, 29), Decimal("1.50"), True, ["x", None]),
        (5, "a\\b\n'c'", dt.date(1980, 1, 1), Decimal("0.00"), None, ["y"]),
    ],
    "orders": [
        (1, 1, Decimal("10.00"), "new", dt.date(2020, 1, 5), 1),
        (2, 1, Decimal("20.50"), "old", dt.date(2020, 2, 5), 2),
        (3, 2, None, "new", None, None),
        (4, None, Decimal("0.99"), None, dt.date(2021, 1, 5), 4),
        (5, 5, Decimal("10.00"), "%_x", dt.date(2020, 1, 5), 2),
        (6, 5, Decimal("10.00"), "%_x", dt.date(2020, 1, 5), 2),
    ],
    "nasty": [
        (1, "it's", "ü", 1, (1, "p")),
        (2, "", "ß", None, (None, "q")),
        (None, None, None, 3, None),
    ],
}


def environment() -> TableEnvironment:
    """An environment that knows the tables."""
    env = TableEnvironment()
    for name, schema in SCHEMAS.items():
        env.create_table(name, schema)
    return env


def quoted(name: str) -> str:
    """The name as ``col`` takes it."""
    return f"`{name.replace('`', '``')}`"


class Pipelines:
    """Draws pipelines; ``draw`` is hypothesis'."""

    def __init__(self, draw: Draw, env: TableEnvironment) -> None:
        self.draw = draw
        self.env = env
        self.names = 0
        # Spark calls these by name alone where it finds no column.
        self.functions = ["current_date", "user"]

    def choose(self, items: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(list(items)))

    def number(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def chance(self, one_in: int) -> bool:
        return self.number(1, one_in) == 1

    def fresh(self) -> str:
        if self.functions and self.chance(8):
            return self.functions.pop()
        self.names += 1
        stems = ("c", "v", "the total", "order", "Ü", "a.b", "x")
        return f"{self.choose(stems)}{self.names}"

    def pipeline(self, steps: int, *, depth: int = 2) -> Table:
        """A table after up to ``steps`` random steps."""
        table = self.source()
        for _ in range(self.number(0, steps)):
            step = self.choose(_STEPS)
            made = step(self, table, depth)
            if made is not None:
                table = made
        return table

    def source(self) -> Table:
        if self.chance(8):
            rows = [(1, "one", Decimal("1.5")), (2, None, None), (2, "it's", Decimal("2.5"))]
            return self.env.from_values(rows, "id INT, word STRING, amount DECIMAL(6, 2)")
        return self.env.from_path(self.choose(sorted(SCHEMAS)))

    # -- columns by type -------------------------------------------------------------------------

    def columns(self, table: Table, *kinds: type[LogicalType]) -> list[Field]:
        names = [field.name.lower() for field in table.schema]
        return [
            field
            for field in table.schema
            if isinstance(field.type, kinds or LogicalType) and names.count(field.name.lower()) == 1
        ]

    def sortable(self, table: Table) -> list[Field]:
        return [f for f in self.columns(table) if not isinstance(f.type, MapType)]

    def column(self, table: Table, *kinds: type[LogicalType]) -> Any:
        found = self.columns(table, *kinds)
        return col(quoted(self.choose(found).name)) if found else None

    # -- expressions -----------------------------------------------------------------------------

    def integer(self, table: Table, depth: int = 2) -> Any:
        base = self.column(table, IntType)
        if base is None or self.chance(5):
            base = lit(self.number(-3, 9))
        if depth == 0:
            return base
        return self.choose(
            [
                lambda: base,
                lambda: base + self.integer(table, depth - 1),
                lambda: base - self.integer(table, depth - 1),
                lambda: -base,
                lambda: base % lit(7),
                lambda: F.coalesce(base, lit(0)),
                lambda: F.when(self.condition(table, 0), base).otherwise(
                    self.integer(table, depth - 1)
                ),
                lambda: F.length(self.text(table, 0)),
            ]
        )()

    def text(self, table: Table, depth: int = 2) -> Any:
        base = self.column(table, StringType)
        if base is None or self.chance(5):
            base = lit(self.choose(["x", "it's", "a\\b", "new\nline", "", "ß", "${x}", "%_"]))
        if depth == 0:
            return base
        return self.choose(
            [
                lambda: base,
                lambda: F.upper(base),
                lambda: F.concat(base, self.text(table, depth - 1)),
                lambda: F.substring(base, 1, 2),
                lambda: self.integer(table, 0).cast("STRING"),
                lambda: F.coalesce(base, lit("none")),
            ]
        )()

    def condition(self, table: Table, depth: int = 2) -> Any:
        leaf = self.choose(
            [
                lambda: self.integer(table, min(depth, 1)) > self.integer(table, 0),
                lambda: self.text(table, min(depth, 1)) == self.text(table, 0),
                lambda: self.text(table, 0).like(self.choose(["%a%", "_d%", "\\%%", "it's"])),
                lambda: self.integer(table, 0).between(1, self.number(1, 5)),
                lambda: self.integer(table, 0).in_(1, 2, self.number(3, 6)),
                lambda: self.anything(table).is_null(),
                lambda: self.anything(table).is_not_null(),
                lambda: self.text(table, 0).is_distinct_from(self.text(table, 0)),
                lambda: self.boolean(table),
            ]
        )()
        if depth == 0:
            return leaf
        return self.choose(
            [
                lambda: leaf,
                lambda: ~leaf,
                lambda: leaf & self.condition(table, depth - 1),
                lambda: leaf | self.condition(table, depth - 1),
            ]
        )()

    def boolean(self, table: Table) -> Any:
        base = self.column(table, BooleanType)
        return self.integer(table, 0) == 1 if base is None else base

    def anything(self, table: Table) -> Any:
        return self.column(table) if self.columns(table) else lit(1)

    def value(self, table: Table) -> Any:
        return self.choose(
            [
                lambda: self.integer(table),
                lambda: self.text(table),
                lambda: self.condition(table, 1),
                lambda: self.anything(table),
                lambda: self.decimal(table),
                lambda: self.date(table),
                lambda: self.nested(table),
            ]
        )()

    def decimal(self, table: Table) -> Any:
        base = self.column(table, DecimalType)
        base = lit(Decimal("1.25")) if base is None else base
        return self.choose([lambda: base, lambda: base + 1, lambda: base * Decimal("0.5")])()

    def date(self, table: Table) -> Any:
        base = self.column(table, DateType)
        base = lit(dt.date(2020, 2, 29)) if base is None else base
        return self.choose(
            [
                lambda: base,
                lambda: F.year(base),
                lambda: base + vs.interval(days=3),
                lambda: F.date_add(base, 1),
            ]
        )()

    def nested(self, table: Table) -> Any:
        structs = [f for f in self.columns(table, StructType) if "p" in str(f.type)]
        struct = col(quoted(self.choose(structs).name)) if structs else None
        array = self.column(table, ArrayType)
        if struct is not None:
            return struct["p"] if self.chance(2) else struct
        if array is not None:
            return self.choose(
                [
                    lambda: F.size(array),
                    lambda: F.transform(array, lambda id: F.concat(id, lit("!"))),
                ]
            )()
        return vs.array(self.integer(table, 0), lit(2))

    def aggregate(self, table: Table) -> Any:
        return self.choose(
            [
                lambda: F.count("*"),
                lambda: F.count(self.anything(table)),
                lambda: F.sum(self.integer(table, 1)),
                lambda: F.max(self.text(table, 1)),
                lambda: F.min(self.decimal(table)),
                lambda: F.avg(self.integer(table, 0)),
                lambda: F.count(self.integer(table, 0)).distinct(),
                lambda: F.sum(self.integer(table, 0)).filter(self.condition(table, 0)),
                lambda: F.sum(self.integer(table, 0)) + 1,
            ]
        )()


def _filter(p: Pipelines, table: Table, depth: int) -> Table | None:
    return table.filter(p.condition(table))


def _select(p: Pipelines, table: Table, depth: int) -> Table | None:
    items = [p.value(table).alias(p.fresh()) for _ in range(p.number(1, 3))]
    kept = [col(quoted(f.name)) for f in p.columns(table) if p.chance(2)]
    return table.select(*kept, *items)


def _add(p: Pipelines, table: Table, depth: int) -> Table | None:
    return table.add_columns(p.value(table).alias(p.fresh()))


def _replace(p: Pipelines, table: Table, depth: int) -> Table | None:
    found = p.columns(table)
    if not found:
        return None
    return table.add_or_replace_columns(p.value(table).alias(p.choose(found).name))


def _rename(p: Pipelines, table: Table, depth: int) -> Table | None:
    found = p.columns(table)
    return table.rename_columns({quoted(p.choose(found).name): p.fresh()}) if found else None


def _drop(p: Pipelines, table: Table, depth: int) -> Table | None:
    found = p.columns(table)
    if len(table.columns) < 2 or not found:
        return None
    return table.drop_columns(quoted(p.choose(found).name))


def _group(p: Pipelines, table: Table, depth: int) -> Table | None:
    keys = [p.value(table).alias(p.fresh()) for _ in range(p.number(0, 2))]
    kept = p.choose([[], [c for c in [p.column(table, IntegralType, StringType)] if c is not None]])
    names = {f.name.lower() for f in table.schema}
    aggregates = [p.aggregate(table).alias(p.fresh()) for _ in range(p.number(1, 2))]
    del names
    return table.group_by(*keys, *kept).agg(*aggregates)


def _rollup(p: Pipelines, table: Table, depth: int) -> Table | None:
    found = p.columns(table, IntegralType, StringType)
    if len(found) < 2:
        return None
    keys = [col(quoted(f.name)) for f in found[:2]]
    if p.chance(4):
        keys = [keys[0].alias(p.fresh()), keys[0].alias(p.fresh()), *keys[1:]]
    grouped = p.choose([table.rollup(*keys), table.cube(*keys)])
    made: Table = grouped.agg(p.aggregate(table).alias(p.fresh()))
    return made


def _distinct(p: Pipelines, table: Table, depth: int) -> Table | None:
    return table.distinct() if len(p.sortable(table)) == len(table.schema) else None


def _sort(p: Pipelines, table: Table, depth: int) -> Table | None:
    key = p.choose([p.integer(table, 1), p.text(table, 1)])
    return table.order_by(p.choose([key.asc(), key.desc(), key.asc().nulls_last()]))


def _limit(p: Pipelines, table: Table, depth: int) -> Table | None:
    found = p.sortable(table)
    if len(found) != len(table.schema):
        return None
    ordered = table.order_by(*[col(quoted(f.name)) for f in found])
    if p.chance(2):
        ordered = ordered.offset(p.number(0, 2))
    limited = ordered.limit(p.number(1, 4))
    if p.chance(3):  # what the rows were sorted by is not shown then
        return limited.select(quoted(p.choose(found).name))
    return limited


def _alias(p: Pipelines, table: Table, depth: int) -> Table | None:
    return table.alias(p.choose(["step", "t 1", "people", "select"]))


def _join(p: Pipelines, table: Table, depth: int) -> Table | None:
    if depth == 0:
        return None
    other = p.pipeline(2, depth=depth - 1)
    left, right = p.column(table, IntType), p.column(other, IntType)
    if left is None or right is None:
        return None
    left_name, right_name = p.fresh(), p.fresh()
    a = table.add_columns(left.alias(left_name))
    b = other.add_columns(right.alias(right_name))
    on = col(quoted(left_name)) == col(quoted(right_name))
    return a.join(b, on=on, how=p.choose(["inner", "left", "right", "full", "semi", "anti"]))


def _self_join(p: Pipelines, table: Table, depth: int) -> Table | None:
    found = p.columns(table, IntType)
    if not found or depth == 0:
        return None
    name = quoted(p.choose(found).name)
    a, b = table.alias("l"), table.alias("r")
    joined = a.join(b, on=col(f"l.{name}") == col(f"r.{name}"))
    return joined.select(col(f"l.{name}").alias(p.fresh()), col(f"r.{name}").alias(p.fresh()))


def _using(p: Pipelines, table: Table, depth: int) -> Table | None:
    if depth == 0 or not any(f.name == "id" for f in p.columns(table)):
        return None
    other = p.env.from_path(p.choose(["people", "orders"]))
    if not isinstance(table.schema[table.schema.find("id")].type, IntType):
        return None
    how = p.choose(["inner", "left", "right", "full"])
    return table.join(other.select("id", col("id").alias(p.fresh())), using="id", how=how)


def _set(p: Pipelines, table: Table, depth: int) -> Table | None:
    if depth == 0 or len(p.sortable(table)) != len(table.schema):
        return None
    other = table.filter(p.condition(table, 1))
    name = p.choose(["union", "union_all", "intersect", "intersect_all", "minus", "minus_all"])
    return getattr(table, name)(other)  # type: ignore[no-any-return]


def _with_itself(p: Pipelines, table: Table, depth: int) -> Table | None:
    """What is done to a step that has a name is said twice: it becomes a CTE that reads one."""
    if depth == 0 or len(p.sortable(table)) != len(table.schema):
        return None
    named = table.alias(p.choose(["step", "t 1"])) if p.chance(2) else table
    change = p.choose([_replace, _add, _select, _rename, _filter])
    once: Table | None = change(p, named, depth)
    if once is None or len(p.sortable(once)) != len(once.schema):
        return None
    other = once.select(*reversed([col(quoted(f.name)) for f in once.schema]))
    made: Table = once.union_by_name(other if p.chance(2) else once)
    return made


def _explode(p: Pipelines, table: Table, depth: int) -> Table | None:
    array = p.column(table, ArrayType)
    return None if array is None else table.explode(array, p.fresh(), outer=p.chance(2))


def _window(p: Pipelines, table: Table, depth: int) -> Table | None:
    found = p.sortable(table)
    if len(found) != len(table.schema):
        return None
    spec = vs.over(order_by=[col(quoted(f.name)) for f in found])
    if p.chance(2):
        spec = spec.partition_by(p.integer(table, 0))
    calls = (
        lambda: F.rank().over(spec),
        lambda: F.sum(p.integer(table, 0)).over(spec),
        lambda: F.max(p.text(table, 0)).over(spec.rows_between(None, 0)),
        lambda: F.lag(p.integer(table, 0), 1).over(spec),
    )
    named = [p.choose(calls)().alias(p.fresh()) for _ in range(p.number(1, 2))]
    kept = [col(quoted(f.name)) for f in found] if p.chance(2) else None
    made = table.add_columns(*named) if kept is None else table.select(*kept, *named)
    if p.chance(2) and isinstance(made.schema[len(made.schema) - 1].type, IntType):
        made = made.filter(col(quoted(made.schema[len(made.schema) - 1].name)) <= 2)
    return made


def _unpivot(p: Pipelines, table: Table, depth: int) -> Table | None:
    found = p.columns(table, IntType)
    if len(found) < 2:
        return None
    columns = [col(quoted(f.name)) for f in found[:2]]
    return table.unpivot(columns, name=p.fresh(), value=p.fresh(), include_nulls=p.chance(2))


def _pivot(p: Pipelines, table: Table, depth: int) -> Table | None:
    column, key = p.column(table, StringType), p.column(table, IntType)
    if column is None or key is None:
        return None
    values = [lit("new").alias(p.fresh()), lit("Ada").alias(p.fresh())]
    names = p.choose([("n", "s"), ("n", "n")])
    aggregates = [F.count("*").alias(names[0])] + [F.sum(key).alias(names[1])] * p.number(0, 1)
    return table.group_by(key).pivot(column, values).agg(*aggregates)


def _exists(p: Pipelines, table: Table, depth: int) -> Table | None:
    name = p.columns(table, IntType)
    if not name or depth == 0:
        return None
    own = quoted(p.choose(name).name)
    other = p.env.from_path("orders")
    query = vs.exists(lambda outer: other.filter(col("person") == outer(own)))
    return table.filter(p.choose([query, ~query]))


def _in(p: Pipelines, table: Table, depth: int) -> Table | None:
    if depth == 0:
        return None
    query = p.integer(table, 1).in_(p.env.from_path("orders").select("n"))
    return table.filter(p.choose([query, ~query]))


def _scalar(p: Pipelines, table: Table, depth: int) -> Table | None:
    if depth == 0:
        return None
    other = p.env.from_path("orders")
    query = p.choose(
        [
            other.select(F.max("n")).scalar(),
            other.group_by().agg(F.count("*").alias("k")).scalar(),
        ]
    )
    return table.filter(p.integer(table, 1) <= query)


def _lateral(p: Pipelines, table: Table, depth: int) -> Table | None:
    """A query for each row, which looks at the row wherever Spark lets it."""
    found = p.columns(table, IntType)
    if not found or depth == 0:
        return None
    own, also = (quoted(p.choose(found).name) for _ in range(2))
    other = p.env.from_path("orders").select("n", "person").alias("other")
    groups = other.group_by(col("person").alias(p.fresh()))
    counted = groups.agg(F.sum("n").alias("s"))
    name, more = p.fresh(), p.fresh()
    query = p.choose(
        [
            lambda outer: other.filter(col("person") == outer(own)),
            lambda outer: other.select((col("n") + outer(own)).alias(name)),
            lambda outer: other.add_columns(outer(own).alias(name)).filter(col(quoted(name)) > 1),
            lambda outer: counted.filter(col("s") > outer(own)).select("s"),
            lambda outer: counted.select((col("s") + outer(own)).alias(name), col("s")),
            lambda outer: (
                other.select((col("n") + outer(own)).alias(name))
                .group_by(quoted(name))
                .agg(F.count("*").alias("k"))
            ),
            lambda outer: (
                other.select((col("n") + outer(own)).alias(name)).order_by(quoted(name)).limit(1)
            ),
            lambda outer: other.select((col("n") + outer(own)).alias(name)).explode(
                F.array(quoted(name), quoted(name)), more
            ),
            lambda outer: (
                other.filter(col("person") <= outer(own))
                .add_columns(outer(also).alias(name))
                .order_by("n", "person")
                .limit(2)
                .filter(col("n") != col(quoted(name)))
                .select((col("n") + outer(own)).alias(more), col(quoted(name)))
            ),
        ]
    )
    return table.join_lateral(query) if p.chance(2) else table.left_outer_join_lateral(query)


def _hint(p: Pipelines, table: Table, depth: int) -> Table | None:
    return table.hint(p.choose(["REPARTITION", "COALESCE"]), 2)


def _time_window(p: Pipelines, table: Table, depth: int) -> Table | None:
    """Windows of a time, beside other columns or as the key of groups."""
    found = p.columns(table, DateType, TimestampType)
    if not found:
        return None
    at = quoted(p.choose(found).name)
    name = p.fresh() if "window" in table.schema.names or p.chance(2) else "window"
    if p.chance(2):
        windowed = table.tumble(at, "90 days", name=name)
    else:
        windowed = table.hop(at, size="60 days", slide="30 days", name=name)
    if p.chance(2):
        return windowed
    counted = windowed.group_by(quoted(name)).agg(F.count("*").alias(p.fresh()))
    return counted.add_columns(F.window_time(quoted(name)).alias(p.fresh()))


_STEPS = (
    _filter,
    _filter,
    _select,
    _select,
    _add,
    _replace,
    _rename,
    _drop,
    _group,
    _group,
    _rollup,
    _distinct,
    _sort,
    _limit,
    _alias,
    _join,
    _join,
    _self_join,
    _using,
    _set,
    _with_itself,
    _explode,
    _window,
    _time_window,
    _unpivot,
    _pivot,
    _exists,
    _in,
    _scalar,
    _lateral,
    _lateral,
    _hint,
)


@st.composite
def pipelines(draw: Draw, env: TableEnvironment, *, steps: int = 6) -> Table:
    """A random pipeline over the tables of ``environment()``."""
    return Pipelines(draw, env).pipeline(steps)
