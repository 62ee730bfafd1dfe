"""A view of the session that is replaced keeps what every catalog keeps."""

from __future__ import annotations

from tests.table_api.test_replacing import (  # noqa: F401
    env,
    test_all_of_it_can_be_taken_away,
    test_what_is_not_said_stays,
    test_what_is_said_is_done,
)
