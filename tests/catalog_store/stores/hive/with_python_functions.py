"""Python functions in a metastore: one process stores them beside views, another reads those.

Run as a program by ``test_python_functions.py``, once for each; prints what it found, as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import viewscribe as vs
from tests.catalog_store.stores.hive.with_spark import session

HERE = "tests.spark.stored_functions"
ROWS = "VALUES (1, 100D, 'a b'), (2, NULL, NULL) AS t(id, x, w)"


def store(spark: Any) -> dict[str, Any]:
    """Functions and views of Spark's own."""
    from tests.spark import stored_functions

    env = vs.TableEnvironment(spark)
    env.create_database("shop")
    env.create_function("shop.tenth", stored_functions.tenth)
    env.create_function("shop.words", stored_functions.words)
    vs.attach_functions(spark, "shop.tenth", "shop.words", catalog=env)
    spark.sql(f"CREATE VIEW shop.tenths AS SELECT id, shop.tenth(x) AS y FROM {ROWS}")
    spark.sql("CREATE VIEW shop.behind AS SELECT * FROM shop.tenths WHERE y > 0")
    spark.sql(f"CREATE VIEW shop.split AS SELECT id, word FROM {ROWS}, LATERAL shop.words(w)")
    return {"rows": [list(row) for row in spark.table("shop.tenths").collect()]}


def read(spark: Any) -> dict[str, Any]:
    """The views, first as they are, then with their functions."""
    found: dict[str, Any] = {
        "imported at first": HERE in sys.modules,
        "text": spark.sql("SHOW CREATE TABLE shop.behind").collect()[0][0],
    }
    for name in ("tenths", "split", "thrift"):
        found[f"{name} alone"] = told(lambda: spark.table(f"shop.{name}").collect())  # noqa: B023
    found["refused"] = told(lambda: vs.attach_functions(spark, "shop.behind"))
    found["imported then"] = HERE in sys.modules
    for name in ("behind", "split", "thrift"):
        vs.attach_functions(spark, f"shop.{name}", python_modules=[HERE])
        found[name] = sorted(list(row) for row in spark.table(f"shop.{name}").collect())
    found["imported at last"] = HERE in sys.modules
    found["whole"] = told(lambda: vs.attach_functions(spark, "shop.whole", python_modules=[HERE]))
    return found


def told(act: Callable[[], Any]) -> str:
    """What an error says."""
    try:
        act()
    except Exception as error:
        return f"{type(error).__name__}: {error}".partition("\n")[0]
    return "nothing was refused"


if __name__ == "__main__":
    step, port, place = sys.argv[1:]
    print("RESULT", json.dumps({"store": store, "read": read}[step](session(int(port), place))))
