"""What a test is of: a view as a document, and what it reads."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from viewscribe.catalog_store import (
    CatalogManager,
    ObjectNotFoundError,
    Relation,
    Temporary,
    ViewDocument,
)
from viewscribe.catalog_store.columns import columns_of_fields
from viewscribe.catalog_store.gate import refused_temporary_functions
from viewscribe.catalog_store.permissions import raise_first
from viewscribe.catalog_store.protocol import fold
from viewscribe.catalog_store.view_checks import fields_of, read_plan
from viewscribe.errors import TypeMismatchError, ValidationError, ViewscribeError
from viewscribe.expressions.literals import literal
from viewscribe.expressions.node import preorder
from viewscribe.expressions.nodes import Literal
from viewscribe.operations.nodes import CatalogSource, SqlText
from viewscribe.parser.names import read_names
from viewscribe.parser.settings import make_reading
from viewscribe.serializer.plan_document import to_plan
from viewscribe.serializer.targets import settings_of
from viewscribe.table_api.dataframes import capture, is_dataframe
from viewscribe.table_api.environment import TableEnvironment
from viewscribe.table_api.table import Table
from viewscribe.table_api.text_reader import read_view
from viewscribe.types import (
    ArrayType,
    BinaryType,
    DateType,
    DecimalType,
    DoubleType,
    Field,
    FloatType,
    LogicalType,
    MapType,
    StringType,
    StructType,
    TimestampNtzType,
    TimestampType,
    TimeType,
    VarcharType,
)
from viewscribe.types.identifiers import parse_name
from viewscribe.types.nested_types import change_inside
from viewscribe.types.policy import coercion, coercion_of

if TYPE_CHECKING:
    from viewscribe.operations.base import QueryOperation
    from viewscribe.spark.classes import DataFrame


# Why a test of a view cannot run.


class ViewTestError(ViewscribeError):
    """The test itself is wrong, or the view cannot be run: nothing is known of its rows."""


# Values as people write them in tests, as values of a type: ``"2026-01-31"`` is a DATE there.

_EXACT = 15
"""How many digits of a decimal number every float keeps."""

_TOO_FINE = re.compile(r"[.,]\d{7,}")
_FLOATS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}


def read_value(value: object, type_: LogicalType, zone: str) -> Literal:
    """Returns a value of a test as a literal of a type.

    Args:
        value: dates, times and timestamps may be ISO texts, decimals numbers or texts, BINARY
            hexadecimal digits, structs mappings in which a field that is left out is NULL.
        type_: the type.
        zone: the time zone of timestamps that have none.

    Raises:
        TypeMismatchError: it is no value of the type.
    """
    try:
        return literal(_natural(value, type_, zone), change_inside(type_, _without_length))
    except ValidationError as error:
        raise TypeMismatchError(error.message, hint=error.hint) from None


def _without_length(type_: LogicalType) -> LogicalType:
    if isinstance(type_, VarcharType):
        return StringType(collation=type_.collation, nullable=type_.nullable)
    return type_


def _string(value: Any, type_: LogicalType, zone: str) -> Any:
    if not isinstance(value, str):
        return value
    if not value.isascii() and any("\ud800" <= each <= "\udfff" for each in value):
        raise TypeMismatchError(f"{value!r} holds half of a surrogate pair")
    if isinstance(type_, VarcharType) and len(value) > type_.length:
        raise TypeMismatchError(f"{value!r} is not a value of {type_.ddl}")
    return value


def _natural(value: Any, type_: LogicalType, zone: str) -> Any:
    """The value as Python has it, for ``literal`` to check."""
    reader = _READERS.get(type(type_))
    return value if reader is None or value is None else reader(value, type_, zone)


def _decimal(value: Any, type_: LogicalType, zone: str) -> Any:
    if isinstance(value, float):
        digits = Decimal(repr(value)).as_tuple().digits
        if len(digits) > _EXACT:
            raise TypeMismatchError(
                f"{value!r} may have lost digits as a float", hint="write the number as a text"
            )
        value = repr(value)
    if not isinstance(value, str):
        return value
    try:
        return Decimal(value)
    except InvalidOperation:
        return value


def _float(value: Any, type_: LogicalType, zone: str) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    return float(_FLOATS[value]) if isinstance(value, str) and value in _FLOATS else value


def _date(value: Any, type_: LogicalType, zone: str) -> Any:
    return _parsed(value, dt.date.fromisoformat)


def _time(value: Any, type_: LogicalType, zone: str) -> Any:
    return _parsed(value, dt.time.fromisoformat)


def _ntz(value: Any, type_: LogicalType, zone: str) -> Any:
    return _parsed(value, dt.datetime.fromisoformat)


def _timestamp(value: Any, type_: LogicalType, zone: str) -> Any:
    value = _parsed(value, dt.datetime.fromisoformat)
    if isinstance(value, dt.datetime) and value.tzinfo is None:
        return value.replace(tzinfo=time_zone(zone))
    return value


def _parsed(value: Any, parse: Callable[[str], Any]) -> Any:
    if not isinstance(value, str) or _TOO_FINE.search(value):
        return value
    try:
        return parse(value)
    except ValueError:
        return value


def time_zone(name: str) -> dt.tzinfo:
    """Returns Spark's time zone of a name."""
    if name in ("UTC", "Z"):
        return dt.UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise ViewTestError(
            f"the time zone {name} is not known here",
            hint="give timestamps with their offsets: 2026-01-31T12:00:00+00:00",
        ) from None


