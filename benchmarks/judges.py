"""The gateway before judges that others wrote: canarywire and pii-leak-benchmark, as docs/judges.md tells.

    python benchmarks/judges.py            runs both in an environment of their own; differs from the page: exit code 1
    python benchmarks/judges.py --write    renews the page's table

They are installed into a temporary folder and start their own providers on this machine. canarywire runs twice: as the
gateway comes, and with ``foreign_values = "shared"``.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from programs import free_port, served

PACKAGES = ("canarywire==0.1.0a1", "pii-leak-benchmark==0.6.0")
PAGE = Path(__file__).resolve().parents[1] / "docs/judges.md"
BEGIN, END = "<!-- runs: python benchmarks/judges.py --write -->\n\n", "\n\n<!-- end of the runs -->"
ROUTES = """\
target:
  base_url: {url}
  routes:
    - {{protocol: openai-chat, path: /v1/chat/completions}}
    - {{protocol: anthropic-messages, path: /v1/messages}}
"""
SEED = "7"
FAMILIES = ("leaks", "unrestored", "mangled", "inconsistent")


@contextlib.contextmanager
def gateway(upstream: int, folder: Path, **settings: str) -> Iterator[str]:
    """The gateway in front of a provider on a port, and its URL."""
    told = {"TEXTVEIL_UPSTREAM": f"http://127.0.0.1:{upstream}/v1", "TEXTVEIL_POLICY": "prompts", **settings}
    with served(str(folder / f"{upstream}.sqlite"), folder, {"TEXTVEIL_UPSTREAM_KEY": "sk-up", **told}) as server:
        yield server.url


def run(command: list[str | Path], folder: Path, codes: tuple[int, ...] = (0,)) -> None:
    """Run a command of a judge; its other exit codes mean that it could not judge."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, timeout=300)
    if done.returncode not in codes:
        raise SystemExit(
            f"{Path(command[0]).name} could not judge, exit code {done.returncode}:\n{done.stderr[-1500:]}"
        )


def canarywire(programs: Path, folder: Path, **settings: str) -> dict[str, Any]:
    """Return its report."""
    port = free_port()
    capture = f"http://127.0.0.1:{port}"
    out = folder / f"canarywire-{port}"
    program = programs / "canarywire"
    with gateway(port, folder, **settings) as url:
        config = folder / f"{port}.yaml"
        config.write_text(ROUTES.format(url=url))
        run([program, "serve", "--detach", "--listen", f"127.0.0.1:{port}"], folder)
        try:
            told: list[str | Path] = ["--config", config, "--capture", capture, "--seed", SEED, "--out", out]
            run([program, "run", *told], folder, codes=(0, 1))
        finally:
            run([program, "stop"], folder, codes=(0, 1, 2))
    report: dict[str, Any] = json.loads((out / "report.json").read_text())
    return report


def leak_benchmark(programs: Path, folder: Path) -> dict[str, Any]:
    """Return the report of its self-check."""
    port = free_port()
    with gateway(port, folder) as url:
        told = ["--target-base-url", f"{url}/v1", "--target-api-key", "sk-x", "--capture-port", str(port)]
        run([programs / "pii-leak-benchmark", "selfcheck", *told, "--json-out", folder / "leaks.json"], folder, (0, 1))
    report: dict[str, Any] = json.loads((folder / "leaks.json").read_text())
    return report


def judged() -> str:
    """Return the table of the page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sys.executable, "-m", "venv", folder / "judges"], check=True)
        programs = folder / "judges/bin"
        run([programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES], folder)
        default = canarywire(programs, folder)
        shared = canarywire(programs, folder, TEXTVEIL_FOREIGN_VALUES="shared")
        leaks = leak_benchmark(programs, folder)
    lines = ["| judge | gateway | verdict | what it counted |", "|---|---|---|---|"]
    for setting, report in (("as it comes", default), ('`foreign_values = "shared"`', shared)):
        counts = ", ".join(f"{name} {len(report[name])}" for name in FAMILIES)
        told = f"{len(report['attacks'])} attacks, {report['verified']} values verified; {counts}"
        lines.append(f"| canarywire 0.1.0a1, seed {SEED} | {setting} | {report['outcome']} | {told} |")
    checks = leaks["checks"]
    boundary = checks["configured_upstream_boundary"]
    told = f"{sum(one['passed'] for one in checks.values())} of {len(checks)} checks passed; leaked types "
    told += f"{len(boundary['leaked_entity_types'])}; {boundary['correlated_requests']} requests seen"
    verdict = "clean" if leaks["passed"] else "leak or loss"
    lines.append(f"| pii-leak-benchmark 0.6.0, selfcheck | as it comes | {verdict} | {told} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="renew the page")
    options = parser.parse_args()
    found = judged()
    print(found)
    head, begun, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    stated, ended, tail = rest.partition(END)
    if not (begun and ended):
        raise SystemExit(f"docs/judges.md must hold {BEGIN.strip()} and {END.strip()}, each between empty lines.")
    if options.write:
        PAGE.write_text(f"{head}{BEGIN}{found}{END}{tail}", encoding="utf-8")
    elif stated != found:
        raise SystemExit(f"docs/judges.md states another table:\n{stated}\nRun: python benchmarks/judges.py --write")


if __name__ == "__main__":
    main()
