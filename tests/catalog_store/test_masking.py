"""What is not told of stored options, properties and URLs."""

from __future__ import annotations

import pytest

from viewscribe.catalog_store.documents.masking import mask_options
from viewscribe.catalog_store.url_secrets import without_secrets

SECRET = (
    *(
        "password",
        "pass",
        "db.pass",
        "sfPassword",
        "pem_private_key",
        "apikey",
        "fs.s3a.access.key",
    ),
    *("fs.azure.account.key.x", "authorization", "Authorization", "signature", "sig", "sas"),
    *("fs.azure.sas.fixed.token", "connectionString", "connection_string", "SharedKey"),
)
OPEN = ("user", "bypass", "compass", "passes", "design", "signal", "partition.key", "dbtable")


@pytest.mark.parametrize("name", SECRET)
def test_options_whose_names_say_that_they_are_secret(name):
    assert mask_options({name: "hunter2"}) == {name: "***"}


@pytest.mark.parametrize("name", OPEN)
def test_other_options(name):
    assert mask_options({name: "plain"}) == {name: "plain"}


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a.blob/x?se=1&sig=abc%2F&sp=r", "https://a.blob/x?se=1&sig=***&sp=r"),
        ("https://a/x?X-Amz-Signature=abc", "https://a/x?X-Amz-Signature=***"),
        ("jdbc:sqlserver://h;user=u;password=p;x=1", "jdbc:sqlserver://h;user=u;password=***;x=1"),
        ("a;AccountName=x;AccountKey=abc==;y=1", "a;AccountName=x;AccountKey=***;y=1"),
        ("https://a/x?design=1&config=2", "https://a/x?design=1&config=2"),
    ],
)
def test_urls(url, shown):
    assert without_secrets(url) == shown
