"""Permissions: the formats, locations and functions that an opened document may use.

A document may come from anyone. It may read the built-in file formats, Hive's and the tables of
catalogs. Anything else that reads, connects or executes must be allowed by name by the user who
opens it.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

from viewscribe.errors import CatalogError
from viewscribe.operations.reach import (
    OF_FILES,
    Argument,
    CallReach,
    Options,
    Parts,
    Reach,
    is_path,
)
from viewscribe.types.identifiers import parse_name, quote_identifier, quote_name

if TYPE_CHECKING:
    from viewscribe.catalog_store.documents.model import TableDocument
    from viewscribe.expressions.functions.user_defined import FunctionSource

FORMATS = frozenset(("parquet", "orc", "avro", "csv", "json", "text", "hive"))
"""The file formats that need no permission, since reading them opens no connection."""

_RUNS = "runs any method of any class in Spark's own process"
_TELLS = "tells which files are read, and where they lie"
_FOLLOWS = "loads what the document type of its XML names, a file or an address"
_NAMES_A_FILE = "reads or loads what its options name, a file, an address or a class"

FUNCTIONS = {
    **dict.fromkeys(("reflect", "java_method", "try_reflect"), _RUNS),
    **dict.fromkeys(
        (OF_FILES, "input_file_name", "input_file_block_start", "input_file_block_length"), _TELLS
    ),
    "python_worker_logs": "tells what the Python functions of the session wrote to their logs",
    **dict.fromkeys(
        (
            *("xpath", "xpath_boolean", "xpath_double", "xpath_float", "xpath_int", "xpath_long"),
            *("xpath_number", "xpath_short", "xpath_string"),
        ),
        _FOLLOWS,
    ),
}
"""Functions that reach out of the query, and what they do there."""

WITH_OPTIONS = {
    **dict.fromkeys(("from_xml", "from_avro", "from_json", "from_csv"), 2),
    **dict.fromkeys(("schema_of_xml", "schema_of_avro", "schema_of_json", "schema_of_csv"), 1),
    **dict.fromkeys(("to_xml", "to_json", "to_csv"), 1),
}
"""Functions with an option that names a file or a class, and behind how many arguments they are."""

PROTOBUF = frozenset(("from_protobuf", "to_protobuf"))
"""Functions that read a file where they are given its name, behind two arguments, and without that
load the class of the name that they are given."""

_HIVE = "org.apache.hadoop.hive.ql.udf.generic."
CLASSES = frozenset(
    f"{_HIVE}{name}"
    for name in (
        *("GenericUDFReflect", "GenericUDFReflect2", "GenericUDFInFile"),
        *("GenericUDTFGetSplits", "GenericUDTFGetSplits2", "GenericUDTFGetSQLSchema"),
    )
)
"""Classes that Hive brings along and that do the same, or read a file, under any name."""

_OF_XML = "org.apache.hadoop.hive.ql.udf.xml."
"""The package of what Hive has for ``xpath``."""

_OPTIONS_OF_TEXTS = frozenset(
    (
        # of text, CSV, JSON and XML
        *("header", "sep", "delimiter", "quote", "escape", "comment", "encoding", "charset"),
        *("mode", "multiline", "nullvalue", "emptyvalue", "nanvalue", "dateformat", "timeformat"),
        *("timestampformat", "timestampntzformat", "timezone", "locale", "maxcolumns"),
        *("ignoreleadingwhitespace", "ignoretrailingwhitespace", "compression", "codec", "rowtag"),
        *("inferschema", "samplingratio", "preferdate", "prefersdecimal", "primitivesasstring"),
        *("enforceschema", "positiveinf", "negativeinf", "chartoescapequoteescaping", "linesep"),
        *("unescapedquotehandling", "enabledatetimeparsingfallback", "maxcharspercolumn"),
        *("columnnameofcorruptrecord", "columnpruning", "inputbuffersize", "singlevariantcolumn"),
        *("quoteall", "escapequotes", "allowcomments", "allowunquotedfieldnames", "pretty"),
        *("allowsinglequotes", "allownumericleadingzeros", "allownonnumericnumbers", "indent"),
        *("allowbackslashescapinganycharacter", "allowunquotedcontrolchars", "wholetext"),
        *("dropfieldifallnull", "useunsaferow", "writenonasciicharacterascodepoint", "sortkeys"),
        *("ignorenullfields", "infertimestamp", "explodeembeddedarray", "arrayelementname"),
        *("attributeprefix", "excludeattribute", "ignorenamespace", "ignoresurroundingspaces"),
        *("valuetag", "wildcardcolname", "validatename", "roottag", "declaration"),
        *("uselegacyxmlparser", "extension"),
        # of Parquet, ORC and Avro
        *("mergeschema", "datetimerebasemode", "int96rebasemode", "ignoreextension"),
        *("positionalfieldmatching", "recordname", "recordnamespace", "recursivefieldmaxdepth"),
        *("enablestableidentifiersforuniontype", "stableidentifierprefixforuniontype"),
        "avroschema",
        # of all files: which of those below the place that is named
        *("recursivefilelookup", "ignorecorruptfiles", "ignoremissingfiles", "pathglobfilter"),
        *("modifiedafter", "modifiedbefore", "ignoreinvalidpartitionpaths"),
        "ignoredpathsegmentregex",
        # of Iceberg and Delta
        *("split-size", "lookback", "file-open-cost", "branch", "tag", "snapshot-id"),
        *("as-of-timestamp", "start-snapshot-id", "end-snapshot-id", "vectorization-enabled"),
        *("batch-size", "versionasof", "timestampasof"),
    )
)
"""What a text may say of a table that it reads, whatever the table is: how, and not where."""

_REACHING_PROPERTIES = frozenset(("storage_handler", "avro.schema.url"))
_OPTIONS_OF_FUNCTIONS = frozenset(("rowvalidationxsdpath", "avroschemaurl"))
_OF_TEMPORARY_VIEWS = (("system", "session"), ("session",), ("global_temp",))
_OF_CODECS = frozenset(("compression", "codec"))
_SHORT_NAME = re.compile(r"\w*", re.ASCII)
_OF_SPARK = (["builtin"], ["session"], ["system", "builtin"], ["system", "session"])

_REACHING_OPTIONS = frozenset(
    ("avroschemaurl", "serde", "inputformat", "outputformat", "paths", "storage_handler")
)
_GLOBS = frozenset("{}\\")
_BRACES = re.compile(r"\{([^{}]*)\}")
"""Braces without others in them."""
_MOST_ALTERNATIVES = 1000
_OWN_STORAGE = frozenset(("", "file", "s3", "s3a", "s3n", "gs", "cosn", "obs", "dbfs"))
"""Schemes of which no address names a server: a bucket lies where the session's settings say."""
_DOTTED_OPTIONS = frozenset(
    (
        *("serialization.format", "serialization.null.format", "serialization.encoding"),
        *("parquet.compression", "orc.compress", "avro.output.codec", "parquet.block.size"),
        *("orc.bloom.filter.columns", "orc.bloom.filter.fpp", "orc.stripe.size"),
    )
)


