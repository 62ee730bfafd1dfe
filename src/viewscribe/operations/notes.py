"""Texts beside the steps of a pipeline, such as the Python line of each, but not in the tree."""

from __future__ import annotations

from viewscribe.operations.base import QueryOperation


class Notes:
    """A text for each step, by identity: equal steps may have been written on different lines."""

    __slots__ = ("_noted",)

    def __init__(self) -> None:
        # With the step itself, so that it lives as long as its identity is a key.
        self._noted: dict[int, tuple[QueryOperation, str | None]] = {}

    def note(self, operation: QueryOperation, text: str | None) -> None:
        """Notes the text beside the step and those below it that were not looked at before."""
        noted, pending = self._noted, [operation]
        while pending:
            step = pending.pop()
            if id(step) not in noted:
                noted[id(step)] = (step, text)
                pending += step.inputs()

    def of(self, operation: QueryOperation) -> str | None:
        """The text beside a step."""
        found = self._noted.get(id(operation))
        return None if found is None else found[1]

    def carried(self, before: QueryOperation, after: QueryOperation) -> Notes:
        """The notes of a tree beside the steps of what a rewrite has made of it.

        A rewrite may put steps between; each of the others keeps its class and its columns.
        """
        found = Notes()
        found._noted = dict(self._noted)
        pending = [(before, after)]
        while pending:
            old, new = pending.pop()
            while (type(new), new.schema) != (type(old), old.schema) and len(new.inputs()) == 1:
                new = new.inputs()[0]
            if new is old or type(new) is not type(old):
                continue
            found._noted[id(new)] = (new, self.of(old))
            pending += zip(old.inputs(), new.inputs(), strict=True)
        return found
