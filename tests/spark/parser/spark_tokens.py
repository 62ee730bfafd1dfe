"""The tokens of Spark's own lexer, and its schemas, for many texts in one call."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from viewscribe.errors import SqlSyntaxError
from viewscribe.parser.tokens import END, HINT, NUMBER, QUOTED, STRING, SYMBOL, WORD, tokenize

_FUNCTION = """
import com.fasterxml.jackson.databind.ObjectMapper;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.Token;
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer;
import org.apache.spark.sql.catalyst.parser.UpperCaseCharStream;
import org.apache.spark.sql.types.StructType;
public class %s implements java.util.function.Function {
  public Object apply(Object json) {
    try {
      ObjectMapper mapper = new ObjectMapper();
      String[] texts = (String[]) mapper.readValue((String) json, String[].class);
      for (int i = 0; i < texts.length; i++) { texts[i] = answer(texts[i]); }
      return mapper.writeValueAsString(texts);
    } catch (java.io.IOException error) {
      throw new RuntimeException(error);
    }
  }
  private String answer(String text) {%s}
}
"""
_CUT = """
    SqlBaseLexer lexer = new SqlBaseLexer(new UpperCaseCharStream(CharStreams.fromString(text)));
    StringBuilder found = new StringBuilder();
    for (Token each = lexer.nextToken(); each.getType() != -1; each = lexer.nextToken()) {
      if (each.getChannel() != 0) { continue; }
      found.append(each.getType()).append(' ').append(each.getStartIndex()).append(' ');
      found.append(each.getStopIndex() + 1).append(' ');
    }
    return found.append(lexer.has_unclosed_bracketed_comment ? "0 0 0" : "").toString();
"""
_READ = """
    try { return StructType.fromDDL(text).toDDL(); } catch (Exception error) { return null; }
"""
_KINDS = {
    "IDENTIFIER": WORD,
    "BACKQUOTED_IDENTIFIER": QUOTED,
    "STRING_LITERAL": STRING,
    "DOUBLEQUOTED_STRING": STRING,
    "INTEGER_VALUE": NUMBER,
    "EXPONENT_VALUE": NUMBER,
    "DECIMAL_VALUE": NUMBER,
    "HENT_START": HINT,
    "RLIKE": WORD,
    "TEMPORARY": WORD,
    **dict.fromkeys(("EQ", "LTE", "GTE"), SYMBOL),
}
AT_ONCE = 2000


class SparkToken(NamedTuple):
    """One token of Spark's.

    Args:
        kind: what it is to us; empty where we have nothing like it.
        word: the keyword or symbol; empty where there are several, or any.
        start: the offset of its first character.
        end: the offset behind its last one.
    """

    kind: str
    word: str
    start: int
    end: int


class SparkLexer:
    """Spark's lexer.

    Args:
        jvm: where it runs.
    """

    def __init__(self, jvm: Any) -> None:
        names = jvm.org.apache.spark.sql.catalyst.parser.SqlBaseLexer.VOCABULARY
        self._types = [_type(names, number) for number in range(names.getMaxTokenType() + 1)]
        self._function = _function(jvm, "Cut", _CUT)

    def cut(self, texts: Sequence[str]) -> Iterator[list[SparkToken]]:
        """The tokens of each text; behind a comment without end one that is nothing."""
        types = self._types
        for line in json.loads(self._function.apply(json.dumps(texts))):
            numbers = iter(map(int, line.split()))
            yield [
                SparkToken(*types[type_], start, end)
                for type_, start, end in zip(numbers, numbers, numbers, strict=True)
            ]


def spark_schemas(jvm: Any, texts: Sequence[str]) -> list[str | None]:
    """What Spark reads each text of a schema as, in its own words; None where it refuses it."""
    found: list[str | None] = json.loads(_function(jvm, "Read", _READ).apply(json.dumps(texts)))
    return found


@functools.cache
def _function(jvm: Any, name: str, body: str) -> Any:
    """A function of texts, compiled once: Py4J takes two classes of one name for one."""
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jvm.java.lang.Thread.currentThread().getContextClassLoader())
    compiler.cook(_FUNCTION % (name, body))
    return compiler.getClassLoader().loadClass(name).newInstance()


def count_alike(lexer: SparkLexer, texts: Sequence[str]) -> tuple[int, int]:
    """How many tokens are those of Spark, and how many texts are refused; all else fails."""
    alike = refused = 0
    for begin in range(0, len(texts), AT_ONCE):
        some = texts[begin : begin + AT_ONCE]
        for text, theirs in zip(some, lexer.cut(some), strict=True):
            found = _count_tokens(text, theirs)
            alike, refused = alike + (found or 0), refused + (found is None)
    return alike, refused


def _count_tokens(text: str, theirs: Sequence[SparkToken]) -> int | None:
    try:
        *ours, last = tokenize(text)
    except SqlSyntaxError:
        return None
    assert last == (END, "", "", len(text))
    assert [token.text for token in ours] == [text[each.start : each.end] for each in theirs], text
    for token, spark in zip(ours, theirs, strict=True):
        assert (token.kind, token.start) == (spark.kind, spark.start), (text, token, spark)
        assert spark.word in ("", token.word), (text, token, spark)
    return len(ours)


def _type(names: Any, number: int) -> tuple[str, str]:
    """The kind of a type of tokens, and its word."""
    name = str(names.getSymbolicName(number))
    word = str(names.getLiteralName(number) or "").strip("'")
    if name.endswith("_LITERAL") and name not in _KINDS:
        return NUMBER, ""
    if not word:
        return _KINDS.get(name, ""), ""
    return _KINDS.get(name, WORD if word[0].isalpha() else SYMBOL), word
