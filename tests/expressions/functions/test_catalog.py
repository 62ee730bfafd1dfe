"""The function catalog: the four kinds, the orders of resolution, every conflict."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.fuzzing import examples
from viewscribe import Table, TableEnvironment, call, col
from viewscribe.errors import (
    NotSerializableError,
    UnknownFunctionError,
    ValidationError,
    ViewscribeError,
)
from viewscribe.expressions.functions.definition import FunctionKind
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.of_catalogs import FunctionConflictError, FunctionOrigin
from viewscribe.expressions.functions.user_defined import (
    FunctionParameter,
    FunctionSource,
    Language,
)
from viewscribe.types import BIGINT, STRING
from viewscribe.types.identifiers import quote_name


def source(body: str = "x", **given: Any) -> FunctionSource:
    parameters = (FunctionParameter("x", STRING),)
    options = {"kind": FunctionKind.SCALAR, "parameters": parameters, "returns": BIGINT, **given}
    return FunctionSource(language=Language.SQL, body=body, **options)


@pytest.fixture
def env() -> TableEnvironment:
    made = TableEnvironment()
    made.create_database("db")
    made.create_table("t", "id INT, name STRING")
    return made


def origin(env: TableEnvironment, name: str) -> FunctionOrigin:
    return env.functions.lookup(name).origin


# -- orders ----------------------------------------------------------------------------------------


def test_an_ambiguous_name_finds_temporary_system_then_system(env: TableEnvironment) -> None:
    assert origin(env, "UPPER") is FunctionOrigin.SYSTEM
    env.functions.create("default.upper", source())
    env.functions.register_temporary_catalog("default.upper", source())
    assert origin(env, "upper") is FunctionOrigin.SYSTEM
    env.functions.register_temporary_system("Upper", source())
    assert origin(env, "uPPer") is FunctionOrigin.TEMPORARY_SYSTEM


def test_an_ambiguous_name_finds_temporary_catalog_then_catalog(env: TableEnvironment) -> None:
    env.functions.create("default.mine", source())
    assert origin(env, "mine") is FunctionOrigin.CATALOG
    env.functions.register_temporary_catalog("default.MINE", source())
    assert origin(env, "mine") is FunctionOrigin.TEMPORARY_CATALOG
    env.use_database("db")
    assert env.functions.find("mine") is None


def test_a_precise_name_never_finds_a_system_function(env: TableEnvironment) -> None:
    assert env.functions.find("default.upper") is None
    env.functions.register_temporary_system("mine", source())
    assert env.functions.find("default.mine") is None
    with pytest.raises(UnknownFunctionError, match=r"no function `db\.upper`"):
        env.functions.lookup("db.upper")


def test_a_partial_name_is_padded_with_the_current_catalog(env: TableEnvironment) -> None:
    env.functions.create("spark_catalog.db.f", source())
    found = env.functions.lookup("DB.F")
    assert found.identifier == FunctionIdentifier("f", "db", "spark_catalog")


def test_a_temporary_function_may_name_a_catalog_that_does_not_exist(
    env: TableEnvironment,
) -> None:
    env.functions.register_temporary_catalog("nowhere.never.f", source())
    assert origin(env, "nowhere.never.f") is FunctionOrigin.TEMPORARY_CATALOG
    assert env.functions.find("nowhere.never.g") is None


NAMES = ("upper", "f", "g")
PATHS = ("default.f", "default.upper", "db.f", "spark_catalog.db.g", "ghost.db.f")


class Resolution(RuleBasedStateMachine):
    """Whatever is registered and dropped, a name finds what the document's orders say."""

    def __init__(self) -> None:
        super().__init__()
        self.env = TableEnvironment()
        self.env.create_database("db")
        self.known: dict[FunctionOrigin, set[tuple[str, ...]]] = {
            kind: set() for kind in FunctionOrigin
        }
        self.database = "default"

    def key(self, path: str) -> tuple[str, ...]:
        parts = tuple(path.split("."))
        return parts if len(parts) == 3 else ("spark_catalog", *parts)

    @rule(name=st.sampled_from(NAMES))
    def temporary_system(self, name: str) -> None:
        known = self.known[FunctionOrigin.TEMPORARY_SYSTEM]
        made = self.env.functions.register_temporary_system(name, source(), if_not_exists=True)
        assert made is ((name,) not in known)
        known.add((name,))

    @rule(name=st.sampled_from(NAMES))
    def drop_temporary_system(self, name: str) -> None:
        known = self.known[FunctionOrigin.TEMPORARY_SYSTEM]
        dropped = self.env.functions.drop_temporary_system(name, if_exists=True)
        assert dropped is ((name,) in known)
        known.discard((name,))

    @rule(path=st.sampled_from(PATHS))
    def temporary_catalog(self, path: str) -> None:
        self.env.functions.register_temporary_catalog(path, source(), if_not_exists=True)
        self.known[FunctionOrigin.TEMPORARY_CATALOG].add(self.key(path))

    @rule(path=st.sampled_from(PATHS))
    def drop_temporary_catalog(self, path: str) -> None:
        self.env.functions.drop_temporary_catalog(path, if_exists=True)
        self.known[FunctionOrigin.TEMPORARY_CATALOG].discard(self.key(path))

    @rule(path=st.sampled_from(PATHS[:4]), drop=st.booleans())
    def stored(self, path: str, drop: bool) -> None:
        key, known = self.key(path), self.known[FunctionOrigin.CATALOG]
        if key in self.known[FunctionOrigin.TEMPORARY_CATALOG]:
            with pytest.raises(FunctionConflictError, match="a temporary function of that name"):
                self.env.functions.create(path, source())
        elif drop:
            assert self.env.functions.drop(path, if_exists=True) is (key in known)
            known.discard(key)
        else:
            self.env.functions.create(path, source(), if_not_exists=True)
            known.add(key)

    @rule(database=st.sampled_from(("default", "db")))
    def use(self, database: str) -> None:
        self.env.use_database(database)
        self.database = database

    def expected(self, parts: tuple[str, ...]) -> FunctionOrigin | None:
        if len(parts) == 1:
            if parts in self.known[FunctionOrigin.TEMPORARY_SYSTEM]:
                return FunctionOrigin.TEMPORARY_SYSTEM
            if parts == ("upper",):
                return FunctionOrigin.SYSTEM
            parts = ("spark_catalog", self.database, *parts)
        for kind in (FunctionOrigin.TEMPORARY_CATALOG, FunctionOrigin.CATALOG):
            if parts in self.known[kind]:
                return kind
        return None

    @invariant()
    def names_find_what_the_orders_say(self) -> None:
        for name in (*NAMES, *PATHS):
            parts = (name,) if "." not in name else self.key(name)
            found = self.env.functions.find(name)
            assert (found and found.origin) == self.expected(parts), name


