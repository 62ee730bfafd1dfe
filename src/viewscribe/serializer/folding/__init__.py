"""Operations into SELECT blocks: how each operation folds into the block below it.

``new_select.py`` has the table of when a step opens a new block, ``exceptions.py`` what speaks
against joining one. A new operation is a handler in one of the modules here, and a row of
that table.
"""

from __future__ import annotations

from viewscribe.serializer.folding import (
    groups,
    joins,
    new_select,
    projections,
    reopening,
    shapes,
    sources,
)
from viewscribe.serializer.folding.folder import HANDLERS, Folder, Steps

for _module in (sources, projections, groups, joins, reopening, shapes, new_select):
    HANDLERS.update(_module.HANDLERS)

__all__ = ["Folder", "Steps"]
