"""The table of Flink's expression methods: what each is here, as an example that is printed.

A line is ``method of Flink | example | note``. Without an example the method is left out, and the
note says why.
"""

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from viewscribe import (
    TableEnvironment,
    call,
    col,
    interval,
    lit,
    over,
    range_,
    with_all_columns,
    with_columns,
    without_columns,
)
from viewscribe.expressions.dsl import AliasExpression, SortExpression
from viewscribe.expressions.resolve import is_several, resolve

_ENV = TableEnvironment()
_ENV.create_table(
    "examples",
    "i INT, n INT, x DOUBLE, s STRING, t STRING, b BOOLEAN, day DATE, at TIMESTAMP, xs ARRAY<INT>, "
    "ys ARRAY<INT>, words ARRAY<STRING>, m MAP<STRING, INT>, r STRUCT<f: INT>, doc STRING, "
    "bin BINARY",
)
_TABLE = _ENV.from_path("examples")
NAMES: dict[str, Any] = {field.name: col(field.name) for field in _TABLE.schema.fields}
NAMES |= {"lit": lit, "call": call, "interval": interval, "over": over, "col": col}
NAMES |= {"range_": range_, "with_all_columns": with_all_columns}
NAMES |= {"with_columns": with_columns, "without_columns": without_columns}

