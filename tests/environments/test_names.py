"""Names of one environment as names of another, there and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewscribe.environments import AmbiguousNameError, NameMapping, Translation, matches
from viewscribe.errors import ValidationError

DEV = NameMapping(databases={"*": "dev_*"})
PROD = NameMapping("main", objects={"sales.tmp_*": "scratch.sales_*"})
OWN = "spark_catalog"


def test_names_go_through_their_logical_form():
    to_prod = Translation(DEV, PROD)
    assert to_prod((OWN, "dev_sales", "orders")) == ("main", "sales", "orders")
    assert to_prod((OWN, "dev_sales", "tmp_x")) == ("main", "scratch", "sales_x")
    assert to_prod((OWN, "DEV_Sales", "Orders")) == ("main", "Sales", "Orders")
    back = Translation(PROD, DEV)
    assert back(("main", "scratch", "sales_x")) == (OWN, "dev_sales", "tmp_x")
    assert Translation(DEV, DEV)((OWN, "dev_a", "b")) == (OWN, "dev_a", "b")


def test_other_catalogs_are_left_alone_unless_a_rule_speaks_of_them():
    mapping = NameMapping(catalogs={"lake": "lake_prod"}, databases={"lake.raw_*": "lake.r_*"})
    to = Translation(NameMapping(), mapping)
    assert to(("hive", "a", "b")) == ("hive", "a", "b")
    assert to(("lake", "a", "b")) == ("lake_prod", "a", "b")
    assert to(("lake", "raw_1", "b")) == ("lake", "r_1", "b")


def test_names_that_the_mapping_gives_to_nobody_or_to_two_are_errors():
    with pytest.raises(AmbiguousNameError, match=r"calls `spark_catalog\.sales\.x` `spark_catalog"):
        DEV.logical((OWN, "sales", "x"))
    both = NameMapping(databases={"a": "x", "b": "x"})
    assert both.logical((OWN, "x", "t")) == (OWN, "a", "t")
    with pytest.raises(AmbiguousNameError, match=r"gives `spark_catalog\.x\.t` to"):
        Translation(NameMapping(), both)((OWN, "b", "t"))
    with pytest.raises(AmbiguousNameError, match=r"and to `main\.sales\.orders`"):
        Translation(DEV, PROD)(("main", "sales", "orders"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"databases": {"dev_*": "prod"}}, "one \\* on both sides"),
        ({"databases": {"a*b*": "c*d*"}}, "one \\* on both sides"),
        ({"objects": {"orders": "sales.orders"}}, "is not `database.object`"),
        ({"databases": {"a.b.c": "d"}}, "is not `database`"),
        ({"catalogs": {"a.b": "c"}}, "is not the name of a catalog"),
    ],
)
def test_rules_that_cannot_be_followed(given, message):
    with pytest.raises(ValidationError, match=message):
        NameMapping(**given)


word = st.text("abA_*", min_size=1, max_size=5).filter(lambda text: text.count("*") < 2)
plain = st.text("abA_", min_size=1, max_size=5)


@st.composite
def pair(draw):
    before, after = draw(word), draw(word)
    return before, after if ("*" in before) is ("*" in after) else before


mappings = st.builds(
    lambda databases, catalogs: NameMapping(databases=dict(databases), catalogs=dict(catalogs)),
    st.lists(pair(), max_size=3),
    st.lists(pair(), max_size=2),
)
paths = st.tuples(st.just(OWN) | plain, plain, plain)


@given(mappings, mappings, paths)
def test_there_and_back_is_where_it_started(one, other, path):
    try:
        there = Translation(one, other)(path)
    except AmbiguousNameError:
        return
    back = Translation(other, one)(there)
    assert [part.lower() for part in back] == [part.lower() for part in path]


@given(mappings, mappings, paths, paths)
def test_two_objects_never_get_one_name_unnoticed(one, other, first, second):
    there = Translation(one, other)
    try:
        new = [there(path) for path in (first, second)]
    except AmbiguousNameError:
        return
    same = [part.lower() for part in first] == [part.lower() for part in second]
    assert ([part.lower() for part in new[0]] == [part.lower() for part in new[1]]) is same


def test_patterns_of_names():
    assert matches("sales", "Sales", "orders")
    assert matches("sales.o*", "sales", "Orders")
    assert matches("*.orders", "hr", "orders")
    assert not matches("sales.o*", "sales", "customers")
    with pytest.raises(ValidationError, match="is not `database`"):
        matches("a.b.c", "a", "b")
