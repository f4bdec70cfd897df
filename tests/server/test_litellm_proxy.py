"""LiteLLM's own proxy in a process of its own, with the guardrail in its configuration, and a provider behind it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from tests.helpers.upstream import Provider, repeating

_NEEDED = ("litellm", "apscheduler", "backoff", "expression", "fastapi_sso", "nacl", "orjson", "rq", "soundfile")
_MISSING = [name for name in _NEEDED if find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(_MISSING), reason=f"LiteLLM's proxy needs {', '.join(_MISSING)}")

openai = pytest.importorskip("openai")

KEY = "sk-for-the-proxy-of-these-tests-alone-0123456789"
TEXT = "Ask Maria Zyxwell about 4 May."
CONFIG = """
model_list:
  - model_name: m
    litellm_params: {{model: openai/m, api_base: "{upstream}", api_key: none, max_retries: 0}}
guardrails:
  - guardrail_name: textveil
    litellm_params:
      guardrail: textveil.server.litellm_guardrail.TextveilGuardrail
      mode: [pre_call, post_call]
      default_on: true
      policy: prompts
      database: {database}
router_settings: {{num_retries: 0}}
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as made:
        made.answer = repeating("You said: ")
        yield made


@pytest.fixture(scope="module")
def proxy(provider: Provider, tmp_path_factory) -> Iterator[tuple[str, Path]]:
    """Where it listens, and what it writes."""
    folder = tmp_path_factory.mktemp("proxy")
    (folder / "config.yaml").write_text(CONFIG.format(upstream=provider.url, database=folder / "ledger.sqlite"))
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    command = [sys.executable, "-m", "litellm.proxy.proxy_cli", "--config", "config.yaml"]
    environment = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": KEY}
    url, log = f"http://127.0.0.1:{port}", folder / "log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait(process, url, log)
            yield url, log
        finally:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    give_up = time.monotonic() + 300
    while time.monotonic() < give_up and process.poll() is None:
        try:
            if httpx.get(f"{url}/health/liveliness", timeout=10, trust_env=False).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    pytest.fail(f"LiteLLM's proxy did not start: {log.read_text()[-2000:]}")


def test_the_proxy_sends_nothing_that_was_not_released(provider: Provider, proxy) -> None:
    from textveil.budget.account import Account
    from textveil.budget.ledger import Ledger
    from textveil.budget.limit import Limit

    url, log = proxy
    client = openai.OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0)
    asked = {"model": "m", "messages": [{"role": "user", "content": TEXT}], "user": "Zyxwell"}
    assert client.chat.completions.create(**asked).choices[0].message.content == f"You said: {TEXT}"
    chunks = list(client.chat.completions.create(**asked, stream=True))
    streamed = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    assert streamed == f"You said: {TEXT}"
    # A client cannot turn it off, and other ways to a model are closed.
    off = {"guardrails": [], "disable_global_guardrails": True, "metadata": {"disable_global_guardrails": True}}
    assert TEXT in str(client.chat.completions.create(**asked, extra_body=off))
    picture = [{"type": "image_url", "image_url": {"url": "https://example.org/Zyxwell.png"}}]
    for refused in (
        lambda: client.chat.completions.create(model="m", messages=[{"role": "user", "content": picture}]),
        lambda: client.responses.create(model="m", input=TEXT),
        lambda: client.moderations.create(model="m", input=TEXT),
        lambda: client.images.generate(model="m", prompt=TEXT),
    ):
        with pytest.raises(openai.BadRequestError):
            refused()
    Ledger(str(log.parent / "ledger.sqlite")).set_limit(Account("litellm"), Limit(epsilon=1.5))
    with pytest.raises(openai.RateLimitError, match="budget"):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Zyxwell came on 9 June."}])
    assert len(provider.bodies) == 3 and provider.heard("Zyxwell") == []
    assert "Zyxwell" not in log.read_text()
