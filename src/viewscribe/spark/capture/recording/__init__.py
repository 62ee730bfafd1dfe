"""Recording: a pipeline function runs against a session that notes its steps and executes none."""

from __future__ import annotations

from viewscribe.spark.capture.recording.record import record

__all__ = ["record"]
