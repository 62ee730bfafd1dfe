"""Calls of every function, as text: where the comparison with Spark starts from.

A line is ``name: call | call``; a call is a list of columns of ``palette.COLUMNS``, texts in
quotes, numbers, TRUE and FALSE.
"""

from __future__ import annotations

import shlex
from typing import Any

from tests.expressions.functions import calls_formats, calls_sketches, calls_times

SCALARS = """
plus: i i | d i | e e | e l | e 1 | 1 e | e 100 | dt i | dt ds | ts ds | ts ym | ds ds | ym ym
minus: i i | e e3 | dt dt | ts ts | dt i | ts ds | ds ds | e 1
times: i l | e e3 | e i | e 10 | ds i | ym d | e38 e38
divide: i i | e e3 | e i | d f | ds i | ym e | e 10 | e38 e
mod: i l | e e3 | e i | d f | e 10
div: i l | e e3 | ds ds | ym ym | e 10
negative: i | e | ds | ym | d
equals: i l | e 1 | s s | dt ts | an ai | st st | b b
not_equals: i l | e 100 | s s
less_than: i l | s dt
less_than_or_equal: i l | e 5
greater_than: i d | ts tn
greater_than_or_equal: i e
equal_null: i l | st st
is_distinct_from: i l | s s
and: b b | b b b
or: b b
not: b
is_null: i | m
is_not_null: s
is_true: b
is_not_true: b
is_false: b
is_not_false: b
is_unknown: b
is_not_unknown: b
between: i i i | dt dt dt | s s s | e 1 100
in: i i i | s 'a' 'b' | e 1 2 | dt dt
like: s s | s 'a%'
ilike: s s
like_any: s 'a%' 'b%' | s s s | s s 'b'
like_all: s 'a%' | s s
not_like_any: s 'a%' 'b%' | s s
not_like_all: s 'a%' 'b%' | s s
ilike_any: s 'a%' | s s
ilike_all: s 'a%' | s s
not_ilike_any: s 'a%' | s s
not_ilike_all: s 'a%' | s s
rlike: s s
bitwise_and: i i | l t
bitwise_or: i i
bitwise_xor: sh i
bitwise_not: i | l | t
get_item: ai i | an i | ai 0 | an 0 | m s | mi i | mi 1 | aa l | ast i

case: b i | b i i | b i b d l | b s s | b an ai | b e i | b dt ts
if: b i d | b s s | b e i | b an ai
coalesce: i | i l | s s s | e i | an ai | dt ts
nullif: i i | s s | e 1 | dt ts
nvl: i l | s s | e 1
nvl2: i s s | s e i
nanvl: d d | f f | f d
isnan: d | f
greatest: i l | i d e | s s | dt ts | e 1 | an ai
least: i l | e e3 f | b b
zeroifnull: i | d | e | l
nullifzero: i | d | e

upper: s
lower: s
initcap: s
length: s | bin
char_length: s | bin
octet_length: s
bit_length: s
trim: s | s 'x' | s s
ltrim: s | s 'x'
rtrim: s | s 'x'
btrim: s | s 'x' | bin bin
substring: s i | s i i | bin i i
substring_index: s '.' i | s s i
left: s i | bin i
right: s i
split_part: s s i
concat: s | s s | bin bin | ai ai | an ai | ai as_ | s bin | an an an
concat_ws: ',' | ',' s s | s s as_ | s as_
repeat: s i
reverse: s | ai
lpad: s i | s i s | bin i bin | s i ' '
rpad: s i | s i s | bin i bin
space: i
replace: s s | s s s
translate: s s s
overlay: s s i | s s i i | bin bin i i
format_number: d i | e i | l s | d '#,###'
format_string: s | s i | '%d %s' i s
to_char: e '999' | dt 'yyyy' | bin 'hex'
to_number: s '99.9' | s '$999,999.00'
quote: s
ascii: s
chr: l
soundex: s
levenshtein: s s | s s i
luhn_check: s
elt: i s s | i bin bin | 1 s s
find_in_set: s s
startswith: s s | bin bin
endswith: s s | bin bin
contains: s s | bin bin
position: s s | s s i
locate: s s | s s i
instr: s s | s s i | s s i i
split: s s | s s i
regexp_replace: s s s | s s s i
regexp_extract: s s | s s i
regexp_extract_all: s s | s s i
regexp_substr: s s
regexp_instr: s s | s s i
regexp_count: s s
base64: bin
unbase64: s
hex: l | s | bin
unhex: s
encode: s s | s 'utf-8'
decode: bin s | bin 'utf-8' | i i s | i i s s | s s i l | s s i s s e | i bin s
to_binary: s | s 'hex' | s 'utf-8' | s 'base64'
md5: bin
sha1: bin
sha2: bin i | bin 256
crc32: bin
url_encode: s
url_decode: s
parse_url: s s | s s s

sqrt: d
cbrt: d
exp: d
expm1: d
ln: d
log10: d
log2: d
log1p: d
log: d | d d
power: d d
hypot: d d
rint: d
sin: d
cos: d
tan: d
cot: d
sec: d
csc: d
asin: d
acos: d
atan: d
atan2: d d
sinh: d
cosh: d
tanh: d
asinh: d
acosh: d
atanh: d
degrees: d
radians: d
pi:
e:
factorial: i
rand: | 1
randn: | 1
abs: i | d | e | ds | ym
sign: d | e | ds
positive: i | e | ds
ceil: d | e | i | e38 | e3 | e 1 | d 2 | i -1 | f 1 | e -3 | l -20 | t 0
floor: d | e | i | e38 | e 1 | d 2 | i -1 | e 5
round: d | e | i | e 1 | e -1 | e -20 | e38 3 | i -1 | d 2 | e 5 | e3 | e38
bround: d | e | i | e 1 | i -1
pmod: i l | e e3 | d d | e 10
width_bucket: d d d l | ym ym ym l | ds ds ds l
conv: s i i
bin: l
shiftleft: i i | l i
shiftright: i i | l i
shiftrightunsigned: i i | l i
bit_count: i | l | b
getbit: i i | l i
try_add: i l | e e3 | dt i | ts ds | d d | e 1 | ds ds
try_subtract: i l | e e3 | dt dt | dt i | e 1
try_multiply: i l | e e3 | ds i
try_divide: i l | e e3 | ds i | e 10
try_mod: i l | e e3

current_date:
current_timestamp:
localtimestamp:
current_timezone:
year: dt
quarter: dt
month: dt
day: dt
dayofweek: dt
weekday: dt
dayofyear: dt
weekofyear: dt
hour: ts | tn
minute: ts
second: ts
dayname: dt
monthname: dt
extract: 'YEAR' dt | 'MONTH' ts | 'SECOND' ts | 'HOUR' ts | 'DAY' ds | 'YEAR' ym
extract: 'MONTH' ym | 'SECOND' ds | 'HOUR' ds | 'QUARTER' tn | 'EPOCH' ts | 'WEEK' dt
extract: 'MINUTE' dt
date_trunc: s ts | 'DAY' ts
trunc: dt s | dt 'MONTH'
date_add: dt i
date_sub: dt i
datediff: dt dt
add_months: dt i
months_between: ts ts | ts ts b
last_day: dt
next_day: dt s | dt 'Mon'
timestampadd: 'DAY' i ts | 'MONTH' i tn
timestampdiff: 'DAY' ts ts
to_date: s | dt | s s | ts | s 'yyyy'
try_to_date: s | s s
to_timestamp: s | dt | s s | ts | tn
try_to_timestamp: s | s s
to_timestamp_ntz: s | dt | s s
to_timestamp_ltz: s | dt | s s
date_format: ts s | ts 'yyyy'
unix_timestamp: | ts | s s | s
to_unix_timestamp: ts | s s
from_unixtime: l | l s
unix_seconds: ts
unix_millis: ts
unix_micros: ts
unix_date: dt
timestamp_seconds: l | d | e | i
timestamp_millis: l
timestamp_micros: l
date_from_unix_date: i
from_utc_timestamp: ts s | ts 'UTC'
to_utc_timestamp: ts s | ts 'UTC'
convert_timezone: s s tn | s tn | s ts
make_date: i i i
make_timestamp: i i i i i e | i i i i i e s
make_timestamp_ntz: i i i i i e
make_dt_interval: | i | i i | i i i | i i i e
make_ym_interval: | i | i i

array: | i | i l | s s | e i | an ai | st st
map: | s i | s i s l | i s l s
struct: i | i s d
named_struct: 'a' i | 'a' i 'b' s
size: ai | m
cardinality: ai | m
map_keys: m
map_values: m | mi
map_entries: m | mi
map_from_arrays: as_ ai | an ad | an ai
map_from_entries: ast
map_concat: | m | m m | mi mi | mi m
map_contains_key: m s | mi i
str_to_map: s | s s | s s s
element_at: ai i | an i | an 1 | m s | mi i | mi 1
try_element_at: ai i | an i | an 1 | m s | mi i
get: ai i | an i | an 0
array_contains: ai i | an i | as_ s | ad i | an l | an 1
array_position: ai i | an i | as_ s
array_remove: ai i | an i | as_ s | an l
array_append: ai i | an i | as_ s
array_prepend: ai i | an i
array_insert: ai i i | an i i
array_compact: ai | an
array_distinct: ai | an | as_
array_union: ai ai | an an | an ai | an ad
array_intersect: ai ai | an an | an ai
array_except: ai ai | an an | an ai | ai an
arrays_overlap: ai ai | an an | an ai
array_join: as_ s | as_ s s | ai ',' | as_ ',' 'x'
sort_array: ai | an TRUE | an FALSE
array_max: ai | an
array_min: ai | an
array_size: ai
array_repeat: i i | s i
slice: ai i i
flatten: aa
sequence: i i | i i i | l i | dt dt ym | ts ts ds | dt dt | t t
arrays_zip: ai an | ai | ai as_
shuffle: ai | an
array_sort: ai | an

hash: i | i s | ai
xxhash64: i | i s
uuid:
monotonically_increasing_id:
spark_partition_id:
input_file_name:
typeof: i
current_user:
current_catalog:
current_database:
version:
assert_true: b | b s
raise_error: s
"""
SCALARS += calls_times.SCALARS