def _binary(value: Any, type_: LogicalType, zone: str) -> Any:
    return _parsed(value, bytes.fromhex)


def _array(value: Any, type_: LogicalType, zone: str) -> Any:
    assert isinstance(type_, ArrayType)
    if not isinstance(value, list | tuple):
        return value
    return [_natural(each, type_.element, zone) for each in value]


def _map(value: Any, type_: LogicalType, zone: str) -> Any:
    assert isinstance(type_, MapType)
    if not isinstance(value, Mapping):
        return value
    return [
        (_natural(key, type_.key, zone), _natural(each, type_.value, zone))
        for key, each in value.items()
    ]


def _struct(value: Any, type_: LogicalType, zone: str) -> Any:
    assert isinstance(type_, StructType)
    if isinstance(value, Mapping):
        known = {fold(field.name) for field in type_.fields}
        unknown = [name for name in value if fold(str(name)) not in known]
        if unknown:
            raise TypeMismatchError(f"{type_.ddl} has no field `{unknown[0]}`")
        named = {fold(str(name)): each for name, each in value.items()}
        if len(named) < len(value):
            raise TypeMismatchError(f"a field of {type_.ddl} is given twice")
        value = [named.get(fold(field.name)) for field in type_.fields]
    if not isinstance(value, list | tuple) or len(value) != len(type_.fields):
        return value
    return tuple(
        _natural(each, field.type, zone) for each, field in zip(value, type_.fields, strict=True)
    )


_READERS: dict[type[LogicalType], Callable[[Any, LogicalType, str], Any]] = {
    StringType: _string,
    VarcharType: _string,
    DecimalType: _decimal,
    FloatType: _float,
    DoubleType: _float,
    DateType: _date,
    TimeType: _time,
    TimestampType: _timestamp,
    TimestampNtzType: _ntz,
    BinaryType: _binary,
    ArrayType: _array,
    MapType: _map,
    StructType: _struct,
}


def found_value(value: Any, type_: LogicalType) -> Any:
    """Returns a value that an engine gave as the value of a literal; maps are sorted."""
    if value is None:
        return None
    if isinstance(type_, ArrayType):
        return tuple([found_value(each, type_.element) for each in value])
    if isinstance(type_, MapType):
        pairs = value.items() if isinstance(value, Mapping) else value
        made = [(found_value(k, type_.key), found_value(v, type_.value)) for k, v in pairs]
        return tuple(sorted(made, key=repr))
    if isinstance(type_, StructType):
        parts = list(value.values()) if isinstance(value, Mapping) else list(value)
        fields = zip(parts, type_.fields, strict=True)
        return tuple([found_value(part, field.type) for part, field in fields])
    if isinstance(type_, TimestampType):
        return value.astimezone(dt.UTC)  # without a zone it is one of this process
    return bytes(value) if isinstance(value, bytearray) else value


Path = tuple[str, ...]

_ZONE = "spark.sql.session.timeZone"


class Subject(NamedTuple):
    """A view that is tested, or that such a view reads.

    Args:
        label: what messages call it.
        document: its text, columns and settings.
        tree: its tree; None where its text is not read.
        home: the catalog and database of names without them.
        env: finds what it reads; None where nobody knows more than the document.
    """

    label: str
    document: ViewDocument
    tree: QueryOperation | None
    home: tuple[str, str]
    env: TableEnvironment | None

    @property
    def zone(self) -> str:
        """The time zone of its timestamps."""
        return self.document.settings[_ZONE]

    @property
    def fields(self) -> tuple[Field, ...]:
        """Its columns."""
        return fields_of(self.document.columns)

    def full(self, parts: Path) -> Path:
        """Returns the full path of a name in its text."""
        return (*self.home[: max(3 - len(parts), 0)], *parts)

    def sources(self) -> dict[Path, tuple[Field, ...] | None]:
        """Returns the tables and views it reads, with their columns where it knows them."""
        if self.tree is not None:
            return _sources_of(self.tree)
        names = read_names(self.document.sql, make_reading(self.document.settings))
        return dict.fromkeys(self.full(tuple(table.parts)) for table in names.tables)


