"""``view_snapshot``: a value against its approved file, with a verdict on what has changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from syrupy.assertion import DiffMode, SnapshotAssertion

from viewscribe.errors import ViewscribeError, printable
from viewscribe.snapshots.extension import SqlSnapshotExtension
from viewscribe.snapshots.options import ACCEPT, PROVE, accepted_kinds
from viewscribe.snapshots.subjects import Subject, subject_of
from viewscribe.snapshots.summary import note_report, note_verdict
from viewscribe.snapshots.verdict import Unread, Verdict, compare_trees

if TYPE_CHECKING:
    from viewscribe.operations.base import QueryOperation
    from viewscribe.snapshots.verdict import TextReader

Data = Mapping[str, Sequence[Any]]
"""Rows by the name of their table: tuples, or dicts by column."""

_MOST_ROWS = 10


@dataclass(eq=False, order=False, repr=False)
class ViewSnapshot(SnapshotAssertion):
    """An approved file to compare with: ``assert value == view_snapshot``.

    Args:
        request: the test's, which has its fixtures and options.
    """

    request: pytest.FixtureRequest | None = None
    _data: Data | None = field(init=False, default=None)
    _subjects: dict[int, tuple[Any, Subject]] = field(init=False, default_factory=dict)
    _verdicts: dict[int, Verdict] = field(init=False, default_factory=dict)

    def __call__(  # type: ignore[override]
        self, *, name: str | None = None, data: Data | None = None, **options: Any
    ) -> ViewSnapshot:
        """Sets options of the next comparison.

        Args:
            name: the file, ``"sales/young"`` for ``snapshots/sales/young.sql``.
            data: rows of the tables, to tell whether a change gives other rows; needs Spark.
            options: those of syrupy.
        """
        super().__call__(name=name, **options)
        if data is not None:
            self._data = data
            self._post_assert_actions.append(self._forget_data)
        return self

    def __repr__(self) -> str:
        return f"<snapshots of {self.test_location.testname}>"

    def _forget_data(self) -> None:
        self._data = None

    def _subject(self, value: Any) -> Subject:
        """The SQL of a value; a function is recorded once."""
        known = self._subjects.get(id(value))
        if known is None:
            known = value, subject_of(value, lambda: self._fixture("view_env"))
            self._subjects[id(value)] = known
        return known[1]

    def _fixture(self, name: str) -> Any:
        assert self.request is not None
        return self.request.getfixturevalue(name)

    def _serialize(self, data: Any) -> Any:
        return self.extension.serialize(self._subject(data).sql)

    def _assert(self, data: Any) -> bool:
        __tracebackhide__ = True
        update, verdict, written = self.update_snapshots, None, False
        try:
            self._subject(data)  # what has no SQL is an error of its own, and no mismatch
            verdict = self._judge(data)
            if verdict is not None:
                accepted = verdict.kind in accepted_kinds(self._config.getoption(ACCEPT))
                self.update_snapshots = update or accepted
                self._verdicts[self.num_executions] = verdict
            found = super()._assert(data)
            written = self.update_snapshots
            return found
        except ViewscribeError as error:  # which says all that its user needs
            raise error.with_traceback(None) from None
        finally:
            self.update_snapshots = update
            if verdict is not None:
                note_verdict(self.test_location.item, verdict.kind, written)

    @property
    def _config(self) -> pytest.Config:
        return self.test_location.item.config

    def _judge(self, data: Any) -> Verdict | None:
        """Returns what the difference means; None where there is none, or no approved file."""
        received = str(self._serialize(data))
        try:
            approved, _ = self._recall_data(index=self.index)
        except Exception:  # the comparison meets it again, and reports it
            return None
        if approved is None or str(approved) == received:
            return None
        reader = self._subject(data).make_reader()
        trees = reader.read(str(approved)), reader.read(received)
        verdict = compare_trees(*trees, reader.settings)
        if verdict.is_cosmetic or any(isinstance(tree, Unread) for tree in trees):
            return verdict
        return self._ask_spark(verdict, trees, reader)

    def _ask_spark(
        self,
        verdict: Verdict,
        trees: tuple[QueryOperation | Unread, QueryOperation | Unread],
        reader: TextReader,
    ) -> Verdict:
        """Returns a verdict with what Spark knows, where the user or the test asks it."""
        prove = self._config.getoption(PROVE) and not verdict.columns
        if not prove and self._data is None:
            return verdict
        from viewscribe.spark.query_changes import compare_optimized_plans, compare_rows

        spark, (before, after) = self._fixture("spark"), trees
        assert not isinstance(before, Unread)
        assert not isinstance(after, Unread)
        if prove:
            plans = compare_optimized_plans(before, after, spark, reader.settings)
            if plans.status == "equal":
                return replace(verdict, kind="same meaning", why=f"{plans.detail}, says Spark")
            verdict = replace(verdict, why=f"{verdict.why}; {plans.detail}")
        if self._data is None:
            return verdict
        rows = compare_rows(before, after, spark, reader.settings, self._data)
        if rows.status == "different":
            shown = tuple(rows.differences[:_MOST_ROWS])
            return replace(verdict, kind="rows differ", why=rows.detail, rows=shown)
        same = "over the data of the test they give the same" if rows.status == "equal" else ""
        return replace(verdict, why=f"{verdict.why}; {same} {rows.detail}".replace(";  ", "; "))

    def get_assert_diff(self, *, diff_mode: DiffMode = DiffMode.DETAILED) -> list[str]:
        """Returns the verdict and where the approved file is; the report has the differences."""
        number = self.num_executions - 1
        result, verdict = self.executions[number], self._verdicts.get(number)
        if result.exception is not None:
            return super().get_assert_diff(diff_mode=diff_mode)
        if verdict is None:
            first, *others = super().get_assert_diff(diff_mode=diff_mode)
            return [first, "pytest --snapshot-update writes it", *others]
        line = _first_difference(str(result.recalled_data), str(result.asserted_data))
        # One for the marker, which the file has above the SQL.
        place = f"{os.path.relpath(result.snapshot_location)}:{line + 1}"
        note_report(self.test_location.item, place, self._report(verdict, result, diff_mode))
        return [printable(each) for each in _tell(verdict, place)]

    def _report(self, verdict: Verdict, result: Any, diff_mode: DiffMode) -> str:
        _, *found = verdict.lines()
        lines = [printable(each) for each in found]
        if diff_mode == DiffMode.DETAILED:
            diff = self.extension.diff_lines(result.asserted_data, result.recalled_data)
            lines = [*diff, *lines]
        return "\n".join(lines)


def _tell(verdict: Verdict, place: str) -> Iterator[str]:
    """Yields lines that pytest shows whole: it cuts the ninth."""
    yield next(verdict.lines())
    yield f"approved SQL: {place}"
    accept = ", or --snapshot-accept=same-meaning" if verdict.is_cosmetic else ""
    yield f"to approve the change: pytest --snapshot-update{accept}"


def _first_difference(approved: str, received: str) -> int:
    """The number of the first approved line that differs, counted from 1."""
    pairs = zip(approved.splitlines(), received.splitlines(), strict=False)
    same = 0
    for one, other in pairs:
        if one != other:
            break
        same += 1
    return min(same + 1, approved.count("\n"))


def make_view_snapshot(request: pytest.FixtureRequest) -> ViewSnapshot:
    """Returns the fixture's value, for the test of a request."""
    plain: SnapshotAssertion = request.getfixturevalue("snapshot")
    return ViewSnapshot(
        session=plain.session,
        extension_class=SqlSnapshotExtension,
        test_location=plain.test_location,
        update_snapshots=plain.update_snapshots,
        update_new_snapshots_only=plain.update_new_snapshots_only,
        request=request,
    )
