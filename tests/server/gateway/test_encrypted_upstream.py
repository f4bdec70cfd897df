"""An upstream over TLS: its certificate is checked against its name, and what checks it is made once."""

import asyncio
import contextlib
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
from textveil.server.gateway import ahead
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


class _Counting:
    """A provider over TLS in this loop; it answers with the number of the connection that a request came over.

    Attributes:
        streams: of its connections, in order.
        used: the numbers of those that brought a request.
    """

    def __init__(self, file: Path) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(file)
        self.streams: list[asyncio.StreamWriter] = []
        self.used: list[int] = []

    async def __aenter__(self) -> str:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=self._context)
        return f"https://localhost:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aexit__(self, *_: object) -> None:
        for stream in self.streams:
            stream.close()
        self._server.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = len(self.streams)
        self.streams.append(writer)
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                await reader.readuntil(b"\r\n\r\n{}")
                self.used.append(number)
                body = b'{"over": %d}' % number
                head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
                writer.write(head + body)

    async def has(self, count: int) -> None:
        """Wait until there are so many connections, and their clients have read what ends a handshake."""
        async with asyncio.timeout(20):
            while len(self.streams) < count:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)


async def _over(upstream: Upstream) -> int:
    async with upstream.send("POST", "/x", b"{}") as answer:
        return int((await answer.data())["over"])


def _with_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = _certificate(tmp_path / "localhost.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    return file


def test_a_connection_stands_before_the_next_request_and_brings_that_one_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = _Counting(_with_certificate(tmp_path, monkeypatch))
    monkeypatch.setattr(ahead, "SECONDS", 600)

    async def talk() -> None:
        async with provider as url:
            upstream = Upstream(url)
            for number in range(4):
                assert await _over(upstream) == number
                await provider.has(number + 2)  # one more than there were requests
            assert provider.used == [0, 1, 2, 3] and len(provider.streams) == 5
            async with asyncio.timeout(30):
                await upstream.aclose()

    asyncio.run(talk())


def test_a_connection_that_ended_or_spoke_unasked_brings_no_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = _Counting(_with_certificate(tmp_path, monkeypatch))

    async def talk() -> None:
        async with provider as url:
            upstream = Upstream(url)
            assert await _over(upstream) == 0
            await provider.has(2)
            provider.streams[1].close()
            await asyncio.sleep(0.3)
            assert await _over(upstream) == 2
            await provider.has(4)
            provider.streams[3].write(b'HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{"over": 99}')
            await asyncio.sleep(0.3)
            assert await _over(upstream) == 4
            await upstream.aclose()

    asyncio.run(talk())


def test_connections_wait_for_a_while_and_few_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = _Counting(_with_certificate(tmp_path, monkeypatch))
    monkeypatch.setattr(ahead, "SECONDS", 0.5)
    monkeypatch.setattr(ahead, "MOST", 2)

    async def talk() -> None:
        async with provider as url:
            upstream = Upstream(url)
            assert sorted(await asyncio.gather(*[_over(upstream) for _ in range(4)])) == [0, 1, 2, 3]
            await provider.has(6)
            await asyncio.sleep(0.6)
            assert len(provider.streams) == 6
            assert await _over(upstream) == 6
            await upstream.aclose()

    asyncio.run(talk())


def test_kept_connections_are_not_opened_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = _Counting(_with_certificate(tmp_path, monkeypatch))

    async def talk() -> None:
        async with provider as url:
            upstream = Upstream(url, kept=True)
            assert [await _over(upstream), await _over(upstream)] == [0, 0]
            await asyncio.sleep(0.3)
            assert len(provider.streams) == 1
            await upstream.aclose()

    asyncio.run(talk())
