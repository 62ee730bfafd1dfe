"""What a secret is, and how everything that is shown goes without it: the one place that knows.

A secret is

- the value of an option, property or Spark setting whose *name* says so (``is_secret_name``): what
  Spark redacts itself (``secret|password|token|access.key``), credentials, ``Authorization``,
  cookies, signatures and SAS, account, API and private keys, connection strings. A name that says
  something about a secret, as ``credentials.provider`` or ``password.file``, is none; ``key`` is
  one of an option, and ``primary_key`` and ``sort.key`` are none.
- what a *value* holds where one stands: the password of a URL, the user of a web address that has
  no password (``https://TOKEN@host``), a parameter with such a name (``?sig=…``, ``;password=…``),
  in the query of a URL also ``key`` and ``code``,
  what follows ``Bearer``, ``Basic`` or, in a statement, ``PASSWORD``, and keys that are known by
  their form.
- in texts of others, such as a driver's error or a traceback, also what this process has seen to be
  one (``remember``): as it is, with its percent signs or without them, and its parts.

No secret is what is only called so: a table ``tokens``, a column ``password_hash``, a word in a
comment. Nor is the SQL of a view, ``WHERE password = 'x'`` included: it is shown as it is stored,
another text would mean something else. A setting that is ``${env:NAME}`` names a secret, and is
shown. What a catalog stores is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, TypeVar

MASK = "***"
"""What is shown in the place of a secret."""

# -- names ----------------------------------------------------------------------------------------

# Compiled on first use: `viewscribe --help` has no use for them.
_BETWEEN_WORDS = r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+"
_SECRET = (
    r"secret|password|token|access_?key"  # spark.redaction.regex
    r"|passw|passphrase|passcode|pwd|credential|cookie|signature|jaas|connection_?string"
    r"|(authorization|user_info|kms_key|oauth2?_refresh|(?<!client_)(?<![a-z])auth)$|auth_basic"
    r"|(?<![a-z])(pass|sig|sas|jwt|bearer|otp|pin|pat|pem|hmac)(?![a-z])"
    r"|(gcp|key_?file|service_?account)_?json|json_?key$"
    r"|(account|api|encryption|master|private|shared|signing|storage|store|subscription)_?key"
)
_REFERENCES = r"(\$\{[^}]*\})+"
_ABOUT_SECRETS = (
    r"(^|_)(algorithm|bits|class|count|dir|enabled|endpoint|file|format|interval|length|limit"
    r"|manager|max|mechanism|min|ms|name|path|period|provider|ratio|regex|renewal|scope|seconds"
    r"|size|timeout|ttl|type|uri|url|version|wait)$"
    r"|provider_type_|_secret_key_ref_|^spark_kubernetes_\w+_secrets_"
)
"""Where a secret is kept, who provides it, how long it lasts: names that hold none themselves."""


def is_secret_name(name: str) -> bool:
    """Whether an option, property or setting of this name holds a secret."""
    words = re.sub(_BETWEEN_WORDS, "_", name).lower()
    return re.search(_SECRET, words) is not None and re.search(_ABOUT_SECRETS, words) is None


def mask_setting(name: str, value: str) -> str:
    """The value of an option, property or setting as it can be shown."""
    return MASK if _is_secret_setting(name) and _may_be_secret(value) else mask_value(value)


def _is_secret_setting(name: str) -> bool:
    """Whether a whole setting is secret; what is called ``key`` in a text may be a column."""
    return is_secret_name(name) or name.lower() == "key"


def _may_be_secret(value: str) -> bool:
    """Whether a value is more than a switch, or the name of a variable."""
    is_switch = value.lower() in ("", "true", "false")
    return not is_switch and not re.fullmatch(_REFERENCES, value)


def mask_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Options, properties or settings as they can be shown, by name."""
    return {name: mask_setting(name, value) for name, value in settings.items()}


# -- values ---------------------------------------------------------------------------------------


def mask_value(value: str) -> str:
    """A URL, location or other value as it can be shown."""
    return _mask(value, _spans_in_value(value))


def secrets_in(value: str) -> list[str]:
    """The secrets that stand in a URL, location or other value, in whichever way it is read."""
    found = [value[start:end] for start, end in _spans_in_value(value)]
    return [each for each in dict.fromkeys(found) if each not in ("", MASK)]


def _spans_in_value(value: str) -> Iterator[tuple[int, int]]:
    is_connection = re.fullmatch(_CONNECTION, value)
    yield from _spans(value, _in_texts() if is_connection else _in_values())
    for quoted in re.finditer(_QUOTED_TEXT, value, re.DOTALL):  # as the argument of ``dblink``
        if re.fullmatch(_CONNECTION, quoted["text"]):
            for start, end in _spans(quoted["text"], _in_texts()):
                yield quoted.start("text") + start, quoted.start("text") + end


