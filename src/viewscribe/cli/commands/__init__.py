"""The commands: a module for each, or for those that belong together, imported when it is run."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Where a command is.

    Args:
        module: the module in this package.
        function: the command in it.
        summary: what the list of all commands says of it.
    """

    module: str
    function: str
    summary: str


COMMANDS = {
    "list": Place("list", "list_objects", "List the views, tables and functions of a catalog."),
    "show": Place("show", "show", "Show a view, table or function."),
    "sql": Place("sql", "sql", "Print the SQL of a view, or of a query in a file, in any style."),
    "lineage": Place("lineage", "lineage", "Follow columns across the views of a catalog."),
    "log": Place("versions", "log", "List the versions of a view, table or function."),
    "save": Place("save", "save", "Store a pipeline of a Python module as a view."),
    "verify": Place("verify", "verify", "Open views in Spark and prove that they mean the same."),
    "check": Place("check", "check", "Check all documents of a catalog, or files of SQL."),
    "accept": Place("accept", "accept", "Store a view whose document was edited by hand."),
    "diff": Place("diff", "diff", "Compare two catalogs or environments."),
    "plan": Place("plan", "plan", "Plan what makes one environment hold what another holds."),
    "apply": Place("apply", "apply", "Carry out a plan."),
    "rollback": Place("apply", "rollback", "Take back what a plan did, or a version of a view."),
    "site": Place("site", "site", "Write a catalog as pages to read, search and follow."),
    "export": Place("exchange", "export", "Write a view with its whole history to a file."),
    "import": Place("exchange", "import_", "Store a folder of SQL files as views, or an export."),
}
"""All commands by name."""
