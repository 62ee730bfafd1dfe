"""Calls whose arguments do not stand in the plan as they are written."""

from __future__ import annotations

from typing import Any, NoReturn

from viewscribe.expressions.functions.builtin import operators as op
from viewscribe.expressions.functions.of_catalogs import catalog_function, iceberg_function
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.functions.user_defined import UserFunction
from viewscribe.expressions.literals import literal
from viewscribe.expressions.nodes import ResolvedExpression
from viewscribe.expressions.properties import is_deterministic
from viewscribe.spark.capture.classic.expressions.casts import is_added
from viewscribe.spark.capture.classic.expressions.reader import (
    Expressions,
    Given,
    Handler,
    arguments_of,
    function_of,
    made_call,
)
from viewscribe.spark.capture.classic.plan import PlanNode, refusal, seed_of
from viewscribe.types import DoubleType, FloatType
from viewscribe.types.identifiers import quote_name
from viewscribe.types.policy import session_ddl, session_schema_ddl

# Calls of functions that catalogs have themselves: ``lake.system.bucket(16, id)``.
#
# The plan holds the class of the function; ``CatalogFunctions.java`` tells the names that it may
# have been called by.

_OF_ICEBERG = "org.apache.iceberg.spark.functions."


def is_of_catalog(node: PlanNode) -> bool:
    """Whether it calls a function that a catalog has itself."""
    return "called" in node.extra


