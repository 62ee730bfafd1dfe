"""Resolves operators and calls: the function of a name, with its arguments and clauses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import structs

from viewscribe.errors import (
    NotSerializableError,
    SqlSyntaxError,
    TypeMismatchError,
    UnknownFunctionError,
    ValidationError,
    ViewscribeError,
    did_you_mean,
)
from viewscribe.expressions import dsl
from viewscribe.expressions.auto_names import call_text, runs_over_rows
from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.of_catalogs import (
    SHOWN_AS_AGGREGATE,
    how_to_declare,
    is_of_catalog,
)
from viewscribe.expressions.functions.parameters import positional, refuse_names
from viewscribe.expressions.functions.registry import all_built_ins, built_in, find_built_in
from viewscribe.expressions.functions.user_defined import is_sparks
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import find, preorder
from viewscribe.expressions.nodes import (
    AggregateCall,
    Alias,
    Call,
    Cast,
    FieldReference,
    Lambda,
    LambdaVariable,
    Literal,
    ResolvedExpression,
    alias,
    strip_alias,
)
from viewscribe.expressions.operator_names import TIMES, chars_call
from viewscribe.expressions.resolve import resolve_in
from viewscribe.operations.attributes import find_expression
from viewscribe.parser import syntax as s
from viewscribe.parser.checks import (
    HANDLERS,
    is_cast,
    refuse_argument_order,
    refuse_in_filter,
    refuse_nested,
    spell,
    star_texts,
    texts_of,
    type_of,
)
from viewscribe.types import (
    STRING,
    VOID,
    BinaryType,
    DecimalType,
    StringType,
    TimestampNtzType,
    VoidType,
)
from viewscribe.types.identifiers import CALLED_WITHOUT_PARENTHESES, fold_name, quote_special
from viewscribe.types.parameters import DEFAULT_COLLATION

if TYPE_CHECKING:
    from viewscribe.expressions.functions.user_defined import UserFunction
    from viewscribe.parser.values import ExpressionReader


# How Spark calls a column that is a function over elements: its lambda, or what stands for one.

_VARIABLE = "namedlambdavariable()"


def texts_over_elements(
    reader: ExpressionReader, function: FunctionDefinition, nodes: Sequence[Any]
) -> list[str]:
    """The arguments of a function that takes lambdas; none takes over a collation from another.

    A value where a lambda is expected is one to Spark that looks at none of its variables.
    """
    texts = []
    for place, node in enumerate(nodes):
        text = spell(reader, node)
        count = function.inference.argument(place).fewest_parameters
        texts.append(_lambda_text(text, count) if count and type(node) is not s.LambdaOf else text)
    return texts


def refuse_collated_lambdas(reader: ExpressionReader, node: s.Function) -> None:
    """Refuses to name a call by a lambda that holds texts beside variables of a collation."""
    if reader.variables.known or not reader.shows_names:
        return  # the call around is looked at whole
    for inner in find(reader.read_again(node), Lambda):
        if any(map(_is_collated, inner.parameters)):
            texts = (each for each in preorder(inner.body) if isinstance(each, Literal))
            if any(isinstance(each.type, StringType) for each in texts):
                raise reader.queries.error(
                    node,
                    "Spark's name of this column shows which texts of the lambda are cast to the "
                    "collation of its variables, which is not known here",
                    hint="give it an alias: … AS name",
                )


def _is_collated(variable: LambdaVariable) -> bool:
    type_ = variable.type
    return isinstance(type_, StringType) and type_.collation != DEFAULT_COLLATION


def _lambda_text(body: str, count: int) -> str:
    return f"lambdafunction({', '.join([body, *[_VARIABLE] * count])})"


def _lambda(reader: ExpressionReader, node: s.LambdaOf) -> str:
    from viewscribe.parser.scopes import Variables

    before = reader.variables
    known = {name.lower(): LambdaVariable(name, VOID) for name in node.parameters}
    reader.variables = Variables({**before.known, **known})
    try:
        body = spell(reader, node.body)
    finally:
        reader.variables = before
    return _lambda_text(body, len(node.parameters))


HANDLERS[s.LambdaOf] = _lambda


def is_call_without_parentheses(name: str) -> bool:
    """Whether a name that no column has calls a function."""
    return name.lower() in CALLED_WITHOUT_PARENTHESES or name.lower() == "grouping__id"


def without_parentheses(reader: ExpressionReader, name: str) -> ResolvedExpression | None:
    """Builds the call of ``current_date`` and similar functions."""
    folded = name.lower()
    if folded == "grouping__id":
        folded = "grouping_id"
    elif folded not in CALLED_WITHOUT_PARENTHESES:
        return None
    return resolve_in(dsl.CallExpression(built_in(folded), ()), reader.met)


def operation_call(
    reader: ExpressionReader, node: s.Operation, args: list[ResolvedExpression]
) -> ResolvedExpression:
    """Builds the call of an operator over its operands."""
    name = node.name
    special = _OPERATIONS.get(name)
    if special is not None:
        return special(reader, node, args)
    definition = find_built_in(name)
    assert definition is not None, name
    return resolve_in(dsl.CallExpression(definition, tuple(args)), reader.met)


def _operator(definition: FunctionDefinition) -> Callable[..., ResolvedExpression]:
    def make(reader: ExpressionReader, node: s.Operation, args: list[Any]) -> ResolvedExpression:
        return resolve_in(dsl.CallExpression(definition, tuple(args)), reader.met)

    return make


def _collate(
    reader: ExpressionReader, node: s.Operation, args: list[ResolvedExpression]
) -> ResolvedExpression:
    collation = literal((node.shown or "").split(".")[-1])
    return resolve_in(dsl.CallExpression(built_in("collate"), (*args, collation)), reader.met)


def _path(
    reader: ExpressionReader, node: s.Operation, args: list[ResolvedExpression]
) -> ResolvedExpression:
    if isinstance(args[0].type, VoidType):
        raise TypeMismatchError("a path with `:` is one into a VARIANT, and this is NULL")
    call = dsl.CallExpression(built_in("variant_get"), (*args, literal("variant")))
    return resolve_in(call, reader.met)


_OPERATIONS: dict[str, Callable[..., ResolvedExpression]] = {
    "+": _operator(op.PLUS),
    "-": _operator(op.MINUS),
    "negative": _operator(op.NEGATIVE),
    "!=": _operator(op.NOT_EQUALS),
    "not": _operator(op.NOT),
    "isnull": _operator(op.IS_NULL),
    "isnotnull": _operator(op.IS_NOT_NULL),
    "collate": _collate,
    "variant_get": _path,
}


# -- calls ----------------------------------------------------------------------------------------


def plain_call(reader: ExpressionReader, node: s.Function) -> ResolvedExpression:
    """Resolves a call by name, with its clauses."""
    if node.name == ("",):
        args = [_name_field(each, reader.read(each), at) for at, each in enumerate(node.args, 1)]
        return resolve_in(dsl.CallExpression(built_in("struct"), tuple(args)), reader.met)
    made = call_of(reader, node)
    if node.over is not None:
        return resolve_in(dsl.OverExpression(made, reader.window(node.over)), reader.met)
    if made.function.kind is FunctionKind.WINDOW:
        raise ValidationError(
            f"{made.function.name}() needs a window", hint="write OVER (… ORDER BY …) behind it"
        )
    found = resolve_in(made, reader.met)
    if made.function.built_in_name == "window_time":
        _refuse_no_window(reader, node, found)
    return found


def _refuse_no_window(reader: ExpressionReader, node: s.Function, call: object) -> None:
    """Refuses ``window_time()`` of a column that is computed, and by no window."""
    operation = reader.columns.operation
    column = strip_alias(call.args[0]) if isinstance(call, Call) else None
    if operation is None or not isinstance(column, FieldReference):
        return
    made = find_expression(operation, column.index)
    if isinstance(made, Call) and made.function.is_step:
        return
    if isinstance(made, Call | AggregateCall | Cast):
        raise reader.queries.error(
            node,
            f"window_time() takes the column of a time window, and `{column.name}` is "
            f"{made.as_summary_string()}",
            "use the field `end` of it, less one microsecond",
        )


def call_of(reader: ExpressionReader, node: s.Function) -> dsl.CallExpression:
    """Resolves a call by name over resolved arguments, without its window."""
    function, user = _function(reader, node)
    if any(map(_is_named, node.args)):
        refuse_argument_order(node.args)
    named = {each.name: reader.read(each.value) for each in node.args if _is_named(each)}
    args = [_argument(reader, node, each, user) for each in node.args if not _is_named(each)]
    args = [each for arg in args for each in (arg if isinstance(arg, list) else [arg])]
    if named:
        if not (user or function.parameters):
            refuse_names(function, named)  # those that Python's calls may give are not SQL's
        args = _positional(reader, node, function, args, named)
    elif user:
        args = _positional(reader, node, function, args, {})
    if user and all(isinstance(each, ResolvedExpression) for each in args):
        function = function.of_call(args)
    refuse_nested(function.name, args, aggregate=_aggregates(node, function))
    made = dsl.CallExpression(function, tuple(args)) if user else _special(node, function, args)
    if not (node.distinct or node.where is not None or node.order or node.nulls):
        return made
    condition = None if node.where is None else reader.read(node.where)
    if condition is not None:
        refuse_in_filter(condition)
    return made.with_clauses(
        distinct=node.distinct,
        condition=condition,
        order_by=tuple(reader.sort_key(key) for key in node.order or ()),
        ignore_nulls=node.nulls == "IGNORE",
        respect_nulls=node.nulls == "RESPECT",
    )


def kind_of_call(reader: ExpressionReader, node: s.Function) -> FunctionKind | None:
    """Returns the kind of the function that is called; None where there is none of the name.

    A session tells it of a catalog's own function for the types of the arguments.
    """
    user = reader.queries.world.function(node.name)
    found = user or find_built_in(node.name[-1])
    if user is None or user.kind is not FunctionKind.UNKNOWN:
        return None if found is None else found.kind
    met, reader.met = reader.met, structs.replace(reader.met)
    try:
        return call_of(reader, node).function.kind
    except ViewscribeError:  # said where the call is resolved
        return FunctionKind.SCALAR
    finally:
        reader.met = met


def _aggregates(node: s.Function, function: FunctionDefinition) -> bool:
    """Whether the call is an aggregate and not a window function."""
    return function.kind is FunctionKind.AGGREGATE and node.over is None


def _is_named(argument: Any) -> bool:
    return isinstance(argument, s.NamedArgument)


def function_of(reader: ExpressionReader, node: s.Function) -> FunctionDefinition:
    """Returns the function that a call means.

    Raises:
        UnknownFunctionError: there is no such function.
    """
    return _function(reader, node)[0]


def _function(reader: ExpressionReader, node: s.Function) -> tuple[FunctionDefinition, bool]:
    found = reader.queries.world.function(node.name)
    if found is not None:
        return found, True
    name = node.name[-1].lower()
    path = tuple(map(fold_name, node.name[:-1]))
    if path in ((), ("builtin",), ("system", "builtin")):
        definition = find_built_in(name)
        if definition is not None and is_sparks(name):
            return definition, False
    shown = ".".join(node.name)
    raise UnknownFunctionError(
        f"no function `{shown}`",
        hint=how_to_declare(node.name)
        or did_you_mean(name, filter(is_sparks, all_built_ins()))
        or "register it: env.create_function(…), env.create_temporary_system_function(…)",
    )


def _positional(
    reader: ExpressionReader,
    node: s.Function,
    function: FunctionDefinition,
    args: list[Any],
    named: dict[str, Any],
) -> list[Any]:
    return [dsl.operand(each) for each in positional(function, args, named)]


def _argument(reader: ExpressionReader, node: s.Function, argument: Any, user: bool) -> Any:
    if isinstance(argument, s.StarOf) and not user:
        if node.name[-1].lower() == "count" and not argument.qualifier and not node.distinct:
            return dsl.StarExpression(())
        if node.name[-1].lower() == "count" and argument.qualifier and len(node.args) == 1:
            raise SqlSyntaxError("count(t.*) is not what count(*) is: name the columns")
    if isinstance(argument, s.StarOf):
        return reader.star_items(argument)
    if isinstance(argument, s.TableOf):
        raise SqlSyntaxError("a TABLE argument is for a function that stands in FROM")
    found = reader.argument(argument)
    if isinstance(found, ResolvedExpression) and not user:
        if node.name[-1].lower() == "struct":
            return _name_field(argument, found, node.args.index(argument) + 1)
        if node.name[-1].lower() == "arrays_zip" and isinstance(argument, s.Name):
            return alias(found, argument.parts[-1]) if not isinstance(found, Alias) else found
    return found


def field_name(argument: Any) -> str | None:
    """What Spark's parser calls a field of a struct after: the last name of what is written."""
    if isinstance(argument, s.Name):
        return None if argument.is_computed else argument.parts[-1]
    if isinstance(argument, s.FieldOf):
        return argument.name
    if isinstance(argument, s.Subscript) and isinstance(argument.key, s.Constant):
        key = argument.key.value.value
        return key if isinstance(key, str) else None
    if isinstance(argument, s.Operation) and argument.name == "variant_get":
        return argument.shown or None
    return None


