"""Approved SQL files: where they lie, what is in them, what a mismatch shows."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

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


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    # The runs in here are no part of a run that is shared by several processes.
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    # They load no plugin but the one that they are about.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "syrupy")
    pytester.makepyprojecttoml("")
    pytester.mkdir("tests").joinpath("test_young.py").write_text(
        "\n".join(line[4:] for line in TESTS.splitlines()), encoding="utf-8"
    )
    pytester.runpytest_subprocess("--snapshot-update", "-Werror").assert_outcomes(passed=2)
    return pytester


def test_files_lie_at_the_root_and_end_in_one_newline(project: pytest.Pytester) -> None:
    root = project.path / "snapshots"
    files = {path.relative_to(root).as_posix(): path for path in root.rglob("*.*")}
    assert {name: path.read_text(encoding="utf-8") for name, path in files.items()} == {
        "sales/one.sql": "SELECT 1\n",
        "young/table[pipe].sql": "SELECT name\nFROM customers\n",
    }
    project.runpytest_subprocess().assert_outcomes(passed=2)


def test_mismatch_shows_a_unified_diff_with_the_path(project: pytest.Pytester) -> None:
    path = project.path / "snapshots" / "young" / "table[pipe].sql"
    path.write_text("SELECT name\nFROM clients\n", encoding="utf-8")
    result = project.runpytest_subprocess("-vv")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*--- snapshots/young/table?pipe?.sql", "*+++ received", "*-FROM clients", "*+FROM cust*"]
    )


def test_files_that_no_test_uses_are_reported_and_removed(project: pytest.Pytester) -> None:
    stray = project.path / "snapshots" / "sales" / "old.sql"
    stray.write_text("SELECT 2\n", encoding="utf-8")
    assert project.runpytest_subprocess().ret == pytest.ExitCode.TESTS_FAILED
    project.runpytest_subprocess("--snapshot-update")
    assert not stray.exists()
