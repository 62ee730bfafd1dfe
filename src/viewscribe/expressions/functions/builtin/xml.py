"""XML texts, and XPath into them."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.made_up_names import first
from viewscribe.expressions.functions.newer_forms import with_type
from viewscribe.expressions.functions.outputs import always_nullable
from viewscribe.expressions.functions.schemas import OPTIONS, SAMPLE, schema_at
from viewscribe.expressions.functions.validators import exactly, family, literal
from viewscribe.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    ArrayType,
    LogicalType,
    StructType,
    VariantType,
)


def _read(context: CallContext) -> LogicalType:
    found = schema_at(context, 1)
    if not isinstance(found, StructType | VariantType):
        raise context.mismatch("the schema is a STRUCT or VARIANT, or columns of one")
    return found


def _xpath(
    name: str, returns: LogicalType, doc: str, *, catalyst: str, aliases: tuple[str, ...] = ()
) -> FunctionDefinition:
    return scalar(
        name,
        args=(exactly(STRING), literal(exactly(STRING))),
        parameter_names=("xml", "path"),
        returns=always_nullable(returns),
        aliases=aliases,
        catalyst=catalyst,
        since="2.0.0",
        doc=doc,
    )


FROM_XML = scalar(
    "from_xml",
    args=(exactly(STRING), literal(STRING), OPTIONS),
    optional=1,
    returns=_read,
    catalyst=(),
    spelled_arguments=first(1),
    newer_form=with_type(VariantType, "4.1.0"),
    since="4.0.0",
    doc="The struct or VARIANT of an XML text, of a type given as text.",
)
TO_XML = scalar(
    "to_xml",
    args=(family("STRUCT or VARIANT", StructType, VariantType, default=StructType()), OPTIONS),
    optional=1,
    returns=always_nullable(STRING),
    catalyst=(),
    spelled_arguments=first(1),
    newer_form=with_type(VariantType, "4.1.0"),
    since="4.0.0",
    doc="The struct as an XML text.",
)
SCHEMA_OF_XML = scalar(
    "schema_of_xml",
    args=(SAMPLE, OPTIONS),
    optional=1,
    returns=STRING.not_null(),
    spelled_arguments=first(1),
    since="4.0.0",
    doc="The type of an XML text.",
)
XPATH = _xpath(
    "xpath", ArrayType(element=STRING), "The texts that an XPath leads to.", catalyst="XPathList"
)
XPATH_BOOLEAN = _xpath(
    "xpath_boolean",
    BOOLEAN,
    "Whether an XPath is true, or leads to something.",
    catalyst="XPathBoolean",
)
XPATH_DOUBLE = _xpath(
    "xpath_double",
    DOUBLE,
    "The number that an XPath gives.",
    aliases=("xpath_number",),
    catalyst="XPathDouble",
)
XPATH_FLOAT = _xpath("xpath_float", FLOAT, "The FLOAT that an XPath gives.", catalyst="XPathFloat")
XPATH_INT = _xpath("xpath_int", INT, "The INT that an XPath gives.", catalyst="XPathInt")
XPATH_LONG = _xpath("xpath_long", BIGINT, "The BIGINT that an XPath gives.", catalyst="XPathLong")
XPATH_SHORT = _xpath(
    "xpath_short", SMALLINT, "The SMALLINT that an XPath gives.", catalyst="XPathShort"
)
XPATH_STRING = _xpath(
    "xpath_string", STRING, "The text of the first node an XPath leads to.", catalyst="XPathString"
)
