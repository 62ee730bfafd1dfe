"""Sub-queries."""

from __future__ import annotations

from tests.spark.capture.generated.frames import Frame, quoted
from tests.spark.capture.generated.programs import Writer
from tests.spark.capture.generated.steps.common import listed, values
from tests.spark.capture.generated.steps.inputs import another, small


def scalar_query(w: Writer, f: Frame) -> Frame | None:
    g = another(w)
    kind = w.p.choose([k for k in ("int", "string", "date") if g.of(k)] or ["int"])
    inner = f"{g.var}.agg(F.max({values(w, g).leaf(kind)})).scalar()"
    value = f"({values(w, f).of(kind, 1)} {w.p.choose(('==', '<'))} {inner})"
    if w.p.chance(2):
        return w.frame(f"{f.var}.filter({value})", source=f, kept=f.columns)
    return w.frame(f"{f.var}.withColumn({w.p.fresh()!r}, {inner})")


def in_query(w: Writer, f: Frame) -> Frame | None:
    g = small(w)
    kinds = [k for k in ("int", "string", "date") if f.of(k) and g.plain(k)]
    if not kinds:
        return None
    kind = w.p.choose(kinds)
    name = quoted(w.p.choose(g.plain(kind)).name)
    found = f"{values(w, f).of(kind, 1)}.isin({g.var}.select({name!r}))"
    return w.frame(
        f"{f.var}.filter({'~' if w.p.chance(3) else ''}{found})", source=f, kept=f.columns
    )


def correlated(w: Writer, f: Frame) -> Frame | None:
    g = small(w)
    kinds = [k for k in ("int", "string") if f.plain(k) and g.plain(k)]
    if not kinds:
        return None
    kind = w.p.choose(kinds)
    mine, theirs = (quoted(w.p.choose(x.plain(kind)).name) for x in (f, g))
    inner = (
        f"{g.var}.alias('inner').where(F.col({f'inner.{theirs}'!r}) == "
        f"F.col({f'outer.{mine}'!r}).outer())"
    )
    outer = f"{f.var}.alias('outer')"
    name = w.p.fresh()
    taken = listed(
        [f"F.col({f'inner.{quoted(c.name)}'!r}).alias({w.p.fresh()!r})" for c in g.plain()[:2]]
    )
    code = w.p.choose(
        (
            f"{outer}.filter({inner}.exists())",
            f"{outer}.filter(~{inner}.exists())",
            f"{outer}.withColumn({name!r}, {inner}.select(F.count('*')).scalar())",
            f"{outer}.lateralJoin({inner}.select({taken}))",
        )
    )
    return w.frame(code)
