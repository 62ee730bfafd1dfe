"""Asynchronous functions as users write them, and the options of their calls."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Annotated, Any, NamedTuple

import pytest

import viewscribe as vs
from viewscribe import TableEnvironment, call, col
from viewscribe.catalog_store.documents.model import FunctionDocument
from viewscribe.errors import ValidationError
from viewscribe.expressions.functions.asynchronous.options import (
    DEFAULTS,
    AsyncOptions,
    OutputMode,
    RetryStrategy,
    async_settings,
    shown_duration,
    sparks_own,
)
from viewscribe.expressions.functions.declarative import decode, encode
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.python import inline, python_source
from viewscribe.expressions.functions.user_defined import Convention
from viewscribe.types import BIGINT, INT, STRING, ArrayType, Field, StructType


class Price(NamedTuple):
    amount: float
    currency: str


class Lookup(vs.AsyncScalarFunction):
    """Looks a key up."""

    def __init__(self, url: str = "") -> None:
        self.url = url

    async def eval(self, key: int, region: str | None) -> Price:
        return Price(1.0, "EUR")


class WithoutBase:
    async def eval(self, x: Annotated[int, "INT"]) -> str:
        return str(x)


class Static(vs.AsyncScalarFunction):
    @staticmethod
    async def eval(x: int) -> int:
        return x


class Drawn(vs.AsyncScalarFunction):
    deterministic = False

    async def eval(self, x: int) -> int:
        return x


@vs.async_udf
async def fetched(x: int) -> str:
    """Fetches it."""
    return str(x)


@vs.async_udf(returns="INT", parameters=["INT", "STRING"], deterministic=False, name="other")
async def untyped(a, b):
    return a


async def undecorated(x: int) -> int:
    return x


def signature(function: Any) -> str:
    source = python_source(function)
    shown = ", ".join(f"{each.name} {each.type.ddl}" for each in source.parameters or ())
    return f"({shown}) {source.returns.ddl if source.returns else None}"


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (Lookup, "(key BIGINT, region STRING) STRUCT<amount: DOUBLE, currency: STRING>"),
        (Lookup("x"), "(key BIGINT, region STRING) STRUCT<amount: DOUBLE, currency: STRING>"),
        (WithoutBase, "(x INT) STRING"),
        (WithoutBase(), "(x INT) STRING"),
        (Static, "(x BIGINT) BIGINT"),
        (fetched, "(x BIGINT) STRING"),
        (untyped, "(a INT, b STRING) INT"),
        (undecorated, "(x BIGINT) BIGINT"),
    ],
)
def test_types_follow_from_how_it_is_written(function: Any, expected: str) -> None:
    source = python_source(function)
    assert signature(function) == expected
    assert source.convention is Convention.ASYNC
    assert source.kind is FunctionKind.SCALAR


class Prices(vs.AsyncTableFunction):
    """What it costs, in each region."""

    async def eval(self, key: int) -> list[Price]:
        return [Price(1.0, "EUR")]


@vs.async_udtf(name="other")
async def keys(text: str) -> AsyncIterator[Annotated[int, "INT"]]:
    yield 1


async def yielding(x: int) -> AsyncGenerator[list[str], None]:
    yield [str(x)]


@vs.async_udtf(returns="STRUCT<a: INT, b: STRING>", parameters=["INT"])
async def unsaid(x):
    return []


class YieldingWithoutBase:
    async def eval(self, x: int) -> AsyncIterator[Price]:
        yield Price(1.0, "EUR")


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (Prices, "(key BIGINT) STRUCT<amount: DOUBLE, currency: STRING>"),
        (Prices(), "(key BIGINT) STRUCT<amount: DOUBLE, currency: STRING>"),
        (keys, "(text STRING) STRUCT<col: INT>"),
        (yielding, "(x BIGINT) STRUCT<col: ARRAY<STRING>>"),
        (unsaid, "(x INT) STRUCT<a: INT, b: STRING>"),
        (YieldingWithoutBase, "(x BIGINT) STRUCT<amount: DOUBLE, currency: STRING>"),
    ],
)
def test_the_columns_of_table_functions_follow_from_their_rows(
    function: Any, expected: str
) -> None:
    source = python_source(function)
    assert signature(function) == expected
    assert source.convention is Convention.ASYNC
    assert source.kind is FunctionKind.GENERATOR
    assert source.call_kind is FunctionKind.SCALAR


def test_a_coroutine_is_said_to_give_rows() -> None:
    async def listed(x: int) -> list[int]:
        return [x]

    assert python_source(listed).returns == ArrayType(element=BIGINT)
    source = python_source(listed, kind=FunctionKind.GENERATOR)
    assert source.returns == StructType(fields=(Field("col", BIGINT),))
    for function, kind in ((fetched, FunctionKind.GENERATOR), (Prices, FunctionKind.SCALAR)):
        with pytest.raises(ValidationError, match=f"async and cannot be of the kind {kind.value}"):
            python_source(function, kind=kind)


def test_types_that_are_given_win() -> None:
    source = python_source(undecorated, returns=STRING, parameters=[INT])
    assert source.returns == STRING
    assert [each.type for each in source.parameters or ()] == [INT]


def test_any_number_of_arguments_is_said() -> None:
    async def all_of(first: int, *others: int) -> int:
        return first

    source = python_source(all_of, parameters=["INT", "INT", "STRING"], returns="INT")
    assert [each.name for each in source.parameters or ()] == ["first", "others_1", "others_2"]
    with pytest.raises(ValidationError, match=r"(?s)any number of arguments.*give parameters="):
        python_source(all_of)


def test_what_is_known_besides() -> None:
    assert python_source(fetched).comment == "Fetches it."
    assert python_source(Lookup).comment == "Looks a key up."
    assert python_source(fetched).reference == f"{__name__}:fetched"
    assert not python_source(untyped).deterministic
    assert not python_source(Drawn).deterministic
    assert not python_source(fetched, deterministic=False).deterministic
    assert inline(untyped).identifier.name == "other"
    assert inline(Lookup("x")).identifier.name == inline(Lookup).identifier.name == "Lookup"


def test_a_decorated_function_is_still_a_function() -> None:
    assert asyncio.run(fetched(3)) == "3"
    assert fetched.__doc__ == "Fetches it."


def test_a_wrapper_of_a_coroutine_function_is_one() -> None:
    @functools.wraps(undecorated)
    def wrapped(x: int) -> Any:
        return undecorated(x)

    assert python_source(wrapped).convention is Convention.ASYNC


def test_a_plan_document_says_how_it_is_called() -> None:
    env = TableEnvironment()
    env.create_temporary_system_function("lookup", Lookup)
    function = env.functions.lookup("lookup").function
    decoded = decode(encode(function))  # type: ignore[arg-type]
    assert decoded.source.convention is Convention.ASYNC
    table = env.from_values([(1, "eu")], "k INT, r STRING").select(
        call("lookup", col("k"), col("r"))["amount"].alias("amount")
    )
    assert vs.Table.from_plan(env, table.to_plan()).to_sql() == table.to_sql()
    assert (
        "lookup(CAST(k AS BIGINT), r).amount" in table.to_sql() or "lookup(k, r)" in table.to_sql()
    )


# -- what is wrong ---------------------------------------------------------------------------------


def blocking() -> Any:
    class Blocking(vs.AsyncScalarFunction):
        def eval(self, x: int) -> int:
            return x

    return Blocking


def without_eval() -> Any:
    class Empty(vs.AsyncScalarFunction):
        pass

    return Empty()


def generating() -> Any:
    class Generating(vs.AsyncScalarFunction):
        async def eval(self, x: int) -> AsyncIterator[int]:
            yield x

    return Generating


def listless() -> Any:
    class Listless(vs.AsyncTableFunction):
        async def eval(self, x: int) -> Price:
            return Price(1.0, "EUR")

    return Listless


def perhaps() -> Any:
    class Perhaps(vs.AsyncTableFunction):
        async def eval(self, x: int) -> list[Price] | None:
            return None

    return Perhaps()


def blocking_rows() -> Any:
    class Rows(vs.AsyncTableFunction):
        def eval(self, x: int) -> list[int]:
            return [x]

    return Rows


def needing() -> Any:
    class Needing(vs.AsyncScalarFunction):
        def __init__(self, url: str) -> None: ...

        async def eval(self, x: int) -> int:
            return x

    return Needing


def by_name() -> Any:
    async def named(x: int, *, y: int) -> int:
        return x

    return named


def silent() -> Any:
    async def nothing() -> int:
        return 1

    return nothing


def unannotated() -> Any:
    async def bare(x) -> int:
        return 1

    return bare


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (blocking, r"Blocking\.eval is not async.*write `async def`"),
        (without_eval, r"Empty has no method eval.*async def eval"),
        (generating, r"Generating\.eval yields.*vs\.AsyncTableFunction"),
        (listless, r"Listless\.eval gives rows, and .*Price.* is no list.*-> list\[Row\]"),
        (perhaps, r"Perhaps\.eval gives rows, and .* is no list of them.*without rows \[\]"),
        (blocking_rows, r"Rows\.eval is not async"),
        (needing, r"Needing cannot be made without arguments.*Needing\(…\)"),
        (by_name, r"named wants `y` by name"),
        (silent, r"nothing takes no argument"),
        (unannotated, r"bare does not say the type of its parameter `x`.*annotate it"),
    ],
)
def test_mistakes_are_said_where_the_function_is_used(
    make: Callable[[], Any], message: str
) -> None:
    with pytest.raises(ValidationError, match=f"(?s){message}"):
        call(make(), col("x"))
    with pytest.raises(ValidationError, match=f"(?s){message}"):
        TableEnvironment().create_temporary_system_function("f", make())


def test_other_kinds_are_refused() -> None:
    for options, said in (
        ({"vectorized": True}, "vectorized"),
        ({"kind": FunctionKind.AGGREGATE}, "of the kind aggregate"),
    ):
        with pytest.raises(ValidationError, match=f"async and cannot be {said}"):
            python_source(undecorated, **options)
    with pytest.raises(ValidationError, match="has 1 parameters, not 2"):
        python_source(undecorated, parameters=["INT", "INT"])
    with pytest.raises(ValidationError, match="is not async"):
        vs.async_udf(lambda x: x)


# -- options ---------------------------------------------------------------------------------------

SYSTEM = "table.exec.async-scalar.system.lookup."


def options(**said: str) -> AsyncOptions:
    settings = {f"{SYSTEM}{key.replace('_', '-')}": value for key, value in said.items()}
    return async_settings(settings).of(FunctionIdentifier("lookup"))


def test_the_defaults_are_flinks() -> None:
    assert options() == DEFAULTS
    assert str(DEFAULTS) == "10 at once, 3 min for each, 3 attempts 100 ms apart"


def test_every_option() -> None:
    assert options(
        buffer_capacity="100",
        timeout="30 s",
        output_mode="allow_unordered",
        retry_strategy="NO_RETRY",
        fixed_delay="50ms",
        max_attempts="7",
    ) == AsyncOptions(
        capacity=100,
        timeout=30.0,
        output=OutputMode.ALLOW_UNORDERED,
        retry=RetryStrategy.NO_RETRY,
        delay=0.05,
        attempts=7,
    )
    assert options(max_concurrent_operations="5").capacity == 5
    assert options(retry_strategy="NO_RETRY", max_attempts="7").tries == 1


def test_functions_of_catalogs_have_their_paths_and_names_no_case() -> None:
    found = async_settings(
        {
            "table.exec.async-scalar.Cat.db.Lookup.timeout": "1 h",
            "table.exec.async-scalar.`a.b`.db.f.timeout": "2 h",
        }
    )
    assert found.of(FunctionIdentifier("LOOKUP", "db", "cat")).timeout == 3600
    assert found.of(FunctionIdentifier("f", "db", "a.b")).timeout == 7200
    assert found.of(FunctionIdentifier("lookup")) == DEFAULTS


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.2, "200 ms"), (30, "30 s"), (180, "3 min"), (90, "90 s"), (7200, "2 h")],
)
def test_durations_are_shown_as_they_are_written(seconds: float, shown: str) -> None:
    assert shown_duration(seconds) == shown
    assert options(timeout=shown).timeout == seconds


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (f"{SYSTEM}tiemout", "1 s", "no option `tiemout`.*did you mean: timeout; the options are"),
        (f"{SYSTEM}timeout", "fast", "cannot be 'fast'.*a number and a unit: '200 ms'"),
        (f"{SYSTEM}timeout", "5", "cannot be '5'.*a unit"),
        (f"{SYSTEM}timeout", "0 s", "cannot be '0 s'.*more than nothing"),
        (f"{SYSTEM}buffer-capacity", "0", "cannot be '0'.*whole number from 1"),
        (f"{SYSTEM}max-attempts", "-1", "cannot be '-1'.*whole number from 1"),
        (f"{SYSTEM}output-mode", "ANY", "cannot be 'ANY'.*ORDERED or ALLOW_UNORDERED"),
        (f"{SYSTEM}retry-strategy", "ONCE", "cannot be 'ONCE'.*FIXED_DELAY or NO_RETRY"),
        ("table.exec.async-scalar.timeout", "1 s", "does not say of which function.*system.<fun"),
        ("table.exec.async-scalar.db.f.timeout", "1 s", "does not say of which function"),
    ],
)
def test_mistakes_in_settings_are_said_when_the_environment_is_made(
    name: str, value: str, message: str
) -> None:
    with pytest.raises(ValidationError, match=f"(?s){message}"):
        TableEnvironment(settings={name: value})


def test_options_of_table_functions_have_their_own_name() -> None:
    both = async_settings(
        {"table.exec.async-table.system.lookup.timeout": "5 s", f"{SYSTEM}max-attempts": "2"}
    ).of(FunctionIdentifier("lookup"))
    assert both == AsyncOptions(timeout=5.0, attempts=2)
    with pytest.raises(ValidationError, match=r"write table\.exec\.async-table\.system"):
        async_settings({"table.exec.async-table.lookup.timeout": "5 s"})


def test_two_names_of_one_option_agree() -> None:
    assert options(buffer_capacity="5", max_concurrent_operations="5").capacity == 5
    with pytest.raises(ValidationError, match="say different things"):
        options(buffer_capacity="5", max_concurrent_operations="6")


def test_they_are_none_of_sparks_settings_and_stay_with_a_view() -> None:
    settings = {f"{SYSTEM}timeout": "5 s", "spark.sql.session.timeZone": "UTC"}
    assert sparks_own(settings) == {"spark.sql.session.timeZone": "UTC"}
    env = TableEnvironment(settings=settings)
    env.create_table("t", "id INT")
    env.create_view("v", env.from_path("t"))
    assert env.get_view("v").settings[f"{SYSTEM}timeout"] == "5 s"


def test_a_catalog_refers_to_them_by_module_and_name() -> None:
    env = TableEnvironment()
    for function in (fetched, Lookup):
        name = function.__name__.lower()
        env.create_function(name, function)
        document = env.catalogs.get("function", (name,)).document
        assert isinstance(document, FunctionDocument)
        assert document.convention == "async"
        assert document.class_name == f"{__name__}:{function.__name__}"
