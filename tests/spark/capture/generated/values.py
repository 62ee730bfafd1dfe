"""Random expressions over the columns of a frame, as Python code of a given kind of value."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import types as t

from tests.spark.capture.generated.frames import kind_of, quoted
from tests.spark.capture.generated.leaves import LITERALS
from tests.spark.capture.generated.texts import Texts

KINDS = ("int", "string", "boolean", "double", "decimal", "date", "timestamp")
"""Kinds of values that are made of others."""


_PATTERNS = ("a%", "%n", "_", "\\%%", "it's", "%\\\\%")

Make = Callable[[], str]


class Values(Texts):
    """Draws expressions of a row."""

    def of(self, kind: str, depth: int = 2) -> str:
        """An expression of a kind."""
        if depth <= 0 or self.p.chance(3):
            return self.leaf(kind)
        makers: dict[str, Callable[[int], list[Make]]] = {
            "int": self._int,
            "string": self._string,
            "boolean": self._boolean,
            "double": self._double,
            "decimal": self._decimal,
            "date": self._date,
            "timestamp": self._timestamp,
        }
        return self.p.choose(makers[kind](depth - 1))()

    def any(self, depth: int = 2) -> str:
        """An expression of any kind."""
        return self.p.choose(
            [
                *(lambda kind=kind: self.of(kind, depth) for kind in KINDS),
                lambda: self.column() or self.literal("int"),
                lambda: self.collection(depth),
                lambda: self.literal(self.p.choose(tuple(LITERALS))),
            ]
        )()

    def ordered(self, depth: int = 1) -> str:
        """An expression that rows can be grouped and sorted by."""
        return self.of(self.p.choose(KINDS), depth)

    def _same(self, kind: str, depth: int) -> list[Make]:
        """What values of any kind can go through."""
        one, two = (lambda: self.of(kind, depth)), (lambda: self.of(kind, 0))
        return [
            lambda: f"F.coalesce({one()}, {two()})",
            lambda: f"F.when({self.condition(depth)}, {one()}).otherwise({two()})",
            lambda: f"F.when({self.condition(0)}, {one()})",
            lambda: f"F.nullif({one()}, {two()})",
            lambda: f"F.nvl2({self.of('int', 0)}, {one()}, {two()})",
            lambda: f"F.nvl({one()}, {two()})",
        ]

    def _int(self, depth: int) -> list[Make]:
        one, two = (lambda: self.of("int", depth)), (lambda: self.of("int", 0))
        text = lambda: self.of("string", depth)  # noqa: E731
        return [
            *self._same("int", depth),
            lambda: f"({one()} + {two()})",
            lambda: f"({one()} - {two()})",
            lambda: f"({one()} * 2)",
            lambda: f"(10 - {one()})",
            lambda: f"(-{one()})",
            lambda: f"({one()} % 7)",
            lambda: f"F.abs({one()})",
            lambda: f"F.greatest({one()}, {two()})",
            lambda: f"F.least({one()}, {two()}, F.lit(4))",
            lambda: f"F.length({text()})",
            lambda: f"F.instr({text()}, 'a')",
            lambda: f"F.year({self.of('date', depth)})",
            lambda: f"F.dayofweek({self.of('date', depth)})",
            lambda: f"F.datediff({self.of('date', depth)}, {self.of('date', 0)})",
            lambda: f"F.hour({self.of('timestamp', depth)})",
            lambda: f"{self.of('boolean', depth)}.cast('int')",
            lambda: f"{text()}.try_cast('int')",
            lambda: f"F.pmod({one()}, F.lit(5))",
            lambda: f"{two()}.bitwiseAND(6)",
            lambda: f"F.size({self.array(depth)})",
            lambda: f"F.get({self.array(0, 'int')}, 0)",
            lambda: self._field("int") or one(),
            lambda: self._item() or one(),
            lambda: (
                f"F.aggregate({self.array(0, 'int')}, F.lit(0).cast('bigint'), "
                f"lambda total, x: total + F.coalesce(x, {two()}).cast('bigint'))"
            ),
            lambda: f"F.expr({self.text_of_int()!r})",
            lambda: f"F.hash({self.leaf('string')})",
        ]

    def _string(self, depth: int) -> list[Make]:
        one, two = (lambda: self.of("string", depth)), (lambda: self.of("string", 0))
        return [
            *self._same("string", depth),
            lambda: f"F.upper({one()})",
            lambda: f"F.trim({one()})",
            lambda: f"F.concat({two()}, {self.literal('string')})",
            lambda: f"F.concat_ws('-', {one()}, {two()})",
            lambda: f"F.substring({one()}, 1, 2)",
            lambda: f"{one()}.substr(2, 3)",
            lambda: f"F.lpad({one()}, 4, '*')",
            lambda: f"F.regexp_replace({one()}, '[aeiou\\\\\\\\]', '_')",
            lambda: f"F.translate({one()}, 'ab', 'xy')",
            lambda: f"F.reverse({one()})",
            lambda: f"{self.of('int', depth)}.cast('string')",
            lambda: f"{self.of('date', depth)}.cast('string')",
            lambda: f"{self.of('boolean', depth)}.cast('string')",
            lambda: f"{self.of('decimal', depth)}.cast('string')",
            lambda: f"F.date_format({self.of('timestamp', depth)}, 'yyyy-MM')",
            lambda: f"F.get(F.split({one()}, 'n'), 0)",
            lambda: f"F.get({self.array(0, 'string')}, 1)",
            lambda: f"F.array_join({self.array(0, 'string')}, ',', '?')",
            lambda: f"F.format_string('%s!', {two()})",
            lambda: self._field("string") or one(),
            lambda: f"F.to_json(F.struct({two()}.alias('k')))",
            lambda: f"F.md5({two()}.cast('binary'))",
            lambda: f"F.initcap({two()})",
            lambda: f"F.expr({self.text_of_string()!r})",
        ]

    def _boolean(self, depth: int) -> list[Make]:
        one, two = (lambda: self.of("boolean", depth)), (lambda: self.of("boolean", 0))
        return [
            *self._same("boolean", depth),
            lambda: self.comparison(depth),
            lambda: self.comparison(depth),
            lambda: f"({one()} & {two()})",
            lambda: f"({one()} | {two()})",
            lambda: f"(~{one()})",
            lambda: f"{self.any_column()}.isNull()",
            lambda: f"{self.any_column()}.isNotNull()",
            lambda: f"{self.of('string', depth)}.like({self.p.choose(_PATTERNS)!r})",
            lambda: f"{self.of('string', 0)}.rlike('^[a-m]')",
            lambda: f"{self.of('string', 0)}.startswith('a')",
            lambda: f"{self.of('string', 0)}.contains({self.of('string', 0)})",
            lambda: f"{self.of('int', depth)}.between(1, {self.of('int', 0)})",
            lambda: f"{self.of('int', depth)}.isin(1, 2, 3)",
            lambda: f"{self.of('string', depth)}.isin('a', 'it\\'s', None)",
            lambda: f"F.isnan({self.of('double', 0)})",
            lambda: f"F.array_contains({self.array(0, 'string')}, 'x')",
            lambda: f"F.exists({self.array(0, 'int')}, lambda x: x > {self.of('int', 0)})",
            lambda: f"F.forall({self.array(0, 'string')}, lambda x: x.isNotNull())",
            lambda: f"F.expr({self.text_of_condition()!r})",
        ]

    def _double(self, depth: int) -> list[Make]:
        one, two = (lambda: self.of("double", depth)), (lambda: self.of("double", 0))
        return [
            *self._same("double", depth),
            lambda: f"({one()} + {two()})",
            lambda: f"({one()} * {self.of('int', 0)})",
            lambda: f"({self.of('int', depth)} / 4)",
            lambda: f"(1 / F.nullif({self.of('int', 0)}, F.lit(0)))",
            lambda: f"F.round({one()}, 1)",
            lambda: f"F.nanvl({one()}, {two()})",
            lambda: f"F.sqrt({self.of('int', 0)})",
            lambda: f"F.pow({two()}, F.lit(2))",
            lambda: f"{self.of('int', depth)}.cast('double')",
            lambda: f"{self.of('decimal', depth)}.cast('double')",
            lambda: f"{two()}.cast('float')",
            lambda: f"F.abs({one()})",
        ]

    def _decimal(self, depth: int) -> list[Make]:
        one, two = (lambda: self.of("decimal", depth)), (lambda: self.of("decimal", 0))
        return [
            *self._same("decimal", depth),
            lambda: f"({one()} + {two()})",
            lambda: f"({two()} * 2)",
            lambda: f"({two()} * F.lit(Decimal('0.5')))",
            lambda: f"({two()} / 3)",
            lambda: f"({one()} - {self.of('int', 0)})",
            lambda: f"F.round({one()}, 1)",
            lambda: f"{self.of('int', 0)}.cast('decimal(20,2)')",
            lambda: f"{self.of('string', 0)}.try_cast('decimal(6,1)')",
        ]

    def _date(self, depth: int) -> list[Make]:
        one = lambda: self.of("date", depth)  # noqa: E731
        return [
            *self._same("date", depth),
            lambda: f"F.date_add({one()}, 3)",
            lambda: f"F.date_sub({one()}, 1)",
            lambda: f"F.add_months({one()}, -1)",
            lambda: f"F.last_day({one()})",
            lambda: f"F.trunc({one()}, 'month')",
            lambda: f"F.next_day({one()}, 'Mon')",
            lambda: "F.to_date(F.lit('2024-02-29'))",
            lambda: f"F.to_date({self.of('timestamp', depth)})",
            lambda: f"{self.of('timestamp', depth)}.cast('date')",
            lambda: f"({one()} + F.expr('INTERVAL 2 DAY'))",
            lambda: f"({one()} - F.expr('INTERVAL 1 MONTH'))",
            lambda: "F.make_date(F.lit(2024), F.lit(2), F.lit(28))",
        ]

    def _timestamp(self, depth: int) -> list[Make]:
        one = lambda: self.of("timestamp", depth)  # noqa: E731
        return [
            *self._same("timestamp", depth),
            lambda: f"F.date_trunc('hour', {one()})",
            lambda: f"({one()} + F.expr('INTERVAL 90 MINUTES'))",
            lambda: f"({one()} - F.expr('INTERVAL 1 MONTH'))",
            lambda: f"{self.of('date', depth)}.cast('timestamp')",
            lambda: "F.to_timestamp(F.lit('2024-01-01 00:00:00'))",
            lambda: f"F.timestamp_seconds({self.of('int', 0)})",
        ]

    def comparison(self, depth: int) -> str:
        """Two values of a kind compared."""
        kind = self.p.choose(KINDS)
        one, two = self.of(kind, depth), self.of(kind, 0)
        if self.p.chance(6):
            return f"{one}.eqNullSafe({two})"
        return f"({one} {self.p.choose(('==', '!=', '<', '<=', '>', '>='))} {two})"

    def condition(self, depth: int = 2) -> str:
        """A boolean expression; mostly a comparison."""
        return self.comparison(depth) if self.p.chance(2) else self.of("boolean", depth)

    def array(self, depth: int = 1, kind: str = "") -> str:
        """An array of ``int`` or ``string``."""
        kind = kind or self.p.choose(("int", "string"))
        leaf = self.array_of(kind)
        if leaf is None:
            leaf = f"F.array({self.of(kind, depth - 1)}, {self.leaf(kind)})"
        if depth <= 0:
            return leaf
        bound = self._variable()
        inner = {"int": f"{bound} + 1", "string": f"F.upper({bound})"}[kind]
        return self.p.choose(
            [
                leaf,
                f"F.sort_array({leaf})",
                f"F.sort_array({leaf}, asc=False)",
                f"F.array_distinct({leaf})",
                f"F.slice({leaf}, 1, 1)",
                f"F.concat({leaf}, F.array({self.leaf(kind)}))",
                f"F.array_compact({leaf})",
                f"F.transform({leaf}, lambda {bound}: {inner})",
                f"F.transform({leaf}, lambda {bound}, i: F.coalesce({bound}, {self.leaf(kind)}))",
                f"F.filter({leaf}, lambda {bound}: {bound} >= {self.leaf(kind)})",
            ]
        )

    def collection(self, depth: int = 1) -> str:
        """An array, a map or a struct."""
        struct, map_ = self.column("struct"), self.column("map")
        key = self.leaf("string")
        made = [
            lambda: self.array(depth),
            lambda: f"F.struct({self.leaf('int')}.alias('p'), {self.of('string', 1)}.alias('q'))",
            lambda: f"F.create_map(F.lit('k'), {self.leaf('int')}, F.lit('l'), F.lit(2))",
            lambda: f"F.split({key}, '[nb]')",
            lambda: "F.sequence(F.lit(1), F.lit(3))",
            lambda: f"F.array(F.struct({self.leaf('int')}.alias('n')))",
            lambda: f"{key}.cast('binary')",
        ]
        if struct is not None:
            made += [
                lambda: f"{struct}.withField('z', {self.of('int', 1)})",
                lambda: f"F.struct({struct}, {key}.alias('w'))",
            ]
        if map_ is not None:
            made += [
                lambda: f"F.map_filter({map_}, lambda k, v: v > 1)",
                lambda: f"F.transform_values({map_}, lambda k, v: F.concat(k, v.cast('string')))",
                lambda: f"F.sort_array(F.map_keys({map_}))",
            ]
        return self.p.choose(made)()

    def _field(self, kind: str) -> str | None:
        """A field of a struct."""
        found = [
            (column, each)
            for column in self.frame.of("struct")
            if isinstance(column.type, t.StructType)
            for each in column.type.fields
            if kind_of(each.dataType) == kind
            and [f.name.lower() for f in column.type.fields].count(each.name.lower()) == 1
        ]
        if not found:
            return None
        column, each = self.p.choose(found)
        if column.unique and self.p.chance(2):
            return f"F.col({f'{quoted(column.name)}.{quoted(each.name)}'!r})"
        return f"{self.named(column)}[{each.name!r}]"

    def _item(self) -> str | None:
        """An item of a map of numbers."""
        found = [
            c
            for c in self.frame.of("map")
            if isinstance(c.type, t.MapType)
            and kind_of(c.type.valueType) == "int"
            and kind_of(c.type.keyType) == "string"
        ]
        return f"{self.named(self.p.choose(found))}['a']" if found else None

    def _variable(self) -> str:
        self._lambdas += 1
        return self.p.choose(("x", "id", "name"))
