"""Encryption, and digests with a key."""

from __future__ import annotations

from viewscribe.expressions.functions.entries import scalar

AES_ENCRYPT = scalar("""aes_encrypt(BINARY, BINARY, STRING = GCM, STRING = DEFAULT, BINARY = '',
        BINARY = '') -> BINARY?
    The binary encrypted by AES with a key; mode, padding, start vector and further authenticated
    data may be given.
    since 3.3.0""")
AES_DECRYPT = scalar("""aes_decrypt(BINARY, BINARY, STRING = GCM, STRING = DEFAULT,
        BINARY = '') -> BINARY?
    The binary that AES encrypted with a key, in a mode and padding.
    since 3.3.0""")
TRY_AES_DECRYPT = scalar("""try_aes_decrypt(BINARY, BINARY, STRING = GCM, STRING = DEFAULT,
        BINARY = '') -> BINARY?
    The binary that AES encrypted with a key, NULL where that fails.
    since 3.5.0""")
HMAC = scalar("""hmac(key: BINARY, message: BINARY, algorithm: STRING = 'SHA-256') -> BINARY?
    The digest of a message under a key (the first argument), by SHA-256 unless told.
    since 4.3.0""")
