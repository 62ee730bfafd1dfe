"""Names: how they compare, and that their file names are safe and different."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.catalog_store.samples import NASTY_NAMES, names
from viewscribe.catalog_store import InvalidNameError
from viewscribe.catalog_store.protocol import MAX_ENCODED, decode, encode, fold, is_encoded

DEVICES = {"con", "prn", "aux", "nul"} | {f"{p}{n}" for p in ("com", "lpt") for n in range(10)}


@given(names, names)
@example("é", "e\u0301")
@example("a", "A")
@example("%61", "a")
@example("x" * 200, "x" * 201)
def test_two_names_share_a_file_name_exactly_when_they_are_the_same_name(one, other):
    assert (encode(one) == encode(other)) == (fold(one) == fold(other))


def test_no_two_nasty_names_meet():
    encoded = {encode(name) for name in NASTY_NAMES}
    assert len(encoded) == len({fold(name) for name in NASTY_NAMES})


@given(names)
@example("..")
@example("con")
@example("漢" * 4000)
def test_a_file_name_is_safe_everywhere(name):
    encoded = encode(name)
    assert re.fullmatch(r"[a-z0-9_%][a-z0-9_%~-]*", encoded)
    assert len(encoded) <= MAX_ENCODED
    assert encoded not in DEVICES
    assert encoded == encoded.lower() == unicodedata.normalize("NFD", encoded)


@given(names)
def test_a_file_name_tells_the_folded_name_unless_it_was_too_long(name):
    encoded = encode(name)
    assert is_encoded(encoded)
    assert decode(encoded) == (None if "~" in encoded else fold(name))


@given(names)
@example("İ")
@example("ΑΣ")
@example("\u212a")
def test_folding_twice_changes_nothing(name):
    assert fold(fold(name)) == fold(name)
    assert encode(fold(name)) == encode(name)


@given(st.text("abc%~0123456789ABC./_-", min_size=1, max_size=8))
def test_only_what_encode_makes_is_taken_for_a_file_name(component):
    name = decode(component)
    assert name is None or encode(name) == component


@pytest.mark.parametrize(
    "component", ["Young", "a.b", "%6", "%61", "%FF", "%ff", "con", "-a", "", "a~b"]
)
def test_file_names_that_no_name_leads_to(component):
    assert not is_encoded(component)


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "is empty"), ("x" * 5000, "5,000 characters"), ("a\ud800", "surrogate")],
)
def test_names_that_cannot_be_stored(name, words):
    with pytest.raises(InvalidNameError, match=words):
        encode(name)
