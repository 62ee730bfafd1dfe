"""The plugin in projects of users: fixtures, files, verdicts, several processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.snapshots.conftest import Run

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.slow("each test runs pytest, some of them several times")

Write = Callable[[str, str], Path]

TESTS = """
    import pytest
    from viewscribe import col

    pytestmark = pytest.mark.view_tables("t(a INT, b STRING)", u="a INT, x STRING")

    @pytest.fixture
    def table(view_env):
        return view_env.from_path("t")

    def test_table(table, view_snapshot):
        assert table.filter(col("a") > 1).select("a") == view_snapshot

    def test_turned(table, view_snapshot):
        assert view_snapshot == table.select("b")

    @pytest.mark.parametrize("kind", ["x", "y"])
    def test_text(view_snapshot, kind):
        assert f"SELECT a FROM t WHERE b = '{kind}'" == view_snapshot

    def test_named(view_snapshot):
        assert "SELECT a FROM u" == view_snapshot(name="sales/u")
"""


def contents(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


@pytest.fixture
def approved(project: pytest.Pytester, run: Run, write: Write) -> Path:
    """The directory of approved files of ``TESTS``."""
    write("tests/test_t.py", TESTS)
    run("--snapshot-update").assert_outcomes(passed=5)
    return project.path / "snapshots"


def change(project: pytest.Pytester, *pairs: tuple[str, str]) -> None:
    path = project.path / "tests" / "test_t.py"
    text = path.read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


COSMETIC = ("SELECT a FROM t WHERE b", r"SELECT o.a\nFROM t AS o\nWHERE b")
LAYOUT = ("SELECT a FROM u", r"SELECT a\n  FROM u")
TRUE = ('col("a") > 1', 'col("a") > 2')


def test_files(approved: Path, run: Run) -> None:
    assert sorted(contents(approved)) == [
        "sales/u.sql",
        "t/table.sql",
        "t/text[x].sql",
        "t/text[y].sql",
        "t/turned.sql",
    ]
    assert (approved / "t/table.sql").read_text() == (
        "-- Snapshot t/table of tests/test_t.py::test_table, written by viewscribe\n"
        "SELECT\n  a\nFROM spark_catalog.default.t\nWHERE a > 1\n"
    )
    result = run()
    result.assert_outcomes(passed=5)
    result.stdout.no_fnmatch_line("*changed SQL*")


def test_a_file_that_is_not_there_fails(project: pytest.Pytester, run: Run, write: Write) -> None:
    write("tests/test_t.py", TESTS)
    result = run()
    result.assert_outcomes(failed=5)
    result.stdout.fnmatch_lines(
        ["*Snapshot 't/table' does not exist!", "*pytest --snapshot-update writes it"]
    )
    assert not (project.path / "snapshots").exists()


def test_verdicts(approved: Path, project: pytest.Pytester, run: Run) -> None:
    before = contents(approved)
    change(project, COSMETIC, LAYOUT, TRUE)
    result = run()
    result.assert_outcomes(passed=1, failed=4)
    result.stdout.fnmatch_lines(
        [
            "E *verdict: different (not proven otherwise: they differ in *WHERE*",
            "E *approved SQL: snapshots/t/table.sql:5",
            "E *to approve the change: pytest --snapshot-update",
            "--* snapshots/t/table.sql:5 -*",
            "-WHERE a > 1",
            "+WHERE a > 2",
            "E *verdict: same meaning *",
            "E *approve the change: pytest --snapshot-update, or --snapshot-accept=same-meaning",
            "E *verdict: same tree *",
            "-* changed SQL -*",
            "same tree *1  (1 to approve)",
            "same meaning *2  (2 to approve)",
            "different *1  (1 to approve)",
        ]
    )
    assert contents(approved) == before


@pytest.mark.parametrize(
    ("choice", "updated"),
    [
        ("same-tree", ["sales/u.sql"]),
        ("same-meaning", ["sales/u.sql", "t/text[x].sql", "t/text[y].sql"]),
    ],
)
@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["one", "two"])
def test_accepting_what_is_cosmetic(
    approved: Path,
    project: pytest.Pytester,
    run: Run,
    choice: str,
    updated: list[str],
    processes: tuple[str, ...],
) -> None:
    before = contents(approved)
    change(project, COSMETIC, LAYOUT, TRUE)
    result = run(f"--snapshot-accept={choice}", *processes)
    result.assert_outcomes(passed=1 + len(updated), failed=4 - len(updated))
    result.stdout.fnmatch_lines(["same tree *1  (1 updated)", "different *1  (1 to approve)"])
    after = contents(approved)
    assert [name for name in sorted(after) if after[name] != before[name]] == updated
    assert after.keys() == before.keys()
    others = run("--deselect=tests/test_t.py::test_table")
    assert others.ret == (0 if choice == "same-meaning" else 1)


def test_what_cannot_be_read_is_never_accepted(
    approved: Path, project: pytest.Pytester, run: Run
) -> None:
    path = approved / "sales/u.sql"
    path.write_text(path.read_text().replace("SELECT a", "SELECT a, nobody"))
    before = path.read_bytes()
    result = run("--snapshot-accept=same-meaning")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["*different (the SQL before cannot be read: *`nobody`*"])
    assert path.read_bytes() == before


def test_updating_counts_the_kinds(approved: Path, project: pytest.Pytester, run: Run) -> None:
    change(project, COSMETIC, LAYOUT, TRUE)
    result = run("--snapshot-update", "-n", "2")
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(["same meaning *2  (2 updated)", "different *1  (1 updated)"])
    run().assert_outcomes(passed=5)


# -- files of others, renamed tests ----------------------------------------------------------------

DBT = {
    "orders_snapshot.sql": b"{% snapshot orders_snapshot %}\n{{ config(unique_key='id', "
    b"strategy='timestamp', updated_at='updated_at') }}\n"
    b"select * from {{ source('shop', 'orders') }}\n{% endsnapshot %}\n",
    "orders.yml": b"snapshots:\n  - name: orders\n    relation: source('shop', 'orders')\n",
    "t/customers.sql": b"{% snapshot customers %}\r\nselect 1\r\n{% endsnapshot %}\r\n",
    "t/old[z].sql": b"SELECT a FROM t WHERE b = 'z'\n",
    "mentions.sql": b"select 1\n-- Snapshot a of tests/test_t.py::test_a, written by viewscribe\n",
    "copied.sql": b"-- Snapshot t/a of tests/test_t.py::test_a, written by viewscribe\nselect 1\n",
    ".hidden.sql": b"\xff\xfe\x00",
}


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--snapshot-update",),
        ("--snapshot-update", "-n", "2"),
        ("--snapshot-accept=same-meaning",),
        ("--snapshot-update", "tests/test_t.py::test_table"),
    ],
    ids=" ".join,
)
def test_files_of_dbt_stay_as_they_are(
    approved: Path, project: pytest.Pytester, run: Run, options: tuple[str, ...]
) -> None:
    for name, data in DBT.items():
        (approved / name).write_bytes(data)
    change(project, ("test_turned", "test_renamed"), COSMETIC, LAYOUT)
    result = run(*options)
    result.stdout.no_fnmatch_line("*orders_snapshot*")
    after = contents(approved)
    assert {name: after[name] for name in DBT} == DBT


def test_a_test_with_the_name_of_a_file_of_dbt_fails(
    approved: Path, project: pytest.Pytester, run: Run
) -> None:
    (approved / "t/customers.sql").write_bytes(DBT["t/customers.sql"])
    change(project, ("test_turned", "test_customers"))
    result = run("--snapshot-update")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["*t/customers.sql was not written by viewscribe*"])
    assert (approved / "t/customers.sql").read_bytes() == DBT["t/customers.sql"]


@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["one", "two"])
def test_renamed_tests(
    approved: Path, project: pytest.Pytester, run: Run, processes: tuple[str, ...]
) -> None:
    change(project, ("test_turned", "test_renamed"))
    warned = run("--snapshot-warn-unused", *processes)
    warned.stdout.fnmatch_lines(["*1 snapshot unused.*"])
    assert run("--snapshot-warn-unused", "--deselect=tests/test_t.py::test_renamed").ret == 0
    assert (approved / "t/turned.sql").exists()
    run("--snapshot-update", *processes).assert_outcomes(passed=5)
    assert not (approved / "t/turned.sql").exists()
    assert (approved / "t/renamed.sql").exists()
    assert run().ret == 0


def test_parameters_that_are_gone(approved: Path, project: pytest.Pytester, run: Run) -> None:
    change(project, ('["x", "y"]', '["x"]'))
    run("--snapshot-update", "-n", "2", "--dist", "loadscope").assert_outcomes(passed=4)
    assert not (approved / "t/text[y].sql").exists()
    assert (approved / "t/text[x].sql").exists()


def test_a_test_that_fails_halfway_keeps_its_files(project, run: Run, write: Write) -> None:
    text = """
        def test_two(view_snapshot):
            assert "SELECT 1" == view_snapshot(name="one")
            {}
            assert "SELECT 2" == view_snapshot(name="two")
    """
    write("test_two.py", text.format("pass"))
    run("--snapshot-update").assert_outcomes(passed=1)
    for line in ("raise OSError", "import pytest; pytest.skip()"):
        write("test_two.py", text.format(line))
        run("--snapshot-update")
        assert (project.path / "snapshots" / "two.sql").exists(), line


# -- names -----------------------------------------------------------------------------------------
def test_names_that_every_system_takes(project: pytest.Pytester, run: Run, write: Write) -> None:
    write(
        "test_names.py",
        r"""
        import pytest

        PARTS = ["DE", "de", "a/b", "ab", "a:b", "a.", "a ", "ä", "", "x" * 300]
        PARTS += ["tab\there", "\x1b[1m"]

        @pytest.mark.parametrize("part", PARTS)
        def test_part(view_snapshot, part):
            assert f"SELECT {part!r}" == view_snapshot

        NAMES = ["CON", "nul.x", "com1/a", "a/LPT9.b", "../up", "/top", "C:\\x"]

        @pytest.mark.parametrize("name", NAMES)
        def test_named(view_snapshot, name):
            assert f"SELECT {name!r}" == view_snapshot(name=name)

        def test_A(view_snapshot):
            assert "SELECT 1" == view_snapshot

        def test_a(view_snapshot):
            assert "SELECT 2" == view_snapshot
        """,
    )
    run("--snapshot-update").assert_outcomes(passed=21)
    files = contents(project.path / "snapshots")
    assert len(files) == 21
    assert len({name.casefold() for name in files}) == 21
    for name in files:
        for part in name.split("/"):
            assert not set(part) & set('<>:"|?*\\')
            assert part.isprintable()
            assert part.split(".")[0].lower() not in ("con", "nul", "com1", "lpt9")
            assert not part.endswith((".", " "))
            assert len(part.encode()) <= 255
    assert "names/part[de].sql" in files
    assert "names/a.sql" in files
    assert not [path for path in project.path.parent.iterdir() if path.name == "up.sql"]
    run().assert_outcomes(passed=21)
    # A selection of tests gives them the same names.
    run("-k", "test_a").assert_outcomes(passed=2, deselected=19)
    run("test_names.py::test_part[DE]").assert_outcomes(passed=1)


def test_two_modules_of_one_name(project: pytest.Pytester, run: Run, write: Write) -> None:
    for place, value in (("one", 1), ("two", 2)):
        write(
            f"{place}/test_same.py",
            f"def test_it(view_snapshot):\n    assert 'SELECT {value}' == view_snapshot\n",
        )
    result = run("--snapshot-update", "--import-mode=importlib")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*is that of one/test_same.py::test_it: name this one*"])


def test_a_name_in_other_letters(approved: Path, project: pytest.Pytester, run: Run) -> None:
    change(project, ('"sales/u"', '"sales/U"'))
    result = run("--snapshot-update")
    result.stdout.fnmatch_lines(["*snapshots/sales/U.sql and u.sql are one file on Windows*"])
    change(project, ('"sales/U"', '"SALES/other"'))
    result = run("--snapshot-update")
    result.stdout.fnmatch_lines(["*snapshots/SALES and sales are one file on Windows*"])
    change(project, ('"SALES/other"', '"../."'))
    result = run("--snapshot-update")
    result.stdout.fnmatch_lines(["*'../.' names no snapshot*"])


# -- values ----------------------------------------------------------------------------------------


def test_values(project: pytest.Pytester, run: Run, write: Write) -> None:
    write(
        "test_values.py",
        """
        import pytest
        import viewscribe as vs

        pytestmark = pytest.mark.view_tables("t(a INT, b STRING)")

        def pipeline(spark):
            return spark.table("t").where("a > 1").select("a")

        @vs.view("marked")
        def marked(spark):
            return pipeline(spark)

        def test_functions(view_snapshot):
            assert pipeline == view_snapshot(name="f")
            assert marked == view_snapshot(name="f")
            assert view_snapshot(name="f") == (lambda spark: pipeline(spark))

        def test_documents(view_env, view_snapshot):
            view_env.create_view("v", view_env.sql_query("select a from t"))
            assert view_env.get_view("v") == view_snapshot

        @pytest.mark.parametrize("value", [1, None, ["SELECT 1"], object()])
        def test_others(view_snapshot, value):
            assert value == view_snapshot
        """,
    )
    result = run("--snapshot-update")
    result.assert_outcomes(passed=2, failed=4)
    result.stdout.fnmatch_lines(
        ["E *ValidationError: a int has no SQL", "E *compare a Table, a DataFrame*"]
    )


def test_line_ends_and_escapes(project: pytest.Pytester, run: Run, write: Write) -> None:
    write(
        "test_ends.py",
        r"""
        def test_ends(view_snapshot):
            assert "SELECT 1,\r\n2\r" == view_snapshot

        def test_steering(view_snapshot):
            assert "SELECT 1 -- \x1b[2Jgone" == view_snapshot
        """,
    )
    run("--snapshot-update").assert_outcomes(passed=2)
    path = project.path / "snapshots" / "ends" / "ends.sql"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))  # as git does on Windows
    run().assert_outcomes(passed=2)
    text = (project.path / "test_ends.py").read_text().replace("gone", "away")
    (project.path / "test_ends.py").write_text(text)
    result = run()
    result.stdout.fnmatch_lines([r"+SELECT 1 -- \x1b*2Jaway"])
    assert "\x1b" not in result.stdout.str()


# -- tables ----------------------------------------------------------------------------------------


def test_tables_add_up(project: pytest.Pytester, run: Run, write: Write) -> None:
    write(
        "pyproject.toml",
        '[tool.pytest.ini_options]\nview_tables = ["t(a INT)", "`odd (`(a INT)"]\n',
    )
    write(
        "conftest.py",
        """
        import pytest

        @pytest.fixture
        def view_tables():
            return {"t": "a BIGINT", "sales.u": "b STRUCT<c: INT>"}
        """,
    )
    write(
        "test_tables.py",
        """
        import pytest

        def test_fixture(view_env):
            assert str(view_env.from_path("t").schema) == "a BIGINT"
            assert view_env.from_path("sales.u").columns == ["b"]
            assert view_env.from_path("`odd (`").columns == ["a"]

        @pytest.mark.view_tables("t(a DOUBLE)")
        class TestMarks:
            def test_class(self, view_env):
                assert str(view_env.from_path("t").schema) == "a DOUBLE"

            @pytest.mark.view_tables("other.sales.w(a DATE NOT NULL)", t="a DATE")
            def test_nearest(self, view_env):
                assert str(view_env.from_path("t").schema) == "a DATE"
                assert view_env.from_path("other.sales.w").columns == ["a"]

        @pytest.mark.view_tables("nowhere")
        def test_neither(view_env):
            pass

        @pytest.mark.view_tables("t(a NOTYPE)")
        def test_no_type(view_env):
            pass

        @pytest.mark.view_tables(3)
        def test_no_text(view_env):
            pass
        """,
    )
    result = run()
    result.assert_outcomes(passed=3, errors=3)
    result.stdout.fnmatch_lines(
        [
            "E *`nowhere` is neither a catalog nor an environment",
            "E *NOTYPE*",
            "E *view_tables is a int",
        ]
    )


def test_catalogs_are_not_written(project: pytest.Pytester, run: Run, write: Write) -> None:
    write("viewscribe.yaml", "schema_version: 1\nenvironments:\n  dev: {catalog: 'file:./views'}\n")
    write(
        "make.py",
        """
        import viewscribe as vs
        env = vs.TableEnvironment.open("file:./views")
        env.create_table("t", "a INT, b STRING")
        env.create_view("v", env.sql_query("select a from t"))
        """,
    )
    subprocess.run([sys.executable, "make.py"], cwd=project.path, check=True)
    before = contents(project.path / "views")
    write(
        "below/test_catalog.py",
        """
        import pytest
        from viewscribe.catalog_store import AlreadyExistsError, CatalogError

        @pytest.mark.parametrize("number", [1, 2])
        @pytest.mark.parametrize("place", [
            pytest.param("dev", marks=pytest.mark.view_tables("dev", "own(c INT)")),
            pytest.param("url", marks=pytest.mark.view_tables("file:./views", "own(c INT)")),
            pytest.param("directory", marks=pytest.mark.view_tables("views", "own(c INT)")),
        ])
        def test_layers(view_env, place, number):
            env = view_env
            assert env.list_tables() == ["own", "t"]
            env.create_view("w", env.from_path("v").select("a"))
            env.create_view("w", env.from_path("t").select("b"), or_replace=True)
            with pytest.raises(AlreadyExistsError):
                env.create_view("v", env.from_path("t").select("b"))
            env.create_view("v", env.from_path("t").select("b"), or_replace=True)
            assert env.from_path("v").columns == ["b"]
            assert env.list_views() == ["v", "w"]
            env.drop_view("w")
            with pytest.raises(CatalogError, match="which tests do not change"):
                env.drop_table("t")
            env.create_database("more")
            env.create_table("more.x", "a INT")
            assert env.from_path("more.x").columns == ["a"]
        """,
    )
    run().assert_outcomes(passed=6)
    assert contents(project.path / "views") == before


# -- at the start ----------------------------------------------------------------------------------


def test_pytest_finds_the_plugin_and_loads_little(tmp_path: Path) -> None:
    code = """if True:
        import json, sys
        import pytest

        class Loaded:
            def pytest_sessionstart(self, session):
                heavy = ("pyspark", "sqlglot", "msgspec", "rich", "yaml")
                names = [name for name in heavy if name in sys.modules]
                ours = [name for name in sys.modules if name.startswith("viewscribe.")]
                has = session.config.pluginmanager.hasplugin("viewscribe")
                print("LOADED", json.dumps([names, len(ours), has]))

        options = ["-q", "--co", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "."]
        pytest.main(options, plugins=[Loaded()])
    """
    lines = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={"PATH": ""},
    ).stdout.splitlines()
    found = next(line for line in lines if line.startswith("LOADED"))
    names, count, has = json.loads(found.removeprefix("LOADED"))
    assert (names, has) == ([], True)
    assert count < 20


def test_fixtures_of_the_user_win(project: pytest.Pytester, run: Run, write: Write) -> None:
    write(
        "conftest.py",
        """
        import pytest

        @pytest.fixture
        def spark():
            return "mine"

        @pytest.fixture
        def view_env():
            return "mine, too"
        """,
    )
    write(
        "test_mine.py",
        "def test(spark, view_env):\n    assert (spark, view_env) == ('mine', 'mine, too')\n",
    )
    run().assert_outcomes(passed=1)


@pytest.mark.spark
@pytest.mark.slow("starts Spark")
def test_spark_is_asked_where_a_test_wants_it(
    approved: Path, project, run: Run, write: Write
) -> None:
    change(project, TRUE, ("WHERE b = '{kind}'", "WHERE '{kind}' = b"))
    change(
        project,
        ('select("a") == view_snapshot', 'select("a") == view_snapshot(data={"t": [(2, "x")]})'),
    )
    result = run("--viewscribe-prove", "--snapshot-accept=same-meaning")
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(
        [
            "E *verdict: rows differ (the SQL before gives 1 row, the SQL after 0 rows*",
            "rows:",
            "  only in the SQL before: (a: 2)",
            "same meaning *2  (2 updated)",
            "rows differ *1  (1 to approve)",
        ]
    )
