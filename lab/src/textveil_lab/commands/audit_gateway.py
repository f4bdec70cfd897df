"""``textveil audit-gateway``: attacks a proxy that claims to hide personal data, from outside."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperCommand

from textveil.cli import options as opt
from textveil.cli.mechanism_options import renamed
from textveil.json_text import json_text

FAILED = 4  # Exit code if something failed, as of ``textveil audit``


def audit_gateway_command(
    url: Annotated[
        str,
        typer.Argument(metavar="URL", help="Base URL of the gateway, as a client has it: http://127.0.0.1:4000/v1."),
    ],
    upstream_port: Annotated[
        int, opt.option("P", "Port of this machine for the provider that the gateway sends to; it is started here.")
    ],
    api: Annotated[str, opt.option("NAME", "What the gateway speaks: chat (OpenAI) or messages (Anthropic).")] = "chat",
    key: Annotated[str, opt.option("KEY", "What the client says who it is.")] = "sk-audit-one",
    other_key: Annotated[
        str, opt.option("KEY", "Another client's, for what one may read of the other; empty: there is none.")
    ] = "sk-audit-two",
    model: Annotated[str, opt.option("NAME", "Model that requests name.")] = "m",
    trials: Annotated[int, opt.option("N", "Values drawn for each setting.")] = 20,
    only: Annotated[
        list[str] | None, opt.option("FAMILY", "Families of attacks; may be repeated.  [default: all]")
    ] = None,
    breaking: Annotated[
        str | None,
        opt.option(
            "COMMAND", "Makes the gateway's detector fail; what is sent after it must not go on.", None, "--break"
        ),
    ] = None,
    name: Annotated[str, opt.option("NAME", "What the report calls the gateway.  [default: its URL]")] = "",
    claims: Annotated[str, opt.option("TEXT", "What its makers say, for the report.")] = "",
    seconds: Annotated[float, opt.option("S", "How long one request may take.")] = 60.0,
    output: Annotated[
        Path | None,
        opt.option("DIR", "Folder for JSON, Markdown, a page, and a script for each failure.", None, "--output", "-o"),
    ] = None,
    as_json: opt.AsJson = False,
    seed: opt.Seed = None,
) -> int:
    """Attack a gateway on this machine: leaks, replies, mixing, guesses; exit code 4 if something fails."""
    from textveil.cli.progress import counting
    from textveil_lab.audit.gateway.report import in_short, save_audit, to_markdown
    from textveil_lab.audit.gateway.run import audit_gateway
    from textveil_lab.audit.gateway.wire import Gateway, Upstream

    with renamed(url="URL", upstream_port="--upstream-port", families="--only", breaking="--break"):
        gateway = Gateway(url=url, key=key, other_key=other_key, model=model, seconds=seconds)
        with Upstream(upstream_port) as upstream, counting("attacking", "settings") as progress:
            audit = audit_gateway(
                gateway, upstream, api=api, trials=trials, families=only or (), breaking=breaking, seed=seed, name=name,
                claims=claims, progress=progress,
            )  # fmt: skip
    outputs = opt.Outputs(None if output is None else output / "gateway.html")
    if output is not None:
        save_audit(audit, output)
        sys.stderr.write(f"textveil: {in_short(audit)}\n")
    sys.stdout.write(json_text(audit.to_data()) if as_json else to_markdown(audit))
    outputs.tell()
    return FAILED if audit.failures else 0


app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command("audit-gateway", cls=TyperCommand)(audit_gateway_command)
