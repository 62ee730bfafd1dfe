"""What every builder checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from viewscribe.errors import TypeMismatchError, ValidationError, ViewscribeError
from viewscribe.expressions import dsl
from viewscribe.expressions.constructors import and_, col
from viewscribe.expressions.functions.asynchronous.options import gives_array_of_rows
from viewscribe.expressions.functions.builtin.generators import INLINE
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import TRUE
from viewscribe.expressions.node import find, is_query
from viewscribe.expressions.nodes import (
    Alias,
    Call,
    FieldReference,
    Over,
    ResolvedExpression,
    alias,
    make_call,
    strip_alias,
)
from viewscribe.expressions.properties import refers_outside
from viewscribe.expressions.resolve import (
    Scope,
    evaluate_query,
    expand,
    is_several,
    refuse_outer,
    require_boolean,
    resolve_in,
)
from viewscribe.expressions.schema import Schema
from viewscribe.operations import nodes as n
from viewscribe.operations.aggregation import PlacesOfKeys, aggregate_select
from viewscribe.operations.base import QueryOperation
from viewscribe.operations.handlers import summary_line
from viewscribe.operations.rewrites.time_windows import with_windows_below
from viewscribe.operations.user_functions import collect
from viewscribe.types import StructType
from viewscribe.types.arguments import as_list, as_texts, require_flag, require_text
from viewscribe.types.coercion import is_comparable, is_groupable, supports_distinct

Builder = TypeVar("Builder", bound=Callable[..., Any])


_PLACES: dict[Callable[..., Any], str] = {}


def place_errors(where: str) -> Callable[[Builder], Builder]:
    """A builder of which ``say_where`` knows what the operation it builds is called.

    It stays itself: a function around each builder would cost more than most of them do.
    """

    def register(builder: Builder) -> Builder:
        _PLACES[builder] = where
        return builder

    return register


def say_where(error: ViewscribeError, builder: Callable[..., Any], child: QueryOperation) -> None:
    """Adds to an error about columns which operation was being built, and over what."""
    where = _PLACES.get(builder)
    if where is not None and error.message.endswith(" in the input"):
        error.message += f" of {where}"
        if child.input_fields:
            error.location = f"{summary_line(child)} {error.location}"


def forbid(
    scope: Scope, where: str, *, aggregates: str | None = None, windows: str | None = None
) -> None:
    """Refuses what the scope met and the operation cannot hold; the texts say the way out."""
    if scope.aggregates:
        hint = aggregates or "aggregate first: group_by(…).select(…)"
        raise ValidationError(f"an aggregate function cannot stand in {where}", hint=hint)
    if scope.windows:
        hint = windows or "compute it in select(…) or add_columns(…) first, under a name"
        raise ValidationError(f"a window function cannot stand in {where}", hint=hint)
    if scope.generators:
        raise ValidationError(
            f"a generator cannot stand in {where}", hint="use .explode(…) or .generate(…) first"
        )


def refuse_rows_of_groups(scope: Scope, *, grouped: bool = False) -> None:
    """Refuses a generator beside, or over, aggregates: its rows are made once the groups are."""
    if scope.generators and (grouped or scope.aggregates):
        raise ValidationError(
            "a generator cannot stand beside an aggregate function, or be of one",
            hint='aggregate first, group_by(…).select(….alias("every")), then make rows of that '
            'column, explode("every")',
        )


def refuse_duplicates(names: Sequence[str], where: str) -> None:
    """Refuses two columns of one name."""
    if len(names) == 1:
        return
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise ValidationError(f"{where} was given `{name}` twice")
        seen.add(name.lower())


def column_place(schema: Schema, name: object) -> int:
    """The position of the column that a user named."""
    scope = Scope(schema)
    found = resolve_in(dsl.column_or(name), scope)
    if not isinstance(found, FieldReference):
        raise ValidationError(f"{found.as_summary_string()} is not a column")
    return found.index


def windows_below(scope: Scope, operation: QueryOperation) -> QueryOperation:
    """The operation, with a window of time that was met in it as a step below it."""
    return with_windows_below(operation) if scope.time_windows else operation


def refuse_session(child: QueryOperation) -> None:
    """Refuses to go on from a session window otherwise than by grouping."""
    if type(child) is n.TimeWindow and child.is_session:
        raise ValidationError(
            "a session window only exists in groups",
            hint=f'follow it with group_by("{child.name}", …)',
        )


def require_distinct(schema: Schema, where: str) -> None:
    """Refuses columns whose values Spark does not compare: maps and variants, wherever inside."""
    for field in schema:
        if not supports_distinct(field.type):
            raise TypeMismatchError(
                f"{where} compares rows, and `{field.name}` is {field.type.ddl}",
                hint=f"leave it out, or take to_json({field.name}) instead",
            )


def require_groupable(key: ResolvedExpression) -> None:
    """Refuses a key of groups whose values Spark does not compare: a variant, wherever inside."""
    if not is_groupable(key.type):
        raise TypeMismatchError(
            f"{key.type.ddl} cannot be a grouping key", hint="group by to_json(…) of it"
        )


def check_session(child: QueryOperation, keys: Sequence[ResolvedExpression]) -> None:
    """A session window must be among the keys of the aggregate above it."""
    if isinstance(child, n.TimeWindow) and child.is_session:
        last = len(child.schema) - 1
        places = [key.index for key in map(strip_alias, keys) if isinstance(key, FieldReference)]
        if last not in places:
            refuse_session(child)


# Builders for columns: select, add, drop, rename, generators, grouping keys.


@place_errors("select")
def select(child: QueryOperation, items: Sequence[Any]) -> QueryOperation:
    """Selects ``items``; if they contain aggregate functions, the result is a single row."""
    if type(child) is n.TimeWindow:
        refuse_session(child)
    scope = Scope(child.schema)
    expressions = resolve_items(items, scope)
    if not expressions:
        raise ValidationError("select() needs at least one column")
    if scope.generators:
        refuse_rows_of_groups(scope)
        return _select_generated(child, expressions, scope.generator_names)
    if scope.aggregates:
        if scope.python_aggregates:
            expressions = collect(expressions, always=True)
        return aggregate_select(child, (), expressions)
    return windows_below(scope, n.Project.of(child, name_items(expressions)))


def resolve_items(items: Sequence[Any], scope: Scope) -> list[ResolvedExpression]:
    """Resolves select items in the scope: names, expressions, stars, and lists of these."""
    found: list[ResolvedExpression] = []
    schema = scope.schema
    for given in items:
        if type(given) is str and "." not in given and "`" not in given:
            named = schema.find_field(given.lower())
            if named is not None:  # a short cut for plain names, which most items are
                found.append(FieldReference(named[0], named[1].name, named[1].type))
                continue
        item: Any = col(given) if isinstance(given, str) else given
        kind = type(item)
        if is_several(item):
            found.extend(expand(item, scope))
        elif kind is dsl.SortExpression:
            raise ValidationError("a sort key cannot stand in select()", hint="use order_by(…)")
        elif isinstance(item, (list, tuple)):
            found.extend(resolve_items(item, scope))
        else:
            found.append(resolve_in(item, scope))
    return found


def name_items(expressions: Sequence[ResolvedExpression]) -> tuple[ResolvedExpression, ...]:
    """Makes each expression a reference or an alias; one without a name is named by its summary."""
    return tuple(
        [
            e if type(e) is FieldReference or type(e) is Alias else alias(e, n.output_name(e))
            for e in expressions
        ]
    )


def _select_generated(
    child: QueryOperation,
    expressions: list[ResolvedExpression],
    names: Sequence[str] | None,
) -> QueryOperation:
    """Builds ``select(a, explode(b).alias("c"))``, with the generator as a step of its own."""
    generators = [place for place, e in enumerate(expressions) if is_generator(strip_alias(e))]
    if len(generators) != 1:
        raise ValidationError(
            "select() can hold one generator, not inside another expression",
            hint="use .generate(…) once for each",
        )
    place = generators[0]
    item = expressions[place]
    call = strip_alias(item)
    assert isinstance(call, Call)
    outer = call.function.built_in_name.endswith("_outer")
    if isinstance(item, Alias):
        names = (item.name,)
    made = generate(child, call, names, outer=outer)
    columns = made.schema.references[len(child.schema) :]
    chosen = [*expressions[:place], *columns, *expressions[place + 1 :]]
    return n.Project.of(made, name_items(chosen))


def is_generator(expression: ResolvedExpression) -> bool:
    """Whether the expression is the call of a generator."""
    return isinstance(expression, Call) and expression.function.kind is FunctionKind.GENERATOR


@place_errors("add_columns")
def with_columns(child: QueryOperation, items: Sequence[Any], *, replace: bool) -> QueryOperation:
    """Adds ``items`` to the input's columns; one of an existing name is replaced or refused."""
    if type(child) is n.TimeWindow:
        refuse_session(child)
    scope = Scope(child.schema)
    columns: list[Alias] = []
    for each in _add(items, scope):
        if type(each) is Alias:
            columns.append(each)
        else:
            columns.append(Alias(each, n.output_name(each), each.type))
    forbid(scope, "add_columns", windows=None) if scope.aggregates or scope.generators else None
    if len(columns) > 1:
        refuse_duplicates([column.name for column in columns], "add_columns")
    by_name = child.schema.by_name
    for column in columns:
        place = by_name.get(column.name.lower())
        if place is not None and not replace:
            raise ValidationError(
                f"the input already has a column `{column.name}`",
                hint="use add_or_replace_columns(…) to replace it",
            )
        if place is not None and place < 0:
            raise child.schema.ambiguous(column.name)
    return windows_below(scope, n.WithColumns.of(child, tuple(columns)))