def _mask(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with the mask in the place of secrets."""
    pieces, at = [], 0
    for start, end in sorted(spans):
        if start >= at:
            pieces += [text[at:start], MASK]
        at = max(at, end)
    return "".join([*pieces, text[at:]])


class _Pattern(NamedTuple):
    """What finds a secret, and what reads it to its end, which is done for secrets alone."""

    finder: re.Pattern[str]
    whole: re.Pattern[str]


def _spans(text: str, patterns: Sequence[_Pattern]) -> Iterator[tuple[int, int]]:
    """Where the secrets are: the group ``secret`` of what the patterns find."""
    for pattern in patterns:
        for found in _matches(pattern, text):
            yield found.span("secret")


def _matches(pattern: _Pattern, text: str) -> Iterator[re.Match[str]]:
    """The matches that hold a secret; in one that holds none the next one may begin."""
    at = 0
    while found := pattern.finder.search(text, at):
        is_secret = "name" not in found.re.groupindex or _is_parameter(found)
        whole = pattern.whole.match(text, found.start()) if is_secret else None
        if whole is not None:
            yield whole
        at = found.start("secret") if whole is None else whole.end()


def _is_parameter(found: re.Match[str]) -> bool:
    """Whether a name and value are of a secret; ``key`` and ``code`` in the query of a URL alone.

    As a server reads it, whose names may have percent signs, too.
    """
    name, start = _decode(found["name"]), found.start("name")
    in_query = found.string[start - 1 : start] in ("?", "&")
    return is_secret_name(name) or (in_query and name.lower() in ("key", "code"))


def _decode(name: str) -> str:
    if "%" not in name:
        return name
    from urllib.parse import unquote  # which programs without secrets do not wait for

    return unquote(name)


def _users(never: str = "") -> tuple[str, ...]:
    """Patterns of URLs with a user or password, in which the characters ``never`` stand.

    As SQLAlchemy reads it, a password goes on to an @, whatever is in it; and to the last one
    before the path, for whoever forgot to escape one. Elsewhere, digits before a path are a port.
    """
    password = rf"(?P<secret>[^@{never}]{{0,1000}}+(?:@[^/?#@{never}]{{0,1000}}+)*)@"
    user = r"//[^/?#@:\s]*:"
    sqlalchemy = rf"(?:(?<=postgresql:)|(?<=postgres:)|(?<=psycopg:)){user}"
    return (
        r"(?<![a-z])(?i:https?|wss?)://(?P<secret>[^/?#:\s'\"]+)(?=:?@|:x-oauth-basic@)",
        rf"(?:{sqlalchemy}|{user}(?!\d{{1,5}}(?:[/?#\s,'\"]|$))){password}",
        rf"(?i:jdbc:oracle):\w+:[^/@\s]*/{password}",
    )


def _named(head: str, character: str, whole: str = "") -> tuple[str, str]:
    """Patterns of a name with the first character of its value, and with all of it."""
    return (
        rf"{head}(?P<secret>{character})",
        rf"{head}(?P<secret>{whole}(?:{character})+)",
    )


_WITHOUT_SCHEME = (
    r"^\s*(?!(?i:file|mailto|memory|sqlite):)[\w.+-]+:(?P<secret>[^\s/\\]+)"
    r"@[\d-]*[A-Za-z.][\w.-]*(?::\d+)?(?:[/?#].*)?$"
)
"""``user:password@host/path``, as some tools take it."""
_NAME = r"(?P<name>[\w.%-]+)"
_IN_BRACES = r"\{[^}]*\}|"
_UP_TO_NEXT = r"(?![&;#]\s*[\w.%-]+=)"
_QUOTED = _named(
    rf"(?P<quote>['\"]){_NAME}(?P=quote)\s*(?:=>?|:)\s*(?P<mark>['\"])",
    r"\\.|(?!(?P=mark))[^\\]",
)
_QUOTED_TEXT = r"(?P<mark>['\"])(?P<text>(?:(?!(?P=mark)).)*)(?P=mark)"
_IN_STATEMENTS = (
    r"(?i:\bPASSWORD|\bIDENTIFIED\s+BY)\s+(?P<mark>['\"])(?P<secret>(?:(?!(?P=mark)).)+)"
)
"""What a connection begins with, ``SET ROLE r PASSWORD 'x'``."""
_KNOWN_BY_FORM = (
    r"(?<![\w.])(?i:Bearer\s+(?!token|auth|realm|scheme)|Basic\s+(?=[\w+/-]*[\d=]))"
    r"(?P<secret>[\w.~+/-]{4,}=*)",
    r"(?P<secret>\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}"
    r"|\bdapi[0-9a-f]{32}|\bxox[abpr]-[\w-]{10,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|(?<=PRIVATE KEY-----)[^-]+)",
)
_SETTING = r"(?:fs|hadoop|header|spark)(?:\.[\w-]+)+|[\w-]+(?:\.[\w-]+){2,}"
"""The names of settings; what has less dots may be a column in a query."""
_CONNECTION = r"\s*\w+=\S+(?:\s+\w+=(?:'[^']*'|[^\s']\S*))+\s*"
"""A connection string of libpq: ``host=db user=ada password=…``."""


@cache
def _in_values() -> tuple[_Pattern, ...]:
    parameter = _named(
        rf"(?:^|[?&;#]|[(,](?=\s*[\w.-]+\s*=\s*[^\s'\"]))\s*{_NAME}\s*=\s*",
        rf"{_UP_TO_NEXT}.",
        _IN_BRACES,
    )
    users = (*_users(), _WITHOUT_SCHEME)
    return _compile(*users, parameter, _QUOTED, _IN_STATEMENTS, *_KNOWN_BY_FORM)


@cache
def _in_texts() -> tuple[_Pattern, ...]:
    mark = r"(?P<mark>['\"])?"
    character = rf"(?(mark)(?!(?P=mark))[^\n]|{_UP_TO_NEXT}[^\s'\"<>`])"
    parameter = _named(rf"(?<![\w.%-]){_NAME}=(?![=>]){mark}", character, _IN_BRACES)
    setting = _named(rf"(?<![\w.-])(?P<name>{_SETTING}) = {mark}", character, _IN_BRACES)
    return _compile(*_users(never=r"\s"), parameter, setting, _QUOTED, *_KNOWN_BY_FORM)


def _compile(*patterns: str | tuple[str, str]) -> tuple[_Pattern, ...]:
    pairs = ((each, each) if isinstance(each, str) else each for each in patterns)
    return tuple(_Pattern(*(re.compile(each, re.DOTALL) for each in pair)) for pair in pairs)


# -- texts of others ------------------------------------------------------------------------------

_SIGNS = (
    *("=", "@", "':", "' :", '":', '" :', "earer ", "EARER ", "asic ", "ASIC ", "KEY-----"),
    *("AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "_pat_", "dapi", "xox", "eyJ"),
)
"""Without any of them, a text holds no secret but those that were seen."""
_SHORTEST, _LONG, _LONGEST_WORD = 4, 8, 12


class _Seen:
    """Secrets that this process has used, in the forms in which others may repeat them."""

    def __init__(self) -> None:
        self._forms: dict[str, int] = {}
        self._patterns: Sequence[_Pattern] = ()

    def add(self, secret: str) -> None:
        """Notes one."""
        found = {pattern: len(form) for form, pattern in _forms(secret)}
        if not found.keys() <= self._forms.keys():
            self._forms |= found
            self._patterns = ()

    @property
    def patterns(self) -> Sequence[_Pattern]:
        """What finds them in a text; nothing where there are none."""
        if self._forms and not self._patterns:
            longest_first = sorted(self._forms, key=lambda each: -self._forms[each])
            self._patterns = _compile(f"(?P<secret>{'|'.join(longest_first)})")
        return self._patterns


_seen = _Seen()


def _forms(secret: str) -> Iterator[tuple[str, str]]:
    """A secret and its parts, each with a pattern: as it is, encoded, as in JSON or Python."""
    import json  # both of which programs without secrets do not wait for
    from urllib.parse import quote, quote_plus, unquote, unquote_plus

    for whole in {secret, unquote(secret), unquote_plus(secret)}:
        escaped = (quote(whole, safe=""), quote_plus(whole), json.dumps(whole)[1:-1])
        for form in {whole, *escaped, repr(whole)[1:-1], *re.split("[@:/?#]", whole)}:
            yield form, _pattern_of(form)
        for part in filter(str.strip, whole.split("@")):
            yield part, rf"(?<!\w){re.escape(part)}(?=@)"


def _pattern_of(form: str) -> str:
    """Only in an address is masked what may be a word of our own; nowhere what is too short."""
    if len(form) < _SHORTEST:
        return "(?!)"
    if form.isalpha() and form.islower() and len(form) <= _LONGEST_WORD:
        return rf"(?<=[:=]){form}(?!\w)"
    return re.escape(form) if len(form) >= _LONG else rf"(?<!\w){re.escape(form)}(?!\w)"


def remember(secret: str) -> None:
    """Notes a secret that is used now: it is masked in whatever others say."""
    if secret != MASK and _may_be_secret(secret):
        _seen.add(secret)


def remember_in(value: str) -> None:
    """Notes what is secret in a URL or other value that is used now."""
    for each in secrets_in(value):
        remember(each)


def remember_settings(settings: Mapping[str, str]) -> None:
    """Notes what is secret in options, properties or settings that are used now."""
    for name, value in settings.items():
        (remember if _is_secret_setting(name) else remember_in)(value)


def mask_text(text: str) -> str:
    """A text of somebody else, such as a driver's error, as it can be shown."""
    has_sign = any(sign in text for sign in _SIGNS)
    patterns = (*_seen.patterns, *(_in_texts() if has_sign else ()))
    return _mask(text, _spans(text, patterns)) if patterns else text


Error = TypeVar("Error", bound=BaseException)


def mask_error(error: Error) -> Error:
    """The error itself, with no secret in its text and in those of its causes."""
    pending: list[BaseException | None] = [error]
    done: set[int] = set()
    while pending:
        each = pending.pop()
        if each is not None and id(each) not in done:
            done.add(id(each))
            each.args = tuple(mask_text(arg) if isinstance(arg, str) else arg for arg in each.args)
            pending += [each.__cause__, each.__context__]
    return error
