"""What a request to an Iceberg REST catalog can end in, and the words of catalogs for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from viewscribe.catalog_store.errors import (
    CatalogBusyError,
    CatalogUnreachableError,
    StorageError,
    UnknownOutcomeError,
)
from viewscribe.catalog_store.messages import no_answer, nothing_answers
from viewscribe.errors import printable
from viewscribe.secrets import mask_text

_NOT_ALLOWED = (401, 403, 419)
_BUSY = (429, 503)
_UNKNOWN = (500, 502, 504)
"""After these a commit may have happened or not ("commit state unknown"), as the protocol says."""


class UnreachableError(Exception):
    """The request was never sent."""


class UntrustedError(UnreachableError):
    """Nor will it be: the certificate of the server is none that is trusted."""


class NoAnswerError(Exception):
    """The request was sent, and nobody knows what became of it."""


class RefusedError(Exception):
    """The server refused.

    Args:
        status: the HTTP status.
        type_: the name of the server's exception, if it told one.
        message: what it said.
    """

    def __init__(self, status: int, type_: str, message: str) -> None:
        super().__init__(f"{message or type_ or 'no reason given'} (HTTP {status})")
        self.status = status
        self.type = type_


class NotThereError(RefusedError):
    """What was named is not there."""


class ConflictError(RefusedError):
    """A name is taken, or a requirement of a commit does not hold."""


def refused(status: int, type_: str, message: str) -> Exception:
    """The error for an answer that is none."""
    message = printable(mask_text(message.strip()).splitlines()[0] if message.strip() else "")
    if status in _UNKNOWN:
        return NoAnswerError(f"{message or type_ or 'no reason given'} (HTTP {status})")
    kind = {404: NotThereError, 409: ConflictError}.get(status, RefusedError)
    return kind(status, type_, message)


@contextmanager
def translate_errors(url: str) -> Iterator[None]:
    """Turns what is left of a server's errors into those of catalogs."""
    try:
        yield
    except UntrustedError as error:
        raise CatalogUnreachableError(
            f"the certificate of {url} is not trusted: {error}",
            hint="if it is yours, name the file of who signed it: cabundle, under ssl, in "
            ".pyiceberg.yaml, or REQUESTS_CA_BUNDLE",
        ) from None
    except UnreachableError as error:
        raise nothing_answers(url, error, "the server") from None
    except NoAnswerError as error:
        raise no_answer(url, error, "the server") from None
    except RefusedError as error:
        if error.status in _NOT_ALLOWED:
            raise StorageError(
                f"{url} does not let us in: {error}",
                hint="check the credential or token, and what it is allowed to do",
            ) from None
        if error.status in _BUSY:
            raise CatalogBusyError(
                f"{url} is busy: {error}", hint="nothing was written: repeat it"
            ) from None
        raise StorageError(f"{url} refused: {error}") from None


def unknown_outcome(what: str, error: Exception) -> UnknownOutcomeError:
    """The error for a write of which nobody knows whether it happened."""
    return UnknownOutcomeError(
        f"the server did not say whether the {what} was written: {error}",
        hint="read it again; doing the same again is safe",
    )
