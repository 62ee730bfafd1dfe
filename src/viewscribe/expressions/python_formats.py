"""PySpark's functions of JSON, CSV, XML, Avro, Protobuf and VARIANT whose arguments are Python's.

Schemas are types or their DDL texts; options are a dict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from viewscribe.errors import ValidationError
from viewscribe.expressions.dsl import CallExpression, Operand, operand
from viewscribe.expressions.functions.registry import built_in
from viewscribe.expressions.python_calls import python_call
from viewscribe.types import LogicalType
from viewscribe.types.arguments import as_mapping, wrong_class

Options = Mapping[str, Any] | None


def from_json(col: Operand, schema: Operand, options: Options = None) -> CallExpression:
    """The value of a JSON text, of a type given as a type or as its DDL text."""
    return python_call("from_json", col, _schema(schema), _options(options))


def to_json(col: Operand, options: Options = None) -> CallExpression:
    """The value as a JSON text."""
    return python_call("to_json", col, _options(options))


def schema_of_json(json: Operand, options: Options = None) -> CallExpression:
    """The type of a JSON text."""
    return python_call("schema_of_json", json, _options(options))


def from_csv(col: Operand, schema: Operand, options: Options = None) -> CallExpression:
    """The struct of a line of CSV, of a type given as a type or as its DDL text."""
    return python_call("from_csv", col, _schema(schema), _options(options))


def to_csv(col: Operand, options: Options = None) -> CallExpression:
    """The struct as a line of CSV."""
    return python_call("to_csv", col, _options(options))


def schema_of_csv(csv: Operand, options: Options = None) -> CallExpression:
    """The type of a line of CSV."""
    return python_call("schema_of_csv", csv, _options(options))


def from_xml(col: Operand, schema: Operand, options: Options = None) -> CallExpression:
    """The struct or VARIANT of an XML text, of a type given as a type or as its DDL text."""
    return python_call("from_xml", col, _schema(schema), _options(options))


def to_xml(col: Operand, options: Options = None) -> CallExpression:
    """The struct as an XML text."""
    return python_call("to_xml", col, _options(options))


def schema_of_xml(xml: Operand, options: Options = None) -> CallExpression:
    """The type of an XML text."""
    return python_call("schema_of_xml", xml, _options(options))


def from_avro(
    data: Operand,
    jsonFormatSchema: str,  # noqa: N803
    options: Options = None,
) -> CallExpression:
    """The value of Avro bytes, of a type given as Avro's JSON."""
    return python_call("from_avro", data, jsonFormatSchema, _options(options))


def to_avro(data: Operand, jsonFormatSchema: str = "") -> CallExpression:  # noqa: N803
    """The value as Avro bytes."""
    return python_call("to_avro", data, jsonFormatSchema or None)


def schema_of_avro(
    jsonFormatSchema: str,  # noqa: N803
    options: Options = None,
) -> CallExpression:
    """The type of an Avro schema, as text."""
    return python_call("schema_of_avro", jsonFormatSchema, _options(options))


def from_protobuf(
    data: Operand,
    messageName: str,  # noqa: N803
    descFilePath: str | None = None,  # noqa: N803
    options: Options = None,
    binaryDescriptorSet: bytes | None = None,  # noqa: N803
) -> CallExpression:
    """The struct of Protobuf bytes; the descriptor file is read now, as by PySpark."""
    descriptors = _descriptors(descFilePath, binaryDescriptorSet)
    return python_call("from_protobuf", data, messageName, descriptors, _options(options))


def to_protobuf(
    data: Operand,
    messageName: str,  # noqa: N803
    descFilePath: str | None = None,  # noqa: N803
    options: Options = None,
    binaryDescriptorSet: bytes | None = None,  # noqa: N803
) -> CallExpression:
    """The value as Protobuf bytes; the descriptor file is read now, as by PySpark."""
    descriptors = _descriptors(descFilePath, binaryDescriptorSet)
    return python_call("to_protobuf", data, messageName, descriptors, _options(options))


def variant_set(
    v: Operand, path: Operand, value: Operand, create_if_missing: bool = True
) -> CallExpression:
    """The VARIANT with a value at a path, new unless told not to be, or replaced."""
    return python_call("variant_set", v, path, value, None if create_if_missing else False)


def try_variant_set(
    v: Operand, path: Operand, value: Operand, create_if_missing: bool = True
) -> CallExpression:
    """Like variant_set, NULL where that would fail."""
    created = None if create_if_missing else False
    return python_call("try_variant_set", v, path, value, created)


def variant_strip_nulls(v: Operand, include_arrays: bool = True) -> CallExpression:
    """The VARIANT without fields, and unless told not to without elements, that are a JSON null."""
    return python_call("variant_strip_nulls", v, None if include_arrays else False)


def _schema(schema: Operand) -> Any:
    return schema.ddl if isinstance(schema, LogicalType) else schema


def _options(options: Options) -> CallExpression | None:
    if options is None:
        return None
    given = as_mapping(options, "options")
    pairs: Iterable[Any] = (_write_format(each) for pair in given.items() for each in pair)
    return CallExpression(built_in("map"), tuple(operand(each) for each in pairs))


def _write_format(value: Operand) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value}"


def _descriptors(path: str | None, given: bytes | bytearray | None) -> bytes | None:
    if given is not None:
        if not isinstance(given, bytes | bytearray):
            raise wrong_class(given, "binaryDescriptorSet", "bytes")
        return bytes(given)
    if path is None:
        return None
    if not isinstance(path, str | PathLike):
        raise wrong_class(path, "descFilePath", "the path of a file")
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise ValidationError(f"the descriptors {path!r} cannot be read: {error}") from error
