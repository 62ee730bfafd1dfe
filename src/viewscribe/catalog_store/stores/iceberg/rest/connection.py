"""Requests to an Iceberg REST catalog, through pyiceberg: its configuration, OAuth2, SigV4, TLS.

Of what the server itself answers about the configuration, only addresses and names are taken:
pyiceberg would import a class that the answer names.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import cached_property
from threading import Lock
from typing import Any
from urllib.parse import quote, urlsplit

from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.exceptions import RESTError
from pyiceberg.utils.config import Config
from requests import RequestException, Response
from requests.adapters import HTTPAdapter
from requests.exceptions import ConnectionError as NoConnectionError
from requests.exceptions import ConnectTimeout
from urllib3.util.retry import Retry

from viewscribe.catalog_store.errors import CatalogError
from viewscribe.catalog_store.stores.iceberg.rest.errors import (
    NoAnswerError,
    NotThereError,
    RefusedError,
    UnreachableError,
    refused,
)

SECONDS = (10, 60)
"""How long a connection, and then an answer, may take."""

_PAGE = "rest-page-size"
_FROM_SERVER = frozenset(
    ("uri", "prefix", "namespace-separator", _PAGE, "nessie.is-nessie-catalog")
)
_EXPIRED = (401, 419)
_SELF = frozenset(("", ".", ".."))


class _Client(RestCatalog):
    """pyiceberg's client, which believes the server only addresses and names."""

    def _fetch_config(self) -> None:
        own = dict(self.properties)
        super()._fetch_config()
        told = {key: self.properties[key] for key in _FROM_SERVER if key in self.properties}
        if urlsplit(str(own["uri"])).scheme == "https" != urlsplit(str(told["uri"])).scheme:
            raise RefusedError(400, "", "it names an address without encryption for itself")
        self.properties = {**own, **told}

    def send(self, method: str, url: str, **given: Any) -> Response:
        """Sends one request; once more where what we are known by has expired."""
        answer = self._session.request(method, url, timeout=SECONDS, **given)
        if answer.status_code in _EXPIRED:
            self._refresh_token()
            answer = self._session.request(method, url, timeout=SECONDS, **given)
        return answer

    def mount(self) -> None:
        """Lets reading try again; a change is only sent again where it was never sent."""
        retry = Retry(
            total=3,
            connect=3,
            read=3,
            status=3,
            backoff_factor=0.1,
            status_forcelist=(429, 502, 503, 504),
            allowed_methods=("GET", "HEAD"),
            raise_on_status=False,
        )
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=retry))