SECTIONS = {
    "Comparison and logic": """
isEqual | i.is_equal(1)
isNotEqual | i.is_not_equal(1)
isGreater | i.is_greater(1)
isGreaterOrEqual | i.is_greater_or_equal(1)
isLess | i.is_less(1)
isLessOrEqual | i.is_less_or_equal(1)
isNull | i.is_null()
isNotNull | i.is_not_null()
isTrue | b.is_true()
isNotTrue | b.is_not_true()
isFalse | b.is_false()
isNotFalse | b.is_not_false()
isDistinctFrom | i.is_distinct_from(n)
isNotDistinctFrom | i.is_not_distinct_from(n)
and | b & (i > 1) | also `b.and_(…)`, `and_(…)`
or | b \\| (i > 1) | also `b.or_(…)`, `or_(…)`
not | ~b | also `b.not_()`, `not_(…)`
between | i.between(1, 2)
notBetween | i.not_between(1, 2)
in | i.in_(1, 2) | also a table
like | s.like("a%") | a backslash escapes here, unless another character is given
similar | s.similar("(a\\|b)%") | the pattern is a literal
then | b.then(i, n) | also `if_then_else(…)`
ifNull | i.if_null(0)
""",
    "Arithmetic": """
plus | i.plus(1)
minus | i.minus(1)
times | i.times(2)
dividedBy | i.divided_by(2) | of whole numbers a DOUBLE here; Flink truncates: `div`
mod | i.mod(2)
power | x.power(2)
abs | x.abs()
sqrt | x.sqrt()
exp | x.exp()
ln | x.ln()
log | x.log(2) | the base is the argument, as in Flink; Spark's function has it first
log10 | x.log10()
log2 | x.log2()
sin | x.sin()
cos | x.cos()
tan | x.tan()
cot | x.cot()
asin | x.asin()
acos | x.acos()
atan | x.atan()
sinh | x.sinh()
cosh | x.cosh()
tanh | x.tanh()
degrees | x.degrees()
radians | x.radians()
sign | x.sign() | a DOUBLE here
round | x.round(2)
floor | x.floor()
ceil | x.ceil()
bin | i.bin()
hex | i.hex()
unhex | s.unhex() | a BINARY in both
truncate | - | Spark cuts no digits off a number of any type; `floor(x, n)` and `ceil(x, n)` do for one sign
""",
    "Text": """
charLength | s.char_length()
upperCase | s.upper_case()
lowerCase | s.lower_case()
initCap | s.init_cap() | words end at blanks only here; in Flink at whatever is no letter or digit
substring | s.substring(1, 2)
substr | s.substr(1, 2)
left | s.left(2)
right | s.right(2)
trim | s.trim()
trimLeading | s.trim_leading()
trimTrailing | s.trim_trailing()
ltrim | s.ltrim("x")
rtrim | s.rtrim("x")
btrim | s.btrim("x")
lpad | s.lpad(5, "0")
rpad | s.rpad(5, "0")
repeat | s.repeat(2)
reverse | s.reverse()
replace | s.replace("a", "b")
translate | s.translate("ab", "cd")
overlay | s.overlay("x", 1, 2)
position | lit("a").position(s)
locate | lit("a").locate(s, 2)
instr | s.instr("a")
startsWith | s.starts_with("a")
endsWith | s.ends_with("a")
regexp | s.regexp("a+")
regexpCount | s.regexp_count("a+")
regexpExtract | s.regexp_extract("(a)(b)", 2) | without a group the first here, all of the match in Flink; no match gives `''` here, NULL in Flink
regexpExtractAll | s.regexp_extract_all("(a)", 1)
regexpInstr | s.regexp_instr("a+")
regexpReplace | s.regexp_replace("a+", "b") | in the replacement `$1` and `${name}` are groups and a backslash takes the meaning of what follows here (`\\$` is a dollar, `\\1` is `1`); Flink puts it in as it is, and gives NULL where the pattern is none
regexpSubstr | s.regexp_substr("a+")
split | s.split(",") | Spark's delimiter is a regular expression, Flink's a text
splitIndex | s.split_index(".", 0) | the delimiter is a literal text
strToMap | s.str_to_map(",", "=") | without delimiters `:` is between key and value here, `=` in Flink
ascii | s.ascii()
chr | i.chr()
encode | s.encode("UTF-8")
decode | bin.decode("UTF-8")
toBase64 | s.to_base64()
fromBase64 | s.from_base64()
urlEncode | s.url_encode()
urlDecode | s.url_decode() | what is no URL fails here and is NULL in Flink
parseUrl | s.parse_url("HOST") | what is no URL fails here and is NULL in Flink
printf | lit("%s-%d").printf(s, i)
elt | i.elt(s, t) | a place that is not there fails here and is NULL in Flink
md5 | s.md5()
sha1 | s.sha1()
sha2 | s.sha2(256)
sha224 | s.sha224()
sha256 | s.sha256()
sha384 | s.sha384()
sha512 | s.sha512()
""",
    "Dates and times": """
toDate | s.to_date("yyyy-MM-dd") | a text that is no date fails here and is NULL in Flink: `try_to_date`
toTimestamp | s.to_timestamp("yyyy-MM-dd") | a TIMESTAMP of the session's time zone here; Flink's is `to_timestamp_ntz`
extract | day.extract("YEAR")
quarter | day.quarter()
floor (to a unit) | at.floor("HOUR") | YEAR, QUARTER, MONTH, DAY and, of timestamps, HOUR to MILLISECOND; weeks start on Sunday in Flink: `date_trunc("WEEK")` has Mondays
ceil (to a unit) | at.ceil("HOUR") | the same units; `day.ceil("MONTH")` is a DATE
temporalOverlaps | at.temporal_overlaps(interval(hours=1), day, interval(days=1)) | ends may be times or intervals, and before their starts
toTime | - | needs Spark's TIME, which is off by default
toTimestampLtz | - | Flink's numbers have a precision, Spark's functions one each: `timestamp_seconds`, `timestamp_millis`, `timestamp_micros`
rowtime, proctime, start, end | - | time attributes belong to streams
""",
    "Collections and rows": """
at | xs.at(1) | counts from 1, NULL outside; `xs[0]` counts from 0
at (of a map) | m.at("k")
get | r.get("f") | also `r["f"]`
cardinality | xs.cardinality()
element | xs.element()
arrayAppend | xs.array_append(1)
arrayPrepend | xs.array_prepend(1)
arrayConcat | xs.array_concat(ys)
arrayContains | xs.array_contains(1) | of NULL it is NULL here; Flink looks for one
arrayDistinct | xs.array_distinct()
arrayExcept | xs.array_except(ys)
arrayIntersect | xs.array_intersect(ys)
arrayJoin | words.array_join(",")
arrayMax | xs.array_max()
arrayMin | xs.array_min()
arrayPosition | xs.array_position(1)
arrayRemove | xs.array_remove(1)
arrayReverse | xs.array_reverse()
arraySlice | xs.array_slice(2, 3) | both places are literals from 1 on
arraySort | xs.sort_array() | Spark's own `array_sort` puts NULLs last, Flink's first
arrayUnion | xs.array_union(ys)
mapKeys | m.map_keys()
mapValues | m.map_values()
mapEntries | m.map_entries()
mapFromArrays | words.map_from_arrays(xs)
mapUnion | - | Spark's `map_concat` fails where a key is in both maps, Flink takes the last
flatten | r.star() | also `"r.*"`; the columns have the names of the fields; Spark's `flatten` is of arrays
""",
    "Aggregates": """
sum | i.sum() | of INT a BIGINT here
sum0 | i.sum0()
min | i.min()
max | i.max()
count | i.count()
avg | i.avg() | of whole numbers a DOUBLE here
firstValue | i.first_value() | NULLs count here; `.ignore_nulls()` is Flink's
lastValue | i.last_value() | NULLs count here; `.ignore_nulls()` is Flink's
listAgg | s.list_agg() | a comma by default, as in Flink
stddevPop | x.stddev_pop()
stddevSamp | x.stddev_samp()
varPop | x.var_pop()
varSamp | x.var_samp()
percentile | x.percentile(0.5)
collect | i.collect() | an ARRAY here, a MULTISET in Flink
arrayAgg | i.array_agg() | NULLs are left out here
distinct | i.sum().distinct()
over | i.sum().over(over(partition_by="s"))
jsonArrayAgg | call("json_array_agg", i) | `on_null=` ABSENT or NULL; also `json_arrayagg`; a FILTER is the only clause
jsonObjectAgg | call("json_object_agg", s, i) | `on_null=` NULL or ABSENT; also `json_objectagg`; fails on a key that is there twice, unless `spark.sql.mapKeyDedupPolicy` says otherwise; with ABSENT what is NULL does not count
""",
    "Types, names and order": """
cast | i.cast("BIGINT")
tryCast | s.try_cast("INT")
as | i.as_("name")
as (several names) | r.star().as_("a") | for stars, ranges of columns and generators: `F.posexplode("xs").as_("place", "x")`
withColumns | with_columns(range_("i", "x"), 5) | places count from 1
withoutColumns | without_columns(range_(2, 13), "bin") | also in `drop_columns(with_columns(…))`, `group_by`, as arguments
withAllColumns | with_all_columns() | also `"*"`
asc | i.asc()
desc | i.desc() | NULLs last
asArgument | - | names an argument of a process table function: see below; those of Spark's functions have places
""",
    "JSON": """
isJson | doc.is_json() | NULL of NULL; kinds: `kind="OBJECT"`, `ARRAY`, `SCALAR`
jsonExists | doc.json_exists("$.a.b") | `on_error=` FALSE, TRUE, UNKNOWN or ERROR
jsonValue | doc.json_value("$.a.b", returning="INT") | `on_empty=`, `on_error=` NULL or ERROR, or `default_on_empty=`, `default_on_error=`
jsonQuery | doc.json_query("$.a", wrapper="UNCONDITIONAL") | `wrapper=`, `on_empty=`, `on_error=`
jsonString | i.json_string()
jsonObject | call("json_object", "k", i) | `on_null=` NULL or ABSENT
jsonArray | call("json_array", i, s) | `on_null=` ABSENT or NULL
json | doc.parse_json() | inside of `json_object` and `json_array`
jsonQuote, jsonUnquote | - | Spark escapes other characters than Flink
""",
}


