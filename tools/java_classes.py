"""``python -m tools.java_classes``: compiles the Java sources of viewscribe for the newest Spark.

Spark's own compiler does it, so that no JDK is needed, and a test holds the result against it.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from viewscribe.spark.java_classes import dump_code
from viewscribe.spark.local import local_session


def main() -> None:
    """Writes ``compiled.json`` beside the sources."""
    with local_session() as spark:
        Path(str(files("viewscribe.spark"))).joinpath("compiled.json").write_text(
            dump_code(spark._jvm), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
