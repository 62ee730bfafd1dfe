"""JUnit XML reports for continuous integration, with one test case per view."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from viewscribe.catalog_store.whole_files import replace_own
from viewscribe.errors import ViewscribeError, printable

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Case(NamedTuple):
    """The test case of one view.

    Args:
        group: its database.
        name: its name without the database.
        seconds: the duration.
        status: the outcome.
        message: the reason, on one line.
        details: the differences.
    """

    group: str
    name: str
    seconds: float
    status: Literal["passed", "failed", "error", "skipped"]
    message: str = ""
    details: Sequence[str] = ()


def write_junit(path: str, suite: str, cases: Sequence[Case]) -> None:
    """Writes the report. Raises ``ViewscribeError`` if the file cannot be written."""
    from xml.etree import ElementTree as Xml

    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.status == "failed" for case in cases)),
        "errors": str(sum(case.status == "error" for case in cases)),
        "skipped": str(sum(case.status == "skipped" for case in cases)),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }
    root = Xml.Element("testsuites", counts)
    node = Xml.SubElement(root, "testsuite", {"name": _text(suite), **counts})
    for case in cases:
        given = {"classname": _text(case.group), "name": _text(case.name)}
        element = Xml.SubElement(node, "testcase", {**given, "time": f"{case.seconds:.3f}"})
        if case.status != "passed":
            tag = {"failed": "failure"}.get(case.status, case.status)
            inner = Xml.SubElement(element, tag, {"message": _text(case.message)})
            inner.text = _text("\n".join(case.details)) or None
    tree = Xml.ElementTree(root)
    Xml.indent(tree)
    try:
        data = Xml.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
        replace_own(path, data, b"<testsuite")
    except OSError as error:
        raise ViewscribeError(f"{path} cannot be written: {error.strerror}") from None


def _text(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", printable(text, lines=True))
