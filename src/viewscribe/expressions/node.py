"""The base of every tree node: immutable, compared by structure, safe at any depth.

Plain dataclasses recurse in hash, equality, repr and pickle and break a few thousand levels deep.
Here all of them walk the tree with an explicit stack, and a shared subtree is visited once.
Each node remembers which kinds of nodes are in its tree, so that looking for what is not there
costs nothing.
A class declares which of its fields hold children (``child_fields``: a node, None or a tuple of
nodes) and which are derived from the others (``derived_fields``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from operator import attrgetter
from typing import Any, ClassVar, Self, TypeVar

import msgspec

# Bits that say what is in a tree: one for each class of nodes and for some traits of functions.

_places = count()


def new_mark() -> int:
    """Returns a bit that nothing else has."""
    return 1 << next(_places)


IS_RANDOM = new_mark()
"""A call of a function that is not deterministic, or a sample without a seed."""

IS_STEP = new_mark()
"""A call of a function that is a step, as windows of time are."""

IS_GENERATOR = new_mark()
"""A call of a generator."""

IS_USERS = new_mark()
"""A call of a user function."""

IS_OF_SESSION = new_mark()
"""A call of a function of one session, which no text can make."""


_force = msgspec.structs.force_setattr
T = TypeVar("T")
N = TypeVar("N", bound="Node")


class Node(msgspec.Struct, frozen=True, eq=False, kw_only=True, gc=False):
    """An operation or an expression."""

    _hash: int = 0
    _marks: int = 0

    child_fields: ClassVar[tuple[str, ...]] = ()
    derived_fields: ClassVar[tuple[str, ...]] = ()
    inner_fields: ClassVar[tuple[str, ...]] = ()
    """Those of ``child_fields`` that hold a query which sees the rows of this node."""
    is_query: ClassVar[bool] = False
    mark: ClassVar[int] = 0
    """The bit of the class."""
    class_marks: ClassVar[int] = 0
    """The bits of the class and of the classes that it derives from."""
    calls_function: ClassVar[bool] = False
    """Whether it has a ``function``, whose marks it has too."""
    draws: ClassVar[bool] = False
    """Whether it has a ``seed``, without which it gives others each time."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.mark = new_mark()
        cls.class_marks = cls.mark
        for base in cls.__bases__:
            cls.class_marks |= getattr(base, "class_marks", 0)
        cls.calls_function = cls.calls_function or "function" in cls.__annotations__

    def children(self) -> list[Node]:
        """Returns the direct children, in field order."""
        found: list[Node] = []
        for name in self.child_fields:
            value = getattr(self, name)
            if type(value) is tuple:
                found += value
            elif value is not None:
                found.append(value)
        return found

    def with_children(self, children: Sequence[Node]) -> Self:
        """Returns a copy of the node with other children, as many as ``children()`` returns."""
        changes: dict[str, Any] = {}
        position = 0
        for name in self.child_fields:
            value = getattr(self, name)
            if type(value) is tuple:
                changes[name] = tuple(children[position : position + len(value)])
                position += len(value)
            elif value is not None:
                changes[name] = children[position]
                position += 1
        return self.copy_with(changes)

    def copy_with(self, changes: dict[str, Any]) -> Self:
        """Returns a copy with some fields changed; derived fields are recomputed."""
        return msgspec.structs.replace(self, _hash=0, _marks=0, **changes)

    def attributes(self) -> tuple[Any, ...]:
        """Returns the fields that are neither children nor derived; equality compares these."""
        return _attributes_of(type(self))(self)

    def __hash__(self) -> int:
        pending: list[Node] = [] if self._hash else [self]
        while pending:
            node = pending[-1]
            children = node.children() if node.child_fields else ()
            missing = [child for child in children if not child._hash]
            if missing:
                pending += missing
                continue
            pending.pop()
            if not node._hash:
                _force(node, "_hash", _hash_of(node, children))
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Node):
            return NotImplemented
        return _equal(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other  # msgspec's own compares by identity

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unflatten, (_flatten(self),))

    def __repr__(self) -> str:
        text = self.as_summary_string()
        return text if len(text) <= 2000 else text[:2000] + " …"

    def as_summary_string(self) -> str:
        """Returns a readable summary of the node."""
        raise NotImplementedError