def _name_field(argument: Any, found: ResolvedExpression, place: int) -> ResolvedExpression:
    """An argument that names a field, in the case it was typed."""
    if isinstance(argument, s.Name) and argument.is_computed:
        return alias(found, f"col{place}")  # to Spark it is no name when it makes the struct
    name = None if isinstance(found, Alias) else field_name(argument)
    return found if name is None else alias(found, name)


def _special(node: s.Function, function: FunctionDefinition, args: list[Any]) -> Any:
    """Calls whose arguments Spark takes otherwise than ours."""
    name = function.name
    if name == "count" and not args:
        raise SqlSyntaxError("count() is given nothing", hint="write count(*)")
    if name in ("first", "last", "any_value", "nth_value"):
        count = 2 if name == "nth_value" else 1
        if len(args) == count + 1:
            given = args[-1]
            if not isinstance(given, Literal) or not isinstance(given.value, bool):
                raise SqlSyntaxError(f"{name}() says with TRUE or FALSE whether to ignore NULLs")
            made = dsl.CallExpression(function, tuple(args[:count]))
            return made.with_clauses(ignore_nulls=True) if given.value else made
    if name in ("trim", "ltrim", "rtrim") and len(args) == 2:
        args = args[::-1]
    return dsl.CallExpression(function, tuple(args))


