"""Whether pyarrow is there: Python functions need it, and nothing else that runs in Spark."""

from __future__ import annotations

from importlib.util import find_spec

from viewscribe.spark.errors import NotInterpretableError

INSTALL = 'pip install "viewscribe[spark]"'


def require_arrow(function: object) -> None:
    """Refuses to call a Python function where pyarrow is missing.

    Raises:
        NotInterpretableError: it is; names the function and what to install.
    """
    if find_spec("pyarrow") is None:
        raise NotInterpretableError(
            f"{function} is called through Arrow, and pyarrow is not installed", hint=INSTALL
        )
