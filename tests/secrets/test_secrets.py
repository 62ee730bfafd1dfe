"""What a secret is: names, values, and the texts of others; and what is none."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viewscribe import secrets
from viewscribe.errors import ViewscribeError
from viewscribe.secrets import (
    MASK,
    is_secret_name,
    mask_error,
    mask_setting,
    mask_text,
    mask_value,
    remember,
    remember_in,
    remember_settings,
    secrets_in,
)

NAMES = {
    True: """
        password pass db.pass dbPass sfPassword PWD passphrase pem_private_key apikey x-api-key
        SharedKey fs.s3a.access.key fs.s3a.secret.key fs.azure.account.key.x.dfs.core.windows.net
        fs.azure.account.oauth2.client.secret.ACCT fs.azure.sas.fixed.token fs.azure.sas.lake.shop
        SAS sig authorization header.Authorization proxy-authorization signature X-Amz-Signature
        AWSAccessKeyId connectionString connection_string kafka.sasl.jaas.config cookie DB_PASSWORD
        basic.auth.user.info spark.sql.catalog.x.credential spark.ssl.keyPassword ssl.keystore.key
        oauthToken GITHUB_TOKEN pin card.pin otp bearer auth auth.basic db.auth pem kms_key kmsKey
        oauth2.refresh pat gcpJson keyfile_json hmac hmac.key
        """,
    False: """
        user bypass compass passes design signal partition.key dbtable author password.file
        primary_key primary-key sort.key bucket-key recordkey.field ssl.client.auth kms_key_id
        authority auth.type path pattern pem.file schema.json json.keys jsonPath
        fs.s3a.aws.credentials.provider spark.authenticate.secret.enabled tokenFilePath
        spark.kubernetes.authenticate.oauthTokenFile spark.kubernetes.driver.secretKeyRef.NAME
        spark.kubernetes.driver.secrets.spark-secret token-refresh-enabled token-expires-in-ms
        fs.azure.sas.token.provider.type.lake.shop oauth2-server-uri spark.redaction.regex
        spark.sql.session.timeZone ping spinning option opinion
        """,
}
SECRET, OPEN = NAMES[True].split(), NAMES[False].split()


@pytest.mark.parametrize("name", SECRET)
def test_names_that_say_so(name: str) -> None:
    assert is_secret_name(name)
    assert mask_setting(name, "hunter2") == MASK


@pytest.mark.parametrize("name", OPEN)
def test_names_that_say_something_else(name: str) -> None:
    assert not is_secret_name(name)
    assert mask_setting(name, "plain") == "plain"


def test_a_key_is_a_secret_where_it_is_an_option() -> None:
    assert mask_setting("key", "hunter2") == MASK
    assert mask_text("a column key=hunter2") == "a column key=hunter2"


@pytest.mark.parametrize("value", ["", "true", "FALSE", "${env:TOKEN}", "${a}${env:B}"])
def test_switches_and_names_of_variables_are_no_secrets(value: str) -> None:
    assert mask_setting("spark.token", value) == value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("postgresql://u:p@SECRET@127.0.0.1:1/x", "postgresql://u:***@127.0.0.1:1/x"),
        ("postgresql+psycopg://u:12/x@h/db", "postgresql+psycopg://u:***@h/db"),
        ("postgresql://h:1/db?user=a&password=x@y", "postgresql://h:***"),
        ("s3a://AKEY:a/b+c@lake/orders", "s3a://AKEY:***@lake/orders"),
        ("https://TOKEN@h/x", "https://***@h/x"),
        ("HTTPS://TO@KEN@h/x", "HTTPS://***@h/x"),
        ("https://TOKEN:x-oauth-basic@h", "https://***:***@h"),
        ("https://a.blob/x?se=1&sig=abc%2F&sp=r", "https://a.blob/x?se=1&sig=***&sp=r"),
        ("https://a/x?X-Amz-Signature=abc", "https://a/x?X-Amz-Signature=***"),
        ("https://a/x?key=AIza", "https://a/x?key=***"),
        ("https://a/cb?code=abc&x=1", "https://a/cb?code=***&x=1"),
        ("https://a/?pass%77ord=abc&x%20=1", "https://a/?pass%77ord=***&x%20=1"),
        ("ada:p@w@db.example:1/x", "ada:***@db.example:1/x"),
        ("ada:pw@10.0.0.1", "ada:***@10.0.0.1"),
        ("(SELECT dblink('host=h password=a b=c'))", "(SELECT dblink('host=h password=*** b=c'))"),
        ("dblink(\"host=h password='a b'\")", "dblink(\"host=h password='***'\")"),
        ("SET ROLE ada PASSWORD 'ab cd'", "SET ROLE ada PASSWORD '***'"),
        ('alter user a identified  by "x"', 'alter user a identified  by "***"'),
        ("https://a/?to=https://b/?token=abc", "https://a/?to=https://b/?token=***"),
        ("https://a/x#access_token=abc", "https://a/x#access_token=***"),
        ("jdbc:postgresql://h/db?password=a#b;c&x=1", "jdbc:postgresql://h/db?password=***&x=1"),
        ("jdbc:sqlserver://h;user=u;password=p;x=1", "jdbc:sqlserver://h;user=u;password=***;x=1"),
        ("jdbc:sqlserver://h;password={p;w=1};x=1", "jdbc:sqlserver://h;password=***;x=1"),
        ("jdbc:oracle:thin:scott/ti@ger@//h:1521/s", "jdbc:oracle:thin:scott/***@//h:1521/s"),
        ("jdbc:mysql://address=(host=h)(password=x", "jdbc:mysql://address=(host=h)(password=***"),
        ("a;AccountName=x;AccountKey=abc==;y=1", "a;AccountName=x;AccountKey=***;y=1"),
        ("host=h user=ada password='a b' port=1", "host=h user=ada password='***' port=1"),
        ("sc://h:15002/;token=abc;user_id=a@b", "sc://h:15002/;token=***;user_id=a@b"),
        ("Bearer TOKVAL", "Bearer ***"),
        ("Basic dXNlcjpwdzE=", "Basic ***"),
        ('{"private_key": "a\\"b", "id": "x"}', '{"private_key": "***", "id": "x"}'),
        ("AKIAIOSFODNN7EXAMPLE", "***"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_-1", "***"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END", "-----BEGIN PRIVATE KEY-----***-----END"),
    ],
)
def test_values_that_hold_one(value: str, shown: str) -> None:
    assert mask_value(value) == shown
    assert mask_value(shown) == shown
    assert mask_setting("url", value) == shown


@pytest.mark.parametrize(
    "value",
    [
        "postgresql://ada@host/db?x=a@b",
        "abfss://container@account.dfs.core.windows.net/path",
        "hive+thrift://host:9083",
        "https://host:8080/path?mail=a@b",
        "https://a/x?design=1&config=2",
        "file:./a:b@c",
        "sqlite:a@b",
        "lake.db:v@1",
        "image:tag@sha256:0a1b",
        "(SELECT * FROM t WHERE password = 'x' AND (token='y')) AS q",
        "SELECT token FROM t WHERE secret='a' OR password=b",
        "(?i)secret|password|token|access[.]?key",
        "Basic authentication, with a bearer token",
        "tokens",
        "password_hash STRING",
    ],
)
def test_values_that_hold_none(value: str) -> None:
    assert mask_value(value) == value
    assert secrets_in(value) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "no host for postgresql://u:p@x@h:1/d, retry",
            "no host for postgresql://u:***@h:1/d, retry",
        ),
        ("{user=ada, password=ab;c, x=1}", "{user=ada, password=*** x=1}"),
        ("OPTIONS ('password' = 'a\\'b', 'x' = 'y')", "OPTIONS ('password' = '***', 'x' = 'y')"),
        ('{"token": "cut off', '{"token": "***'),
        ("spark.sql.catalog.x.credential = 'abc'", "spark.sql.catalog.x.credential = '***'"),
        ("401: Authorization: Bearer abcd", "401: Authorization: Bearer ***"),
    ],
)
def test_texts_of_others(text: str, shown: str) -> None:
    assert mask_text(text) == shown
    assert str(ViewscribeError(text, hint=text)) == f"{shown}\n  {shown}"


@pytest.mark.parametrize(
    "text",
    [
        "no column `password` in sales.tokens (password_hash STRING)",
        "WHERE password = 'x' AND t.token = 'y'",
        "f(token => 1) at line 3, sales.young@2 of a@b",
        "the catalog's URL holds a secret in the open",
    ],
)
def test_texts_without_one(text: str) -> None:
    assert mask_text(text) == text


PASSWORDS = st.text(
    st.sampled_from("abzXYZ019 _-+=/?#@:%&;'\"\\äß{}$"), min_size=12, max_size=30
).filter(lambda text: text.strip() and not text.isalpha())


@given(PASSWORDS)
def test_what_was_used_is_masked_in_every_form(password: str) -> None:
    secrets._seen = secrets._Seen()
    remember(password)
    for form in (
        password,
        quote(password, safe=""),
        json.dumps(password)[1:-1],
        repr(password)[1:-1],
    ):
        assert mask_text(f"x\n{form}\ny") == "x\n***\ny"


@given(PASSWORDS.filter(lambda text: "/" not in text and "#" not in text and "?" not in text))
def test_a_host_that_a_driver_makes_of_a_password_is_masked(password: str) -> None:
    """What stands behind the first @ of a password is the host for most drivers."""
    secrets._seen = secrets._Seen()
    remember_in(f"postgresql://u:{password}@127.0.0.1:1/x")
    for part in password.split("@")[1:]:
        assert not part.strip() or f"'{part}@127" not in mask_text(f"no host '{part}@127.0.0.1'")


def test_a_percent_sign_may_be_missing_in_what_others_say() -> None:
    remember_in("postgresql://u:top%40s3cret%2F@h/db")
    assert mask_text("tried top@s3cret/ and s3cret") == "tried *** and ***"


def test_words_of_our_own_stay_even_where_somebody_has_them_for_a_password() -> None:
    for word in ("postgres", "secret", "sales"):
        remember_in(f"postgresql://postgres:{word}@h/db")
    told = "no view `sales.young`: the secret of postgres is told; tried "
    assert mask_text(f"{told}sales@h") == f"{told}***@h"


def test_settings_that_are_used() -> None:
    remember_settings(
        {"spark.x.token": "t0kenvalue", "url": "jdbc:x?password=pa55word", "a": "plain1"}
    )
    remember_settings({"spark.x.token": "true", "spark.y.token": "${env:TOKEN}"})
    assert mask_text("t0kenvalue pa55word plain1 true env:TOKEN") == "*** *** plain1 true env:TOKEN"


def test_causes_of_an_error_tell_none() -> None:
    remember("hunter2hunter2")
    error = ValueError("said: password=other")
    error.__cause__ = OSError("no hunter2hunter2 here")
    assert mask_error(error) is error
    assert (str(error), str(error.__cause__)) == ("said: password=***", "no *** here")


@pytest.mark.parametrize(
    "part",
    ["//a:", "://", "https://", "a;b=", "a=b ", "a=", "'a':'", "'a=b ", "u:a@", "(", ", ", "a"],
)
def test_hostile_values_take_no_longer_than_others(part: str) -> None:
    """Steps of the matcher cannot be counted; a quadratic one would take minutes."""
    text = part * (200_000 // len(part)) + "@="
    assert len(mask_value(text)) + len(mask_text(text)) > 0
