"""The parameters that are known by name are those of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.versions import before
from viewscribe.expressions.functions.registry import all_built_ins

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARAMETERS = {each.name: each.parameters for each in all_built_ins().values() if each.parameters}
ONLY_TABLES = ("variant_explode", "variant_explode_outer")
"""Functions that Spark has in FROM alone."""


@pytest.mark.skipif(before("4.3"), reason="older versions of Spark know fewer of them")
def test_parameters_are_those_of_spark(spark: SparkSession):
    known = {name: each for name, each in PARAMETERS.items() if name not in ONLY_TABLES}
    assert {name: _signature(spark, name) for name in known} == known


@pytest.mark.skipif(before("4.3"), reason="older versions of Spark know fewer of them")
@pytest.mark.parametrize("name", ONLY_TABLES)
def test_parameters_of_tables_are_those_of_spark(spark: SparkSession, name: str):
    from pyspark.errors import AnalysisException

    (parameter,) = PARAMETERS[name]
    query = f"SELECT * FROM {name}({{}} => parse_json('[1]'))"
    assert spark.sql(query.format(parameter)).columns == ["pos", "key", "value"]
    with pytest.raises(AnalysisException, match="UNRECOGNIZED_PARAMETER_NAME"):
        spark.sql(query.format("other"))


@pytest.mark.skipif(before("4.3"), reason="older versions of Spark know fewer of them")
@pytest.mark.parametrize("name", ["upper", "rand", "approx_top_k", "listagg", "uniform"])
def test_other_functions_have_none(spark: SparkSession, name: str):
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException, match="NAMED_PARAMETERS_NOT_SUPPORTED"):
        spark.sql(f"SELECT {name}(x => 1)")


def _signature(spark: Any, name: str) -> tuple[Any, ...]:
    """What the builder of a function says of its parameters."""
    jvm = spark._jvm
    identifier = jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(name)
    catalog = spark._jsparkSession.sessionState().catalog()
    builder = f"{catalog.lookupFunctionInfo(identifier).getClassName()}$"
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    signature = loader.loadClass(builder).getField("MODULE$").get(None).functionSignature().get()
    parameters = signature.parameters()
    return tuple(_parameter(parameters.apply(at)) for at in range(parameters.size()))


def _parameter(parameter: Any) -> Any:
    if parameter.default().isEmpty():
        return parameter.name()
    value = parameter.default().get().value()
    plain = value is None or isinstance(value, bool | int)
    return parameter.name(), value if plain else value.toString()
