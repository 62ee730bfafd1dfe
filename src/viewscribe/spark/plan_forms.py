"""Optimized plans without what makes no difference to rows, so that like plans compare equal.

Spark's ``sameResult`` compares plans up to the ids and names of columns. What it does not see
through, though no row follows from it, is rewritten here in both plans before they are compared:

==================  ==============================================================================
a generator's name  ``LATERAL VIEW explode(x) t`` has one, ``df.select(explode("x"))`` has none; it
                    only served to find columns
a range's slices    left open they are those of the session, which DataFrames write out
a cross join        is an inner join for which nobody asks whether it was meant
``ON true``         is no condition
renamed columns     at the very top hold what they held
==================  ==============================================================================

The plans are walked over Py4J in a loop, and only where they were not equal as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Rewrite = Callable[["PlanForms", Any], Any]


class PlanForms:
    """Rewrites plans of a session.

    Args:
        session: the Java session that the plans are of.
        jvm: Py4J's view of the driver.
    """

    def __init__(self, session: Any, jvm: Any) -> None:
        self._jvm = jvm
        self.slices = jvm.scala.Some(int(session.leafNodeDefaultParallelism()))
        self.none = _module(jvm.scala, "None")
        self.inner = _module(jvm.org.apache.spark.sql.catalyst.plans, "Inner")

    def normal(self, plan: Any) -> Any:
        """The plan in the form that others are compared with."""
        return self._without_names(self._rewritten(plan))

    def _rewritten(self, root: Any) -> Any:
        """Every operator rewritten, inputs first; what did not change is the object it was."""
        finished: list[tuple[Any, bool]] = []
        stack: list[tuple[Any, int]] = [(root, -1)]
        while stack:
            node, count = stack.pop()
            if count < 0:
                inputs = _items(node.children())
                stack.append((node, len(inputs)))
                stack.extend((each, -1) for each in reversed(inputs))
                continue
            below = finished[len(finished) - count :]
            del finished[len(finished) - count :]
            changed = any(each for _, each in below)
            made = (
                node.withNewChildren(self.sequence([each for each, _ in below]))
                if changed
                else node
            )
            rewrite = REWRITES.get(node.nodeName())
            found = made if rewrite is None else rewrite(self, made)
            finished.append((found, changed or found is not made))
        return finished[0][0]

    def _without_names(self, plan: Any) -> Any:
        """The plan without the new names that its topmost projection gives to columns."""
        if plan.nodeName() != "Project":
            return plan
        items = [_bare(each) for each in _items(plan.projectList())]
        return plan.copy(self.sequence(items), plan.child())

    def sequence(self, items: list[Any]) -> Any:
        """A Scala sequence."""
        java = self._jvm.java.util.ArrayList()
        for each in items:
            java.add(each)
        return self._jvm.scala.jdk.javaapi.CollectionConverters.asScala(java).toSeq()


def _module(package: Any, name: str) -> Any:
    """A Scala object."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")


def _items(sequence: Any) -> list[Any]:
    return [sequence.apply(place) for place in range(sequence.size())]


def _bare(item: Any) -> Any:
    renamed = item.nodeName() == "Alias" and item.child().nodeName() == "AttributeReference"
    return item.child() if renamed else item


def _generate(forms: PlanForms, node: Any) -> Any:
    if node.qualifier().isEmpty():
        return node
    return node.copy(
        node.generator(),
        node.unrequiredChildIndex(),
        node.outer(),
        forms.none,
        node.generatorOutput(),
        node.child(),
    )


def _range(forms: PlanForms, node: Any) -> Any:
    if node.numSlices().isDefined():
        return node
    return node.copy(
        node.start(), node.end(), node.step(), forms.slices, node.output(), node.isStreaming()
    )


def _join(forms: PlanForms, node: Any) -> Any:
    kind, condition = node.joinType(), node.condition()
    crossed = kind.toString() == "Cross"
    always = condition.isDefined() and _is_true(condition.get())
    if not crossed and not always:
        return node
    return node.copy(
        node.left(),
        node.right(),
        forms.inner if crossed else kind,
        forms.none if always else condition,
        node.hint(),
    )


def _is_true(condition: Any) -> bool:
    return bool(condition.nodeName() == "Literal" and condition.toString() == "true")


REWRITES: dict[str, Rewrite] = {"Generate": _generate, "Range": _range, "Join": _join}
"""By the name of an operator: the same operator in the form that is compared."""
