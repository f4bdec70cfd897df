"""What the pages say runs: code blocks, commands, links, and the README's commands in CI."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from tools import doc_tables

from textveil.catalog import MECHANISMS

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("src/textveil/privacy/proofs/*.md")])
TEST_COMMAND = 'python -m pip install --editable ".[test,full]" && python -m pytest -n auto --dist loadfile'


def _blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def _cases(language: str) -> list:
    found = [(page, index, text) for page in PAGES for index, text in enumerate(_blocks(page, language))]
    return [pytest.param(page, text, id=f"{page.name}-{index}") for page, index, text in found]


@pytest.mark.parametrize(("page", "code"), _cases("python"))
def test_python_blocks_run(page: Path, code: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(code, str(page), "exec"), {"__name__": "__main__", "tmp_path": tmp_path})


@pytest.mark.parametrize(("page", "text"), _cases("console"))
def test_console_blocks_run(page: Path, text: str, monkeypatch, tmp_path) -> None:
    """Lines that start with `$ textveil` run without an error, in a copy of the examples."""
    for line in re.findall(r"^\$ (.*(?:\\\n.*)*)", text, flags=re.MULTILINE):
        command = line.replace("\\\n", " ")
        if "textveil" not in command or "pip install" in command:
            continue
        command = command.replace("textveil ", f"{shlex.quote(sys.executable)} -m textveil ")
        (tmp_path / "examples").exists() or (tmp_path / "examples").symlink_to(ROOT / "examples")
        done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), (page.name, target)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_headings_stand_between_empty_lines(page: Path) -> None:
    """A heading right behind another line is what is left of two sections that were put together."""
    text = re.sub(r"^```.*?^```", "```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"(?:[^\n]\n(#{1,4} .*)|^(#{1,4} .*)\n[^\n])", text, flags=re.MULTILINE) == []


def test_ci_runs_the_readme_test_command() -> None:
    assert TEST_COMMAND in (ROOT / "README.md").read_text(encoding="utf-8")
    assert TEST_COMMAND in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_ci_runs_the_scripts() -> None:
    text = "".join((ROOT / path).read_text(encoding="utf-8") for path in (".ci/run", "scripts/check"))
    for script in sorted(ROOT.glob("scripts/*")):
        assert re.search(rf"^scripts/{script.name}\b", text, re.MULTILINE), script.name


def test_the_suite_draws_the_same_cases_unless_told(request) -> None:
    profile = request.config.getoption("--hypothesis-profile")
    assert settings.default.derandomize == (profile != "new")
    assert settings.default.deadline is None and settings.default.print_blob


def test_tables_of_the_docs_are_what_is_declared(monkeypatch, tmp_path) -> None:
    assert doc_tables.stale() == [], "run: scripts/docs --write"
    page = tmp_path / "mechanisms.md"
    page.write_text("# Options\n\n<!-- generated: options -->\n| `--old` |\n<!-- end -->\nkept\n", encoding="utf-8")
    monkeypatch.setattr(doc_tables, "DOCS", tmp_path)
    assert doc_tables.stale(write=True)[0] == "docs/mechanisms.md"
    assert not any("options'" in line for line in doc_tables.stale()[1:] if "surrogates" not in line)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Options\n\n<!-- generated: options -->\n\n| option | values |")
    assert text.endswith(" |\n\n<!-- end -->\nkept\n") and "--old" not in text


def test_a_page_lists_every_mechanism_with_its_true_status() -> None:
    text = "".join(doc_tables.mechanisms(name) for name in doc_tables.TABLES if "mechanisms" in name)
    rows = re.findall(r"^\| `([a-z][a-z-]*)` \|[^|]*\| (proved|certified|claimed|refuted) \|", text, flags=re.MULTILINE)
    assert dict(rows) == {name: one.status.value for name, one in MECHANISMS.items()}


@pytest.mark.parametrize("script", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.name)
def test_examples_run(script: Path) -> None:
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=600)
    if done.returncode and (extra := re.search(r"Run: pip install 'textveil\[\w+\]'", done.stderr)):
        pytest.skip(extra[0])
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_readme_is_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    assert len(text.split()) <= 900


def test_the_index_lists_every_page() -> None:
    listed = set(re.findall(r"\]\(([a-z-]+\.md)\)", (ROOT / "docs/index.md").read_text(encoding="utf-8")))
    assert listed == {path.name for path in ROOT.glob("docs/*.md")} - {"index.md"}
