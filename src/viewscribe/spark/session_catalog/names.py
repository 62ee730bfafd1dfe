"""How the catalogs of a session call things."""

from __future__ import annotations

from viewscribe.catalog_store.hosted.names import hive_name
from viewscribe.catalog_store.names import check_name, fold
from viewscribe.spark.session_catalog.statements import Statements

SESSION_CATALOG = "spark_catalog"


class Names:
    """Names as a catalog spells them.

    The session's own catalog has them in lower case; others, which Spark asks as they are written,
    are searched for one that differs in case alone.

    Args:
        statements: to the catalog.
    """

    def __init__(self, statements: Statements) -> None:
        self._statements = statements
        self.is_own = fold(statements.catalog) == SESSION_CATALOG

    def database(self, name: str) -> str:
        """How the catalog spells the database.

        Raises:
            InvalidNameError: it can have none of that name.
        """
        if self.is_own:
            return hive_name(name, "database", "a session's catalog")
        check_name(name, "database")
        return self._spell(name, self.databases())

    def place(self, kind: str, database: str, name: str) -> tuple[str, str]:
        """How the catalog spells the database and the object."""
        home = self.database(database)
        if self.is_own:
            return home, hive_name(name, kind, "a session's catalog")
        check_name(name, kind)
        rows = self._statements.list_rows(f"SHOW TABLES IN {self._statements.name(home)}")
        return home, self._spell(name, [row[1] for row in rows])

    def databases(self) -> list[str]:
        """All databases; of several levels, the first."""
        rows = self._statements.run(f"SHOW NAMESPACES IN {self._statements.name()}")
        return [row[0] for row in rows]

    @staticmethod
    def _spell(name: str, known: list[str]) -> str:
        if name in known:
            return name
        return next((each for each in known if fold(each) == fold(name)), name)
