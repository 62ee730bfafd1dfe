"""What keeps, orders, counts or names rows: filter, sort, limit, sample, hints."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from viewscribe.errors import CaptureError, ViewscribeError
from viewscribe.expressions.dsl import (
    CallExpression,
    SortExpression,
    ValueExpression,
    function_call,
)
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.resolve import Scope, resolve, resolve_in
from viewscribe.operations import build
from viewscribe.operations import nodes as n
from viewscribe.operations.base import QueryOperation
from viewscribe.spark.capture.connect.exclusions import literal_of
from viewscribe.spark.capture.connect.known_names import is_column, literal_in, place_in
from viewscribe.spark.capture.connect.missing_input import over_hidden
from viewscribe.spark.capture.connect.qualifiers import with_qualifiers
from viewscribe.spark.capture.connect.scopes import over_groups
from viewscribe.spark.capture.connect.sort_orders import sort_order
from viewscribe.spark.capture.lowering.partitions import partition
from viewscribe.spark.capture.lowering.samples import in_order, sample
from viewscribe.types import (
    BOOLEAN,
    STRING,
    BooleanType,
    DoubleType,
    FloatType,
    IntegralType,
    LogicalType,
    StringType,
)

if TYPE_CHECKING:
    from viewscribe.spark.capture.connect.expressions import Reader
    from viewscribe.spark.capture.connect.walker import Walk


# ``sampleBy``: a part of the rows of each stratum.


def _sample_by(walk: Walk, message: Any) -> QueryOperation:
    """One random number a row, compared with the fraction of its stratum."""
    child = walk.input(message.input)
    if not message.HasField("seed"):
        raise CaptureError("a sample without a seed differs each time", hint="give seed=…")
    column = walk.reader(child).read(message.col)
    type_ = resolve(column, child.schema).type
    branches: list[Any] = []
    for each in message.fractions:
        stratum = literal_of(each.stratum)
        _refuse_other_values(stratum.type, type_)
        branches += [column == ValueExpression(stratum), literal(each.fraction)]
    fraction = CallExpression(built_in("case"), (*branches, literal(0.0)))
    drawn = function_call(built_in("rand"), (message.seed,))
    return build.filter_rows(child, drawn < fraction)


def _refuse_other_values(stratum: LogicalType, column: LogicalType) -> None:
    """Spark looks the value up as it is, where SQL casts: so no DECIMAL is the number 1 to it."""
    numbers = isinstance(stratum, _NUMBERS) and isinstance(column, _NUMBERS)
    texts = isinstance(stratum, StringType) and column.same_type(STRING)
    if not (numbers or texts or (isinstance(stratum, BooleanType) and column.same_type(BOOLEAN))):
        raise CaptureError(
            f"sampleBy finds no {stratum.ddl} in a column of {column.ddl}: it compares without a "
            "cast, so that all rows of the stratum are left out",
            hint="cast the column to the type of the strata",
        )


_NUMBERS = (IntegralType, FloatType, DoubleType)


def _filter(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    try:
        return over_hidden(
            walk,
            child,
            lambda reader: reader.read(message.condition),
            build.filter_rows,
        )
    except ViewscribeError:
        found = over_groups(walk, child, lambda reader: [reader.read(message.condition)])
        if found is None:
            raise
    wide, (condition,) = found
    kept = build.filter_rows(wide, ValueExpression(condition))
    return n.Project.of(kept, kept.schema.references[: len(child.schema)])


def _sort(walk: Walk, message: Any) -> QueryOperation:
    within = message.HasField("is_global") and not message.is_global

    child = walk.input(message.input)

    def read(reader: Reader) -> list[SortExpression]:
        return [_by_place(sort_order(reader, key), child) for key in message.order]

    def sort(below: QueryOperation, keys: list[SortExpression]) -> QueryOperation:
        return n.Sort.of(below, build.sort_keys(below, keys, Scope(below.schema)), within)

    try:
        return over_hidden(walk, child, read, sort)
    except ViewscribeError:
        made = _sorted_groups(walk, child, message.order, within)
        if made is None:
            raise
        return made


def _sorted_groups(
    walk: Walk, child: QueryOperation, messages: Any, within: bool
) -> QueryOperation | None:
    """Groups in an order of which some keys are aggregates that they do not show."""
    shown = [_shown_key(walk, child, message) for message in messages]
    hidden = [each for each, key in zip(messages, shown, strict=True) if key is None]
    read: list[SortExpression] = []

    def keys_over(reader: Reader) -> list[Any]:
        read[:] = [sort_order(reader, each) for each in hidden]
        return [key.child for key in read]

    found = over_groups(walk, child, keys_over)
    if found is None:
        return None
    wide, columns = found
    added = iter(
        SortExpression(column, key.descending, key.nulls_come_first)
        for column, key in zip(columns, read, strict=True)
    )
    keys = [next(added) if key is None else key for key in shown]
    ordered = n.Sort.of(wide, build.sort_keys(wide, keys, Scope(wide.schema)), within)
    return n.Project.of(ordered, ordered.schema.references[: len(child.schema)])


def _shown_key(walk: Walk, child: QueryOperation, message: Any) -> SortExpression | None:
    """The sort key over the columns of the input; None where it has others."""
    try:
        key = _by_place(sort_order(walk.reader(child), message), child)
        build.sort(child, [key])
    except ViewscribeError:
        return None
    return key


def _by_place(key: SortExpression, child: QueryOperation) -> SortExpression:
    """A sort key; where it is the place of a column, by that column."""
    place = place_in(key.child)
    if place is None:
        return key
    if not 1 <= place <= len(child.schema):
        raise CaptureError(f"there is no column {place} to sort by")
    return SortExpression(child.schema.reference(place - 1), key.descending, key.nulls_come_first)


def _limit(walk: Walk, message: Any) -> QueryOperation:
    return build.limit(walk.input(message.input), message.limit)


def _offset(walk: Walk, message: Any) -> QueryOperation:
    return build.offset(walk.input(message.input), message.offset)


def _sample(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    if message.with_replacement:
        raise CaptureError("SQL samples without replacement only")
    if message.deterministic_order:
        child = in_order(child)
    seed = message.seed if message.HasField("seed") else None
    return sample(child, message.lower_bound, message.upper_bound, seed)


def _deduplicate(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    if message.HasField("within_watermark") and message.within_watermark:
        raise CaptureError("a watermark belongs to streams", hint="use dropDuplicates()")
    if message.all_columns_as_keys or not message.column_names:
        return build.distinct(child)
    from viewscribe.spark.capture.lowering.duplicates import without_duplicates

    made = without_duplicates(child, list(message.column_names))
    groups = made.child if isinstance(made, n.Project) else made
    made = with_qualifiers(made, child.schema.qualifiers)
    if isinstance(groups, n.Aggregate):
        walk.deduplicated[id(groups)] = groups
    return made


def _alias(walk: Walk, message: Any) -> QueryOperation:
    return build.name_input(walk.input(message.input), message.alias)


def _hint(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    reader = walk.reader(child)
    parameters = []
    for item in reader.read_all(message.parameters):
        if not is_column(item) and literal_in(item) is None:
            raise CaptureError(f"the hint {message.name} has a parameter that is no column")
        value = literal_in(item)
        text = value is not None and isinstance(value.value, str)
        parameters.append(value.value if text and value is not None else item)
    return build.hint(child, message.name, parameters)


def _repartition(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    shuffle = message.shuffle if message.HasField("shuffle") else False
    return build.hint(child, "REPARTITION" if shuffle else "COALESCE", [message.num_partitions])


def _repartition_by(walk: Walk, message: Any) -> QueryOperation:
    child = walk.input(message.input)
    keys = walk.reader(child).read_all(message.partition_exprs)
    count = [message.num_partitions] if message.HasField("num_partitions") else []
    by_range = bool(keys) and all(isinstance(key, SortExpression) for key in keys)
    plain = [_ascending(key) if by_range else key for key in keys]
    resolution = Scope(child.schema)
    resolved = [resolve_in(key, resolution) for key in plain]
    build.forbid(resolution, "repartition()")
    name = "REPARTITION_BY_RANGE" if by_range else "REPARTITION"
    return partition(child, name, [literal(number) for number in count], resolved)


def _ascending(key: SortExpression) -> Any:
    if key.descending or not key.nulls_come_first:
        raise CaptureError("SQL ranges partitions in ascending order only")
    return key.child


HANDLERS: dict[str, Callable[[Any, Any], QueryOperation]] = {
    "sample_by": _sample_by,
    "filter": _filter,
    "sort": _sort,
    "limit": _limit,
    "offset": _offset,
    "sample": _sample,
    "deduplicate": _deduplicate,
    "subquery_alias": _alias,
    "hint": _hint,
    "repartition": _repartition,
    "repartition_by_expression": _repartition_by,
}