LASTING = ("stored",)
"""The fields in which a node remembers what a copy of it in another process remembers, too."""
MEMOS = ("_hash", "_marks", "asked", "witness", *LASTING)
"""The fields in which a node remembers what is worked out of the others, or where it is from."""

_ATTRIBUTE_FIELDS: dict[type[Node], tuple[str, ...]] = {}


def attribute_fields(kind: type[Node]) -> tuple[str, ...]:
    """Returns the names of the fields of ``kind`` that are neither children nor derived."""
    names = _ATTRIBUTE_FIELDS.get(kind)
    if names is None:
        skipped = {*MEMOS, *kind.child_fields, *kind.derived_fields}
        names = tuple(name for name in kind.__struct_fields__ if name not in skipped)
        _ATTRIBUTE_FIELDS[kind] = names
    return names


_Getter = Callable[[Node], tuple[Any, ...]]
_GETTERS: dict[type[Node], _Getter] = {}


def _attributes_of(kind: type[Node]) -> _Getter:
    getter = _GETTERS.get(kind)
    if getter is None:
        names = attribute_fields(kind)
        if len(names) > 1:
            getter = attrgetter(*names)
        else:  # for one name attrgetter gives the bare value

            def getter(node: Node) -> tuple[Any, ...]:
                return tuple([getattr(node, name) for name in names])

        _GETTERS[kind] = getter
    return getter


def postorder(root: Node, *, skip: Callable[[Node], bool] | None = None) -> Iterator[Node]:
    """Yields every node of the tree once, children before parents.

    Args:
        root: where to start.
        skip: returns True for a node that is left out together with its subtree.
    """
    return postorder_of((root,), skip=skip)


def postorder_of(
    roots: Sequence[Node], *, skip: Callable[[Node], bool] | None = None
) -> Iterator[Node]:
    """Yields every node of several trees once: what they share is not gone through again."""
    seen: set[int] = set()
    stack: list[tuple[Node, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            yield node
            continue
        if id(node) in seen or (skip is not None and skip(node)):
            continue
        seen.add(id(node))
        stack.append((node, True))
        if node.child_fields:
            stack.extend([(child, False) for child in reversed(node.children())])


def preorder(root: Node, *, skip: Callable[[Node], bool] | None = None) -> Iterator[Node]:
    """Yields every node of the tree once, parents before children."""
    seen: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) in seen or (skip is not None and skip(node)):
            continue
        seen.add(id(node))
        yield node
        if node.child_fields:
            stack.extend(reversed(node.children()))


def marks_in(root: Node) -> int:
    """Returns the bits of all nodes in the tree, sub-queries included."""
    if root._marks:
        return root._marks
    if not root.child_fields:
        return own_marks(root)
    pending = [root]
    while pending:
        node = pending[-1]
        found, complete = own_marks(node), True
        for child in node.children():
            if child._marks:
                found |= child._marks
            elif child.child_fields:
                pending.append(child)
                complete = False
            else:
                found |= own_marks(child)
        if complete:
            pending.pop()
            _force(node, "_marks", found)
    return root._marks


def own_marks(node: Node) -> int:
    """Returns the bits of the node alone."""
    kind = type(node)
    if kind.calls_function:
        return kind.class_marks | node.function.marks  # type: ignore[attr-defined, no-any-return]
    if kind.draws and node.seed is None:  # type: ignore[attr-defined]
        return kind.class_marks | IS_RANDOM
    return kind.class_marks


def holds(root: Node, *kinds: type[Node]) -> bool:
    """Whether the tree, sub-queries included, contains a node of one of these kinds."""
    return bool(marks_in(root) & marks_of(kinds))


def find(root: Node, *kinds: type[N], skip: Callable[[Node], bool] | None = None) -> Iterator[N]:
    """Returns the nodes of these kinds in the order of ``preorder``; looks only where some are."""
    return find_marked(root, marks_of(kinds), skip=skip)  # type: ignore[return-value]


def find_marked(
    root: Node, marks: int, *, skip: Callable[[Node], bool] | None = None
) -> Iterator[Node]:
    """Returns the nodes with one of these bits in the order of ``preorder``."""
    # Mostly there is none: that must cost no more than looking at the root.
    return _walk_marked(root, marks, skip) if marks_in(root) & marks else iter(())


def _walk_marked(root: Node, marks: int, skip: Callable[[Node], bool] | None) -> Iterator[Node]:
    seen: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) in seen or (skip is not None and skip(node)):
            continue
        seen.add(id(node))
        if own_marks(node) & marks:
            yield node
        if node.child_fields:
            stack.extend([each for each in reversed(node.children()) if marks_in(each) & marks])


