"""Joins, and the columns of their sides."""

from __future__ import annotations

from tests.spark.capture.generated.frames import ORDERED, Column, Frame, quoted
from tests.spark.capture.generated.programs import Writer
from tests.spark.capture.generated.steps.common import listed, values
from tests.spark.capture.generated.steps.inputs import another, small

_HOW = ("inner", "left", "right", "full", "left_semi", "left_anti")


def join_using(w: Writer, f: Frame) -> Frame | None:
    g = small(w)
    shared = [
        c
        for c in f.plain(*ORDERED)
        if any(o.name.lower() == c.name.lower() and o.kind == c.kind for o in g.plain())
    ]
    keys = w.p.some(shared, 1, 2)
    if not keys:
        return None
    names = [c.name for c in keys]
    on = repr(names[0]) if len(names) == 1 and w.p.chance(2) else repr(names)
    return w.frame(f"{f.var}.join({g.var}, {on}, {w.p.choose(_HOW)!r})")


def _kept(f: Frame, g: Frame, how: str) -> list[Column | None]:
    """The columns of a join, each by names that tell which side it is of."""
    sides = [f] if how in ("left_semi", "left_anti") else [f, g]
    found: list[Column | None] = []
    for side in sides:
        for c in side.columns:
            names = c.others
            if c.unique:
                names = (f"{side.var}[{quoted(c.name)!r}]", *names)
            if side.alias is not None and c.unique:
                names = (f"F.col({f'{quoted(side.alias)}.{quoted(c.name)}'!r})", *names)
            found.append(Column(c.name, c.type, c.unique, names))
    return found


def join_on(w: Writer, f: Frame) -> Frame | None:
    g = another(w)
    kinds = [k for k in ("int", "string", "date") if f.of(k) and g.of(k)]
    if not kinds or g.var == f.var:
        return None
    kind = w.p.choose(kinds)
    how = w.p.choose(_HOW)
    kept = _kept(f, g, "inner")
    lefts = [c for c in kept[: len(f.columns)] if c and c.kind == kind and c.others]
    rights = [c for c in kept[len(f.columns) :] if c and c.kind == kind and c.others]
    if not lefts or not rights:
        return None
    left, right = w.p.choose(lefts).others[0], w.p.choose(rights).others[0]
    condition = f"{left} {w.p.choose(('==', '==', '==', '<='))} {right}"
    if w.p.chance(3):
        condition = f"({condition}) & {w.p.choose(lefts).others[0]}.isNotNull()"
    return w.frame(f"{f.var}.join({g.var}, {condition}, {how!r})", kept=_kept(f, g, how))


def self_join(w: Writer, f: Frame) -> Frame | None:
    found = f.plain("int", "string")
    if not found:
        return None
    a, b = alias_of(w, f, "a"), alias_of(w, f, "b")
    name = quoted(w.p.choose(found).name)
    if a is None or b is None:
        return None
    how = w.p.choose(_HOW)
    return w.frame(
        f"{a.var}.join({b.var}, F.col({f'a.{name}'!r}) == F.col({f'b.{name}'!r}), {how!r})",
        kept=_kept(a, b, how),
    )


def alias_of(w: Writer, f: Frame, name: str) -> Frame | None:
    """The frame under a name."""
    made = w.frame(f"{f.var}.alias({name!r})", source=f, kept=f.columns)
    if made is not None:
        made.alias = name
        for column in made.columns:
            column.others = ()
    return made


def join_with_itself_grouped(w: Writer, f: Frame) -> Frame | None:
    keys = f.plain(*ORDERED)
    if not keys:
        return None
    key = w.p.choose(keys)
    name, most = quoted(key.name), w.p.fresh()
    value = values(w, f).of("int", 1)
    g = w.frame(f"{f.var}.groupBy({name!r}).agg(F.max({value}).alias({most!r}))")
    if g is None:
        return None
    how = w.p.choose(_HOW)
    on = w.p.choose((repr(key.name), f"{f.var}[{name!r}] == {g.var}[{name!r}]"))
    kept = [] if on == repr(key.name) else _kept(f, g, how)
    return w.frame(f"{f.var}.join({g.var}, {on}, {how!r})", kept=kept)


def cross_join(w: Writer, f: Frame) -> Frame | None:
    if len(f.columns) > 14:
        return None
    g = w.frame("spark.range(0, 2, 1, 1).withColumnRenamed('id', 'n')")
    assert g is not None
    return w.frame(f"{f.var}.crossJoin({g.var})", kept=_kept(f, g, "cross"))


def select_sides(w: Writer, f: Frame) -> Frame | None:
    """After a join: a few columns by the frames they are of."""
    found = [c for c in f.columns if c.others]
    items, kept = [], []
    for column in w.p.some(found, 1, 4):
        name = w.p.choose(column.others)
        kept.append(column if not w.p.chance(2) else None)
        items.append(name if kept[-1] else f"{name}.alias({w.p.fresh()!r})")
    if not items:
        return None
    return w.frame(f"{f.var}.select({listed(items)})", source=f, kept=kept)


def drop_side(w: Writer, f: Frame) -> Frame | None:
    """After a join: a column less, by the frame it is of."""
    found = [c for c in f.columns if not c.unique and c.others]
    if not found:
        return None
    gone = w.p.choose(found)
    kept = [c for c in f.columns if c is not gone]
    return w.frame(f"{f.var}.drop({gone.others[0]})", source=f, kept=kept)
