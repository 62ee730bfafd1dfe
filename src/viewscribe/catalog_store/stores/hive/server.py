"""What every call to a metastore ends in, in the words of catalogs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from viewscribe.catalog_store.errors import StorageError, UnknownOutcomeError
from viewscribe.catalog_store.messages import no_answer, nothing_answers
from viewscribe.catalog_store.stores.hive.connection import (
    NoAnswerError,
    UnknownMethodError,
    UnreachableError,
)
from viewscribe.catalog_store.stores.hive.records import ServerError


@contextmanager
def translate_errors(url: str) -> Iterator[None]:
    """Turns what is left of a server's errors into those of catalogs."""
    try:
        yield
    except UnreachableError as error:
        raise nothing_answers(url, error, "the metastore") from error
    except NoAnswerError as error:
        raise no_answer(url, error, "the metastore") from error
    except UnknownMethodError as error:
        raise StorageError(
            f"the metastore at {url} does not know the call {error}",
            hint="it needs Hive 2 or newer",
        ) from error
    except ServerError as error:
        raise StorageError(f"the metastore at {url} refused: {error}") from error


def settle(write: Callable[[], None], done: Callable[[], bool], what: str) -> None:
    """Does ``write``; where no answer comes, ``done`` reads whether it was done.

    Raises:
        UnknownOutcomeError: it was not seen to be done, and may still be.
    """
    try:
        write()
    except NoAnswerError as error:
        try:
            if done():
                return
        except (UnreachableError, NoAnswerError, ServerError):
            pass
        raise UnknownOutcomeError(
            f"the metastore did not say whether the {what} was written: {error}",
            hint="read it again; doing the same again is safe",
        ) from error
