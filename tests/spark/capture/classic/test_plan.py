"""From the text of a reader to operations, without a JVM."""

from __future__ import annotations

import json
from typing import Any

import pytest

from viewscribe.errors import CaptureError
from viewscribe.serializer import to_sql
from viewscribe.spark.capture.classic.capture import Capture
from viewscribe.spark.capture.classic.plan import read_plan

_INT, _TEXT = {"t": 0}, {"t": 1}


def _type(name: str) -> str:
    field = {"name": "x", "type": name, "nullable": True, "metadata": {}}
    return json.dumps({"type": "struct", "fields": [field]})


def plan(*nodes: list[Any], **classes: list[str]) -> str:
    """The text of a plan over a table ``db.t (id INT, name STRING)``, whose nodes are 0 to 2."""
    known = {
        "AttributeReference": ["name", "dataType", "nullable", "metadata"],
        "HiveTableRelation": ["tableMeta"],
    }
    table = {"p": "CatalogTable", "f": {"path": ["db", "t"], "kind": "MANAGED"}}
    first = [
        ["AttributeReference", ["id", _INT, False, None], {"id": 7}],
        ["AttributeReference", ["name", _TEXT, True, None], {"id": 8}],
        ["HiveTableRelation", [table], {"output": [0, 1]}],
    ]
    data = {
        "root": len(first) + len(nodes) - 1,
        "classes": known | classes,
        "types": [_type("integer"), _type("string")],
        "nodes": [*first, *nodes],
    }
    return json.dumps(data)


def captured(text: str) -> str:
    return to_sql(Capture().run(read_plan(text)))


def test_a_table():
    assert captured(plan()) == "SELECT\n  id,\n  name\nFROM spark_catalog.db.t"


def test_a_filter_with_a_cast_that_was_added():
    text = plan(
        ["Literal", ["3", {"t": 0}], {}],
        ["Cast", [1, {"t": 0}, None, {"o": "ANSI"}], {}],
        ["GreaterThan", [4, 3], {}],
        ["Filter", [5, 2], {}],
        Literal=["value", "dataType"],
        Cast=["child", "dataType", "timeZoneId", "evalMode"],
        GreaterThan=["left", "right"],
        Filter=["condition", "child"],
    )
    # Spark compares a STRING with an INT as BIGINT, so this cast is not the one it would add.
    assert "WHERE CAST(name AS INT) > 3" in captured(text)


def test_a_cast_that_a_user_wrote_stays():
    text = plan(
        ["Cast", [0, {"t": 1}, None, {"o": "ANSI"}], {"written": True}],
        ["Concat", [[3, 1]], {}],
        ["Alias", [4, "joined"], {"id": 9}],
        ["Project", [[5], 2], {}],
        Cast=["child", "dataType", "timeZoneId", "evalMode"],
        Concat=["children"],
        Alias=["child", "name"],
        Project=["projectList", "child"],
    )
    assert "concat(CAST(id AS STRING), name) AS joined" in captured(text)


def test_a_column_that_is_not_there_is_told():
    text = plan(
        ["AttributeReference", ["gone", {"t": 0}, True, None], {"id": 99, "line": "a.py:3"}],
        ["Project", [[3], 2], {}],
        Project=["projectList", "child"],
    )
    with pytest.raises(CaptureError, match=r"`gone` \(#99\)") as raised:
        captured(text)
    assert raised.value.location == "AttributeReference, at a.py:3"


def test_an_operator_that_nobody_knows():
    text = plan(["Sideways", [2], {"output": [0, 1]}], Sideways=["child"])
    with pytest.raises(CaptureError, match="`Sideways`") as raised:
        captured(text)
    assert "save its result" in (raised.value.hint or "")
