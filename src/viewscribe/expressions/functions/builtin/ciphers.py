"""Encryption, and digests with a key."""

from __future__ import annotations

from viewscribe.expressions.functions.definition import FunctionDefinition
from viewscribe.expressions.functions.entries import scalar
from viewscribe.expressions.functions.outputs import always_nullable
from viewscribe.types import BINARY, STRING


def _decrypt(name: str, doc: str, *, since: str) -> FunctionDefinition:
    return scalar(
        name,
        args=(BINARY, BINARY, STRING, STRING, BINARY),
        optional=3,
        returns=always_nullable(BINARY),
        since=since,
        defaults=("GCM", "DEFAULT", ""),
        doc=doc,
    )


AES_ENCRYPT = scalar(
    "aes_encrypt",
    args=(BINARY, BINARY, STRING, STRING, BINARY, BINARY),
    optional=4,
    returns=always_nullable(BINARY),
    since="3.3.0",
    defaults=("GCM", "DEFAULT", "", ""),
    doc="The binary encrypted by AES with a key; mode, padding, start vector and further "
    "authenticated data may be given.",
)
AES_DECRYPT = _decrypt(
    "aes_decrypt",
    "The binary that AES encrypted with a key, in a mode and padding.",
    since="3.3.0",
)
TRY_AES_DECRYPT = _decrypt(
    "try_aes_decrypt",
    "The binary that AES encrypted with a key, NULL where that fails.",
    since="3.5.0",
)
HMAC = scalar(
    "hmac",
    args=(BINARY, BINARY, STRING),
    optional=1,
    parameter_names=("key", "message", "algorithm"),
    returns=always_nullable(BINARY),
    since="4.3.0",
    defaults=("SHA-256",),
    doc="The digest of a message under a key (the first argument), by SHA-256 unless told.",
)