def _add(items: Sequence[Any], scope: Scope) -> list[ResolvedExpression]:
    added: list[ResolvedExpression] = []
    for given in items:
        item = dsl.column_or(given)
        added += expand(item, scope) if is_several(item) else (resolve_in(item, scope),)
    return added


@place_errors("drop_columns")
def drop_columns(child: QueryOperation, names: Sequence[Any]) -> n.Project:
    """Drops columns from the input.

    Raises:
        UnknownColumnError: the input has no column of a name.
    """
    refuse_session(child)
    gone = {place for name in names for place in _drop(name, child.schema)}
    if len(gone) == len(child.schema):
        raise ValidationError("drop_columns() would leave no column")
    if not gone:
        return n.Project.of(child, child.schema.references)
    return n.Project.without(child, gone)


def _drop(name: Any, schema: Schema) -> Sequence[int]:
    if isinstance(name, dsl.ColumnsExpression):
        found = expand(name, Scope(schema))
        return [each.index for each in found if isinstance(each, FieldReference)]
    return (column_place(schema, name),)


@place_errors("rename_columns")
def rename_columns(child: QueryOperation, names: dict[str, str]) -> n.Project:
    """Renames columns of the input."""
    refuse_session(child)
    for new in names.values():
        require_text(new, "the new name of a column")
    renamed = {column_place(child.schema, old): new for old, new in names.items()}
    return n.Project.of(
        child,
        tuple(
            alias(ref, renamed[ref.index]) if ref.index in renamed else ref
            for ref in child.schema.references
        ),
    )


