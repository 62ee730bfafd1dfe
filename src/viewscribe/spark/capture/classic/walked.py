"""The slow reader: the plan node by node over Py4J, where the driver lets nobody compile.

It gives what ``PlanDump.java`` writes, with some dozens of calls a node: a plan of 100 operators
takes seconds where the compiled reader takes hundredths of one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from py4j.protocol import Py4JJavaError

_DEEPEST_PRODUCT = 6
_DERIVED = frozenset(
    (
        "Project",
        "Filter",
        "Sort",
        "GlobalLimit",
        "LocalLimit",
        "Offset",
        "SubqueryAlias",
        "Distinct",
        "Repartition",
        "RepartitionByExpression",
        "ResolvedHint",
        "Sample",
    )
)
_CATALYST = "org.apache.spark.sql.catalyst"
_KINDS = (
    ("type", "org.apache.spark.sql.types.DataType"),
    ("physical", "org.apache.spark.sql.execution.SparkPlan"),
    ("node", f"{_CATALYST}.trees.TreeNode"),
    ("metadata", "org.apache.spark.sql.types.Metadata"),
    ("table", f"{_CATALYST}.catalog.CatalogTable"),
    ("id", f"{_CATALYST}.expressions.ExprId"),
    ("text", "org.apache.spark.unsafe.types.UTF8String"),
    ("text", "java.lang.Character"),
    ("word", "scala.Enumeration$Value"),
    ("word", "java.lang.Enum"),
    ("map", "scala.collection.Map"),
    ("options", "org.apache.spark.sql.util.CaseInsensitiveStringMap"),
    ("list", "scala.collection.Iterable"),
    ("option", "scala.Option"),
    ("catalog", "org.apache.spark.sql.connector.catalog.CatalogPlugin"),
    ("identifier", "org.apache.spark.sql.connector.catalog.Identifier"),
    ("files", "org.apache.spark.sql.execution.datasources.FileIndex"),
    ("source", "org.apache.spark.sql.sources.DataSourceRegister"),
    ("pair", "scala.Tuple2"),
    ("product", "scala.Product"),
)
"""What Java's objects are read as, the first that fits."""

Walk = Callable[["_Walker", Any, int], Any]


def walked_plan(jvm: object, plan: object, *, with_columns: bool = False) -> dict[str, Any]:
    """The plan in the form that ``plan.py`` reads.

    Args:
        jvm: Py4J's view of the driver.
        plan: the analyzed plan, a Java object.
        with_columns: whether every operator says its columns.
    """
    walker = _Walker(jvm, frozenset() if with_columns else _DERIVED)
    root = walker.node(plan)
    return {
        "root": root,
        "classes": walker.classes,
        "types": walker.types,
        "nodes": walker.nodes,
    }


