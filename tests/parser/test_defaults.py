"""DEFAULT and CHECK in CREATE TABLE: Spark takes and refuses the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from viewscribe import TableEnvironment
from viewscribe.errors import ViewscribeError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = """
INT DEFAULT 'abc'; INT DEFAULT '5'; INT DEFAULT 5L; INT DEFAULT 99999999999; INT DEFAULT -2147483648
TINYINT DEFAULT 300; TINYINT DEFAULT 30; TINYINT DEFAULT -129; SMALLINT DEFAULT 40000
BIGINT DEFAULT 1; DOUBLE DEFAULT 1; FLOAT DEFAULT 1.5; DOUBLE DEFAULT 1.5; BIGINT DEFAULT 1.5
DECIMAL(5, 2) DEFAULT 1; DECIMAL(5, 2) DEFAULT 1.5; DECIMAL(5, 2) DEFAULT 1234567
INT DEFAULT 1 + 1; INT DEFAULT length('abc'); TINYINT DEFAULT length('abc'); INT DEFAULT NULL
DATE DEFAULT '2024-13-01'; DATE DEFAULT '2024-01-01'; DATE DEFAULT current_date()
TIMESTAMP DEFAULT current_timestamp(); TIMESTAMP DEFAULT DATE '2024-01-01'
BOOLEAN DEFAULT 'yes'; BOOLEAN DEFAULT true; BOOLEAN DEFAULT 1
VARCHAR(5) DEFAULT 'abcdefgh'; VARCHAR(5) DEFAULT 'abc'; CHAR(5) DEFAULT 'abc'
STRING DEFAULT 5; STRING DEFAULT current_user(); STRING DEFAULT uuid(); DOUBLE DEFAULT rand()
ARRAY<BIGINT> DEFAULT array(1); STRUCT<x: INT> DEFAULT named_struct('y', 1)
INT DEFAULT 1 DEFAULT 2; INT CHECK (rand() > a); INT CHECK (a > 0) NOT ENFORCED
INT DEFAULT (SELECT 1); INT DEFAULT a
"""


def test_the_same_is_refused(spark: SparkSession) -> None:
    differences = []
    env = TableEnvironment()
    for place, column in enumerate(COLUMNS.replace("\n", ";").split(";")):
        if not column.strip():
            continue
        statement = f"CREATE TABLE default_{place} (a {column.strip()}) USING parquet"
        refused = []
        for execute in (spark.sql, env.execute_sql):
            try:
                execute(statement)
                refused.append(False)
            except (PySparkException, ViewscribeError):
                refused.append(True)
        spark.sql(f"DROP TABLE IF EXISTS default_{place}")
        if refused[0] != refused[1]:
            differences.append((column.strip(), refused))
    assert not differences, "\n".join(map(str, differences))
