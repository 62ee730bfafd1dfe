"""Finding and masking passwords in catalog URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator

# As SQLAlchemy reads it, a password goes on to an @, whatever is in it; and to the last one before
# the path, for whoever forgot to escape one.
_USER = re.compile(r"(?<=//)([^/?#@:]*):([^@]*(?:@[^/?#@]*)*)@")
_PARAMETER = re.compile(
    r"(?i)([?&;](?:[a-z_-]*(?:password|passwd|credential|secret|token|pwd|key|signature|(?<![a-z])sig))=)([^&;#]+)"
)


def passwords_in(url: str) -> Iterator[str]:
    """Returns all passwords in a URL."""
    for found in (*_USER.finditer(url), *_PARAMETER.finditer(url)):
        yield found[2]


def without_secrets(url: str) -> str:
    """Returns a URL that can be shown and stored, with passwords replaced by ``***``."""
    return _PARAMETER.sub(r"\1***", _USER.sub(r"\1:***@", url))
