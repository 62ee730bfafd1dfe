"""The Spark that runs the tests, which `make versions` makes an older one."""

from __future__ import annotations

from pyspark import __version__

from viewscribe.serializer import TARGETS
from viewscribe.serializer.targets import session_target, target_of

RUNNING = session_target(__version__)
"""The target of texts that are run; None where it is the newest."""

READ = [each for each in TARGETS if target_of(each).version <= target_of(RUNNING).version]
"""The targets whose texts the running Spark must read."""


def before(version: str) -> bool:
    """Whether the running Spark is older than a version."""
    return target_of(RUNNING).version < target_of(version).version
