"""Digests, error codes, sizes, versions and time zones stay in one piece; numbers of somebody beside them go."""

import pytest

import textveil as tv

SHA1 = "2556610df1773ad51c9b0eaceffb5d1a810c4f6c"
SHA256 = "4da9070af16c3ecf6e3658802c06a86f4e1ccc119b76eff163a9d7588b3bddef"
SHA512 = "uH2G1pDh0UFDz0GAvxw0Oh8QfWWTZKLoaSpu2Ko9WQdxnd8rhSfP4jBZzXfUJ4lYlp1gkmVcTlnrMfQTcvDTzw=="


def released(text: str) -> str:
    return tv.Sanitizer(tv.policy("prompts"), rng=tv.seeded_generator(3))(text).text


@pytest.mark.parametrize(
    "text",
    [
        f"commit {SHA1}\nMerge: c186179 ac7b179",
        f'checksum = "{SHA256}"',
        f"integrity sha512-{SHA512}",
        "index 4205166..8a97503 100644",
        "5f3d9a1 Fix retry\n4205166 Fix flake\n1234567 Tidy up",
        "fingerprint 19:91:A9:1F:25:CF:8E:0D:19:1B:6A:57:42:13:49:AF:F0:CC:74:3D",
        "code=0x80070005, fault offset: 0x000000000004a1f2",
        "Error AADSTS50011, see MSB3073 and LNK2019; KB5034441; RFC 7231",
        "size=1048576 offset=1065536",
        "Booking REQUIRED. The plane is late; a jet. The car, size 48. Registered D-Day veterans.",
        "Bump lodash from 4.17.20 to 4.17.21",
        "attrs==23.1.20\nidna==3.4.0\nclick==8.1.12\n",
        "TZ=Europe/Amsterdam, or America/Argentina/Buenos_Aires",
        "see http://localhost:8080/health and http://web01:9090/metrics",
        '"GET /logo.png HTTP/1.1" 200 2326',
    ],
)
def test_what_a_machine_wrote_for_machines_stays(text: str) -> None:
    assert released(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("customer number 4205166", "4205166"),
        ("patient id: 9f86d081884c7d65", "9f86d081884c7d65"),
        ("her passport is c01234567", "c01234567"),
        ("seen on 4.17.20 by", "4.17.20"),
        ("order_id=9023948190", "9023948190"),
        ("badge AB12345", "AB12345"),
        ("customer_id=48213 size=48213", "=48213 s"),
        ('{"patientId": 48291}', "48291"),
        ('{"memberNumber": "88213"}', "88213"),
        ("Record locator: MZRWQP", "MZRWQP"),
        ("the Cessna D-EKLM landed", "D-EKLM"),
        ("Der Wagen HH-KL 2031 stand dort", "HH-KL 2031"),
        ("wpa key 00:1A:2B:3C:4D:5E", "00:1A:2B:3C:4D:5E"),
    ],
)
def test_numbers_of_somebody_go(text: str, value: str) -> None:
    assert value not in released(text)


def test_an_image_keeps_its_tag_and_loses_its_registry() -> None:
    out = released("image: registry.acmeworks.com/web:1.14.2")
    assert out.endswith(":1.14.2") and "acmeworks" not in out


@pytest.mark.parametrize(
    "text",
    [
        "image: registry.example.org/shop:2024.12.3",
        "repository registry.example.org:5000/ceol/api",
        "image: ghcr.io/acme/portal:2024.11.2",
        "resolved https://registry.npmjs.org/left-padder/-/left-padder-0.11.29.tgz",
        "listen on 127.0.0.1, server app.example.org",
        "mask = 281474976710655, limit 1000000",
        'X-Request-Id: 86539b3d-b480-44af-a119-f21748582d98, "trace_id":"b885840977c37b16b72974dd7c433623"',
    ],
)
def test_hosts_and_constants_that_name_nobody_stay(text: str) -> None:
    assert tv.Sanitizer("prompts")(text).text == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("see https://ci.example.org/notify?user=asantacroce", "asantacroce"),
        ("image: registry.acme.io/team/web:1.4", "acme"),
        ("ghcr.io/jsmith", "jsmith"),
        ("client 10.20.30.40", "10.20.30.40"),
        ("customer 86539b3d-b480-44af-a119-f21748582d98", "86539b3d"),
        ("user_uid: 9f86d081884c7d65aa11", "9f86d081884c7d65aa11"),
    ],
)
def test_hosts_of_somebody_go(text: str, value: str) -> None:
    assert value not in tv.Sanitizer("prompts")(text).text