# How Spark calls a column that is a call: arguments, clauses, windows.

_ROW = ("",)
"""The name of what is no call: values between parentheses."""


def call_name(reader: ExpressionReader, node: s.Function) -> str:
    """A call with its clauses."""
    node = _as_shown(reader, node)
    text = _plain(reader, node)
    name = node.name[-1].lower()
    if node.order:
        text = "listagg" + text.removeprefix("string_agg") if name == "string_agg" else text
        text = _within_group(reader, node, text, name)
    if node.where is not None:
        text = f"{text} FILTER (WHERE {spell(reader, node.where)})"
    if node.nulls == "IGNORE" and name == "nth_value":
        text += " ignore nulls"
    if node.nulls == "RESPECT" and name.startswith("collect_"):
        text += " RESPECT NULLS"
    return text if node.over is None else f"{text} OVER {_window(reader, node)}"


class ShownByClassError(NotSerializableError):
    """What Spark calls the result of a catalog's own function is not known here."""


def _as_shown(reader: ExpressionReader, node: s.Function) -> s.Function:
    """The call under the name that Spark shows for it, which is another for catalogs' functions."""
    user = None if node.name == _ROW else reader.queries.world.function(node.name)
    if not is_of_catalog(user):
        return node
    if kind_of_call(reader, node) is FunctionKind.AGGREGATE:
        return structs.replace(node, name=(SHOWN_AS_AGGREGATE,))
    raise reader.located(
        ShownByClassError(
            f"Spark names the result of {user!r} after the class that the catalog has it in",
            hint="give it a name: … AS name",
        ),
        node,
    )