def marks_of(kinds: Iterable[type[Node]]) -> int:
    """Returns the bits of some kinds of nodes."""
    found = 0
    for kind in kinds:
        found |= kind.mark
    return found


def is_query(node: Node) -> bool:
    """Whether the node is a query: what is below it is not of the expression around it."""
    return node.is_query


def fold(root: Node, function: Callable[[Node, list[T]], T]) -> T:
    """Computes ``function(node, results of its children)`` bottom-up; returns the root's result."""
    return fold_all((root,), function)[0]


def fold_all(roots: Sequence[Node], function: Callable[[Node, list[T]], T]) -> list[T]:
    """Computes the same of several trees, and of what they share once."""
    values: dict[int, T] = {}
    for node in postorder_of(roots):
        values[id(node)] = function(node, [values[id(child)] for child in node.children()])
    return [values[id(root)] for root in roots]


def replace(root: Node, function: Callable[[Node], Node]) -> Node:
    """Returns the tree with every node replaced by what ``function`` returns for it, bottom-up.

    A node whose children are all unchanged is passed to ``function`` itself, without a copy.
    """

    def step(node: Node, children: list[Node]) -> Node:
        if any(new is not old for new, old in zip(children, node.children(), strict=True)):
            node = node.with_children(children)
        return function(node)

    return fold(root, step)


def _hash_of(node: Node, children: Sequence[Node]) -> int:
    parts = (type(node).__name__, node.attributes(), *[child._hash for child in children])
    return hash(parts) or 1


def _equal(left: Node, right: Node) -> bool:
    compared: set[tuple[int, int]] = set()
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if a is b or (id(a), id(b)) in compared:
            continue
        if type(a) is not type(b) or (a._hash and b._hash and a._hash != b._hash):
            return False
        if a.attributes() != b.attributes():
            return False
        if not a.child_fields:
            continue
        below_a, below_b = a.children(), b.children()
        if len(below_a) != len(below_b):
            return False
        compared.add((id(a), id(b)))
        stack.extend(zip(below_a, below_b, strict=True))
    return True


_Flat = list[tuple[type[Node], dict[str, Any], dict[str, Any]]]


def _flatten(root: Node) -> _Flat:
    """Flattens the tree to a list of (class, plain fields, child positions), for pickle."""
    places: dict[int, int] = {}
    flat: _Flat = []

    def place(value: Any) -> Any:
        if type(value) is tuple:
            return tuple(places[id(child)] for child in value)
        return None if value is None else places[id(value)]

    for node in postorder(root):
        kind = type(node)
        plain = {name: getattr(node, name) for name in attribute_fields(kind)}
        plain |= {name: True for name in LASTING if getattr(node, name, False)}
        below = {name: place(getattr(node, name)) for name in kind.child_fields}
        places[id(node)] = len(flat)
        flat.append((kind, plain, below))
    return flat


def _unflatten(flat: _Flat) -> Node:
    nodes: list[Node] = []
    for kind, plain, below in flat:
        for name, value in below.items():
            if type(value) is tuple:
                plain[name] = tuple(nodes[place] for place in value)
            else:
                plain[name] = None if value is None else nodes[value]
        lasting = {name: plain.pop(name) for name in LASTING if name in plain}
        nodes.append(build(kind, plain))
        for name, value in lasting.items():
            _force(nodes[-1], name, value)
    return nodes[-1]


def build(kind: type[Node], fields: dict[str, Any]) -> Node:
    """Builds a node of ``kind`` from its fields, with derived ones computed."""
    maker = getattr(kind, "of", None) if kind.derived_fields else None
    return (maker or kind)(**fields)