def entries() -> Iterator[tuple[str, str, str, str]]:
    """Section, method of Flink, example (empty where it is left out) and note."""
    for section, lines in SECTIONS.items():
        for line in lines.strip().splitlines():
            method, example, note, *_ = [*line.split(" | "), "", ""]
            yield section, method, "" if example == "-" else example, note


def sql_of(example: str) -> str:
    """What the example is in SQL, in one line."""
    made = eval(example.replace("\\|", "|"), dict(NAMES))
    if is_several(made):
        table = _TABLE.select(made).to_sql()
        items = table.removeprefix("SELECT").rpartition("FROM")[0]
        return " ".join(line.strip() for line in items.splitlines() if line)
    if isinstance(made, AliasExpression):
        return f"{sql_of_expression(made.child)} AS {made.alias_name}"
    return sql_of_expression(made)


def sql_of_expression(made: Any) -> str:
    text = resolve(made, _TABLE.schema).as_serializable_string()
    if isinstance(made, SortExpression) and not made.descending:
        text += " ASC"
    return " ".join(line.strip() for line in text.splitlines())


_INTRODUCTION = """# Flink's names

The methods of Flink's Table API, in snake case, on expressions. Each is the function of Spark that means the same, or several that
do together. Where the meaning differs, the method is Spark's, and the note says how. A method without an example is left out.

The table is generated: `python -m pytest tests/docs/test_flink_names.py --snapshot-update` writes it anew.
"""


