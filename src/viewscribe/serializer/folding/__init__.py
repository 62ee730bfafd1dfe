"""Operations into SELECT blocks: how each operation folds into the block below it.

Clause order decides (FROM, WHERE, GROUP BY, HAVING, SELECT, QUALIFY, DISTINCT, set operation,
ORDER BY, LIMIT): a step opens a new block only where the current one already holds a later clause,
or where meaning forbids merging. After Calcite's ``SqlImplementor``. A new operation is a handler
in one of the modules here.
"""

from __future__ import annotations

from viewscribe.serializer.folding import groups, hints, joins, projections, rows, shapes, sources
from viewscribe.serializer.folding.folder import HANDLERS, Folder
from viewscribe.serializer.folding.steps import Steps

for _module in (sources, projections, groups, joins, rows, shapes, hints):
    HANDLERS.update(_module.HANDLERS)

__all__ = ["Folder", "Steps"]