TestResolution = Resolution.TestCase
TestResolution.settings = settings(max_examples=examples(16), stateful_step_count=40)


# -- conflicts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda f: f.create("db.a", source()), "the function spark_catalog.db.a exists already"),
        (lambda f: f.register_temporary_system("s", source()), "temporary system function s exist"),
        (lambda f: f.register_temporary_catalog("db.c", source()), "temporary function .* exists"),
        (lambda f: f.create("db.c", source()), "cannot create .*: a temporary function"),
        (lambda f: f.drop("db.c"), "cannot drop .*: a temporary function"),
        (lambda f: f.alter("db.c", source()), "cannot alter .*: a temporary function"),
        (lambda f: f.drop("db.b"), "cannot drop the function .*: there is none"),
        (lambda f: f.drop("upper"), "(?s)cannot drop.*`upper` is a system function"),
        (lambda f: f.drop_temporary_system("upper"), "there is no temporary system function"),
        (lambda f: f.drop_temporary_catalog("db.b"), "there is no temporary function"),
        (lambda f: f.alter_temporary_system("q", source()), "there is no temporary system"),
    ],
)
def test_conflicts_have_their_own_errors(env: TableEnvironment, act: Any, message: str) -> None:
    env.functions.create("db.a", source())
    env.functions.register_temporary_system("s", source())
    env.functions.register_temporary_catalog("db.c", source())
    with pytest.raises(FunctionConflictError, match=message):
        act(env.functions)


