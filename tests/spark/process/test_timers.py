"""The order in which timers fire, against a plain list of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewscribe.errors import ValidationError
from viewscribe.spark.process.timers import MAX_TIME, TimerQueue

times = st.integers(0, 20)
names = st.sampled_from(["a", "b", "c"])
registered = st.lists(st.tuples(st.one_of(st.none(), names), times), max_size=12)


def filled(given: list[tuple[str | None, int]]) -> tuple[TimerQueue, list[tuple[int, str | None]]]:
    fired: list[tuple[int, str | None]] = []
    queue = TimerQueue(lambda time, name: fired.append((time, name)))
    for name, time in given:
        queue.register(time, name)
    return queue, fired


def remaining(given: list[tuple[str | None, int]]) -> list[tuple[int, str]]:
    """What is registered in the end, in the order of time, then name."""
    named: dict[str, int] = {}
    unnamed: set[int] = set()
    for name, time in given:
        if name is None:
            unnamed.add(time)
        else:
            named[name] = time
    return sorted([(time, "") for time in unnamed] + [(time, name) for name, time in named.items()])


@given(registered, times)
def test_timers_before_a_row_fire_in_order(given: list[tuple[str | None, int]], row: int) -> None:
    queue, fired = filled(given)
    queue.advance_before(row)
    expected = [(time, name or None) for time, name in remaining(given) if time < row]
    assert fired == expected
    queue.advance_to(MAX_TIME)
    assert len(fired) == len(remaining(given))
    assert not queue


@given(registered, times)
def test_a_watermark_includes_its_time(given: list[tuple[str | None, int]], mark: int) -> None:
    queue, fired = filled(given)
    queue.advance_to(mark)
    assert fired == [(time, name or None) for time, name in remaining(given) if time <= mark]


@given(registered, times)
def test_kept_timers_fire_alike(given: list[tuple[str | None, int]], mark: int) -> None:
    queue, fired = filled(given)
    again, fired_again = filled([])
    again.load(queue.dump())
    assert again.dump() == queue.dump()
    queue.advance_to(mark)
    again.advance_to(mark)
    assert fired == fired_again


@given(registered, st.data())
def test_deleted_timers_do_not_fire(
    given: list[tuple[str | None, int]], data: st.DataObject
) -> None:
    queue, fired = filled(given)
    left = remaining(given)
    if left:
        time, name = data.draw(st.sampled_from(left))
        queue.delete(name or time)
        left.remove((time, name))
    queue.advance_to(MAX_TIME)
    assert fired == [(time, name or None) for time, name in left]


def test_periodic_timers_wait_for_later_rows_and_timers() -> None:
    queue, fired = filled([])
    queue.register(10, "tick", period=10)
    queue.advance_to(100)
    assert fired == []
    queue.advance_before(35)
    assert fired == [(10, "tick"), (20, "tick"), (30, "tick")]
    queue.register(55, "once")
    queue.advance_to(100)
    assert fired[3:] == [(40, "tick"), (50, "tick"), (55, "once")]
    queue.advance_to(MAX_TIME)
    assert len(fired) == 6


def test_a_periodic_timer_may_be_replaced_by_another() -> None:
    queue, fired = filled([])
    queue.register(10, "tick", period=10)
    queue.register(12, "tick")
    queue.advance_before(100)
    assert fired == [(12, "tick")]
    queue.register(110, "tick", period=5)
    queue.delete("tick")
    queue.advance_before(200)
    assert len(fired) == 1


def test_timers_that_are_registered_while_others_fire_take_part() -> None:
    fired: list[int] = []

    def fire(time: int, name: str | None) -> None:
        fired.append(time)
        if time < 5:
            queue.register(time + 1)

    queue = TimerQueue(fire)
    queue.register(1)
    queue.advance_before(4)
    assert fired == [1, 2, 3]
    queue.advance_to(MAX_TIME)
    assert fired == [1, 2, 3, 4, 5]


def test_timers_without_end_are_an_error() -> None:
    queue = TimerQueue(lambda time, name: queue.register(time + 1, "again"))
    queue.register(1, "again")
    with pytest.raises(ValidationError, match="each registers another") as caught:
        queue.advance_to(MAX_TIME)
    assert "register_on_periodic_time" in (caught.value.hint or "")


def test_a_partition_may_be_earlier_than_the_one_before() -> None:
    queue, fired = filled([("a", 1_000)])
    queue.advance_to(MAX_TIME)
    queue.begin()
    for time in range(150_000):
        queue.register(time % 900, "again")
    queue.advance_to(MAX_TIME)
    assert fired == [(1_000, "a"), (149_999 % 900, "again")]


def test_timers_that_clear_all_and_stand_still_are_an_error() -> None:
    def fire(time: int, name: str | None) -> None:
        queue.clear()
        queue.register(time)

    queue = TimerQueue(fire)
    queue.register(5)
    with pytest.raises(ValidationError, match="for a time that had passed"):
        queue.advance_before(10)
