"""TPC-H inputs: the eight tables, their schemas, and Parquet files of any scale factor."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

SQL_DIRECTORY: Final = Path(__file__).parent / "sql"

# As Spark reads the generated files: every column nullable, keys 64-bit.
SCHEMAS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "customer": (
            "c_custkey BIGINT, c_name STRING, c_address STRING, c_nationkey BIGINT, "
            "c_phone STRING, c_acctbal DECIMAL(15,2), c_mktsegment STRING, c_comment STRING"
        ),
        "lineitem": (
            "l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INT, "
            "l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), "
            "l_discount DECIMAL(15,2), l_tax DECIMAL(15,2), l_returnflag STRING, "
            "l_linestatus STRING, l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE, "
            "l_shipinstruct STRING, l_shipmode STRING, l_comment STRING"
        ),
        "nation": "n_nationkey BIGINT, n_name STRING, n_regionkey BIGINT, n_comment STRING",
        "orders": (
            "o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus STRING, "
            "o_totalprice DECIMAL(15,2), o_orderdate DATE, o_orderpriority STRING, "
            "o_clerk STRING, o_shippriority INT, o_comment STRING"
        ),
        "part": (
            "p_partkey BIGINT, p_name STRING, p_mfgr STRING, p_brand STRING, p_type STRING, "
            "p_size INT, p_container STRING, p_retailprice DECIMAL(15,2), p_comment STRING"
        ),
        "partsupp": (
            "ps_partkey BIGINT, ps_suppkey BIGINT, ps_availqty INT, "
            "ps_supplycost DECIMAL(15,2), ps_comment STRING"
        ),
        "region": "r_regionkey BIGINT, r_name STRING, r_comment STRING",
        "supplier": (
            "s_suppkey BIGINT, s_name STRING, s_address STRING, s_nationkey BIGINT, "
            "s_phone STRING, s_acctbal DECIMAL(15,2), s_comment STRING"
        ),
    }
)

TABLES: Final = tuple(SCHEMAS)

_GENERATOR = "tpchgen-cli"
_STAMP = ".scale-factor"


def generate(directory: Path, scale_factor: float = 0.01) -> Path:
    """Write ``<table>.parquet`` for all eight tables and return ``directory``.

    Does nothing when the files of that scale factor are already there. The stamp is removed
    first and written last, so an interrupted run is repeated, never mistaken for a whole one.
    """
    if _is_current(directory, scale_factor):
        return directory
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=directory, prefix=".generating-") as scratch:
        _run_generator(Path(scratch), scale_factor)
        (directory / _STAMP).unlink(missing_ok=True)
        for table in TABLES:
            os.replace(table_path(Path(scratch), table), table_path(directory, table))
    (directory / _STAMP).write_text(f"{scale_factor}\n", encoding="utf-8")
    return directory


def table_path(directory: Path, table: str) -> Path:
    """Return where the Parquet file of ``table`` lies."""
    return directory / f"{table}.parquet"


def query(number: int) -> str:
    """Return the text of TPC-H query ``number``, 1 to 22, in Spark's SQL."""
    return (SQL_DIRECTORY / f"q{number:02d}.sql").read_text(encoding="utf-8")


def _is_current(directory: Path, scale_factor: float) -> bool:
    stamp = directory / _STAMP
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != f"{scale_factor}\n":
        return False
    return all(table_path(directory, table).is_file() for table in TABLES)


def _run_generator(directory: Path, scale_factor: float) -> None:
    options = ["--scale-factor", str(scale_factor), "--output-dir", str(directory), "--quiet"]
    subprocess.run([_generator(), "parquet", *options], check=True)


def _generator() -> str:
    # The environment of the running interpreter comes first, activated or not.
    beside = Path(sys.executable).parent
    found = shutil.which(_GENERATOR, path=str(beside)) or shutil.which(_GENERATOR)
    if found is None:
        raise FileNotFoundError(
            f"{_GENERATOR} is not installed; install the demo group: pip install -e '.[demo]'"
        )
    return found
