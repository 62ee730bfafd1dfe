"""The benchmark of reading runs, and both read all there is."""

from __future__ import annotations

from click.testing import CliRunner

from benchmarks.reading import main


def test_it_runs() -> None:
    result = CliRunner().invoke(main, ["--rounds", "1"])
    assert result.exit_code in (0, 1), result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "22 queries of TPC-H" in result.output
    assert "viewscribe" in result.output
    assert "sqlglot" in result.output
