"""Documents of one environment as they are to be in another: every name translated.

Names change in the plan document of a view, from which ``printing.py`` prints its SQL again, or in
the syntax tree of its SQL text where it has no plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import msgspec

from viewscribe.catalog_store.documents.model import (
    Column,
    Dependency,
    FunctionDocument,
    Parameter,
    TableDocument,
    ViewDocument,
)
from viewscribe.catalog_store.functions import own_functions_of, source_of, stored_function
from viewscribe.catalog_store.protocol import fold
from viewscribe.catalog_store.text_reader import DocumentWorld, text_tree
from viewscribe.environments import Translation
from viewscribe.environments.migration.columns import say_damage
from viewscribe.environments.migration.snapshot import Snapshot, key_of
from viewscribe.errors import ValidationError, ViewscribeError
from viewscribe.expressions.functions.identifiers import FunctionIdentifier
from viewscribe.expressions.functions.user_defined import Language, UserFunction, is_sparks
from viewscribe.parser.grammar import Reading
from viewscribe.parser.names import with_other_names
from viewscribe.parser.scopes import rename
from viewscribe.parser.settings import make_reading
from viewscribe.serializer.dialects import to_dialect
from viewscribe.serializer.plan_document import from_plan, to_plan
from viewscribe.types.lexemes import SPARK_SQL, AuthorText
from viewscribe.types.policy import coercion, coercion_of

Path = tuple[str, ...]


class Translated(NamedTuple):
    """A document as it is to be in the target, and what it reads and calls there.

    Its texts are still those of the source where it ``is_unprinted``.
    """

    document: ViewDocument | FunctionDocument
    dependencies: tuple[Dependency, ...]
    is_unprinted: bool = False


class _Text(NamedTuple):
    """A text under new names; whether it has to change at all, and what it reads and calls."""

    text: str
    changed: bool
    dependencies: tuple[Dependency, ...]


class Renamer:
    """Translates documents.

    Args:
        translation: from names of the source to names of the target.
        source: what the source holds; says which names are functions of users.
    """

    def __init__(self, translation: Translation, source: Snapshot) -> None:
        self._translate = translation
        self._own = translation.source.catalog_name
        self._source = source
        self._identity = not (translation.source.rules or translation.target.rules)
        self._bodies: dict[tuple[str, str, bool, bool], _Text] = {}

    def path(self, parts: Sequence[str], database: str) -> Path:
        """The full path in the source of a name that stands in an object of ``database``."""
        match tuple(parts):
            case (name,):
                return (self._own, database, name)
            case (home, name):
                return (self._own, home, name)
        return tuple(parts)

    def new_path(self, path: Path) -> Path:
        """The path in the target. Raises ``AmbiguousNameError``."""
        if self._identity or len(path) < 3:
            return path
        # A table of the metadata of another one goes where that one goes.
        return (*self._translate((path[0], path[1], path[2])), *path[3:])

    def own_path(self, database: str, name: str) -> Path:
        """Where an object of the source goes. Raises ``ValidationError`` for another catalog."""
        path = self.new_path((self._own, database, name))
        if fold(path[0]) != fold(self._translate.target.catalog_name):
            raise ValidationError(
                f"the name mapping moves `{database}.{name}` to the catalog `{path[0]}`",
                hint="only names of other catalogs may go to other catalogs",
            )
        return path

    def view(self, document: ViewDocument) -> Translated:
        """The view as it is to be in the target.

        Raises:
            ViewscribeError: a name, the plan or the text cannot be translated.
        """
        _, database, name = self.own_path(document.database, document.name)
        new = msgspec.structs.replace(document, database=database, name=name)
        unprinted = False
        if document.plan is not None:
            new = self._tree(new, document.plan, document.database)
            unprinted = new.plan is not document.plan
            known = self._known_dependencies(document)
        elif self._identity and document.dependencies:
            known = self._known_dependencies(document)
        else:
            moved = database != document.database
            reading = make_reading(document.settings)
            text = self._text(document.sql, document.database, moved=moved, reading=reading)
            if text.changed:
                others = self._other_texts(document)
                new = msgspec.structs.replace(new, sql=text.text, representations=others)
            known = text.dependencies
        new = msgspec.structs.replace(new, source=self._author_text(document))
        return Translated(msgspec.structs.replace(new, dependencies=known), known, unprinted)

    def function(self, document: FunctionDocument) -> Translated:
        """The function as it is to be in the target. Raises as ``view`` does."""
        _, database, name = self.own_path(document.database, document.name)
        new = msgspec.structs.replace(document, database=database, name=name)
        if document.language != "sql" or document.body is None:
            return Translated(new, ())
        query, moved = document.function_kind == "table", database != document.database
        text = self._body(document.body, document.database, query=query, moved=moved)
        known = dict.fromkeys(text.dependencies)

        def renamed(parameter: Parameter) -> Parameter:
            if parameter.default is None:
                return parameter
            found = self._body(parameter.default, document.database, query=False, moved=moved)
            known.update(dict.fromkeys(found.dependencies))
            return msgspec.structs.replace(parameter, default=found.text)

        parameters = tuple(map(renamed, document.parameters or ()))
        new = msgspec.structs.replace(new, body=text.text, parameters=parameters)
        return Translated(new, tuple(known))

    def _known_dependencies(self, document: ViewDocument) -> tuple[Dependency, ...]:
        stay = own_functions_of(document.plan)
        return tuple(
            each
            if each.name in stay
            else Dependency(each.kind, self.new_path(self.path(each.name, document.database)))
            for each in document.dependencies
        )

    # -- the tree ---------------------------------------------------------------------------------

    def _tree(self, document: ViewDocument, plan: Mapping[str, Any], database: str) -> ViewDocument:
        """The view with another tree; the texts that are made of it are still to be printed."""
        if self._identity:
            return document
        with say_damage(document):
            nodes = [self._node(node, database) for node in plan["nodes"]]
        if all(new is old for new, old in zip(nodes, plan["nodes"], strict=True)):
            return document
        return msgspec.structs.replace(document, plan={**plan, "nodes": nodes})

    def _node(self, node: dict[str, Any], database: str) -> dict[str, Any]:
        kind = node["node"]
        if kind == "catalog_source":
            path = self.new_path(tuple(node["path"]))
            return node if list(path) == node["path"] else {**node, "path": list(path)}
        if kind == "sql_text":
            return self._sql_text(node, database)
        function = node.get("function")
        if isinstance(function, dict):
            new = self._encode(function)
            return node if new is function else {**node, "function": new}
        return node

    def _sql_text(self, node: dict[str, Any], database: str) -> dict[str, Any]:
        text = self._text(node["text"], database)
        if not text.changed:
            return node
        known = [list(self.new_path(tuple(path))) for path in node["dependencies"]]
        new = {**node, "text": text.text, "dependencies": known}
        if node.get("functions"):
            new["functions"] = [self._encode(each) for each in node["functions"]]
        return node if new == node else new

    def _encode(self, function: dict[str, Any]) -> dict[str, Any]:
        """A function as plan documents hold it."""
        path = tuple(function["identifier"])
        if len(path) != 3:  # the session's
            return function
        if function["language"] == Language.CATALOG.value:  # no other catalog need have it
            return function
        new = {**function, "identifier": list(self.new_path(path))}
        if function["language"] == "sql" and "body" in function:
            query = function["kind"] == "generator"
            moved = new["identifier"][1] != path[1]

            def default(text: str) -> str:
                return self._body(text, path[1], query=False, moved=moved).text

            new["body"] = self._body(function["body"], path[1], query=query, moved=moved).text
            new["parameters"] = [
                each if "default" not in each else {**each, "default": default(each["default"])}
                for each in function["parameters"]
            ]
        return function if new == function else new

    # -- texts ------------------------------------------------------------------------------------

    def _author_text(self, document: ViewDocument) -> AuthorText | None:
        """The text of the author with the names of the target; none where they cannot be put."""
        source = document.source
        if source is None or self._identity:
            return source
        if source.language != SPARK_SQL or len(source.namespace) != 2:
            return None
        reading = make_reading({**document.settings, **source.settings})
        try:
            text = self._text(source.text, source.namespace[-1], moved=True, reading=reading)
        except ViewscribeError:
            return None
        return msgspec.structs.replace(source, text=text.text) if text.changed else source

    def _other_texts(self, document: ViewDocument) -> Mapping[str, str]:
        """Texts for other engines of a view without a plan: of the tree that its text is read as.

        Raises:
            ValidationError: there is no such tree, or no such text of it.
        """
        if not document.representations:
            return document.representations
        home = (self._own, document.database)
        try:
            tree = text_tree(document, DocumentWorld(self._columns, self._called, home))
            names = tuple(each.name for each in document.columns)
            plan = to_plan(tree if tree.schema.names == names else rename(tree, names))
            nodes = [self._node(node, document.database) for node in plan["nodes"]]
            with coercion(coercion_of(document.settings)):
                tree = from_plan({**plan, "nodes": nodes})
                return {each: to_dialect(tree, each) for each in document.representations}
        except ViewscribeError as error:
            known = ", ".join(sorted(document.representations))
            raise ValidationError(
                f"has texts for other engines ({known}) and no plan to write them anew from, with "
                f"the names of the target; nor can that be done from its text: {error.message}",
                hint="save it from a pipeline, or without them",
            ) from error

    def _columns(self, path: Path) -> Sequence[Column] | None:
        """The columns of a table or view of the source."""
        if len(path) != 3 or fold(path[0]) != fold(self._own):
            return None
        found = self._source.document(key_of("table", path[1], path[2]))
        return found.columns if isinstance(found, TableDocument | ViewDocument) else None

    def _called(self, path: Path) -> UserFunction | None:
        """A function of the source."""
        if len(path) != 3 or fold(path[0]) != fold(self._own):
            return None
        found = self._source.document(key_of("function", path[1], path[2]))
        return stored_function(path, found) if isinstance(found, FunctionDocument) else None

    def _body(self, body: str, database: str, *, query: bool, moved: bool) -> _Text:
        """The body of a SQL function or a default: a query, or an expression that may hold some."""
        key = (body, database, query, moved)
        found = self._bodies.get(key)
        if found is None:
            prefix = "" if query else "SELECT "
            found = self._text(prefix + body, database, moved=moved, in_body=True)
            text = found.text.removeprefix(prefix) if found.changed else body
            self._bodies[key] = found = found._replace(text=text)
        return found

    def _text(
        self,
        text: str,
        database: str,
        *,
        moved: bool = False,
        reading: Reading | None = None,
        in_body: bool = False,
    ) -> _Text:
        """The text of an object of ``database``; ``moved`` says that it goes to another one."""
        paths: list[tuple[Path, Path]] = []
        bare = False

        def table(parts: Sequence[str]) -> tuple[Path, Path]:
            nonlocal bare
            bare = bare or len(parts) == 1
            path = self.path(parts, database)
            paths.append((path, self.new_path(path)))
            return paths[-1]

        def function(parts: Sequence[str]) -> UserFunction | None:
            nonlocal bare
            path = self.path(parts, database)
            found = self._function(path, simple=len(parts) == 1)
            if found is not None:
                bare = bare or len(parts) == 1
                paths.append((path, found.identifier.parts))
            return found

        found_names = with_other_names(text, table, function, reading, in_body=in_body)
        # A bare name is looked for in the database of the object it stands in.
        changed = (moved and bare) or any(old != new for old, new in paths)
        found = [Dependency("table", path) for path in found_names.tables]
        found += [Dependency("function", each.identifier.parts) for each in found_names.functions]
        return _Text(found_names.text, changed, tuple(found))

    def _function(self, path: Path, *, simple: bool) -> UserFunction | None:
        if simple and is_sparks(path[-1]):
            return None
        new = self.new_path(path)
        document = None
        if len(path) == 3 and fold(path[0]) == fold(self._own):
            document = self._source.document(key_of("function", path[1], path[2]))
        if document is None:
            if new == path or simple:
                return None
            raise ValidationError(
                f"the function `{'.'.join(path)}` is not in the source",
                hint="it is to get another name, and how to write that depends on its kind",
            )
        identifier = FunctionIdentifier(new[2], new[1], new[0])
        source = source_of(cast(FunctionDocument, document))
        return UserFunction(identifier, source, temporary=False)