class Connection:
    """A REST catalog, as it answers requests. Nothing is sent before the first one.

    Args:
        name: what pyiceberg's configuration calls the catalog, if it knows it.
        properties: properties of pyiceberg, which go before those of its configuration.
    """

    def __init__(self, name: str, properties: Mapping[str, str]) -> None:
        self._name = name
        self._given = dict(properties)
        self._lock = Lock()

    @property
    def place(self) -> tuple[str, str]:
        """The address and the warehouse, as they are configured here."""
        known = {**self._configured(), **self._given}
        return str(known.get("uri", "")).rstrip("/"), str(known.get("warehouse", ""))

    @property
    def is_nessie(self) -> bool:
        """Whether this is Nessie, whose branches know commits by their hashes."""
        return str(self._client.properties.get("nessie.is-nessie-catalog", "")).lower() == "true"

    def get(self, *path: str, params: Mapping[str, str] | None = None) -> Any:
        """Reads. Raises ``NotThereError``."""
        return self._request("GET", path, params=params)

    def is_there(self, *path: str) -> bool:
        """Whether there is something under the path."""
        try:
            self._request("HEAD", path)
        except NotThereError:
            return False
        return True

    def post(self, *path: str, body: Any, pin: str | None = None) -> Any:
        """Writes; where there is a ``pin``, only onto that commit of Nessie's branch."""
        return self._request("POST", path, json=body, pin=pin)

    def delete(self, *path: str, pin: str | None = None) -> None:
        """Drops. Raises ``NotThereError``."""
        self._request("DELETE", path, pin=pin)

    def pages(self, *path: str, items: str) -> Iterator[Any]:
        """Yields what a list holds, page after page."""
        token = ""  # asks a server that knows pages for them, and another for everything
        while token is not None:
            params = {"pageToken": token}
            if size := self._client.properties.get(_PAGE):
                params["pageSize"] = str(size)
            answer = self.get(*path, params=params)
            yield from answer.get(items) or ()
            token = answer.get("next-page-token")

    # --- inside ---

    @cached_property
    def _client(self) -> _Client:
        with self._lock:
            properties: dict[str, Any] = {**self._configured(), **self._given}
            if not properties.get("uri"):
                raise CatalogError(
                    f"no Iceberg catalog `{self._name}` is configured",
                    hint="name it in .pyiceberg.yaml or PYICEBERG_CATALOG__…__URI, "
                    "or write iceberg:https://host/path",
                )
            try:
                with warnings.catch_warnings():  # of pyiceberg, about how it will be configured
                    warnings.simplefilter("ignore")
                    client = _Client(self._name, **properties)
            except RequestException as error:
                raise UnreachableError(_reason(error)) from None
            except (RESTError, ValueError) as error:
                raise RefusedError(400, type(error).__name__, str(error)) from None
            client.mount()
            return client

    def _configured(self) -> Mapping[str, Any]:
        return Config().get_catalog_config(self._name) or {}

    def _request(
        self, method: str, path: tuple[str, ...], *, pin: str | None = None, **given: Any
    ) -> Any:
        url = self._url(path, pin)
        try:
            answer = self._client.send(method, url, **given)
        except (ConnectTimeout, NoConnectionError) as error:
            if isinstance(error, ConnectTimeout) or _was_never_sent(error):
                raise UnreachableError(_reason(error)) from None
            raise NoAnswerError(_reason(error)) from None
        except RequestException as error:
            raise NoAnswerError(_reason(error)) from None
        except RESTError as error:  # of the request for a new token
            raise RefusedError(401, type(error).__name__, str(error)) from None
        if answer.status_code >= 400:
            raise refused(answer.status_code, *_told(answer))
        if not answer.content:
            return None
        try:
            return answer.json()
        except ValueError:
            raise NoAnswerError("the answer is not JSON") from None

    def _url(self, path: tuple[str, ...], pin: str | None) -> str:
        prefix = str(self._client.properties.get("prefix") or "")
        if pin is not None:
            branch, bar, warehouse = prefix.partition("|")
            prefix = f"{branch.partition('@')[0]}@{pin}{bar}{warehouse}"
        if not _SELF.isdisjoint(path):  # HTTP would take it for a step up, to what holds it
            raise NotThereError(404, "", f"nothing can have the name {' '.join(path)}")
        # A prefix may have several parts, which are the server's own.
        before = [self._client.uri.rstrip("/"), "v1", *filter(None, [quote(prefix, safe="/|@%")])]
        return "/".join([*before, *(quote(each, safe="") for each in path)])


def _was_never_sent(error: NoConnectionError) -> bool:
    return "NewConnectionError" in repr(error) or "NameResolutionError" in repr(error)


def _reason(error: Exception) -> str:
    """The last cause in a chain of errors, which alone says what happened."""
    reason: Any = error
    while True:
        inner = getattr(reason, "reason", None) or (
            reason.args[0] if reason.args and isinstance(reason.args[0], Exception) else None
        )
        if not isinstance(inner, Exception):
            return str(reason).rpartition(": ")[2] or type(reason).__name__
        reason = inner


def _told(answer: Response) -> tuple[str, str]:
    """The type and message of the server's error."""
    try:
        error = answer.json()["error"]
        return str(error.get("type") or ""), str(error.get("message") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", answer.reason or ""
