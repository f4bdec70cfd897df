"""What the pages say runs: code blocks, commands, links, and the README's commands in CI."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from tests.cli.test_cli import run
from tests.helpers.extras import skip_without_extra

from textveil.catalog import MECHANISMS

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("src/textveil/privacy/proofs/*.md")])
TEST_COMMAND = 'python -m pip install --editable ".[test]" && python -m pytest -n auto --dist loadfile'


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
def test_console_blocks_run(page: Path, text: str, capsysbinary, monkeypatch, tmp_path) -> None:
    """Lines that start with `$ textveil` run without an error, beside the examples; alone in this process."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for line in re.findall(r"^\$ (.*(?:\\\n.*)*)", text, flags=re.MULTILINE):
        command = line.replace("\\\n", " ")
        if "textveil" not in command or "pip install" in command:
            continue
        if command.startswith("textveil ") and not re.search(r"[|<>&;$*]", command):
            code, _, err = run(capsysbinary, monkeypatch, *shlex.split(command)[1:])
        else:
            command = command.replace("textveil ", f"{shlex.quote(sys.executable)} -m textveil ")
            done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=600)
            code, err = done.returncode, done.stderr
        skip_without_extra(err)
        assert code == 0, (command, err)


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), (page.name, target)


def test_headings_stand_between_empty_lines() -> None:
    """A heading right behind another line is what is left of two sections that were put together."""
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        touching = re.findall(r"(?:[^\n]\n(#{1,4} .*)|^(#{1,4} .*)\n[^\n])", text, flags=re.MULTILINE)
        assert touching == [], page.name


def test_every_mechanism_of_the_catalog_has_a_page() -> None:
    pages = " ".join(
        (ROOT / f"docs/{name}.md").read_text(encoding="utf-8") for name in ("mechanisms", "representations")
    )
    text = re.sub(r"^\| `--.*$", "", pages, flags=re.MULTILINE)
    assert [name for name in MECHANISMS if not re.search(rf"`{name}`|^## (.*, )?{name}\b", text, re.MULTILINE)] == []


def test_ci_runs_the_readme_test_command() -> None:
    assert TEST_COMMAND in (ROOT / "README.md").read_text(encoding="utf-8")
    assert TEST_COMMAND in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_ci_runs_the_scripts() -> None:
    text = (ROOT / ".ci/run").read_text(encoding="utf-8")
    for script in sorted(ROOT.glob("scripts/*")):
        assert f"\nscripts/{script.name}\n" in text, script.name


def test_the_suite_draws_the_same_cases_unless_told(request) -> None:
    profile = request.config.getoption("--hypothesis-profile")
    assert settings.default.derandomize == (profile != "new")
    assert settings.default.deadline is None and settings.default.print_blob


def test_the_catalog_table_states_the_true_status() -> None:
    text = (ROOT / "docs/mechanisms.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z][a-z-]*)` \|[^|]*\| (proved|certified|claimed|refuted) \|", text, flags=re.MULTILINE)
    assert dict(rows) == {name: one.status.value for name, one in MECHANISMS.items()}


def test_the_table_of_options_is_the_declarations() -> None:
    """A row for each option and each default that it has, in groups, in the catalog's order."""
    takers: dict[tuple[str, ...], list[str]] = {}
    for name, one in MECHANISMS.items():
        for option in one.options().values():
            hyphens = option.name.replace("_", "-")
            spelled = f"`--{hyphens}`, `--no-{hyphens}`" if option.can_be_turned_off else f"`--{hyphens}`"
            row = (option.group, spelled, option.wanted, option.default_text or "none", option.help)
            takers.setdefault(row, []).append(f"`{name}`")
    expected = [
        f"| {spelled} | {wanted} | {default} | {about} | {'all' if len(of) == len(MECHANISMS) else ', '.join(of)} |"
        for group in dict.fromkeys(row[0] for row in takers)
        for (its, spelled, wanted, default, about), of in takers.items()
        if its == group
    ]
    page = (ROOT / "docs/mechanisms.md").read_text(encoding="utf-8")
    found = [line for line in page.splitlines() if line.startswith("| `--")]
    assert found == expected, "\n".join(["the table must be", *expected])


@pytest.mark.parametrize("script", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.name)
def test_examples_run(script: Path) -> None:
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=600)
    skip_without_extra(done.stderr)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_readme_is_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    assert len(text.split()) <= 900


def test_the_index_lists_every_page() -> None:
    listed = set(re.findall(r"\]\(([a-z-]+\.md)\)", (ROOT / "docs/index.md").read_text(encoding="utf-8")))
    assert listed == {path.name for path in ROOT.glob("docs/*.md")} - {"index.md"}
