"""The queries that Spark's own developers test with, out of the jar of ``spark-sql``'s tests."""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import ZipFile

ARTIFACT = "org.apache.spark:spark-sql_2.13:4.2.0:jar:tests"
"""The newest one that is published; its queries run in Spark 4.3 as well."""

BENCHMARKS = {
    "TPC-H": ("tpch/", "TPCHBase"),
    "SSB": ("ssb/", "SSBQuerySuite"),
    "TPC-DS": ("tpcds/", "TPCDSSchema"),
    "TPC-DS 2.7": ("tpcds-v2.7.0/", "TPCDSSchema"),
}
"""The folder of the queries, and the class that holds the columns of their tables."""

INPUTS = "sql-tests/inputs/"
SCALA_ONLY = ("udf/", "udaf/")
"""Folders whose queries call functions that exist in Scala alone."""


@dataclass(slots=True)
class Script:
    """A file of statements, and the settings they run under."""

    name: str
    statements: list[str] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)


def fetch(folder: Path) -> Path:
    """The jar in ``folder``; Maven copies it there where it is missing."""
    _, name, version, _, kind = ARTIFACT.split(":")
    jar = folder / f"{name}-{version}-{kind}.jar"
    if not jar.exists():
        folder.mkdir(parents=True, exist_ok=True)
        copy = ["dependency:copy", f"-Dartifact={ARTIFACT}", f"-DoutputDirectory={folder}"]
        subprocess.run(["mvn", "--quiet", "--batch-mode", *copy], check=True)
    return jar


class Corpus:
    """The queries of a jar.

    Args:
        jar: the path of the jar.
    """

    def __init__(self, jar: Path) -> None:
        self._jar = ZipFile(jar)
        self.names = [name for name in self._jar.namelist() if name.endswith(".sql")]

    def benchmark(self, name: str) -> tuple[dict[str, str], list[Script]]:
        """The columns of the tables as DDL, and the queries, of a benchmark."""
        folder, holder = BENCHMARKS[name]
        texts = _constants(self._jar.read(f"org/apache/spark/sql/{holder}.class"))
        queries = [
            Script(path.removeprefix(folder), [self._text(path).strip().rstrip(";")])
            for path in self.names
            if path.startswith(folder)
        ]
        return dict(_tables(texts)), queries

    def scripts(self) -> list[Script]:
        """The scripts of ``sql-tests`` that need no function written in Scala."""
        paths = (path for path in self.names if path.startswith(INPUTS))
        return [
            self._script(path)
            for path in paths
            if not path.removeprefix(INPUTS).startswith(SCALA_ONLY)
        ]

    def rows(self, name: str, into: Path) -> Path:
        """The file of the rows of a table of ``sql-tests``, copied into a folder."""
        return Path(self._jar.extract(f"test-data/postgresql/{name}.data", into))

    def _script(self, path: str) -> Script:
        text = self._text(path)
        script = Script(path.removeprefix(INPUTS))
        for line in re.findall(r"(?m)^--IMPORT (.+)$", text):
            script.statements += self._script(f"{INPUTS}{line.strip()}").statements
        for line in re.findall(r"(?m)^--SET (.+)$", text):
            pairs = (pair.partition("=") for pair in line.strip().rstrip(";").split(","))
            script.settings |= {key.strip(): value.strip() for key, _, value in pairs}
        script.statements += list(_statements(text))
        return script

    def _text(self, path: str) -> str:
        return self._jar.read(path).decode()


# -- statements ----------------------------------------------------------------------------------

_PIECE = re.compile(
    r"--QUERY-DELIMITER-START[^\n]*\n(?P<whole>.*?)--QUERY-DELIMITER-END"
    r"|(?P<comment>--[^\n]*|/\*.*?\*/)"
    r"|(?P<quoted>r'[^']*'|r\"[^\"]*\"|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`)"
    r"|(?P<end>;[ \t]*(?=\n|\Z|--))",
    re.DOTALL | re.IGNORECASE,
)


def _statements(text: str) -> Iterator[str]:
    """The statements of a script, as Spark's test suite cuts it: at a ``;`` that ends a line."""
    kept, place = "", 0
    for piece in _PIECE.finditer(text):
        kept, place = kept + text[place : piece.start()], piece.end()
        if piece["end"] or piece["whole"]:
            yield from filter(None, [kept.strip()])
            kept = ""
            yield from filter(None, [re.sub(r";\s*\Z", "", (piece["whole"] or "").strip())])
        elif piece["quoted"] or piece["comment"].startswith("/*+"):
            kept += piece[0]
        else:
            kept += " "
    yield from filter(None, [(kept + text[place:]).strip()])


# -- what a compiled class holds -----------------------------------------------------------------

_UTF8 = 1
_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4}
_SIZES |= {19: 2, 20: 2}


def _constants(compiled: bytes) -> Iterator[str]:
    """The texts in the constant pool of a class, in order (Java's class file format, 4.4)."""
    (count,) = struct.unpack_from(">H", compiled, 8)
    place, index = 10, 1
    while index < count:
        tag = compiled[place]
        index += 2 if tag in (5, 6) else 1
        if tag == _UTF8:
            (size,) = struct.unpack_from(">H", compiled, place + 1)
            yield compiled[place + 3 : place + 3 + size].decode(errors="replace")
            place += 3 + size
        else:
            place += 1 + _SIZES[tag]


def _tables(texts: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Each table and its columns: a whole CREATE TABLE, or the columns after the table's name."""
    before = ""
    for text in texts:
        plain = re.sub(r"(?m)^\s*\|?", "", text).strip()
        created = re.match(r"CREATE TABLE `?(\w+)`? \((.*)\)", plain, re.DOTALL | re.IGNORECASE)
        if created:
            yield created[1], created[2]
        elif re.match(r"`\w+` [A-Z]", plain):
            yield before, plain
        elif re.fullmatch(r"[a-z][a-z_]+", text):
            before = text
