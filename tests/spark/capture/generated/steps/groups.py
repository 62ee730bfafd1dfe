"""Steps that group rows: aggregates, grouping sets, pivots, windows."""

from __future__ import annotations

from tests.spark.capture.generated.frames import Frame, groupable, is_simple, quoted
from tests.spark.capture.generated.programs import Writer
from tests.spark.capture.generated.steps.common import listed, values


def _keys(w: Writer, f: Frame, least: int = 0) -> list[str]:
    v = values(w, f)
    keys = []
    for column in w.p.some([c for c in groupable(f) if c.unique], least, 2):
        keys.append(w.p.choose((repr(quoted(column.name)), v.named(column))))
    if w.p.chance(4):
        value = v.ordered(1)
        keys.append(value if w.p.chance(3) else f"{value}.alias({w.p.fresh()!r})")
    return keys


def _aggregates(w: Writer, f: Frame) -> str:
    v = values(w, f)
    made = []
    for _ in range(w.p.number(1, 3)):
        value = v.aggregate()
        made.append(value if w.p.chance(5) else f"{value}.alias({w.p.fresh()!r})")
    return listed(made)


def group(w: Writer, f: Frame) -> Frame | None:
    return w.frame(f"{f.var}.groupBy({listed(_keys(w, f))}).agg({_aggregates(w, f)})")


def group_simply(w: Writer, f: Frame) -> Frame | None:
    grouped = f"{f.var}.groupBy({listed(_keys(w, f, 1))})"
    numbers = f.plain("int", "decimal")
    code = ["count()"]
    numbers = [c for c in numbers if is_simple(c.name)]
    if numbers:
        name = w.p.choose(numbers).name
        code += [f"sum({name!r})", f"max({name!r})", f"agg({{{name!r}: 'avg'}})"]
        code += ["agg({'*': 'count'})"]
    return w.frame(f"{grouped}.{w.p.choose(code)}")


def whole(w: Writer, f: Frame) -> Frame | None:
    method = w.p.choose(("agg", "select"))
    return w.frame(f"{f.var}.{method}({_aggregates(w, f)})")


def rollup(w: Writer, f: Frame) -> Frame | None:
    found = [c for c in groupable(f) if c.unique]
    keys = w.p.some(found, 1, 2)
    if not keys:
        return None
    v = values(w, f)
    names = [v.named(c) for c in keys]
    more = ", F.grouping_id().alias('gid')" if w.p.chance(2) else ""
    method = w.p.choose(("rollup", "cube", "groupingSets"))
    grouped = f"{method}({listed(names)})"
    if method == "groupingSets":
        sets = w.p.choose((f"[[{names[0]}], []]", f"[[{listed(names)}], [{names[-1]}]]"))
        grouped = f"groupingSets({sets}, {listed(names)})"
    return w.frame(f"{f.var}.{grouped}.agg({_aggregates(w, f)}{more})")


def having(w: Writer, f: Frame) -> Frame | None:
    name = w.p.fresh()
    return w.frame(
        f"{f.var}.groupBy({listed(_keys(w, f, 1))}).agg(F.count('*').alias({name!r}), "
        f"{_aggregates(w, f)}).filter(F.col({quoted(name)!r}) > 1)"
    )


def pivot(w: Writer, f: Frame) -> Frame | None:
    found = f.plain("int", "string")
    if not found:
        return None
    column = w.p.choose(found)
    wanted = {"int": "[1, 2, 3]", "string": "['a', 'b', 'it\\'s']"}[column.kind]
    keys = listed(_keys(w, f))
    return w.frame(
        f"{f.var}.groupBy({keys}).pivot({quoted(column.name)!r}, {wanted}).agg({_aggregates(w, f)})"
    )


def unpivot(w: Writer, f: Frame) -> Frame | None:
    numbers = f.plain("int")
    taken = w.p.some(numbers, 1, 3)
    if not taken:
        return None
    ids = [quoted(c.name) for c in w.p.some([c for c in f.plain() if c not in taken], 0, 2)]
    given = [quoted(c.name) for c in taken]
    method = w.p.choose(("unpivot", "melt"))
    return w.frame(f"{f.var}.{method}({ids!r}, {given!r}, {w.p.fresh()!r}, {w.p.fresh()!r})")


def window(w: Writer, f: Frame) -> Frame | None:
    v = values(w, f)
    value = v.over_window()
    if w.p.chance(4):
        return w.frame(f"{f.var}.select({value}, {v.any_column()}, {v.over_window()})")
    return w.frame(f"{f.var}.withColumn({w.p.fresh()!r}, {value})", source=f)


def first_of_each(w: Writer, f: Frame) -> Frame | None:
    found = f.plain("int")
    if not found:
        return None
    v = values(w, f)
    key, by = v.named(w.p.choose(found)), v.orderable()
    name = w.p.fresh()
    return w.frame(
        f"{f.var}.withColumn({name!r}, F.rank().over(Window.partitionBy({by}).orderBy({key})))"
        f".filter(F.col({quoted(name)!r}) == 1).drop({name!r})"
    )
