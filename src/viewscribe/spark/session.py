"""The settings of a Spark session that the meaning of a query depends on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from viewscribe.catalog_store.settings import DEFAULT_SETTINGS
from viewscribe.errors import VerificationError
from viewscribe.expressions.functions.asynchronous.options import sparks_own

CAPTURED_SETTINGS: tuple[str, ...] = tuple(DEFAULT_SETTINGS)
"""What is always noted beside a view, because a reader's session may well differ in it."""

_NOTED_WHERE_SET = (
    "spark.sql.ansi.",
    "spark.sql.caseSensitive",
    "spark.sql.charAsVarchar",
    "spark.sql.crossJoin.enabled",
    "spark.sql.function.",
    "spark.sql.functionResolution.",
    "spark.sql.groupByAliases",
    "spark.sql.groupByOrdinal",
    "spark.sql.jsonGenerator.",
    "spark.sql.lateralColumnAlias.",
    "spark.sql.legacy.",
    "spark.sql.orderByOrdinal",
    "spark.sql.parser.",
    "spark.sql.preserveCharVarcharTypeInfo",
    "spark.sql.readSideCharPadding",
    "spark.sql.session.",
)
"""Prefixes of settings that change what a query means and hardly anybody touches."""

_NOT_NOTED = ("spark.sql.legacy.createHiveTableByDefault", "spark.sql.session.localRelation")

_HARMFUL = re.compile(
    r"^spark\.sql\.(catalog\.|defaultCatalog|variable\.|redaction\.|maven\.|hive\.metastore)"
    r"|(^|[.a-z])(class(es|name|path)?|factory|jars?|listeners?|extensions|provider)$",
    re.IGNORECASE,
)
_SUBSTITUTION = "spark.sql.variable.substitute"


def captured_settings(spark: SparkSession | None = None) -> dict[str, str]:
    """The settings that the meaning of a view made in this session depends on.

    The usual ones with their values, and the unusual ones that were set at all; without a session
    Spark's defaults. Spark itself notes nearly every setting (``view.sqlConfig``); those that only
    say how a query is carried out are left out here.
    """
    if spark is None:
        return dict(DEFAULT_SETTINGS)
    found = {name: str(spark.conf.get(name)) for name in CAPTURED_SETTINGS}
    for name, value in _all_settings(spark).items():
        if is_meant(name):
            found[name] = value
    return dict(sorted(found.items()))


def is_meant(name: str) -> bool:
    """Whether a setting can change what a query means, and so is noted beside a view."""
    return name in DEFAULT_SETTINGS or (
        name.startswith(_NOTED_WHERE_SET) and not name.startswith(_NOT_NOTED)
    )


@contextmanager
def settings(spark: SparkSession, wanted: Mapping[str, str]) -> Iterator[None]:
    """Spark SQL settings in force inside the ``with`` block, and as before after it.

    What among ``wanted`` is not Spark's, but says how viewscribe calls functions, is left out.

    Raises:
        VerificationError: a setting that this Spark does not let a session change, or that a
            stored view has no business with.
    """
    before = _all_settings(spark)
    changed: list[str] = []
    try:
        for name, value in sparks_own(wanted).items():
            if before.get(name) != value:
                require_harmless(name, value)
                _set(spark, name, value)
                changed.append(name)
        yield
    finally:
        for name in reversed(changed):
            if name in before:
                spark.conf.set(name, before[name])
            else:
                spark.conf.unset(name)


def require_harmless(name: str, value: str) -> None:
    """Refuses a setting that says more than what a query means.

    Settings come with stored views. Those that are not of Spark's SQL go to Hadoop, and say where
    its credentials are sent; others name classes to be loaded, or other catalogs behind the names.

    Raises:
        VerificationError: it is such a setting.
    """
    if name.startswith("spark.sql.") and _HARMFUL.search(name) is None:
        return
    if (name, value.lower()) == (_SUBSTITUTION, "false"):
        return
    raise VerificationError(
        f"the setting {name} is not taken from a view: it says more than what a query means",
        hint=f"where you want it so, set it in the session: spark.conf.set({name!r}, …)",
    )


def settings_of_text(text: str, wanted: Mapping[str, str]) -> dict[str, str]:
    """The settings under which Spark reads a stored text as it is written.

    Spark would put variables of the process and of the session in the place of ``${…}``.
    """
    return {**wanted, **({_SUBSTITUTION: "false"} if "${" in text else {})}


def _set(spark: SparkSession, name: str, value: str) -> None:
    try:
        spark.conf.set(name, value)
    except PySparkException as error:
        raise VerificationError(
            f"this session cannot have {name} = {value}: {first_line(error)}",
            hint="the view was made under that setting; use a Spark that knows it",
        ) from error


def _all_settings(spark: SparkSession) -> dict[str, str]:
    """What was set in the session, without Spark's defaults."""
    conf: Any = spark.conf
    return dict(conf.getAll)


def first_line(error: BaseException) -> str:
    """What an error of Spark says, without plans and Java's stack."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    if text.startswith("An error occurred while calling") and len(lines) > 1:
        text = lines[1].lstrip(": ")
    return text if len(text) <= 600 else text[:600] + "…"
