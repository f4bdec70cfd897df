"""What the pages of the lab say runs: code blocks, commands, examples; and their links lead somewhere."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAB = ROOT / "lab"
PAGES = sorted([*LAB.glob("*.md"), *LAB.glob("docs/*.md")])


def _blocks(language: str) -> list:
    fence = re.compile(rf"^```{language}\n(.*?)^```", re.MULTILINE | re.DOTALL)
    found = [(page, index, text) for page in PAGES for index, text in enumerate(fence.findall(page.read_text("utf-8")))]
    return [pytest.param(text, id=f"{page.name}-{index}") for page, index, text in found]


@pytest.mark.parametrize("code", _blocks("python"))
def test_python_blocks_run(code: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(code, "block", "exec"), {"__name__": "__main__", "tmp_path": tmp_path})


@pytest.mark.parametrize("text", _blocks("console"))
def test_console_blocks_run(text: str, tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("TEXTVEIL_SHARED", raising=False)  # a reader has none, and the commands say which they need
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for line in re.findall(r"^\$ (textveil .*(?:\\\n.*)*)", text, flags=re.MULTILINE):
        command = line.replace("\\\n", " ").replace("textveil ", f"{shlex.quote(sys.executable)} -m textveil ", 1)
        done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


@pytest.mark.parametrize("script", sorted(LAB.glob("examples/*.py")), ids=lambda path: path.name)
def test_examples_run(script: Path) -> None:
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout, done.stderr
