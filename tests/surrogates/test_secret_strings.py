"""Surrogates of secrets and of hexadecimal: the public form stays, all else is drawn, and a release can be undone."""

import re

import pytest
from tests.helpers.surrogates import outputs

import textveil as tv
from textveil.surrogates.making import make_surrogate


@pytest.mark.parametrize(
    ("name", "value", "form"),
    [
        ("secret", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_[0-9A-Za-z]{36}"),
        ("secret", "hunter2!", "[0-9a-z]{7}-"),
        ("secret", "4821", "[0-9]{4}"),
        ("secret", "9f8a7b6c5d4e3f2a", "[0-9a-f]{16}"),
        (
            "secret",
            "-----BEGIN PRIVATE KEY-----\nMIIEow\\nab/+=\n-----END PRIVATE KEY-----",
            r"-----BEGIN PRIVATE KEY-----\n[A-Za-z]{6}\\n[A-Za-z]{2}/\+=\n-----END PRIVATE KEY-----",
        ),
        ("id", "00:1A:2B:3C:4D:5E", "(?:[0-9A-F]{2}:){5}[0-9A-F]{2}"),
        (
            "id",
            "123e4567-e89b-42d3-a456-426614174000",
            "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
        ),
        ("id", "0x52908400098527886E0F7030069857D2E4169EE7", "0x[0-9a-fA-F]{40}"),
        ("id", "4d:a1:09:ff", "(?:[0-9a-f]{2}:){3}[0-9a-f]{2}"),
        ("id", "20-00-00", "[0-9]{2}-[0-9]{2}-[0-9]{2}"),
        ("id", "DE89370400440532013000", "DE[0-9]{20}"),
        ("digits", "4f2a9c1d0e8b7a6f5e4d3c2b1a0f9e8d7c6b5a49", "[0-9a-f]{40}"),
        ("digits", "9F1CA0B3E5D7C9A8B7F6E5D4C3B2A19087654321", "[0-9A-F]{40}"),
        ("id", "40.7128, -74.0060", r"[1-8][0-9]\.[0-9]{4}, -[1-8][0-9]\.[0-9]{4}"),
        ("id", "40\u00b042'46\"N", "[1-8][0-9]\u00b0[0-5][0-9]'[0-5][0-9]\"[NS]"),
    ],
)
def test_the_form_stays_and_the_rest_is_drawn(name: str, value: str, form: str) -> None:
    drawn = {outputs(make_surrogate(name), [value], seed)[0] for seed in range(20)}
    assert all(re.fullmatch(form, one) for one in drawn)
    assert len(drawn) > 15


def test_one_seed_gives_one_output_whichever_characters_are_digits() -> None:
    secret = make_surrogate("secret")
    for seed in range(20):
        assert outputs(secret, ["aB3xxxxx", "ghp_12ab"], seed) == outputs(secret, ["7yyZZZZ1", "ghp_z9z8"], seed)


def test_a_release_with_secrets_is_undone_also_by_mention() -> None:
    key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    text = f"My password is hunter2! and the key {key} opens postgres://admin:s3cr3t@localhost/app."
    release = tv.Sanitizer(tv.policy("prompts"))(text)
    assert not any(one in release.text for one in ("hunter2", key[4:], "s3cr3t", "admin:"))
    assert tv.restore(release.text, release.private_map) == text
    drawn = re.search("ghp_[0-9A-Za-z]{36}", release.text)
    assert drawn is not None
    assert tv.restore(f"export TOKEN={drawn[0]}", release.private_map) == f"export TOKEN={key}"
