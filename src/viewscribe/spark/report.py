"""The result of a verification: its checks, readable by people and machines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from viewscribe.types import Field, LogicalType
from viewscribe.types.ddl import type_text
from viewscribe.types.nested_types import deeply_nullable, is_within, value_type

if TYPE_CHECKING:
    from pyspark.sql.types import StructType as SparkStruct

    from viewscribe.html.markup import Html


NOT_ASKED_FOR = "not asked for"
"""What is said of rows that nobody wanted to be compared."""

NOT_NEEDED = "not needed: the plans are equal"
"""What is said of rows that could not prove more."""

NO_SOURCE = "no text of an author is known"
"""What is said of the author's text where there is none."""

NO_ROWS = "0 rows"
"""What is said of rows where neither side has one."""

Status = Literal["equal", "different", "not compared"]

Proof = Literal["proven", "rows equal", "schema only", "different"]
"""How far equality is known: whatever the tables hold (by a plan), for the rows that there are,
for the columns alone; or not at all."""

STYLES: dict[Proof, str] = {
    "proven": "good",
    "rows equal": "soft",
    "schema only": "warning",
    "different": "bad",
}

CHECKS = ("schema", "plan", "rows", "source", "read_back")
"""The names of the checks, which are fields of the report."""


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison of the SQL text with the tree.

    Args:
        status: ``equal``, ``different`` or ``not compared``.
        detail: what was compared, or why not, in one sentence.
        differences: the first differences, one per line.
    """

    status: Status
    detail: str = ""
    differences: list[str] = field(default_factory=list)

    def reworded(self, words: str, other: str) -> Check:
        """Returns the check with other words for something."""
        lines = [line.replace(words, other) for line in self.differences]
        return replace(self, detail=self.detail.replace(words, other), differences=lines)

    def to_json(self) -> dict[str, Any]:
        """Returns the check as JSON-serializable data."""
        return {
            "status": self.status,
            "detail": self.detail,
            "differences": list(self.differences),
        }


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """Whether SQL text means what its tree means.

    Args:
        subject: what was verified.
        schema: names, types and nullability of the columns.
        plan: Spark's plans; ``not compared`` where they differ, as that proves nothing.
        rows: the rows, as multisets, and their order where the pipeline ends in a sort.
        source: the text that the author wrote, of the whole or of a part, beside the tree and the
            SQL text; ``not compared`` where there is none or Spark cannot be asked it.
        read_back: the tree that viewscribe itself reads the text as; ``not compared`` where it
            does not read it, with the reason.
        changed: what has changed in the tables that it reads, where that may be why it differs.
        edited: whether somebody changed the stored view by hand, and it is not ok.
        renamed: columns that the view renames on purpose, as (old name, new name).
        zone: the time zone that all this was compared in, which is the one stored with the view;
            None where none matters.
        zoned: what depends on it.
        late: settings that the session has otherwise, and that Spark reads only when a query runs:
            all this holds while they are set.
    """

    subject: str
    schema: Check
    plan: Check
    rows: Check
    read_back: Check = Check("not compared", NOT_ASKED_FOR)
    source: Check = Check("not compared", NO_SOURCE)
    changed: tuple[str, ...] = ()
    edited: bool = False
    renamed: tuple[tuple[str, str], ...] = ()
    zone: str | None = None
    zoned: str | None = None
    late: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing differs, and plans or rows that there are say that it is equal."""
        return self.proof in ("proven", "rows equal")

    @property
    def is_sound(self) -> bool:
        """Whether the schema is equal and nothing is known to differ, proven further or not."""
        checks = (self.plan, self.rows, self.source, self.read_back)
        return self.schema.status == "equal" and all(c.status != "different" for c in checks)

    @property
    def proof(self) -> Proof:
        """How far equality is known."""
        if not self.is_sound:
            return "different"
        if self.plan.status == "equal":
            return "proven"
        has_rows = self.rows.status == "equal" and not self.rows.detail.startswith(NO_ROWS)
        return "rows equal" if has_rows else "schema only"

    @property
    def verdict(self) -> str:
        """The proof in words for people: ``proven``, ``rows equal (3 rows)``, ``schema only``."""
        return proof_in_words(self.proof, self.rows)

    def notes(self) -> Iterator[str]:
        """Says what is to be known beside the checks: new names, changes, the time zone."""
        for old, new in self.renamed:
            yield f"column `{old}` is called `{new}`"
        if self.edited:
            yield "the stored view was edited by hand: its fingerprint does not match"
        yield from self.changed
        if self.zone is not None:
            yield f"in the time zone {self.zone}, which {self.zoned} depends on"
        yield from self.late

    def beside(self, other: str) -> VerificationReport:
        """The report in words for a text that was compared with something else than its tree."""
        names = ("schema", "plan", "rows", "source")
        return replace(self, **{n: getattr(self, n).reworded("the tree", other) for n in names})

    def to_json(self) -> dict[str, Any]:
        """Returns the report as JSON-serializable data."""
        return {
            "subject": self.subject,
            "ok": self.ok,
            "proof": self.proof,
            "schema": self.schema.to_json(),
            "plan": self.plan.to_json(),
            "rows": self.rows.to_json(),
            "source": self.source.to_json(),
            "read_back": self.read_back.to_json(),
            **({"changed": list(self.changed)} if self.changed else {}),
            **({"edited": True} if self.edited else {}),
            **({"renamed": [list(pair) for pair in self.renamed]} if self.renamed else {}),
            **({"zone": self.zone, "zoned": self.zoned} if self.zone else {}),
            **({"late": list(self.late)} if self.late else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> VerificationReport:
        """Returns the report that ``to_json`` gave.

        Raises:
            msgspec.ValidationError: the data is none.
        """
        return msgspec.convert(data, cls)

    def shown(self) -> Iterator[tuple[str, Check]]:
        """Yields the checks that there is something to say of, by name."""
        for name in CHECKS:
            check: Check = getattr(self, name)
            is_asked = name != "read_back" or check.detail != NOT_ASKED_FOR
            if is_asked and check.detail != NO_SOURCE:
                yield name.replace("_", " "), check

    def blocks(self) -> list[Html]:
        """Returns the checks as HTML, for notebooks."""
        from viewscribe.html.markup import element, grid, marked

        styles = {"equal": "good", "different": "bad"}
        rows = [
            (
                name,
                marked(check.status, styles.get(check.status, "soft")),
                "\n".join([check.detail, *check.differences]).strip(),
            )
            for name, check in self.shown()
        ]
        notes = [marked(each, "warning") for each in self.notes()]
        return [grid(("check", "result", ""), rows), *(element("div", each) for each in notes)]

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from viewscribe.html.markup import heading, marked, show

        verdict = marked(self.verdict, STYLES[self.proof])
        return show(str(self), heading(f"{self.subject}: ", verdict), *self.blocks())

    def __str__(self) -> str:
        heading = f"{self.subject}: {self.verdict}"
        lines = [heading]
        for name, check in self.shown():
            lines += _lines(name, check)
        lines += [f"  {each}" for each in self.notes()]
        return "\n".join(lines)


def proof_in_words(proof: Proof, rows: Check) -> str:
    """Returns a proof for people, with the number of rows that were equal."""
    if proof != "rows equal":
        return proof
    return f"{proof} ({rows.detail.partition(';')[0]})"


def _lines(name: str, check: Check) -> list[str]:
    wrapped = textwrap.wrap(check.detail, 76) or [""]
    lines = [f"  {name:<11}{check.status:<14}{wrapped[0]}".rstrip()]
    lines += [" " * 27 + line for line in wrapped[1:]]
    return lines + [f"{'':<13}{each}" for each in check.differences]


# Compares schemas: those of the SQL text and the interpreted tree, and the tree's own.

_MOST_SHOWN = 10
AUTHOR = "the author's text"


def compare_schemas(
    sql: SparkStruct,
    tree: SparkStruct,
    said: Sequence[Field],
    promised: Sequence[Field],
    *,
    same_plan: bool = False,
) -> Check:
    """Compares names, types and nullability, column by column.

    A column may be NOT NULL in the text alone where that is known to be so: Spark has one plan for
    both, or the tree, too, says that it never is NULL.

    Args:
        sql: Spark's schema of the SQL text.
        tree: Spark's schema of the interpreted tree, or of the DataFrame it was captured from.
        said: the schema of the tree itself.
        promised: the columns that are stored beside the text; ``said`` for a pipeline.
        same_plan: whether the plans were proven equal.
    """
    text, made = _fields(sql), _fields(tree)
    known, stored = _plain(said), _plain(promised)
    stricter = _stricter(text, made, text if same_plan else known)
    alike = [made[place] if place in stricter else each for place, each in enumerate(text)]
    found = [
        *_differences("the SQL text", alike, "the tree", made, with_nullability=True),
        *_differences("Spark", made, "the inferred schema", known),
        *_differences("Spark", made, "the stored columns", stored),
    ]
    found = list(dict.fromkeys(found))
    if found:
        more = f"; the first {_MOST_SHOWN} are shown" if len(found) > _MOST_SHOWN else ""
        return Check("different", f"{len(found)} differences{more}", found[:_MOST_SHOWN])
    notes = list(_nullability_notes(made, stored))
    if stricter:
        names = ", ".join(text[place].name for place in sorted(stricter))
        notes.append(f"NOT NULL in the SQL text alone: {names}")
    columns = f"{len(made)} column{'' if len(made) == 1 else 's'}"
    return Check("equal", columns + (f"; {'; '.join(notes)}" if notes else ""))


def compare_columns(author: SparkStruct, other: SparkStruct) -> list[str]:
    """Returns how names and types of the author's text differ from those of another side.

    What may be NULL decides no row; that is compared between the other sides.
    """
    return list(_differences(AUTHOR, _fields(author), "the tree", _fields(other)))


def compare_with_promised(made: SparkStruct, promised: Sequence[Field]) -> Check:
    """The schema of an opened view beside the columns that are stored with it."""
    found = list(_differences("Spark", _fields(made), "the stored columns", _plain(promised)))
    if found:
        more = f"; the first {_MOST_SHOWN} are shown" if len(found) > _MOST_SHOWN else ""
        return Check("different", f"{len(found)} differences{more}", found[:_MOST_SHOWN])
    count = len(made.fields)
    return Check("equal", f"{count} column{'' if count == 1 else 's'}")


def with_nulls_found(
    check: Check, nulls: frozenset[int] | None, promised: Sequence[Field], tree: SparkStruct
) -> Check:
    """Reports NOT NULL columns that are NULL in some row as differences."""
    if nulls is None or len(promised) != len(tree.fields):
        return check
    broken = [
        f"column {place + 1} `{field.name}` is NOT NULL by the inferred schema, and NULL in a row"
        for place, field in enumerate(promised)
        if place in nulls and not field.nullable
    ]
    if not broken:
        return check
    return Check("different", "NULL where there must not be any", [*check.differences, *broken])


def _fields(schema: SparkStruct) -> list[Field]:
    from viewscribe.spark.types import schema_from_spark  # PySpark is wanted from here on

    return _plain(schema_from_spark(schema))


def _plain(fields: Iterable[Field]) -> list[Field]:
    """Replaces CHAR and VARCHAR by STRING, as Spark reports table columns."""
    return [Field(field.name, value_type(field.type)) for field in fields]


def _stricter(
    text: Sequence[Field], made: Sequence[Field], known: Sequence[Field]
) -> frozenset[int]:
    """The columns that lack a NULL in the text alone, where ``known`` says that it is so."""
    if not len(text) == len(made) == len(known):
        return frozenset()
    return frozenset(
        place
        for place, (a, b, c) in enumerate(zip(text, made, known, strict=True))
        if (a.name, a.type) != (b.name, b.type)
        and a.name == b.name
        and is_within(a.type, b.type)
        and is_within(c.type, a.type)
    )


def _differences(
    left: str,
    one: Sequence[Field],
    right: str,
    other: Sequence[Field],
    *,
    with_nullability: bool = False,
) -> Iterator[str]:
    if len(one) != len(other):
        yield f"{left} has {len(one)} columns, {right} {len(other)}"
        return
    for place, (a, b) in enumerate(zip(one, other, strict=True), 1):
        column = f"column {place}"
        if a.name != b.name:
            yield f"{column} is `{a.name}` in {left}, `{b.name}` in {right}"
        elif deeply_nullable(a.type) != deeply_nullable(b.type):
            yield f"{column} `{a.name}` is {a.type.ddl} in {left}, {b.type.ddl} in {right}"
        elif with_nullability and a.type != b.type:
            yield f"{column} `{a.name}` is {_full(a.type)} in {left}, {_full(b.type)} in {right}"


def _full(type_: LogicalType) -> str:
    """The type with what may be NULL in it."""
    return f"{type_text(type_.as_nullable())} {'NULL' if type_.nullable else 'NOT NULL'}"


def _nullability_notes(made: Sequence[Field], said: Sequence[Field]) -> Iterator[str]:
    """Where the tree and Spark know different things about NULL; neither need be wrong."""
    pairs = list(zip(made, said, strict=True))
    unproven = [b.name for a, b in pairs if a.nullable and not b.nullable]
    stricter = [b.name for a, b in pairs if b.nullable and not a.nullable]
    if unproven:
        yield f"NOT NULL by the inferred schema alone: {', '.join(unproven)}"
    if stricter:
        yield f"NOT NULL by Spark alone: {', '.join(stricter)}"