def subject_of(view: object, where: object = None) -> Subject:
    """Returns the subject of a test.

    Args:
        view: a ``Table``, a DataFrame, one of ``views(…)``, the name of a stored view, or its
            document.
        where: an environment, a catalog or its URL, for names and for views that others read.

    Raises:
        ViewTestError: it is none of these, or there is no such view.
    """
    env = _environment(where)
    if isinstance(view, Table):
        return _of_table(view)
    if is_dataframe(view):
        return _of_table(capture(cast("DataFrame", view)))
    if isinstance(view, ViewDocument):
        return _of_document(view, "spark_catalog", env)
    env = getattr(view, "env", env)  # one of views(…) brings its catalog along
    name = getattr(view, "name", view)  # what save_view gives has a name
    if not isinstance(name, str):
        raise ViewTestError(
            f"a {type(view).__name__} is no view",
            hint="give a Table, a DataFrame, the name of a stored view, or its document",
        )
    if env is None:
        raise ViewTestError(
            f"nobody says where the view `{name}` is",
            hint='say it: expect(…, env=env), or env="file:./views"',
        )
    try:
        relation = env.catalogs.relation(parse_name(name))
    except ViewscribeError as error:
        raise ViewTestError(error.message, hint=error.hint) from error
    if isinstance(relation, Temporary) and isinstance(relation.value, Table):
        return _of_table(relation.value)
    if not isinstance(relation, Relation) or not isinstance(relation.document, ViewDocument):
        raise ViewTestError(f"`{name}` is no view")
    return _of_document(relation.document, relation.path.catalog, env)


def nested_subject(path: Path, reader: Subject) -> Subject | None:
    """Returns the view that another one reads under a path; None where it is no view."""
    relation = _find(path, reader)
    if relation is None or not isinstance(relation.document, ViewDocument):
        return None
    return _of_document(relation.document, relation.path.catalog, reader.env)


def known_fields(path: Path, reader: Subject) -> tuple[Field, ...] | None:
    """Returns the columns of a table as its own document says."""
    relation = _find(path, reader)
    return None if relation is None else fields_of(relation.document.columns)


def _find(path: Path, reader: Subject) -> Relation | None:
    if reader.env is None:
        return None
    try:
        found = reader.env.catalogs.relation(path)
    except ObjectNotFoundError:
        return None
    return found if isinstance(found, Relation) else None


def _environment(where: object) -> TableEnvironment | None:
    if where is None or isinstance(where, TableEnvironment):
        return where
    if isinstance(where, CatalogManager):
        where = where.catalog()
    return TableEnvironment(where)  # which refuses what is no catalog


def _of_table(table: Table) -> Subject:

    env = table.env
    tree = env.named(table.operation)
    document = ViewDocument(
        database=env.catalogs.current_database,
        name="the table",
        sql=table.to_sql(),
        columns=columns_of_fields(tree.schema.fields),
        settings=_complete(settings_of(tree, env.settings)),
        plan=to_plan(tree),
    )
    home = (env.catalogs.current_catalog, env.catalogs.current_database)
    return Subject("the table", document, tree, home, env)


def _of_document(view: ViewDocument, catalog: str, env: TableEnvironment | None) -> Subject:
    label = f"{view.database}.{view.name}"
    try:
        tree = _read_tree(view, catalog, env)
    except ViewscribeError as error:
        if view.plan is not None:
            raise ViewTestError(f"{label}: {error.message}", hint=error.hint) from error
        tree = None  # only Spark reads its text
    if tree is not None:
        raise_first(refused_temporary_functions(f"the view {label}", tree))
    document = msgspec.structs.replace(view, settings=_complete(view.settings))
    return Subject(label, document, tree, (catalog, view.database), env)


def _complete(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings of a view with a time zone: a test is the same wherever it runs."""
    return {_ZONE: "UTC", **settings}


def _read_tree(
    view: ViewDocument, catalog: str, env: TableEnvironment | None
) -> QueryOperation | None:
    if view.plan is None:
        return None if env is None else read_view(env, view, catalog)
    with coercion(coercion_of(view.settings)):
        return read_plan(view)


def _sources_of(tree: QueryOperation) -> dict[Path, tuple[Field, ...] | None]:
    found: dict[Path, tuple[Field, ...] | None] = {}
    for node in preorder(tree):
        if isinstance(node, CatalogSource):
            if node.as_of is not None:
                raise ViewTestError(
                    f"`{'.'.join(node.path)}` is read as it was ({node.as_of}), and given rows "
                    "have no past"
                )
            found[node.path] = node.fields
        elif isinstance(node, SqlText):
            found.update({path: found.get(path) for path in node.dependencies})
    return found