IsKnown = Callable[[Parts], bool]
"""Whether a name of several parts is that of something else than a catalog's function."""


class ForbiddenSourceError(CatalogError):
    """A document uses a format, a location or a function that is not allowed."""


class NotAQueryError(ForbiddenSourceError):
    """A text is not given to Spark, which would carry it out, or of which nobody can be sure."""


@dataclass(frozen=True, slots=True)
class Permissions:
    """What documents may use besides tables and the built-in file formats.

    Args:
        formats: further formats, such as ``jdbc``.
        locations: directories that paths in queries, and jars of functions, may be in. If any are
            given, stored tables must be in them, too.
        functions: functions that reach outside the query, such as ``reflect``, Hive classes that
            do, and functions that catalogs of Spark's have themselves, ``lake.system.bucket``.
        opaque: views whose text is given to Spark although nobody here can read it.
    """

    formats: frozenset[str] = frozenset()
    locations: tuple[str, ...] = ()
    functions: frozenset[str] = frozenset()
    opaque: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        formats: Iterable[str] = (),
        locations: Iterable[str] = (),
        functions: Iterable[str] = (),
        opaque: Iterable[str] = (),
    ) -> Permissions:
        """Returns permissions with names normalized to be case-insensitive."""
        return cls(
            frozenset(map(str.lower, formats)),
            tuple(locations),
            frozenset(map(_one_name, functions)),
            frozenset(name_view(parse_name(each)) for each in opaque),
        )

    def and_also(self, other: Permissions) -> Permissions:
        """Returns the union of both permissions."""
        return Permissions(
            self.formats | other.formats,
            (*self.locations, *other.locations),
            self.functions | other.functions,
            self.opaque | other.opaque,
        )

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Puts these permissions in force inside the ``with`` block."""
        token = _IN_FORCE.set(self)
        try:
            yield
        finally:
            _IN_FORCE.reset(token)

    def vouches_for(self, view: Sequence[str]) -> bool:
        """Whether a view was named whose text need not be read; its database and name suffice."""
        return any(name_view(view[start:]) in self.opaque for start in range(len(view) - 1))

    # -- refusing --------------------------------------------------------------------------------

    def require_table(self, what: str, table: TableDocument) -> None:
        """Rejects a stored table whose format or location is not allowed.

        Raises:
            ForbiddenSourceError: it is not allowed.
        """
        raise_first(self.refused_in_table(what, table))

    def require_catalog_function(self, what: str, path: Sequence[str]) -> None:
        """Rejects a function that a catalog of Spark's has itself.

        Raises:
            ForbiddenSourceError: it is not allowed.
        """
        raise_first(self.refused_catalog_function(what, path))

    def refused_in_table(self, what: str, table: TableDocument) -> Iterator[ForbiddenSourceError]:
        """Yields what ``require_table`` rejects."""
        if table.format is not None:
            yield from self._format(what, table.format)
            yield from self._options(what, table.format, table.options)
        for key in table.properties:
            if key.lower() in _REACHING_PROPERTIES:
                yield ForbiddenSourceError(
                    f"{what} has the property `{key}`, which names a class to load or a place to "
                    "read",
                    hint="take it out of the document",
                )
        paths = [value for key, value in table.options.items() if key.lower() == "path"]
        for place in (table.location, *paths):
            # Without explicit locations the session's storage will do, and no server by its name.
            if place is not None and (self.locations or not _is_own_storage(place)):
                yield from self._location(f"{what} reads files at", place)

    def refused_reach(
        self, what: str, reach: Reach, is_known: IsKnown
    ) -> Iterator[ForbiddenSourceError]:
        """Yields everything that a text names and that is not allowed.

        Args:
            what: the object whose text it is, for messages.
            reach: what the text names.
            is_known: says which functions of several parts are not those of Spark's catalogs.
        """
        if reach.computes_names:
            yield ForbiddenSourceError(
                f"{what} computes names with IDENTIFIER(…), and what it reads is not seen before",
                hint="write the names themselves in its text",
            )
        for parts in reach.relations:
            yield from self.refused_relation(what, parts)
        yield from refused_options(what, reach.options)
        for call in reach.calls:
            yield from self.refused_call(what, call)
            is_bare = len(call.name) == 1  # which the session's current catalog may have
            if (is_bare or _is_of_catalog(call.name)) and not is_known(call.name):
                yield from self.refused_catalog_function(what, call.name)

    def refused_relation(self, what: str, parts: Sequence[str]) -> Iterator[ForbiddenSourceError]:
        """Yields a path, or its format, that is not allowed, and what only a session has."""
        if tuple(map(str.lower, parts[:-1])) in _OF_TEMPORARY_VIEWS:
            yield ForbiddenSourceError(
                f"{what} reads {'.'.join(parts)}, a temporary view of the session",
                hint="store that as a view, too",
            )
        if len(parts) == 2 and is_path(*parts):
            yield from self._format(what, parts[0])
            yield from self._location(f"{what} reads files at", parts[1])

    def refused_call(self, what: str, call: CallReach) -> Iterator[ForbiddenSourceError]:
        """Yields a function that reaches out, or the file that it is given."""
        name = call.name[-1].lower()
        if name in FUNCTIONS:
            yield from self._function(what, call.name[-1])
        elif name in PROTOBUF:
            if len(call.arguments) < 3 or isinstance(call.arguments[2], tuple):
                yield from self._function(what, call.name[-1])
            for each in call.arguments[2:]:
                place = each if isinstance(each, str) else "a place that it computes"
                if place is each or each in (Argument.COMPUTED, Argument.NAMED):
                    yield from self._location(f"{what} reads files at", place)
        elif name in WITH_OPTIONS:
            options = call.arguments[WITH_OPTIONS[name] :]
            if Argument.NAMED in call.arguments or not all(map(_are_plain, options)):
                yield from self._function(what, call.name[-1])

    def refused_class(self, what: str, source: FunctionSource) -> Iterator[ForbiddenSourceError]:
        """Yields the jars and the class of a function that are not allowed."""
        for each in source.resources:
            yield from self._location(f"{what} is loaded from", each)
        reference = source.reference or ""
        reaches = reference in CLASSES or reference.startswith(_OF_XML)
        if reaches and _one_name(reference) not in self.functions:
            yield ForbiddenSourceError(
                f"{what} is the class {reference}, which reaches out of the query",
                hint=_allow_by_name("function", reference),
            )

    def _format(self, what: str, name: str) -> Iterator[ForbiddenSourceError]:
        if name.lower() not in FORMATS | self.formats:
            yield ForbiddenSourceError(
                f"{what} reads the format `{name}`, which is none of Spark's own for files: it may "
                "connect to something, or run code",
                hint=_allow_by_name("format", name),
            )

    def _options(
        self, what: str, format_: str, options: Mapping[str, str]
    ) -> Iterator[ForbiddenSourceError]:
        if format_.lower() in self.formats:
            return
        for key, value in options.items():
            if not _is_of_format(key.lower()) or _names_a_class(key, value):
                yield ForbiddenSourceError(
                    f"{what} has the option `{key}`, which may name a class to load, or a place to "
                    "connect to",
                    hint=_allow_by_name("format", format_),
                )

    def _location(self, does: str, location: str) -> Iterator[ForbiddenSourceError]:
        if not any(_lies_in(location, place) for place in self.locations):
            yield ForbiddenSourceError(
                f"{does} {location}, a place that nobody allowed",
                hint=f"if you trust it, allow it, or a directory above: locations=[{location!r}], "
                f"or --allow-location {shlex.quote(location)} on the command line",
            )

    def refused_catalog_function(
        self, what: str, path: Sequence[str]
    ) -> Iterator[ForbiddenSourceError]:
        """Yields a function that a catalog of Spark's has itself."""
        odd = any("." in part or "`" in part for part in path)
        name = quote_name(path) if odd else ".".join(path)
        if _one_name(name) not in self.functions:
            catalog = f"catalog {quote_identifier(path[0])}" if path[1:] else "current catalog"
            yield ForbiddenSourceError(
                f"{what} calls {quote_name(path)}(), which runs a class that the {catalog} has in "
                "the session",
                hint=_allow_by_name("function", name),
            )

    def _function(self, what: str, name: str) -> Iterator[ForbiddenSourceError]:
        if _one_name(name) not in self.functions:
            does, hint = f"calls {name}()", _allow_by_name("function", name)
            reaches = FUNCTIONS.get(name.lower(), _NAMES_A_FILE)
            if name.lower() == OF_FILES:
                # A declared column proves nothing: Spark has its own of files that lack it.
                does, hint = f"reads {name}", f"call a column of your own otherwise; {hint}"
                reaches += ", unless it is a column of the author's own, which its text cannot show"
            yield ForbiddenSourceError(
                f"{what} {does}, which reaches out of the query: it {reaches}", hint=hint
            )


