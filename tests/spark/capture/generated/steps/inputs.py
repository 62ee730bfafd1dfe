"""Where pipelines start, and the frames that are put beside one."""

from __future__ import annotations

from tests.spark.capture.generated.frames import Frame
from tests.spark.capture.generated.programs import Step, Writer
from tests.spark.capture.generated.steps.columns import alias, drop, rename, select, with_column
from tests.spark.capture.generated.steps.groups import group
from tests.spark.capture.generated.steps.rows import distinct, where
from tests.spark.capture.generated.world import DATABASE, SCHEMAS


def source(w: Writer) -> Frame:
    """A table, in one of the ways to read it, or rows that need none."""
    table = f"{DATABASE}.{w.p.choose(sorted(SCHEMAS))}"
    code = w.p.choose(
        (
            f"spark.table({table!r})",
            f"spark.table({table!r})",
            f"spark.table({table!r})",
            f"spark.read.table({table!r})",
            f"spark.sql('SELECT * FROM {table}')",
            "spark.range(0, 6, 1, 1).select('id', (F.col('id') % 3).alias('k'))",
            f"spark.sql('SELECT id, quarter + :n AS q, dept FROM {DATABASE}.sales WHERE id > :m', "
            "args={'n': 1, 'm': 0})",
        )
    )
    found = w.frame(code, rowwise=True)
    assert found is not None, w.rejected
    return found


def small(w: Writer) -> Frame:
    """Another frame to put beside one: a source, perhaps after a simple step."""
    frame = source(w)
    if w.p.chance(2):
        frame = w.p.choose(_SIMPLE)(w, frame) or frame
    return frame


def another(w: Writer) -> Frame:
    """A frame that is there already, or a new one."""
    return w.p.choose(w.frames) if w.p.chance(4) else small(w)


def local_rows(w: Writer, f: Frame) -> Frame | None:
    rows = "[(1, 'a', 1.5), (2, None, None), (None, \"it's\", float('nan'))]"
    g = w.frame(f"spark.createDataFrame({rows}, 'id INT, dept STRING, share DOUBLE')")
    if g is None:
        return None
    shared = [c for c in g.plain("int", "string") for o in f.plain(c.kind) if o.name == c.name]
    return w.frame(f"{f.var}.join({g.var}, {[shared[0].name]!r})") if shared else g


def query_text(w: Writer, f: Frame) -> Frame | None:
    table = w.p.choose(("people", "sales"))
    text = w.p.choose(
        (
            f"SELECT dept, count(*) AS n, max(id) AS most FROM {DATABASE}.{table} GROUP BY dept",
            f"SELECT a.id, b.city FROM {DATABASE}.{table} a JOIN {DATABASE}.depts b "
            "ON a.dept = b.dept",
            f"WITH big AS (SELECT * FROM {DATABASE}.{table} WHERE id > :n) "
            "SELECT id, dept FROM big ORDER BY id",
        )
    )
    args = ", args={'n': 1}" if ":n" in text else ""
    g = w.frame(f"spark.sql({text!r}{args})")
    if g is None:
        return None
    shared = [c for c in g.plain() for o in f.plain() if o.name == c.name and o.kind == c.kind]
    if not shared:
        return g
    return w.frame(f"{f.var}.join({g.var}, {[shared[0].name]!r}, 'left')")


def temporary_view(w: Writer, f: Frame) -> Frame | None:
    if len(f.plain()) != len(f.columns) or not w.classic:
        return None
    name = f"view_{w.count()}"
    if not w.effect(f"{f.var}.createOrReplaceTempView({name!r})"):
        return None
    return w.frame(f"spark.table({name!r})")


_SIMPLE: tuple[Step, ...] = (where, select, with_column, drop, rename, group, alias, distinct)
