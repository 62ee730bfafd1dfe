"""Steps that give a row other columns."""

from __future__ import annotations

from pyspark.sql import types as t

from tests.spark.capture.generated.frames import Column, Frame, in_text, quoted
from tests.spark.capture.generated.leaves import LITERALS
from tests.spark.capture.generated.programs import Writer
from tests.spark.capture.generated.steps.common import listed, values


def select(w: Writer, f: Frame) -> Frame | None:
    v = values(w, f)
    kept: list[Column | None] = []
    items = []
    for column in w.p.some(f.of(), 0, 4):
        kept.append(column)
        simple = column.unique and w.p.chance(2)
        items.append(repr(quoted(column.name)) if simple else v.named(column))
    for _ in range(w.p.number(0 if items else 1, 2)):
        kept.append(None)
        value = v.any()
        items.append(f"{value}.alias({w.p.fresh()!r})" if not w.p.chance(5) else value)
    if w.p.chance(8):
        items.insert(0, "'*'")
        kept = [*f.columns, *kept]
    made = w.frame(f"{f.var}.select({listed(items)})", source=f, kept=kept, rowwise=True)
    if made is not None:
        there = {each.name.lower() for each in made.columns}
        made.hidden = [c for c in f.plain() if c.name.lower() not in there]
    return made


def lateral_alias(w: Writer, f: Frame) -> Frame | None:
    name = w.p.fresh()
    first = values(w, f).of("int", 1)
    return w.frame(
        f"{f.var}.select('*', {first}.alias({name!r}), "
        f"(F.col({quoted(name)!r}) + 1).alias({w.p.fresh()!r}))",
        source=f,
        kept=[*f.columns, None, None],
    )


def select_text(w: Writer, f: Frame) -> Frame | None:
    v = values(w, f)
    items = [in_text(c.name) for c in w.p.some(f.plain(), 0, 3)]
    texts = (v.text_of_int, v.text_of_string, v.text_of_condition)
    for _ in range(w.p.number(1, 2)):
        text = w.p.choose(texts)()
        items.append(text if w.p.chance(4) else f"{text} AS {in_text(w.p.fresh())}")
    return w.frame(f"{f.var}.selectExpr({listed([repr(i) for i in items])})", rowwise=f.rowwise)


def with_column(w: Writer, f: Frame) -> Frame | None:
    replaced = f.plain() if w.p.chance(3) else []
    name = w.p.choose(replaced).name if replaced else w.p.fresh()
    kept = [None if replaced and c.name == name else c for c in f.columns]
    value = values(w, f).any(3)
    return w.frame(
        f"{f.var}.withColumn({name!r}, {value})",
        source=f,
        kept=kept if replaced else [*kept, None],
        rowwise=True,
    )


def with_columns(w: Writer, f: Frame) -> Frame | None:
    v = values(w, f)
    pairs = [f"{w.p.fresh()!r}: {v.any()}" for _ in range(w.p.number(1, 3))]
    pairs += [f"{c.name!r}: {v.any()}" for c in w.p.some(f.plain(), 0, 1)]
    return w.frame(f"{f.var}.withColumns({{{listed(pairs)}}})", rowwise=f.rowwise)


def literals(w: Writer, f: Frame) -> Frame | None:
    kinds = [w.p.choose(tuple(LITERALS)) for _ in range(w.p.number(1, 3))]
    items = [f"{values(w, f).literal(k)}.alias({w.p.fresh()!r})" for k in kinds]
    return w.frame(
        f"{f.var}.select('*', {listed(items)})",
        source=f,
        kept=[*f.columns, *([None] * len(items))],
        rowwise=True,
    )


def casts(w: Writer, f: Frame) -> Frame | None:
    found = f.plain("int", "decimal", "boolean", "date", "timestamp")
    if not found:
        return None
    column = w.p.choose(found)
    targets = {
        "int": ("string", "bigint", "double", "decimal(20,3)", "boolean", "float"),
        "decimal": ("string", "double", "decimal(30,6)", "bigint", "boolean"),
        "boolean": ("string", "int", "double"),
        "date": ("string", "timestamp", "timestamp_ntz"),
        "timestamp": ("string", "date", "timestamp_ntz", "double"),
    }[column.kind]
    method = w.p.choose(("cast", "astype", "cast", "try_cast"))
    value = f"{values(w, f).named(column)}.{method}({w.p.choose(targets)!r})"
    return w.frame(f"{f.var}.withColumn({column.name!r}, {value})", rowwise=f.rowwise)