def _plain(reader: ExpressionReader, node: s.Function) -> str:
    if node.name == _ROW:
        return _struct_text(reader, node)
    user = reader.queries.world.function(node.name)
    name = _name_of(user) if user is not None else node.name[-1].lower()
    if name in ("struct",):
        return _struct_text(reader, node, "struct")
    whole = len(node.args) == 1 and type(node.args[0]) is s.StarOf
    if name == "count" and whole and not node.distinct and not node.args[0].qualifier:
        return "count(1)"
    if name in ("first_value", "last_value") and node.nulls:
        name = name.removesuffix("_value")
    texts = _arguments(reader, node)
    if user is not None:
        return f"{name}({', '.join(texts)})"
    if is_cast(node):
        return texts[0]
    if name in ("to_char", "to_varchar") and node.args:
        name, texts = chars_call(name, texts, type_of(reader, node.args[0]))
    if name in ("lpad", "rpad") and len(texts) == 2:
        texts.append("X'00'")
    if name == "time_bucket" and len(texts) == 2:
        local = isinstance(type_of(reader, node.args[1]), TimestampNtzType)
        texts.append(f"TIMESTAMP{'_NTZ' if local else ''} '1970-01-01 00:00:00'")
    if name in ("make_timestamp_ltz", "try_make_timestamp_ltz") and len(texts) <= 3:
        name = "make_timestamp"  # of a DATE and a TIME
    if name == "try_make_timestamp_ntz" and len(texts) == 2:
        texts = [call_text("make_timestamp_ntz", texts)]
    return call_text(name, texts, distinct=node.distinct)