def refused_options(what: str, options: Options) -> Iterator[ForbiddenSourceError]:
    """Yields the options of tables that no text may say, whoever allows what."""
    for option, value in options:
        if option.lower() not in _OPTIONS_OF_TEXTS or _names_a_class(option, value):
            yield ForbiddenSourceError(
                f"{what} gives a table the option `{option}`, which may name a class to load, "
                "a statement to run or a place to read or connect to",
                hint="give it to the table's own document",
            )


def name_view(parts: Sequence[str]) -> str:
    """Returns the one name that a view is allowed by; a dot within a part is no other's."""
    quoted = (quote_identifier(each) if set(".`") & set(each) else each for each in parts)
    return ".".join(quoted).casefold()


def _one_name(name: str) -> str:
    """Returns the canonical name of a function; Spark has two for ``reflect``."""
    return "reflect" if name.lower() == "java_method" else name.lower()


def _is_of_format(option: str) -> bool:
    """Returns whether an option describes the file format; Hadoop options have dots."""
    if option in _REACHING_OPTIONS:
        return False
    return "." not in option or option.endswith(".delim") or option in _DOTTED_OPTIONS


def _are_plain(options: str | Options | Argument) -> bool:
    """Returns whether options are written out, and none names a file or a class."""
    return isinstance(options, tuple) and not any(
        key.lower() in _OPTIONS_OF_FUNCTIONS or _names_a_class(key, value) for key, value in options
    )