@place_errors("generate")
def generate(
    child: QueryOperation, call: object, names: Sequence[str] | None = None, *, outer: bool = False
) -> QueryOperation:
    """Pairs each row with the rows that a generator makes of it, in columns called ``names``."""
    refuse_session(child)
    require_flag(outer, "outer")
    scope = Scope(child.schema)
    if isinstance(call, dsl.NamesExpression):
        names, call = names or call.names, call.child
    resolved = resolve_in(call, scope)
    refuse_rows_of_groups(scope)
    if isinstance(resolved, Alias):
        names, resolved = names or (resolved.name,), resolved.child
    if gives_array_of_rows(resolved):
        resolved = make_call(INLINE, (resolved,))
    if not isinstance(resolved, Call) or not is_generator(resolved):
        raise ValidationError(
            f"{resolved.as_summary_string()} is not a generator", hint="F.explode(…) is one"
        )
    if any(find(resolved, Over, skip=is_query)):
        raise ValidationError(
            "a window function cannot stand in a generator",
            hint="compute it in add_columns(…) first, and make rows of that column",
        )
    name = resolved.function.built_in_name
    if name.endswith("_outer"):
        function = built_in(name.removesuffix("_outer"))
        resolved = Call(function, resolved.args, function.infer(resolved.args))
        outer = True
    made = resolved.type
    assert isinstance(made, StructType)
    given = None if names is None else as_texts(names, "the names")
    chosen = given or tuple(field.name for field in made.fields)
    if len(chosen) != len(made.fields):
        raise ValidationError(
            f"{name} makes {len(made.fields)} columns ("
            f"{', '.join(field.name for field in made.fields)}), and {len(chosen)} names were given"
        )
    return windows_below(scope, n.Generate.of(child, resolved, outer, chosen))


def resolve_keys(keys: Sequence[Any], scope: Scope) -> list[ResolvedExpression]:
    """Resolves grouping keys in the scope."""
    resolved = resolve_items(keys, scope)
    forbid(scope, "group_by", windows="compute it with add_columns(…) first, then group by it")
    refuse_outer(scope, "group_by")
    refuse_duplicates([n.output_name(key) for key in resolved], "group_by")
    for key in resolved:
        require_groupable(key)
    return resolved