class _Walker:
    def __init__(self, jvm: Any, derived: frozenset[str]) -> None:
        self.jvm = jvm
        self._derived = derived
        self.nodes: list[Any] = []
        self.types: list[Any] = []
        self.classes: dict[str, list[str]] = {}
        self._kinds: dict[str, tuple[str, str]] = {}
        self._by_hash: dict[int, list[tuple[Any, int]]] = {}
        self._type_places: dict[str, int] = {}
        # Every dot of a name is a call of its own: what is used often is looked up once.
        self._identity = jvm.java.lang.System.identityHashCode
        self._java = jvm.scala.jdk.javaapi.CollectionConverters.asJava
        self._struct = jvm.org.apache.spark.sql.types.StructType
        self._loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        self._class = jvm.java.lang.Class
        self._alias_tag = self._tag("analysis.FunctionRegistry", "FUNC_ALIAS")
        self._cast_tag = self._tag("expressions.Cast", "USER_SPECIFIED_CAST")
        self._names: dict[str, str] = {}
        self._answers: dict[tuple[str, str], bool] = {}

    # -- nodes -------------------------------------------------------------------------------------

    def node(self, root: Any) -> int:
        """The place of a node; children go first, in a loop."""
        stack: list[tuple[Any, bool]] = [(root, False)]
        while stack:
            each, expanded = stack.pop()
            if self._found(each) is not None:
                continue
            if expanded:
                self._write(each)
                continue
            stack.append((each, True))
            stack.extend((child, False) for child in self._java(each.children()))
        found = self._found(root)
        assert found is not None
        return found

    def _found(self, node: Any) -> int | None:
        # Two nodes may have one hash: equal ones stand for each other, others are told apart.
        for known, place in self._by_hash.get(self._identity(node), ()):
            if known.fastEquals(node):
                return place
        return None

    def _write(self, node: Any) -> None:
        kind = self._simple_name(node)
        count = node.productArity()
        if kind not in self.classes:
            self.classes[kind] = [node.productElementName(place) for place in range(count)]
        args = [self._argument(node, kind, place) for place in range(count)]
        extra = self._of_expression(node, kind) if self._is_expression(node) else {}
        if not self._is_expression(node) and kind not in self._derived:
            extra["output"] = self.value(node.output(), 0)
            if self._is_a(node, f"{_CATALYST}.plans.logical.Command"):
                extra["command"] = True
        context = node.origin().pysparkErrorContext()
        if context.isDefined():
            extra["line"] = str(context.get()._2())
        self._by_hash.setdefault(self._identity(node), []).append((node, len(self.nodes)))
        self.nodes.append([kind, args, extra])

    def _argument(self, node: Any, kind: str, place: int) -> Any:
        if kind == "Literal" and place == 0:
            return self._literal(node.value(), node.dataType())
        if kind == "LocalRelation" and place == 1:
            types = [each.dataType() for each in self._java(node.output())]
            return [
                [self._literal(row.get(at, type_), type_) for at, type_ in enumerate(types)]
                for row in self._java(node.data())
            ]
        if kind == "PivotFirst" and place == 2:
            type_ = node.pivotColumn().dataType()
            return [self._literal(each, type_) for each in self._java(node.pivotColumnValues())]
        return self.value(node.productElement(place), 0)

    def _is_expression(self, node: Any) -> bool:
        name = self._class_name(node)
        known = self._kinds.get(f"expression {name}")
        if known is None:
            is_one = self._is_a(node, f"{_CATALYST}.expressions.Expression")
            named = self._is_a(node, f"{_CATALYST}.expressions.NamedExpression")
            replaced = self._is_a(node, f"{_CATALYST}.expressions.InheritAnalysisRules")
            user = self._is_a(node, f"{_CATALYST}.expressions.UserDefinedExpression")
            marks = "".join(
                mark
                for mark, there in zip("enru", (is_one, named, replaced, user), strict=True)
                if there
            )
            known = self._kinds[f"expression {name}"] = (marks, name)
        return "e" in known[0]

    def _of_expression(self, node: Any, kind: str) -> dict[str, Any]:
        marks = self._kinds[f"expression {self._class_name(node)}"][0]
        extra: dict[str, Any] = {}
        alias = node.getTagValue(self._alias_tag)
        if alias.isDefined():
            extra["alias"] = alias.get()
        if kind == "Cast" and node.getTagValue(self._cast_tag).isDefined():
            extra["written"] = True
        if "n" in marks and kind != "OuterReference":
            extra["id"] = node.exprId().id()
        if "r" in marks:
            extra["parameters"] = self.value(node.parameters(), 0)
        if "u" in marks or kind.startswith("PythonUD"):
            extra["type"] = self._type(node.dataType())
        return extra

    def _tag(self, owner: str, name: str) -> Any:
        found = self.jvm
        for part in f"{_CATALYST}.{owner}$".split("."):
            found = getattr(found, part)
        return getattr(getattr(found, "MODULE$"), name)()

    # -- values ------------------------------------------------------------------------------------

    def value(self, value: Any, depth: int) -> Any:
        """A value of an argument."""
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int | float):
            return {"n": str(value)}
        return _WALKS[self._kind(value)](self, value, depth)

    def _kind(self, value: Any) -> str:
        name = self._class_name(value)
        found = self._kinds.get(name)
        if found is None:
            kind = next((k for k, class_ in _KINDS if self._is_a(value, class_)), "object")
            found = self._kinds[name] = (kind, name)
        return found[0]

    def _class_name(self, value: Any) -> str:
        name = self._names.get(value._target_id)
        if name is None:
            name = self._names[value._target_id] = value.getClass().getName()
        return name

    def _simple_name(self, value: Any) -> str:
        name = self._class_name(value).removesuffix("$")
        return name[max(name.rfind("."), name.rfind("$")) + 1 :]

    def _is_a(self, value: Any, class_: str) -> bool:
        asked = (self._class_name(value), class_)
        answer = self._answers.get(asked)
        if answer is None:
            answer = self._answers[asked] = self._ask(value, class_)
        return answer

    def _ask(self, value: Any, class_: str) -> bool:
        try:
            found = self._class.forName(class_, False, self._loader)
        except Py4JJavaError as error:
            if "ClassNotFoundException" in str(error):  # of another version of Spark
                return False
            raise
        return bool(found.isInstance(value))

    def _type(self, type_: Any) -> Any:
        written = self._struct().add("x", type_, True).json()
        place = self._type_places.get(written)
        if place is None:
            place = self._type_places[written] = len(self.types)
            self.types.append(json.loads(written))
        return {"t": place}

    def _option(self, value: Any, depth: int) -> Any:
        return self.value(value.get(), depth) if value.isDefined() else None

    def _list(self, value: Any, depth: int) -> Any:
        return [self.value(each, depth + 1) for each in self._java(value.toSeq())]

    def _map(self, value: Any, depth: int) -> Any:
        return {"m": [self._pair(each, depth) for each in self._java(value.toSeq())]}

    def _pair(self, value: Any, depth: int) -> Any:
        return [self.value(value._1(), depth + 1), self.value(value._2(), depth + 1)]

    def _options(self, value: Any, depth: int) -> Any:
        return {"m": [[key, text] for key, text in dict(value.asCaseSensitiveMap()).items()]}

    def _table(self, value: Any, depth: int) -> Any:
        name = value.identifier()
        parts = [part.get() for part in (name.catalog(), name.database()) if part.isDefined()]
        kind = value.tableType().name()
        return {"p": "CatalogTable", "f": {"path": [*parts, name.table()], "kind": kind}}

    def _product(self, value: Any, depth: int) -> Any:
        count = value.productArity()
        if not count or depth >= _DEEPEST_PRODUCT:
            return {"o": self._simple_name(value)}
        fields = {
            value.productElementName(place): self.value(value.productElement(place), depth + 1)
            for place in range(count)
        }
        return {"p": self._simple_name(value), "f": fields}

    def _literal(self, value: Any, type_: Any) -> Any:
        """A value as Spark holds it: dates are days, timestamps and intervals microseconds …"""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, bytes | bytearray):
            return bytes(value).hex()
        if isinstance(value, float):
            return self.jvm.java.lang.Double.toString(value)
        if isinstance(value, int | str):
            return str(value)
        if self._is_a(value, f"{_CATALYST}.util.ArrayData"):
            return self._items(value, type_.elementType())
        if self._is_a(value, f"{_CATALYST}.util.MapData"):
            return [
                self._items(value.keyArray(), type_.keyType()),
                self._items(value.valueArray(), type_.valueType()),
            ]
        if self._is_a(value, f"{_CATALYST}.InternalRow"):
            fields = [each.dataType() for each in type_.fields()]
            return [self._literal(value.get(at, each), each) for at, each in enumerate(fields)]
        return value.toString()

    def _items(self, array: Any, type_: Any) -> list[Any]:
        count = array.numElements()
        return [self._literal(array.get(place, type_), type_) for place in range(count)]


_WALKS: dict[str, Walk] = {
    "type": lambda walker, value, depth: walker._type(value),
    "physical": lambda walker, value, depth: {"o": walker._simple_name(value)},
    "node": lambda walker, value, depth: walker.node(value),
    "metadata": lambda walker, value, depth: {"j": json.loads(value.json())},
    "table": _Walker._table,
    "id": lambda walker, value, depth: {"n": str(value.id())},
    "text": lambda walker, value, depth: value.toString(),
    "word": lambda walker, value, depth: {"o": value.toString()},
    "map": _Walker._map,
    "options": _Walker._options,
    "list": _Walker._list,
    "option": _Walker._option,
    "catalog": lambda walker, value, depth: value.name(),
    "identifier": lambda walker, value, depth: [*value.namespace(), value.name()],
    "files": lambda walker, value, depth: [
        each.toString() for each in walker._java(value.rootPaths())
    ],
    "source": lambda walker, value, depth: {"o": value.shortName()},
    "pair": _Walker._pair,
    "product": _Walker._product,
    "object": lambda walker, value, depth: {"o": walker._simple_name(value)},
}
