"""The Dockerfile: what a linter would ask of it by reading, and a server by it where Docker runs."""

import re
import shutil
import subprocess
import time
import tomllib
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
LINES = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", TEXT, flags=re.MULTILINE)).splitlines()
STEPS = [tuple(line.split(" ", 1)) for line in LINES if line]


def arguments(step: str) -> list[str]:
    return [rest for name, rest in STEPS if name == step]


def test_it_runs_a_slim_image_without_rights() -> None:
    assert all(re.match(r"python:\$\{PYTHON\}( AS build)?$", one) for one in arguments("FROM"))
    (base,) = arguments("ARG")
    assert re.fullmatch(r"PYTHON=3\.\d+\.\d+-slim-[a-z]+", base), "an exact version, which no later build changes"
    assert arguments("USER") == ["10001:10001"]
    last = max(place for place, (name, _) in enumerate(STEPS) if name in ("RUN", "COPY"))
    assert last < [name for name, _ in STEPS].index("USER")  # nothing that it may write belongs to its user
    assert "--chown" not in TEXT and "chmod" not in TEXT and "sudo" not in TEXT


def test_it_holds_what_is_needed_and_no_secret() -> None:
    assert not arguments("ADD") and "apt-get" not in TEXT and "curl" not in " ".join(LINES)
    assert not re.search(r"(KEY|SECRET|TOKEN|PASSWORD)=", TEXT)
    assert all("--no-cache-dir" in one for one in arguments("RUN") if "pip install" in one)
    sources = [name for one in arguments("COPY") if not one.startswith("--from") for name in one.split()[:-1]]
    kept = (ROOT / ".dockerignore").read_text().splitlines()
    for source in sources:
        assert (ROOT / source).exists() and f"!{source}" in kept


def test_packages_have_the_versions_that_ci_tests() -> None:
    installs = [one for one in arguments("RUN") if "pip install" in one]
    assert installs and all("--constraint constraints.txt" in one for one in installs)
    assert ".ci/constraints.txt ./constraints.txt" in arguments("COPY")
    lines = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8").splitlines()[1:]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9._]+", line) for line in lines)
    pinned = {re.sub(r"[-_.]+", "-", line.partition("==")[0].lower()) for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["server"], *extras["ledger"], *extras["postgresql"]]
    names = {re.split(r"[\[<>=]", one, maxsplit=1)[0].lower() for one in wanted}
    assert names - {"textveil"} <= pinned


def test_the_ledgers_key_lies_in_another_volume_than_its_database() -> None:
    told = dict(one.split("=", 1) for one in arguments("ENV")[0].split())
    folders = {Path(told[name]).parent for name in ("TEXTVEIL_DATABASE", "TEXTVEIL_LEDGER_KEY_FILE")}
    assert folders == {Path("/data"), Path("/keys")}
    assert arguments("VOLUME") == ["/data /keys"]


def test_signals_reach_the_server_and_its_health_is_known() -> None:
    assert arguments("ENTRYPOINT") == ['["textveil"]'] and arguments("CMD") == ['["serve"]']  # no shell between
    assert "/healthz" in arguments("HEALTHCHECK")[0]


@pytest.fixture
def image() -> Iterator[str]:
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "info"], capture_output=True, timeout=600).returncode:
        pytest.skip("no Docker runs here")
    name = f"textveil-test-{uuid.uuid4().hex}"
    done = subprocess.run([docker, "build", "--tag", name, str(ROOT)], capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr[-3000:]
    yield name
    subprocess.run([docker, "image", "rm", "--force", name], capture_output=True)


def test_a_server_runs_with_a_read_only_root(image: str) -> None:
    volume = ["--volume", f"{image}:/data", "--volume", f"{image}-keys:/keys"]
    key = subprocess.run(
        ["docker", "run", "--rm", *volume, image, "keys", "create", "--tenant", "ward"],
        capture_output=True, text=True, check=True, timeout=900,
    ).stdout.split()[-1]  # fmt: skip
    strict = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
    run = [
        "docker",
        "run",
        "--detach",
        "--rm",
        *strict,
        *volume,
        "--publish",
        "127.0.0.1::8000",
        "--name",
        image,
        image,
    ]
    subprocess.run(run, check=True, capture_output=True, timeout=900)
    try:
        port = subprocess.run(["docker", "port", image, "8000"], capture_output=True, text=True, check=True).stdout
        url = f"http://127.0.0.1:{port.split(':')[-1].strip()}"
        asked = urllib.request.Request(
            f"{url}/v1/sanitize",
            data=b'{"text": "Ask Maria Zyxwell."}',
            headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
        )
        give_up = time.monotonic() + 300
        while True:
            try:
                with urllib.request.urlopen(asked, timeout=30) as answer:
                    assert b"Zyxwell" not in answer.read()
                return
            except (urllib.error.URLError, ConnectionError):
                assert time.monotonic() < give_up
                time.sleep(1)
    finally:
        subprocess.run(["docker", "kill", image], capture_output=True)
        subprocess.run(["docker", "volume", "rm", "--force", image, f"{image}-keys"], capture_output=True)
