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


TOPICS: dict[str, dict[str, Place]] = {
    "Look into a catalog": {
        "list": Place("list", "list_objects", "List the views, tables and functions."),
        "show": Place("show", "show", "Show a view, table or function."),
        "sql": Place("sql", "sql", "Print the SQL of a view, or of a file, in any style."),
        "lineage": Place("lineage", "lineage", "Follow columns across the views."),
        "log": Place("versions", "log", "List the versions of a view, table or function."),
        "diff": Place("diff", "diff", "Compare versions, catalogs or environments."),
        "site": Place("site", "site", "Write pages of a catalog to read, search and follow."),
    },
    "Store views": {
        "init": Place("init", "init", "Begin a project: settings, a first view and its test."),
        "save": Place("save", "save", "Store a pipeline of a Python module as a view."),
        "import": Place("exchange", "import_", "Store a folder of SQL files, or an export."),
        "export": Place("exchange", "export", "Write views for dbt, SQLMesh, Iceberg and others."),
        "accept": Place("accept", "accept", "Store a view whose document was edited by hand."),
    },
    "Prove that they hold": {
        "check": Place("check", "check", "Check all documents, or files of SQL, without Spark."),
        "test": Place("test", "test", "Run the tests with rows that lie beside views."),
        "verify": Place("verify", "verify", "Open views in Spark and prove what they mean."),
    },
    "Move them between environments": {
        "environments": Place("environments", "environments", "List those of viewscribe.yaml."),
        "plan": Place("plan", "plan", "Plan what makes one hold what another one holds."),
        "apply": Place("apply", "apply", "Carry out a plan."),
        "rollback": Place("apply", "rollback", "Take back a plan, or a version of a view."),
    },
}
"""The commands by topic and name, in the order that the help shows them."""

COMMANDS = {name: place for places in TOPICS.values() for name, place in places.items()}
"""All commands by name."""
