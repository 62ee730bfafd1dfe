"""Requests to an Iceberg REST catalog, through pyiceberg: its configuration, OAuth2, SigV4, TLS.

Of what the server itself answers about the configuration, only addresses and names are taken:
pyiceberg would import a class that the answer names.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.catalog.rest.auth import AuthManager
from pyiceberg.exceptions import RESTError
from pyiceberg.utils.config import Config
from requests import PreparedRequest, RequestException, Response, Session
from requests.adapters import HTTPAdapter
from requests.exceptions import ConnectionError as NoConnectionError
from requests.exceptions import ConnectTimeout, ReadTimeout, TooManyRedirects
from urllib3.util.retry import Retry

from viewscribe.catalog_store.errors import (
    CatalogBusyError,
    CatalogError,
    CatalogUnreachableError,
    StorageError,
    UnknownOutcomeError,
)
from viewscribe.catalog_store.messages import no_answer, nothing_answers
from viewscribe.errors import printable
from viewscribe.schemas.strict_json import OUTER_DEPTH, loads
from viewscribe.secrets import is_secret_name, mask_text, remember_settings

# What a request to an Iceberg REST catalog can end in, and the words of catalogs for it.

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


# Signatures of AWS (SigV4) on the requests to a REST catalog, as Glue and S3 Tables want them.
#
# pyiceberg signs too, but asks through an adapter that waits for ever, asks again for what is no
# question, and leaves parameters without a value out of the signature.

_NOTHING = hashlib.sha256(b"").hexdigest()
_SERVICE = "execute-api"


class Signer:
    """Signs requests with the credentials that a session of boto3 finds.

    Args:
        session: the session, which renews credentials that expire.
        properties: pyiceberg's, of which ``rest.signing-region`` and ``rest.signing-name`` say for
            which service.
    """

    def __init__(self, session: Any, properties: Mapping[str, Any]) -> None:
        self._session = session
        self._region = properties.get("rest.signing-region") or session.region_name
        self._service = properties.get("rest.signing-name") or _SERVICE

    def sign(self, request: PreparedRequest) -> None:
        """Adds the headers of the signature; what they replace is kept as ``Original-…``.

        Raises:
            CatalogError: there are no credentials, or no region is known.
        """
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest

        if not self._region:
            raise CatalogError(
                "a signature of AWS is for one region, and none is known",
                hint="say rest.signing-region=eu-west-1 in the URL, or set AWS_REGION",
            )
        credentials = self._session.get_credentials()
        if credentials is None:
            raise CatalogError(
                "no credentials of AWS are found to sign requests with",
                hint="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile: AWS_PROFILE",
            )
        request.headers.pop("Connection", None)  # which changes on the way
        address, _, query = str(request.url).partition("?")
        signed = AWSRequest(
            method=request.method,
            url=address,
            params=dict(parse_qsl(query, keep_blank_values=True)),
            data=request.body,
            headers={**request.headers, **({} if request.body else {_HASH: _NOTHING})},
        )
        frozen = credentials.get_frozen_credentials()
        SigV4Auth(frozen, self._service, self._region).add_auth(signed)
        for name, value in dict(signed.headers).items():
            before = request.headers.get(name)
            if before is not None and before != value:
                request.headers[f"Original-{name}"] = before
            request.headers[name] = value


_HASH = "x-amz-content-sha256"


SECONDS = (10, 60)
"""How long a connection may take, and each part of an answer."""
IN_ALL = 120
"""How many seconds a request may take in all, with what is tried again."""

_PAGE = "rest-page-size"
_FROM_SERVER = frozenset(
    ("uri", "prefix", "namespace-separator", _PAGE, "nessie.is-nessie-catalog")
)
_EXPIRED = (401, 419)
_READING = ("GET", "HEAD")
_STATUS = {
    "BadRequestError": 400,
    "UnauthorizedError": 401,
    "OAuthError": 401,
    "ForbiddenError": 403,
    "AuthorizationExpiredError": 419,
    "ServiceUnavailableError": 503,
    "ServerError": 500,
}
"""What pyiceberg's errors were, which do not tell it."""
_SELF = frozenset(("", ".", ".."))


