"""The Spark that runs the tests, which `make versions` makes an older one."""

from __future__ import annotations

import pytest
from pyspark import __version__

from viewscribe.expressions.node import Node, holds
from viewscribe.expressions.nodes import InSubquery, Literal
from viewscribe.serializer import TARGETS
from viewscribe.serializer.statement import needs
from viewscribe.serializer.targets import session_target, target_of
from viewscribe.types import LogicalType

RUNNING = session_target(__version__)
"""The target of texts that are run; None where it is the newest."""

RUNNING_LINE = RUNNING and RUNNING.rpartition(".")[0]
"""Its major and minor number alone."""

READ = [each for each in TARGETS if target_of(each).version <= target_of(RUNNING).version]
"""The targets whose texts the running Spark must read."""


ROWS_OF_PANDAS = "rows of pandas are an RDD in a classic DataFrame before Spark 4.2"


def before(version: str) -> bool:
    """Whether the running Spark is older than a version."""
    numbers = tuple(int(part) for part in version.split("."))
    return target_of(RUNNING).version < numbers


def skip_newer(root: Node) -> None:
    """Skips a test of what the running Spark is too old for."""
    for what, came in needs(root):
        if came > target_of(RUNNING).version:
            pytest.skip(f"{what} came with Spark {'.'.join(map(str, came))}")
    if before("4.1") and holds(root, InSubquery):
        pytest.skip("the DataFrame API of Spark 4.0 has no IN (query)")


def has_type(type_: LogicalType) -> bool:
    """Whether the running Spark has a type."""
    null = Literal(None, type_)
    return all(came <= target_of(RUNNING).version for _, came in needs(null))
