"""Hostile fields, headers, queries and routes through the gateway, or through LiteLLM's proxy with the guardrail.

    python benchmarks/attacks/gateway_fields.py [--requests 2000] [--litellm] [--seed 1]

Each request goes to a route of some API, with an address in its text and in fields, headers or the query: those that
the API or LiteLLM knows, and others. An address holds a word that stands nowhere else; names that are public (of models
and functions) hold none. Counted are the requests after which the upstream has got the word in any byte, and the errors
that quote it. Ends with code 1 where there is one of either, or where nothing went on.
"""

import argparse
import contextlib
import json
import random
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final, NamedTuple, Protocol

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from programs import litellm_proxy, served

CANARY: Final = "qzxcanary"
KEY: Final = "sk-for-attacks-alone-0123456789"
TEXTS: Final = ("/v1/chat/completions", "/v1/messages", "/v1/completions", "/v1/embeddings")
ROUTES: Final = """/v1/messages/batches /v1/messages/count_tokens /v1/responses /v1/responses/input_tokens
/v1/responses/compact /chat/completions /utils/token_counter /utils/transform_request /v1/moderations
/v1/images/generations /v1/rerank /mcp /v1/audio/speech /v1/batches /v1/files /v1/fine_tuning/jobs /v1/assistants
/v1/threads /v1/vector_stores /v1/realtime /v1/search /v1/ocr /v1/videos /v1/a2a/m/message/send
/v1beta/models/m:countTokens /v1beta/models/m:generateContent /models/m:countTokens /openai/v1/chat/completions
/openai/deployments/m/chat/completions /engines/m/chat/completions /anthropic/v1/messages
/gemini/v1beta/models/m:countTokens /cohere/v1/chat /queue/chat/completions /model/new /v1/evals
/health/test_connection /guardrails/apply_guardrail /prompts/test /rag/query /v1/containers /interactions /completions
/policies/test /bedrock/model/m/invoke /vertex_ai/v1/m /openai_passthrough/v1/chat/completions /embeddings"""
FIELDS: Final = """user metadata litellm_metadata litellm_params deployment_id specific_deployment model_info tags cache
extra_body extra_headers extra_query headers mock_response safety_identifier prompt_cache_key custom_llm_provider audio
litellm_session_id litellm_trace_id litellm_call_id session_id trace_id proxy_server_request secret_fields fallbacks
api_version provider_specific_header prompt_id prompt_variables prompt_label system thinking context_management input
instructions previous_response_id stop suffix tools functions tool_choice response_format prediction stream_options
logit_bias modalities web_search_options reasoning include messages prompt guardrails router_settings_override timeout
max_tokens cache_control output_config mcp_servers container stop_sequences
drop_params allowed_openai_params num_retries temperature seed base_url caching enable_json_schema_validation other"""
HEADERS: Final = """X-Whose X-Request-Id X-LiteLLM-Tags X-LiteLLM-Session-Id X-LiteLLM-Trace-Id X-LiteLLM-Call-Id
X-LiteLLM-Spend-Logs-Metadata X-LiteLLM-Timeout Anthropic-Beta OpenAI-Organization User-Agent Cookie X-Textveil-Unit
X-Textveil-Conversation X-LiteLLM-End-User-Id Referer Cache-Control Traceparent Baggage"""


class Outcome(NamedTuple):
    """Requests: all, those that went on, those after which the upstream had the word, and errors that quote it."""

    requests: int
    went_on: int
    leaks: int
    quotes: int


class Provider(Protocol):
    """What requests go to."""

    def came(self) -> str:
        """All that came since this was asked last."""


class Upstream(ThreadingHTTPServer):
    """A provider that answers all alike."""

    def __init__(self) -> None:
        self.got: list[str] = []
        super().__init__(("127.0.0.1", 0), _Answering)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self.shutdown()
        self.server_close()

    def came(self) -> str:
        """See ``Provider``."""
        came, self.got = "".join(self.got), []
        return came


class _Answering(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode("utf-8", "replace")
        self.server.got.append(f"{self.requestline}\n{self.headers}\n{body}\n")  # type: ignore[attr-defined]
        message = {"role": "assistant", "content": "Yes."}
        choice = {"index": 0, "message": message, "text": "Yes.", "finish_reason": "stop"}
        vectors = [{"object": "embedding", "index": 0, "embedding": [0.5]}]
        data = json.dumps({"id": "c-1", "created": 1, "model": "m", "choices": [choice], "data": vectors}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_PUT = do_POST  # noqa: N815 - names that the library looks for

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing is written."""


def attack(client: httpx.Client, upstream: Provider, requests: int, seed: int) -> Outcome:
    """Send hostile requests, and look at all that the upstream got after each."""
    draw = random.Random(seed)
    went_on = leaks = quotes = 0
    for number in range(requests):
        answer = client.request(**_hostile(draw, f"{CANARY}.{number}@example.org"))
        came = upstream.came()
        went_on += bool(came)
        leaks += CANARY in came.casefold()
        quotes += answer.status_code >= 400 and CANARY in answer.text.casefold()
    return Outcome(requests, went_on, leaks, quotes)


def _hostile(draw: random.Random, address: str) -> dict[str, Any]:
    said = f"Write to {address}."
    named = {"session_id": address, "user_id": address}
    shapes: list[Any] = [address, said, [said], {"a": said}, named, [{"text": said}]]
    route = draw.choice(TEXTS if draw.random() < 0.6 else ROUTES.split())
    message: dict[str, Any] = {"role": "user", "content": said}
    if draw.random() < 0.1:
        message[draw.choice(("name", "cache_control", "provider_specific_fields", "other"))] = draw.choice(shapes)
    texts = {"messages": [message], "prompt": said, "input": said, "contents": [{"parts": [{"text": said}]}]}
    needed = {
        "/v1/chat/completions": "messages",
        "/v1/messages": "messages",
        "/v1/completions": "prompt",
        "/v1/embeddings": "input",
    }.get(route)
    body = {"model": "m", **({needed: texts[needed]} if needed else texts)}
    body |= {name: draw.choice(shapes) for name in draw.sample(FIELDS.split(), draw.randrange(3)) if name != needed}
    headers = dict.fromkeys(draw.sample(HEADERS.split(), draw.choice((0, 0, 1))), address)
    return {
        "method": draw.choice(("POST",) * 15 + ("PUT", "GET")),
        "url": route,
        "content": json.dumps(body),
        "params": {draw.choice(("api-version", "user", "model", "key")): address} if draw.random() < 0.1 else {},
        "headers": {**headers, "content-type": draw.choice(("application/json",) * 15 + ("text/plain",))},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--litellm", action="store_true", help="LiteLLM's proxy with the guardrail, not the gateway")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as held:
        upstream = held.enter_context(contextlib.closing(Upstream()))
        if options.litellm:
            server = litellm_proxy(upstream.url, Path(name), KEY)
        else:
            server = served(f"{name}/ledger.sqlite", Path(name), {"TEXTVEIL_UPSTREAM": upstream.url})
        url, key = held.enter_context(server).url, {"authorization": f"Bearer {KEY}"}
        with httpx.Client(base_url=url, headers=key, timeout=60, trust_env=False) as client:
            outcome = attack(client, upstream, options.requests, options.seed)
    print(" ".join(f"{name}={count}" for name, count in outcome._asdict().items()))
    if outcome.leaks or outcome.quotes or not outcome.went_on:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
