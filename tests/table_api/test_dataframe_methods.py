"""What users of DataFrames type on a table tells them what to write."""

from __future__ import annotations

import copy
import pickle

import pytest

import viewscribe as vs
from viewscribe.table_api.table import INSTEAD


@pytest.fixture
def table():
    env = vs.TableEnvironment()
    env.create_table("t", "id INT, name STRING, show INT")
    return env.from_path("t")


@pytest.mark.parametrize("name", INSTEAD)
def test_methods_of_data_say_what_to_write(table, name):
    with pytest.raises(AttributeError, match="a table has no data") as caught:
        getattr(table, name)
    assert INSTEAD[name] in str(caught.value)


@pytest.mark.parametrize("name", INSTEAD)
def test_what_a_table_has_is_not_among_them(name):
    assert not hasattr(vs.Table, name)


@pytest.mark.spark
def test_dataframes_have_what_is_named(spark):
    frame = spark.range(1)
    notebooks = {"display"}
    assert [name for name in INSTEAD if not hasattr(frame, name)] == [*notebooks]


def test_a_table_has_no_rows_to_go_through(table):
    with pytest.raises(TypeError, match="not iterable"):
        list(table)


def test_a_column_is_no_attribute_in_any_case(table):
    with pytest.raises(AttributeError, match=r'has no method `ID`; the column is col\("id"\)'):
        _ = table.ID


def test_a_column_is_no_attribute(table):
    with pytest.raises(AttributeError, match=r'has no method `id`; the column is col\("id"\)'):
        _ = table.id


def test_other_names_are_nearest_methods(table):
    with pytest.raises(AttributeError, match="no method `selct`; did you mean: select"):
        _ = table.selct


def test_copies_are_made(table):
    assert copy.copy(table).columns == table.columns
    assert copy.deepcopy(table.schema) == table.schema
    assert pickle.loads(pickle.dumps(table.operation)) == table.operation