def read_catalog_function(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """The call by the name that the catalog has the function under.

    Raises:
        CaptureError: it has none of three parts, or more than one.
    """
    args: list[Given] = list(node["arguments" if "arguments" in node.args else "children"])
    function, returns = function_called(node), node.extra["type"]
    call = reader.call(function, args, node)
    if not call.type.same_type(returns):
        raise refusal(
            node,
            f"{function!r} gives {returns.ddl} here, and is known to give {call.type.ddl}",
            hint="cast its arguments to the types that it is documented for",
        )
    return call


def function_called(node: PlanNode) -> UserFunction:
    """The function by the name that the catalog has it under.

    Raises:
        CaptureError: it has none of three parts, or more than one.
    """
    names = [tuple(each) for each in node.extra["called"]]
    if len(names) > 1:
        shown = " and ".join(map(quote_name, names))
        _refuse(node, f"the plan does not say which of {shown} is called", quote_name(names[0]))
    if not names:
        _refuse(node, f"no catalog tells the name of {node.extra['class']}", "lake.tools.f")
    if len(names[0]) != 3:
        raise refusal(
            node,
            f"the function {quote_name(names[0])} has a name of {len(names[0])} parts",
            hint="call functions of namespaces that lie in no other one",
        )
    path = names[0]
    known = iceberg_function(path) if node.extra["class"].startswith(_OF_ICEBERG) else None
    return known or catalog_function(
        path,
        node.extra["type"],
        deterministic=node.extra["deterministic"],
        aggregate=node.kind == "V2Aggregator",
    )


def _refuse(node: PlanNode, reason: str, name: str) -> NoReturn:
    raise refusal(
        node,
        f"it calls a function that a catalog has itself, and {reason}",
        hint=f'write the call with its full name in SQL: F.expr("{name}(…)")',
    )


_MADE_UP = 10**7
"""From here on a seed is taken for one that Spark made up: nobody types so long a number."""


def _format(name: str) -> Handler:
    """``from_json(text, schema, options)`` and its kin: options and schema are not nodes."""

    def read(reader: Expressions, node: PlanNode) -> ResolvedExpression:
        args: list[Given] = [node["child"]]
        schema = node.get("schema")
        if schema is not None:
            args.append(literal(session_schema_ddl(schema)))
        options = node.get("options")
        if options:
            args.append(_map_of(options, node))
        return reader.call(name, args, node)

    return read


def _map_of(options: dict[str, str], node: PlanNode) -> ResolvedExpression:
    pairs = [literal(text) for pair in sorted(options.items()) for text in pair]
    return made_call(built_in("map"), tuple(pairs), node)


def _variant_get(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    name = "variant_get" if node["failOnError"] else "try_variant_get"
    target = literal(session_ddl(node["targetType"]).lower())
    return reader.call(name, [node["child"], node["path"], target], node)


def _read_seeded(name: str, seed: str) -> Handler:
    """Functions of chance: a seed that the analyzer made up is not written, if it is used once."""

    def read(reader: Expressions, node: PlanNode) -> ResolvedExpression:
        args = node.expressions()
        if node["hideSeed"] and seed_of(node) not in reader.repeated_seeds:
            args = [each for each in args if each is not node[seed]]
        return reader.call(name, args, node)

    return read


def _random(name: str, *arguments: str) -> Handler:
    """Functions of chance whose seed is a number, which says not who made it up."""

    def read(reader: Expressions, node: PlanNode) -> ResolvedExpression:
        seed = node["randomSeed"]
        given: list[Any] = [node[each] for each in arguments]
        repeated = seed in reader.repeated_seeds
        if seed is not None and (abs(seed) < _MADE_UP or repeated):
            given.append(literal(seed))
        return reader.call(name, given, node)

    return read


def _raise_error(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    class_, parameters = node["errorClass"], node["errorParms"]
    plain = class_.kind == "Literal" and class_["value"] == "USER_RAISED_EXCEPTION"
    while is_added(parameters):
        parameters = parameters["child"]
    if plain and parameters.kind == "CreateMap" and len(parameters["children"]) == 2:
        return reader.call("raise_error", [parameters["children"][1]], node)
    return reader.call("raise_error", [class_, parameters], node)


def _assert_true(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """Without a message of the user's, Spark says which condition it was."""
    message = node["right"]
    written = message.kind == "Literal" and str(message["value"]).endswith(" is not true!")
    given = [node["left"]] if written else [node["left"], message]
    return reader.call("assert_true", given, node)


def _cipher(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """``aes_encrypt`` and ``aes_decrypt``: empty texts in BINARY are what is left out."""
    args = arguments_of(node)
    for value in ("", "", "DEFAULT", "GCM"):
        last = args[-1]["child"] if args[-1].kind == "Cast" else args[-1]
        if last.kind == "Literal" and last["value"] == value and len(args) > 2:
            args.pop()
    function = function_of(node)
    name = "aes_encrypt" if node.kind == "AesEncrypt" else "aes_decrypt"
    return reader.call(function or name, args, node)


def _logarithm(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    if node["left"].kind == "EulerNumber":
        return reader.call("log", [node["right"]], node)
    return reader.call("log", [node["left"], node["right"]], node)


def _collate(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    name = node["collation"]["collationName"]
    plain = name.removeprefix("SYSTEM.BUILTIN.")
    return reader.call("collate", [node["child"], literal(plain)], node)


def _try_eval(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    function = function_of(node)
    inner: PlanNode = node["child"]
    if function is None:
        raise refusal(node, "TRY around any expression has no SQL", hint="use a try_ function")
    return reader.call(function, arguments_of(inner), node)


def _only_shuffled(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    return _random("shuffle", "child")(reader, node)


def _static(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """A catalog's own function, or the padding of CHAR columns, which reading does again."""
    if node["functionName"] == "readSidePadding":
        return reader.read(node["arguments"][0])
    if is_of_catalog(node):
        return read_catalog_function(reader, node)
    raise refusal(
        node,
        f"it calls {node['functionName']} of a Java class, which SQL cannot name",
        hint="use functions of Spark SQL instead",
    )


def _inline(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """A function written in SQL: its body stands in the plan, over its arguments."""
    return reader.read(node["child"])


def _zip_(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """The names of the fields stand beside the arrays, which bring them along."""
    return reader.call("arrays_zip", node["children"], node)


def _at_least(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """``na.drop``: so many of the columns are neither NULL nor NaN."""
    wanted, children = node["n"], reader.read_all(node["children"])
    there = [_is_there(each, node) for each in children]
    if wanted <= 0 or wanted > len(there):  # of any number, or of more than there are
        return literal(wanted <= 0)
    if wanted == len(there):
        return there[0] if len(there) == 1 else made_call(op.AND, tuple(there), node)
    if wanted == 1:
        return made_call(op.OR, tuple(there), node)
    one, none = literal(1), literal(0)
    counted: ResolvedExpression | None = None
    for each in there:
        term = made_call(built_in("case"), (each, one, none), node)
        counted = term if counted is None else made_call(op.PLUS, (counted, term), node)
    assert counted is not None
    return made_call(op.GREATER_OR_EQUAL, (counted, literal(wanted)), node)


def _is_there(value: ResolvedExpression, node: PlanNode) -> ResolvedExpression:
    known = made_call(op.IS_NOT_NULL, (value,), node)
    if not isinstance(value.type, FloatType | DoubleType):
        return known
    number = made_call(op.NOT, (made_call(built_in("isnan"), (value,), node),), node)
    return made_call(op.AND, (known, number), node)


def _with(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """Common expressions of a replacement: each stands wherever it is meant.

    Raises:
        CaptureError: one gives another value each time.
    """
    for each in node["defs"]:
        value = reader.read(each["child"])
        if not is_deterministic(value):
            raise refusal(
                node,
                "the expression is only kept as what Spark replaced it by, which uses a random "
                "value twice",
                hint="compute its arguments in a step of their own, with withColumn(…)",
            )
        reader.common[_common_id(each)] = value
    return reader.read(node["child"])


def _common(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    return reader.common[_common_id(node)]


def _common_id(node: PlanNode) -> str:
    return repr(node["id"])


def _null_if(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """``nullif(a, b)`` once Spark has replaced it: NULL where a condition holds, else a value."""
    return _null_where(reader, node, node["predicate"], node["value"])


def _if(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """``if(…)``, or what Spark 4.0 makes of ``nullif(a, b)``."""
    if node["trueValue"].kind == "TypedNullLiteral":
        return _null_where(reader, node, node["predicate"], node["falseValue"])
    return reader.call("if", [node["predicate"], node["trueValue"], node["falseValue"]], node)


def _null_where(
    reader: Expressions, node: PlanNode, condition: PlanNode, value: PlanNode
) -> ResolvedExpression:
    read = reader.read(value)
    if condition.kind == "EqualTo" and reader.read(condition["left"]) == read:
        return reader.call("nullif", [read, condition["right"]], node)
    none = literal(None, read.type.as_nullable())
    return made_call(built_in("case"), (reader.read(condition), none, read), node)


def _predicate(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """``startswith``, ``endswith`` and ``contains`` of BINARY, one class for all three."""
    return reader.call(node["prettyName"].lower(), [node["left"], node["right"]], node)


def _binary_pad(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """``lpad`` and ``rpad`` of BINARY, one class for both."""
    return reader.call(node["funcName"], [node["str"], node["len"], node["pad"]], node)


def _window_time(reader: Expressions, node: PlanNode) -> ResolvedExpression:
    """The microsecond before the end of a time window."""
    moved = node["child"]
    if moved.kind == "Subtract" and moved["left"].kind == "PreciseTimestampConversion":
        end = moved["left"]["child"]
        if end.kind == "GetStructField" and moved["right"].get("value") == "1":
            return reader.call("window_time", [end["child"]], node)
    raise refusal(
        node,
        "a time window is used in a way that is not known here",
        hint="group by the window, and compute with its columns in a later step",
    )


HANDLERS: dict[str, Handler] = {
    "ApplyFunctionExpression": read_catalog_function,
    "BinaryPad": _binary_pad,
    "BinaryPredicate": _predicate,
    "PreciseTimestampConversion": _window_time,
    "JsonToStructs": _format("from_json"),
    "CsvToStructs": _format("from_csv"),
    "XmlToStructs": _format("from_xml"),
    "StructsToJson": _format("to_json"),
    "StructsToCsv": _format("to_csv"),
    "StructsToXml": _format("to_xml"),
    "SchemaOfJson": _format("schema_of_json"),
    "SchemaOfCsv": _format("schema_of_csv"),
    "SchemaOfXml": _format("schema_of_xml"),
    "VariantGet": _variant_get,
    "Rand": _read_seeded("rand", "child"),
    "Randn": _read_seeded("randn", "child"),
    "Uniform": _read_seeded("uniform", "seedExpression"),
    "RandStr": _read_seeded("randstr", "seedExpression"),
    "Uuid": _random("uuid"),
    "Shuffle": _only_shuffled,
    "RaiseError": _raise_error,
    "AssertTrue": _assert_true,
    "AesEncrypt": _cipher,
    "AesDecrypt": _cipher,
    "Logarithm": _logarithm,
    "Collate": _collate,
    "TryEval": _try_eval,
    "AtLeastNNonNulls": _at_least,
    "ArraysZip": _zip_,
    "StaticInvoke": _static,
    "SQLScalarFunction": _inline,
    "With": _with,
    "CommonExpressionRef": _common,
    "If": _if,
    "NullIfResult": _null_if,
}