def test_leniency_leaves_what_is_there(env: TableEnvironment) -> None:
    functions = env.functions
    assert functions.create("db.f", source("1"))
    assert not functions.create("db.f", source("2"), if_not_exists=True)
    found: Any = functions.lookup("db.f").function
    assert found.source.body == "1"
    assert functions.alter("db.f", source("3"))
    altered: Any = functions.lookup("db.f").function
    assert altered.source.body == "3"
    assert not functions.alter("db.g", source(), if_exists=True)
    assert not functions.drop("db.g", if_exists=True)


def test_an_unknown_name_shows_the_nearest(env: TableEnvironment) -> None:
    env.functions.create("db.customer_tier", source())
    with pytest.raises(UnknownFunctionError, match="did you mean: customer_tier"):
        env.functions.lookup("db.customer_teir")


def test_names_of_four_parts_are_refused(env: TableEnvironment) -> None:
    with pytest.raises(ValidationError, match="has 4 parts"):
        env.functions.lookup("a.b.c.d")


# -- in pipelines ----------------------------------------------------------------------------------


def text(table: Table) -> str:
    return table.to_sql().partition("\n  ")[2].partition("\n")[0]


def test_the_text_names_the_very_function(env: TableEnvironment) -> None:
    env.functions.create("db.f", source())
    env.functions.register_temporary_system("upper", source())
    env.functions.register_temporary_system("mine", source())
    env.functions.register_temporary_catalog("db.g", source())
    table = env.from_path("t")
    for name, shown in (
        ("lower", "lower(name)"),
        ("upper", "system.session.upper(name)"),
        ("mine", "mine(name)"),
        ("db.f", "spark_catalog.db.f(name)"),
        ("db.g", "system.session.`spark_catalog.db.g`(name)"),
    ):
        assert text(table.select(call(name, col("name")).alias("x"))) == f"{shown} AS x"


ODD = st.sampled_from(["g", "G h", "a.b", "upper", "c.b.f", "ß", "`", "spark_catalog.db.g", "if"])


@given(st.sets(st.tuples(ODD, st.sampled_from(["system", "default", "db", "stored"]))))
@example({("g", "db"), ("spark_catalog.db.g", "system")})
def test_the_text_of_a_call_is_read_as_that_very_function(named: set[tuple[str, str]]) -> None:
    """Where Spark would have two temporary functions of one name, it is that one or refused."""
    env = TableEnvironment()
    env.create_database("db")
    env.create_table("t", "name STRING")
    made = []
    for place, (home, name) in enumerate(sorted((home, name) for name, home in named)[::-1]):
        path: tuple[str, ...] = ("db" if home == "stored" else home, name)
        body = source(f"length(x) + {place}")
        if home == "system":
            path = (name,)
            env.functions.register_temporary_system(path, body)
        elif home == "stored":
            env.functions.create(path, body)
        else:
            env.functions.register_temporary_catalog(path, body)
        made.append(quote_name(path))
    calls = [call(each, col("name")).alias("x") for each in dict.fromkeys(made)]
    tables = [env.from_path("t").select(each) for each in calls]
    texts = [table.to_sql() for table in tables]
    names = [text.replace("system.session.", "") for text in texts]
    for table, text, name in zip(tables, texts, names, strict=True):
        try:
            read = env.sql_query(text)
        except ViewscribeError:
            assert names.count(name) > 1
        else:
            assert texts.count(text) == 1
            assert read.equals(table)


