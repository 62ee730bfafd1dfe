"""What a secret is, and how everything that is shown goes without it: the one place that knows.

A secret is

- the value of an option, property or Spark setting whose *name* says so (``is_secret_name``): what
  Spark redacts itself (``secret|password|token|access.key``), credentials, ``Authorization``,
  cookies, signatures and SAS, account, API and private keys, connection strings. A name that says
  something about a secret, as ``credentials.provider`` or ``password.file``, is none.
- what a *value* holds where one stands: the password of a URL, the user of a web address that has
  no password (``https://TOKEN@host``), a parameter with such a name (``?sig=…``, ``;password=…``),
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
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TypeVar

MASK = "***"
"""What is shown in the place of a secret."""

# -- names ----------------------------------------------------------------------------------------

# Compiled on first use: `viewscribe --help` has no use for them.
_BETWEEN_WORDS = r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+"
_SECRET = (
    r"secret|password|token|access_?key"  # spark.redaction.regex
    r"|passw|passphrase|passcode|pwd|credential|cookie|signature|jaas|connection_?string"
    r"|(authorization|user_info)$|(?<![a-z])(pass|sig|sas|jwt|bearer|otp|pin)(?![a-z])"
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
    return MASK if is_secret_name(name) and _may_be_secret(value) else mask_value(value)


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
    return _mask(value, _patterns_for(value))


def secrets_in(value: str) -> list[str]:
    """The secrets that stand in a URL, location or other value, in whichever way it is read."""
    found = [value[start:end] for start, end in _spans(value, _patterns_for(value))]
    return [each for each in dict.fromkeys(found) if each not in ("", MASK)]


def _patterns_for(value: str) -> Sequence[re.Pattern[str]]:
    return _in_texts() if re.fullmatch(_CONNECTION, value) else _in_values()


def _mask(text: str, patterns: Sequence[re.Pattern[str]]) -> str:
    """The text with the mask where any of the patterns finds a secret."""
    pieces, at = [], 0
    for start, end in sorted(_spans(text, patterns)):
        if start >= at:
            pieces += [text[at:start], MASK]
        at = max(at, end)
    return "".join([*pieces, text[at:]])


def _spans(text: str, patterns: Sequence[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    """Where the secrets are: the group ``secret`` of what the patterns find."""
    for pattern in patterns:
        for found in _matches(pattern, text):
            yield found.span("secret")


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches that hold a secret; in one that holds none the next one may begin."""
    at = 0
    while found := pattern.search(text, at):
        if "name" not in pattern.groupindex or _is_parameter(found):
            yield found
            at = found.end()
        else:
            at = found.start("secret")


def _is_parameter(found: re.Match[str]) -> bool:
    """Whether a name and value are of a secret; ``key`` is one in the query of a URL alone."""
    in_query = found.string[found.start("name") - 1 : found.start("name")] in ("?", "&")
    return is_secret_name(found["name"]) or (in_query and found["name"].lower() == "key")


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


_NAME = r"(?P<name>[\w.-]+)"
_IN_BRACES = r"\{[^}]*\}"
_UP_TO_NEXT = r"(?![&;#]\s*[\w.-]+=)"
_QUOTED = (
    rf"(?P<quote>['\"]){_NAME}(?P=quote)\s*(?:=>?|:)\s*"
    r"(?P<mark>['\"])(?P<secret>(?:\\.|(?!(?P=mark))[^\\])+)"
)
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
def _in_values() -> tuple[re.Pattern[str], ...]:
    parameter = (
        rf"(?:^|[?&;#]|[(,](?=\s*[\w.-]+\s*=\s*[^\s'\"]))\s*{_NAME}\s*=\s*"
        rf"(?P<secret>{_IN_BRACES}|(?:{_UP_TO_NEXT}.)+)"
    )
    return _compile(*_users(), parameter, _QUOTED, _IN_STATEMENTS, *_KNOWN_BY_FORM)


@cache
def _in_texts() -> tuple[re.Pattern[str], ...]:
    value = (
        rf"(?P<mark>['\"])?(?P<secret>{_IN_BRACES}"
        rf"|(?(mark)(?:(?!(?P=mark))[^\n])+|(?:{_UP_TO_NEXT}[^\s'\"<>`])+))"
    )
    parameter = rf"(?<![\w.-]){_NAME}=(?![=>]){value}"
    setting = rf"(?<![\w.-])(?P<name>{_SETTING}) = {value}"
    return _compile(*_users(never=r"\s"), parameter, setting, _QUOTED, *_KNOWN_BY_FORM)


def _compile(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(each, re.DOTALL) for each in patterns)


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
        self._patterns: Sequence[re.Pattern[str]] = ()

    def add(self, secret: str) -> None:
        """Notes one."""
        found = {pattern: len(form) for form, pattern in _forms(secret)}
        if not found.keys() <= self._forms.keys():
            self._forms |= found
            self._patterns = ()

    @property
    def patterns(self) -> Sequence[re.Pattern[str]]:
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
        (remember if is_secret_name(name) else remember_in)(value)


def mask_text(text: str) -> str:
    """A text of somebody else, such as a driver's error, as it can be shown."""
    has_sign = any(sign in text for sign in _SIGNS)
    patterns = (*_seen.patterns, *(_in_texts() if has_sign else ()))
    return _mask(text, patterns) if patterns else text


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