def _name_of(function: UserFunction) -> str:
    """A function of the session by its own name, one of a catalog in full, as Spark keeps it."""
    identifier = function.identifier
    return identifier.name if function.temporary else ".".join(identifier.parts).lower()


def _arguments(reader: ExpressionReader, node: s.Function) -> list[str]:
    """The arguments as they are spelled, those by name in their places."""
    if any(type(each) is s.NamedArgument for each in node.args):
        given = [each for each in node.args if type(each) is not s.NamedArgument]
        named = {each.name: each.value for each in node.args if type(each) is s.NamedArgument}
        placed = positional(function_of(reader, node), given, named)
        parts = [
            s.Constant(node.at, each) if isinstance(each, Literal) else each for each in placed
        ]
        return texts_of(reader, _with_defaults(reader, node, parts))
    name = node.name[-1].lower()
    built_in = find_built_in(name)
    if built_in is not None and built_in.keeps_collations:
        return [spell(reader, each) for each in node.args]
    if name == "map" and len(node.args) % 2 == 0:
        keys, values = texts_of(reader, node.args[::2]), texts_of(reader, node.args[1::2])
        return [text for pair in zip(keys, values, strict=True) for text in pair]
    if built_in is not None and built_in.takes_functions:
        refuse_collated_lambdas(reader, node)
        return texts_over_elements(reader, built_in, node.args)
    if not any(type(each) is s.StarOf for each in node.args):
        return texts_of(reader, _with_defaults(reader, node, node.args))
    texts: list[str] = []
    for each in node.args:
        if type(each) is s.StarOf:
            texts += star_texts(reader, each)
        else:
            texts.append(spell(reader, each))
    return texts


def _with_defaults(
    reader: ExpressionReader, node: s.Function, args: Sequence[Any]
) -> Sequence[Any]:
    """The arguments, and strings that Spark adds: those take over collations, too."""
    function = find_built_in(node.name[-1])
    added = () if function is None else _added_texts(function, len(args))
    if added and node.name[-1].lower().endswith("pad"):
        added = () if isinstance(type_of(reader, args[0]), BinaryType) else added
    return [*args, *(s.Constant(node.at, literal(each)) for each in added)]


