"""The lineage of SQL text, as far as it can be told exactly.

sqlglot parses; which column a name means is worked out here, in Spark's order. What is not known
for sure (a construct without a rule, a name that could mean two things, a table whose columns
nobody knows) makes the whole text unknown, and the reason says so: a lineage that is nearly right
is worse than none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from viewscribe.catalog_store.lineage.influence import (
    NOTHING,
    ColumnId,
    Influence,
    Origins,
    add,
    merged,
)
from viewscribe.catalog_store.lineage.sql_expressions import ExpressionReader
from viewscribe.catalog_store.lineage.sql_scopes import (
    Relation,
    Scope,
    UnknownLineageError,
    spelled,
)

if TYPE_CHECKING:
    from viewscribe.catalog_store.lineage.operations import ColumnsOf, QueryLineage

I = Influence  # noqa: E741

_KNOWN_CLAUSES = frozenset(
    (
        *("expressions", "distinct", "hint", "operation_modifiers", "with_"),
        *("from_", "joins", "laterals", "where", "group", "having", "qualify"),
        *("order", "limit", "offset"),
    )
)
_KNOWN_OF_SET_OPERATIONS = frozenset(
    ("this", "expression", "distinct", "with_", "order", "limit", "offset")
)
_KNOWN_OF_TABLES = frozenset(("this", "db", "catalog", "alias"))
_KNOWN_OF_JOINS = frozenset(("this", "side", "kind", "on", "using", "hint"))
_KNOWN_OF_GROUPS = frozenset(("expressions", "rollup", "cube", "grouping_sets"))


def text_lineage(
    text: str,
    names: Sequence[str],
    dependencies: Sequence[tuple[str, ...]],
    columns_of: ColumnsOf,
) -> QueryLineage:
    """What the query ``text`` depends on; where that is not known, ``unknown`` says why.

    Args:
        text: a query in Spark SQL in which tables have their full names.
        names: the names of its columns.
        dependencies: the tables and views it reads.
        columns_of: the columns of a table or view.
    """
    from viewscribe.catalog_store.lineage.operations import QueryLineage

    try:
        return _exact(text, len(names), columns_of)
    except UnknownLineageError as error:
        reason = f"the lineage of SQL text is unknown: {error}"
    rows: dict[ColumnId, Influence] = {}
    carried: set[ColumnId] = set()
    for path in dependencies:
        rows[ColumnId(path, None)] = I.ROWS
        carried.update(ColumnId(path, name) for name in columns_of(path) or ())
    return QueryLineage((NOTHING,) * len(names), rows, frozenset(carried), (reason,))


def _exact(text: str, width: int, columns_of: ColumnsOf) -> QueryLineage:
    from sqlglot import parse
    from sqlglot.errors import SqlglotError

    from viewscribe.catalog_store.lineage.operations import QueryLineage

    try:
        statements = parse(text, read="spark")
    except (SqlglotError, RecursionError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UnknownLineageError(f"it does not parse: {first}") from error
    if len(statements) != 1 or statements[0] is None:
        raise UnknownLineageError("it is not one query")
    reader = QueryReader(columns_of)
    try:
        found = reader.query(statements[0], {}, None)
    except RecursionError as error:
        raise UnknownLineageError("it is nested too deeply") from error
    if len(found.columns) != width:
        raise UnknownLineageError(f"{len(found.columns)} columns are found, {width} are declared")
    carried = reader.mentioned - set(found.rows).union(*found.origins)
    return QueryLineage(tuple(found.origins), found.rows, frozenset(carried))


class QueryReader:
    """Reads the queries of one text."""

    def __init__(self, columns_of: ColumnsOf) -> None:
        self.columns_of = columns_of
        self.mentioned: set[ColumnId] = set()

    def query(self, node: Any, steps: dict[str, Relation], outer: Scope | None) -> Relation:
        """The columns and rows of a query.

        Args:
            node: a SELECT, a set operation, or one of them in parentheses.
            steps: the CTEs it can read.
            outer: what the query around it sees.
        """
        from sqlglot import exp

        if isinstance(node, exp.Subquery) and not _more(node, {"this", "with_", "alias"}):
            return self.query(node.this, self._with_steps(node, steps, outer), outer)
        if isinstance(node, exp.Select):
            return self._select(node, self._with_steps(node, steps, outer), outer)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, self._with_steps(node, steps, outer), outer)
        raise UnknownLineageError(f"no rule for {spelled(node)}")

    def _with_steps(
        self, node: Any, steps: dict[str, Relation], outer: Scope | None
    ) -> dict[str, Relation]:
        with_ = node.args.get("with_")
        if with_ is None:
            return steps
        if with_.args.get("recursive"):
            raise UnknownLineageError("it is recursive")
        found = dict(steps)
        for step in with_.expressions:
            columns = [each.name for each in step.args["alias"].columns]
            found[step.alias.lower()] = self.query(step.this, found, outer).renamed(columns)
        return found

    def _set_operation(
        self, node: Any, steps: dict[str, Relation], outer: Scope | None
    ) -> Relation:
        from sqlglot import exp

        _require(node, _KNOWN_OF_SET_OPERATIONS)
        left, right = (self.query(side, steps, outer) for side in (node.this, node.expression))
        if len(left.columns) != len(right.columns):
            raise UnknownLineageError("the sides of a set operation differ in width")
        rows = merged(left.rows, right.rows)
        if isinstance(node, exp.Union):
            pairs = zip(left.columns, right.columns, strict=True)
            columns = [(name, merged(a, b)) for (name, a), (_, b) in pairs]
            if node.args.get("distinct") is not False:
                rows = merged(rows, _as(I.GROUP_BY, [each for _, each in columns]))
        else:
            columns = list(left.columns)
            rows = merged(rows, _as(I.JOIN, [*left.origins, *right.origins]))
        made = Relation((), columns, rows)
        return made.with_rows(self._order(node, Scope([made], None, self), steps))

    def _select(self, node: Any, steps: dict[str, Relation], outer: Scope | None) -> Relation:
        _require(node, _KNOWN_CLAUSES)
        scope = Scope([], outer, self)
        rows = self._from(node, scope, steps)
        reader = ExpressionReader(self, scope, steps)
        where = node.args.get("where")
        if where is not None:
            rows = merged(rows, reader.origins(where.this, I.FILTER))
        columns = self._items(node, reader)
        grouped = reader.seeing(dict(columns), columns_first=True)
        rows = merged(rows, self._groups(node, grouped, columns))
        for clause in ("having", "qualify"):
            if node.args.get(clause) is not None:
                both = reader.seeing(dict(columns), columns_first=None)
                rows = merged(rows, both.origins(node.args[clause].this, I.FILTER))
        if node.args.get("distinct") is not None:
            if node.args["distinct"].args.get("on") is not None:
                raise UnknownLineageError("no rule for DISTINCT ON")
            rows = merged(rows, _as(I.GROUP_BY, [each for _, each in columns]))
        made = Relation((), columns, rows)
        ordered = reader.seeing(dict(columns), columns_first=False)
        return made.with_rows(self._order(node, scope, steps, ordered, columns))

    def _items(self, node: Any, reader: ExpressionReader) -> list[tuple[str, Origins]]:
        from sqlglot import exp

        columns: list[tuple[str, Origins]] = []
        for item in node.expressions:
            inner = item.unalias()
            star = inner.this if isinstance(inner, exp.Column) else inner
            if isinstance(star, exp.Star):
                if any(star.args.values()):
                    raise UnknownLineageError(f"no rule for {spelled(item)}")
                table = [p.name for p in inner.parts[:-1]] if isinstance(inner, exp.Column) else []
                columns += reader.scope.star(table)
                continue
            # An earlier alias is seen where no column of FROM has the name.
            seen = reader.seeing(dict(columns), columns_first=True)
            columns.append((item.alias_or_name, seen.origins(inner, I.IDENTITY)))
        return columns

    def _groups(
        self, node: Any, reader: ExpressionReader, columns: Sequence[tuple[str, Origins]]
    ) -> Origins:
        group = node.args.get("group")
        if group is None:
            return NOTHING
        _require(group, _KNOWN_OF_GROUPS)
        found: Origins = NOTHING
        for key in group.iter_expressions():
            place = _ordinal(key)
            if place is None:
                found = merged(found, reader.origins(key, I.GROUP_BY))
            else:
                found = merged(found, _as(I.GROUP_BY, [_at(columns, place)]))
        return found

    def _order(
        self,
        node: Any,
        scope: Scope,
        steps: dict[str, Relation],
        reader: ExpressionReader | None = None,
        columns: Sequence[tuple[str, Origins]] = (),
    ) -> Origins:
        order = node.args.get("order")
        if order is None:
            return NOTHING
        reader = reader or ExpressionReader(self, scope, steps)
        columns = columns or scope.relations[0].columns
        found: Origins = NOTHING
        for key in order.expressions:
            place = _ordinal(key.this)
            if place is None:
                found = merged(found, reader.origins(key, I.SORT))
            else:
                found = merged(found, _as(I.SORT, [_at(columns, place)]))
        return found

    # -- FROM --------------------------------------------------------------------------------------

    def _from(self, node: Any, scope: Scope, steps: dict[str, Relation]) -> Origins:
        rows: Origins = NOTHING
        start = node.args.get("from_")
        if start is not None:
            scope.relations.append(self._relation(start.this, steps))
            rows = scope.relations[0].rows
        for join in node.args.get("joins") or ():
            rows = merged(rows, self._join(join, scope, steps))
        for lateral in node.args.get("laterals") or ():
            rows = merged(rows, self._lateral_view(lateral, scope, steps))
        return rows

    def _relation(self, node: Any, steps: dict[str, Relation]) -> Relation:
        from sqlglot import exp

        if isinstance(node, exp.Subquery):
            if _more(node, {"this", "alias", "with_"}):
                raise UnknownLineageError(f"no rule for {spelled(node)}")
            inner = self.query(node.this, self._with_steps(node, steps, None), None)
            return _under_alias(inner, node, ())
        if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
            raise UnknownLineageError(f"no rule for {spelled(node)}")
        _require(node, _KNOWN_OF_TABLES)
        path = tuple(part.name for part in node.parts)
        step = steps.get(path[0].lower()) if len(path) == 1 else None
        if step is not None:
            return _under_alias(step, node, path)
        names = self.columns_of(path)
        if names is None:
            raise UnknownLineageError(f"nobody knows the columns of `{'.'.join(path)}`")
        columns: list[tuple[str, Origins]] = [
            (name, {ColumnId(path, name): I.IDENTITY}) for name in names
        ]
        table = Relation(path, columns, {ColumnId(path, None): I.ROWS})
        return _under_alias(table, node, path)

    def _join(self, join: Any, scope: Scope, steps: dict[str, Relation]) -> Origins:
        _require(join, _KNOWN_OF_JOINS)
        right = self._relation(join.this, steps)
        using = [each.name for each in join.args.get("using") or ()]
        rows = right.rows
        if using:
            rows = merged(rows, scope.join_using(right, using, _side(join)))
        scope.relations.append(right)
        if join.args.get("on") is not None:
            reader = ExpressionReader(self, scope, steps)
            rows = merged(rows, reader.origins(join.args["on"], I.JOIN))
        if join.kind in ("SEMI", "ANTI"):
            scope.relations.pop()
        return rows

    def _lateral_view(self, node: Any, scope: Scope, steps: dict[str, Relation]) -> Origins:
        alias = node.args.get("alias")
        names = [each.name for each in alias.columns] if alias is not None else []
        if not node.args.get("view") or not names:
            raise UnknownLineageError(f"no rule for {spelled(node)}")
        reader = ExpressionReader(self, scope, steps)
        made = reader.generated(node.this)
        scope.relations.append(Relation((alias.name,), [(name, made) for name in names], NOTHING))
        return _as(I.JOIN, [made])


def _under_alias(relation: Relation, node: Any, path: tuple[str, ...]) -> Relation:
    alias = node.args.get("alias")
    if alias is None:
        return relation.named(path)
    name = (alias.name,) if alias.this is not None else path
    return relation.named(name).renamed([each.name for each in alias.columns])


def _side(join: Any) -> str:
    return str(join.side or join.kind or "INNER").upper()


def _ordinal(key: Any) -> int | None:
    from sqlglot import exp

    if isinstance(key, exp.Literal) and not key.is_string and key.this.isdecimal():
        return int(key.this)
    return None


def _at(columns: Sequence[tuple[str, Origins]], place: int) -> Origins:
    if not 1 <= place <= len(columns):
        raise UnknownLineageError(f"there is no column {place}")
    return columns[place - 1][1]


def _as(influence: Influence, columns: Sequence[Origins]) -> Origins:
    into: dict[ColumnId, Influence] = {}
    for each in columns:
        add(into, each, influence)
    return into


def _more(node: Any, known: set[str] | frozenset[str]) -> list[str]:
    return [name for name, value in node.args.items() if value and name not in known]


def _require(node: Any, known: frozenset[str]) -> None:
    more = _more(node, known)
    if more:
        raise UnknownLineageError(f"no rule for {more[0].strip('_')} in {spelled(node)}")