def _names_a_class(option: str, value: str) -> bool:
    """Returns whether an option has Spark load a class: a codec has a short name, or is one.

    It is loaded when the options are read, whether anything is written with it or not.
    """
    return option.lower() in _OF_CODECS and not _SHORT_NAME.fullmatch(value.strip())


def _is_of_catalog(name: Parts) -> bool:
    """Returns whether a call may be of a function that a catalog has, and not of Spark's own.

    A catalog of Spark's may have functions itself, ``lake.system.bucket``, and calling one runs
    whatever class the catalog has it in. Of two parts the first may be a database as well.
    """
    before = [each.lower() for each in name[:-1]]
    return bool(before) and before[0] != "spark_catalog" and before not in _OF_SPARK


def raise_first(refused: Iterator[ForbiddenSourceError]) -> None:
    """Raises the first of what is refused, if there is any."""
    for error in refused:
        raise error


def _allow_by_name(kind: str, name: str) -> str:
    return (
        f"if you trust it, allow it by name: {kind}s=[{name!r}], or --allow-{kind} "
        f"{shlex.quote(name)} on the command line"
    )


@contextmanager
def authored() -> Iterator[None]:
    """In the ``with`` block, texts and trees are the user's own: they may name what they like.

    What comes from a document is looked at where it comes in, before it is a ``Table``.
    """
    token = _AUTHORED.set(True)
    try:
        yield
    finally:
        _AUTHORED.reset(token)


