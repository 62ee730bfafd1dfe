"""Approved SQL files: where they lie, what is in them, what a mismatch shows."""

from __future__ import annotations

import importlib
import shutil
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.forked import PytestRun

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.slow("each test runs pytest")

TESTS = """
    import pytest
    from viewscribe.snapshots import SqlSnapshotExtension

    @pytest.fixture
    def approved(snapshot):
        return snapshot.use_extension(SqlSnapshotExtension)

    class Young:
        def to_sql(self):
            return "SELECT name\\nFROM customers"

    def test_named(approved):
        assert "SELECT 1\\n\\n" == approved(name="sales/../one")

    @pytest.mark.parametrize("style", ["pipe"])
    def test_table(approved, style):
        assert Young() == approved
"""


@pytest.fixture(scope="module")
def approved_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place for what the first run of a project writes, which is always the same."""
    return tmp_path_factory.mktemp("approved") / "snapshots"


@pytest.fixture
def project(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, approved_once: Path
) -> pytest.Pytester:
    # The runs in here are no part of a run that is shared by several processes.
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    # They load no plugin but the one that they are about.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "syrupy")
    pytester.makepyprojecttoml("")
    pytester.mkdir("tests").joinpath("test_young.py").write_text(
        "\n".join(line[4:] for line in TESTS.splitlines()), encoding="utf-8"
    )
    if not approved_once.exists():
        pytester.runpytest_subprocess("--snapshot-update", "-Werror").assert_outcomes(passed=2)
        shutil.copytree(pytester.path / "snapshots", approved_once)
    else:
        shutil.copytree(approved_once, pytester.path / "snapshots")
    return pytester


def run(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    """Runs pytest in a process of its own, which has loaded what all of them need."""
    started = time.monotonic()
    place = Path(tempfile.mkdtemp(dir=project.path.parent))
    code, lines = PytestRun(*options, place=place).wait()
    assert code is not None
    return pytest.RunResult(code, lines, [], time.monotonic() - started)


def marker(name: str, test: str, module: str = "tests/test_young.py") -> str:
    return f"-- Snapshot {name} of {module}::{test}, written by viewscribe\n"


def test_files_lie_at_the_root_and_end_in_one_newline(project: pytest.Pytester) -> None:
    root = project.path / "snapshots"
    files = {path.relative_to(root).as_posix(): path for path in root.rglob("*.*")}
    assert {name: path.read_text(encoding="utf-8") for name, path in files.items()} == {
        "sales/one.sql": marker("sales/one", "test_named") + "SELECT 1\n",
        "young/table[pipe].sql": marker("young/table[pipe]", "test_table")
        + "SELECT name\nFROM customers\n",
    }
    run(project).assert_outcomes(passed=2)


def test_mismatch_shows_a_unified_diff_with_the_path(project: pytest.Pytester) -> None:
    path = project.path / "snapshots" / "young" / "table[pipe].sql"
    path.write_text("SELECT name\nFROM clients\n", encoding="utf-8")
    result = run(project, "-vv")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*--- snapshots/young/table?pipe?.sql", "*+++ received", "*-FROM clients", "*+FROM cust*"]
    )


def test_files_that_no_test_uses_are_reported_and_removed(project: pytest.Pytester) -> None:
    sales = project.path / "snapshots" / "sales"
    stray = [sales / "renamed.sql", sales / "removed.sql", sales / "moved.sql"]
    lines = [
        marker("sales/renamed", "test_named"),
        marker("sales/removed", "test_that_was_here"),
        marker("sales/moved", "test_named", module="tests/test_that_was_here.py"),
    ]
    for path, line in zip(stray, lines, strict=True):
        path.write_text(f"{line}SELECT 2\n", encoding="utf-8")
    result = run(project)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*3 snapshots unused.*"])
    run(project, "--snapshot-update")
    assert not [path for path in stray if path.exists()]
    run(project).assert_outcomes(passed=2)


FOREIGN = {
    "orders.sql": b"{% snapshot orders %}\nSELECT * FROM {{ source('a') }}\n{% endsnapshot %}\n",
    "sales/by_hand.sql": b"SELECT 2\n",
    "sales/copy.sql": marker("sales/one", "test_named").encode() + b"SELECT 1\n",
    "sales/below.sql": b"SELECT 2\n" + marker("sales/below", "test_named").encode(),
    "sales/latin.sql": b"-- \xe4\xf6\xfc\nSELECT 2\n",
    "young/empty.sql": b"",
}


@pytest.mark.parametrize("options", [(), ("--snapshot-update",)])
def test_files_of_others_are_neither_reported_nor_touched(
    project: pytest.Pytester, options: tuple[str, ...]
) -> None:
    root = project.path / "snapshots"
    for name, content in FOREIGN.items():
        (root / name).write_bytes(content)
    (root / "directory.sql").mkdir()
    (root / "dangling.sql").symlink_to("nowhere")
    before = contents(root)
    result = run(project, *options)
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*unused*")
    assert contents(root) == before


def contents(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


RUNS_WITHOUT_IT = [
    ("--ignore=tests/test_young.py",),
    ("-k", "sales"),
    ("--deselect=tests/test_young.py::test_named",),
    (),  # where it is skipped
]


def test_tests_that_do_not_run_keep_their_files(project: pytest.Pytester) -> None:
    young = project.path / "tests" / "test_young.py"
    text = young.read_text(encoding="utf-8")
    other = text.partition("class")[0] + "def test_sales(approved):\n    assert approved == 'a'\n"
    (project.path / "tests" / "test_other.py").write_text(other, encoding="utf-8")
    before = contents(project.path / "snapshots")
    for options in RUNS_WITHOUT_IT:
        if not options:
            young.write_text(text.replace("def test_named", "@pytest.mark.skip\ndef test_named"))
        run(project, "--snapshot-update", *options)
        after = contents(project.path / "snapshots")
        assert before.items() <= after.items(), options


def test_run_in_a_directory_keeps_the_files_of_the_others(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = project.path / "tests" / "below"
    below.mkdir()
    text = (project.path / "tests" / "test_young.py").read_text(encoding="utf-8")
    (below / "test_below.py").write_text(text.replace("sales/../one", "below/one"))
    before = contents(project.path / "snapshots")
    monkeypatch.chdir(below)
    run(project, "--snapshot-update").assert_outcomes(passed=2)
    assert before.items() <= contents(project.path / "snapshots").items()


def test_files_of_earlier_versions_have_no_first_line_and_are_taken_over_by_their_test(
    project: pytest.Pytester,
) -> None:
    root = project.path / "snapshots"
    before = contents(root)
    (root / "sales" / "one.sql").write_text("SELECT 1\n", encoding="utf-8")
    run(project).assert_outcomes(passed=2)
    assert (root / "sales" / "one.sql").read_text(encoding="utf-8") == "SELECT 1\n"
    run(project, "--snapshot-update").assert_outcomes(passed=2)
    assert contents(root) == before
    run(project, "--snapshot-update").stdout.fnmatch_lines(["2 snapshots passed.*"])


@pytest.mark.parametrize("text", [FOREIGN["orders.sql"], b"SELECT 2\n", b""])
def test_a_file_of_others_is_not_overwritten_by_a_test_of_its_name(
    project: pytest.Pytester, text: bytes
) -> None:
    path = project.path / "snapshots" / "sales" / "one.sql"
    path.write_bytes(text)
    result = run(project, "--snapshot-update")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*sales/one.sql was not written by viewscribe*"])
    assert path.read_bytes() == text


def test_nothing_is_written_through_a_link(project: pytest.Pytester) -> None:
    other = project.path / "other.sql"
    path = project.path / "snapshots" / "sales" / "one.sql"
    path.rename(other)
    before = other.read_bytes()
    other.write_bytes(before.replace(b"SELECT 1", b"SELECT 2"))
    changed = other.read_bytes()
    assert changed != before
    path.symlink_to(other)
    run(project, "--snapshot-update").assert_outcomes(passed=1, failed=1)
    assert other.read_bytes() == changed
    assert path.is_symlink()


def test_nothing_is_written_into_a_folder_that_is_a_link(project: pytest.Pytester) -> None:
    folder, away = project.path / "snapshots" / "sales", project.path / "away"
    folder.rename(away)
    (away / "one.sql").unlink()
    before = sorted(away.iterdir())
    folder.symlink_to(away)
    run(project, "--snapshot-update").assert_outcomes(passed=1, failed=1)
    assert sorted(away.iterdir()) == before


def test_missing_syrupy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*sys.modules]:
        if name.startswith(("viewscribe.snapshots", "syrupy")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "syrupy", None)
    package = importlib.import_module("viewscribe.snapshots")
    with pytest.raises(ModuleNotFoundError, match=r"pip install \"viewscribe\[test\]\""):
        _ = package.SqlSnapshotExtension