AGGREGATES = """
count: | i | i s
count_if: b
approx_count_distinct: i | s | i 0.05
sum: i | e | d | e38 | ds | ym | e3
try_sum: i | e | d
avg: i | e | d | e38 | ds | ym | e3
try_avg: i | e
min: i | s | ai
max: i | s | st
min_by: i s | st e | i l 2
max_by: i s | s d | i l 2 | s s 2
first: i | s TRUE
last: i | s TRUE
any_value: i | s TRUE
mode: i | s
collect_list: i | ai | st
collect_set: i | ai
listagg: s | s ',' | bin bin
bool_and: b
bool_or: b
bit_and: i | t | l
bit_or: i
bit_xor: i
stddev: d
stddev_pop: d
variance: d
var_pop: d
skewness: d
kurtosis: d
corr: d d
covar_pop: d d
covar_samp: d d
median: d | e | ds | ym | i
percentile: d 0.5 | e 0.5 | i 0.5 l | ds 0.5 | ym 0.5
percentile_approx: d 0.5 | e 0.5 | i 0.5 100 | ts 0.5 | ym 0.5 | dt 0.5
regr_count: d d
regr_avgx: d d
regr_avgy: d d
regr_r2: d d
regr_slope: d d
regr_intercept: d d
regr_sxx: d d
regr_sxy: d d
regr_syy: d d
"""
AGGREGATES += calls_times.AGGREGATES

