"""The steps of random pipelines: each writes a line or more, and gives the frame that it makes."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import types as t

from tests.spark.capture.generated.frames import ORDERED, Column, Frame, in_text, is_simple, quoted
from tests.spark.capture.generated.programs import Step, Writer
from tests.spark.capture.generated.values import LITERALS, Values, groupable
from tests.spark.capture.generated.world import DATABASE, SCHEMAS


def values(w: Writer, frame: Frame) -> Values:
    """Expressions over the frame."""
    return Values(w.p, frame)


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


def listed(items: Sequence[str]) -> str:
    """Arguments."""
    return ", ".join(items)


# -- columns ---------------------------------------------------------------------------------------


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


# -- rows ------------------------------------------------------------------------------------------


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


# -- missing values, replacements ------------------------------------------------------------------


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


# -- groups ----------------------------------------------------------------------------------------


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


# -- generators ------------------------------------------------------------------------------------


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


# -- several inputs --------------------------------------------------------------------------------

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


# -- names for frames, text ------------------------------------------------------------------------


def temporary_view(w: Writer, f: Frame) -> Frame | None:
    if len(f.plain()) != len(f.columns) or not w.classic:
        return None
    name = f"view_{w.count()}"
    if not w.effect(f"{f.var}.createOrReplaceTempView({name!r})"):
        return None
    return w.frame(f"spark.table({name!r})")


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


def local_rows(w: Writer, f: Frame) -> Frame | None:
    rows = "[(1, 'a', 1.5), (2, None, None), (None, \"it's\", float('nan'))]"
    g = w.frame(f"spark.createDataFrame({rows}, 'id INT, dept STRING, share DOUBLE')")
    if g is None:
        return None
    shared = [c for c in g.plain("int", "string") for o in f.plain(c.kind) if o.name == c.name]
    return w.frame(f"{f.var}.join({g.var}, {[shared[0].name]!r})") if shared else g


_SIMPLE: tuple[Step, ...] = (where, select, with_column, drop, rename, group, alias, distinct)

STEPS: tuple[Step, ...] = (
    *(select, select, select_text, with_column, with_column, with_columns, lateral_alias),
    *(literals, casts, rename, rename_many, to_df, drop, with_field, alias, transform),
    *(every_column, where, where, where, where_hidden, distinct, one_of_each, order_by, limit),
    *(limit, sample, spread, fill, drop_missing, replace, group, group, group_simply, whole),
    *(rollup, having, pivot, unpivot, window, window, first_of_each, explode, explode_column),
    *(join_using, join_using, join_on, join_on, self_join, join_with_itself_grouped, cross_join),
    *(select_sides, select_sides, drop_side, set_operation, set_operation, union_by_name),
    *(scalar_query, in_query, correlated, temporary_view, query_text, local_rows),
)
"""Every step; those that pipelines have most often stand here more than once."""
