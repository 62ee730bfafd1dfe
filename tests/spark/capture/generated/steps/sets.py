"""Set operations."""

from __future__ import annotations

from tests.spark.capture.generated.frames import Frame, quoted
from tests.spark.capture.generated.programs import Writer
from tests.spark.capture.generated.steps.common import listed, values
from tests.spark.capture.generated.steps.inputs import small
from tests.spark.capture.generated.steps.rows import where


def _like(w: Writer, f: Frame) -> Frame | None:
    """Another frame with columns of the same kinds."""
    g = small(w)
    items = []
    for c in f.columns:
        same = [o for o in g.plain() if o.type == c.type] or [
            o for o in g.plain() if o.kind == c.kind and c.kind in ("int", "string")
        ]
        value = f"F.lit(None).cast({c.type.simpleString()!r})"
        if same and not w.p.chance(5):
            value = values(w, g).named(w.p.choose(same))
        items.append(f"{value}.alias({c.name!r})")
    return w.frame(f"{g.var}.select({listed(items)})")


def _part(w: Writer, f: Frame) -> Frame | None:
    """The frame itself, or some of its rows."""
    return f if w.p.chance(2) else where(w, f)


def set_operation(w: Writer, f: Frame) -> Frame | None:
    g = _part(w, f) if w.p.chance(2) else _like(w, f)
    if g is None or not f.columns or any(c.kind == "other" for c in f.columns):
        return None
    methods = ["union", "unionAll"]
    if f.groupable and g.groupable:
        methods += ["intersect", "intersectAll", "exceptAll", "subtract"]
    return w.frame(f"{f.var}.{w.p.choose(methods)}({g.var})")


def union_by_name(w: Writer, f: Frame) -> Frame | None:
    if len(f.plain()) != len(f.columns):
        return None
    g = _part(w, f)
    if g is None:
        return None
    chosen = w.p.some(g.plain(), 1, 4)
    items = [repr(quoted(c.name)) for c in chosen]
    return w.frame(
        f"{f.var}.unionByName({g.var}.select({listed(items)}), allowMissingColumns=True)"
    )
