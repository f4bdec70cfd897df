"""An upstream over TLS: its certificate is checked against its name, and what checks it is made once."""

import asyncio
import datetime
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.helpers.upstream import Provider, completion, send_json

from textveil.server.errors import ApiError
from textveil.server.gateway.upstream import Upstream


def _certificate(file: Path) -> Path:
    """A key, and a certificate that it signed itself, for localhost."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a provider")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture
def encrypted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """A provider whose certificate is trusted here, for the name localhost."""
    file = _certificate(tmp_path / "localhost.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    with Provider(context) as made:
        made.answer = lambda handler, body: send_json(handler, completion({"content": "Yes."}))
        yield made


async def _answers(upstream: Upstream, times: int) -> list[str]:
    said = []
    for _ in range(times):
        try:
            async with upstream.send("POST", "/x", b"{}") as answer:
                said.append((await answer.data())["choices"][0]["message"]["content"])
        except ApiError as error:
            said.append(error.code)
    await upstream.aclose()
    return said


def test_what_checks_certificates_is_made_once(encrypted: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    upstream, made = Upstream(encrypted.url, key="sk-of-the-server"), []
    real = ssl.create_default_context
    monkeypatch.setattr(ssl, "create_default_context", lambda: made.append("one") or real())
    assert asyncio.run(_answers(upstream, 2)) == ["Yes.", "Yes."] and made == []
    assert encrypted.headers[0]["authorization"] == "Bearer sk-of-the-server"


def test_a_certificate_of_another_name_is_refused(encrypted: Provider) -> None:
    other = Upstream(encrypted.url.replace("localhost", "127.0.0.1"))
    assert asyncio.run(_answers(other, 1)) == ["upstream_unreachable"] and encrypted.got == b""


def test_a_certificate_that_nobody_here_trusts_is_refused(
    encrypted: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(_certificate(tmp_path / "stranger.pem")))
    assert asyncio.run(_answers(Upstream(encrypted.url), 1)) == ["upstream_unreachable"] and encrypted.got == b""
