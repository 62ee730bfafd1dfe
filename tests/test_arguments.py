"""Files of several directories on one command line keep the fixtures of their directories."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]


def test_a_file_of_the_parent_in_between_hides_no_fixture(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("from tests.arguments import pytest_configure")
    nested = pytester.mkdir("nested")
    (nested / "conftest.py").write_text(
        "import pytest\n\n@pytest.fixture\ndef known():\n    return 1\n"
        "\n@pytest.fixture(autouse=True)\ndef unnamed(monkeypatch):\n"
        "    monkeypatch.setenv('UNNAMED', 'there')\n"
    )
    checks = "import os\n\ndef test_it(known):\n    assert os.environ['UNNAMED'] == 'there'\n"
    (nested / "test_first.py").write_text(checks)
    (nested / "test_second.py").write_text(checks)
    pytester.makepyfile(test_above="def test_it(): pass")
    files = ("nested/test_first.py", "test_above.py", "nested/test_second.py::test_it")
    options = ("-p", "no:cacheprovider", "-p", "no:xdist", "--import-mode=importlib")
    pytester.runpytest_inprocess(*options, *files).assert_outcomes(passed=3)
