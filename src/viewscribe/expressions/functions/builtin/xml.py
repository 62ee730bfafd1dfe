"""XML texts, and XPath into them."""

from __future__ import annotations

from viewscribe.expressions.functions.context import CallContext
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.newer_forms import first, with_type
from viewscribe.expressions.functions.schemas import SAMPLE, schema_at
from viewscribe.expressions.functions.validators import family
from viewscribe.types import LogicalType, StructType, VariantType


def _read(context: CallContext) -> LogicalType:
    found = schema_at(context, 1)
    if not isinstance(found, StructType | VariantType):
        raise context.mismatch("the schema is a STRUCT or VARIANT, or columns of one")
    return found


FROM_XML = scalar("""from_xml(exactly(STRING), literal(STRING), literal(map_shape(STRING, STRING))?)
    The struct or VARIANT of an XML text, of a type given as text.
    since 4.0.0, no class""").where(
    returns=_read, spelled_arguments=first(1), newer_form=with_type(VariantType, "4.1.0")
)
TO_XML = scalar("""to_xml(_, literal(map_shape(STRING, STRING))?) -> STRING?
    The struct as an XML text.
    since 4.0.0, no class""").where(
    args=(family("STRUCT or VARIANT", StructType, VariantType, default=StructType()),),
    spelled_arguments=first(1),
    newer_form=with_type(VariantType, "4.1.0"),
)
SCHEMA_OF_XML = scalar("""schema_of_xml(_, literal(map_shape(STRING, STRING))?) -> STRING!
    The type of an XML text.
    since 4.0.0""").where(args=(SAMPLE,), spelled_arguments=first(1))
XPATH = scalar("""xpath(xml: exactly(STRING), path: literal(exactly(STRING))) -> ARRAY<STRING>?
    The texts that an XPath leads to.
    since 2.0.0, class XPathList, own collations""")
XPATH_BOOLEAN = scalar("""xpath_boolean(xml: exactly(STRING),
        path: literal(exactly(STRING))) -> BOOLEAN?
    Whether an XPath is true, or leads to something.
    since 2.0.0, class XPathBoolean, own collations""")
XPATH_DOUBLE = scalar("""xpath_double(xml: exactly(STRING),
        path: literal(exactly(STRING))) -> DOUBLE?
    The number that an XPath gives.
    since 2.0.0, alias xpath_number, class XPathDouble, own collations""")
XPATH_FLOAT = scalar("""xpath_float(xml: exactly(STRING), path: literal(exactly(STRING))) -> FLOAT?
    The FLOAT that an XPath gives.
    since 2.0.0, class XPathFloat, own collations""")
XPATH_INT = scalar("""xpath_int(xml: exactly(STRING), path: literal(exactly(STRING))) -> INT?
    The INT that an XPath gives.
    since 2.0.0, class XPathInt, own collations""")
XPATH_LONG = scalar("""xpath_long(xml: exactly(STRING), path: literal(exactly(STRING))) -> BIGINT?
    The BIGINT that an XPath gives.
    since 2.0.0, class XPathLong, own collations""")
XPATH_SHORT = scalar("""xpath_short(xml: exactly(STRING),
        path: literal(exactly(STRING))) -> SMALLINT?
    The SMALLINT that an XPath gives.
    since 2.0.0, class XPathShort, own collations""")
XPATH_STRING = scalar("""xpath_string(xml: exactly(STRING),
        path: literal(exactly(STRING))) -> STRING?
    The text of the first node an XPath leads to.
    since 2.0.0, class XPathString, own collations""")
