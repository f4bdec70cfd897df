"""Each client through the gateway, in front of a provider on this machine that counts what must not reach it.

    python examples/recipes/clients.py                  every client that is installed
    python examples/recipes/clients.py claude codex     some; see docs/recipes.md for where they are looked for

It starts ``textveil serve`` and needs the packages textveil[server] and textveil-lab, whose provider it takes. A client
passes if its request came, none of the values did, and it shows all of them again. Exit code 1: one does not.
"""

import argparse
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from textveil_lab.audit.gateway.values import stands
from textveil_lab.audit.gateway.wire import Gateway, Request, Upstream

VALUES = ("Maria Zyxwell", "maria.zyxwell@quarrylane.org", "4111 1111 1111 1111")
PROMPT = "Write to {}, {}, about the card {}.".format(*VALUES)
KEY = "sk-client"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a client is told of the gateway. In texts, {url}, {prompt}, {key} and {folder} are filled in.

    A client is a command with its environment and files, or Python code that needs a package, or the shape of its
    request: the body that it sends, sent from here and not by it.
    """

    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    package: str = ""
    code: str = ""
    path: str = ""
    body: Mapping[str, object] = field(default_factory=dict)


_TOOL = {
    "type": "function",
    "function": {"name": "read_file", "description": "Reads.", "parameters": {"type": "object"}},
}
_SAID = [{"role": "system", "content": "You help " + VALUES[0] + "."}, {"role": "user", "content": PROMPT}]

RECIPES: dict[str, Recipe] = {
    "openai": Recipe(
        package="openai",
        environment={"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_KEY": "{key}"},
        code="import openai; print(openai.OpenAI().chat.completions.create(model='m', "
        "messages=[{'role': 'user', 'content': PROMPT}]).choices[0].message.content)",
    ),
    "anthropic": Recipe(
        package="anthropic",
        environment={"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "{key}"},
        code="import anthropic; print(anthropic.Anthropic().messages.create(model='m', max_tokens=99, "
        "messages=[{'role': 'user', 'content': PROMPT}]).content[0].text)",
    ),
    "langchain": Recipe(
        package="langchain_openai",
        environment={"OPENAI_API_BASE": "{url}/v1", "OPENAI_API_KEY": "{key}"},
        code="from langchain_openai import ChatOpenAI; "
        "print(''.join(part.content for part in ChatOpenAI(model='m').stream(PROMPT)))",
    ),
    "litellm": Recipe(
        package="litellm",
        environment={"OPENAI_API_BASE": "{url}/v1", "OPENAI_API_KEY": "{key}", "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        code="import litellm; print(litellm.completion(model='openai/m', "
        "messages=[{'role': 'user', 'content': PROMPT}]).choices[0].message.content)",
    ),
    "claude": Recipe(
        command=("claude", "-p", "{prompt}"),
        environment={"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "{key}",
                     "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
    ),
    "codex": Recipe(
        command=("codex", "exec", "--skip-git-repo-check", "{prompt}"),
        environment={"CODEX_HOME": "{folder}", "TEXTVEIL_KEY": "{key}"},
        files={"config.toml": 'model = "m"\nmodel_provider = "textveil"\n'
               'web_search = "disabled"\nfeatures.multi_agent = false\n[model_providers.textveil]\n'
               'name = "textveil"\nbase_url = "{url}/v1"\nenv_key = "TEXTVEIL_KEY"\nwire_api = "responses"\n'},
    ),
    "continue": Recipe(
        command=("cn", "-p", "--config", "{folder}/config.yaml", "{prompt}"),
        environment={"CONTINUE_TELEMETRY_ENABLED": "0"},
        files={"config.yaml": "name: textveil\nversion: 1.0.0\nschema: v1\nmodels:\n"
               "  - {{name: m, provider: openai, model: m, apiBase: '{url}/v1', apiKey: '{key}', roles: [chat]}}\n"},
    ),
    "cursor": Recipe(path="/v1/chat/completions", body={
        "model": "m", "stream": True, "messages": _SAID, "tools": [_TOOL], "stream_options": {"include_usage": True}}),
    "librechat": Recipe(path="/v1/chat/completions", body={
        "model": "m", "stream": True, "user": "64f0c0ffee", "messages": _SAID}),
    "open-webui": Recipe(path="/v1/chat/completions", body={
        "model": "m", "stream": True, "messages": [*_SAID[:1], {"role": "user", "content": [
            {"type": "text", "text": PROMPT}]}]}),
    "n8n": Recipe(path="/v1/responses", body={
        "model": "m", "input": [{"role": "user", "content": [{"type": "input_text", "text": PROMPT}]}]}),
}  # fmt: skip


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextlib.contextmanager
def gateway(upstream: Upstream, folder: Path) -> Iterator[str]:
    """The gateway in front of the provider, and its URL."""
    port = free_port()
    own = {"TEXTVEIL_UPSTREAM_KEY": "sk-provider", "TEXTVEIL_DATABASE": str(folder / "ledger.sqlite")}
    options = ["--port", str(port), "--policy", "prompts", "--upstream", f"http://127.0.0.1:{upstream.port}/v1"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "textveil", "serve", *options], env={**os.environ, **own}, stdout=log, stderr=log
        )
    try:
        give_up = time.monotonic() + 120
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            if server.poll() is not None or time.monotonic() > give_up:
                raise SystemExit("the gateway did not start")
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


def answer_of(name: str, url: str) -> str | None:
    """What the client shows; None where it is not installed."""
    recipe = RECIPES[name]
    if recipe.path:
        got = Gateway(url=url, key=KEY).ask(Request(path=recipe.path, body=json.dumps(recipe.body).encode()))
        return got.text or got.body.decode("utf-8", "replace")
    program = shutil.which(recipe.command[0]) if recipe.command else sys.executable
    if program is None or (recipe.package and find_spec(recipe.package) is None):
        return None
    with tempfile.TemporaryDirectory(prefix="recipe-", dir=Path.cwd()) as folder:
        places = {"url": url, "prompt": PROMPT, "key": KEY, "folder": folder}
        for file, text in recipe.files.items():
            (Path(folder) / file).write_text(text.format(**places), encoding="utf-8")
        told = {variable: text.format(**places) for variable, text in recipe.environment.items()}
        code = ["-c", f"PROMPT = {PROMPT!r}\n{recipe.code}"]
        given = [part.format(**places) for part in recipe.command[1:]] if recipe.command else code
        done = subprocess.run([program, *given], cwd=folder, env={**os.environ, "HOME": folder, **told},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240)  # fmt: skip
    return done.stdout if done.returncode == 0 else done.stdout + done.stderr


def tried(name: str, url: str, upstream: Upstream) -> str:
    """The verdict on a client, in a few words."""
    upstream.taken()
    shown = answer_of(name, url)
    came = upstream.taken()
    if shown is None:
        return "not installed"
    if not any(b"POST" in one.split(b"\r\n")[0] for one in came):
        return f"FAILED: no request came; it said: {shown[-300:]!r}"
    leaked = [value for value in VALUES if stands((value,), came)]
    lost = [value for value in VALUES if value not in shown]
    kind = "request shape" if RECIPES[name].path else "client"
    if leaked or lost:
        return f"FAILED ({kind}): {len(leaked)} of {len(VALUES)} values reached the provider, {len(lost)} are not shown"
    return f"ok ({kind}): 0 of {len(VALUES)} values in {len(came)} requests, all shown again"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RECIPES)}; default: all")
    names = parser.parse_args().names or list(RECIPES)
    if unknown := [name for name in names if name not in RECIPES]:
        parser.error(f"NAME must be of {', '.join(RECIPES)}; got {unknown[0]!r}.")
    failed = False
    with (
        tempfile.TemporaryDirectory() as folder,
        Upstream(0) as upstream,
        gateway(upstream, Path(folder)) as url,
        contextlib.chdir(folder),
    ):
        for name in names:
            verdict = tried(name, url, upstream)
            failed |= verdict.startswith("FAILED")
            print(f"{name}: {verdict}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
