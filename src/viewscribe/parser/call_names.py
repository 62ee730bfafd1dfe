"""How Spark calls a column that is a call: arguments, clauses, windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import structs

from viewscribe.errors import NotSerializableError
from viewscribe.expressions.auto_names import call_text, runs_over_rows
from viewscribe.expressions.functions.definition import FunctionDefinition, FunctionKind
from viewscribe.expressions.functions.of_catalogs import SHOWN_AS_AGGREGATE, is_of_catalog
from viewscribe.expressions.functions.parameters import positional
from viewscribe.expressions.functions.registry import find_built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import Literal
from viewscribe.expressions.operator_names import TIMES, chars_call
from viewscribe.parser import syntax as s
from viewscribe.parser.calls import field_name, function_of, kind_of_call
from viewscribe.parser.lambda_names import refuse_collated_lambdas, texts_over_elements
from viewscribe.parser.name_parts import (
    is_cast,
    spell,
    star_texts,
    texts_of,
    type_of,
)
from viewscribe.types import (
    STRING,
    BinaryType,
    DecimalType,
    StringType,
    TimestampNtzType,
)
from viewscribe.types.identifiers import quote_special

if TYPE_CHECKING:
    from viewscribe.expressions.functions.user_defined import UserFunction
    from viewscribe.parser.values import ExpressionReader


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
