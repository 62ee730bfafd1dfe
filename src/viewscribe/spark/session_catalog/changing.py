"""Tables and views changed by statements, each of which Spark does as a whole.

What a change needs is said before it, and holds once the one statement that decides is done; see
``states.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

import msgspec

from viewscribe.catalog_store.documents.model import TableDocument, ViewDocument
from viewscribe.catalog_store.hosted import document_texts
from viewscribe.catalog_store.hosted.embedded_document import is_kept
from viewscribe.catalog_store.hosted.names import unfinished_name
from viewscribe.catalog_store.hosted.reserved_properties import COMMENT, user_properties
from viewscribe.catalog_store.hosted.state import State
from viewscribe.catalog_store.hosted.view_texts import with_names
from viewscribe.catalog_store.names import fold
from viewscribe.spark.session_catalog.creation import (
    as_meant,
    as_view,
    check_query,
    create,
    properties_of,
    require_readable,
)
from viewscribe.spark.session_catalog.descriptions import REDACTED, Described
from viewscribe.spark.session_catalog.statements import RefusedError, Statements, keys, pairs
from viewscribe.spark.session_catalog.states import BEFORE, GONE, holds, names_to_text
from viewscribe.types.identifiers import quote_name


def change(
    statements: Statements, described: Described, before: State, written: document_texts.Written
) -> None:
    """Makes an object hold ``written`` after ``before``, perhaps under another name.

    Raises:
        InvalidDocumentError: Spark does not take it.
        RefusedError: Spark refuses for another reason.
    """
    document = written.document
    target = msgspec.structs.replace(
        described, database=fold(document.database), name=fold(document.name)
    )
    wanted = properties_of(written, before)
    plan = _Plan(statements, described, before, document, wanted)
    if holds(document, target):
        moves = target.name != described.name
        plan.announce(pending=moves)
        if moves:
            with plan.taken_back_if_refused():
                statements.execute(f"{plan.head(described)} RENAME TO {_within(target)}")
        plan.tidy(target, pending=moves)
    elif described.is_view and (isinstance(document, ViewDocument) or document.format is None):
        view = as_view(document) if isinstance(document, TableDocument) else document
        require_readable(statements, view)
        with as_meant(statements, view):
            same = check_query(statements, view) == [each.name for each in view.columns]
        plan.announce(pending=True)
        with plan.taken_back_if_refused(), as_meant(statements, view):
            text = statements.admit(view.sql if same else with_names(view), view)
            name = statements.name(described.database, described.name)
            statements.execute(f"ALTER VIEW {name} AS\n{text}")
            if target.name != described.name:
                statements.execute(f"{plan.head(described)} RENAME TO {_within(target)}")
        plan.tidy(target, pending=True)
    else:
        _exchange(statements, described, written, wanted)


class _Plan:
    """What statements say about the properties of an object that is changed.

    Args:
        statements: to the catalog.
        described: the object as it is.
        before: its state.
        document: what it is to hold.
        wanted: all properties that it is to have.
    """

    def __init__(
        self,
        statements: Statements,
        described: Described,
        before: State,
        document: ViewDocument | TableDocument,
        wanted: Mapping[str, str],
    ) -> None:
        self._statements, self._described, self._before = statements, described, before
        self._comment, self._wanted = document.comment, wanted
        self._announced: dict[str, str] = {}
        known = {**before.written.document.properties, **described.properties}
        own = [key for key in user_properties(known) if key not in wanted]
        self._gone = [*own, COMMENT] if described.comment and not document.comment else own

    def announce(self, *, pending: bool) -> None:
        """Says all that is new; what goes is listed, and while ``pending``, the old state holds."""
        found = {key: value for key, value in self._wanted.items() if self._is_new(key, value)}
        if self._comment and self._comment != self._described.comment:
            found[COMMENT] = self._comment
        if self._gone:
            found[GONE] = names_to_text(self._gone)
        if pending:
            found[BEFORE] = str(self._before.version.number)
        self._announced = found
        if found:
            self._statements.execute(
                f"{self.head(self._described)} SET TBLPROPERTIES {pairs(found)}"
            )

    @contextmanager
    def taken_back_if_refused(self) -> Iterator[None]:
        """Where Spark does not do what was announced, nothing of that stays."""
        try:
            yield
        except RefusedError as error:
            if error.condition is not None:
                self._take_back()
            raise

    def _take_back(self) -> None:
        earlier = user_properties(self._before.written.document.properties)
        told = {**earlier, **self._described.properties, COMMENT: self._described.comment}
        again, gone = {}, []
        for key in self._announced:
            value = told.get(key)
            if value == REDACTED:
                value = earlier.get(key, REDACTED)
            if value is None:
                gone.append(key)
            elif value != REDACTED:
                again[key] = value
        head = self.head(self._described)
        if again:
            self._statements.execute(f"{head} SET TBLPROPERTIES {pairs(again)}")
        if gone:
            self._statements.execute(f"{head} UNSET TBLPROPERTIES IF EXISTS {keys(sorted(gone))}")

    def _is_new(self, key: str, value: str) -> bool:
        told = self._described.properties.get(key)
        if told == REDACTED:
            told = self._before.written.document.properties.get(key)
        return told != value

    def tidy(self, target: Described, *, pending: bool) -> None:
        """Takes away what is over."""
        properties = self._described.properties
        gone = [key for key in properties if is_kept(key) and key not in self._wanted]
        gone += [*self._gone, GONE] if self._gone else []
        gone += [BEFORE] if pending else []
        if gone:
            self._statements.execute(
                f"{self.head(target)} UNSET TBLPROPERTIES IF EXISTS {keys(sorted({*gone}))}"
            )

    def head(self, described: Described) -> str:
        """``ALTER VIEW name``."""
        what = "VIEW" if described.is_view else "TABLE"
        return f"ALTER {what} {self._statements.name(described.database, described.name)}"


def _exchange(
    statements: Statements,
    described: Described,
    written: document_texts.Written,
    wanted: Mapping[str, str],
) -> None:
    """Puts a table in the place of another: made under a name of its own, then renamed."""
    waiting = unfinished_name(described.name)
    document = written.document
    is_view = document.format is None
    name = statements.name(described.database, waiting)
    with suppress(RefusedError):  # what a writer left that was killed
        statements.execute(f"DROP {'VIEW' if is_view else 'TABLE'} IF EXISTS {name}")
    create(statements, written, wanted, waiting)
    drop(statements, described)
    what = "VIEW" if is_view else "TABLE"
    statements.execute(f"ALTER {what} {name} RENAME TO {_within(described)}")


def _within(described: Described) -> str:
    """The name without its catalog, as only RENAME wants it."""
    return quote_name((described.database, described.name))


def is_same_table(document: TableDocument, described: Described) -> bool:
    """Whether only comment, properties or the name would change."""
    here = msgspec.structs.replace(document, database=described.database, name=described.name)
    return holds(here, described)


def drop(statements: Statements, described: Described) -> None:
    """Drops a view or a table."""
    what = "VIEW" if described.is_view else "TABLE"
    statements.execute(f"DROP {what} {statements.name(described.database, described.name)}")