def resolve_sets(
    sets: Sequence[Sequence[Any]], keys: Sequence[ResolvedExpression], scope: Scope
) -> tuple[tuple[int, ...], ...]:
    """Resolves GROUPING SETS to positions of keys."""
    sets = [as_list(each, "a grouping set") for each in as_list(sets, "the grouping sets")]
    if not sets:
        return ()
    places_of_keys = PlacesOfKeys(keys)
    found = []
    for group in sets:
        places = []
        for item in resolve_items(group, scope):
            place = places_of_keys.find(strip_alias(item))
            if place is None:
                raise ValidationError(f"{n.output_name(item)} is not among the grouping keys")
            places.append(place)
        found.append(tuple(places))
    return tuple(found)


# Builders for joins, plain and lateral.


@place_errors("join")
def join(
    left: QueryOperation,
    right: QueryOperation,
    kind: n.JoinKind,
    on: object = None,
    using: Sequence[str] | str | None = None,
) -> n.Join:
    """Joins two inputs ON a condition over both, or USING columns of equal name."""
    refuse_session(left)
    refuse_session(right)
    if isinstance(on, str) or (isinstance(on, list | tuple) and on and isinstance(on[0], str)):
        using, on = on, None
    if isinstance(on, list | tuple):
        on = and_(*on) if on else None
    if using is not None:
        return _join_using(left, right, kind, _names(using))
    if on is None:
        if kind in (n.JoinKind.INNER, n.JoinKind.CROSS):
            return n.Join.of(left, right, kind)
        raise ValidationError(
            f"a {kind.name.lower()} join needs a condition", hint="give on=… or using=…"
        )
    if kind is n.JoinKind.CROSS:
        raise ValidationError("a cross join has no condition", hint="use join(…, on=…)")
    scope = Scope(Schema.side_by_side(left.schema, right.schema))
    condition = require_boolean(resolve_in(on, scope), "join")
    forbid(scope, "a join condition")
    return n.Join.of(left, right, kind, condition)


def _names(using: Sequence[str] | str) -> tuple[str, ...]:
    return (using,) if isinstance(using, str) else as_texts(using, "using")


def _join_using(
    left: QueryOperation, right: QueryOperation, kind: n.JoinKind, using: tuple[str, ...]
) -> n.Join:
    if kind is n.JoinKind.CROSS:
        kind = n.JoinKind.INNER
    for name in using:
        a, b = left.schema[left.schema.find(name)], right.schema[right.schema.find(name)]
        if not is_comparable(a.type, b.type):
            raise TypeMismatchError(
                f"join using `{name}`: {a.type.ddl} and {b.type.ddl} cannot be compared"
            )
    names = tuple(left.schema[left.schema.find(name)].name for name in using)
    return n.Join.of(left, right, kind, None, names)


def lateral_join(
    left: QueryOperation, query: object, kind: n.JoinKind, on: object = None
) -> QueryOperation:
    """Joins each row of ``left`` with the rows of a query that may refer to it.

    ``query`` is a table, a function from ``OuterColumns`` to a table, or a generator call.
    """
    if isinstance(query, dsl.Expression):
        if on is not None:
            raise ValidationError("a generator takes no condition", hint="filter the result")
        return generate(left, query, outer=kind is n.JoinKind.LEFT)
    refuse_session(left)
    right = evaluate_query(query, left.schema)
    refuse_session(right)
    condition = None
    if on is not None:
        scope = Scope(n.LateralJoin.of(left, right, n.JoinKind.INNER).schema)
        condition = require_boolean(resolve_in(on, scope), "a lateral join")
        forbid(scope, "a join condition")
    return join_laterally(left, right, kind, condition)


def join_laterally(
    left: QueryOperation,
    right: QueryOperation,
    kind: n.JoinKind,
    condition: ResolvedExpression | None = None,
) -> n.Join | n.LateralJoin:
    """The lateral join; one without LATERAL where ``right`` calls a process table function.

    Raises:
        ValidationError: ``right`` calls one and refers to the row of ``left``.
    """
    called = next(find(right, n.Process), None)
    if called is None:
        return n.LateralJoin.of(left, right, kind, condition)
    if not refers_outside(right):
        if condition is None and kind is n.JoinKind.LEFT:
            condition = TRUE
        return n.Join.of(left, right, kind, condition)
    raise ValidationError(
        f"a lateral join with a query that calls the process table function "
        f"{called.function!r} and refers to the row around it: Spark calls functions over tables "
        "once, not for each row",
        hint="let the query stand for itself, and write what refers to the other table into ON, "
        "or into WHERE and SELECT of a query around the join",
    )
