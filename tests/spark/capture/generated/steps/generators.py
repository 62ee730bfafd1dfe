"""Steps that make several rows of one."""

from __future__ import annotations

from tests.spark.capture.generated.frames import Frame, quoted
from tests.spark.capture.generated.programs import Writer
from tests.spark.capture.generated.steps.common import listed, values


def explode(w: Writer, f: Frame) -> Frame | None:
    v = values(w, f)
    kept = w.p.some(f.plain(), 0, 3)
    names = [repr(quoted(c.name)) for c in kept]
    array = v.column("array") or v.array()
    a, b, c = (w.p.fresh() for _ in range(3))
    made = [
        f"F.explode({array}).alias({a!r})",
        f"F.explode({array})",
        f"F.explode_outer({array}).alias({a!r})",
        f"F.posexplode({array}).alias({a!r}, {b!r})",
        f"F.posexplode_outer({array})",
        f"F.stack(F.lit(2), {v.of('int', 0)}, {v.of('string', 0)}, "
        f"{v.of('int', 0)}, {v.of('string', 0)}).alias({a!r}, {b!r})",
        f"F.inline(F.array(F.struct({v.leaf('int')}.alias('m'), {v.leaf('string')}.alias('n')))"
        f").alias({a!r}, {b!r})",
        f"F.json_tuple(F.lit('{{\"a\": 1, \"b\": \"x\"}}'), 'a', 'b').alias({a!r}, {b!r})",
    ]
    map_ = v.column("map")
    if map_:
        made += [f"F.explode({map_})", f"F.posexplode({map_}).alias({a!r}, {b!r}, {c!r})"]
    item = w.p.choose(made)
    names.insert(w.p.number(0, len(names)), item)
    return w.frame(f"{f.var}.select({listed(names)})")


def explode_column(w: Writer, f: Frame) -> Frame | None:
    found = f.plain("array")
    if not found:
        return None
    column = w.p.choose(found)
    name = w.p.choose((column.name, w.p.fresh()))
    method = w.p.choose(("explode", "explode_outer"))
    return w.frame(f"{f.var}.withColumn({name!r}, F.{method}({quoted(column.name)!r}))")
