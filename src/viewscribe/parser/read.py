"""A query in SQL text as an operation."""

from __future__ import annotations

from viewscribe.operations.base import QueryOperation
from viewscribe.parser.deep import deeply
from viewscribe.parser.grammar import Reading, read_query
from viewscribe.parser.lookup import World
from viewscribe.parser.queries import QueryReader


def read_sql(
    text: str, world: World, reading: Reading | None = None, start: int = 0
) -> QueryOperation:
    """The operation that a query in Spark SQL means.

    Args:
        text: one query, perhaps with something before it.
        world: where tables and functions are looked up.
        reading: parameters, and the settings that decide how text is read.
        start: the offset where the query begins.

    Raises:
        SqlSyntaxError: the text is no query of Spark's, or has what is not read.
        ValidationError: names or types do not fit; both say the line and column.
    """
    chosen = reading or Reading()

    def read() -> QueryOperation:
        return QueryReader(text, chosen, world).read(read_query(text, chosen, start))

    return deeply(read)