WINDOWS = """
row_number:
rank: i
dense_rank: i | i i
percent_rank: i | i
cume_dist:
ntile: | 4
lag: i | s 2 | i 1 i | i 1 0 | e 1 i
lead: i | s 2 | i 1 i
nth_value: i 2 | s 1
"""

GENERATORS = """
explode: ai | an | m | mi | ast
explode_outer: ai | an | m | mi
posexplode: ai | an | m | mi
posexplode_outer: an | mi
inline: ast
inline_outer: ast
stack: 2 i l | 2 i s i s | 1 i | 2 i l i
json_tuple: s 'a' | s 'a' 'b' | s s
"""


SCALARS += calls_formats.SCALARS
AGGREGATES += calls_formats.AGGREGATES

SCALARS += calls_sketches.SCALARS
AGGREGATES += calls_sketches.AGGREGATES
WINDOWS += calls_sketches.WINDOWS


def calls(text: str) -> list[tuple[str, tuple[Any, ...]]]:
    """Every call of a table: the name and its arguments; columns are in a list of one."""
    found = []
    for line in filter(None, text.splitlines()):
        name, _, samples = line.partition(": ") if ": " in line else (line[:-1], "", "")
        for sample in samples.split("|"):
            lexer = shlex.shlex(sample, posix=False)
            lexer.whitespace_split = True
            found.append((name, tuple(map(_argument, lexer))))
    return found


def _argument(token: str) -> Any:
    if token[0] == "'":
        return token[1:-1]
    if token in ("TRUE", "FALSE"):
        return token == "TRUE"
    try:
        return int(token)
    except ValueError:
        pass
    try:
        return float(token)
    except ValueError:
        return [token]