def is_authored() -> bool:
    """Returns whether texts and trees are the user's own here."""
    return _AUTHORED.get()


_AUTHORED: ContextVar[bool] = ContextVar("authored", default=False)


def permissions_in_force() -> Permissions:
    """Returns the permissions in force."""
    return _IN_FORCE.get() or Permissions()


_IN_FORCE: ContextVar[Permissions | None] = ContextVar("permissions", default=None)


def _lies_in(location: str, place: str) -> bool:
    """Returns whether a path is a location or lies below it, after resolving ``..`` and ``.``.

    Braces and backslashes in Hadoop's patterns can hide ``..``, as in ``/data/{a,../b}``. So each
    alternative must lie there, and none may go up.
    """
    if location == place:
        return True
    if not _GLOBS & set(location):
        inner, outer = _plain(location), _plain(place)
        return inner == outer or inner.startswith(outer.rstrip("/") + "/")
    found = _alternatives(location)
    return bool(found) and all(
        ".." not in each.split("/") and _lies_in(each, place) for each in found
    )


def _alternatives(pattern: str) -> list[str]:
    """The patterns without braces that one with braces stands for; none where that is not clear."""
    if "\\" in pattern or "[" in pattern:
        return []
    made = [pattern]
    while found := _BRACES.search(made[0]):
        if len(made) * (found[1].count(",") + 1) > _MOST_ALTERNATIVES:
            return []
        made = [
            f"{each[: one.start()]}{choice}{each[one.end() :]}"
            for each in made
            if (one := _BRACES.search(each))
            for choice in one[1].split(",")
        ]
    return [] if any(_GLOBS & set(each) for each in made) else made


def _is_own_storage(location: str) -> bool:
    """Returns whether a location is a path, or lies in a bucket of the session's storage."""
    before, colon, _ = location.partition(":")
    scheme = before.strip().lower() if colon and "/" not in before else ""
    is_drive = len(scheme) == 1
    return (scheme in _OWN_STORAGE or is_drive) and not location.strip().startswith("//")


def _plain(location: str) -> str:
    scheme, sign, rest = location.partition("://")
    if not sign:
        scheme, sign, rest = "", "", location
        if location.startswith("file:"):
            rest = "/" + location.removeprefix("file:").lstrip("/")
    elif scheme == "file":
        scheme, sign, rest = "", "", "/" + rest.lstrip("/")
    return scheme.lower() + sign + posixpath.normpath(rest)