class _Adapter(HTTPAdapter):
    """Waits for an answer, but not for ever; lets reading try again, and nothing else.

    Args:
        trusted: the file of certificates that the catalog's configuration names: requests would
            take that of the environment instead.
        signer: signs requests for AWS.
    """

    def __init__(self, trusted: object, signer: Signer | None = None) -> None:
        self._signer = signer
        self._trusted = trusted
        super().__init__(
            max_retries=Retry(
                total=3,
                backoff_factor=0.1,
                # Iceberg's own server answers 500 about a view that is just being dropped.
                status_forcelist=(429, 500, 502, 503, 504),
                allowed_methods=_READING,
                raise_on_status=False,
                respect_retry_after_header=False,  # which may say hours
            )
        )

    def add_headers(self, request: PreparedRequest, **given: Any) -> None:
        if self._signer is not None:
            self._signer.sign(request)

    def send(self, request: PreparedRequest, **given: Any) -> Response:  # type: ignore[override]
        given["timeout"] = given.get("timeout") or SECONDS
        if isinstance(self._trusted, str):
            given["verify"] = self._trusted
        found: list[Response | BaseException] = []

        def ask() -> None:
            try:
                answer = HTTPAdapter.send(self, request, **given)
                _ = answer.content  # which may come byte by byte, each of them in time
                found.append(answer)
            except BaseException as error:  # raised again where it is waited for
                found.append(error)

        asking = Thread(target=ask, daemon=True)
        asking.start()
        asking.join(IN_ALL)
        if not found:
            raise ReadTimeout(f"no whole answer came within {IN_ALL} seconds")
        if isinstance(found[0], BaseException):
            raise found[0]
        return found[0]


class _Client(RestCatalog):
    """pyiceberg's client, which believes the server only addresses and names."""

    def _fetch_config(self) -> None:
        own = dict(self.properties)
        super()._fetch_config()
        told = {key: self.properties[key] for key in _FROM_SERVER if key in self.properties}
        if any(not isinstance(each, str) for each in told.values()):
            raise NoAnswerError("its configuration is none")
        if urlsplit(str(own["uri"])).scheme == "https" != urlsplit(told["uri"]).scheme:
            raise RefusedError(400, "", "it names an address without encryption for itself")
        self.properties = {**own, **told}

    def _create_session(self) -> Session:
        session = super()._create_session()
        _mount(session)
        return session

    def _create_legacy_oauth2_auth_manager(self, session: Session) -> AuthManager:
        _mount(session)  # it asks for a token right away
        return super()._create_legacy_oauth2_auth_manager(session)

    def _init_sigv4(self, session: Session) -> None:
        super()._init_sigv4(session)
        theirs: Any = session.adapters[self.uri]
        known = theirs._boto_session  # of the properties, or of AWS's own configuration
        session.mount(self.uri, _Adapter(session.verify, Signer(known, self.properties)))

    def send(self, method: str, url: str, **given: Any) -> Response:
        """Sends one request; once more where what we are known by has expired.

        A change follows nobody to another address: it would arrive there as a question.
        """
        given["allow_redirects"] = method in _READING
        if params := given.get("params"):  # a signature is for %20, and a plus may be one
            given["params"] = urlencode(params, quote_via=quote)
        answer = self._session.request(method, url, **given)
        if answer.status_code in _EXPIRED:
            self._refresh_token()
            answer = self._session.request(method, url, **given)
        return answer