def rename(w: Writer, f: Frame) -> Frame | None:
    found = f.plain()
    if not found:
        return None
    name = w.p.choose(found).name
    old = name.upper() if w.p.chance(4) else name
    return w.frame(
        f"{f.var}.withColumnRenamed({old!r}, {w.p.fresh()!r})",
        source=f,
        kept=f.columns,
        rowwise=True,
    )


def rename_many(w: Writer, f: Frame) -> Frame | None:
    pairs = [f"{c.name!r}: {w.p.fresh()!r}" for c in w.p.some(f.plain(), 1, 2)]
    return w.frame(
        f"{f.var}.withColumnsRenamed({{{listed(pairs)}}})", source=f, kept=f.columns, rowwise=True
    )


def to_df(w: Writer, f: Frame) -> Frame | None:
    names = [w.p.fresh() for _ in f.columns]
    return w.frame(
        f"{f.var}.toDF({listed([repr(n) for n in names])})", source=f, kept=f.columns, rowwise=True
    )


def drop(w: Writer, f: Frame) -> Frame | None:
    gone = w.p.some(f.plain(), 1, 2)
    if not gone or len(gone) >= len(f.columns):
        return None
    v = values(w, f)
    if w.p.chance(3):
        given = [v.named(c) for c in gone]
    else:
        given = [repr(c.name) for c in gone] + (["'not there'"] if w.p.chance(3) else [])
    kept = [c for c in f.columns if c not in gone]
    made = w.frame(f"{f.var}.drop({listed(given)})", source=f, kept=kept, rowwise=True)
    if made is not None:
        made.hidden = gone
    return made


def with_field(w: Writer, f: Frame) -> Frame | None:
    found = [c for c in f.plain("struct") if isinstance(c.type, t.StructType) and c.type.fields]
    if not found:
        return None
    v = values(w, f)
    column = w.p.choose(found)
    assert isinstance(column.type, t.StructType)
    inner = w.p.choose(column.type.fields).name
    name = w.p.choose((inner, "added"))
    value = f"{v.named(column)}.withField({quoted(name)!r}, {v.any(1)})"
    if len(column.type.fields) > 1 and w.p.chance(2):
        value = f"{v.named(column)}.dropFields({quoted(inner)!r})"
    return w.frame(f"{f.var}.withColumn({column.name!r}, {value})", rowwise=f.rowwise)


def alias(w: Writer, f: Frame) -> Frame | None:
    name = w.p.choose(("p", "q", "step", "people", "t 1"))
    named = [_with(c, f"F.col({f'{quoted(name)}.{quoted(c.name)}'!r})") for c in f.columns]
    made = w.frame(f"{f.var}.alias({name!r})", source=f, kept=f.columns, rowwise=True)
    if made is not None:
        for column, other in zip(made.columns, named, strict=True):
            column.others = (*other.others[-1:], *column.others) if column.unique else ()
        made.alias = name
    return made


def _with(column: Column, name: str) -> Column:
    return Column(column.name, column.type, column.unique, (*column.others, name))


def transform(w: Writer, f: Frame) -> Frame | None:
    name = w.p.fresh()
    value = values(w, f).of("int").replace(f"{f.var}[", "frame[")
    return w.frame(
        f"{f.var}.transform(lambda frame: frame.withColumn({name!r}, {value}))", rowwise=f.rowwise
    )


def every_column(w: Writer, f: Frame) -> Frame | None:
    if len(f.plain()) != len(f.columns):
        return None
    bound = w.p.choose(
        (
            '[F.col(f\'`{c.replace("`", "``")}`\') for c in FRAME.columns]',
            "[F.col(f'`{c.replace(\"`\", \"``\")}`').cast('string').alias(c) "
            "for c, k in FRAME.dtypes if k in ('int', 'string', 'date', 'bigint')] or ['*']",
        )
    )
    return w.frame(f"{f.var}.select({bound.replace('FRAME', f.var)})", rowwise=f.rowwise)
