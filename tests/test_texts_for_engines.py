"""No text reaches an engine that was not let through by the gate, printed from a tree, or quoted.

The code is walked: what ``spark.sql`` and its like are given is put together from constants and
from what the functions in ``SAFE`` give. Where it is a parameter, every caller is looked at.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import viewscribe

SOURCE = Path(viewscribe.__file__).parent

ROOMS = ("spark/", "snapshots/rows/", "catalog_store/stores/sql/", "given")
"""Where engines are given texts, and what these are made of."""
OF_SPARK = ("spark", "session", "functions")
OF_DATABASES = ("connection", "cursor")
OF_STATEMENTS = ("statements",)
ENGINES = {
    **dict.fromkeys(("sql", "selectExpr", "expr", "createView"), (0, OF_SPARK)),
    **dict.fromkeys(("execute", "executemany"), (0, (*OF_DATABASES, *OF_STATEMENTS))),
    **dict.fromkeys(("run", "list_rows", "value"), (0, OF_STATEMENTS)),
    **dict.fromkeys(("schema", "schema_with_functions"), (0, OF_STATEMENTS)),
    **dict.fromkeys(("run_as_written", "execute_as_written", "first_value"), (1, ("",))),
    **dict.fromkeys(("analyze_query", "columns_json", "run_statement"), (1, ("",))),
}
"""What is given a text, at which place, and of what; in their own bodies these pass it on."""

SAFE = {
    **dict.fromkeys(
        ("quote_name", "quote_identifier", "quote_string", "quote_path", "_quote"), "quoted"
    ),
    **dict.fromkeys(("name", "name_of_view"), "quoted by the session's catalog"),
    **dict.fromkeys(("admit", "_admit"), "let through by the gate"),
    **dict.fromkeys(("to_sql", "to_dialect"), "printed from a tree"),
    **dict.fromkeys(("type_text", "schema_text"), "printed from a type"),
    "parameter_text": "printed from a type, with a default that the gate let through",
    **dict.fromkeys(("insert", "select", "delete", "update"), "SQLAlchemy's, no text"),
    **dict.fromkeys(("len", "next", "range"), "numbers"),
    "_in_duckdb": "the name of a type, out of a table",
    "fold": "of a name, which is quoted",
}
GIVEN_SAFELY = {
    ("spark/capture/sources.py", "query_schema"): "of a DataFrame that the session has already",
    ("spark/session_objects.py", "are_read"): "which the gate asks once it would let it by",
    ("spark/session_objects.py", "refuse_variables"): "of such a DataFrame, or let through",
    ("spark/read_texts.py", "columns_then"): "a constant, as the parser has read it",
    ("spark/views.py", "_keep_settings"): "let through, through functools.partial",
    ("spark/catalog_functions.py", "_ask"): "a quoted name, through functools.partial",
}
"""Functions that are given their text where the walk does not see it."""
PASSED_ON = ("join", "where", "values", "order_by", "with_for_update")
ATTRIBUTES = {
    "ddl": "printed from a type",
    "table_name": "quoted, where a function of a user is named",
    "sql_name": "quoted, where a function of a user is named",
    **dict.fromkeys(("precision", "scale"), "numbers"),
    "as_of": "VERSION or TIMESTAMP AS OF a constant: plans hold no other",
}


class Code:
    """All modules of a tree of sources."""

    def __init__(self, root: Path) -> None:
        self.modules: dict[str, ast.Module] = {}
        self.module_of: dict[ast.AST, str] = {}
        self.holders: dict[ast.AST, list[ast.FunctionDef]] = {}
        self.functions: dict[tuple[str, str], list[ast.FunctionDef]] = defaultdict(list)
        self.calls: list[ast.Call] = []
        for path in sorted(root.rglob("*.py")):
            name = str(path.relative_to(root))
            self.modules[name] = ast.parse(path.read_text(encoding="utf-8"))
            self._visit(self.modules[name], name, [])

    def _visit(self, node: ast.AST, module: str, holders: list[ast.FunctionDef]) -> None:
        self.holders[node], self.module_of[node] = holders, module
        if isinstance(node, ast.Call):
            self.calls.append(node)
        if isinstance(node, ast.FunctionDef):
            if module.startswith(ROOMS):
                self.functions[module, node.name].append(node)
            holders = [*holders, node]
        for child in ast.iter_child_nodes(node):
            self._visit(child, module, holders)

    def texts_given(self) -> Iterator[ast.expr]:
        """Everything that an engine is given."""
        for call in self.calls:
            place, receivers = ENGINES.get(name_of(call.func), (0, ()))
            receiver = receiver_of(call.func)
            is_functions = receiver == "f" and receivers is OF_SPARK
            if not is_functions and not any(each in receiver for each in receivers):
                continue
            if not any(each.name in ENGINES for each in self.holders[call]):
                yield from call.args[place : place + 1]

    def defined(self, node: ast.AST, name: str) -> list[ast.FunctionDef]:
        """The functions of a name in the module of a node, or in the one it is imported from."""
        module = self.module_of[node]
        found = self.functions.get((module, name), [])
        for each in ast.walk(self.modules[module]) if not found else ():
            if isinstance(each, ast.ImportFrom) and name in [one.name for one in each.names]:
                path = (each.module or "").removeprefix("viewscribe.").replace(".", "/")
                found = [
                    *self.functions.get((f"{path}.py", name), []),
                    *self.functions.get((f"{path}/__init__.py", name), []),
                ]
        return found


def name_of(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def receiver_of(function: ast.expr) -> str:
    return ast.unparse(function.value).lower() if isinstance(function, ast.Attribute) else ""


class Judge:
    """Says of an expression why nobody can be sure of it; nothing where it is safe."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._asked: set[tuple[int, str]] = set()

    def doubts(self, node: ast.expr) -> list[str]:
        """What is not safe in an expression; each is asked of once."""
        if isinstance(node, ast.Constant) or not self._ask(node, "itself"):
            return []
        if isinstance(node, ast.JoinedStr):
            return self._all(
                each.value for each in node.values if isinstance(each, ast.FormattedValue)
            )
        if isinstance(node, ast.BinOp):
            return self._all((node.left, node.right))
        if isinstance(node, ast.IfExp):
            return self._all((node.body, node.orelse))
        if isinstance(node, ast.BoolOp):
            return self._all(node.values)
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return self._all(node.elts)
        if isinstance(node, ast.Starred):
            return self.doubts(node.value)
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            return self.doubts(node.elt)
        if isinstance(node, ast.Subscript):
            return self.doubts(node.value)
        if isinstance(node, ast.Name):
            return self._variable(node)
        if isinstance(node, ast.Attribute):
            return [] if node.attr in ATTRIBUTES else self._unsure(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        return self._unsure(node)

    def _all(self, nodes: object) -> list[str]:
        return [doubt for each in nodes for doubt in self.doubts(each)]  # type: ignore[attr-defined]

    def _unsure(self, node: ast.expr) -> list[str]:
        return [f"{self._code.module_of[node]}:{node.lineno}: {ast.unparse(node)[:80]}"]

    def _call(self, node: ast.Call) -> list[str]:
        name = name_of(node.func)
        if name in SAFE:
            return []
        if name in PASSED_ON and isinstance(node.func, ast.Attribute):
            return self._all((node.func.value, *(node.args if name == "join" else ())))
        if name == "map" and name_of(node.args[0]) in SAFE:
            return []
        found = self._code.defined(node, name)
        return [d for each in found for d in self._returned(each)] if found else self._unsure(node)

    def _returned(self, function: ast.FunctionDef) -> list[str]:
        if not self._ask(function, "return"):
            return []
        returned = [
            each.value
            for each in ast.walk(function)
            if isinstance(each, ast.Return) and self._code.holders[each][-1:] == [function]
        ]
        return self._all(each for each in returned if each is not None)

    def _ask(self, node: ast.AST, what: str) -> bool:
        """Whether it was not asked before."""
        key = (id(node), what)
        is_new = key not in self._asked
        self._asked.add(key)
        return is_new

    def _variable(self, node: ast.Name) -> list[str]:
        for holder in reversed(self._code.holders[node]):
            assigned = list(values_of(holder, node.id))
            if assigned:
                return self._all(assigned)
            if node.id in [each.arg for each in ast.walk(holder.args) if isinstance(each, ast.arg)]:
                return self._given(holder, node.id)
        assigned = list(values_of(self._code.modules[self._code.module_of[node]], node.id))
        return self._all(assigned) if assigned else self._unsure(node)

    def _given(self, function: ast.FunctionDef, parameter: str) -> list[str]:
        """What all callers give for a parameter."""
        place = (self._code.module_of[function], function.name)
        if place in GIVEN_SAFELY or not self._ask(function, parameter):
            return []
        names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        names = names[1:] if names[:1] in (["self"], ["cls"]) else names
        doubts: list[str] = []
        callers = 0
        for call in self._code.calls:
            name = name_of(call.func)
            if name != function.name or not self._may_mean(call, function):
                continue
            callers += 1
            given = {each.arg: each.value for each in call.keywords}
            given |= dict(zip(names, call.args, strict=False))
            doubts += self.doubts(given[parameter]) if parameter in given else []
        return doubts if callers else [f"{':'.join(place)}: {parameter}, which nobody here gives"]

    def _may_mean(self, call: ast.Call, function: ast.FunctionDef) -> bool:
        """Whether a call may be of a function; of a method it is in its module."""
        if function in self._code.defined(call, function.name):
            return True
        is_here = self._code.module_of[call] == self._code.module_of[function]
        return is_here and isinstance(call.func, ast.Attribute)


def values_of(holder: ast.AST, name: str) -> Iterator[ast.expr]:
    """What is assigned to a variable, or appended to it."""
    for node in ast.walk(holder):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from paired(target, node.value, name)
        elif isinstance(node, ast.AugAssign | ast.AnnAssign) and node.value is not None:
            if name_of(node.target) == name:
                yield node.value
        elif isinstance(node, ast.For | ast.comprehension):
            yield from paired(node.target, node.iter, name)
        elif isinstance(node, ast.Call) and name_of(node.func) in ("append", "extend"):
            yield from node.args if receiver_of(node.func) == name.lower() else ()


def paired(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr]:
    changed = target.value if isinstance(target, ast.Subscript) else target
    if name_of(changed) == name:
        yield value
    elif isinstance(target, ast.Tuple):
        values = [value] * len(target.elts)
        if isinstance(value, ast.Tuple):
            values = value.elts
        elif isinstance(value, ast.Call) and name_of(value.func) == "zip":
            values = value.args
        for one, each in zip(target.elts, values, strict=False):
            yield from paired(one, each, name)


@pytest.fixture(scope="module")
def code() -> Code:
    return Code(SOURCE)


@pytest.mark.slow("all sources are walked")
def test_engines_are_given_nothing_else(code: Code) -> None:
    given = list(code.texts_given())
    assert len(given) > 20, "no call is found any more"
    judge = Judge(code)
    assert sorted({doubt for each in given for doubt in judge.doubts(each)}) == []


@pytest.mark.parametrize(
    ("line", "is_safe"),
    [
        ("spark.sql(document.sql)", False),
        ("spark.sql(gate.admit(document.sql))", True),
        ('spark.sql(f"DROP TABLE {name}")', False),
        ('spark.sql(f"DROP TABLE {quote_name(name)}")', True),
        ('run_as_written(spark, "SELECT 1; " + text)', False),
        ("frame.spark.selectExpr(*[text])", False),
        ("F.expr(text)", False),
        ("connection.execute(text)", False),
        ("connection.execute(select(TABLE).where(text))", True),
        ("text = quote_string(text); spark.sql(text)", True),
        ("tree.sql(dialect)", True),
    ],
)
def test_the_walk_finds_what_is_pasted(tmp_path: Path, line: str, is_safe: bool) -> None:
    source = f"def pass_on(spark, document, name, text, tree):\n    {line}\n"
    caller = (
        "def other(spark, document):\n    pass_on(spark, document, document.name, document.text)\n"
    )
    (tmp_path / "given.py").write_text(source + caller)
    code = Code(tmp_path)
    judge = Judge(code)
    assert bool([d for each in code.texts_given() for d in judge.doubts(each)]) is not is_safe
