"""AWS's side of a signature (SigV4), from its description: what a server computes to check one.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, urlsplit

_TOLD = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<scope>[^,]+), "
    r"SignedHeaders=(?P<signed>[^,]+), Signature=(?P<signature>[0-9a-f]{64})"
)


def is_signed(
    method: str, target: str, headers: Mapping[str, str], body: bytes, secret: str, scope: str
) -> bool:
    """Whether a request is signed with a secret, for a region and service (``eu-west-1/glue``)."""
    found = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
    told = _TOLD.fullmatch(found.get("authorization", ""))
    if told is None or not told["scope"].endswith(f"/{scope}/aws4_request"):
        return False
    signed = told["signed"].split(";")
    if "host" not in signed or "x-amz-date" not in signed:
        return False
    parts = urlsplit(target)
    pairs = sorted(
        (quote(key, safe="-_.~"), quote(value, safe="-_.~"))
        for key, value in parse_qsl(parts.query, keep_blank_values=True)
    )
    request = "\n".join(
        [
            method,
            quote(parts.path, safe="/-_.~"),  # a second time: only S3 is encoded once
            "&".join(f"{key}={value}" for key, value in pairs),
            *(f"{name}:{found[name]}" for name in signed),
            "",
            told["signed"],
            hashlib.sha256(body).hexdigest(),
        ]
    )
    hashed = hashlib.sha256(request.encode()).hexdigest()
    text = "\n".join(["AWS4-HMAC-SHA256", found["x-amz-date"], told["scope"], hashed])
    key = f"AWS4{secret}".encode()
    for part in (*told["scope"].split("/"), text):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.compare_digest(key.hex(), told["signature"])
