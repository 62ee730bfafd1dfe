"""Steps that keep, order and sample rows, and fill what they lack."""

from __future__ import annotations

from tests.spark.capture.generated.frames import ORDERED, Frame, groupable, is_simple, quoted
from tests.spark.capture.generated.programs import Writer
from tests.spark.capture.generated.steps.common import listed, values


def where(w: Writer, f: Frame) -> Frame | None:
    v = values(w, f)
    method = w.p.choose(("filter", "where"))
    condition = repr(v.text_of_condition()) if w.p.chance(4) else v.condition(3)
    return w.frame(f"{f.var}.{method}({condition})", source=f, kept=f.columns, rowwise=True)


def where_hidden(w: Writer, f: Frame) -> Frame | None:
    found = [c for c in f.hidden if c.kind in ORDERED]
    if not found:
        return None
    name = f"F.col({quoted(w.p.choose(found).name)!r})"
    code = w.p.choose((f"filter({name}.isNotNull())", f"orderBy({name})", f"filter({name} == 1)"))
    if code.endswith("== 1)") and w.p.choose(found).kind != "int":
        return None
    return w.frame(f"{f.var}.{code}", source=f, kept=f.columns)


def distinct(w: Writer, f: Frame) -> Frame | None:
    if not f.groupable:
        return None
    return w.frame(f"{f.var}.{w.p.choose(('distinct()', 'dropDuplicates()'))}")


def one_of_each(w: Writer, f: Frame) -> Frame | None:
    keys = w.p.some([c for c in groupable(f) if c.unique and is_simple(c.name)], 1, 2)
    if not keys:
        return None
    names = [c.name for c in keys]
    kept = listed([repr(quoted(n)) for n in names])
    return w.frame(f"{f.var}.dropDuplicates({names!r}).select({kept})")


def order_by(w: Writer, f: Frame) -> Frame | None:
    v = values(w, f)
    keys = []
    for _ in range(w.p.number(1, 2)):
        key = v.ordered(1)
        keys.append(w.p.choose((key, f"{key}.desc()", f"{key}.asc_nulls_last()", f"F.desc({key})")))
    method = w.p.choose(("orderBy", "sort", "sortWithinPartitions"))
    return w.frame(f"{f.var}.{method}({listed(keys)})", source=f, kept=f.columns)


def limit(w: Writer, f: Frame) -> Frame | None:
    if not f.sortable or not f.columns:
        return None
    v = values(w, f)
    keys = listed([v.named(c) for c in f.columns])
    after = w.p.choose((".limit(2)", ".limit(3)", ".offset(1)", ".offset(1).limit(2)", ".limit(0)"))
    return w.frame(f"{f.var}.orderBy({keys}){after}", source=f, kept=f.columns)


def sample(w: Writer, f: Frame) -> Frame | None:
    if not f.rowwise:
        return None
    return w.frame(f"{f.var}.sample(fraction=0.5, seed={w.p.number(0, 99)})")


def spread(w: Writer, f: Frame) -> Frame | None:
    code = ["repartition(2)", "coalesce(1)", "hint('broadcast')"]
    keys = f.plain(*ORDERED)
    if keys:
        name = quoted(w.p.choose(keys).name)
        code += [f"repartition(2, {name!r})", f"repartition({name!r})"]
        code += [f"repartitionByRange(2, {name!r})", f"repartition(F.col({name!r}))"]
    return w.frame(f"{f.var}.{w.p.choose(code)}", source=f, kept=f.columns)


def fill(w: Writer, f: Frame) -> Frame | None:
    fitting = {"int": "7", "double": "0.5", "string": "'none'", "boolean": "False"}
    pairs = [
        f"{c.name!r}: {fitting[c.kind]}"
        for c in w.p.some(f.plain(*fitting), 1, 2)
        if is_simple(c.name)
    ]
    whole = listed([f"{{{listed(pairs)}}}"])
    code = w.p.choose(("fillna(0)", "na.fill(1.5)", "na.fill('?')", "fillna(True)"))
    if pairs and w.p.chance(2):
        code = f"{w.p.choose(('fillna', 'na.fill'))}({whole})"
    if len(f.plain()) != len(f.columns):
        return None
    return w.frame(f"{f.var}.{code}", rowwise=f.rowwise)


def drop_missing(w: Writer, f: Frame) -> Frame | None:
    names = [c.name for c in w.p.some(f.plain(*ORDERED), 1, 2) if is_simple(c.name)]
    if not names or len(f.plain()) != len(f.columns):
        return None
    code = [f"dropna(subset={names!r})", f"na.drop('all', subset={names!r})"]
    if all(is_simple(c.name) for c in f.columns):
        code += ["dropna()", "na.drop('all')", "na.drop(thresh=2)"]
    return w.frame(f"{f.var}.{w.p.choose(code)}", source=f, kept=f.columns, rowwise=True)


def replace(w: Writer, f: Frame) -> Frame | None:
    if len(f.plain()) != len(f.columns):
        return None
    code = [
        "replace('a', 'A')",
        "na.replace({'a': 'A', 'b': None})",
        "na.replace([1, 2], [11, 12])",
    ]
    for kind, pair in (("double", "float('nan'), 0.0"), ("string", "['a', ''], ['b', 'c']")):
        code += [
            f"replace({pair}, subset={[c.name]!r})" for c in f.plain(kind)[:1] if is_simple(c.name)
        ]
    return w.frame(f"{f.var}.{w.p.choose(code)}", rowwise=f.rowwise)