def test_a_name_means_what_it_means_where_it_is_used(env: TableEnvironment) -> None:
    expression = call("mine", col("name")).alias("x")
    env.functions.create("default.mine", source())
    other = TableEnvironment()
    other.create_table("t", "name STRING")
    assert "default.mine(name)" in env.from_path("t").select(expression).to_sql()
    with pytest.raises(UnknownFunctionError):
        other.from_path("t").select(expression)


def test_arguments_are_checked(env: TableEnvironment) -> None:
    env.functions.create("db.f", source())
    with pytest.raises(ValidationError, match="takes 1 argument, not 2"):
        env.from_path("t").select(call("db.f", 1, 2))


def test_trees_with_user_functions_are_equal_and_survive(env: TableEnvironment) -> None:
    env.functions.create("db.f", source("length(x)"))
    made = env.from_path("t").select(call("db.f", col("name")).alias("x"))
    again = env.from_path("t").select(call("DB.F", col("name")).alias("x"))
    assert made.equals(again)
    assert pickle.loads(pickle.dumps(made.operation)) == made.operation
    assert Table.from_plan(env, made.to_plan()).equals(made)


@given(st.booleans(), st.sampled_from([None, "what it does"]), st.sampled_from(["x", "'a' || x"]))
def test_stored_functions_come_back(deterministic: bool, comment: str | None, body: str) -> None:
    env = TableEnvironment()
    env.create_database("db")
    given = source(body, deterministic=deterministic, comment=comment)
    env.functions.create("db.f", given)
    found: Any = env.functions.lookup("db.f").function
    assert found.source.identity == given.identity


def test_a_stored_view_calls_no_temporary_function(env: TableEnvironment) -> None:
    env.functions.register_temporary_system("mine", source())
    made = env.from_path("t").select(call("mine", col("name")).alias("x"))
    with pytest.raises(NotSerializableError, match=r"(?s)temporary function mine.*create_function"):
        env.create_view("v", made)


def test_a_stored_view_notes_the_functions_it_calls(env: TableEnvironment) -> None:
    env.functions.create("db.f", source())
    env.create_view("v", env.from_path("t").select(call("db.f", col("name")).alias("x")))
    kinds = {(each.kind, each.name) for each in env.get_view("v").dependencies}
    assert ("function", ("spark_catalog", "db", "f")) in kinds


# -- inline functions ------------------------------------------------------------------------------


def doubled(x: int) -> int:
    return 2 * x


def test_an_inline_function_has_no_text(env: TableEnvironment) -> None:
    made = env.from_path("t").select(call(doubled, col("id")).alias("x"))
    assert str(made.schema) == "x BIGINT"
    with pytest.raises(NotSerializableError, match="doubled is used without being"):
        made.to_sql()
    with pytest.raises(NotSerializableError, match="cannot call doubled, which is not registered"):
        env.create_view("v", made)


def test_a_hook_names_inline_functions_on_the_fly() -> None:
    def register(function: Any) -> str:
        made_in.execute_sql(
            f"CREATE FUNCTION IF NOT EXISTS inline_{function.name}(x BIGINT) RETURNS BIGINT "
            "RETURN 2 * x"
        )
        return f"inline_{function.name}"

    env = made_in = TableEnvironment(inline_functions=register)
    env.create_table("t", "id INT")
    made = env.from_path("t").select(call(doubled, col("id")).alias("x"))
    assert "spark_catalog.default.inline_doubled(id) AS x" in made.to_sql()
    env.create_view("v", made)
    assert ("spark_catalog", "default", "inline_doubled") in {
        each.name for each in env.get_view("v").dependencies
    }


def test_the_registered_function_must_give_the_same_type() -> None:
    env = TableEnvironment(inline_functions=lambda function: "upper")
    env.create_table("t", "name STRING")
    made = env.from_path("t").select(call(len_of, col("name")).alias("x"))
    with pytest.raises(ValidationError, match=r"upper gives STRING, and the inline function"):
        made.to_sql()


def len_of(text: str) -> int:
    return len(text)