def _mount(session: Session) -> None:
    for scheme in ("http://", "https://"):
        session.mount(scheme, _Adapter(session.verify))


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
    def was_given_secrets(self) -> bool:
        """Whether what we are known by was given, and is in no configuration."""
        return any(map(is_secret_name, self._given))

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
        seen: set[str] = set()
        while token not in seen:
            seen.add(token)
            params = {"pageToken": token}
            if size := self._client.properties.get(_PAGE):
                params["pageSize"] = str(size)
            answer = self.get(*path, params=params)
            found = answer.get(items) or []
            if not isinstance(found, list):
                raise NoAnswerError("a list is none")
            yield from found
            following = answer.get("next-page-token") or ""
            if not isinstance(following, str):
                raise NoAnswerError("the name of the next page is none")
            token = following
        if token:
            raise NoAnswerError("its pages never end")

    # --- inside ---

    @cached_property
    def _client(self) -> _Client:
        with self._lock:
            properties: dict[str, Any] = {**self._configured(), **self._given}
            remember_settings({key: str(each) for key, each in properties.items()})
            if (kind := properties.get("type", "rest")) != "rest":
                raise CatalogError(
                    f"the catalog `{self._name}` of pyiceberg's configuration is of type {kind}",
                    hint="only REST catalogs are opened so; for a Hive metastore there is "
                    "hive+thrift://host:9083",
                )
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
            except ImportError as error:  # SigV4 wants boto3, Google's authority google-auth
                raise CatalogError(
                    f"the catalog `{self._name}` needs another package: {error}",
                    hint=f"install it: pip install {error.name or '…'}",
                ) from None
            except RequestException as error:
                raise (_never_sent(error) or UnreachableError(_reason(error))) from None
            except RESTError as error:
                raise self._refused(error) from None
            except ValueError as error:  # its text may hold what a server answered: a token
                raise NoAnswerError(f"its answer is not one ({type(error).__name__})") from None
            return client

    def _refused(self, error: RESTError) -> Exception:
        """The error for one of pyiceberg's own."""
        name = type(error).__name__
        return refused(_STATUS.get(name, 400), name, str(error))

    def _configured(self) -> Mapping[str, Any]:
        """What pyiceberg's configuration says of the catalog; nothing, where it is another's.

        A URL may come from a file that somebody else wrote: the credential of one server is not
        sent to the next.
        """
        found = Config().get_catalog_config(self._name) or {}
        asked = self._given.get("uri")
        own = str(found.get("uri", "")).rstrip("/")
        return found if asked is None or asked.rstrip("/") == own else {}

    def _request(
        self, method: str, path: tuple[str, ...], *, pin: str | None = None, **given: Any
    ) -> Any:
        url = self._url(path, pin)
        try:
            answer = self._client.send(method, url, **given)
        except (ConnectTimeout, NoConnectionError) as error:
            raise (_never_sent(error) or NoAnswerError(_reason(error))) from None
        except TooManyRedirects:
            raise RefusedError(310, "", "it sends us from one address to the next") from None
        except RequestException as error:
            raise NoAnswerError(_reason(error)) from None
        except RESTError as error:  # of the request for a new token
            raise self._refused(error) from None
        except ValueError as error:
            raise NoAnswerError(f"its answer is not one ({type(error).__name__})") from None
        if 300 <= answer.status_code < 400:
            raise RefusedError(answer.status_code, "", "it sends us to another address")
        if answer.status_code >= 400:
            type_, message = _told(answer)
            raise refused(answer.status_code, type_, message)
        return _body(method, answer)

    def _url(self, path: tuple[str, ...], pin: str | None) -> str:
        prefix = str(self._client.properties.get("prefix") or "")
        if pin is not None:
            branch, bar, warehouse = prefix.partition("|")
            prefix = f"{branch.partition('@')[0]}@{pin}{bar}{warehouse}"
        # HTTP would take it for a step up, and a server for a namespace in another one.
        if not _SELF.isdisjoint(path) or any("\x1f" in each for each in path):
            raise NotThereError(404, "", f"nothing can have the name {' '.join(path)}")
        # A prefix may have several parts, which are the server's own.
        before = [self._client.uri.rstrip("/"), "v1", *filter(None, [quote(prefix, safe="/|@%")])]
        return "/".join([*before, *(quote(each, safe="") for each in path)])


def _body(method: str, answer: Response) -> Any:
    """What an answer holds: an object, or nothing where something was dropped or renamed."""
    if method != "GET" and not answer.content:
        return None
    try:
        found = _read(answer)
    except ValueError:
        raise NoAnswerError("the answer is not JSON") from None
    if not isinstance(found, dict):
        raise NoAnswerError("the answer is not a JSON object")
    return found


def _read(answer: Response) -> Any:
    return loads(answer.content, limit=None, depth=OUTER_DEPTH, of_others=True)


def name_in(entry: Any) -> str:
    """The name in an entry of a list of views or tables."""
    if isinstance(entry, dict) and isinstance(entry.get("name"), str):
        return str(entry["name"])
    raise NoAnswerError("a list holds something else than names")


def _never_sent(error: RequestException) -> UnreachableError | None:
    """The error for a request that certainly was not sent."""
    told = repr(error)
    if "CERTIFICATE_VERIFY_FAILED" in told:
        return UntrustedError(_reason(error))
    if isinstance(error, ConnectTimeout) or any(each in told for each in _BEFORE_SENDING):
        return UnreachableError(_reason(error))
    return None


_BEFORE_SENDING = ("NewConnectionError", "NameResolutionError")


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
        error = _read(answer)["error"]
        return str(error.get("type") or ""), str(error.get("message") or "")
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", answer.reason or ""
