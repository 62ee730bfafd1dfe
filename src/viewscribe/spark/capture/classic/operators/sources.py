"""Where rows come from: tables, files, ranges, local data, shared steps."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from viewscribe.errors import CaptureError
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.literals import literal
from viewscribe.expressions.properties import is_deterministic, refers_outside
from viewscribe.operations import nodes as n
from viewscribe.operations.build import values
from viewscribe.spark.capture.classic.columns import Captured
from viewscribe.spark.capture.classic.expressions.basics import value_of
from viewscribe.spark.capture.classic.operators.columns import free_name
from viewscribe.spark.capture.classic.plan import PlanNode, Product, inputs_of, refusal
from viewscribe.spark.capture.classic.run import CaptureRun, Handler, ids_of
from viewscribe.spark.capture.lowering.options import (
    escape_path,
    is_pattern,
    select_with_options,
    split_reads,
    union_reads,
    with_options,
)
from viewscribe.spark.capture.sources import is_absolute
from viewscribe.types import Field
from viewscribe.types.identifiers import quote_identifier, quote_name

WHOLE = ("CTERelationRef",)

_TABLE_HINT = "save it as a table: df.write.saveAsTable(…), and start from spark.table(…)"
SESSION = "spark_catalog"


def fields_of(attributes: list[PlanNode]) -> tuple[Field, ...]:
    """The columns that attributes say."""
    return tuple(
        Field(each["name"], each["dataType"].with_nullability(each["nullable"]))
        for each in attributes
    )


_EPOCH = datetime(1970, 1, 1)


def table(node: PlanNode, path: tuple[str, ...], as_of: str | None = None) -> Captured:
    """A table or view of a catalog, with the columns of the operator."""
    if len(path) == 2:
        path = (SESSION, *path)
    source = n.CatalogSource.of(path, fields_of(node.output), as_of)
    return Captured(source, ids_of(node.output))


def _relation(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    if node["isStreaming"]:
        raise refusal(node, "a stream is no view", hint="read the table in a batch query")
    catalog_table = node["catalogTable"]
    relation = node["relation"]
    if isinstance(catalog_table, Product):
        return _with_options(node, tuple(catalog_table["path"]), *_read_as(node, relation))
    if isinstance(relation, Product) and relation.name == "HadoopFsRelation":
        return _files(run, node, relation)
    if isinstance(relation, Product) and relation.name == "DeltaCDFRelation":
        raise _changes(node)
    raise refusal(node, f"the source {relation!r} has no name in SQL", hint=_TABLE_HINT)


def _files(run: CaptureRun, node: PlanNode, relation: Product) -> Captured:
    reads = _patterns_of(relation)
    options = {name: text for name, text in relation["options"].items() if name.lower() != "path"}
    name = relation["fileFormat"].name
    as_of, _ = _read_as(node, relation["version"])
    if as_of is not None and options:
        raise _as_it_was_with(node, options)
    fields = fields_of(node.output)
    if as_of is None and name != "delta" and run.query_schema is not None:
        made = union_reads(name, reads, options, fields, run.query_schema)
        return Captured(made, ids_of(node.output))
    if reads[1:]:
        raise refusal(node, f"{len(reads)} reads of files that are one", hint=_TABLE_HINT)
    source = f"{quote_identifier(name)}.`{reads[0].replace('`', '``')}`"
    clause = with_options(options) if as_of is None else f" {as_of}"
    return Captured(n.SqlText.of(f"SELECT * FROM {source}{clause}", fields), ids_of(node.output))


def _patterns_of(relation: Product) -> list[str]:
    """The pattern that was read, where it is no relative one; else those of the paths it found."""
    options: dict[str, str] = relation["options"]
    asked = next((text for name, text in options.items() if name.lower() == "path"), "")
    if is_pattern(asked) and is_absolute(asked):
        return [asked]
    return split_reads([escape_path(each) for each in relation["location"]])


def _hive(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    return table(node, tuple(node["tableMeta"]["path"]))


def _catalog(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    catalog, name = node["catalog"], node["identifier"]
    if catalog is None or name is None:
        raise refusal(node, "the source has no name in a catalog", hint=_TABLE_HINT)
    given = node.get("options") or {}
    options = {key: text for key, text in given.items() if key.lower() not in _TIME_OPTIONS}
    return _with_options(node, (catalog, *name), _as_of(node), options)


_TIME_OPTIONS = frozenset(("versionasof", "timestampasof"))
"""What Spark has made a clause of, which stands in the plan."""


def _read_as(node: PlanNode, told: object) -> tuple[str | None, dict[str, str]]:
    """The clause and options for what the plan says beside the name; see ``ofNamedTable``."""
    if isinstance(told, dict):
        return None, told
    if told is not None and not str(told).isdecimal():
        raise _changes(node)
    return (None if told is None else f"VERSION AS OF {told}"), {}


def _changes(node: PlanNode) -> CaptureError:
    return refusal(
        node,
        "it reads the changes of a table, or a version that nobody can name",
        hint="save what is read as a table",
    )


def _as_it_was_with(node: PlanNode, options: Iterable[str]) -> CaptureError:
    return refusal(
        node,
        f"a table as it was is read with options: {', '.join(sorted(options))}",
        hint="save that version as a table",
    )


def _with_options(
    node: PlanNode, path: tuple[str, ...], as_of: str | None, options: dict[str, str]
) -> Captured:
    """A table as it is read: by its name alone, at a time, or with options."""
    if not options:
        return table(node, path, as_of)
    if as_of is not None:
        raise _as_it_was_with(node, options)
    path = (SESSION, *path) if len(path) == 2 else path
    fields = fields_of(node.output)
    text = select_with_options([each.name for each in fields], quote_name(path), options)
    return Captured(n.SqlText.of(text, fields, (path,)), ids_of(node.output))


def _as_of(node: PlanNode) -> str | None:
    """The clause for a table as it was at an earlier time."""
    spec = node.get("timeTravelSpec")
    if spec is None:
        snapshot = node.get("table")
        return _read_as(node, snapshot)[0] if isinstance(snapshot, str) else None
    if spec.name == "AsOfVersion":
        version = str(spec["version"])
        as_of = f"VERSION AS OF {version}" if version.isdecimal() else f"VERSION AS OF '{version}'"
    else:
        moment = _EPOCH + timedelta(microseconds=int(spec["timestamp"]))
        as_of = f"TIMESTAMP AS OF TIMESTAMP '{moment.isoformat(' ')}Z'"
    if n.AS_OF.fullmatch(as_of) is None:
        raise refusal(node, f"it reads a table `{as_of}`, which has no form here")
    return as_of


def _view(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    """A permanent view stands by its name; of a temporary one its body stands in its place."""
    if node["isTempView"]:
        (body,) = inputs
        return Captured(body.operation, body.ids)
    return table(node, tuple(node["desc"]["path"]))


def _range(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    numbers = [node["start"], node["end"]]
    if node["step"] != 1:
        numbers.append(node["step"])
    elif node["start"] == 0:
        numbers = [node["end"]]
    if node["isStreaming"]:
        raise refusal(node, "a stream is no view")
    slices = node["numSlices"]
    if slices is not None and (run.partitions is None or slices != run.partitions()):
        numbers = [node["start"], node["end"], node["step"], slices]
    made = n.TableFunction.of(built_in("range"), tuple(literal(number) for number in numbers))
    return Captured(made, ids_of(node.output))


def _one_row(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    """What a SELECT without FROM reads."""
    return Captured(n.OneRow.of(), [])


def _local(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    rows, fields = node["data"], fields_of(node.output)
    if len(rows) > run.local_rows:
        raise refusal(
            node,
            f"{len(rows)} rows of local data are more than the {run.local_rows} that a view may "
            "hold",
            hint=_TABLE_HINT,
        )
    if not fields:
        raise refusal(node, "rows without columns have no form in SQL")
    if not rows:
        return Captured(n.Values.of((), fields), ids_of(node.output))
    held = [
        [value_of(each, field.type) for each, field in zip(row, fields, strict=True)]
        for row in rows
    ]
    typed = [Field(field.name, field.type.as_nullable()) for field in fields]
    made = values(
        [
            [literal(value, field.type) for value, field in zip(row, typed, strict=True)]
            for row in held
        ],
        typed,
    )
    return Captured(made, ids_of(node.output))


def _with_cte(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    made, ids = inputs[-1].operation, inputs[-1].ids
    for each in reversed(inputs_of(node)[:-1]):
        if each["id"] in run.computed:
            name, definition = run.computed[each["id"]]
            if refers_outside(made):
                raise _within_row(node)
            made = n.WithCte.of(definition, made, name)
    return Captured(made, ids)


def _definition(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    made, ids = inputs[0].operation, inputs[0].ids
    if run.is_read_again(node["id"]) and not is_deterministic(made):
        if refers_outside(made):
            raise _within_row(node)
        name = made.name if isinstance(made, n.SubqueryAlias) else "computed"
        name = free_name(name, run.names_of_ctes())
        while isinstance(made, n.SubqueryAlias):
            made = made.child
        run.computed[node["id"]] = name, made
        made = n.CteReference.of(name, made.schema.fields)
    run.shared[node["id"]] = Captured(made, ids)
    return inputs[0]


def _within_row(node: PlanNode) -> CaptureError:
    """Spark does not run it either: it decorrelates no query through a CTE."""
    return refusal(
        node,
        "a CTE has values that are others each time, and stands in a query that uses a column "
        "around it",
        hint="write it at the beginning of the statement",
    )


def _reference(run: CaptureRun, node: PlanNode, inputs: list[Captured]) -> Captured:
    if node.get("recursive"):
        raise refusal(node, "a recursive query is read outside of itself", hint=_TABLE_HINT)
    found = run.shared.get(node["cteId"])
    if found is None:
        raise refusal(node, "the query refers to a CTE that is not part of it")
    return Captured(found.operation, ids_of(node.output))


HANDLERS: dict[str, Handler] = {
    "LogicalRelation": _relation,
    "HiveTableRelation": _hive,
    "DataSourceV2Relation": _catalog,
    "View": _view,
    "Range": _range,
    "OneRowRelation": _one_row,
    "LocalRelation": _local,
    "WithCTE": _with_cte,
    "CTERelationDef": _definition,
    "CTERelationRef": _reference,
}