_WINDOWS = """
## Time windows

A window is a column, a struct of `start` and `end`; group by it, under another name if you like: `group_by(col("window").as_("w"))`.

| Flink | here | note |
|---|---|---|
| `Tumble.over(size).on(ts).as("w")`, `TUMBLE` | `t.tumble("ts", size, name="w")` | sizes are texts, timedeltas or intervals |
| `Slide.over(size).every(slide)`, `HOP` | `t.hop("ts", size, slide)` | the slide stands first in SQL's `HOP` |
| `CUMULATE` | `t.cumulate("ts", step, size)` | the size is a multiple of the step |
| `Session.withGap(gap)`, `SESSION` | `t.session("ts", gap)` | |
| the offset of `TUMBLE`, `HOP`, `CUMULATE` | `offset=` | less than the size, or the slide |
| `$("w").start()`, `window_start` | `col("w.start")` | |
"""


_PROCESS = """
## Process table functions

What Flink's document on them (FLIP-440) and its releases call it, and what it is [here](process-table-functions.md).

| Flink | here | note |
|---|---|---|
| `ProcessTableFunction<T>`, `eval`, `onTimer`, `finish`, `open`, `close` | `ProcessTableFunction[T]`, `eval`, `on_timer`, `finish`, `open`, `close` | `finish` is called for each partition |
| `collect(row)`, `Row.ofKind(kind, …)` | `self.collect(row)`, `self.collect(row, kind)` | |
| `@ArgumentHint(TABLE_AS_SET)`, `@StateHint` | `Annotated[Row, ArgumentHint(ArgumentTrait.TABLE_AS_SET)]`, `Annotated[Count, StateHint()]` | |
| `PASS_COLUMNS_THROUGH` | `ArgumentTrait.PASS_COLUMNS_THROUGH` | |
| `ListView`, `MapView` | `ListState`, `MapState` | |
| `getTypeInference()`, `StaticArgument` | `type_inference()`, `StaticArgument` | |
| `getInputChangelogMode()`, `getOutputChangelogMode()` | `input_changelog_mode()`, `output_changelog_mode()` | append and retract; the operation is a column `op` |
| `getTimersAs(Instant.class)`, `getTimersAs(Long.class)` | `ctx.timers()`, `ctx.timers(int)` | milliseconds there, microseconds here |
| `currentTime`, `currentWatermark`, `followingWatermark` | `current_time`, `current_watermark`, `following_watermark` | |
| `registerOnTime`, `registerOnPeriodicTime`, `registerOnWatermark`, `registerOnPeriodicWatermark`, `deleteTimer` | the same in snake case | |
| `getSetSemanticsFor(arg)` | `ctx.set_semantics_for(arg)` | names of columns, not their places |
| `clearState`, `clearAllState`, `clearAllTimers`, `clearAll`, `currentTimer` | the same in snake case | |
| `partitionBy(…)`, `copartitionWith(arg)`, `asArgument(arg)` | `partition_by(…)`, `copartition_with(arg)`, `as_argument(arg)` | |
| `table.process(F.class, …)`, `env.from(call(F.class, …))` | `table.process(F, …)`, `env.from_call(call(F, …))` | |
| `DESCRIPTOR(ts)`, `on_time`, `uid` | `descriptor("ts")`, `on_time`, `uid` | |
| `TO_CHANGELOG`, `FROM_CHANGELOG` | `vs.process.to_changelog`, `vs.process.from_changelog` | the operations of `op_mapping` may also be written `+I`, `-U`, `+U`, `-D` |
"""


def page() -> str:
    """The page as it should be."""
    made = [_INTRODUCTION]
    last = ""
    for section, method, example, note in entries():
        if section != last:
            made.append(f"\n## {section}\n\n| Flink | here | SQL | note |\n|---|---|---|---|\n")
            last = section
        shown = f"`{example}`" if example else "—"
        sql = _code(sql_of(example)) if example else "—"
        made.append(f"| {method} | {shown} | {sql} | {note} |\n".replace("|  |", "| |"))
    return "".join([*made, _WINDOWS, _PROCESS.replace(" |  |", " | |")])


def _code(text: str) -> str:
    escaped = text.replace("|", "\\|")
    return f"`` {escaped} ``" if "`" in text else f"`{escaped}`"
