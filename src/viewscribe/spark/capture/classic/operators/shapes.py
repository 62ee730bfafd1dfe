"""What changes how many rows there are: generators, and rows expanded into several."""

from __future__ import annotations

from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.nodes import Call
from viewscribe.operations import nodes as n
from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.capture.classic.plan import PlanNode, refusal
from viewscribe.spark.capture.classic.run import CaptureRun, Handler, ids_of

GENERATORS = {
    "Explode": "explode",
    "PosExplode": "posexplode",
    "Inline": "inline",
    "Stack": "stack",
    "JsonTuple": "json_tuple",
    "VariantExplode": "variant_explode",
}


LISTINGS = {"Collations": "collations", "SQLKeywords": "sql_keywords"}
"""Table functions that list what Spark has, which it makes generators over one row of."""


def _generate(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    (child,) = inputs
    generator: PlanNode = node["generator"]
    if generator.kind in LISTINGS and isinstance(child.operation, n.OneRow):
        listing = n.TableFunction.of(built_in(LISTINGS[generator.kind]), ())
        return Captured(listing, ids_of(node["generatorOutput"]))
    name = GENERATORS.get(generator.kind)
    reader = run.expressions(child)
    if name is None:
        reader.read(generator)  # a function of Python's says what to do about it
        raise refusal(generator, f"the generator `{generator.kind}` has no form that is known here")
    outputs: list[PlanNode] = node["generatorOutput"]
    try:
        call = reader.call(built_in(name), generator.expressions(), generator)
        assert isinstance(call, Call)
        names = tuple(each["name"] for each in outputs)
        made = n.Generate.of(child.operation, call, node["outer"], names)
    except ValidationError as error:
        raise refusal(generator, error.message, hint=error.hint) from error
    ids = [*child.ids, *[each.id for each in outputs]]
    return Captured(made, ids)


HANDLERS: dict[str, Handler] = {"Generate": _generate}
