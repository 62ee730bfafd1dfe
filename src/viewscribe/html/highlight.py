"""SQL with colours: the tokens of Spark's lexer as markup.

The pattern finds the tokens of ``parser/tokens.py`` and everything between them, and takes a name
with its dots, and a name with the parenthesis after it, for one. It never fails: what begins no
token is text. Looking up a whole token in a table is several times as fast as a call for each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from viewscribe.html.markup import Html, concatenate, element, join, text
from viewscribe.types.identifiers import RESERVED_WORDS

# What has no end reaches to the end of the text, so that no text takes more than one pass.
_PARTS = r"(?:\w+|`(?:[^`]|``)*(?:`|\Z))"
_TOKEN = re.compile(
    rf"""
    \s+
  | --[^\r\n]*
  | /\*(?!\+)(?:[^*]|\*(?!/))*(?:\*/|\Z)
  | [rR]'[^']*(?:'|\Z) | [rR]"[^"]*(?:"|\Z)
  | '(?:[^'\\]|\\.|'')*(?:'|\\?\Z) | "(?:[^"\\]|\\.|"")*(?:"|\\?\Z)
  | (?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?(?:BD|bd|Bd|bD|[lLsSyYfFdD])?(?!\w)
  | {_PARTS}(?:\.{_PARTS})*\(?
  | /\*\+ | \*/ | \|>
  | .
    """,
    re.VERBOSE | re.DOTALL,
)

_MORE_WORDS = """
aggregate asc between by cube cast date day days desc distinct div drop exists extend explode first
following groups hour hours if ilike interval last like limit lookup map month months not nulls of
over overwrite partition percent pivot preceding qualify range regexp rename replace respect ignore
rlike rollup row rows second seconds set sets sort struct table tablesample timestamp timestamp_ltz
timestamp_ntz to try_cast unbounded unpivot values view window year years
"""
_CLAUSES = (
    *("cluster", "distribute", "limit", "pivot", "qualify"),
    *("setminus", "sort", "tablesample", "unpivot", "window"),
)
_HARD = frozenset({*RESERVED_WORDS, *_CLAUSES}) - {"user", "time", "unknown"}
_SOFT = frozenset(map(str.upper, _MORE_WORDS.split()))
_LARGEST = 50_000


class _Markup(dict[str, Html]):
    """The markup of each token, made once."""

    def __missing__(self, token: str) -> Html:
        if len(self) > _LARGEST:
            self.clear()
        made = self[token] = _colour(token)
        return made


_MARKUP = _Markup()


def highlight(sql: str, links: Mapping[str, Html] | None = None) -> Html:
    """Returns SQL as markup, whose text is exactly the SQL.

    Args:
        sql: the text.
        links: the markup of names that lead somewhere, by their text in the SQL.
    """
    tokens = _TOKEN.findall(sql)
    made = _MARKUP
    if not links:
        return concatenate([made[each] for each in tokens])
    return concatenate([links[each] if each in links else made[each] for each in tokens])


def _colour(token: str) -> Html:
    first = token[0]
    if first.isspace():
        return text(token)
    if token.startswith("--") or (token.startswith("/*") and len(token) > 3):
        return element("i", token, class_="c")
    if first in "'\"" or (first in "rR" and len(token) > 2 and token[1] in "'\""):
        return element("i", token, class_="s")
    if first.isdigit() or (first == "." and len(token) > 1):
        return element("i", token, class_="n")
    if token == "|>":
        return element("i", token, class_="k")
    if first == "`" or "." in token or not (first.isalnum() or first == "_"):
        return text(token)
    if token.endswith("("):
        word = token[:-1]
        return join(element("i", word, class_="k" if _is_keyword(word) else "f"), "(")
    return element("i", token, class_="k") if _is_keyword(token) else text(token)


def _is_keyword(word: str) -> bool:
    # A column may be called ``first`` or ``date``; as keywords, these are in capitals.
    return word in _SOFT or word.lower() in _HARD
