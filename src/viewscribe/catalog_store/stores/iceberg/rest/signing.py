"""Signatures of AWS (SigV4) on the requests to a REST catalog, as Glue and S3 Tables want them.

pyiceberg signs too, but asks through an adapter that waits for ever, asks again for what is no
question, and leaves parameters without a value out of the signature.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from requests import PreparedRequest

from viewscribe.catalog_store.errors import CatalogError

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
