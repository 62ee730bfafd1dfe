"""Expressions over the frame of a step."""

from __future__ import annotations

from collections.abc import Sequence

from tests.spark.capture.generated.frames import Frame
from tests.spark.capture.generated.programs import Writer
from tests.spark.capture.generated.summaries import Summaries


def values(w: Writer, frame: Frame) -> Summaries:
    """Expressions over the frame."""
    return Summaries(w.p, frame)


def listed(items: Sequence[str]) -> str:
    """Arguments."""
    return ", ".join(items)