def _added_texts(function: FunctionDefinition, count: int) -> Sequence[str]:
    """The defaults that are strings and get the collation of others, of those a call leaves out."""
    arguments, defaults = function.inference.arguments, function.defaults
    first = len(arguments) - len(defaults)
    if function.collated is None or count < first:
        return ()
    places = {place for group in function.collated(len(arguments)) for place in group}
    return [
        default
        for place, default in enumerate(defaults, first)
        if place >= count
        and place in places
        and default != "NULL"
        and isinstance(arguments[place].coerce(STRING), StringType)
    ]


def _struct_text(reader: ExpressionReader, node: s.Function, called: str = "") -> str:
    """``(a, b)`` and ``struct(a, b)``, which are both ``named_struct``."""
    if called:
        texts = [
            f"{spell(reader, each.child)} AS {quote_special(each.names[0])}"
            if type(each) is s.Aliased
            else spell(reader, each)
            for each in node.args
        ]
        return f"struct({', '.join(texts)})"
    shown: list[str] = []
    for place, each in enumerate(node.args, 1):
        if type(each) is s.Aliased:
            shown += [each.names[0], spell(reader, each)]
        else:
            shown += [field_name(each) or f"col{place}", spell(reader, each)]
    return f"named_struct({', '.join(shown)})"


def _within_group(reader: ExpressionReader, node: s.Function, text: str, name: str) -> str:
    assert node.order is not None
    if name in ("listagg", "string_agg"):
        keys = ", ".join(_key(reader, key) for key in node.order)
        return f"{text} WITHIN GROUP (ORDER BY {keys})"
    key = node.order[0]
    turned = key.descending is not (name == "mode")
    return f"{text} WITHIN GROUP (ORDER BY {spell(reader, key.child)}{' DESC' if turned else ''})"


def _key(reader: ExpressionReader, key: s.SortKey) -> str:
    direction = "DESC" if key.descending else "ASC"
    nulls = "FIRST" if key.nulls_first else "LAST"
    return f"{spell(reader, key.child)} {direction} NULLS {nulls}"


def _window(reader: ExpressionReader, node: s.Function) -> str:
    window = node.over
    while window.name is not None:
        window = reader.windows[window.name]
    parts = []
    if window.partition:
        keys = ", ".join(spell(reader, each) for each in window.partition)
        parts.append(f"PARTITION BY {keys}")
    if window.order:
        parts.append("ORDER BY " + ", ".join(_key(reader, key) for key in window.order))
    parts.append(_frame(reader, node, window))
    return f"({' '.join(parts)})"


def _frame(reader: ExpressionReader, node: s.Function, window: s.WindowOf) -> str:
    name = node.name[-1].lower()
    if name in ("lag", "lead"):
        offset = reader.read(node.args[1]) if len(node.args) > 1 else None
        shift = offset.value if isinstance(offset, Literal) else 1
        shift = -shift if name == "lag" else shift
        return f"ROWS BETWEEN {shift} FOLLOWING AND {shift} FOLLOWING"
    if name == "cume_dist":
        return "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    if window.unit is None or window.start is None or window.end is None:
        by_rows = runs_over_rows(name)
        unit = "ROWS" if by_rows or not window.order else "RANGE"
        end = "CURRENT ROW" if by_rows or window.order else "UNBOUNDED FOLLOWING"
        return f"{unit} BETWEEN UNBOUNDED PRECEDING AND {end}"
    start, end = (_name_bound(reader, each, window) for each in (window.start, window.end))
    return f"{window.unit} BETWEEN {start} AND {end}"


def _name_bound(reader: ExpressionReader, bound: s.Bound, window: s.WindowOf) -> str:
    if bound.offset is None:
        return bound.kind
    text = spell(reader, bound.offset)
    if bound.kind == "PRECEDING" and window.unit == "RANGE" and len(window.order) == 1:
        key = type_of(reader, window.order[0].child)
        offset = type_of(reader, bound.offset)
        cast = isinstance(key, DecimalType) and not key.same_type(offset)
        if cast or not isinstance(key, (type(offset), *TIMES)):
            return f"(- {text}) FOLLOWING"  # Spark casts what it negated
    return f"{text} {bound.kind}"
