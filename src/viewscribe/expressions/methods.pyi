"""The functions as methods of expressions. Generated: `make snapshots` rewrites it."""

import msgspec

from viewscribe.expressions.dsl import CallExpression, Operand

class FunctionMethods(msgspec.Struct, eq=False):
    """What ``Expression`` finds in the registry when it is asked for a method."""

    def abs(self) -> CallExpression:
        """abs(<numeric> or INTERVAL): The number or interval without its sign."""
    def acos(self) -> CallExpression:
        """acos(DOUBLE): The angle in radians of a cosine; NaN where there is none."""
    def acosh(self) -> CallExpression:
        """acosh(DOUBLE): The inverse hyperbolic cosine."""
    def add_months(self, col: Operand, /) -> CallExpression:
        """add_months(DATE, INT): The date a number of months later."""
    def aes_decrypt(
        self, col1: Operand, col2: Operand = None, col3: Operand = None, col4: Operand = None, /
    ) -> CallExpression:
        """aes_decrypt(BINARY, BINARY, [STRING], [STRING], [BINARY]): The binary that AES encrypted with a key, in a mode and padding."""
    def aes_encrypt(
        self,
        col1: Operand,
        col2: Operand = None,
        col3: Operand = None,
        col4: Operand = None,
        col5: Operand = None,
        /,
    ) -> CallExpression:
        """aes_encrypt(BINARY, BINARY, [STRING], [STRING], [BINARY], [BINARY]): The binary encrypted by AES with a key; mode, padding, start vector and further authenticated data may be given."""
    def aggregate(self, col1: Operand, col2: Operand, col3: Operand = None, /) -> CallExpression:
        """aggregate(ARRAY, <any>, (x, y) -> …, [(x) -> …]): A start value merged with every element by a lambda; another lambda may finish it."""
    def and_(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """and(BOOLEAN, BOOLEAN, …): Whether all hold."""
    def any(self) -> CallExpression:
        """bool_or(BOOLEAN): Whether the condition holds for any row."""
    def any_value(self, col: Operand = None, /) -> CallExpression:
        """any_value(<any>, [BOOLEAN]): A value of some row; with TRUE one that is not NULL."""
    def approx_count_distinct(self, col: Operand = None, /) -> CallExpression:
        """approx_count_distinct(<any>, [DOUBLE]): About the number of distinct values, within a relative standard deviation."""
    def approx_percentile(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """percentile_approx(<numeric>, <date or timestamp> or INTERVAL, DOUBLE or ARRAY<DOUBLE>, [<integral>]): About the percentile at one or more places from 0 to 1; more accuracy costs memory."""
    def approx_top_k(self, col1: Operand = None, col2: Operand = None, /) -> CallExpression:
        """approx_top_k(BOOLEAN, <numeric>, STRING, TIME or <date or timestamp>, [INT], [INT]): The (by default 5) most frequent values and about how often they occur."""
    def approx_top_k_accumulate(self, col: Operand = None, /) -> CallExpression:
        """approx_top_k_accumulate(BOOLEAN, <numeric>, STRING, TIME or <date or timestamp>, [INT]): A sketch of the frequent values, for approx_top_k_estimate."""
    def approx_top_k_combine(self, col: Operand = None, /) -> CallExpression:
        """approx_top_k_combine(a state of approx_top_k_accumulate, [INT]): The sketches of frequent values as one."""
    def approx_top_k_estimate(self, col: Operand = None, /) -> CallExpression:
        """approx_top_k_estimate(a state of approx_top_k_accumulate, [INT]): The (by default 5) most frequent values in a sketch and about how often they occur."""
    def array(self, *cols: Operand) -> CallExpression:
        """array([<any>], …): An array of the arguments."""
    def array_agg(self) -> CallExpression:
        """collect_list(<any>): The values that are not NULL, as an array."""
    def array_append(self, col: Operand, /) -> CallExpression:
        """array_append(ARRAY, <any>): The array with a value at its end."""
    def array_compact(self) -> CallExpression:
        """array_compact(ARRAY): The array without NULLs."""
    def array_concat(self, *cols: Operand) -> CallExpression:
        """concat([<any>], …): The texts, binaries or arrays joined; NULL when one of them is."""
    def array_contains(self, col: Operand, /) -> CallExpression:
        """array_contains(ARRAY, <any>): Whether the array has the value."""
    def array_distinct(self) -> CallExpression:
        """array_distinct(ARRAY): The array without duplicates."""
    def array_except(self, col: Operand, /) -> CallExpression:
        """array_except(ARRAY, ARRAY): The elements of the first array that the second has not, without duplicates."""
    def array_insert(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """array_insert(ARRAY, INT, <any>): The array with a value put in at a position (from 1, negative from the end)."""
    def array_intersect(self, col: Operand, /) -> CallExpression:
        """array_intersect(ARRAY, ARRAY): The elements of both arrays, without duplicates."""
    def array_join(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """array_join(ARRAY<STRING>, STRING, [STRING]): The elements joined by a separator, NULLs left out or replaced."""
    def array_max(self) -> CallExpression:
        """array_max(ARRAY<orderable>): The greatest element."""
    def array_min(self) -> CallExpression:
        """array_min(ARRAY<orderable>): The least element."""
    def array_position(self, col: Operand, /) -> CallExpression:
        """array_position(ARRAY, <any>): The place (from 1) of the value in the array; 0 if nowhere."""
    def array_prepend(self, col: Operand, /) -> CallExpression:
        """array_prepend(ARRAY, <any>): The array with a value at its start."""
    def array_remove(self, col: Operand, /) -> CallExpression:
        """array_remove(ARRAY, <any>): The array without the elements equal to the value."""
    def array_repeat(self, col: Operand, /) -> CallExpression:
        """array_repeat(<any>, INT): An array of a value a number of times."""
    def array_reverse(self) -> CallExpression:
        """reverse(STRING or BINARY or ARRAY): The text or array from its end to its start."""
    def array_size(self) -> CallExpression:
        """array_size(ARRAY): The number of elements."""
    def array_slice(
        self, col1: Operand, col2: Operand = None, /, **options: Operand
    ) -> CallExpression:
        """array_slice(ARRAY, INT, [INT]): The elements from one place (from 1) to another, both included."""
    def array_sort(self, col: Operand = None, /) -> CallExpression:
        """array_sort(ARRAY, [(x, y) -> …]): The array sorted, NULLs last, or by a lambda that compares two elements."""
    def array_union(self, col: Operand, /) -> CallExpression:
        """array_union(ARRAY, ARRAY): The elements of either array, without duplicates."""
    def arrays_overlap(self, col: Operand, /) -> CallExpression:
        """arrays_overlap(ARRAY, ARRAY): Whether both arrays have an element in common."""
    def arrays_zip(self, *cols: Operand) -> CallExpression:
        """arrays_zip(ARRAY, …): An array of structs of the elements at the same place."""
    def ascii(self) -> CallExpression:
        """ascii(STRING): The code of the first character."""
    def asin(self) -> CallExpression:
        """asin(DOUBLE): The angle in radians of a sine; NaN where there is none."""
    def asinh(self) -> CallExpression:
        """asinh(DOUBLE): The inverse hyperbolic sine."""
    def assert_true(self, col: Operand = None, /) -> CallExpression:
        """assert_true(BOOLEAN, [STRING]): NULL where the condition holds, else an error."""
    def at(self, col: Operand, /) -> CallExpression:
        """try_element_at(ARRAY or MAP, <any>): The element at a position (from 1) or the value of a key, NULL where there is none."""
    def atan(self) -> CallExpression:
        """atan(DOUBLE): The angle in radians of a tangent."""
    def atan2(self, col: Operand, /) -> CallExpression:
        """atan2(DOUBLE, DOUBLE): The angle in radians of the point with the second number as x and the first as y."""
    def atanh(self) -> CallExpression:
        """atanh(DOUBLE): The inverse hyperbolic tangent."""
    def avg(self) -> CallExpression:
        """avg(<numeric> or INTERVAL): The mean."""
    def base64(self) -> CallExpression:
        """base64(BINARY): The binary in Base64."""
    def bigint(self) -> CallExpression:
        """bigint(<any>): The value as BIGINT, as CAST gives it."""
    def bin(self) -> CallExpression:
        """bin(BIGINT): The number in binary."""
    def binary(self) -> CallExpression:
        """binary(<any>): The value as BINARY, as CAST gives it."""
    def bit_and(self) -> CallExpression:
        """bit_and(<integral>): The bits that all have."""
    def bit_count(self) -> CallExpression:
        """bit_count(<integral> or BOOLEAN): The number of bits that are set."""
    def bit_get(self, col: Operand, /) -> CallExpression:
        """getbit(<integral>, INT): The bit at a position."""
    def bit_length(self) -> CallExpression:
        """bit_length(STRING or BINARY): The number of bits."""
    def bit_or(self) -> CallExpression:
        """bit_or(<integral>): The bits that any has."""
    def bit_xor(self) -> CallExpression:
        """bit_xor(<integral>): The bits that an odd number of them has."""
    def bitmap_and_agg(self) -> CallExpression:
        """bitmap_and_agg(BINARY): The bits set in all bitmaps."""
    def bitmap_bit_position(self) -> CallExpression:
        """bitmap_bit_position(BIGINT): The bit of a number in its bucket, from 0."""
    def bitmap_bucket_number(self) -> CallExpression:
        """bitmap_bucket_number(BIGINT): The bucket that the bit of a number lies in."""
    def bitmap_construct_agg(self) -> CallExpression:
        """bitmap_construct_agg(BIGINT): A bitmap with the bits at these positions set."""
    def bitmap_count(self) -> CallExpression:
        """bitmap_count(BINARY): The number of bits set in a bitmap."""
    def bitmap_or_agg(self) -> CallExpression:
        """bitmap_or_agg(BINARY): The bits set in any bitmap."""
    def bitwiseAND(self, col: Operand, /) -> CallExpression:
        """&(<any>, <any>): The bits that both have."""
    def bitwiseOR(self, col: Operand, /) -> CallExpression:
        """|(<any>, <any>): The bits that either has."""
    def bitwiseXOR(self, col: Operand, /) -> CallExpression:
        """^(<any>, <any>): The bits that exactly one has."""
    def bitwise_and(self, col: Operand, /) -> CallExpression:
        """&(<any>, <any>): The bits that both have."""
    def bitwise_not(self) -> CallExpression:
        """~(<integral>): Every bit turned."""
    def bitwise_or(self, col: Operand, /) -> CallExpression:
        """|(<any>, <any>): The bits that either has."""
    def bitwise_xor(self, col: Operand, /) -> CallExpression:
        """^(<any>, <any>): The bits that exactly one has."""
    def bool_and(self) -> CallExpression:
        """bool_and(BOOLEAN): Whether the condition holds for all rows."""
    def bool_or(self) -> CallExpression:
        """bool_or(BOOLEAN): Whether the condition holds for any row."""
    def boolean(self) -> CallExpression:
        """boolean(<any>): The value as BOOLEAN, as CAST gives it."""
    def bround(self, col: Operand = None, /) -> CallExpression:
        """bround(<numeric>, [INT]): The nearest number of a number of digits after the point; halves to the even digit."""
    def btrim(self, col: Operand = None, /) -> CallExpression:
        """btrim(STRING, [STRING]): The text without blanks, or the characters given, on both sides."""
    def cardinality(self) -> CallExpression:
        """cardinality(ARRAY or MAP): The number of elements or entries."""
    def case(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """case(<any>, <any>, [<any>], …): The value after the first condition that holds, else the last value, else NULL."""
    def cbrt(self) -> CallExpression:
        """cbrt(DOUBLE): The cube root."""
    def ceil_to_unit(self, col: Operand, /, **options: Operand) -> CallExpression:
        """ceil_to_unit(<date or timestamp>, STRING): The first start of a unit of time that is not before a date or timestamp."""
    def char(self) -> CallExpression:
        """chr(BIGINT): The character of a code."""
    def char_length(self) -> CallExpression:
        """char_length(STRING or BINARY): The number of characters of a text, or of bytes of a binary."""
    def character_length(self) -> CallExpression:
        """char_length(STRING or BINARY): The number of characters of a text, or of bytes of a binary."""
    def chr(self) -> CallExpression:
        """chr(BIGINT): The character of a code."""
    def coalesce(self, *cols: Operand) -> CallExpression:
        """coalesce(<any>, …): The first argument that is not NULL."""
    def collate(self, col: Operand, /) -> CallExpression:
        """collate(STRING, STRING): The text under a collation."""
    def collation(self) -> CallExpression:
        """collation(STRING): The full name of the text's collation."""
    def collect(self) -> CallExpression:
        """collect_list(<any>): The values that are not NULL, as an array."""
    def collect_list(self) -> CallExpression:
        """collect_list(<any>): The values that are not NULL, as an array."""
    def collect_set(self) -> CallExpression:
        """collect_set(<any but MAP>): The distinct values that are not NULL, as an array."""
    def collect_union(self) -> CallExpression:
        """collect_union(ARRAY of <any but MAP>): The distinct elements of arrays that are not NULL, as an array."""
    def concat(self, *cols: Operand) -> CallExpression:
        """concat([<any>], …): The texts, binaries or arrays joined; NULL when one of them is."""
    def concat_ws(self, *cols: Operand) -> CallExpression:
        """concat_ws(STRING, [STRING or ARRAY<STRING>], …): The texts joined by a separator, NULLs left out."""
    def contains(self, col: Operand, /) -> CallExpression:
        """contains(STRING or BINARY, STRING or BINARY): Whether the text contains another."""
    def conv(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """conv(STRING, INT, INT): The number of one base as text of another."""
    def convert_timezone(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """convert_timezone(STRING, <any>, [TIMESTAMP_NTZ]): The time of the second time zone when it is the time given in the first; the first is the session's where it is left out."""
    def corr(self, col: Operand, /) -> CallExpression:
        """corr(DOUBLE, DOUBLE): Pearson's correlation coefficient."""
    def cos(self) -> CallExpression:
        """cos(DOUBLE): The cosine of an angle in radians."""
    def cosh(self) -> CallExpression:
        """cosh(DOUBLE): The hyperbolic cosine."""
    def cot(self) -> CallExpression:
        """cot(DOUBLE): The cotangent of an angle in radians."""
    def count(self, *cols: Operand) -> CallExpression:
        """count([<any>], …): The number of rows, or of rows in which no argument is NULL."""
    def count_if(self) -> CallExpression:
        """count_if(BOOLEAN): The number of rows for which the condition holds."""
    def count_min_sketch(
        self, epsilon: Operand, confidence: Operand, seed: Operand
    ) -> CallExpression:
        """count_min_sketch(<integral>, STRING or BINARY, DOUBLE, DOUBLE, INT or BIGINT): A count-min sketch of how often values occur, of a relative error, confidence and seed."""
    def counter_diff(self, start_time: Operand = None) -> CallExpression:
        """counter_diff(<numeric>, [<timestamp>]): How much a counter grew since the row before; NULL where it, or its start, was reset."""
    def covar_pop(self, col: Operand, /) -> CallExpression:
        """covar_pop(DOUBLE, DOUBLE): The population covariance."""
    def covar_samp(self, col: Operand, /) -> CallExpression:
        """covar_samp(DOUBLE, DOUBLE): The sample covariance."""
    def crc32(self) -> CallExpression:
        """crc32(BINARY): The CRC-32 checksum."""
    def csc(self) -> CallExpression:
        """csc(DOUBLE): The cosecant of an angle in radians."""
    def cume_dist(self) -> CallExpression:
        """cume_dist(): The share of rows that do not come later."""
    def curdate(self) -> CallExpression:
        """current_date(): The date on which the query started."""
    def current_catalog(self) -> CallExpression:
        """current_catalog(): The current catalog."""
    def current_database(self) -> CallExpression:
        """current_database(): The current database."""
    def current_date(self) -> CallExpression:
        """current_date(): The date on which the query started."""
    def current_path(self) -> CallExpression:
        """current_path(): The schemas in which names are looked up."""
    def current_schema(self) -> CallExpression:
        """current_database(): The current database."""
    def current_time(self) -> CallExpression:
        """current_time([INT]): The time of day at which the query started, with a number of digits of the second."""
    def current_timestamp(self) -> CallExpression:
        """current_timestamp(): The time at which the query started."""
    def current_timezone(self) -> CallExpression:
        """current_timezone(): The time zone of the session."""
    def current_user(self) -> CallExpression:
        """current_user(): The user who runs the query."""
    def date(self) -> CallExpression:
        """date(<any>): The value as DATE, as CAST gives it."""
    def date_add(self, col: Operand, /) -> CallExpression:
        """date_add(DATE, INT): The date a number of days later."""
    def date_diff(self, col: Operand, /) -> CallExpression:
        """datediff(DATE, DATE): The number of days from the second date to the first."""
    def date_format(self, col: Operand, /) -> CallExpression:
        """date_format(TIMESTAMP, STRING): The time as text of a format such as `yyyy-MM-dd`."""
    def date_from_unix_date(self) -> CallExpression:
        """date_from_unix_date(INT): The date a number of days after 1970 began."""
    def date_part(self, col: Operand, /) -> CallExpression:
        """extract(STRING, <date, time, timestamp or INTERVAL>): A part of a date, time, timestamp or interval: YEAR, MONTH, DAY, HOUR, SECOND, …"""
    def date_sub(self, col: Operand, /) -> CallExpression:
        """date_sub(DATE, INT): The date a number of days earlier."""
    def date_trunc(self, col: Operand, /) -> CallExpression:
        """date_trunc(STRING, TIMESTAMP): The timestamp cut to a unit: YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, …"""
    def dateadd(self, col: Operand, /) -> CallExpression:
        """date_add(DATE, INT): The date a number of days later."""
    def datediff(self, col: Operand, /) -> CallExpression:
        """datediff(DATE, DATE): The number of days from the second date to the first."""
    def datepart(self, col: Operand, /) -> CallExpression:
        """extract(STRING, <date, time, timestamp or INTERVAL>): A part of a date, time, timestamp or interval: YEAR, MONTH, DAY, HOUR, SECOND, …"""
    def day(self) -> CallExpression:
        """day(DATE): The day of the month, 1 to 31."""
    def dayname(self) -> CallExpression:
        """dayname(DATE): The short name of the day."""
    def dayofmonth(self) -> CallExpression:
        """day(DATE): The day of the month, 1 to 31."""
    def dayofweek(self) -> CallExpression:
        """dayofweek(DATE): The day of the week, 1 (Sunday) to 7 (Saturday)."""
    def dayofyear(self) -> CallExpression:
        """dayofyear(DATE): The day of the year, 1 to 366."""
    def decimal(self) -> CallExpression:
        """decimal(<any>): The value as DECIMAL(10, 0), as CAST gives it."""
    def decode(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """decode(<any>, <any>, [<any>], …): The bytes of a charset as text; of more arguments, the result after the first value that the first argument equals, else the last."""
    def degrees(self) -> CallExpression:
        """degrees(DOUBLE): The angle in degrees of one in radians."""
    def dense_rank(self, *cols: Operand) -> CallExpression:
        """dense_rank([<any>], …): The place of the row, equal rows alike, no gaps."""
    def div(self, col: Operand, /) -> CallExpression:
        """div(<any>, <any>): The quotient truncated towards zero, a BIGINT."""
    def divide(self, col: Operand, /) -> CallExpression:
        """/(<any>, <any>): The quotient, never truncated."""
    def divided_by(self, col: Operand, /) -> CallExpression:
        """/(<any>, <any>): The quotient, never truncated."""
    def double(self) -> CallExpression:
        """double(<any>): The value as DOUBLE, as CAST gives it."""
    def e(self) -> CallExpression:
        """e(): The number e."""
    def element(self, **options: Operand) -> CallExpression:
        """element(ARRAY): The only element; NULL of an empty array; fails where there are several."""
    def element_at(self, col: Operand, /) -> CallExpression:
        """element_at(ARRAY or MAP, <any>): The element at a position (from 1, negative from the end), or the value of a key."""
    def elt(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """elt(INT, <any>, …): The n-th of the arguments."""
    def encode(self, col: Operand, /) -> CallExpression:
        """encode(STRING, STRING): The text as bytes of a charset."""
    def ends_with(self, col: Operand, /) -> CallExpression:
        """endswith(STRING or BINARY, STRING or BINARY): Whether the text ends with another."""
    def endswith(self, col: Operand, /) -> CallExpression:
        """endswith(STRING or BINARY, STRING or BINARY): Whether the text ends with another."""
    def eq_null_safe(self, col: Operand, /) -> CallExpression:
        """equal_null(<any>, <any>): Whether both are equal or both are NULL; never NULL."""
    def equal_null(self, col: Operand, /) -> CallExpression:
        """equal_null(<any>, <any>): Whether both are equal or both are NULL; never NULL."""
    def equals(self, col: Operand, /) -> CallExpression:
        """=(<any>, <any>): Whether both are equal."""
    def every(self) -> CallExpression:
        """bool_and(BOOLEAN): Whether the condition holds for all rows."""
    def exists(self, col: Operand, /) -> CallExpression:
        """exists(ARRAY, (x) -> …): Whether the lambda holds for an element."""
    def exp(self) -> CallExpression:
        """exp(DOUBLE): e to the power of the number."""
    def explode(self) -> CallExpression:
        """explode(ARRAY or MAP): A row for every element of an array or entry of a map."""
    def explode_outer(self) -> CallExpression:
        """explode_outer(ARRAY or MAP): Like explode; a row of NULL where there is none."""
    def expm1(self) -> CallExpression:
        """expm1(DOUBLE): e to the power of the number, minus 1."""
    def extract(self, col: Operand, /) -> CallExpression:
        """extract(STRING, <date, time, timestamp or INTERVAL>): A part of a date, time, timestamp or interval: YEAR, MONTH, DAY, HOUR, SECOND, …"""
    def factorial(self) -> CallExpression:
        """factorial(INT): The factorial of 0 to 20; NULL outside."""
    def find_in_set(self, col: Operand, /) -> CallExpression:
        """find_in_set(STRING, STRING): The place (from 1) of a text in a list of texts between commas, else 0."""
    def first(self, col: Operand = None, /) -> CallExpression:
        """first(<any>, [BOOLEAN]): The value of the first row met; with TRUE the first that is not NULL."""
    def first_value(self, col: Operand = None, /) -> CallExpression:
        """first(<any>, [BOOLEAN]): The value of the first row met; with TRUE the first that is not NULL."""
    def flatten(self) -> CallExpression:
        """flatten(ARRAY<ARRAY>): The elements of the arrays in an array."""
    def float(self) -> CallExpression:
        """float(<any>): The value as FLOAT, as CAST gives it."""
    def floor_to_unit(self, col: Operand, /, **options: Operand) -> CallExpression:
        """floor_to_unit(<date or timestamp>, STRING): The start of the unit of time that a date or timestamp lies in."""
    def forall(self, col: Operand, /) -> CallExpression:
        """forall(ARRAY, (x) -> …): Whether the lambda holds for every element."""
    def format_number(self, col: Operand, /) -> CallExpression:
        """format_number(<numeric>, INT or STRING): The number with thousands separators and a number of digits after the point."""
    def format_string(self, *cols: Operand) -> CallExpression:
        """format_string(STRING, [<any>], …): The arguments put into a printf pattern."""
    def from_avro(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """from_avro(BINARY, STRING, [MAP<STRING, STRING>]): The value of Avro bytes, of a type given as Avro's JSON."""
    def from_base32(self) -> CallExpression:
        """from_base32(STRING): The binary of a Base32 text."""
    def from_base64(self, **options: Operand) -> CallExpression:
        """from_base64(STRING): The text of a Base64 text."""
    def from_csv(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """from_csv(STRING, STRING, [MAP<STRING, STRING>]): The struct of a line of CSV, of a type given as text."""
    def from_json(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """from_json(STRING, STRING, [MAP<STRING, STRING>]): The value of a JSON text, of a type given as text."""
    def from_protobuf(
        self, col1: Operand, col2: Operand = None, col3: Operand = None, /
    ) -> CallExpression:
        """from_protobuf(BINARY, STRING, [BINARY], [MAP<STRING, STRING>]): The struct of Protobuf bytes, of a message of a descriptor set."""
    def from_unixtime(self, col: Operand = None, /) -> CallExpression:
        """from_unixtime(BIGINT, [STRING]): The time a number of seconds after 1970 began, as text of a format."""
    def from_utc_timestamp(self, col: Operand, /) -> CallExpression:
        """from_utc_timestamp(TIMESTAMP, STRING): The time of a time zone when it is the time given in UTC."""
    def from_xml(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """from_xml(STRING, STRING, [MAP<STRING, STRING>]): The struct or VARIANT of an XML text, of a type given as text."""
    def get_field(self, col: Operand, /) -> CallExpression:
        """get_field(<any>, STRING): A field of a struct, or of every struct in an array."""
    def get_item(self, col: Operand, /) -> CallExpression:
        """get_item(<any>, <any>): The element at a position from 0, or the value of a key."""
    def get_json_object(self, col: Operand, /) -> CallExpression:
        """get_json_object(STRING, STRING): What lies under a path such as `$.a[0]` in a JSON text."""
    def getbit(self, col: Operand, /) -> CallExpression:
        """getbit(<integral>, INT): The bit at a position."""
    def greater_than(self, col: Operand, /) -> CallExpression:
        """>(<any>, <any>): Whether the first is greater."""
    def greater_than_or_equal(self, col: Operand, /) -> CallExpression:
        """>=(<any>, <any>): Whether the first is not less."""
    def greatest(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """greatest(<orderable>, <orderable>, …): The greatest argument that is not NULL."""
    def grouping(self) -> CallExpression:
        """grouping(<any>): 1 where the column is rolled up in this row, else 0."""
    def grouping_id(self, *cols: Operand) -> CallExpression:
        """grouping_id([<any>], …): The bits of grouping() of the columns, or of all grouping columns."""
    def hash(self, *cols: Operand) -> CallExpression:
        """hash(<any but MAP and VARIANT>, …): A 32-bit hash (Murmur3) of the arguments."""
    def hex(self) -> CallExpression:
        """hex(BIGINT or BINARY or STRING): The number or bytes in hexadecimal."""
    def histogram_numeric(self, col: Operand, /) -> CallExpression:
        """histogram_numeric(<numeric>, <date or timestamp> or INTERVAL, INT): The centres and heights of a number of bins that the values fall into."""
    def hll_sketch_agg(self, col: Operand = None, /) -> CallExpression:
        """hll_sketch_agg(INT or BIGINT or STRING or BINARY, [INT]): An HLL sketch of the distinct values, with 2 to the power of the size buckets."""
    def hll_sketch_estimate(self) -> CallExpression:
        """hll_sketch_estimate(BINARY): About the number of distinct values in an HLL sketch."""
    def hll_union(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """hll_union(BINARY, BINARY, [BOOLEAN]): An HLL sketch of the values of both; TRUE allows sketches of different sizes."""
    def hll_union_agg(self, col: Operand = None, /) -> CallExpression:
        """hll_union_agg(BINARY, [BOOLEAN]): An HLL sketch of the values of all sketches; TRUE allows different sizes."""
    def hmac(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """hmac(BINARY, BINARY, [STRING]): The digest of a message under a key (the first argument), by SHA-256 unless told."""
    def hour(self) -> CallExpression:
        """hour(TIMESTAMP or TIME): The hour, 0 to 23."""
    def hypot(self, col: Operand, /) -> CallExpression:
        """hypot(DOUBLE, DOUBLE): The root of the sum of both squares."""
    def if_null(self, col: Operand, /) -> CallExpression:
        """nvl(<any>, <any>): The first argument, or the second where the first is NULL."""
    def ifnull(self, col: Operand, /) -> CallExpression:
        """nvl(<any>, <any>): The first argument, or the second where the first is NULL."""
    def ilike(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """ilike(STRING, STRING, [STRING]): LIKE without regard to case."""
    def ilike_all(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """ilike_all(STRING, STRING, …): like_all without regard to case."""
    def ilike_any(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """ilike_any(STRING, STRING, …): like_any without regard to case."""
    def init_cap(self) -> CallExpression:
        """initcap(STRING): The text with the first letter of every word in upper case, the rest in lower case."""
    def initcap(self) -> CallExpression:
        """initcap(STRING): The text with the first letter of every word in upper case, the rest in lower case."""
    def inline(self) -> CallExpression:
        """inline(ARRAY): A row for every struct of an array."""
    def inline_outer(self) -> CallExpression:
        """inline_outer(ARRAY): Like inline; a row of NULL where there is none."""
    def input_file_block_length(self) -> CallExpression:
        """input_file_block_length(): The length of the block that the row was read from, or -1."""
    def input_file_block_start(self) -> CallExpression:
        """input_file_block_start(): Where the block begins that the row was read from, or -1."""
    def input_file_name(self) -> CallExpression:
        """input_file_name(): The file that the row was read from, or an empty text."""
    def instr(self, col1: Operand, col2: Operand = None, col3: Operand = None, /) -> CallExpression:
        """instr(STRING, STRING, [INT], [INT]): The place (from 1) of the second text in the first, of the match counted from a position on (backwards from a negative one); 0 if nowhere."""
    def int(self) -> CallExpression:
        """int(<any>): The value as INT, as CAST gives it."""
    def is_distinct_from(self, col: Operand, /) -> CallExpression:
        """is_distinct_from(<any>, <any>): Whether the values differ, NULL counting as a value; never NULL."""
    def is_equal(self, col: Operand, /) -> CallExpression:
        """=(<any>, <any>): Whether both are equal."""
    def is_false(self) -> CallExpression:
        """is_false(BOOLEAN): Whether the condition is false; NULL counts as not."""
    def is_greater(self, col: Operand, /) -> CallExpression:
        """>(<any>, <any>): Whether the first is greater."""
    def is_greater_or_equal(self, col: Operand, /) -> CallExpression:
        """>=(<any>, <any>): Whether the first is not less."""
    def is_json(self, **options: Operand) -> CallExpression:
        """is_json(STRING): Whether a text is JSON, of a kind: VALUE, OBJECT, ARRAY or SCALAR."""
    def is_less(self, col: Operand, /) -> CallExpression:
        """<(<any>, <any>): Whether the first is less."""
    def is_less_or_equal(self, col: Operand, /) -> CallExpression:
        """<=(<any>, <any>): Whether the first is not greater."""
    def is_nan(self) -> CallExpression:
        """isnan(<fractional>): Whether the number is NaN; never NULL."""
    def is_not_distinct_from(self, col: Operand, /) -> CallExpression:
        """equal_null(<any>, <any>): Whether both are equal or both are NULL; never NULL."""
    def is_not_equal(self, col: Operand, /) -> CallExpression:
        """<>(<any>, <any>): Whether both differ."""
    def is_not_false(self) -> CallExpression:
        """is_not_false(BOOLEAN): Whether the condition holds or is NULL."""
    def is_not_true(self) -> CallExpression:
        """is_not_true(BOOLEAN): Whether the condition is false or NULL."""
    def is_not_unknown(self) -> CallExpression:
        """is_not_unknown(<any>): Whether the condition is true or false."""
    def is_true(self) -> CallExpression:
        """is_true(BOOLEAN): Whether the condition holds; NULL counts as not."""
    def is_unknown(self) -> CallExpression:
        """is_unknown(<any>): Whether the condition is NULL."""
    def is_valid_utf8(self) -> CallExpression:
        """is_valid_utf8(STRING): Whether the bytes of the text are UTF-8."""
    def is_valid_variant(self) -> CallExpression:
        """is_valid_variant(VARIANT): Whether the VARIANT is well formed."""
    def is_variant_null(self) -> CallExpression:
        """is_variant_null(VARIANT): Whether the VARIANT is a JSON null."""
    def isnan(self) -> CallExpression:
        """isnan(<fractional>): Whether the number is NaN; never NULL."""
    def isnotnull(self) -> CallExpression:
        """isnotnull(<any>): Whether the value is not NULL."""
    def isnull(self) -> CallExpression:
        """isnull(<any>): Whether the value is NULL."""
    def jaro_winkler_similarity(self, col: Operand, /) -> CallExpression:
        """jaro_winkler_similarity(STRING, STRING): How alike two texts are, from 0 to 1."""
    def java_method(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """java_method(STRING, STRING, [<number, BOOLEAN or STRING>], …): What a static method of a Java class gives, as text."""
    def json_array(self, *cols: Operand, **options: Operand) -> CallExpression:
        """json_array([<any>], …): A JSON array of values; on_null says whether a NULL is NULL or ABSENT."""
    def json_array_agg(self, **options: Operand) -> CallExpression:
        """json_array_agg(<any>): A JSON array of the values; on_null says whether a NULL is NULL or ABSENT."""
    def json_array_length(self) -> CallExpression:
        """json_array_length(STRING): The number of elements of a JSON array."""
    def json_arrayagg(self, **options: Operand) -> CallExpression:
        """json_array_agg(<any>): A JSON array of the values; on_null says whether a NULL is NULL or ABSENT."""
    def json_exists(self, col: Operand, /, **options: Operand) -> CallExpression:
        """json_exists(STRING or VARIANT, STRING): Whether a JSON text has something at a path; on_error is FALSE, TRUE, UNKNOWN or ERROR."""
    def json_object(self, *cols: Operand, **options: Operand) -> CallExpression:
        """json_object([<any>], [<any>], …): A JSON object of keys and values; on_null says whether a NULL is NULL or ABSENT."""
    def json_object_agg(self, col: Operand, /, **options: Operand) -> CallExpression:
        """json_object_agg(STRING, <any>): A JSON object of keys and values; fails where a key is NULL or there twice; on_null says whether a NULL is NULL or ABSENT."""
    def json_object_keys(self) -> CallExpression:
        """json_object_keys(STRING): The keys of a JSON object."""
    def json_objectagg(self, col: Operand, /, **options: Operand) -> CallExpression:
        """json_object_agg(STRING, <any>): A JSON object of keys and values; fails where a key is NULL or there twice; on_null says whether a NULL is NULL or ABSENT."""
    def json_query(self, col: Operand, /, **options: Operand) -> CallExpression:
        """json_query(STRING or VARIANT, STRING): The object or array at a path of a JSON text; wrapper may put it into an array."""
    def json_string(self, **options: Operand) -> CallExpression:
        """json_string(<any>): The value as JSON, a text between quotes."""
    def json_tuple(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """json_tuple(STRING, STRING, …): The fields of a JSON object, as text."""
    def json_value(self, col: Operand, /, **options: Operand) -> CallExpression:
        """json_value(STRING or VARIANT, STRING): The scalar at a path of a JSON text; on_empty and on_error are NULL, ERROR or a default."""
    def kll_merge_agg_bigint(self, col: Operand = None, /) -> CallExpression:
        """kll_merge_agg_bigint(BINARY, [INT]): The KLL sketches of BIGINT values as one."""
    def kll_merge_agg_double(self, col: Operand = None, /) -> CallExpression:
        """kll_merge_agg_double(BINARY, [INT]): The KLL sketches of DOUBLE values as one."""
    def kll_merge_agg_float(self, col: Operand = None, /) -> CallExpression:
        """kll_merge_agg_float(BINARY, [INT]): The KLL sketches of FLOAT values as one."""
    def kll_sketch_agg_bigint(self, col: Operand = None, /) -> CallExpression:
        """kll_sketch_agg_bigint(<integral>, [INT]): A KLL sketch of BIGINT values; a larger size (by default 200) is more exact."""
    def kll_sketch_agg_double(self, col: Operand = None, /) -> CallExpression:
        """kll_sketch_agg_double(DOUBLE or FLOAT, [INT]): A KLL sketch of DOUBLE values; a larger size (by default 200) is more exact."""
    def kll_sketch_agg_float(self, col: Operand = None, /) -> CallExpression:
        """kll_sketch_agg_float(FLOAT, [INT]): A KLL sketch of FLOAT values; a larger size (by default 200) is more exact."""
    def kll_sketch_get_n_bigint(self) -> CallExpression:
        """kll_sketch_get_n_bigint(BINARY): The number of values that a KLL sketch of BIGINT values has seen."""
    def kll_sketch_get_n_double(self) -> CallExpression:
        """kll_sketch_get_n_double(BINARY): The number of values that a KLL sketch of DOUBLE values has seen."""
    def kll_sketch_get_n_float(self) -> CallExpression:
        """kll_sketch_get_n_float(BINARY): The number of values that a KLL sketch of FLOAT values has seen."""
    def kll_sketch_get_quantile_bigint(self, col: Operand, /) -> CallExpression:
        """kll_sketch_get_quantile_bigint(BINARY, DOUBLE or ARRAY<DOUBLE>): About the BIGINT value at one or more ranks from 0 to 1."""
    def kll_sketch_get_quantile_double(self, col: Operand, /) -> CallExpression:
        """kll_sketch_get_quantile_double(BINARY, DOUBLE or ARRAY<DOUBLE>): About the DOUBLE value at one or more ranks from 0 to 1."""
    def kll_sketch_get_quantile_float(self, col: Operand, /) -> CallExpression:
        """kll_sketch_get_quantile_float(BINARY, DOUBLE or ARRAY<DOUBLE>): About the FLOAT value at one or more ranks from 0 to 1."""
    def kll_sketch_get_rank_bigint(self, col: Operand, /) -> CallExpression:
        """kll_sketch_get_rank_bigint(BINARY, BIGINT or ARRAY<BIGINT>): About the rank, from 0 to 1, of one or more BIGINT values."""
    def kll_sketch_get_rank_double(self, col: Operand, /) -> CallExpression:
        """kll_sketch_get_rank_double(BINARY, DOUBLE or ARRAY<DOUBLE>): About the rank, from 0 to 1, of one or more DOUBLE values."""
    def kll_sketch_get_rank_float(self, col: Operand, /) -> CallExpression:
        """kll_sketch_get_rank_float(BINARY, FLOAT or ARRAY<FLOAT>): About the rank, from 0 to 1, of one or more FLOAT values."""
    def kll_sketch_merge_bigint(self, col: Operand, /) -> CallExpression:
        """kll_sketch_merge_bigint(BINARY, BINARY): Two KLL sketches of BIGINT values as one."""
    def kll_sketch_merge_double(self, col: Operand, /) -> CallExpression:
        """kll_sketch_merge_double(BINARY, BINARY): Two KLL sketches of DOUBLE values as one."""
    def kll_sketch_merge_float(self, col: Operand, /) -> CallExpression:
        """kll_sketch_merge_float(BINARY, BINARY): Two KLL sketches of FLOAT values as one."""
    def kll_sketch_to_string_bigint(self) -> CallExpression:
        """kll_sketch_to_string_bigint(BINARY): What a KLL sketch of BIGINT values holds, in words."""
    def kll_sketch_to_string_double(self) -> CallExpression:
        """kll_sketch_to_string_double(BINARY): What a KLL sketch of DOUBLE values holds, in words."""
    def kll_sketch_to_string_float(self) -> CallExpression:
        """kll_sketch_to_string_float(BINARY): What a KLL sketch of FLOAT values holds, in words."""
    def kurtosis(self) -> CallExpression:
        """kurtosis(DOUBLE): The excess kurtosis."""
    def lag(self, col1: Operand = None, col2: Operand = None, /) -> CallExpression:
        """lag(<any>, [INT], [<any>]): The value a number of rows (by default 1) before, or a default."""
    def last(self, col: Operand = None, /) -> CallExpression:
        """last(<any>, [BOOLEAN]): The value of the last row met; with TRUE the last that is not NULL."""
    def last_day(self) -> CallExpression:
        """last_day(DATE): The last day of the month."""
    def last_value(self, col: Operand = None, /) -> CallExpression:
        """last(<any>, [BOOLEAN]): The value of the last row met; with TRUE the last that is not NULL."""
    def lcase(self) -> CallExpression:
        """lower(STRING): The text in lower case."""
    def lead(self, col1: Operand = None, col2: Operand = None, /) -> CallExpression:
        """lead(<any>, [INT], [<any>]): The value a number of rows (by default 1) after, or a default."""
    def least(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """least(<orderable>, <orderable>, …): The least argument that is not NULL."""
    def left(self, col: Operand, /) -> CallExpression:
        """left(STRING or BINARY, INT): The first characters of the text."""
    def len(self) -> CallExpression:
        """length(STRING or BINARY): The number of characters of a text, or of bytes of a binary."""
    def length(self) -> CallExpression:
        """length(STRING or BINARY): The number of characters of a text, or of bytes of a binary."""
    def less_than(self, col: Operand, /) -> CallExpression:
        """<(<any>, <any>): Whether the first is less."""
    def less_than_or_equal(self, col: Operand, /) -> CallExpression:
        """<=(<any>, <any>): Whether the first is not greater."""
    def levenshtein(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """levenshtein(STRING, STRING, [INT]): The number of edits between two texts, -1 above a threshold."""
    def like_all(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """like_all(STRING, STRING, …): Whether the text matches every one of several patterns."""
    def like_any(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """like_any(STRING, STRING, …): Whether the text matches one of several patterns."""
    def list_agg(self, col: Operand = None, /, **options: Operand) -> CallExpression:
        """list_agg(STRING, [STRING]): The texts joined by a separator, a comma by default."""
    def listagg(self, col: Operand = None, /) -> CallExpression:
        """listagg(STRING or BINARY, [STRING or BINARY]): The values that are not NULL, joined by a separator."""
    def ln(self) -> CallExpression:
        """ln(DOUBLE): The natural logarithm; NULL where there is none."""
    def localtime(self) -> CallExpression:
        """current_time([INT]): The time of day at which the query started, with a number of digits of the second."""
    def localtimestamp(self) -> CallExpression:
        """localtimestamp(): The time at which the query started, without a time zone."""
    def locate(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """locate(STRING, STRING, [INT]): The place (from 1) of the first text in the second, from a position on; 0 if nowhere."""
    def log(self, col: Operand = None, /) -> CallExpression:
        """log(DOUBLE, [DOUBLE]): The natural logarithm, or with two arguments that of the second to the base of the first."""
    def log10(self) -> CallExpression:
        """log10(DOUBLE): The logarithm to base 10; NULL where there is none."""
    def log1p(self) -> CallExpression:
        """log1p(DOUBLE): The natural logarithm of the number plus 1; NULL where there is none."""
    def log2(self) -> CallExpression:
        """log2(DOUBLE): The logarithm to base 2; NULL where there is none."""
    def lower(self) -> CallExpression:
        """lower(STRING): The text in lower case."""
    def lower_case(self) -> CallExpression:
        """lower(STRING): The text in lower case."""
    def lpad(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """lpad(STRING or BINARY, INT, [STRING or BINARY]): The text filled on its left to a length, or cut to it."""
    def ltrim(self, col: Operand = None, /) -> CallExpression:
        """ltrim(STRING, [STRING]): The text without blanks, or the characters given, on its left."""
    def luhn_check(self) -> CallExpression:
        """luhn_check(STRING): Whether the digits pass the Luhn check."""
    def make_date(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """make_date(INT, INT, INT): The date of a year, month and day."""
    def make_dt_interval(
        self, col1: Operand = None, col2: Operand = None, col3: Operand = None, /
    ) -> CallExpression:
        """make_dt_interval([INT], [INT], [INT], [DECIMAL(18, 6)]): The interval of days, hours, minutes and seconds."""
    def make_interval(
        self,
        col1: Operand = None,
        col2: Operand = None,
        col3: Operand = None,
        col4: Operand = None,
        col5: Operand = None,
        col6: Operand = None,
        /,
    ) -> CallExpression:
        """make_interval([INT], [INT], [INT], [INT], [INT], [INT], [DECIMAL(18, 6)]): The interval of years, months, weeks, days, hours, minutes and seconds."""
    def make_time(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """make_time(INT, INT, DECIMAL(16, 6)): The time of an hour, minute and second."""
    def make_timestamp(
        self,
        col1: Operand = None,
        col2: Operand = None,
        col3: Operand = None,
        col4: Operand = None,
        col5: Operand = None,
        col6: Operand = None,
        /,
    ) -> CallExpression:
        """make_timestamp(INT or DATE, [INT or TIME], [INT or STRING], [INT], [INT], [DECIMAL(16, 6)], [STRING]): The timestamp of a year, month, day, hour, minute, second and time zone, or of a date, a time and a time zone."""
    def make_timestamp_ltz(
        self,
        col1: Operand,
        col2: Operand = None,
        col3: Operand = None,
        col4: Operand = None,
        col5: Operand = None,
        col6: Operand = None,
        /,
    ) -> CallExpression:
        """make_timestamp_ltz(INT or DATE, INT or TIME, [INT or STRING], [INT], [INT], [DECIMAL(16, 6)], [STRING]): The timestamp of the session's time zone that the parts, or a date and a time, make."""
    def make_timestamp_ntz(
        self,
        col1: Operand,
        col2: Operand = None,
        col3: Operand = None,
        col4: Operand = None,
        col5: Operand = None,
        /,
    ) -> CallExpression:
        """make_timestamp_ntz(INT or DATE, INT or TIME, [INT or STRING], [INT], [INT], [DECIMAL(16, 6)]): The timestamp without a time zone of a year, month, day, hour, minute and second, or of a date and a time."""
    def make_valid_utf8(self) -> CallExpression:
        """make_valid_utf8(STRING): The text with U+FFFD for what is not UTF-8."""
    def make_ym_interval(self, col: Operand = None, /) -> CallExpression:
        """make_ym_interval([INT], [INT]): The interval of years and months."""
    def map(self, *cols: Operand) -> CallExpression:
        """map([<any>], …): A map of the arguments: key, value, key, value, …"""
    def map_concat(self, *cols: Operand) -> CallExpression:
        """map_concat([MAP], …): The entries of all maps in one."""
    def map_contains_key(self, col: Operand, /) -> CallExpression:
        """map_contains_key(MAP, <any>): Whether the map has the key."""
    def map_entries(self) -> CallExpression:
        """map_entries(MAP): The entries as structs of key and value."""
    def map_filter(self, col: Operand, /) -> CallExpression:
        """map_filter(MAP, (x, y) -> …): The entries for which the lambda holds."""
    def map_from_arrays(self, col: Operand, /) -> CallExpression:
        """map_from_arrays(ARRAY, ARRAY): A map of an array of keys and one of values."""
    def map_from_entries(self) -> CallExpression:
        """map_from_entries(ARRAY<STRUCT<any, any>>): A map of an array of structs of key and value."""
    def map_keys(self) -> CallExpression:
        """map_keys(MAP): The keys as an array."""
    def map_values(self) -> CallExpression:
        """map_values(MAP): The values as an array."""
    def map_zip_with(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """map_zip_with(MAP, MAP, (x, y, z) -> …): A map of what the lambda makes of the values that two maps have for a key."""
    def mask(
        self,
        upperChar: Operand = None,
        lowerChar: Operand = None,
        digitChar: Operand = None,
        otherChar: Operand = None,
    ) -> CallExpression:
        """mask(STRING, [STRING], [STRING], [STRING], [STRING]): The text with other upper- and lower-case letters, digits and other characters."""
    def max(self) -> CallExpression:
        """max(<orderable>): The greatest value."""
    def max_by(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """max_by(<any>, <orderable>, [INT]): The first argument where the second is greatest, or an array of a number of those."""
    def md5(self) -> CallExpression:
        """md5(BINARY): The MD5 digest in hexadecimal."""
    def mean(self) -> CallExpression:
        """avg(<numeric> or INTERVAL): The mean."""
    def measure(self) -> CallExpression:
        """measure(<any>): The value of a measure of a metric view."""
    def median(self) -> CallExpression:
        """median(<numeric>, INTERVAL or TIME): The median."""
    def min(self) -> CallExpression:
        """min(<orderable>): The least value."""
    def min_by(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """min_by(<any>, <orderable>, [INT]): The first argument where the second is least, or an array of a number of those."""
    def minus(self, col: Operand, /) -> CallExpression:
        """-(<any>, <any>): The difference; also the interval between two dates or timestamps."""
    def minute(self) -> CallExpression:
        """minute(TIMESTAMP or TIME): The minute, 0 to 59."""
    def mod(self, col: Operand, /) -> CallExpression:
        """%(<any>, <any>): The remainder, with the sign of the dividend."""
    def mode(self, col: Operand = None, /) -> CallExpression:
        """mode(<any>, [BOOLEAN]): The most frequent value."""
    def monotonically_increasing_id(self) -> CallExpression:
        """monotonically_increasing_id(): A growing number, unique within the query."""
    def month(self) -> CallExpression:
        """month(DATE): The month, 1 to 12."""
    def monthname(self) -> CallExpression:
        """monthname(DATE): The short name of the month."""
    def months_between(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """months_between(TIMESTAMP, TIMESTAMP, [BOOLEAN]): The months from the second time to the first, rounded to 8 digits unless told not to."""
    def named_struct(self, *cols: Operand) -> CallExpression:
        """named_struct([<any>], [<any>], …): A struct of the arguments: name, value, name, value, …"""
    def nanvl(self, col: Operand, /) -> CallExpression:
        """nanvl(<fractional>, <fractional>): The first argument, or the second where the first is NaN."""
    def negate(self) -> CallExpression:
        """negative(<numeric> or INTERVAL): The value with its sign turned."""
    def negative(self) -> CallExpression:
        """negative(<numeric> or INTERVAL): The value with its sign turned."""
    def next_day(self, col: Operand, /) -> CallExpression:
        """next_day(DATE, STRING): The first day after the date that is a day of the week such as `Mon`."""
    def not_(self) -> CallExpression:
        """not(BOOLEAN): The opposite."""
    def not_equals(self, col: Operand, /) -> CallExpression:
        """<>(<any>, <any>): Whether both differ."""
    def not_ilike_all(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """not_ilike_all(STRING, STRING, …): not_like_all without regard to case."""
    def not_ilike_any(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """not_ilike_any(STRING, STRING, …): not_like_any without regard to case."""
    def not_like_all(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """not_like_all(STRING, STRING, …): Whether the text matches none of several patterns."""
    def not_like_any(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """not_like_any(STRING, STRING, …): Whether the text fails to match one of the patterns."""
    def now(self) -> CallExpression:
        """current_timestamp(): The time at which the query started."""
    def nth_value(self, col: Operand, /) -> CallExpression:
        """nth_value(<any>, INT): The value of the n-th row of the frame."""
    def ntile(self) -> CallExpression:
        """ntile([INT]): The number, from 1, of the row's bucket among equally large ones."""
    def nullif(self, col: Operand, /) -> CallExpression:
        """nullif(<any>, <any>): NULL where both arguments are equal, else the first."""
    def nullifzero(self) -> CallExpression:
        """nullifzero(<any>): The number, or NULL where it is 0."""
    def nvl(self, col: Operand, /) -> CallExpression:
        """nvl(<any>, <any>): The first argument, or the second where the first is NULL."""
    def nvl2(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """nvl2(<any>, <any>, <any>): The second argument where the first is not NULL, else the third."""
    def octet_length(self) -> CallExpression:
        """octet_length(STRING or BINARY): The number of bytes."""
    def or_(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """or(BOOLEAN, BOOLEAN, …): Whether any holds."""
    def overlay(self, col1: Operand, col2: Operand, col3: Operand = None, /) -> CallExpression:
        """overlay(STRING or BINARY, STRING or BINARY, INT, [INT]): The text with a part, from a position on, replaced by another text."""
    def parse_json(self) -> CallExpression:
        """parse_json(STRING): A JSON text as a VARIANT."""
    def parse_url(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """parse_url(STRING, STRING, [STRING]): A part of a URL: HOST, PATH, QUERY, REF, PROTOCOL, FILE, AUTHORITY or USERINFO."""
    def percent_rank(self, *cols: Operand) -> CallExpression:
        """percent_rank([<any>], …): The rank as a share from 0 to 1."""
    def percentile(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """percentile(<numeric>, INTERVAL or TIME, DOUBLE or ARRAY<DOUBLE>, [<integral>]): The exact percentile, interpolated, at one or more places from 0 to 1."""
    def percentile_approx(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """percentile_approx(<numeric>, <date or timestamp> or INTERVAL, DOUBLE or ARRAY<DOUBLE>, [<integral>]): About the percentile at one or more places from 0 to 1; more accuracy costs memory."""
    def percentile_cont(self, col: Operand, /) -> CallExpression:
        """percentile_cont(DOUBLE or ARRAY<DOUBLE>) WITHIN GROUP (ORDER BY <numeric>, INTERVAL or TIME): The percentile of sorted values, interpolated, at one or more places from 0 to 1."""
    def percentile_disc(self, col: Operand, /) -> CallExpression:
        """percentile_disc(DOUBLE or ARRAY<DOUBLE>) WITHIN GROUP (ORDER BY <numeric>, INTERVAL or TIME): The first of sorted values that is no lower than a percentile, at one or more places."""
    def pi(self) -> CallExpression:
        """pi(): The number pi."""
    def plus(self, col: Operand, /) -> CallExpression:
        """+(<any>, <any>): The sum; also a date or timestamp moved by an interval."""
    def pmod(self, col: Operand, /) -> CallExpression:
        """pmod(<any>, <any>): The remainder, never negative."""
    def posexplode(self) -> CallExpression:
        """posexplode(ARRAY or MAP): A row for every element or entry, with its position."""
    def posexplode_outer(self) -> CallExpression:
        """posexplode_outer(ARRAY or MAP): Like posexplode; a row of NULL where there is none."""
    def position(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """position(STRING, STRING, [INT]): The place (from 1) of the first text in the second, from a position on; 0 if nowhere."""
    def positive(self) -> CallExpression:
        """positive(<numeric> or INTERVAL): The value as it is."""
    def pow(self, col: Operand, /) -> CallExpression:
        """power(DOUBLE, DOUBLE): The first number to the power of the second."""
    def power(self, col: Operand, /) -> CallExpression:
        """power(DOUBLE, DOUBLE): The first number to the power of the second."""
    def printf(self, *cols: Operand) -> CallExpression:
        """format_string(STRING, [<any>], …): The arguments put into a printf pattern."""
    def quarter(self) -> CallExpression:
        """quarter(DATE): The quarter, 1 to 4."""
    def quote(self) -> CallExpression:
        """quote(STRING): The text as an SQL literal."""
    def radians(self) -> CallExpression:
        """radians(DOUBLE): The angle in radians of one in degrees."""
    def raise_error(self) -> CallExpression:
        """raise_error(STRING): Stops the query with an error."""
    def rand(self) -> CallExpression:
        """rand([INT or BIGINT]): A random number from 0 to less than 1, from a seed."""
    def randn(self) -> CallExpression:
        """randn([INT or BIGINT]): A random number of the standard normal distribution, from a seed."""
    def random(self) -> CallExpression:
        """rand([INT or BIGINT]): A random number from 0 to less than 1, from a seed."""
    def randstr(self, col: Operand = None, /) -> CallExpression:
        """randstr(INT, [INT or BIGINT]): A random text of letters and digits of a length, from a seed."""
    def rank(self, *cols: Operand) -> CallExpression:
        """rank([<any>], …): The place of the row, equal rows alike, with gaps."""
    def reduce(self, col1: Operand, col2: Operand, col3: Operand = None, /) -> CallExpression:
        """aggregate(ARRAY, <any>, (x, y) -> …, [(x) -> …]): A start value merged with every element by a lambda; another lambda may finish it."""
    def reflect(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """java_method(STRING, STRING, [<number, BOOLEAN or STRING>], …): What a static method of a Java class gives, as text."""
    def regexp(self, col: Operand, /) -> CallExpression:
        """rlike(STRING, STRING): Whether a part of the text matches a regular expression."""
    def regexp_count(self, col: Operand, /) -> CallExpression:
        """regexp_count(STRING, STRING): The number of matches of a regular expression."""
    def regexp_extract(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """regexp_extract(STRING, STRING, [INT]): What a group (by default the first) of the first match holds; empty without a match."""
    def regexp_extract_all(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """regexp_extract_all(STRING, STRING, [INT]): What a group (by default the first) of every match holds."""
    def regexp_instr(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """regexp_instr(STRING, STRING, [INT]): The place (from 1) of the first match of a regular expression; 0 if there is none."""
    def regexp_like(self, col: Operand, /) -> CallExpression:
        """rlike(STRING, STRING): Whether a part of the text matches a regular expression."""
    def regexp_replace(
        self, col1: Operand, col2: Operand, col3: Operand = None, /
    ) -> CallExpression:
        """regexp_replace(STRING, STRING, STRING, [INT]): The text with every match of a regular expression replaced."""
    def regexp_substr(self, col: Operand, /) -> CallExpression:
        """regexp_substr(STRING, STRING): The first match of a regular expression, or NULL."""
    def regr_avgx(self, col: Operand, /) -> CallExpression:
        """regr_avgx(<numeric>, <numeric>): The mean of the second where both are not NULL."""
    def regr_avgy(self, col: Operand, /) -> CallExpression:
        """regr_avgy(<numeric>, <numeric>): The mean of the first where both are not NULL."""
    def regr_count(self, col: Operand, /) -> CallExpression:
        """regr_count(DOUBLE, DOUBLE): The number of rows in which both are not NULL."""
    def regr_intercept(self, col: Operand, /) -> CallExpression:
        """regr_intercept(DOUBLE, DOUBLE): The intercept of the linear regression."""
    def regr_r2(self, col: Operand, /) -> CallExpression:
        """regr_r2(DOUBLE, DOUBLE): The coefficient of determination of the linear regression."""
    def regr_slope(self, col: Operand, /) -> CallExpression:
        """regr_slope(DOUBLE, DOUBLE): The slope of the linear regression of the first on the second."""
    def regr_sxx(self, col: Operand, /) -> CallExpression:
        """regr_sxx(DOUBLE, DOUBLE): The sum of squares of the second."""
    def regr_sxy(self, col: Operand, /) -> CallExpression:
        """regr_sxy(DOUBLE, DOUBLE): The sum of products."""
    def regr_syy(self, col: Operand, /) -> CallExpression:
        """regr_syy(DOUBLE, DOUBLE): The sum of squares of the first."""
    def repeat(self, col: Operand, /) -> CallExpression:
        """repeat(STRING, INT): The text a number of times."""
    def replace(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """replace(STRING, STRING, [STRING]): The text with every occurrence of a part replaced, or removed."""
    def reverse(self) -> CallExpression:
        """reverse(STRING or BINARY or ARRAY): The text or array from its end to its start."""
    def right(self, col: Operand, /) -> CallExpression:
        """right(STRING, INT): The last characters of the text."""
    def rint(self) -> CallExpression:
        """rint(DOUBLE): The nearest whole number, as a DOUBLE."""
    def rlike(self, col: Operand, /) -> CallExpression:
        """rlike(STRING, STRING): Whether a part of the text matches a regular expression."""
    def round(self, col: Operand = None, /) -> CallExpression:
        """round(<numeric>, [INT]): The nearest number of a number of digits after the point; halves away from zero."""
    def row_number(self) -> CallExpression:
        """row_number(): The place of the row in its partition, from 1."""
    def rpad(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """rpad(STRING or BINARY, INT, [STRING or BINARY]): The text filled on its right to a length, or cut to it."""
    def rtrim(self, col: Operand = None, /) -> CallExpression:
        """rtrim(STRING, [STRING]): The text without blanks, or the characters given, on its right."""
    def schema_of_avro(self, col: Operand = None, /) -> CallExpression:
        """schema_of_avro(STRING, [MAP<STRING, STRING>]): The type of an Avro schema, as text."""
    def schema_of_csv(self, col: Operand = None, /) -> CallExpression:
        """schema_of_csv(STRING, [MAP<STRING, STRING>]): The type of a line of CSV."""
    def schema_of_json(self, col: Operand = None, /) -> CallExpression:
        """schema_of_json(STRING, [MAP<STRING, STRING>]): The type of a JSON text."""
    def schema_of_variant(self) -> CallExpression:
        """schema_of_variant(VARIANT): The type of what the VARIANT holds, as text."""
    def schema_of_variant_agg(self) -> CallExpression:
        """schema_of_variant_agg(VARIANT): The common type of what the VARIANTs hold, as text."""
    def schema_of_xml(self, col: Operand = None, /) -> CallExpression:
        """schema_of_xml(STRING, [MAP<STRING, STRING>]): The type of an XML text."""
    def sec(self) -> CallExpression:
        """sec(DOUBLE): The secant of an angle in radians."""
    def second(self) -> CallExpression:
        """second(TIMESTAMP or TIME): The second, 0 to 59."""
    def sentences(self, col1: Operand = None, col2: Operand = None, /) -> CallExpression:
        """sentences(STRING, [STRING], [STRING]): The sentences of a text, each an array of words; a language and a country may be given."""
    def sequence(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """sequence(<any>, <any>, [<any>]): The values from a start to a stop, both included, by a step."""
    def session_user(self) -> CallExpression:
        """current_user(): The user who runs the query."""
    def session_window(self, col: Operand, /) -> CallExpression:
        """session_window(<timestamp>, STRING or INTERVAL): The session of events no further apart than a gap that a time falls in."""
    def sha(self) -> CallExpression:
        """sha1(BINARY): The SHA-1 digest in hexadecimal."""
    def sha1(self) -> CallExpression:
        """sha1(BINARY): The SHA-1 digest in hexadecimal."""
    def sha2(self, col: Operand, /) -> CallExpression:
        """sha2(BINARY, INT): The SHA-2 digest of 224, 256, 384 or 512 bits in hexadecimal; 0 is 256."""
    def sha224(self, **options: Operand) -> CallExpression:
        """sha224(BINARY): The SHA-224 hash as hexadecimal text."""
    def sha256(self, **options: Operand) -> CallExpression:
        """sha256(BINARY): The SHA-256 hash as hexadecimal text."""
    def sha384(self, **options: Operand) -> CallExpression:
        """sha384(BINARY): The SHA-384 hash as hexadecimal text."""
    def sha512(self, **options: Operand) -> CallExpression:
        """sha512(BINARY): The SHA-512 hash as hexadecimal text."""
    def shiftleft(self, col: Operand, /) -> CallExpression:
        """shiftleft(INT or BIGINT, INT): The bits moved to the left."""
    def shiftright(self, col: Operand, /) -> CallExpression:
        """shiftright(INT or BIGINT, INT): The bits moved to the right, the sign kept."""
    def shiftrightunsigned(self, col: Operand, /) -> CallExpression:
        """shiftrightunsigned(INT or BIGINT, INT): The bits moved to the right, zeros moved in."""
    def shuffle(self, col: Operand = None, /) -> CallExpression:
        """shuffle(ARRAY, [BIGINT]): The array in a random order, from a seed."""
    def sign(self) -> CallExpression:
        """sign(<numeric> or INTERVAL): -1, 0 or 1 after the sign."""
    def signum(self) -> CallExpression:
        """sign(<numeric> or INTERVAL): -1, 0 or 1 after the sign."""
    def similar(self, col: Operand, /, **options: Operand) -> CallExpression:
        """similar(STRING, STRING): Whether all of the text matches a pattern of SIMILAR TO."""
    def sin(self) -> CallExpression:
        """sin(DOUBLE): The sine of an angle in radians."""
    def sinh(self) -> CallExpression:
        """sinh(DOUBLE): The hyperbolic sine."""
    def size(self) -> CallExpression:
        """size(ARRAY or MAP): The number of elements or entries."""
    def skewness(self) -> CallExpression:
        """skewness(DOUBLE): The skewness."""
    def slice(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """slice(ARRAY, INT, INT): The part of an array from a position (from 1), of a length."""
    def smallint(self) -> CallExpression:
        """smallint(<any>): The value as SMALLINT, as CAST gives it."""
    def some(self) -> CallExpression:
        """bool_or(BOOLEAN): Whether the condition holds for any row."""
    def sort_array(self, col: Operand = None, /) -> CallExpression:
        """sort_array(ARRAY, [BOOLEAN]): The array sorted, NULLs first, or with FALSE downwards and NULLs last."""
    def soundex(self) -> CallExpression:
        """soundex(STRING): The Soundex code of the text."""
    def space(self) -> CallExpression:
        """space(INT): A number of blanks."""
    def spark_partition_id(self) -> CallExpression:
        """spark_partition_id(): The number of the partition that the row is in."""
    def split(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """split(STRING, STRING, [INT]): The parts between matches of a regular expression, at most a number of them."""
    def split_index(self, col1: Operand, col2: Operand, /, **options: Operand) -> CallExpression:
        """split_index(STRING, STRING, INT): The n-th part (from 0) between delimiters; NULL where there is none."""
    def split_part(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """split_part(STRING, STRING, INT): The n-th part between delimiters (from 1, negative from the end)."""
    def sqrt(self) -> CallExpression:
        """sqrt(DOUBLE): The square root."""
    def st_asbinary(self, col: Operand = None, /) -> CallExpression:
        """st_asbinary(GEOMETRY or GEOGRAPHY, [STRING]): The shape as a WKB binary, little-endian (`NDR`) unless told `XDR`."""
    def st_geogfromwkb(self) -> CallExpression:
        """st_geogfromwkb(BINARY): The GEOGRAPHY of a WKB binary."""
    def st_geomfromwkb(self, col: Operand = None, /) -> CallExpression:
        """st_geomfromwkb(BINARY, [INT]): The GEOMETRY of a WKB binary, in a reference system."""
    def st_setsrid(self, col: Operand, /) -> CallExpression:
        """st_setsrid(GEOMETRY or GEOGRAPHY, INT): The shape under another reference system."""
    def st_srid(self) -> CallExpression:
        """st_srid(GEOMETRY or GEOGRAPHY): The reference system of the shape."""
    def stack(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """stack(INT, <any>, …): The values in a number of rows."""
    def starts_with(self, col: Operand, /) -> CallExpression:
        """startswith(STRING or BINARY, STRING or BINARY): Whether the text starts with another."""
    def startswith(self, col: Operand, /) -> CallExpression:
        """startswith(STRING or BINARY, STRING or BINARY): Whether the text starts with another."""
    def std(self) -> CallExpression:
        """stddev(DOUBLE): The sample standard deviation."""
    def stddev(self) -> CallExpression:
        """stddev(DOUBLE): The sample standard deviation."""
    def stddev_pop(self) -> CallExpression:
        """stddev_pop(DOUBLE): The population standard deviation."""
    def stddev_samp(self) -> CallExpression:
        """stddev(DOUBLE): The sample standard deviation."""
    def str_to_map(self, col1: Operand = None, col2: Operand = None, /) -> CallExpression:
        """str_to_map(STRING, [STRING], [STRING]): A map of a text such as `a:1,b:2`, between separators of entries and of keys."""
    def string(self) -> CallExpression:
        """string(<any>): The value as STRING, as CAST gives it."""
    def string_agg(self, col: Operand = None, /) -> CallExpression:
        """listagg(STRING or BINARY, [STRING or BINARY]): The values that are not NULL, joined by a separator."""
    def struct(self, *cols: Operand) -> CallExpression:
        """struct([<any>], …): A struct of the arguments; fields take the names of columns and aliases, else col1, …"""
    def substr(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """substring(STRING or BINARY, INT, [INT]): The part from a position (from 1, negative from the end), of a length or to the end."""
    def substring(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """substring(STRING or BINARY, INT, [INT]): The part from a position (from 1, negative from the end), of a length or to the end."""
    def substring_index(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """substring_index(STRING, STRING, INT): What lies before the n-th delimiter, or after it counted from the end where n < 0."""
    def sum(self) -> CallExpression:
        """sum(<numeric> or INTERVAL): The sum."""
    def sum0(self, **options: Operand) -> CallExpression:
        """sum0(<numeric>): The sum, 0 where there is nothing to add."""
    def tan(self) -> CallExpression:
        """tan(DOUBLE): The tangent of an angle in radians."""
    def tanh(self) -> CallExpression:
        """tanh(DOUBLE): The hyperbolic tangent."""
    def temporal_overlaps(
        self, col1: Operand, col2: Operand, col3: Operand, /, **options: Operand
    ) -> CallExpression:
        """temporal_overlaps(<date or timestamp>, <date, timestamp or INTERVAL>, <date or timestamp>, <date, timestamp or INTERVAL>): Whether two spans of time have a moment in common, each a start and an end or interval."""
    def then(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """case(<any>, <any>, [<any>], …): The value after the first condition that holds, else the last value, else NULL."""
    def theta_difference(self, col: Operand, /) -> CallExpression:
        """theta_difference(BINARY, BINARY): A theta sketch of the values of the first that the second has not."""
    def theta_intersection(self, col: Operand, /) -> CallExpression:
        """theta_intersection(BINARY, BINARY): A theta sketch of the values that both have."""
    def theta_intersection_agg(self) -> CallExpression:
        """theta_intersection_agg(BINARY): A theta sketch of the values that all sketches have."""
    def theta_sketch_agg(self, col: Operand = None, /) -> CallExpression:
        """theta_sketch_agg(INT, BIGINT, FLOAT, DOUBLE, STRING, BINARY, ARRAY<INT> or ARRAY<BIGINT>, [INT]): A theta sketch of the distinct values, with 2 to the power of the size entries."""
    def theta_sketch_estimate(self) -> CallExpression:
        """theta_sketch_estimate(BINARY): About the number of distinct values in a theta sketch."""
    def theta_union(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """theta_union(BINARY, BINARY, [INT]): A theta sketch of the values of either."""
    def theta_union_agg(self, col: Operand = None, /) -> CallExpression:
        """theta_union_agg(BINARY, [INT]): A theta sketch of the values of any sketch."""
    def time(self) -> CallExpression:
        """time(<any>): The value as TIME(6), as CAST gives it."""
    def time_bucket(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """time_bucket(INTERVAL DAY TO SECOND or INTERVAL YEAR TO MONTH, TIMESTAMP or TIMESTAMP_NTZ, [TIMESTAMP or TIMESTAMP_NTZ]): The start of the bucket, of a size and counted from an origin, that a time falls in."""
    def time_diff(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """time_diff(STRING, TIME, TIME): The number of whole units from the first time to the second."""
    def time_from_micros(self) -> CallExpression:
        """time_from_micros(<integral>): The time a number of microseconds after midnight."""
    def time_from_millis(self) -> CallExpression:
        """time_from_millis(<integral>): The time a number of milliseconds after midnight."""
    def time_from_seconds(self) -> CallExpression:
        """time_from_seconds(<numeric>): The time a number of seconds after midnight."""
    def time_to_micros(self) -> CallExpression:
        """time_to_micros(TIME(6)): The microseconds from midnight to a time."""
    def time_to_millis(self) -> CallExpression:
        """time_to_millis(TIME(6)): The milliseconds from midnight to a time."""
    def time_to_seconds(self) -> CallExpression:
        """time_to_seconds(TIME(6)): The seconds from midnight to a time."""
    def time_trunc(self, col: Operand, /) -> CallExpression:
        """time_trunc(STRING, TIME): The time cut to a unit: HOUR, MINUTE, SECOND, MILLISECOND or MICROSECOND."""
    def times(self, col: Operand, /) -> CallExpression:
        """*(<any>, <any>): The product."""
    def timestamp(self) -> CallExpression:
        """timestamp(<any>): The value as TIMESTAMP, as CAST gives it."""
    def timestamp_micros(self) -> CallExpression:
        """timestamp_micros(<integral>): The time a number of microseconds after 1970 began."""
    def timestamp_millis(self) -> CallExpression:
        """timestamp_millis(<integral>): The time a number of milliseconds after 1970 began."""
    def timestamp_seconds(self) -> CallExpression:
        """timestamp_seconds(<numeric>): The time a number of seconds after 1970 began."""
    def timestampadd(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """timestampadd(STRING, INT, <date or timestamp>): The time a number of units later."""
    def timestampdiff(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """timestampdiff(STRING, TIMESTAMP, TIMESTAMP): The number of whole units from the first time to the second."""
    def tinyint(self) -> CallExpression:
        """tinyint(<any>): The value as TINYINT, as CAST gives it."""
    def to_avro(self, col: Operand = None, /) -> CallExpression:
        """to_avro(<any>, [STRING]): The value as Avro bytes."""
    def to_base32(self) -> CallExpression:
        """to_base32(BINARY): The binary in Base32."""
    def to_base64(self) -> CallExpression:
        """base64(BINARY): The binary in Base64."""
    def to_binary(self, col: Operand = None, /) -> CallExpression:
        """to_binary(STRING, [STRING]): The binary of a text in `hex` (the default), `utf-8` or `base64`."""
    def to_char(self, col: Operand, /) -> CallExpression:
        """to_char(<any>, STRING): A number, date, time, timestamp or binary as text of a format."""
    def to_csv(self, col: Operand = None, /) -> CallExpression:
        """to_csv(STRUCT, [MAP<STRING, STRING>]): The struct as a line of CSV."""
    def to_date(self, col: Operand = None, /) -> CallExpression:
        """to_date(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ, [STRING]): The date that a text of a format (by default ISO) says."""
    def to_json(self, col: Operand = None, /) -> CallExpression:
        """to_json(STRUCT, ARRAY, MAP or VARIANT, [MAP<STRING, STRING>]): The value as a JSON text."""
    def to_number(self, col: Operand, /) -> CallExpression:
        """to_number(STRING, STRING): A text of a format as a number."""
    def to_protobuf(
        self, col1: Operand, col2: Operand = None, col3: Operand = None, /
    ) -> CallExpression:
        """to_protobuf(STRUCT, STRING, [BINARY], [MAP<STRING, STRING>]): The value as Protobuf bytes, of a message of a descriptor set."""
    def to_time(self, col: Operand = None, /) -> CallExpression:
        """to_time(STRING, [STRING]): The time that a text of a format (by default ISO) says."""
    def to_timestamp(self, col: Operand = None, /) -> CallExpression:
        """to_timestamp(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ or <numeric>, [STRING]): The timestamp that a text of a format (by default ISO) says."""
    def to_timestamp_ltz(self, col: Operand = None, /) -> CallExpression:
        """to_timestamp_ltz(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ or <numeric>, [STRING]): The timestamp of the session's time zone that a text of a format says."""
    def to_timestamp_ntz(self, col: Operand = None, /) -> CallExpression:
        """to_timestamp_ntz(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ, [STRING]): The timestamp without a time zone that a text of a format says."""
    def to_unix_timestamp(self, col: Operand = None, /) -> CallExpression:
        """to_unix_timestamp(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ, [STRING]): The seconds from 1970 to a time."""
    def to_utc_timestamp(self, col: Operand, /) -> CallExpression:
        """to_utc_timestamp(TIMESTAMP, STRING): The time in UTC when it is the time given in a time zone."""
    def to_varchar(self, col: Operand, /) -> CallExpression:
        """to_char(<any>, STRING): A number, date, time, timestamp or binary as text of a format."""
    def to_variant_object(self) -> CallExpression:
        """to_variant_object(STRUCT, ARRAY or MAP): A struct, array or map as a VARIANT."""
    def to_xml(self, col: Operand = None, /) -> CallExpression:
        """to_xml(STRUCT or VARIANT, [MAP<STRING, STRING>]): The struct as an XML text."""
    def transform(self, col: Operand, /) -> CallExpression:
        """transform(ARRAY, (x, y) -> …): The array of what the lambda makes of each element (and its index)."""
    def transform_keys(self, col: Operand, /) -> CallExpression:
        """transform_keys(MAP, (x, y) -> …): The map with the keys the lambda makes of each entry."""
    def transform_values(self, col: Operand, /) -> CallExpression:
        """transform_values(MAP, (x, y) -> …): The map with the values the lambda makes of each entry."""
    def translate(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """translate(STRING, STRING, STRING): The text with single characters replaced by those at the same place of the other list."""
    def trim(self, col: Operand = None, /) -> CallExpression:
        """trim(STRING, [STRING]): The text without blanks, or the characters given, on both sides."""
    def trim_leading(self, col: Operand = None, /) -> CallExpression:
        """ltrim(STRING, [STRING]): The text without blanks, or the characters given, on its left."""
    def trim_trailing(self, col: Operand = None, /) -> CallExpression:
        """rtrim(STRING, [STRING]): The text without blanks, or the characters given, on its right."""
    def trunc(self, col: Operand, /) -> CallExpression:
        """trunc(DATE, STRING): The date cut to a unit: YEAR, QUARTER, MONTH or WEEK."""
    def try_add(self, col: Operand, /) -> CallExpression:
        """try_add(<any>, <any>): The sum, NULL on overflow."""
    def try_aes_decrypt(
        self, col1: Operand, col2: Operand = None, col3: Operand = None, col4: Operand = None, /
    ) -> CallExpression:
        """try_aes_decrypt(BINARY, BINARY, [STRING], [STRING], [BINARY]): The binary that AES encrypted with a key, NULL where that fails."""
    def try_avg(self) -> CallExpression:
        """try_avg(<numeric> or INTERVAL): The mean, NULL on overflow."""
    def try_divide(self, col: Operand, /) -> CallExpression:
        """try_divide(<any>, <any>): The quotient, NULL on division by zero."""
    def try_element_at(self, col: Operand, /) -> CallExpression:
        """try_element_at(ARRAY or MAP, <any>): The element at a position (from 1) or the value of a key, NULL where there is none."""
    def try_make_interval(
        self,
        col1: Operand = None,
        col2: Operand = None,
        col3: Operand = None,
        col4: Operand = None,
        col5: Operand = None,
        col6: Operand = None,
        /,
    ) -> CallExpression:
        """try_make_interval(INT, [INT], [INT], [INT], [INT], [INT], [DECIMAL(18, 6)]): The interval of its parts, NULL where it is too long."""
    def try_make_timestamp(
        self,
        col1: Operand = None,
        col2: Operand = None,
        col3: Operand = None,
        col4: Operand = None,
        col5: Operand = None,
        col6: Operand = None,
        /,
    ) -> CallExpression:
        """try_make_timestamp(INT or DATE, [INT or TIME], [INT or STRING], [INT], [INT], [DECIMAL(16, 6)], [STRING]): The timestamp that make_timestamp makes, NULL where there is none."""
    def try_make_timestamp_ltz(
        self,
        col1: Operand,
        col2: Operand = None,
        col3: Operand = None,
        col4: Operand = None,
        col5: Operand = None,
        col6: Operand = None,
        /,
    ) -> CallExpression:
        """try_make_timestamp_ltz(INT or DATE, INT or TIME, [INT or STRING], [INT], [INT], [DECIMAL(16, 6)], [STRING]): The timestamp that make_timestamp_ltz makes, NULL where there is none."""
    def try_make_timestamp_ntz(
        self,
        col1: Operand,
        col2: Operand = None,
        col3: Operand = None,
        col4: Operand = None,
        col5: Operand = None,
        /,
    ) -> CallExpression:
        """try_make_timestamp_ntz(INT or DATE, INT or TIME, [INT or STRING], [INT], [INT], [DECIMAL(16, 6)]): The timestamp that make_timestamp_ntz makes, NULL where there is none."""
    def try_mod(self, col: Operand, /) -> CallExpression:
        """try_mod(<any>, <any>): The remainder, NULL on division by zero."""
    def try_multiply(self, col: Operand, /) -> CallExpression:
        """try_multiply(<any>, <any>): The product, NULL on overflow."""
    def try_parse_json(self) -> CallExpression:
        """try_parse_json(STRING): A JSON text as a VARIANT, NULL where it is none."""
    def try_parse_url(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """try_parse_url(STRING, STRING, [STRING]): A part of a URL, NULL where the text is none."""
    def try_reflect(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """try_reflect(STRING, STRING, [<number, BOOLEAN or STRING>], …): What a static method of a Java class gives, as text; NULL where it fails."""
    def try_subtract(self, col: Operand, /) -> CallExpression:
        """try_subtract(<any>, <any>): The difference, NULL on overflow."""
    def try_sum(self) -> CallExpression:
        """try_sum(<numeric> or INTERVAL): The sum, NULL on overflow."""
    def try_to_binary(self, col: Operand = None, /) -> CallExpression:
        """try_to_binary(STRING, [STRING]): The binary of a text in `hex`, `utf-8` or `base64`, NULL where it is none."""
    def try_to_date(self, col: Operand = None, /) -> CallExpression:
        """try_to_date(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ, [STRING]): The date that a text of a format says, NULL where it says none."""
    def try_to_number(self, col: Operand, /) -> CallExpression:
        """try_to_number(STRING, STRING): A text of a format as a number, NULL where it is none."""
    def try_to_time(self, col: Operand = None, /) -> CallExpression:
        """try_to_time(STRING, [STRING]): The time that a text of a format says, NULL where it says none."""
    def try_to_timestamp(self, col: Operand = None, /) -> CallExpression:
        """try_to_timestamp(STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ or <numeric>, [STRING]): The timestamp that a text of a format says, NULL where it says none."""
    def try_url_decode(self) -> CallExpression:
        """try_url_decode(STRING): The text of a part of a URL, NULL where it is none."""
    def try_validate_utf8(self) -> CallExpression:
        """try_validate_utf8(STRING): The text, NULL where it is not UTF-8."""
    def try_variant_array_append(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """try_variant_array_append(VARIANT, STRING, what converts to VARIANT): Like variant_array_append, NULL where that would fail."""
    def try_variant_get(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """try_variant_get(VARIANT, STRING, [STRING]): Like variant_get, NULL where the value is not of the type."""
    def try_variant_insert(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """try_variant_insert(VARIANT, STRING, what converts to VARIANT): Like variant_insert, NULL where that would fail."""
    def try_variant_set(
        self, path: Operand, val: Operand, create_if_missing: Operand = None
    ) -> CallExpression:
        """try_variant_set(VARIANT, STRING, what converts to VARIANT, [BOOLEAN]): Like variant_set, NULL where that would fail."""
    def tuple_difference_double(self, col: Operand, /) -> CallExpression:
        """tuple_difference_double(BINARY, BINARY): A tuple sketch, with numbers (double), of the values of the first that the second has not."""
    def tuple_difference_integer(self, col: Operand, /) -> CallExpression:
        """tuple_difference_integer(BINARY, BINARY): A tuple sketch, with numbers (integer), of the values of the first that the second has not."""
    def tuple_difference_theta_double(self, col: Operand, /) -> CallExpression:
        """tuple_difference_theta_double(BINARY, BINARY): A tuple sketch, with numbers (double), of the values of the first that the second, a theta sketch, has not."""
    def tuple_difference_theta_integer(self, col: Operand, /) -> CallExpression:
        """tuple_difference_theta_integer(BINARY, BINARY): A tuple sketch, with numbers (integer), of the values of the first that the second, a theta sketch, has not."""
    def tuple_intersection_agg_double(self, col: Operand = None, /) -> CallExpression:
        """tuple_intersection_agg_double(BINARY, [STRING]): A tuple sketch, with numbers (double), of the values that all sketches have."""
    def tuple_intersection_agg_integer(self, col: Operand = None, /) -> CallExpression:
        """tuple_intersection_agg_integer(BINARY, [STRING]): A tuple sketch, with numbers (integer), of the values that all sketches have."""
    def tuple_intersection_double(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """tuple_intersection_double(BINARY, BINARY, [STRING]): A tuple sketch, with numbers (double), of the values that both have."""
    def tuple_intersection_integer(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """tuple_intersection_integer(BINARY, BINARY, [STRING]): A tuple sketch, with numbers (integer), of the values that both have."""
    def tuple_intersection_theta_double(
        self, col1: Operand, col2: Operand = None, /
    ) -> CallExpression:
        """tuple_intersection_theta_double(BINARY, BINARY, [STRING]): A tuple sketch, with numbers (double), of the values that both have, the second a theta sketch."""
    def tuple_intersection_theta_integer(
        self, col1: Operand, col2: Operand = None, /
    ) -> CallExpression:
        """tuple_intersection_theta_integer(BINARY, BINARY, [STRING]): A tuple sketch, with numbers (integer), of the values that both have, the second a theta sketch."""
    def tuple_sketch_agg_double(
        self, summary: Operand, lgNomEntries: Operand = None, mode: Operand = None
    ) -> CallExpression:
        """tuple_sketch_agg_double(<any but MAP, STRUCT and ARRAY of what is no number>, DOUBLE, [INT], [STRING]): A tuple sketch of the distinct keys, with the sum of a number (double) or by a mode."""
    def tuple_sketch_agg_integer(
        self, summary: Operand, lgNomEntries: Operand = None, mode: Operand = None
    ) -> CallExpression:
        """tuple_sketch_agg_integer(<any but MAP, STRUCT and ARRAY of what is no number>, INT, [INT], [STRING]): A tuple sketch of the distinct keys, with the sum of a number (integer) or by a mode."""
    def tuple_sketch_estimate_double(self) -> CallExpression:
        """tuple_sketch_estimate_double(BINARY): About the number of distinct values in a tuple sketch."""
    def tuple_sketch_estimate_integer(self) -> CallExpression:
        """tuple_sketch_estimate_integer(BINARY): About the number of distinct values in a tuple sketch."""
    def tuple_sketch_summary_double(self, col: Operand = None, /) -> CallExpression:
        """tuple_sketch_summary_double(BINARY, [STRING]): The numbers in a tuple sketch as one: their sum, or by another mode."""
    def tuple_sketch_summary_integer(self, col: Operand = None, /) -> CallExpression:
        """tuple_sketch_summary_integer(BINARY, [STRING]): The numbers in a tuple sketch as one: their sum, or by another mode."""
    def tuple_sketch_theta_double(self) -> CallExpression:
        """tuple_sketch_theta_double(BINARY): The share, from 0 to 1, of the values that a tuple sketch holds."""
    def tuple_sketch_theta_integer(self) -> CallExpression:
        """tuple_sketch_theta_integer(BINARY): The share, from 0 to 1, of the values that a tuple sketch holds."""
    def tuple_union_agg_double(
        self, lgNomEntries: Operand = None, mode: Operand = None
    ) -> CallExpression:
        """tuple_union_agg_double(BINARY, [INT], [STRING]): A tuple sketch, with numbers (double), of the values of any sketch."""
    def tuple_union_agg_integer(
        self, lgNomEntries: Operand = None, mode: Operand = None
    ) -> CallExpression:
        """tuple_union_agg_integer(BINARY, [INT], [STRING]): A tuple sketch, with numbers (integer), of the values of any sketch."""
    def tuple_union_double(
        self, second: Operand, lgNomEntries: Operand = None, mode: Operand = None
    ) -> CallExpression:
        """tuple_union_double(BINARY, BINARY, [INT], [STRING]): A tuple sketch, with numbers (double), of the values of either."""
    def tuple_union_integer(
        self, second: Operand, lgNomEntries: Operand = None, mode: Operand = None
    ) -> CallExpression:
        """tuple_union_integer(BINARY, BINARY, [INT], [STRING]): A tuple sketch, with numbers (integer), of the values of either."""
    def tuple_union_theta_double(
        self, second: Operand, lgNomEntries: Operand = None, mode: Operand = None
    ) -> CallExpression:
        """tuple_union_theta_double(BINARY, BINARY, [INT], [STRING]): A tuple sketch, with numbers (double), of the values of either, the second a theta sketch."""
    def tuple_union_theta_integer(
        self, second: Operand, lgNomEntries: Operand = None, mode: Operand = None
    ) -> CallExpression:
        """tuple_union_theta_integer(BINARY, BINARY, [INT], [STRING]): A tuple sketch, with numbers (integer), of the values of either, the second a theta sketch."""
    def typeof(self) -> CallExpression:
        """typeof(<any>): The type of the value as DDL text."""
    def ucase(self) -> CallExpression:
        """upper(STRING): The text in upper case."""
    def unbase64(self) -> CallExpression:
        """unbase64(STRING): The binary of a Base64 text."""
    def unhex(self) -> CallExpression:
        """unhex(STRING): The binary of a hexadecimal text."""
    def uniform(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """uniform(<numeric>, <numeric>, [INT or BIGINT]): A random number between two constants, from a seed."""
    def unix_date(self) -> CallExpression:
        """unix_date(DATE): The days from 1970 to a date."""
    def unix_micros(self) -> CallExpression:
        """unix_micros(TIMESTAMP or TIMESTAMP_NTZ): The microseconds from 1970 to a time."""
    def unix_millis(self) -> CallExpression:
        """unix_millis(TIMESTAMP or TIMESTAMP_NTZ): The milliseconds from 1970 to a time."""
    def unix_seconds(self) -> CallExpression:
        """unix_seconds(TIMESTAMP or TIMESTAMP_NTZ): The seconds from 1970 to a time."""
    def unix_timestamp(self, col: Operand = None, /) -> CallExpression:
        """unix_timestamp([STRING or DATE or TIMESTAMP or TIMESTAMP_NTZ], [STRING]): The seconds from 1970 to a time, or to now."""
    def upper(self) -> CallExpression:
        """upper(STRING): The text in upper case."""
    def upper_case(self) -> CallExpression:
        """upper(STRING): The text in upper case."""
    def url_decode(self) -> CallExpression:
        """url_decode(STRING): The text of a part of a URL."""
    def url_encode(self) -> CallExpression:
        """url_encode(STRING): The text as part of a URL."""
    def user(self) -> CallExpression:
        """current_user(): The user who runs the query."""
    def uuid(self) -> CallExpression:
        """uuid([INT or BIGINT]): A random UUID, other in every row, from a seed."""
    def validate_utf8(self) -> CallExpression:
        """validate_utf8(STRING): The text, or an error where it is not UTF-8."""
    def var_pop(self) -> CallExpression:
        """var_pop(DOUBLE): The population variance."""
    def var_samp(self) -> CallExpression:
        """variance(DOUBLE): The sample variance."""
    def variance(self) -> CallExpression:
        """variance(DOUBLE): The sample variance."""
    def variant_array_append(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """variant_array_append(VARIANT, STRING, what converts to VARIANT): The VARIANT with a value at the end of the array at a path."""
    def variant_delete(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """variant_delete(VARIANT, STRING, …): The VARIANT without what lies under the paths."""
    def variant_explode(self) -> CallExpression:
        """variant_explode(VARIANT): A row for every field or element of a VARIANT, with position and name."""
    def variant_explode_outer(self) -> CallExpression:
        """variant_explode_outer(VARIANT): Like variant_explode; a row of NULL where there is none."""
    def variant_get(self, col1: Operand, col2: Operand = None, /) -> CallExpression:
        """variant_get(VARIANT, STRING, [STRING]): What lies under a path in a VARIANT, as a VARIANT or a type."""
    def variant_insert(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """variant_insert(VARIANT, STRING, what converts to VARIANT): The VARIANT with a new field or element at a path; fails if it is there."""
    def variant_set(
        self, path: Operand, val: Operand, create_if_missing: Operand = None
    ) -> CallExpression:
        """variant_set(VARIANT, STRING, what converts to VARIANT, [BOOLEAN]): The VARIANT with a value at a path, new unless FALSE is given, or replaced."""
    def variant_strip_nulls(self, include_arrays: Operand = None) -> CallExpression:
        """variant_strip_nulls(VARIANT, [BOOLEAN]): The VARIANT without fields, and unless FALSE is given elements, that are a JSON null."""
    def vector_avg(self) -> CallExpression:
        """vector_avg(ARRAY<FLOAT>): The mean of the vectors."""
    def vector_cosine_similarity(self, col: Operand, /) -> CallExpression:
        """vector_cosine_similarity(ARRAY<FLOAT>, ARRAY<FLOAT>): The cosine of the angle between two vectors."""
    def vector_inner_product(self, col: Operand, /) -> CallExpression:
        """vector_inner_product(ARRAY<FLOAT>, ARRAY<FLOAT>): The inner product of two vectors."""
    def vector_l2_distance(self, col: Operand, /) -> CallExpression:
        """vector_l2_distance(ARRAY<FLOAT>, ARRAY<FLOAT>): The Euclidean distance of two vectors."""
    def vector_norm(self, col: Operand = None, /) -> CallExpression:
        """vector_norm(ARRAY<FLOAT>, [FLOAT]): The norm of a vector, of degree 1, 2 (as by default) or infinity."""
    def vector_normalize(self, col: Operand = None, /) -> CallExpression:
        """vector_normalize(ARRAY<FLOAT>, [FLOAT]): The vector divided by its norm of a degree."""
    def vector_sum(self) -> CallExpression:
        """vector_sum(ARRAY<FLOAT>): The sum of the vectors."""
    def version(self) -> CallExpression:
        """version(): The version of Spark and its commit."""
    def weekday(self) -> CallExpression:
        """weekday(DATE): The day of the week, 0 (Monday) to 6 (Sunday)."""
    def weekofyear(self) -> CallExpression:
        """weekofyear(DATE): The ISO week of the year, 1 to 53."""
    def when(self, col: Operand, /, *cols: Operand) -> CallExpression:
        """case(<any>, <any>, [<any>], …): The value after the first condition that holds, else the last value, else NULL."""
    def width_bucket(self, col1: Operand, col2: Operand, col3: Operand, /) -> CallExpression:
        """width_bucket(<numeric> or INTERVAL, <numeric> or INTERVAL, <numeric> or INTERVAL, BIGINT): The bucket of a value among a number of equally wide ones between two bounds."""
    def window(
        self, col1: Operand, col2: Operand = None, col3: Operand = None, /
    ) -> CallExpression:
        """window(<timestamp>, STRING, [STRING], [STRING]): The time window, of a duration, slide and start, that a time falls in."""
    def window_time(self) -> CallExpression:
        """window_time(STRUCT): The time that stands for a time window: just before its end."""
    def xpath(self, col: Operand, /) -> CallExpression:
        """xpath(STRING, STRING): The texts that an XPath leads to."""
    def xpath_boolean(self, col: Operand, /) -> CallExpression:
        """xpath_boolean(STRING, STRING): Whether an XPath is true, or leads to something."""
    def xpath_double(self, col: Operand, /) -> CallExpression:
        """xpath_double(STRING, STRING): The number that an XPath gives."""
    def xpath_float(self, col: Operand, /) -> CallExpression:
        """xpath_float(STRING, STRING): The FLOAT that an XPath gives."""
    def xpath_int(self, col: Operand, /) -> CallExpression:
        """xpath_int(STRING, STRING): The INT that an XPath gives."""
    def xpath_long(self, col: Operand, /) -> CallExpression:
        """xpath_long(STRING, STRING): The BIGINT that an XPath gives."""
    def xpath_number(self, col: Operand, /) -> CallExpression:
        """xpath_double(STRING, STRING): The number that an XPath gives."""
    def xpath_short(self, col: Operand, /) -> CallExpression:
        """xpath_short(STRING, STRING): The SMALLINT that an XPath gives."""
    def xpath_string(self, col: Operand, /) -> CallExpression:
        """xpath_string(STRING, STRING): The text of the first node an XPath leads to."""
    def xxhash64(self, *cols: Operand) -> CallExpression:
        """xxhash64(<any but MAP and VARIANT>, …): A 64-bit hash (xxHash) of the arguments."""
    def year(self) -> CallExpression:
        """year(DATE): The year."""
    def zeroifnull(self) -> CallExpression:
        """zeroifnull(<any>): The number, or 0 where it is NULL."""
    def zip_with(self, col1: Operand, col2: Operand, /) -> CallExpression:
        """zip_with(ARRAY, ARRAY, (x, y) -> …): The array of what the lambda makes of the elements at the same place of two arrays."""
