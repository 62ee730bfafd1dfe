"""The canonical form of documents: their hashes are those of what ``json`` writes."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from viewscribe.catalog_store.documents.normalization import canonical_json

NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
LEAVES = st.none() | st.booleans() | NUMBERS | st.text()
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(VALUES)
@example("".join(map(chr, range(128))))
@example("\u00e9\U0001f600\ud800")
@example([1.0, -0.0, 1e16, 1e-7, 2**64, (1, 2)])
@example({"b": {"2": 1, "10": 2, "B": 3}, "a": "1.5", "\ud800": None})
def test_is_what_json_writes(value: Any) -> None:
    wanted = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    assert canonical_json(value) == wanted.encode("ascii")
