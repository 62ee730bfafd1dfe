"""The settings of a Spark session that the meaning of a query depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from viewscribe.catalog_store.settings import ALLOWED_SETTINGS, DEFAULT_SETTINGS, is_allowed
from viewscribe.errors import VerificationError
from viewscribe.expressions.functions.asynchronous.options import sparks_own

CAPTURED_SETTINGS: tuple[str, ...] = tuple(DEFAULT_SETTINGS)
"""What is always noted beside a view, because a reader's session may well differ in it."""

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
    return name in ALLOWED_SETTINGS and name != _SUBSTITUTION


@contextmanager
def settings(
    spark: SparkSession, wanted: Mapping[str, str], *, own: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Spark SQL settings in force inside the ``with`` block, and as before after it.

    What among ``wanted`` is not Spark's, but says how viewscribe calls functions, is left out.

    Args:
        spark: the session.
        wanted: settings of a document, which may only set what the meaning of a query depends on.
        own: settings that viewscribe itself needs for a while.

    Raises:
        VerificationError: a setting that this Spark does not let a session change, or that a
            stored view has no business with.
    """
    given = sparks_own(wanted)
    before = _all_settings(spark)
    for name, value in given.items():
        if before.get(name) != value:
            require_allowed(name, value)
    changed: list[str] = []
    try:
        for name, value in {**given, **(own or {})}.items():
            if _in_force(spark, before, name) != value:
                _set(spark, name, value)
                changed.append(name)
        yield
    finally:
        for name in reversed(changed):
            if name in before:
                spark.conf.set(name, before[name])
            else:
                spark.conf.unset(name)


def require_allowed(name: str, value: str) -> None:
    """Refuses a setting that the meaning of no query depends on, or a value it cannot have.

    Settings come with stored views, which may be anybody's: others name programs and classes, or
    say where credentials are sent.

    Raises:
        VerificationError: it is such a setting.
    """
    if is_allowed(name, value):
        return
    if name in ALLOWED_SETTINGS:
        raise VerificationError(
            f"the setting {name} of a view cannot be {value!r}",
            hint=f"it may be {ALLOWED_SETTINGS[name].pattern.replace('|', ', ')}",
        )
    raise VerificationError(
        f"the setting {name} is not taken from a view: it says more than what a query means",
        hint=f"where you want it so, set it in the session: spark.conf.set({name!r}, …)",
    )


def settings_of_text(text: str, wanted: Mapping[str, str]) -> dict[str, str]:
    """The settings under which Spark reads a stored text as it is written.

    Spark would put variables of the process and of the session in the place of ``${…}``.
    """
    return {**wanted, **({_SUBSTITUTION: "false"} if "${" in text else {})}


def run_as_written(spark: SparkSession, text: str) -> DataFrame:
    """What a statement gives that was made of documents.

    Names, places, comments and bodies in it are anybody's: ``${env:PASSWORD}`` in one of them is
    text, and Spark puts nothing in its place.
    """
    if "${" not in text:
        return spark.sql(text)
    with settings(spark, settings_of_text(text, {})):
        return spark.sql(text)


def _set(spark: SparkSession, name: str, value: str) -> None:
    try:
        spark.conf.set(name, value)
    except PySparkException as error:
        raise VerificationError(
            f"this session cannot have {name} = {value}: {first_line(error)}",
            hint="the view was made under that setting; use a Spark that knows it",
        ) from error


def _in_force(spark: SparkSession, before: Mapping[str, str], name: str) -> str | None:
    """The value of a setting; Spark warns of a deprecated one that is set to what it is anyway."""
    if name in before:
        return before[name]
    try:
        return spark.conf.get(name)
    except PySparkException:  # this Spark does not know it, and says so when it is set
        return None


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
