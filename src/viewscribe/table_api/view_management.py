"""The view part of an environment: storing, reading, renaming and dropping views."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, cast

from viewscribe.errors import CatalogError
from viewscribe.table_api.table import Table
from viewscribe.table_api.views import in_settings, require_same_settings, require_table
from viewscribe.types.arguments import require_optional_text
from viewscribe.types.identifiers import parse_name

if TYPE_CHECKING:
    from viewscribe.catalog_store import CatalogManager, Change, Stored, Token, ViewDocument
    from viewscribe.expressions.functions.python_modules import PythonModules
    from viewscribe.table_api.environment import TableEnvironment
    from viewscribe.table_api.replacement import Accepted


class ManagesViews:
    """The methods of ``TableEnvironment`` that manage views."""

    @property
    def catalogs(self) -> CatalogManager:
        """The registered catalogs."""
        raise NotImplementedError

    @property
    def python_modules(self) -> PythonModules:
        """The modules that Python functions of the catalogs may be imported from."""
        raise NotImplementedError

    @property
    def _environment(self) -> TableEnvironment:
        """This object: nothing else than an environment has these methods."""
        return cast("TableEnvironment", self)

    def create_view(
        self,
        name: str,
        table: Table,
        *,
        or_replace: bool = False,
        comment: str | None = None,
        style: str = "readable",
        properties: Mapping[str, str | None] | None = None,
        column_comments: Mapping[str, str | None] | None = None,
        expected: Token | None = None,
        outside: Collection[tuple[str, ...]] = (),
        nullable: Collection[str] = (),
        annotate: bool = False,
        target: str | None = None,
        reason: str | None = None,
        author: str | None = None,
        dialects: Collection[str] = (),
        drop_dialects: Collection[str] | bool = (),
    ) -> None:
        """Stores a pipeline as a view.

        What a replacement does not say stays as it is: the comment, properties, and comments of
        columns that are still there. Texts for other engines are written anew for the new query.

        Args:
            name: ``view``, ``database.view`` or ``catalog.database.view``.
            table: the pipeline.
            or_replace: whether to replace an existing view of that name.
            comment: a description of the view; ``""`` removes the one that there is.
            style: the SQL style of the stored text.
            properties: further properties, stored unchanged; one that is None is removed.
            column_comments: comments by column name, where they differ from the source table's;
                ``""`` for none.
            expected: replace the view only if this is still its token (from ``catalogs.get``);
                optimistic locking.
            outside: tables that no registered catalog knows; the session that opens the view must
                have them.
            nullable: columns to declare nullable even if the pipeline says they are not.
            annotate: whether comments in the stored text give the Python line of each step.
            target: the Spark version to write SQL for, ``"4.0"``. Defaults to the target of the
                table's environment.
            reason: the reason for the change, for the view's history.
            author: its author; by default ``VIEWSCRIBE_AUTHOR``, else the system user.
            dialects: other engines to store SQL for, beside Spark's: ``["trino"]``.
            drop_dialects: other engines that a replacement has no SQL for any more, or True for
                all of them.

        Raises:
            BreakingChangeError: the view has SQL for another engine that cannot be written anew,
                or that viewscribe did not write, and ``drop_dialects`` does not name it.
            NotSerializableError: the pipeline cannot be expressed in SQL, in the target version or
                in one of the dialects, or two columns share a name.
            AlreadyExistsError: a table or view of that name exists.
            ConcurrentUpdateError: somebody else changed the view in the meantime.
        """
        from viewscribe.catalog_store.permissions import authored
        from viewscribe.table_api.replacement import find_replaced
        from viewscribe.table_api.views import view_document

        path = self.catalogs.resolve(parse_name(name))
        replacing = or_replace or expected is not None
        replaced = find_replaced(self._environment, path) if replacing else None
        document = view_document(
            self._environment,
            path,
            table,
            comment=comment,
            style=style,
            properties=properties,
            column_comments=column_comments,
            outside=outside,
            nullable=nullable,
            annotate=annotate,
            target=target,
            dialects=dialects,
            drop_dialects=drop_dialects,
            replaced=None if replaced is None else replaced.document,
        )
        if expected is None and replaced is not None:
            expected = replaced.token
        # A live-session catalog has Spark analyze the text, which may import Python functions.
        with self.python_modules.in_force(), authored():
            self.catalogs.save(
                document,
                catalog=path.catalog,
                or_replace=or_replace,
                expected=expected,
                change=_change(reason, author),
            )

    def history(self, name: str) -> list[Stored[ViewDocument]]:
        """Returns every version of a view, oldest first; the last is the current one.

        Each has a ``document``, a ``token`` and a ``version`` (number, time, operation, author,
        reason and source).
        """
        return cast("list[Stored[ViewDocument]]", self.catalogs.history("view", parse_name(name)))

    def rollback(
        self,
        name: str,
        version: int,
        *,
        allow_breaking: bool = False,
        reason: str | None = None,
        author: str | None = None,
    ) -> None:
        """Restores an earlier version of a view, as a new version.

        Args:
            name: the view.
            version: the version to go back to.
            allow_breaking: whether to do so even where views that read it break.
            reason: why, for its history.
            author: who does it.

        Raises:
            ObjectNotFoundError: the view, or the version, is not there.
            ConcurrentUpdateError: somebody else changed the view meanwhile.
            BreakingChangeError: views that read it no longer fit.
        """
        from viewscribe.environments.migration.steps import roll_back_object

        change, parts = _change(reason, author), parse_name(name)
        with self.python_modules.in_force():
            roll_back_object(
                self.catalogs, "view", parts, version, change=change, allow_breaking=allow_breaking
            )

    def rename_view(
        self, name: str, to: str, *, reason: str | None = None, author: str | None = None
    ) -> None:
        """Renames a view, within its database or into another one; its history moves along.

        Views that read it are not updated, and fail until they read the new name.

        Raises:
            AlreadyExistsError: the name is taken.
            NotSerializableError: the view would read itself under its new name.
        """
        from viewscribe.catalog_store.manager import rename_view

        rename_view(self.catalogs, parse_name(name), parse_name(to), change=_change(reason, author))

    def accept_view(
        self,
        name: str,
        *,
        allow_breaking: bool = False,
        reason: str | None = None,
        author: str | None = None,
    ) -> Accepted:
        """Accepts manual edits to the document of a view.

        If the SQL text was edited, it becomes the query of the view: it is parsed, and plan,
        columns and dependencies are derived from it again. The same turns a view without a plan,
        written by another tool, into one of viewscribe's own. Nothing is proven in Spark; use
        ``verify`` for that.

        Returns:
            ``nothing`` if nothing was edited, ``document`` if the query is unchanged, ``text`` if
            the query changed.

        Args:
            name: the view.
            allow_breaking: whether to store it even where views that read it break.
            reason: why, for its history.
            author: who does it.

        Raises:
            ValidationError: the text is not one query, or means nothing here.
            BreakingChangeError: views that read it no longer fit.
        """
        from viewscribe.table_api.replacement import accept_view

        change = _change(reason, author)
        made = accept_view(self._environment, name, change=change, allow_breaking=allow_breaking)
        return made.accepted

    def create_temporary_view(self, name: str, table: Table, *, or_replace: bool = False) -> None:
        """Names a pipeline for the lifetime of this environment.

        Raises:
            ValidationError: the pipeline is meant for other settings than this environment's.
        """
        require_table(table)
        if table.env is not self._environment:
            require_same_settings(self._environment, table.env)
        self.catalogs.create_temporary(name, table, or_replace=or_replace)

    def drop_view(self, name: str, *, if_exists: bool = False) -> None:
        """Drops a view of a catalog."""
        self.catalogs.drop("view", parse_name(name), if_exists=if_exists)

    def drop_temporary_view(self, name: str, *, if_exists: bool = False) -> None:
        """Drops a temporary view."""
        self.catalogs.drop_temporary(name, if_exists=if_exists)

    def list_views(self, database: str | None = None) -> list[str]:
        """Returns the names of the views of a database, by default the current one."""
        return [each.name for each in self.catalogs.list_objects("view", database=database)]

    def get_view(self, name: str) -> ViewDocument:
        """Returns the document of a view: its SQL, columns, settings, dependencies and plan.

        Raises:
            ObjectNotFoundError: there is no such view; suggests the nearest names.
        """
        from viewscribe.catalog_store import Temporary, ViewDocument

        found = self.catalogs.relation(parse_name(name))
        if isinstance(found, Temporary):
            raise CatalogError(f"`{name}` is a temporary view", hint="it has no document")
        if not isinstance(found.document, ViewDocument):
            raise CatalogError(f"`{name}` is a table, not a view")
        return found.document

    def view_table(self, name: str) -> Table:
        """Returns the pipeline of a stored view, from its plan document or else from its text.

        It keeps the settings of the view: where they are not those of this environment, the table
        is of another environment, over the same catalogs, that has them.

        Raises:
            ViewscribeError: it has no plan (another tool wrote it) and its text cannot be parsed.
            ForbiddenSourceError: it reads files or calls functions that nobody allowed.
        """
        from viewscribe.catalog_store.gate import Gate
        from viewscribe.catalog_store.permissions import permissions_in_force, raise_first
        from viewscribe.table_api.text_reader import view_tree

        env, view = self._environment, self.get_view(name)
        tree = view_tree(env, view, self.catalogs.resolve(parse_name(name)).catalog)
        what = f"the view {view.database}.{view.name}"
        gate = Gate(permissions_in_force(), view.settings)
        raise_first(gate.refused_in_view(what, tree))  # what is a table can be run
        return Table(in_settings(env, view.settings), tree)


def _change(reason: str | None, author: str | None) -> Change | None:
    from viewscribe.catalog_store import Change

    require_optional_text(reason, "reason")
    require_optional_text(author, "author")
    return None if reason is None and author is None else Change(author=author, reason=reason)
